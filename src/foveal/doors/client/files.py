"""A memory as a file that came over the line, or goes over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from foveal.errors import Conflict, Corrupt, Invalid

PART = 1 << 16


class _Named(msgspec.Struct):
    id: str


class _Line(msgspec.Struct):
    record: _Named | None = None


def saved(lines: Iterable[str], path: Path) -> int:
    """Write an export to a new file, whole or not at all. Gives how many records it holds."""
    if path.exists():
        raise Conflict(f"{path} exists already", path=str(path))
    half = path.with_name(path.name + ".part")
    ids: set[str] = set()
    try:
        with half.open("w", encoding="utf-8") as file:
            half.chmod(0o600)
            for line in lines:
                file.write(line + "\n")
                record = msgspec.json.decode(line, type=_Line).record
                if record is not None:
                    ids.add(record.id)
        half.replace(path)
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    except msgspec.DecodeError as error:
        raise Corrupt(f"the export is cut or damaged: {error}") from error
    finally:
        half.unlink(missing_ok=True)
    return len(ids)


def parts_of(path: Path) -> Iterator[bytes]:
    """A file piece by piece."""
    try:
        with path.open("rb") as file:
            while part := file.read(PART):
                yield part
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=str(path)) from error
