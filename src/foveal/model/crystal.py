"""Context windows, the crystals made from them, and snapshots of a memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
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
    """Who speaks in a turn; "other" is for a conversation that the agent only overhears."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    OTHER = "other"


class Form(StrEnum):
    """What compression has done to a turn."""

    WHOLE = "whole"
    MASKED = "masked"
    FOLDED = "folded"
    CONDENSED = "condensed"


class Grade(Struct, frozen=True, kw_only=True):
    """What compression may do to a turn, and why. It is part of the turn, so compression never loses it."""

    linearity: Linearity = Linearity.DROPPABLE
    rationale: str = ""
    hint: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """A tool call made in a turn; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str = "{}"


class Turn(Struct, frozen=True, kw_only=True):
    """One message or observation in a window.

    `number` counts through the whole thread, folded turns included. `answers` is the id of the call whose result
    this is. `covers` lists the ids of the turns that it stands for.
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
        """What compression may do to the turn."""
        return self.grade.linearity

    @property
    def spoken(self) -> str:
        """The whole text of the turn, tool calls included."""
        calls = [f"{call.name}({call.arguments})" for call in self.calls]
        return "\n".join([self.content, *calls] if self.content else calls)


class Focus(Struct, Generic[A], frozen=True, kw_only=True):
    """A sequence of values with a current position."""

    values: tuple[A, ...]
    position: int

    def extract(self) -> A:
        """The value at the current position."""
        return self.values[self.position]

    def seek(self, position: int) -> Focus[A]:
        """The same values at another position, clamped to the first and the last."""
        return Focus(values=self.values, position=_clamped(position, len(self.values) - 1))

    def extend(self, look: Callable[[Focus[A]], B]) -> Focus[B]:
        """The results of `look` at every position; the current position stays."""
        seen = tuple(look(self.seek(place)) for place in range(len(self.values)))
        return Focus(values=seen, position=self.position)


class ContextWindow(Struct, frozen=True, kw_only=True):
    """The turns that an agent has in context. It is immutable: every change returns a new window.

    `position` counts the turns up to and including the current one; 0 is before the first turn.
    """

    turns: tuple[Turn, ...] = ()
    position: int = 0
    max_tokens: int = WIDEST
    id: str = ""
    compressions: int = 0

    @property
    def tokens(self) -> int:
        """How many tokens the turns cost."""
        return sum(turn.tokens for turn in self.turns)

    @property
    def pressure(self) -> float:
        """How full the window is, from 0 to 1."""
        return min(1.0, self.tokens / self.max_tokens)

    @property
    def last_number(self) -> int:
        """The highest turn number, or 0 when there are no turns."""
        return max((turn.number for turn in self.turns), default=0)

    def extract(self) -> Turn | None:
        """The current turn, or None before the first."""
        return self.turns[self.position - 1] if self.position else None

    def seek(self, position: int) -> ContextWindow:
        """The same window at another position, clamped to its ends."""
        return msgspec.structs.replace(self, position=_clamped(position, len(self.turns)))

    def extend(self, look: Callable[[ContextWindow], B]) -> Focus[B]:
        """The results of `look` at every position: before the first turn, and at each turn."""
        seen = tuple(look(self.seek(place)) for place in range(len(self.turns) + 1))
        return Focus(values=seen, position=self.position)

    def duplicate(self) -> Focus[ContextWindow]:
        """The window at every position. The copies are immutable and share their turns."""
        return self.extend(lambda window: window)

    def with_turns(self, turns: Iterable[Turn]) -> ContextWindow:
        """The window with these turns instead, positioned at the last one."""
        replacement = tuple(turns)
        return msgspec.structs.replace(self, turns=replacement, position=len(replacement))


