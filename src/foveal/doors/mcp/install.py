"""Adds this server, and its hooks, to the configuration files of MCP clients."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from msgspec import Struct

from foveal.doors.mcp.config_files import Format, parsed, with_member, without_member
from foveal.errors import Conflict, Invalid, Unsupported


class Hooks(Struct, frozen=True, kw_only=True):
    """The events at which a client runs commands, the file that names them, and its unit of time in a second."""

    file: str
    events: tuple[str, ...]
    second: int = 1


class Client(Struct, frozen=True, kw_only=True):
    """An MCP client: where its configuration files are, and how they describe a server.

    `file` is relative to the user's home folder, or with `within="config"` to the system's configuration folder;
    `project` is relative to the folder of a project. `hooks` is the file, relative to both, in which a client keeps
    the commands that it runs at its own events.
    """

    title: str
    file: str
    within: Literal["home", "config"] = "home"
    project: str | None = None
    key: str = "mcpServers"
    form: Format = "json"
    marks: Mapping[str, str] = {}
    hooks: Hooks | None = None

    def path(self, *, home: Path, config: Path, folder: Path | None = None) -> Path:
        """The file to change: the project's if `folder` is given, else the user's."""
        if folder is None:
            return (home if self.within == "home" else config) / self.file
        if self.project is None:
            raise Unsupported(f"{self.title} has no configuration for one project: leave --project out")
        return folder / self.project

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """The entry for a server that is started with a command."""
        return {**self.marks, "command": command[0], "args": list(command[1:])}


CLIENTS = {
    "claude-code": Client(
        title="Claude Code",
        file=".claude.json",
        project=".mcp.json",
        marks={"type": "stdio"},
        hooks=Hooks(file=".claude/settings.json", events=("SessionStart", "UserPromptSubmit", "Stop")),
    ),
    "claude-desktop": Client(title="Claude Desktop", file="Claude/claude_desktop_config.json", within="config"),
    "cursor": Client(title="Cursor", file=".cursor/mcp.json", project=".cursor/mcp.json"),
    "vscode": Client(
        title="VS Code",
        file="Code/User/mcp.json",
        within="config",
        project=".vscode/mcp.json",
        key="servers",
        marks={"type": "stdio"},
    ),
    "windsurf": Client(title="Windsurf", file=".codeium/windsurf/mcp_config.json"),
    "codex": Client(
        title="Codex", file=".codex/config.toml", project=".codex/config.toml", key="mcp_servers", form="toml"
    ),
    "gemini": Client(
        title="Gemini CLI",
        file=".gemini/settings.json",
        project=".gemini/settings.json",
        hooks=Hooks(
            file=".gemini/settings.json", events=("SessionStart", "BeforeAgent", "AfterAgent"), second=1_000
        ),
    ),
    "zed": Client(
        title="Zed",
        file=".config/zed/settings.json",
        project=".zed/settings.json",
        key="context_servers",
        marks={"source": "custom"},
    ),
}


class Installed(Struct, frozen=True, kw_only=True):
    """What an installation did, or would do: the file, whether it changes, and the backup of its old content.

    `hooks` is the same for the file with the client's hooks, if they were asked for.
    """

    client: str
    path: str
    name: str
    entry: dict[str, Any]
    changed: bool
    backup: str | None = None
    hooks: Installed | None = None

    def parts(self) -> list[Installed]:
        """This, and the hooks."""
        return [self] if self.hooks is None else [self, self.hooks]


def client_of(name: str) -> Client:
    """The client of this name."""
    if name not in CLIENTS:
        raise Invalid(f"there is no client {name!r}: there are {', '.join(CLIENTS)}")
    return CLIENTS[name]


def install(client: str, path: Path, name: str, command: Sequence[str], *, dry_run: bool = False) -> Installed:
    """Add a server to a configuration file, leaving the rest of its text unchanged.

    The file is replaced atomically, and its old content is kept beside it.
    """
    program = client_of(client)
    file = _File(path, program.form)
    entry = program.entry(command)
    text = file.text if file.member(program.key, name) == entry else file.with_member([program.key, name], entry)
    backup = file.replace(text, dry_run=dry_run)
    return Installed(
        client=client, path=str(path), name=name, entry=entry, changed=text != file.text, backup=backup
    )


def uninstall(client: str, path: Path, name: str, *, dry_run: bool = False) -> Installed:
    """Take a server out of a configuration file again."""
    program = client_of(client)
    file = _File(path, program.form)
    entry = file.member(program.key, name)
    text = file.text if entry is None else file.without_member([program.key, name])
    backup = file.replace(text, dry_run=dry_run)
    return Installed(
        client=client, path=str(path), name=name, entry=entry or {}, changed=text != file.text, backup=backup
    )


def install_hooks(client: str, folder: Path, command: Sequence[str], *, dry_run: bool = False) -> Installed:
    """Let a client run `command` at its events, so that it recalls and remembers without being asked.

    The hooks that are there stay; ours are replaced.
    """
    hooks = _hooks_of(client)
    ours = {"type": "command", "command": shlex.join(command), "timeout": 20 * hooks.second}
    return _change_hooks(client, folder, ours, dry_run=dry_run)


def remove_hooks(client: str, folder: Path, *, dry_run: bool = False) -> Installed:
    """Take our hooks out of a client's configuration again."""
    return _change_hooks(client, folder, None, dry_run=dry_run)


