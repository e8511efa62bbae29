"""Crystals, snapshots, and the context window they are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct, field

from foveal.model.record import Linearity

A = TypeVar("A")
B = TypeVar("B")

WIDEST = 100_000


class Role(StrEnum):
    """Who speaks in a turn; "other" is a conversation that the agent only overhears."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    OTHER = "other"


class Form(StrEnum):
    """What compression has made of a turn."""

    WHOLE = "whole"
    MASKED = "masked"
    FOLDED = "folded"
    CONDENSED = "condensed"


class Grade(Struct, frozen=True, kw_only=True):
    """What compression may do to a turn, and why. It goes with the turn, so that no compression loses it."""

    linearity: Linearity = Linearity.DROPPABLE
    rationale: str = ""
    hint: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """A tool that a turn calls; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str = "{}"


class Turn(Struct, frozen=True, kw_only=True):
    """One thing that was said or seen.

    `number` counts through the thread, also over what was folded away; `answers` names the call whose result it
    is; `covers` are the ids of the turns it stands for.
    """

    id: str
    number: int
    role: Role
    content: str
    tokens: int
    grade: Grade = Grade()
    timestamp: datetime | None = None
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    form: Form = Form.WHOLE
    covers: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def linearity(self) -> Linearity:
        """What compression may do to it."""
        return self.grade.linearity

    @property
    def spoken(self) -> str:
        """Everything it says, the calls included."""
        calls = [f"{one.name}({one.arguments})" for one in self.calls]
        return "\n".join([self.content, *calls] if self.content else calls)


class Focus(Struct, Generic[A], frozen=True, kw_only=True):
    """Values in a row, one of which is looked at."""

    values: tuple[A, ...]
    position: int

    def extract(self) -> A:
        """The value that is looked at."""
        return self.values[self.position]

    def seek(self, position: int) -> Focus[A]:
        """The same row, looked at elsewhere; beyond its ends is at its ends."""
        return Focus(values=self.values, position=_clamped(position, len(self.values) - 1))

    def extend(self, look: Callable[[Focus[A]], B]) -> Focus[B]:
        """What `look` sees from every place, looked at where this is."""
        seen = tuple(look(self.seek(place)) for place in range(len(self.values)))
        return Focus(values=seen, position=self.position)


class ContextWindow(Struct, frozen=True, kw_only=True):
    """The turns before an agent, as a value: whatever changes it gives another window.

    `position` is the number of the turns up to the one that is looked at; 0 looks at none.
    """

    turns: tuple[Turn, ...] = ()
    position: int = 0
    max_tokens: int = WIDEST
    id: str = ""
    compressions: int = 0

    @property
    def tokens(self) -> int:
        """What its turns cost."""
        return sum(turn.tokens for turn in self.turns)

    @property
    def pressure(self) -> float:
        """How full it is, from 0 to 1."""
        return min(1.0, self.tokens / self.max_tokens)

    @property
    def last_number(self) -> int:
        """The highest number of a turn, 0 when there is none."""
        return max((turn.number for turn in self.turns), default=0)

    def extract(self) -> Turn | None:
        """The turn that is looked at, or None before the first."""
        return self.turns[self.position - 1] if self.position else None

    def seek(self, position: int) -> ContextWindow:
        """The same window, looked at elsewhere; beyond its ends is at its ends."""
        return msgspec.structs.replace(self, position=_clamped(position, len(self.turns)))

    def extend(self, look: Callable[[ContextWindow], B]) -> Focus[B]:
        """What `look` sees from every place, before the first turn and at each of them."""
        seen = tuple(look(self.seek(place)) for place in range(len(self.turns) + 1))
        return Focus(values=seen, position=self.position)

    def duplicate(self) -> Focus[ContextWindow]:
        """The window from every place. Nothing in it can change, so the copies share all and disturb none."""
        return self.extend(lambda window: window)

    def with_turns(self, turns: Iterable[Turn]) -> ContextWindow:
        """The window with these turns instead, looked at where they end."""
        given = tuple(turns)
        return msgspec.structs.replace(self, turns=given, position=len(given))


def digest_of(*parts: str) -> str:
    """A short name for a text that depends on nothing else.

    >>> digest_of("a", "b") == digest_of("ab")
    False
    """
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _clamped(position: int, last: int) -> int:
    return max(0, min(position, last))


DAY = timedelta(hours=24)

Status = Literal["active", "paused", "completed", "yielded", "failed"]
Strategy = Literal["summarise", "squash", "rebase", "cherry_pick"]


class TaskState(Struct, frozen=True, kw_only=True):
    """What the agent was doing, and how far it was."""

    task_id: str = ""
    description: str = ""
    status: Status = "active"
    progress: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


class FocusFragment(Struct, frozen=True, kw_only=True):
    """A turn that survives: PRESERVED word for word, REQUIRED with every decision it states."""

    hint: str
    content: str
    position: int
    linearity: Linearity = Linearity.PRESERVED
    id: str = ""
    role: Role = Role.USER
    rationale: str = ""
    condensed: bool = False


class StateCrystal(Struct, frozen=True, kw_only=True):
    """A checkpoint of a context, with what compression must not lose.

    `agent` is the node that made it. It lives `ttl` from when it was last touched, or for good while it is
    pinned. `budget` is how many tokens a branch may bring back; `merged` the crystal that was merged into it.
    """

    crystal_id: str
    agent: str
    timestamp: datetime
    task_state: TaskState = TaskState()
    working_memory: Mapping[str, Any] = field(default_factory=dict[str, Any])
    history_summary: str = ""
    summary_tokens: int = 0
    focus_fragments: tuple[FocusFragment, ...] = ()
    focus_tokens: int = 0
    parent_crystal: str | None = None
    branch_reason: str | None = None
    branch_depth: int = 0
    ttl: timedelta = DAY
    pinned: bool = False
    budget: int | None = None
    merged: str | None = None
    session_id: str | None = None
    turns: int = 0
    dropped: int = 0
    uses: int = 0
    touched_at: datetime | None = None
    reaped_at: datetime | None = None

    @property
    def total_tokens(self) -> int:
        """What the summary and the fragments cost."""
        return self.summary_tokens + self.focus_tokens

    @property
    def expires_at(self) -> datetime | None:
        """When its time is over; never, while it is pinned."""
        return None if self.pinned else (self.touched_at or self.timestamp) + self.ttl

    def is_expired(self, now: datetime) -> bool:
        """Whether its time is over: at once, with a `ttl` of 0."""
        return self.expires_at is not None and self.expires_at <= now

    @property
    def decisions(self) -> tuple[str, ...]:
        """What it states that may be shortened and not lost."""
        return tuple(one.content for one in self.focus_fragments if one.linearity is Linearity.REQUIRED)


class Lineage(Struct, frozen=True, kw_only=True):
    """A crystal without its content: what lists and trees show, and what is left of one that was reaped."""

    crystal_id: str
    agent: str
    timestamp: datetime
    parent_crystal: str | None
    branch_reason: str | None
    branch_depth: int
    history_summary: str
    tokens: int
    fragments: int
    turns: int
    pinned: bool
    expires_at: datetime | None
    merged: str | None
    session_id: str | None
    reaped_at: datetime | None = None

    @property
    def tombstone(self) -> bool:
        """Whether only this is left of it."""
        return self.reaped_at is not None


class Resumed(Struct, frozen=True, kw_only=True):
    """A crystal put back: the window to go on with, and the state to go on from.

    `left_out` are the ids of the fragments that the window had no room for; the crystal still has them.
    """

    crystal: StateCrystal
    window: ContextWindow
    task_state: TaskState
    working_memory: Mapping[str, Any]
    left_out: tuple[str, ...] = ()


class Compressed(Struct, frozen=True, kw_only=True):
    """What compression made of a window, and what it left.

    `kept` are the ids of the records that hold what was masked or folded. `reached` is False when what may not be
    touched is over the target by itself.
    """

    window: ContextWindow
    before: int
    after: int
    threshold: float
    masked: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    condensed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    reached: bool = True

    @property
    def saved(self) -> int:
        """How many tokens it saved."""
        return self.before - self.after


class Reaped(Struct, frozen=True, kw_only=True):
    """What the reaper took: ids, how many it left and why, and how many blobs nobody needed any more."""

    ids: tuple[str, ...] = ()
    skipped_pinned: int = 0
    skipped_unexpired: int = 0
    blobs: int = 0

    @property
    def reaped_count(self) -> int:
        """How many it took."""
        return len(self.ids)


class Difference(Struct, frozen=True, kw_only=True):
    """What the second of two crystals has that the first has not, and the other way round."""

    ancestor: str | None
    added: tuple[FocusFragment, ...]
    removed: tuple[FocusFragment, ...]
    kept: int
    summary: tuple[str, str] | None
    working_memory: Mapping[str, tuple[Any, Any]]
    task_state: Mapping[str, tuple[Any, Any]]
    tokens: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """A named moment of a memory: what was known when it was taken."""

    id: str
    label: str
    taken_at: datetime


class Changes(Struct, frozen=True, kw_only=True):
    """The ids of what changed between two moments, and is seen from here.

    `recovered` were forgotten at the first and are not at the second; `erased` are gone for good.
    """

    added: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    recovered: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()


class Restored(Struct, frozen=True, kw_only=True):
    """What a restore did: `before` is the snapshot to restore if it was a mistake.

    X `pinned` came later and are pinned, so they stay; `erased` cannot come back.
    """

    before: Snapshot
    move: str | None = None
    superseded: tuple[str, ...] = ()
    recovered: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
