"""A context that is kept: a checkpoint with its state, its summary, its verbatim focus and its parent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from msgspec import Struct, field

from foveal.model.linearity import Linearity
from foveal.model.window import ContextWindow, Role

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
