"""Our entry in the configuration files of the programs that use MCP."""

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
    """A program that uses MCP: where its files lie, and how they name a server.

    `file` is under the user's home, or with `within="config"` under the folder where the system keeps
    configurations; `project` is under the folder of a project.
    """

    title: str
    file: str
    within: Literal["home", "config"] = "home"
    project: str | None = None
    key: str = "mcpServers"
    typed: bool = False

    def path(self, *, home: Path, config: Path, folder: Path | None = None) -> Path:
        """The file to change: that of the project in `folder` if one is given, else that of the user."""
        if folder is None:
            return (home if self.within == "home" else config) / self.file
        if self.project is None:
            raise Unsupported(f"{self.title} has no configuration for one project: leave --project out")
        return folder / self.project

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """How its files say what to start."""
        said = {"command": command[0], "args": list(command[1:])}
        return {"type": "stdio", **said} if self.typed else said


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
    """What an installation did, or would do: which file, whether it changes, and where its old content went."""

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
    """Put a server into a configuration file; whatever else is in it stays.

    The file is replaced as a whole or not at all, and its old content is kept beside it.
    """
    known = client_of(client)
    # A configuration that is a link into another folder stays one.
    file = path.resolve()
    entry = known.entry(command)
    before = _read(file, known, name, entry)
    servers = _servers(before, known, file)
    changed = servers.get(name) != entry
    kept = _next_to(file) if changed and file.exists() else None
    if changed and not dry_run:
        if kept is not None:
            shutil.copy2(file, kept)
        _replace(file, {**before, known.key: {**servers, name: entry}})
    return Installed(
        client=client,
        path=str(path),
        name=name,
        entry=entry,
        changed=changed,
        backup=None if kept is None else str(kept),
    )


def _read(file: Path, client: Client, name: str, entry: dict[str, Any]) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    try:
        found: Any = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        ours = json.dumps({client.key: {name: entry}})
        raise Conflict(
            f"{file} is not plain JSON ({error}), and comments would be lost: add {ours} by hand", path=str(file)
        ) from None
    if not isinstance(found, dict):
        raise Conflict(f"{file} is not a JSON object: nothing was changed", path=str(file))
    return cast(dict[str, Any], found)


def _servers(before: dict[str, Any], client: Client, file: Path) -> dict[str, Any]:
    servers = before.get(client.key, {})
    if not isinstance(servers, dict):
        raise Conflict(f"{client.key} in {file} is not a JSON object: nothing was changed", path=str(file))
    return cast(dict[str, Any], servers)


def _next_to(file: Path) -> Path:
    """A name for the old content that no earlier backup has."""
    names = (file.with_name(f"{file.name}.bak{number or ''}") for number in range(1_000))
    return next(one for one in names if not one.exists())


def _replace(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # These files hold keys of other servers: the new one is private from its first byte.
    handle, made = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            shutil.copymode(file, made)
        os.replace(made, file)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
