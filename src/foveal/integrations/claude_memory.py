"""The memory tool of Claude: its files are records of a memory, with versions, search and undo."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Iterator
from typing import Any, NoReturn

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand as Create,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818DeleteCommand as Delete,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818InsertCommand as Insert,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818RenameCommand as Rename,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818StrReplaceCommand as StrReplace,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818ViewCommand as ViewFile,
)

from foveal.doors.client import RemoteMemory
from foveal.engine.memory import View
from foveal.errors import FovealError
from foveal.integrations.errors import raised_as
from foveal.model.record import Record

ROOT, KIND, REGION = "/memories", "file", "memories"
WIDTH, AROUND, LEVELS, PAGE = 6, 2, 2, 200
UNITS = "BKMG"


class Files:
    """The files under /memories, with the answers and errors that models expect of the tool.

    A file is a record, so an edit adds a version and `delete` only hides: both can be undone by a person. Folders
    exist as long as a file is in them.
    """

    def __init__(self, memory: View | RemoteMemory) -> None:
        self._memory = memory

    def view(self, path: str, view_range: list[int] | None = None) -> str:
        """The lines of a file, or the names in a folder."""
        at = _resolved(path)
        file = self._file(at)
        if file is None:
            return self._folder(path, at)
        lines = _content(file).split("\n")
        first, last = 1, len(lines)
        if view_range and len(view_range) == 2:
            first = max(1, view_range[0])
            last = len(lines) if view_range[1] == -1 else view_range[1]
        return f"Here's the content of {path} with line numbers:\n" + _numbered(lines[first - 1 : last], first)

    def create(self, path: str, text: str) -> str:
        """Create a file; an error if there is one."""
        at = _resolved(path)
        if at == ROOT or self._file(at) is not None or self._below(at):
            raise ToolError(f"File {path} already exists")
        if any(self._file(folder) is not None for folder in _folders(at)):
            raise ToolError(f"The path {path} is inside a file, not a directory.")
        with raised_as(ToolError, FovealError):
            self._memory.write(kind=KIND, region=REGION, tier="semantic", source="assistant", **_details(at, text))
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs once, and show the lines around it."""
        file = self._existing(path)
        content = _content(file)
        places = _occurrences(content, old)
        if not places:
            _refuse(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        numbers = [content.count("\n", 0, place) + 1 for place in places]
        if len(places) > 1:
            _refuse(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, numbers))}. Please ensure it is unique"
            )
        edited = content.replace(old, new)
        self._save(file, edited)
        first = max(1, numbers[0] - AROUND)
        shown = edited.split("\n")[first - 1 : numbers[0] + AROUND]
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{head}\n{_numbered(shown, first)}"

    def insert(self, path: str, line: int, text: str) -> str:
        """Insert a text after a line; 0 is the beginning."""
        file = self._existing(path)
        lines = _content(file).removesuffix("\n").split("\n") if _content(file) else []
        if not 0 <= line <= len(lines):
            _refuse(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}].")
        lines.insert(line, text.rstrip("\n"))
        self._save(file, "\n".join(lines).removesuffix("\n") + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Forget a file, or a folder with all files in it."""
        at = _resolved(path)
        if at == ROOT:
            _refuse(f"Cannot delete the {ROOT} directory itself")
        self._forget(self._required(path, at))
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Give a file or a folder another path."""
        old, new = _resolved(old_path), _resolved(new_path)
        if old == ROOT:
            _refuse(f"Cannot rename the {ROOT} directory itself")
        if new == ROOT or self._file(new) is not None or self._below(new):
            _refuse(f"The destination {new_path} already exists")
        files = self._required(old_path, old)
        if new.startswith(f"{old}/"):
            _refuse(f"Cannot move {old_path} into itself")
        for file in files:
            moved = new + file.metadata["path"].removeprefix(old)
            with raised_as(ToolError, FovealError):
                self._memory.supersede(file.id, **_details(moved, _content(file)))
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Forget all files."""
        self._forget(self._below(ROOT))
        return "All memory cleared"

    def _file(self, at: str) -> Record | None:
        return next(self._where({"metadata.path": at}), None)

    def _below(self, at: str) -> list[Record]:
        return sorted(self._where({"metadata.path": {"prefix": f"{at}/"}}), key=lambda file: file.metadata["path"])

    def _where(self, condition: dict[str, Any]) -> Iterator[Record]:
        cursor: str | None = None
        while True:
            page = self._memory.browse.page(filters={"kind": KIND, **condition}, limit=PAGE, cursor=cursor)
            yield from page.records
            cursor = page.cursor
            if cursor is None:
                return

    def _existing(self, path: str) -> Record:
        at = _resolved(path)
        file = self._file(at)
        if file is None and (at == ROOT or self._below(at)):
            raise ToolError(f"The path {path} is not a file.")
        if file is None:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return file

    def _required(self, path: str, at: str) -> list[Record]:
        file = self._file(at)
        files = self._below(at) if file is None else [file]
        if not files:
            raise ToolError(f"The path {path} does not exist")
        return files

    def _save(self, file: Record, content: str) -> None:
        with raised_as(ToolError, FovealError):
            details = _details(file.metadata["path"], content)
            self._memory.supersede(file.id, expected_version=file.version, **details)

    def _forget(self, files: list[Record]) -> None:
        with raised_as(ToolError, FovealError):
            if files:
                self._memory.forget([file.id for file in files])

    def _folder(self, path: str, at: str) -> str:
        files = self._below(at)
        if not files and at != ROOT:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        sizes: dict[str, int] = {}
        total = 0
        for file in files:
            parts = file.metadata["path"].removeprefix(f"{at}/").split("/")
            size = len(_content(file).encode())
            if any(part.startswith(".") for part in parts):
                continue
            total += size
            for level in range(1, min(len(parts), LEVELS) + 1):
                name = "/".join(parts[:level]) + ("/" if level < len(parts) else "")
                sizes[name] = sizes.get(name, 0) + size
        head = f"Here're the files and directories up to {LEVELS} levels deep in {path}, excluding hidden items:"
        rows = [
            f"{_size(total)}\t{path}",
            *(f"{_size(size)}\t{path}/{name}" for name, size in sorted(sizes.items())),
        ]
        return "\n".join([head, *rows])


class FovealMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool on a memory: pass it in `tools` to `client.beta.messages.tool_runner`."""

    def __init__(self, memory: View | RemoteMemory, **options: Any) -> None:
        super().__init__(**options)
        self._files = Files(memory)

    def view(self, command: ViewFile) -> str:
        """Show a file or a folder."""
        return self._files.view(command.path, command.view_range)

    def create(self, command: Create) -> str:
        """Create a file."""
        return self._files.create(command.path, command.file_text)

    def str_replace(self, command: StrReplace) -> str:
        """Replace a text in a file."""
        return self._files.str_replace(command.path, command.old_str, command.new_str)

    def insert(self, command: Insert) -> str:
        """Insert a text into a file."""
        return self._files.insert(command.path, command.insert_line, command.insert_text)

    def delete(self, command: Delete) -> str:
        """Forget a file or a folder."""
        return self._files.delete(command.path)

    def rename(self, command: Rename) -> str:
        """Move a file or a folder."""
        return self._files.rename(command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        """Forget all files."""
        return self._files.clear()


class AsyncFovealMemoryTool(BetaAsyncAbstractMemoryTool):
    """`FovealMemoryTool` for the asynchronous client."""

    def __init__(self, memory: View | RemoteMemory, **options: Any) -> None:
        super().__init__(**options)
        self._files = Files(memory)

    async def view(self, command: ViewFile) -> str:
        """Show a file or a folder."""
        return await asyncio.to_thread(self._files.view, command.path, command.view_range)

    async def create(self, command: Create) -> str:
        """Create a file."""
        return await asyncio.to_thread(self._files.create, command.path, command.file_text)

    async def str_replace(self, command: StrReplace) -> str:
        """Replace a text in a file."""
        return await asyncio.to_thread(self._files.str_replace, command.path, command.old_str, command.new_str)

    async def insert(self, command: Insert) -> str:
        """Insert a text into a file."""
        return await asyncio.to_thread(self._files.insert, command.path, command.insert_line, command.insert_text)

    async def delete(self, command: Delete) -> str:
        """Forget a file or a folder."""
        return await asyncio.to_thread(self._files.delete, command.path)

    async def rename(self, command: Rename) -> str:
        """Move a file or a folder."""
        return await asyncio.to_thread(self._files.rename, command.old_path, command.new_path)

    async def clear_all_memory(self) -> str:
        """Forget all files."""
        return await asyncio.to_thread(self._files.clear)


def _refuse(message: str) -> NoReturn:
    raise ToolError(message)


def _resolved(path: str) -> str:
    """The path without dots and double slashes; an error if it is not under /memories."""
    if not path.startswith(ROOT):
        _refuse(f"Path must start with {ROOT}, got: {path}")
    at = posixpath.normpath(path)
    if at != ROOT and not at.startswith(f"{ROOT}/"):
        _refuse(f"Path {path} would escape {ROOT} directory")
    return at


def _folders(at: str) -> Iterator[str]:
    folder = posixpath.dirname(at)
    while len(folder) > len(ROOT):
        yield folder
        folder = posixpath.dirname(folder)


def _details(at: str, content: str) -> dict[str, Any]:
    """A record has a text; that of an empty file is its path."""
    blank = not content.strip()
    return {"text": at if blank else content, "metadata": {"path": at, **({"blank": content} if blank else {})}}


def _content(file: Record) -> str:
    return file.metadata.get("blank", file.text)


def _occurrences(content: str, wanted: str) -> list[int]:
    """Where a text begins, overlapping occurrences included; an empty one occurs nowhere."""
    places: list[int] = []
    place = content.find(wanted) if wanted else -1
    while place >= 0:
        places.append(place)
        place = content.find(wanted, place + 1)
    return places


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def _size(count: int) -> str:
    """A number of bytes as `ls -h` writes it.

    >>> _size(0), _size(1536), _size(2048)
    ('0B', '1.5K', '2K')
    """
    power = min(max(count.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    size = count / 1024**power
    return f"{int(size) if size == int(size) else f'{size:.1f}'}{UNITS[power]}"