def digest_of(*parts: str) -> str:
    """A short digest that depends only on the parts and where they divide.

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
    """What the agent was working on, and how far it had come."""

    task_id: str = ""
    description: str = ""
    status: Status = "active"
    progress: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


class FocusFragment(Struct, frozen=True, kw_only=True):
    """A turn that a crystal keeps: a PRESERVED one word for word, a REQUIRED one with every decision it states."""

    hint: str
    content: str
    position: int
    linearity: Linearity = Linearity.PRESERVED
    id: str = ""
    role: Role = Role.USER
    rationale: str = ""
    condensed: bool = False


class StateCrystal(Struct, frozen=True, kw_only=True):
    """A checkpoint of a context, with everything that compression must not lose.

    `agent` is the node that made it. It expires `ttl` after its last use; a pinned crystal does not expire.
    `budget` is how many tokens a branch may bring back. `merged` is the id of the crystal that was merged into it.
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

    def total_tokens(self) -> int:
        """How many tokens the summary and the fragments cost."""
        return self.summary_tokens + self.focus_tokens

    @property
    def expires_at(self) -> datetime | None:
        """When the crystal expires, or None while it is pinned."""
        return None if self.pinned else (self.touched_at or self.timestamp) + self.ttl

    def is_expired(self, now: datetime | None = None) -> bool:
        """Whether the crystal has expired, by default at this moment. With a `ttl` of 0 it expires at once."""
        return self.expires_at is not None and self.expires_at <= (now or datetime.now(UTC))

    @property
    def decisions(self) -> tuple[str, ...]:
        """The contents of the REQUIRED fragments, which may be shortened but not lost."""
        return tuple(
            fragment.content for fragment in self.focus_fragments if fragment.linearity is Linearity.REQUIRED
        )


class Lineage(Struct, frozen=True, kw_only=True):
    """A crystal without its content, as lists and trees show it. Of a reaped crystal nothing else remains."""

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
        """Whether the crystal was reaped."""
        return self.reaped_at is not None


class Resumed(Struct, frozen=True, kw_only=True):
    """A resumed crystal: the window and the state to continue with.

    `left_out` lists the ids of the fragments that did not fit into the window; the crystal still has them.
    """

    crystal: StateCrystal
    window: ContextWindow
    task_state: TaskState
    working_memory: Mapping[str, Any]
    left_out: tuple[str, ...] = ()


class Compressed(Struct, frozen=True, kw_only=True):
    """A window after compression, and what was done to its turns.

    `kept` lists the ids of the records that hold the masked and folded turns. `reached` is False when the turns
    that may not be compressed exceed the target by themselves.
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
        """How many tokens the compression saved."""
        return self.before - self.after


class Reaped(Struct, frozen=True, kw_only=True):
    """What the reaper removed: the ids of crystals, how many it skipped and why, and how many unused blobs.

    Iterating over it gives the ids.
    """

    ids: tuple[str, ...] = ()
    skipped_pinned: int = 0
    skipped_unexpired: int = 0
    blobs: int = 0

    @property
    def reaped_count(self) -> int:
        """How many crystals were reaped."""
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


class Difference(Struct, frozen=True, kw_only=True):
    """What changed from one crystal to another: fragments added, removed and kept, and values before and after."""

    ancestor: str | None
    added: tuple[FocusFragment, ...]
    removed: tuple[FocusFragment, ...]
    kept: int
    summary: tuple[str, str] | None
    working_memory: Mapping[str, tuple[Any, Any]]
    task_state: Mapping[str, tuple[Any, Any]]
    tokens: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """A named moment of a memory: everything known when the snapshot was taken.

    A snapshot of the root is known to every node; one of another `node`, to that node and those above it.
    """

    id: str
    label: str
    taken_at: datetime
    node: str = "/"


class Changes(Struct, frozen=True, kw_only=True):
    """The ids of the visible records that changed between two moments.

    `recovered` records were forgotten at the first moment and are not at the second; `erased` ones are gone for
    good.
    """

    added: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    recovered: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()


class Restored(Struct, frozen=True, kw_only=True):
    """What a restore did. `before` is the snapshot to restore if it was a mistake.

    `pinned` records came later and stay because they are pinned; `erased` ones cannot come back.
    """

    before: Snapshot
    move: str | None = None
    superseded: tuple[str, ...] = ()
    recovered: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
