"""The verbs of `memory.crystals`: crystallize, resume, branch, merge, reap."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Unpack, cast

import msgspec

from foveal.engine.crystals import windows as crystals_windows
from foveal.engine.crystals.windows import Messages, keep
from foveal.engine.runtime.facade import Facade, checks_arguments
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.crystal import (
    DAY,
    WIDEST,
    Compressed,
    ContextWindow,
    Difference,
    Lineage,
    Reaped,
    Resumed,
    StateCrystal,
    TaskState,
)
from foveal.model.ids import new_id
from foveal.model.query import At, Viewpoint
from foveal.rules import windows as compressing
from foveal.rules.crystals import difference, fitted, merged, own_turns, parts_of, window_of
from foveal.rules.drafts import viewpoint_of
from foveal.rules.recall.question import acknowledges
from foveal.rules.validation import (
    MAX_TEXT,
    MOST_COUNT,
    checked_count,
    checked_fraction,
    checked_metadata,
    checked_moment,
    checked_name,
    checked_text,
    checked_ttl,
)
from foveal.rules.windows import Pulse, pulse_of, resumed_from


class CrystalOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a new crystal; the state and budget default to those of its parent."""

    hints: Sequence[str] = ()
    ttl: timedelta = DAY
    task_state: TaskState | None = None
    working_memory: Mapping[str, Any] | None = None
    parent: str | None = None
    reason: str | None = None
    pinned: bool = False
    budget: int | None = None
    merged: str | None = None
    more: tuple[str, ...] = ()


def crystallize(
    runtime: Runtime, viewpoint: Viewpoint, window: ContextWindow, options: CrystalOptions, *, kept: bool = True
) -> StateCrystal:
    """Store a window as a crystal, in one transaction: what must stay verbatim, a summary of the rest, the state.

    Turns that only the summary covers are written as records first.
    """
    parts = parts_of(
        window, runtime.counter.count, runtime.summarise, hints=options.hints, more=options.more, skip=acknowledges
    )
    parent = _parent(runtime, viewpoint, options.parent or parts.parent, required=options.parent is not None)
    if kept:
        keep(runtime, viewpoint, window, parts.shortened)
    task = options.task_state or (parent.task_state if parent else TaskState())
    inherited = parent.working_memory if parent else dict[str, Any]()
    crystal = StateCrystal(
        crystal_id=new_crystal_id(),
        agent=viewpoint.node,
        timestamp=runtime.clock.now(),
        task_state=task,
        working_memory=inherited if options.working_memory is None else options.working_memory,
        history_summary=parts.summary,
        summary_tokens=runtime.tokens(parts.summary) if parts.summary else 0,
        focus_fragments=parts.fragments,
        focus_tokens=parts.focus_tokens,
        parent_crystal=parent.crystal_id if parent else None,
        branch_reason=options.reason,
        branch_depth=parent.branch_depth + 1 if parent else 0,
        ttl=options.ttl,
        pinned=options.pinned,
        budget=options.budget if options.budget is not None or parent is None else parent.budget,
        merged=options.merged,
        session_id=viewpoint.session_id,
        turns=window.last_number,
        dropped=len(parts.shortened),
    )
    runtime.writes.put_crystal(viewpoint, crystal)
    return crystal


def new_crystal_id() -> str:
    """A new random id."""
    return f"crystal_{secrets.token_hex(6)}"


def _parent(
    runtime: Runtime, viewpoint: Viewpoint, crystal_id: str | None, *, required: bool
) -> StateCrystal | None:
    if crystal_id is None:
        return None
    try:
        return runtime.store.crystals.get(viewpoint, crystal_id)
    except NotFound:
        # A window copied from another memory may name a crystal that does not exist here.
        if required:
            raise
        return None


