"""One call of the command line: which memory, from whose viewpoint, and how to answer."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.errors import NotFound, Unsupported

if TYPE_CHECKING:
    from foveal.compose import Memory
    from foveal.config import Settings
    from foveal.doors.cli.page import Page
    from foveal.engine.memory import View
    from foveal.model.query import At

DEFAULT_ACTOR = "me"


@dataclasses.dataclass(frozen=True)
class Everywhere:
    """The options that may stand before the command and after it."""

    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            "-u",
            metavar="URL",
            help="Where the memory is: a path, sqlite:///path, postgresql://…, :memory:, or http(s)://host:port "
            "of a server. Else FOVEAL_URL, MEMORY_API_URL, else the user's data folder.",
        ),
    ] = None
    actor_id: Annotated[
        str | None,
        typer.Option(
            "--actor-id",
            "-a",
            metavar="NAME",
            help=f"Whose memory it is. Else FOVEAL_ACTOR_ID, else {DEFAULT_ACTOR!r}.",
        ),
    ] = None
    world: Annotated[
        str | None, typer.Option("--world", metavar="NAME", help="The tenant; 'default' if not said.")
    ] = None
    node: Annotated[
        str | None,
        typer.Option("--node", metavar="PATH", help="The agent that speaks, as /planner/researcher."),
    ] = None
    session_id: Annotated[
        str | None, typer.Option("--session-id", metavar="NAME", help="The conversation that is going on.")
    ] = None
    json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Answer with ids only, or with nothing.")] = False

    def then(self, later: Everywhere) -> Everywhere:
        """These options with those said later put over them.

        >>> Everywhere(actor_id="ada", json=True).then(Everywhere(actor_id="bob")).actor_id
        'bob'
        """
        said = {one.name: getattr(later, one.name) for one in dataclasses.fields(later)}
        return dataclasses.replace(
            self, **{name: value for name, value in said.items() if value not in (None, False)}
        )


@dataclasses.dataclass(frozen=True)
class Call:
    """What every command works with."""

    options: Everywhere

    @cached_property
    def settings(self) -> Settings:
        """The settings that hold here."""
        from foveal.config import load_settings

        return load_settings()

    @property
    def at(self) -> At:
        """The viewpoint of the call: what was said with it, else what the settings say."""
        at: At = {"actor_id": DEFAULT_ACTOR}
        for name in ("actor_id", "world", "node", "session_id"):
            said = getattr(self.options, name)
            value = said if said is not None else getattr(self.settings, name)
            if value is not None:
                at[name] = value
        return at

    @contextmanager
    def memory(self, *, fresh: bool = False) -> Generator[View]:
        """The memory from the viewpoint of the call, here or behind a URL."""
        server = self.server
        if server is None:
            with self.opened(fresh=fresh) as memory:
                yield memory.view(**self.at)
            return
        from foveal.doors.client.connecting import connect

        with connect(server, on_ghost=self._ghost) as memory:
            yield memory.view(**self.at)

    @property
    def server(self) -> str | None:
        """The URL of the server that the call means, if it means one."""
        settings = self.settings
        said = self.options.url if self.options.url is not None else settings.url or settings.api_url
        return said if said is not None and said.lower().startswith(("http://", "https://")) else None

    def _ghost(self, verb: str, age: timedelta, level: str) -> None:
        from foveal.rules.staleness import told_age

        typer.echo(f"[GHOST] the server is away: this is from {told_age(age)} ago ({level})", err=True)

    @contextmanager
    def opened(self, *, fresh: bool = False) -> Generator[Memory]:
        """The memory that the call names.

        Only with `fresh` is a file made where none is, so that a mistyped path does not look like an
        empty memory.
        """
        from foveal.compose import Memory
        from foveal.config import names_postgres, sqlite_path
        from foveal.doors.filing import open_bus

        if self.server is not None:
            raise Unsupported(f"this works where the memory is, not over {self.server}: pass --url with a path")
        settings = self.settings
        url = self.options.url if self.options.url is not None else settings.url
        if not fresh and url != ":memory:" and not names_postgres(url):
            path, _ = sqlite_path(url)
            if not path.exists():
                raise NotFound(
                    f"there is no memory at {path}: write something first, or pass --url", path=str(path)
                )
        with closing(open_bus(settings)) as bus, Memory(url, settings=settings, bus=bus) as memory:
            yield memory

    def answer(self, value: object, text: Callable[[Page], None], ids: Sequence[str] = ()) -> None:
        """Say `value` on standard output: as JSON, as ids, or as readable text."""
        if self.options.json:
            from foveal.wire.codec import document

            typer.echo(document(value, indent=sys.stdout.isatty()).encode())
        elif self.options.quiet:
            for one in ids:
                typer.echo(one)
        else:
            from foveal.doors.cli.page import Page

            text(Page())

    def note(self, text: str) -> None:
        """Say something beside the answer, on standard error; with --json or --quiet, nothing."""
        if not self.options.json and not self.options.quiet:
            typer.echo(text, err=True)

    def progress(self, title: str) -> Callable[[int, int], None]:
        """Something to call with how much is done, and of how much: a bar if someone is looking."""
        if self.options.quiet or not sys.stderr.isatty():
            return lambda done, total: None
        from foveal.doors.cli.bar import Bar

        return Bar(title).show
