"""One run of a command: its memory, viewpoint and output, and the options that commands share."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from foveal import errors
from foveal.doors.cli import parsing
from foveal.doors.cli.output import Answer, Bar, Printer
from foveal.errors import NotFound, Unsupported

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from foveal.compose import Memory
    from foveal.config import Settings
    from foveal.engine.memory import View
    from foveal.model.query import At, Details


def option(names: str, metavar: str, text: str, **more: Any) -> Any:
    """An option that takes a value: its names, the word for the value, and its help."""
    return typer.Option(*names.split(), metavar=metavar, help=text, **more)


def flag(names: str, text: str) -> Any:
    """An option without a value: its names and its help."""
    return typer.Option(*names.split(), help=text)


def argument(metavar: str, text: str) -> Any:
    """An argument: the word for it, and its help."""
    return typer.Argument(metavar=metavar, help=text)


@dataclass(frozen=True)
class GlobalOptions:
    """The options that are accepted both before and after the command."""

    url: Annotated[
        str | None,
        option(
            "--url -u",
            "URL",
            "Where the memory is: a path, sqlite:///path, postgresql://…, :memory:, or http(s)://host:port "
            "of a server. Default: FOVEAL_URL, MEMORY_API_URL, or the user's data folder.",
        ),
    ] = None
    actor_id: Annotated[
        str | None,
        option("--actor-id -a", "NAME", "Whose memory it is. Default: FOVEAL_ACTOR_ID, or 'me'."),
    ] = None
    world: Annotated[str | None, option("--world", "NAME", "The tenant. Default: 'default'.")] = None
    node: Annotated[str | None, option("--node", "PATH", "The calling agent, such as /planner/researcher.")] = None
    session_id: Annotated[str | None, option("--session-id", "NAME", "The current conversation.")] = None
    json: Annotated[bool, flag("--json", "Print one JSON document and nothing else.")] = False
    quiet: Annotated[bool, flag("--quiet -q", "Print ids only, or nothing.")] = False

    def then(self, later: GlobalOptions) -> GlobalOptions:
        """These options, overridden by those that were given later.

        >>> GlobalOptions(actor_id="ada", json=True).then(GlobalOptions(actor_id="bob")).actor_id
        'bob'
        """
        values = {field.name: getattr(later, field.name) for field in dataclasses.fields(later)}
        return dataclasses.replace(
            self, **{name: value for name, value in values.items() if value not in (None, False)}
        )


@dataclass(frozen=True)
class Invocation:
    """The context of one command: its options, settings, memory and output."""

    options: GlobalOptions

    @cached_property
    def settings(self) -> Settings:
        """The settings of this process."""
        from foveal.config import load_settings

        # A mistyped setting of a server, such as who may call it, must not pass unnoticed.
        return load_settings(strict=True)

    @property
    def at(self) -> At:
        """The viewpoint of the call, from its options or else from the settings."""
        from foveal.config import DEFAULT_ACTOR

        at: At = {"actor_id": DEFAULT_ACTOR}
        for name in ("actor_id", "world", "node", "session_id"):
            option = getattr(self.options, name)
            value = option if option is not None else getattr(self.settings, name)
            if value is not None:
                at[name] = value
        return at

    @contextmanager
    def memory(self, *, fresh: bool = False) -> Generator[View]:
        """The memory from the viewpoint of the call, local or behind a URL."""
        server = self.server
        if server is None:
            with self.opened(fresh=fresh) as memory:
                self._tell_of_others(memory)
                yield memory.view(**self.at)
            return
        from foveal.doors.client.connect import connect

        with connect(server, on_ghost=self._ghost) as memory:
            yield memory.view(**self.at)

    def _tell_of_others(self, memory: Memory) -> None:
        if self.options.actor_id is None and self.settings.actor_id is None and (others := memory.other_actors()):
            from foveal.rules.drafts import describe_others

            self.note(describe_others(others, self.at.get("actor_id", ""), "use --actor-id {}"))

    @property
    def server(self) -> str | None:
        """The URL of the server to call; None if the memory is opened in this process."""
        settings = self.settings
        url = self.options.url if self.options.url is not None else settings.url or settings.api_url
        return url if url is not None and url.lower().startswith(("http://", "https://")) else None

    def _ghost(self, verb: str, age: timedelta, level: str) -> None:
        from foveal.doors.client.ghosts import short_age

        typer.echo(f"[GHOST] the server is away: this is from {short_age(age)} ago ({level})", err=True)

    @contextmanager
    def opened(self, *, fresh: bool = False) -> Generator[Memory]:
        """The memory that the call names, opened in this process.

        A missing file is created only with `fresh`, so that a mistyped path does not look like an empty memory.
        """
        from foveal.compose import Memory
        from foveal.config import names_postgres, sqlite_path
        from foveal.doors.service.logs import open_bus

        if self.server is not None:
            raise Unsupported(f"this command needs a local memory, not {self.server}: pass --url with a path")
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

    def show(self, answer: Answer) -> None:
        """Print an answer as JSON, as ids or as readable text, and its notes on standard error."""
        if self.options.json:
            from foveal.wire.codec import document

            typer.echo(document(answer.value, indent=sys.stdout.isatty()).encode())
        elif self.options.quiet:
            for each in answer.ids:
                typer.echo(each)
        elif callable(answer.text):
            answer.text(Printer())
        else:
            page = Printer()
            for line in [answer.text] if isinstance(answer.text, str) else answer.text:
                page.line(line)
        if answer.empty and not answer.value:
            self.note(answer.empty)
        for note in answer.notes:
            self.note(note)

    def understood(self, where: Mapping[str, Any] | None, **moments: datetime | None) -> None:
        """Say on standard error how a filter and moments were understood."""
        told = [text for text in [parsing.understood(where)] if text]
        told += [
            f"{name.replace('_', ' ')} {moment.astimezone():%Y-%m-%d %H:%M %Z}"
            for name, moment in moments.items()
            if moment is not None
        ]
        if told:
            self.note(f"only {', '.join(told)}")

    def note(self, text: str) -> None:
        """Print a remark on standard error; with --json or --quiet, nothing."""
        if not self.options.json and not self.options.quiet:
            typer.echo(text, err=True)

    def progress(self, title: str) -> Callable[[int, int], None]:
        """A function to call with the number of steps done and their total; it draws a bar on a terminal."""
        if self.options.quiet or not sys.stderr.isatty():
            return lambda done, total: None
        return Bar(title).show


class Code(IntEnum):
    """The exit codes of every command."""

    OK = 0
    FAILED = 1
    INVALID = 2
    NOT_FOUND = 3
    CONFLICT = 4
    FORBIDDEN = 5
    UNAVAILABLE = 6
    CORRUPT = 7
    UNSUPPORTED = 8
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANINGS = {
    Code.OK: "done",
    Code.FAILED: "a check of `doctor` failed, a question was answered with no, or anything not named below",
    Code.INVALID: "the command or its input cannot be accepted; part of a file was rejected",
    Code.NOT_FOUND: "no such record, or no memory file there",
    Code.CONFLICT: "someone wrote first, the id or file exists, or a pinned record was left as it is",
    Code.FORBIDDEN: "not allowed, or the file is read-only",
    Code.UNAVAILABLE: "the store or the encoder does not answer, or it took too long; try again",
    Code.CORRUPT: "stored data is damaged",
    Code.UNSUPPORTED: "this store cannot do that, or the file is of a newer release",
    Code.INTERRUPTED: "interrupted with Ctrl-C",
    Code.BROKEN_PIPE: "the reader of the output went away, as with `head`",
}

FAMILIES: dict[type[errors.FovealError], Code] = {
    errors.Invalid: Code.INVALID,
    errors.NotFound: Code.NOT_FOUND,
    errors.Conflict: Code.CONFLICT,
    errors.Forbidden: Code.FORBIDDEN,
    errors.Unauthenticated: Code.FORBIDDEN,
    errors.Unavailable: Code.UNAVAILABLE,
    errors.TimedOut: Code.UNAVAILABLE,
    errors.RateLimited: Code.UNAVAILABLE,
    errors.Corrupt: Code.CORRUPT,
    errors.Unsupported: Code.UNSUPPORTED,
    errors.FovealError: Code.FAILED,
}


def exit_code(error: type[errors.FovealError]) -> Code:
    """The exit code for an error: that of its nearest class in `FAMILIES`.

    >>> exit_code(errors.Pinned)
    <Code.CONFLICT: 4>
    """
    return next(FAMILIES[cls] for cls in error.__mro__ if cls in FAMILIES)


RecordId = Annotated[str, argument("ID", "The id of a record.")]
Query = Annotated[str, argument("QUESTION", "What you want to know.")]
Filters = Annotated[
    list[str] | None,
    option(
        "--filter -f",
        "FIELD=VALUE",
        "Only records that match; also !=, <, <=, >, >=, ~= (contains), ^= (starts with). Repeatable.",
    ),
]
AsOf = Annotated[str | None, option("--as-of", "DATE", "Answer with what was known at that moment.")]
TokenBudget = Annotated[int, option("--token-budget -b", "N", "How many tokens the answer may take.")]
Limit = Annotated[int, option("--limit -n -k", "N", "At most this many.")]
Tags = Annotated[list[str] | None, option("--tag -t", "TAG", "A label to filter by. Repeatable.")]
Metadata = Annotated[
    list[str] | None, option("--metadata -m", "KEY=VALUE", "Anything else; or a JSON object. Repeatable.")
]


@dataclass(frozen=True)
class SearchOptions:
    """The options that narrow a search or a read."""

    filters: Filters = None
    tiers: Annotated[
        list[str] | None, option("--tier", "NAME", "Only this tier: working, session, ... Repeatable.")
    ] = None
    kinds: Annotated[list[str] | None, option("--kind", "NAME", "Only records of this kind. Repeatable.")] = None
    as_of: AsOf = None
    valid_at: Annotated[str | None, option("--valid-at", "DATE", "Answer with what was true at that moment.")] = (
        None
    )
    min_relevance: Annotated[
        float | None,
        option(
            "--min-relevance",
            "0..1",
            "Leave out less relevant records; by default those that almost surely do not help. 0 shows all.",
        ),
    ] = None
    explain: Annotated[bool, flag("--explain", "Show what each relevance is made of.")] = False

    def arguments(self, call: Invocation) -> dict[str, Any]:
        """The options as arguments of the verb; how they were understood is said on standard error."""
        where = parsing.condition(self.filters)
        as_of, valid_at = parsing.moment(self.as_of, "--as-of"), parsing.moment(self.valid_at, "--valid-at")
        call.understood(where, known_at=as_of, true_at=valid_at)
        return {
            **vars(self),
            "filters": where,
            "tiers": self.tiers or None,
            "kinds": self.kinds or None,
            "as_of": as_of,
            "valid_at": valid_at,
        }


@dataclass(frozen=True)
class RecordOptions:
    """The options that describe a text when it is written or superseded."""

    region: Annotated[str | None, option("--region", "NAME", "The topic it is filed under.")] = None
    kind: Annotated[str | None, option("--kind", "NAME", "What it is: note, fact, decision, ...")] = None
    scope: Annotated[str | None, option("--scope", "NAME", "Which agents see it: local, shared or global.")] = None
    source: Annotated[str | None, option("--source", "NAME", "Where it came from: user, assistant, ...")] = None
    speaker: Annotated[str | None, option("--speaker", "NAME", "Who said it, by name.")] = None
    importance: Annotated[float | None, option("--importance", "0..1", "How much it matters.")] = None
    tags: Tags = None
    metadata: Metadata = None
    parent_id: Annotated[str | None, option("--parent-id", "ID", "The record it belongs under.")] = None
    occurred_at: Annotated[
        str | None, option("--occurred-at", "DATE", "When it was said or happened; now by default.")
    ] = None
    valid_from: Annotated[str | None, option("--valid-from", "DATE", "When it became true.")] = None
    valid_to: Annotated[str | None, option("--valid-to", "DATE", "When it ceased to be true.")] = None
    ttl: Annotated[str | None, option("--ttl", "SPAN", "How long it stays visible: 90, 15m, 12h, 7d, 2w.")] = None
    expires_at: Annotated[
        str | None, option("--expires-at", "DATE", "Until when it stays visible; instead of --ttl.")
    ] = None
    pin: Annotated[bool, flag("--pin", "Keep it from being forgotten and from decay.")] = False
    tier: Annotated[str | None, option("--tier", "NAME", "working, session, episodic or semantic.")] = None
    linearity: Annotated[str | None, option("--linearity", "NAME", "droppable, required or preserved.")] = None

    def details(self) -> Details:
        """The options that were given, as the details of a write."""
        details = {
            **{name: value for name, value in vars(self).items() if value not in (None, False, [])},
            "metadata": parsing.metadata(self.metadata),
            "occurred_at": parsing.moment(self.occurred_at, "--occurred-at"),
            "valid_from": parsing.moment(self.valid_from, "--valid-from"),
            "valid_to": parsing.moment(self.valid_to, "--valid-to"),
            "ttl": parsing.span(self.ttl, "--ttl"),
            "expires_at": parsing.moment(self.expires_at, "--expires-at"),
        }
        return cast("Details", {name: value for name, value in details.items() if value is not None})