def living(runtime: Runtime, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
    """A crystal that can be resumed; `NotFound` if it was reaped or has expired."""
    crystal = runtime.store.crystals.get(viewpoint, crystal_id)
    if crystal.reaped_at is not None:
        raise NotFound(f"{crystal_id} was reaped: only its summary is left", crystal_id=crystal_id)
    if crystal.is_expired(runtime.clock.now()):
        raise NotFound(f"{crystal_id} has expired: cherish it before it is reaped", crystal_id=crystal_id)
    return crystal


def resume(runtime: Runtime, viewpoint: Viewpoint, crystal_id: str, max_tokens: int) -> Resumed:
    """A window made from as much of a crystal as fits. Counts as a use of the crystal."""
    crystal = living(runtime, viewpoint, crystal_id)
    window, left_out = fitted(crystal, runtime.counter.count, max_tokens)
    touch(runtime, viewpoint, crystal_id)
    return Resumed(
        crystal=crystal,
        window=window,
        task_state=crystal.task_state,
        working_memory=crystal.working_memory,
        left_out=left_out,
    )


def touch(runtime: Runtime, viewpoint: Viewpoint, crystal_id: str) -> Lineage:
    """Restart the time to live of a crystal."""
    living(runtime, viewpoint, crystal_id)
    return runtime.writes.mark_crystal(viewpoint, crystal_id, touched_at=runtime.clock.now())


def branch(
    runtime: Runtime, viewpoint: Viewpoint, crystal_id: str, reason: str, *, budget: float | None, ttl: timedelta
) -> StateCrystal:
    """A child of a crystal with the same content. Costs a few small rows."""
    parent = living(runtime, viewpoint, crystal_id)
    child = msgspec.structs.replace(
        parent,
        crystal_id=new_crystal_id(),
        agent=viewpoint.node,
        timestamp=runtime.clock.now(),
        parent_crystal=parent.crystal_id,
        branch_reason=reason,
        branch_depth=parent.branch_depth + 1,
        ttl=ttl,
        pinned=False,
        budget=parent.budget if budget is None else int(min(parent.total_tokens() * budget, MOST_COUNT)),
        merged=None,
        uses=0,
        touched_at=None,
    )
    runtime.writes.put_crystal(viewpoint, child)
    return child


def merge(
    runtime: Runtime,
    viewpoint: Viewpoint,
    crystal_id: str,
    into: str,
    *,
    strategy: str,
    pick: Sequence[str],
    ttl: timedelta,
) -> StateCrystal:
    """A child of `into` with what the branch added since the two diverged."""
    child, parent = living(runtime, viewpoint, crystal_id), living(runtime, viewpoint, into)
    lines = runtime.store.crystals.ancestry(viewpoint, into)
    before = next((line for line in runtime.store.crystals.lineages(viewpoint) if line.merged == crystal_id), None)
    if before is not None:
        raise Conflict(
            f"{crystal_id} was merged before, into {before.crystal_id}: branch again to merge more",
            crystal_id=crystal_id,
            merged_into=before.crystal_id,
        )
    if any(line.crystal_id == crystal_id for line in lines):
        raise Conflict(f"{into} comes from {crystal_id} and has all of it", crystal_id=crystal_id)
    ancestor = common(runtime, viewpoint, crystal_id, into)
    if ancestor is None:
        raise Conflict(f"{crystal_id} and {into} have nothing in common", crystal_id=crystal_id)
    base = runtime.store.crystals.get(viewpoint, ancestor)
    parent_window, child_window, base_window = (_body(runtime, crystal) for crystal in (parent, child, base))
    window = window_of(parent, runtime.counter.count, parent_window.max_tokens)
    if own_turns(child_window, base_window, parent_window) or child.history_summary in ("", base.history_summary):
        result = merged(
            parent_window,
            child_window,
            base_window,
            count=runtime.counter.count,
            summarise=runtime.summarise,
            strategy=strategy,
            pick=pick,
            budget=child.budget,
            name=child.branch_reason or crystal_id,
        )
        window = window.with_turns([window.turns[0], *result.turns])
    more = () if child.history_summary == base.history_summary else (child.history_summary,)
    reason = f"merge of {child.branch_reason or crystal_id}"
    options = CrystalOptions(parent=into, reason=reason, merged=crystal_id, ttl=ttl, more=more)
    return crystallize(runtime, viewpoint, window, options)


def _body(runtime: Runtime, crystal: StateCrystal) -> ContextWindow:
    """The window of a crystal without its first turn, which names the crystal."""
    window = window_of(crystal, runtime.counter.count, max(1, crystal.total_tokens()))
    return window.with_turns(turn for turn in window.turns if resumed_from(turn.content) is None)


def common(runtime: Runtime, viewpoint: Viewpoint, first: str, second: str) -> str | None:
    """The nearest common ancestor of two crystals."""
    others = {line.crystal_id for line in runtime.store.crystals.ancestry(viewpoint, second)}
    lines = runtime.store.crystals.ancestry(viewpoint, first)
    return next((line.crystal_id for line in lines if line.crystal_id in others), None)


def diff(runtime: Runtime, viewpoint: Viewpoint, first: str, second: str) -> Difference:
    """What each of two crystals has that the other does not."""
    here, there = (runtime.store.crystals.get(viewpoint, crystal_id) for crystal_id in (first, second))
    return difference(here, there, common(runtime, viewpoint, first, second))


MAX_REASON = 1000


@checks_arguments
class Crystals(Facade):
    """The verbs for context windows and for the crystals that store them."""

    def window(
        self,
        messages: Messages = (),
        *,
        format: str = "openai",
        system: str | None = None,
        max_tokens: int = WIDEST,
        focus_hints: Sequence[str] | None = None,
        window_id: str | None = None,
        **at: Unpack[At],
    ) -> ContextWindow:
        """A window with these messages, in "openai" or "anthropic" format, each counted and graded.

        Its name is `window_id` or else the session. The same thread opened again under the same name finds the
        turns that were stored from it.
        """
        name = window_id or viewpoint_of(self._bound, at).session_id or new_id(self._runtime.clock.now())
        window = ContextWindow(
            id=checked_name(name, "window_id"), max_tokens=checked_count(max_tokens, "max_tokens")
        )
        return crystals_windows.extended(
            self._runtime, window, messages, form=format, system=system, hints=_hints(focus_hints)
        )

    def add(
        self,
        window: ContextWindow,
        messages: Messages,
        *,
        format: str = "openai",
        focus_hints: Sequence[str] | None = None,
    ) -> ContextWindow:
        """The window with these messages appended."""
        return crystals_windows.extended(self._runtime, window, messages, form=format, hints=_hints(focus_hints))

    def messages(self, window: ContextWindow, *, format: str = "openai") -> list[dict[str, Any]]:
        """The window as messages to send; every tool call is paired with its results."""
        return crystals_windows.messages_of(window, format)

    def compress(
        self,
        window: ContextWindow,
        *,
        focus_hints: Sequence[str] | None = None,
        progress: float | None = None,
        error_rate: float = 0.0,
        threshold: float | None = None,
        target: float = compressing.TARGET,
        keep: bool = True,
        **at: Unpack[At],
    ) -> Compressed:
        """A smaller window if this one is above the threshold: as far as possible, at most `target` full.

        Turns that leave the window are written to memory first, and their marker says how to get them back; with
        `keep=False` they are not. Unless given, the threshold adapts to task progress, errors and loops.
        """
        viewpoint = viewpoint_of(self._bound, at)
        if threshold is None:
            looping = self.pulse(window, **at).looping
            done = None if progress is None else checked_fraction(progress, "progress")
            above = compressing.threshold(done, checked_fraction(error_rate, "error_rate"), looping=looping)
        else:
            above = checked_fraction(threshold, "threshold")
        return crystals_windows.compress(
            self._runtime,
            viewpoint,
            window,
            above=above,
            target=checked_fraction(target, "target"),
            hints=_hints(focus_hints),
            kept=keep,
        )

    def pulse(self, window: ContextWindow, *, phase: str = "", **at: Unpack[At]) -> Pulse:
        """The health of a window in one line that costs no tokens: pressure, phase, loops."""
        agent = viewpoint_of(self._bound, at).node
        return pulse_of(window, agent=agent, now=self._runtime.clock.now(), phase=phase)

    def merge_windows(
        self,
        parent: ContextWindow,
        child: ContextWindow,
        *,
        base: ContextWindow,
        strategy: str = "summarise",
        pick: Sequence[str] = (),
        budget: int | None = None,
        name: str = "branch",
    ) -> ContextWindow:
        """The parent window with what the child added since both were `base`, even if the parent has moved on."""
        count, summarise = self._runtime.counter.count, self._runtime.summarise
        return merged(
            parent,
            child,
            base,
            count=count,
            summarise=summarise,
            strategy=strategy,
            pick=pick,
            budget=budget,
            name=name,
        )

    def crystallize(
        self,
        context: ContextWindow | Messages,
        focus_hints: Sequence[str] | None = None,
        ttl: timedelta | float = DAY,
        *,
        task_state: TaskState | Mapping[str, Any] | None = None,
        working_memory: Mapping[str, Any] | None = None,
        parent: str | None = None,
        reason: str | None = None,
        pin: bool = False,
        keep: bool = True,
        **at: Unpack[At],
    ) -> StateCrystal:
        """Store a window, or a list of messages, as a crystal that lives for `ttl` after its last use.

        By default its parent is the crystal that the window was resumed from. State that is not given comes from
        the parent. Turns that only the summary covers are written to memory, unless `keep` is False.
        """
        window = context if isinstance(context, ContextWindow) else self.window(context, **at)
        memory = None
        if working_memory is not None:
            memory = checked_metadata(working_memory, "working_memory", MAX_TEXT)
        options = CrystalOptions(
            hints=_hints(focus_hints),
            ttl=_ttl(ttl),
            task_state=_task(task_state),
            working_memory=memory,
            parent=parent,
            reason=None if reason is None else checked_text(reason, "reason", MAX_REASON),
            pinned=pin,
        )
        return crystallize(self._runtime, viewpoint_of(self._bound, at), window, options, kept=keep)

    def resume(self, crystal_id: str, *, max_tokens: int = WIDEST, **at: Unpack[At]) -> Resumed:
        """Restore a crystal: a window with its state, summary and fragments, and the state itself.

        The window never costs more than `max_tokens`: PRESERVED fragments come first, then REQUIRED ones, then the
        summary. `BudgetTooSmall` if not even the PRESERVED ones fit.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return resume(self._runtime, viewpoint, crystal_id, checked_count(max_tokens, "max_tokens"))

    def get(self, crystal_id: str, **at: Unpack[At]) -> StateCrystal:
        """A crystal with all its content; only the summary if it was reaped."""
        return self._runtime.store.crystals.get(viewpoint_of(self._bound, at), crystal_id)

    def lineages(self, **at: Unpack[At]) -> list[Lineage]:
        """All crystals without their content, oldest first, tombstones included."""
        return self._runtime.store.crystals.lineages(viewpoint_of(self._bound, at))

    def lineage(self, crystal_id: str, **at: Unpack[At]) -> list[Lineage]:
        """A crystal and its ancestors, nearest first, tombstones included."""
        return self._runtime.store.crystals.ancestry(viewpoint_of(self._bound, at), crystal_id)

    def duplicate(
        self, crystal_id: str, *, ttl: timedelta | float = DAY, budget: float | None = None, **at: Unpack[At]
    ) -> StateCrystal:
        """A branch with the reason "duplicate"."""
        return self.branch(crystal_id, "duplicate", ttl=ttl, budget=budget, **at)

    def branch(
        self,
        crystal_id: str,
        reason: str,
        *,
        ttl: timedelta | float = DAY,
        budget: float | None = None,
        **at: Unpack[At],
    ) -> StateCrystal:
        """A child crystal with the same content, from which to try another direction.

        `budget` limits what it may bring back when it is merged, as a share of the tokens it starts with.
        """
        if budget is not None and (isinstance(budget, bool) or not 0 <= budget < math.inf):
            raise Invalid("budget must be a finite number of at least 0")
        text = checked_text(reason, "reason", MAX_REASON)
        viewpoint = viewpoint_of(self._bound, at)
        return branch(self._runtime, viewpoint, crystal_id, text, budget=budget, ttl=_ttl(ttl))

    def merge(
        self,
        crystal_id: str,
        into: str,
        *,
        strategy: str = "summarise",
        pick: Sequence[str] = (),
        ttl: timedelta | float = DAY,
        **at: Unpack[At],
    ) -> StateCrystal:
        """A new child of `into` with what a branch added since the two diverged.

        The strategy is "summarise", "squash", "rebase", or "cherry_pick" with the ids of fragments to `pick`.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return merge(self._runtime, viewpoint, crystal_id, into, strategy=strategy, pick=pick, ttl=_ttl(ttl))

    def diff(self, first: str, second: str, **at: Unpack[At]) -> Difference:
        """What each of two crystals has that the other does not."""
        return diff(self._runtime, viewpoint_of(self._bound, at), first, second)

    def touch(self, crystal_id: str, **at: Unpack[At]) -> Lineage:
        """Restart the time to live of a crystal."""
        return touch(self._runtime, viewpoint_of(self._bound, at), crystal_id)

    def cherish(self, crystal_id: str, **at: Unpack[At]) -> Lineage:
        """Protect a crystal from being reaped, until it is uncherished."""
        return self._runtime.writes.mark_crystal(viewpoint_of(self._bound, at), crystal_id, pinned=True)

    def uncherish(self, crystal_id: str, **at: Unpack[At]) -> Lineage:
        """Let a cherished crystal expire again."""
        return self._runtime.writes.mark_crystal(viewpoint_of(self._bound, at), crystal_id, pinned=False)

    def compost(self, crystal_id: str, *, hard: bool = False, **at: Unpack[At]) -> Reaped:
        """Drop the content of a crystal now. Its tombstone and summary stay; with `hard`, only the tombstone."""
        viewpoint = viewpoint_of(self._bound, at)
        return self._runtime.writes.compost_crystal(viewpoint, crystal_id, self._runtime.clock.now(), hard=hard)

    def reap(self, *, now: datetime | None = None, **at: Unpack[At]) -> Reaped:
        """Drop the content of every crystal that has expired and is not cherished."""
        viewpoint = viewpoint_of(self._bound, at)
        return self._runtime.writes.reap_crystals(
            viewpoint, checked_moment(now, "now") or self._runtime.clock.now()
        )


def _hints(hints: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(hints, str):
        raise Invalid(f"focus_hints must be a list of strings; for one hint write [{hints[:40]!r}]")
    return tuple(checked_name(hint, "focus hint") for hint in hints or ())


def _ttl(ttl: timedelta | float) -> timedelta:
    duration = checked_ttl(ttl)
    if duration is None:
        raise Invalid("ttl is missing; to keep a crystal for good, pin it")
    return duration


def _task(task: TaskState | Mapping[str, Any] | None) -> TaskState | None:
    if task is None:
        return None
    fields = msgspec.structs.asdict(task) if isinstance(task, TaskState) else dict(task)
    try:
        state = msgspec.convert(checked_metadata(fields, "task_state"), TaskState)
    except msgspec.ValidationError as error:
        raise Invalid(f"task_state is wrong: {error}") from None
    return msgspec.structs.replace(state, progress=checked_fraction(cast(object, state.progress), "progress"))
