"""Reading files, folders and zip archives of other programs, with bounds and named errors."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote
from zipfile import BadZipFile, ZipFile

import apsw
import msgspec

from foveal.errors import Invalid, NotFound, TooLarge

MAX_DOCUMENT = 1 << 30
MAX_LINE = 16 << 20
MAX_FILES = 100_000
# No text compresses better than this; what does was made to fill the disk.
MAX_RATIO = 200
HEAD = 64 << 10
_SQLITE = b"SQLite format 3\0"


class Source:
    """A file, folder or zip archive to be imported."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            mode = path.stat().st_mode
            self.is_folder = stat.S_ISDIR(mode)
            if not self.is_folder and not stat.S_ISREG(mode):
                raise Invalid(f"cannot read {path}: it is neither a file nor a folder", path=str(path))
            self.head = b"" if self.is_folder else _head(path)
        except FileNotFoundError:
            raise NotFound(f"cannot read {path}: there is no such file", path=str(path)) from None
        except OSError as error:
            raise Invalid(f"cannot read {path}: {error.strerror}", path=str(path)) from error
        self.is_zip = self.head.startswith(b"PK\x03\x04")
        self.is_sqlite = self.head.startswith(_SQLITE)

    @property
    def is_text(self) -> bool:
        """Whether it is a single file that may hold text."""
        return not (self.is_folder or self.is_zip or self.is_sqlite)

    @cached_property
    def names(self) -> list[str]:
        """The files within, as sorted paths with `/`; without hidden ones, and links that lead outside."""
        names = sorted(self._zipped() if self.is_zip else self._listed() if self.is_folder else ())
        if len(names) > MAX_FILES:
            raise TooLarge(
                f"{self.path} has more than {MAX_FILES:,} files: import parts of it", path=str(self.path)
            )
        return names

    @cached_property
    def leading_outside(self) -> list[str]:
        """The links within a folder that lead out of it."""
        if not self.is_folder:
            return []
        root = self.path.resolve()
        links = (Path(at, name) for at, folders, files in os.walk(self.path) for name in [*folders, *files])
        return sorted(
            link.relative_to(self.path).as_posix()
            for link in links
            if link.is_symlink() and not link.resolve().is_relative_to(root)
        )

    @cached_property
    def document(self) -> Any:
        """The one JSON document of a file; None if it is none."""
        if not self.is_text or self.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return None
        if self.path.stat().st_size > MAX_DOCUMENT:
            return None
        try:
            return msgspec.json.decode(self._bytes(self.path).removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def json(self, name: str) -> Any:
        """The JSON document of a file within."""
        try:
            return msgspec.json.decode(self.read(name).removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Invalid(f"{name} in {self.path} is not JSON: {error}", path=str(self.path)) from error

    def read(self, name: str) -> bytes:
        """The bytes of a file within, or of the one file that it is."""
        if not self.is_zip:
            return self._bytes(self.path / name if self.is_folder else self.path)
        with self._archive() as archive:
            info = archive.getinfo(name)
            # The header of an archive may lie about the size, so what comes out is counted.
            most = min(MAX_DOCUMENT, max(info.compress_size * MAX_RATIO, HEAD))
            with archive.open(info) as file:
                content = file.read(most + 1)
        if len(content) > most:
            raise TooLarge(
                f"{name} in {self.path} grows to more than {most:,} bytes when unpacked: it is refused as a trap; "
                "if you trust it, unpack it and import the file",
                path=str(self.path),
            )
        return content

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines of a file with their numbers, without empty ones."""
        with opened(self.path) as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise TooLarge(
                        f"line {number} of {self.path} is longer than {MAX_LINE:,} bytes: split it",
                        path=str(self.path),
                    )
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if line.strip():
                    yield number, line

    def holds(self, name: str) -> bool:
        """Whether there is a file with this path within."""
        return name in self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.names)

    def _bytes(self, path: Path) -> bytes:
        with opened(path) as file:
            content = file.read(MAX_DOCUMENT + 1)
        if len(content) > MAX_DOCUMENT:
            raise TooLarge(f"{path} has more than {MAX_DOCUMENT:,} bytes: split it", path=str(path))
        return content

    def _listed(self) -> Iterator[str]:
        outside = set(self.leading_outside)
        for at, folders, files in os.walk(self.path):
            # A hidden folder holds settings and waste bins, not notes.
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in files:
                path = Path(at, name).relative_to(self.path).as_posix()
                if not name.startswith(".") and path not in outside:
                    yield path

    def _zipped(self) -> list[str]:
        with self._archive() as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
        return [name for name in names if not any(part.startswith((".", "__MACOSX")) for part in name.split("/"))]

    @contextmanager
    def _archive(self) -> Generator[ZipFile]:
        try:
            with ZipFile(self.path) as archive:
                yield archive
        except (BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise Invalid(
                f"{self.path} is a damaged or locked zip archive ({error}): unpack it, and import what is in it",
                path=str(self.path),
            ) from error
        except OSError as error:
            raise Invalid(f"cannot read {self.path}: {error.strerror}", path=str(self.path)) from error


@contextmanager
def opened(path: Path) -> Generator[BinaryIO]:
    """A file to read from; what the system refuses becomes `Invalid`."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=str(path)) from error


def _head(path: Path) -> bytes:
    with opened(path) as file:
        return file.read(HEAD)


class Database:
    """A SQLite file of another program, which is only read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def tables(self) -> dict[str, frozenset[str]]:
        """The tables, each with its columns."""
        found = self.rows(
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        )
        tables: dict[str, set[str]] = {}
        for table, column in found:
            tables.setdefault(str(table), set()).add(str(column))
        return {name: frozenset(columns) for name, columns in tables.items()}

    def rows(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query."""
        try:
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            connection = apsw.Connection(f"file:{quote(str(self.path.resolve()))}?mode=ro", flags=flags)
            try:
                # Views and triggers of a foreign file may call functions: only what SQLite deems harmless.
                connection.pragma("trusted_schema", False)
                connection.pragma("query_only", True)
                connection.set_busy_timeout(5_000)
                yield from connection.execute(query, values)
            finally:
                connection.close()
        except apsw.Error as error:
            raise Invalid(
                f"cannot read {self.path} as a SQLite file: {error}; close the program that uses it, or copy it",
                path=str(self.path),
            ) from error
