"""The commands of MCP: serve it to one client, and set a client up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.doors.mcp.install import Installed

ReadOnly = Annotated[bool, typer.Option("--read-only", help="Let the model read, and change nothing.")]


def serve(ctx: typer.Context, call: Call, read_only: ReadOnly = False) -> None:
    """Serve MCP on standard input and output, for one client.

    A client such as Claude Code starts it; `foveal mcp install` tells the client how. It shows the memory of
    one actor, from one viewpoint: the options say whose.
    """
    ctx.obj = call.options
    if ctx.invoked_subcommand is not None:
        return
    from foveal.doors.mcp import serve_stdio
    from foveal.doors.mcp.seat import own_seat
    from foveal.doors.service import Service

    if sys.stdin.isatty():
        call.note("MCP is spoken here; a client starts this, see: foveal mcp install --help")
    with call.opened(fresh=True) as memory:
        default = call.settings.policy.default_world
        at = {"world": default, **{name: str(value) for name, value in call.at.items()}}
        serve_stdio(Service(memory, world=default), own_seat(at, read_only=read_only))


def install(
    call: Call,
    client: Annotated[str, typer.Argument(metavar="CLIENT", help="claude-code, claude-desktop, cursor or vscode.")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the client calls it.")] = "foveal",
    project: Annotated[bool, typer.Option("--project", help="Only for the project in this folder.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    read_only: ReadOnly = False,
) -> None:
    """Add this memory to the configuration of a client.

    The options --url, --actor-id, --world, --node and --session-id go into it. What else the file says
    stays, and its old content is kept beside it.
    """
    import platformdirs

    from foveal.doors.mcp.install import client_of
    from foveal.doors.mcp.install import install as put

    path = client_of(client).path(
        home=Path.home(),
        config=platformdirs.user_config_path(roaming=True),
        folder=Path.cwd() if project else None,
    )
    command = [*_foveal(), "mcp", *_viewpoint(call), *(["--read-only"] if read_only else [])]
    done = put(client, path, name, command, dry_run=dry_run)
    call.answer(done, lambda page: _tell(page, done, client_of(client).title, dry_run), [done.path])


def _foveal() -> list[str]:
    """How to start us from anywhere: a client has another search path than a shell."""
    beside = Path(sys.executable).with_name("foveal.exe" if sys.platform == "win32" else "foveal")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "foveal.doors.cli"]


def _viewpoint(call: Call) -> list[str]:
    """What was said here, as options: a client starts us in another folder, with other variables."""
    from foveal.config import sqlite_path

    url = call.options.url if call.options.url is not None else call.settings.url
    words: list[str] = []
    if url is not None:
        path, read_only = (Path(), False) if url == ":memory:" or _elsewhere(url) else sqlite_path(url)
        if path != Path():
            url = f"sqlite:///{path.resolve()}?mode=ro" if read_only else str(path.resolve())
        words += ["--url", url]
    for name, value in call.at.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def _elsewhere(url: str) -> bool:
    return "://" in url and not url.startswith("sqlite:")


def _tell(page: Page, done: Installed, title: str, dry_run: bool) -> None:
    import json

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
    if not dry_run:
        page.line(f"Start {title} again to use it.")