def _hooks_of(client: str) -> Hooks:
    program = client_of(client)
    if program.hooks is None:
        able = ", ".join(name for name, known in CLIENTS.items() if known.hooks)
        raise Unsupported(f"{program.title} has no hooks that Foveal knows: leave --hooks out; {able} have them")
    return program.hooks


def _change_hooks(client: str, folder: Path, ours: dict[str, Any] | None, *, dry_run: bool) -> Installed:
    hooks = _hooks_of(client)
    path = folder / hooks.file
    file = _File(path, "json")
    text = file.text
    for event in hooks.events:
        there: Any = parsed(text, "json").get("hooks", {}).get(event, [])
        if not isinstance(there, list):
            raise Conflict(f"hooks.{event} in {path} is not a list: nothing was changed", path=str(path))
        others = [group for group in cast(list[Any], there) if not _is_ours(group)]
        if ours is not None:
            text = with_member(text, "json", ["hooks", event], [*others, {"hooks": [ours]}])
        elif others:
            text = with_member(text, "json", ["hooks", event], others)
        else:
            text = without_member(text, "json", ["hooks", event])
    changed = parsed(text, "json") != file.content
    backup = file.replace(text, dry_run=dry_run) if changed else None
    return Installed(client=client, path=str(path), name="hooks", entry=ours or {}, changed=changed, backup=backup)


def _is_ours(group: Any) -> bool:
    """Whether a group of hooks is one that we added: a command of `foveal mcp … hook`."""
    hooks: Any = cast(dict[str, Any], group).get("hooks") if isinstance(group, dict) else None
    commands = [cast(dict[str, Any], hook).get("command") for hook in hooks or () if isinstance(hook, dict)]
    return any(
        isinstance(said, str) and "foveal" in said and " mcp " in said and said.endswith("hook")
        for said in commands
    )


class _File:
    """A configuration file: its text, and what it says."""

    def __init__(self, path: Path, form: Format) -> None:
        # Follow a symbolic link, so that the link itself is not replaced.
        self.path = path.resolve()
        self.form: Format = form
        try:
            self.text = self.path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            self.text = ""
        try:
            self.content = parsed(self.text, form)
        except (ValueError, Conflict) as error:
            raise Conflict(f"{self.path} cannot be read as {form}: {error}", path=str(self.path)) from None

    def member(self, key: str, name: str) -> dict[str, Any] | None:
        """The entry of a server, if there is one."""
        servers = self.content.get(key, {})
        if not isinstance(servers, dict):
            raise Conflict(f"{key} in {self.path} is not an object: nothing was changed", path=str(self.path))
        return cast(dict[str, Any], servers).get(name)

    def with_member(self, path: Sequence[str], value: Any) -> str:
        """The text with a member set."""
        return with_member(self.text, self.form, path, value)

    def without_member(self, path: Sequence[str]) -> str:
        """The text without a member."""
        return without_member(self.text, self.form, path)

    def replace(self, text: str, *, dry_run: bool) -> str | None:
        """Put a text in place of the file's, and say where the old one is, or would be."""
        if text == self.text:
            return None
        backup = _backup_path(self.path) if self.path.exists() else None
        if not dry_run:
            if backup is not None:
                shutil.copy2(self.path, backup)
            _replace(self.path, text)
        return None if backup is None else str(backup)


def _backup_path(file: Path) -> Path:
    """A path for the old content that no earlier backup uses."""
    paths = (file.with_name(f"{file.name}.bak{number or ''}") for number in range(1_000))
    return next(path for path in paths if not path.exists())


def _replace(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # These files hold keys of other servers, so the new file is private from its first byte.
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            shutil.copymode(file, temporary)
        os.replace(temporary, file)
    finally:
        # It is there only if something failed.
        Path(temporary).unlink(missing_ok=True)
