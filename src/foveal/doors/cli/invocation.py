"""One run of a command: its memory, viewpoint and output, and the options that commands share."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from foveal import errors
from foveal.errors import Invalid, NotFound, Unsupported

if TYPE_CHECKING:
    from foveal.compose import Memory
    from foveal.config import Settings
    from foveal.doors.cli.output import Printer
    from foveal.engine.memory import View
    from foveal.model.query import At, Details


DEFAULT_ACTOR = "me"


@dataclasses.dataclass(frozen=True)
class GlobalOptions:
    """The options that are accepted both before and after the command."""

    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            "-u",
            metavar="URL",
            help="Where the memory is: a path, sqlite:///path, postgresql://…, :memory:, or http(s)://host:port "
            "of a server. Default: FOVEAL_URL, MEMORY_API_URL, or the user's data folder.",
        ),
    ] = None
    actor_id: Annotated[
        str | None,
        typer.Option(
            "--actor-id",
            "-a",
            metavar="NAME",
            help=f"Whose memory it is. Default: FOVEAL_ACTOR_ID, or {DEFAULT_ACTOR!r}.",
        ),
    ] = None
    world: Annotated[
        str | None, typer.Option("--world", metavar="NAME", help="The tenant. Default: 'default'.")
    ] = None
    node: Annotated[
        str | None,
        typer.Option("--node", metavar="PATH", help="The calling agent, such as /planner/researcher."),
    ] = None
    session_id: Annotated[
        str | None, typer.Option("--session-id", metavar="NAME", help="The current conversation.")
    ] = None
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print ids only, or nothing.")] = False

    def then(self, later: GlobalOptions) -> GlobalOptions:
        """These options, overridden by those that were given later.

        >>> GlobalOptions(actor_id="ada", json=True).then(GlobalOptions(actor_id="bob")).actor_id
        'bob'
        """
        values = {field.name: getattr(later, field.name) for field in dataclasses.fields(later)}
        return dataclasses.replace(
            self, **{name: value for name, value in values.items() if value not in (None, False)}
        )


@dataclasses.dataclass(frozen=True)
class Invocation:
    """The context of one command: its options, settings, memory and output."""

    options: GlobalOptions

    @cached_property
    def settings(self) -> Settings:
        """The settings of this process."""
        from foveal.config import load_settings

        return load_settings()

    @property
    def at(self) -> At:
        """The viewpoint of the call, from its options or else from the settings."""
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
                yield memory.view(**self.at)
            return
        from foveal.doors.client.connect import connect

        with connect(server, on_ghost=self._ghost) as memory:
            yield memory.view(**self.at)

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

    def answer(
        self, value: object, text: Callable[[Printer], None], ids: Sequence[str] = (), *, empty: str = ""
    ) -> None:
        """Print `value` on standard output: as JSON, as ids, or as readable text.

        `empty` is the note to add when there is nothing to show.
        """
        if self.options.json:
            from foveal.wire.codec import document

            typer.echo(document(value, indent=sys.stdout.isatty()).encode())
        elif self.options.quiet:
            for each in ids:
                typer.echo(each)
        else:
            from foveal.doors.cli.output import Printer

            text(Printer())
        if empty and not value:
            self.note(empty)

    def note(self, text: str) -> None:
        """Print a remark on standard error; with --json or --quiet, nothing."""
        if not self.options.json and not self.options.quiet:
            typer.echo(text, err=True)

    def progress(self, title: str) -> Callable[[int, int], None]:
        """A function to call with the number of steps done and their total; it draws a bar on a terminal."""
        if self.options.quiet or not sys.stderr.isatty():
            return lambda done, total: None
        from foveal.doors.cli.output import Bar

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


RecordId = Annotated[str, typer.Argument(metavar="ID", help="The id of a record.")]
Query = Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        "-f",
        metavar="FIELD=VALUE",
        help="Only records that match; also !=, <, <=, >, >=, ~= (contains), ^= (starts with). Repeatable.",
    ),
]
Tiers = Annotated[
    list[str] | None,
    typer.Option("--tier", metavar="NAME", help="Only this tier: working, session, ... Repeatable."),
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", metavar="NAME", help="Only records of this kind. Repeatable.")
]
AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="DATE", help="Answer with what was known at that moment.")
]
ValidAt = Annotated[
    str | None, typer.Option("--valid-at", metavar="DATE", help="Answer with what was true at that moment.")
]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many.")]
MinRelevance = Annotated[
    float | None,
    typer.Option(
        "--min-relevance",
        metavar="0..1",
        help="Leave out less relevant records; by default those that almost surely do not help. 0 shows all.",
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show what each relevance is made of.")]


@dataclass(frozen=True)
class RecordOptions:
    """The options that describe a text when it is written or superseded."""

    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="The topic it is filed under.")] = (
        None
    )
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="NAME", help="What it is: note, fact, decision, ...")
    ] = None
    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="NAME", help="Which agents see it: local, shared or global."),
    ] = None
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="Where it came from: user, assistant, ...")
    ] = None
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who said it, by name.")] = None
    importance: Annotated[
        float | None, typer.Option("--importance", metavar="0..1", help="How much it matters.")
    ] = None
    tags: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A label to filter by. Repeatable.")
    ] = None
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", "-m", metavar="KEY=VALUE", help="Anything else; or a JSON object. Repeatable."),
    ] = None
    parent_id: Annotated[
        str | None, typer.Option("--parent-id", metavar="ID", help="The record it belongs under.")
    ] = None
    occurred_at: Annotated[
        str | None,
        typer.Option("--occurred-at", metavar="DATE", help="When it was said or happened; now by default."),
    ] = None
    valid_from: Annotated[str | None, typer.Option("--valid-from", metavar="DATE", help="When it became true.")] = (
        None
    )
    valid_to: Annotated[
        str | None, typer.Option("--valid-to", metavar="DATE", help="When it ceased to be true.")
    ] = None
    ttl: Annotated[
        str | None,
        typer.Option("--ttl", metavar="SPAN", help="How long it stays visible: 90, 15m, 12h, 7d, 2w."),
    ] = None
    expires_at: Annotated[
        str | None,
        typer.Option("--expires-at", metavar="DATE", help="Until when it stays visible; instead of --ttl."),
    ] = None
    pin: Annotated[bool, typer.Option("--pin", help="Keep it from being forgotten and from decay.")] = False
    tier: Annotated[
        str | None, typer.Option("--tier", metavar="NAME", help="working, session, episodic or semantic.")
    ] = None
    linearity: Annotated[
        str | None, typer.Option("--linearity", metavar="NAME", help="droppable, required or preserved.")
    ] = None

    def details(self) -> Details:
        """The options that were given, as the details of a write."""
        details = {
            **{name: value for name, value in vars(self).items() if value not in (None, False, [])},
            "metadata": metadata(self.metadata),
            "occurred_at": moment(self.occurred_at, "--occurred-at"),
            "valid_from": moment(self.valid_from, "--valid-from"),
            "valid_to": moment(self.valid_to, "--valid-to"),
            "ttl": span(self.ttl, "--ttl"),
            "expires_at": moment(self.expires_at, "--expires-at"),
        }
        return cast("Details", {name: value for name, value in details.items() if value is not None})


_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_CONDITION = re.compile(r"([\w.-]+?)\s*(!=|>=|<=|~=|\^=|=|>|<)\s*(.*)", re.DOTALL)
_OPS = {"!=": "ne", ">=": "gte", "<=": "lte", "~=": "contains", "^=": "prefix", ">": "gt", "<": "lt"}
_MOMENTS = ("occurred_at", "recorded_at", "valid_from", "valid_to")
_TYPED = ("importance", "uses", "pinned", "archived")


def moment(text: str | None, what: str) -> datetime | None:
    """The moment that `text` denotes; without a time zone it is UTC.

    >>> moment("2026-03-02", "since")
    datetime.datetime(2026, 3, 2, 0, 0, tzinfo=datetime.timezone.utc)
    """
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Invalid(f"{what} {text[:40]!r} is not a date like 2026-03-02 or 2026-03-02T09:30+01:00") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def span(text: str | None, what: str) -> timedelta | None:
    """The span of time that `text` denotes: seconds, or a number with s, m, h, d or w.

    >>> span("7d", "ttl")
    datetime.timedelta(days=7)
    """
    if text is None:
        return None
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise Invalid(f"{what} {text[:40]!r} is not a span of time like 90, 15m, 12h, 7d or 2w")
    try:
        return timedelta(seconds=float(match[1]) * _SECONDS[match[2]])
    except OverflowError:
        raise Invalid(f"{what} {text[:40]!r} is too long a span of time") from None


def condition(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """The filter for conditions such as `kind=fact` or `importance>=0.5`, all of which must hold.

    >>> condition(["kind=fact", "uses>=2"])
    {'and': [{'kind': 'fact'}, {'uses': {'gte': 2}}]}
    """
    parts = [_part(text) for text in texts or ()]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else {"and": parts}


def _part(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        return _mapping(text, "filter")
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise Invalid(f"filter {text[:80]!r} is not of the form field=value")
    field, sign, value = match.groups()
    typed = _typed(field, value)
    return {field: typed if sign == "=" else {_OPS[sign]: typed}}


def _typed(field: str, value: str) -> Any:
    if field in _MOMENTS:
        return None if value == "null" else moment(value, f"filter {field!r}")
    if field in _TYPED or field.startswith("metadata.") or value.startswith("["):
        return json_or_text(value)
    return None if value == "null" else value


def json_or_text(value: str) -> Any:
    """`value` decoded as JSON, or `value` itself if it is not JSON.

    >>> json_or_text("[1, 2]"), json_or_text("tea")
    ([1, 2], 'tea')
    """
    import msgspec

    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value


def metadata(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """The object that `key=value` pairs and JSON objects make together.

    >>> metadata(["size=3", "color=red"])
    {'size': 3, 'color': 'red'}
    """
    if not texts:
        return None
    merged: dict[str, Any] = {}
    for text in texts:
        if text.lstrip().startswith("{"):
            merged |= _mapping(text, "metadata")
            continue
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise Invalid(f"metadata {text[:80]!r} is not of the form key=value, nor a JSON object")
        merged[key] = json_or_text(value)
    return merged


def _mapping(text: str, what: str) -> dict[str, Any]:
    import msgspec

    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise Invalid(f"{what} {text[:80]!r} is not a JSON object: {error}") from None


def text_of(path: str) -> str:
    """The content of a file, or of standard input for `-`."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=path) from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8 text: byte {error.start}", path=path) from None


def items(text: str, name: str) -> list[tuple[int, str | dict[str, Any]]]:
    """The records of a file with their line numbers: one JSON object, or one record per line.

    A line is a JSON object with a text and details, or else the text itself.

    >>> items('{"text": "one", "kind": "fact"}\\n\\ntwo', "notes.txt")
    [(1, {'text': 'one', 'kind': 'fact'}), (3, 'two')]
    """
    import msgspec

    if text.lstrip().startswith("{"):
        try:
            return [(1, msgspec.json.decode(text, type=dict[str, Any]))]
        except msgspec.DecodeError:
            pass  # not a single object, so one per line
    return list(_lines(text, name))


def _lines(text: str, name: str) -> Iterable[tuple[int, str | dict[str, Any]]]:
    import msgspec

    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if not line.lstrip().startswith("{"):
            yield number, line.rstrip("\r")
            continue
        try:
            yield number, msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise Invalid(f"{name}, line {number}: not a JSON object: {error}", line=number) from None
