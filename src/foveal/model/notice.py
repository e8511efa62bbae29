"""Notices of changes and errors, as the bus carries them, and their positions in the stream."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from foveal.errors import (
    Corrupt,
    FovealError,
    Invalid,
    StorageFull,
    StoreUnavailable,
    TimedOut,
    Unavailable,
    Unsupported,
)
from foveal.model.record import Vitals
from foveal.model.results import What


class Kind(StrEnum):
    """The kinds of notices."""

    WRITE = "memory.write"
    READ = "memory.read"
    CHANGE = "memory.change"
    FORGET = "memory.forget"
    LEDGER = "ledger.change"
    CRYSTAL = "crystal.change"
    TAPE = "tape.change"
    MOVE = "metabolism.move"
    ERROR = "error"
    GAP = "gap"


class Severity(StrEnum):
    """How bad an error is: the caller's mistake, a temporary failure, our fault, one that needs attention now."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class Fault(Struct, frozen=True, kw_only=True):
    """An error as operators see it. The message quotes no input and no stored text."""

    component: str
    code: str
    severity: Severity
    message: str
    request_id: str | None = None


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that happened: when, of which kind, in whose memory, to which records.

    The bus assigns the `id`; ids increase. `what` names the change or the move. `ids` are the first of `count`
    records, ledger rows, crystals or tapes. `node` and `session_id` are those that caused it. An error has a
    `fault`. A gap says how many notices were `missed`, or None if that is unknown.
    """

    at: datetime
    kind: Kind
    id: str = ""
    what: str = ""
    world: str | None = None
    actor_id: str | None = None
    node: str | None = None
    session_id: str | None = None
    ids: tuple[str, ...] = ()
    count: int = 0
    fault: Fault | None = None
    missed: int | None = None


Mark = tuple[int, int]


def mark_of(text: str) -> Mark:
    """The mark of a notice id: its millisecond, and its number within that millisecond.

    >>> mark_of("1767225600000-3"), mark_of("0")
    ((1767225600000, 3), (0, 0))
    """
    first, _, second = text.partition("-")
    try:
        return _number(first), _number(second or "0")
    except ValueError:
        raise Invalid("the id of a notice has the form <milliseconds>-<number>") from None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ValueError
    return int(text)


def text_of(mark: Mark) -> str:
    """The id of a notice with this mark.

    >>> text_of((1767225600000, 3))
    '1767225600000-3'
    """
    return f"{mark[0]}-{mark[1]}"


def next_mark(last: Mark, now: datetime) -> Mark:
    """The mark after `last`, taken from the clock; it increases even if the clock is set back.

    >>> from datetime import UTC
    >>> next_mark((5, 2), datetime.fromtimestamp(0.005, UTC)), next_mark((5, 2), datetime.fromtimestamp(1, UTC))
    ((5, 3), (1000, 0))
    """
    moment = int(now.timestamp() * 1000)
    return (moment, 0) if moment > last[0] else (last[0], last[1] + 1)


def changed(before: Vitals, after: Vitals) -> str:
    """The name of a change between two vitals, or "" if there is no name for it.

    >>> changed(Vitals(), Vitals(pinned=True)), changed(Vitals(), Vitals(importance=0.6))
    ('pinned', 'reinforced')
    """
    if before.pinned != after.pinned:
        return "pinned" if after.pinned else "unpinned"
    if before.muted != after.muted:
        return "muted" if after.muted else "unmuted"
    if before.forgotten_at != after.forgotten_at:
        return "forgotten" if after.forgotten_at else "recovered"
    if before.archived_at != after.archived_at:
        return "archived" if after.archived_at else "recovered"
    if before.tier != after.tier:
        return "moved"
    return "reinforced" if before.importance < after.importance else ""


def kind_of(what: What, *, by_itself: bool) -> Kind:
    """The kind of notice for a move, which the metabolism made by itself or a caller asked for.

    >>> kind_of(What.ARCHIVED, by_itself=True).value, kind_of(What.FORGOTTEN, by_itself=False).value
    ('metabolism.move', 'memory.forget')
    """
    if by_itself:
        return Kind.MOVE
    return Kind.FORGET if what is What.FORGOTTEN else Kind.CHANGE


def severity_of(error: BaseException) -> Severity:
    """How bad an error is.

    >>> from foveal.errors import ModelUnavailable, NotFound
    >>> [severity_of(error).value for error in (NotFound(), ModelUnavailable(), KeyError("x"), StorageFull())]
    ['info', 'warning', 'error', 'critical']
    """
    if isinstance(error, Corrupt | StorageFull):
        return Severity.CRITICAL
    if isinstance(error, StoreUnavailable):
        return Severity.ERROR
    if isinstance(error, Unavailable | TimedOut | Unsupported):
        return Severity.WARNING
    return Severity.INFO if isinstance(error, FovealError) and type(error) is not FovealError else Severity.ERROR


def fault_of(error: BaseException, component: str, request_id: str | None = None) -> Fault:
    """An error as operators see it. Only a store's own message is repeated, because others may quote user input.

    >>> fault_of(Invalid("no 'my secret'"), "http").message
    'The input cannot be accepted.'
    >>> fault_of(KeyError("my secret"), "worker").message
    'KeyError'
    """
    code = error.code if isinstance(error, FovealError) else "internal"
    return Fault(
        component=component,
        code=code,
        severity=severity_of(error),
        message=_message(error),
        request_id=request_id,
    )


def _message(error: BaseException) -> str:
    if not isinstance(error, FovealError):
        return type(error).__name__
    if isinstance(error, StoreUnavailable | StorageFull | Corrupt):
        return error.message
    summary = (type(error).__doc__ or "").splitlines()[0]
    return f"{summary} ({type(error.__cause__).__name__})" if error.__cause__ is not None else summary
