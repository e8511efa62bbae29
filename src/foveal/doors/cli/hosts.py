"""The commands that connect a memory with coding agents and other MCP clients: mcp, install, uninstall, hook."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from foveal.doors.cli.invocation import Invocation, argument, flag, option
from foveal.doors.cli.output import Answer, Printer
from foveal.errors import FovealError, Invalid

if TYPE_CHECKING:
    from collections.abc import Callable

    from foveal.doors.mcp.install import Installed
    from foveal.engine.memory import View

Host = Annotated[
    str,
    argument("CLIENT", "claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini or zed."),
]
Name = Annotated[str, option("--name", "NAME", "The name of the server in the client.")]
Project = Annotated[bool, flag("--project", "Only for the project in this folder.")]
DryRun = Annotated[bool, flag("--dry-run", "Only show what it would write.")]
ReadOnly = Annotated[bool, flag("--read-only", "Let the model read, but change nothing.")]

Tools = Annotated[
    str,
    option("--tools", "SET", "memory, or graph: the nine tools of the reference memory server of MCP."),
]


def serve_mcp(ctx: typer.Context, call: Invocation, read_only: ReadOnly = False, tools: Tools = "memory") -> None:
    """Serve MCP on standard input and output, for one client.

    A client such as Claude Code starts it; `foveal mcp install` configures the client. It serves the memory of one
    actor, from one viewpoint, which the options set.
    """
    ctx.obj = call.options
    if ctx.invoked_subcommand is not None:
        return
    from foveal.doors.mcp import serve_stdio
    from foveal.doors.mcp.tools import checked_tools, own_principal
    from foveal.doors.service import Service

    checked_tools(tools)
    if sys.stdin.isatty():
        call.note("this command speaks MCP and is started by a client; see: foveal mcp install --help")
    with call.opened(fresh=True) as memory:
        default = call.settings.policy.default_world
        at = {"world": default, **{name: str(value) for name, value in call.at.items()}}
        serve_stdio(Service(memory, world=default), own_principal(at, read_only=read_only), tools)


def install(
    call: Invocation,
    client: Host,
    name: Name = "foveal",
    project: Project = False,
    hooks: Annotated[bool, flag("--hooks", "Also recall and remember without being asked.")] = False,
    dry_run: DryRun = False,
    read_only: ReadOnly = False,
    tools: Tools = "memory",
) -> Answer:
    """Add this memory to the configuration of a client.

    The options --url, --actor-id, --world, --node and --session-id go into it. The rest of the file is not
    changed, comments included, and its old content is kept beside it.
    """
    from msgspec.structs import replace

    from foveal.doors.mcp.install import client_of, install_hooks
    from foveal.doors.mcp.install import install as add_entry
    from foveal.doors.mcp.tools import checked_tools

    title, viewpoint = client_of(client).title, _viewpoint(call)
    more = [
        *(["--read-only"] if read_only else []),
        *(["--tools", tools] if checked_tools(tools) != "memory" else []),
    ]
    command = [*_foveal_command(), "mcp", *viewpoint, *more]
    done = add_entry(client, _path(client, project), name, command, dry_run=dry_run)
    if hooks:
        runs = [*_foveal_command(), "mcp", *viewpoint, "hook"]
        done = replace(done, hooks=install_hooks(client, _folder(project), runs, dry_run=dry_run))

    def tell(page: Printer) -> None:
        parts = done.parts()
        for part in parts:
            _tell_installed(page, part, title, dry_run)
        if not dry_run and any(part.changed for part in parts):
            page.line(f"Start {title} again to use it.")

    return Answer(done, tell, [part.path for part in done.parts()])


def uninstall(
    call: Invocation, client: Host, name: Name = "foveal", project: Project = False, dry_run: DryRun = False
) -> Answer:
    """Take this memory out of the configuration of a client again. The memory itself stays."""
    from msgspec.structs import replace

    from foveal.doors.mcp.install import client_of, remove_hooks
    from foveal.doors.mcp.install import uninstall as take_out

    title = client_of(client).title
    done = take_out(client, _path(client, project), name, dry_run=dry_run)
    if client_of(client).hooks is not None:
        done = replace(done, hooks=remove_hooks(client, _folder(project), dry_run=dry_run))
    changed = [part.path for part in done.parts() if part.changed]

    def tell(page: Printer) -> None:
        for path in changed:
            page.line(f"{'would change' if dry_run else 'changed'} {path}")
        if not changed:
            page.line(f"{title} does not have it: {done.path}")

    return Answer(done, tell, changed)


def hook(call: Invocation) -> None:
    """Answer one event of a coding agent, which it writes to standard input as JSON.

    `foveal mcp install CLIENT --hooks` sets it up. What is recalled goes to the model; prompts and answers are
    remembered.
    """
    from foveal.doors.mcp.hooks import answer

    try:
        told = _hook_answer(call, sys.stdin.read(), answer)
    except FovealError as error:
        # With the exit code 2, that of invalid input, a host would refuse the prompt of its user.
        call.note(f"{error.code}: {error}")
        raise typer.Exit(1) from None
    if told is not None:
        # The host reads JSON from standard output, and nothing else.
        typer.echo(json.dumps(told, ensure_ascii=False))


def _hook_answer(
    call: Invocation, text: str, answer: Callable[[View, dict[str, Any]], dict[str, Any] | None]
) -> dict[str, Any] | None:
    try:
        event = json.loads(text)
    except ValueError as error:
        raise Invalid(f"standard input is not the JSON of an event: {error}") from None
    if not isinstance(event, dict):
        raise Invalid("standard input is not the JSON of an event")
    with call.opened(fresh=True) as memory:
        return answer(memory.view(**call.at), cast(dict[str, Any], event))


def _folder(project: bool) -> Path:
    return Path.cwd() if project else Path.home()


def _path(client: str, project: bool) -> Path:
    import platformdirs

    from foveal.doors.mcp.install import client_of

    return client_of(client).path(
        home=Path.home(),
        config=platformdirs.user_config_path(roaming=True),
        folder=Path.cwd() if project else None,
    )


def _foveal_command() -> list[str]:
    """A command that starts Foveal from anywhere: a client has another search path than a shell."""
    script = Path(sys.executable).with_name("foveal.exe" if sys.platform == "win32" else "foveal")
    return [str(script)] if script.exists() else [sys.executable, "-m", "foveal.doors.cli"]


def _viewpoint(call: Invocation) -> list[str]:
    """The memory and viewpoint of the call, as options: a client starts us in another folder and environment."""
    from foveal.config import sqlite_path

    url = call.options.url if call.options.url is not None else call.settings.url
    options: list[str] = []
    if url is not None:
        path, read_only = (Path(), False) if url == ":memory:" or _is_remote(url) else sqlite_path(url)
        if path != Path():
            url = f"sqlite:///{path.resolve()}?mode=ro" if read_only else str(path.resolve())
        options += ["--url", url]
    for name, value in call.at.items():
        options += [f"--{name.replace('_', '-')}", str(value)]
    return options


def _is_remote(url: str) -> bool:
    return "://" in url and not url.startswith("sqlite:")


def _tell_installed(page: Printer, done: Installed, title: str, dry_run: bool) -> None:
    if not done.changed:
        page.line(f"{title} has it already: {done.path}")
        return
    page.line(f"would write {done.path}" if dry_run else f"wrote {done.path}")
    page.line()
    for line in json.dumps({done.name: done.entry}, indent=2, ensure_ascii=False).splitlines():
        page.command(line)
    page.line()
    if done.backup:
        page.line(f"{'would keep' if dry_run else 'kept'} the old file as {done.backup}")
