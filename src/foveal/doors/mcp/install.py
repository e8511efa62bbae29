"""Adds this server to the configuration files of MCP clients."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

from msgspec import Struct

from foveal.errors import Conflict, Invalid, Unsupported


class Client(Struct, frozen=True, kw_only=True):
    """An MCP client: where its configuration files are, and how they describe a server.

    `file` is relative to the user's home folder, or with `within="config"` to the system's configuration folder;
    `project` is relative to the folder of a project.
    """

    title: str
    file: str
    within: Literal["home", "config"] = "home"
    project: str | None = None
    key: str = "mcpServers"
    typed: bool = False

    def path(self, *, home: Path, config: Path, folder: Path | None = None) -> Path:
        """The file to change: the project's if `folder` is given, else the user's."""
        if folder is None:
            return (home if self.within == "home" else config) / self.file
        if self.project is None:
            raise Unsupported(f"{self.title} has no configuration for one project: leave --project out")
        return folder / self.project

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """The entry for a server that is started with a command."""
        entry = {"command": command[0], "args": list(command[1:])}
        return {"type": "stdio", **entry} if self.typed else entry


CLIENTS = {
    "claude-code": Client(title="Claude Code", file=".claude.json", project=".mcp.json", typed=True),
    "claude-desktop": Client(title="Claude Desktop", file="Claude/claude_desktop_config.json", within="config"),
    "cursor": Client(title="Cursor", file=".cursor/mcp.json", project=".cursor/mcp.json"),
    "vscode": Client(
        title="VS Code",
        file="Code/User/mcp.json",
        within="config",
        project=".vscode/mcp.json",
        key="servers",
        typed=True,
    ),
}


class Installed(Struct, frozen=True, kw_only=True):
    """What an installation did, or would do: the file, whether it changes, and the backup of its old content."""

    client: str
    path: str
    name: str
    entry: dict[str, Any]
    changed: bool
    backup: str | None = None


def client_of(name: str) -> Client:
    """The client of this name."""
    if name not in CLIENTS:
        raise Invalid(f"there is no client {name!r}: there are {', '.join(CLIENTS)}")
    return CLIENTS[name]


def install(client: str, path: Path, name: str, command: Sequence[str], *, dry_run: bool = False) -> Installed:
    """Add a server to a configuration file, leaving the rest of the file unchanged.

    The file is replaced atomically, and its old content is kept beside it.
    """
    program = client_of(client)
    # Follow a symbolic link, so that the link itself is not replaced.
    file = path.resolve()
    entry = program.entry(command)
    before = _read(file, program, name, entry)
    servers = _servers(before, program, file)
    changed = servers.get(name) != entry
    backup = _backup_path(file) if changed and file.exists() else None
    if changed and not dry_run:
        if backup is not None:
            shutil.copy2(file, backup)
        _replace(file, {**before, program.key: {**servers, name: entry}})
    return Installed(
        client=client,
        path=str(path),
        name=name,
        entry=entry,
        changed=changed,
        backup=None if backup is None else str(backup),
    )


def _read(file: Path, client: Client, name: str, entry: dict[str, Any]) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    try:
        content: Any = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        ours = json.dumps({client.key: {name: entry}})
        raise Conflict(
            f"{file} is not plain JSON ({error}), and comments would be lost: add {ours} by hand", path=str(file)
        ) from None
    if not isinstance(content, dict):
        raise Conflict(f"{file} is not a JSON object: nothing was changed", path=str(file))
    return cast(dict[str, Any], content)


def _servers(before: dict[str, Any], client: Client, file: Path) -> dict[str, Any]:
    servers = before.get(client.key, {})
    if not isinstance(servers, dict):
        raise Conflict(f"{client.key} in {file} is not a JSON object: nothing was changed", path=str(file))
    return cast(dict[str, Any], servers)


def _backup_path(file: Path) -> Path:
    """A path for the old content that no earlier backup uses."""
    paths = (file.with_name(f"{file.name}.bak{number or ''}") for number in range(1_000))
    return next(path for path in paths if not path.exists())


def _replace(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # These files hold keys of other servers, so the new file is private from its first byte.
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            shutil.copymode(file, temporary)
        os.replace(temporary, file)
    finally:
        # It is there only if something failed.
        Path(temporary).unlink(missing_ok=True)
