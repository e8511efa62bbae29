"""What is told of a memory while it works: that something happened, never what it says."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


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
    """How bad an error is, mildest first: the caller's, one that passes, ours, one that needs somebody now."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class Fault(Struct, frozen=True, kw_only=True):
    """An error as operators see it. The message repeats nothing of what was said or stored."""

    component: str
    code: str
    severity: Severity
    message: str
    request_id: str | None = None


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that happened: when, of which kind, in whose memory, to which records.

    The bus gives the `id`; ids grow. `what` is the change or the move. `ids` are the first of `count` records,
    rows of a ledger, crystals or tapes. The node and the session are those that did it. `fault` is told of errors.
    A gap says that notices were `missed`; without the number, nobody knows how many.
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
