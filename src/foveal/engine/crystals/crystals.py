"""The verbs of `memory.crystals`: crystallize, resume, branch, merge, reap."""

from __future__ import annotations

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
from foveal.rules.validation import (
    MAX_TEXT,
    checked_count,
    checked_fraction,
    checked_metadata,
    checked_moment,
    checked_name,
    checked_text,
    checked_ttl,
)
from foveal.rules.windows import Pulse, pulse_of, resumed_from


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller says of a crystal; what is not said comes from its parent."""

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
    runtime: Runtime, viewpoint: Viewpoint, window: ContextWindow, said: Said, *, kept: bool = True
) -> StateCrystal:
    """Keep a window: what must stay verbatim, a summary of the rest, and the state; one transaction.

    The turns that only the summary tells of are written as records first.
    """
    parts = parts_of(window, runtime.counter.count, runtime.summarise, hints=said.hints, more=said.more)
    above = _parent(runtime, viewpoint, said.parent or parts.parent, required=said.parent is not None)
    if kept:
        keep(runtime, viewpoint, window, parts.shortened)
    task = said.task_state or (above.task_state if above else TaskState())
    inherited = above.working_memory if above else dict[str, Any]()
    crystal = StateCrystal(
        crystal_id=new_crystal_id(),
        agent=viewpoint.node,
        timestamp=runtime.clock.now(),
        task_state=task,
        working_memory=inherited if said.working_memory is None else said.working_memory,
        history_summary=parts.summary,
        summary_tokens=runtime.counter.count(parts.summary) if parts.summary else 0,
        focus_fragments=parts.fragments,
        focus_tokens=parts.focus_tokens,
        parent_crystal=above.crystal_id if above else None,
        branch_reason=said.reason,
        branch_depth=above.branch_depth + 1 if above else 0,
        ttl=said.ttl,
        pinned=said.pinned,
        budget=said.budget if said.budget is not None or above is None else above.budget,
        merged=said.merged,
        session_id=viewpoint.session_id,
        turns=window.last_number,
        dropped=len(parts.shortened),
    )
    runtime.store.put_crystal(viewpoint, crystal)
    return crystal


def new_crystal_id() -> str:
    """A fresh id."""
    return f"crystal_{secrets.token_hex(6)}"


def _parent(
    runtime: Runtime, viewpoint: Viewpoint, crystal_id: str | None, *, required: bool
) -> StateCrystal | None:
    if crystal_id is None:
        return None
    try:
        return runtime.store.crystal(viewpoint, crystal_id)
    except NotFound:
        # A head that was copied from another memory names a crystal that is not here.
        if required:
            raise
        return None


def living(runtime: Runtime, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
    """A crystal that can be gone on with."""
    found = runtime.store.crystal(viewpoint, crystal_id)
    if found.reaped_at is not None:
        raise NotFound(f"{crystal_id} was reaped: only its summary is left", crystal_id=crystal_id)
    if found.is_expired(runtime.clock.now()):
        raise NotFound(f"{crystal_id} has expired: cherish it before it is reaped", crystal_id=crystal_id)
    return found


def resume(runtime: Runtime, viewpoint: Viewpoint, crystal_id: str, max_tokens: int) -> Resumed:
    """Put a crystal back, as much of it as fits, and count the use of it."""
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
    """Let the time of a crystal begin anew."""
    living(runtime, viewpoint, crystal_id)
    return runtime.store.mark_crystal(viewpoint, crystal_id, touched_at=runtime.clock.now())


def branch(
    runtime: Runtime, viewpoint: Viewpoint, crystal_id: str, reason: str, *, budget: float | None, ttl: timedelta
) -> StateCrystal:
    """A crystal with the same content under another, to go another way from. Costs a few small rows."""
    above = living(runtime, viewpoint, crystal_id)
    made = msgspec.structs.replace(
        above,
        crystal_id=new_crystal_id(),
        agent=viewpoint.node,
        timestamp=runtime.clock.now(),
        parent_crystal=above.crystal_id,
        branch_reason=reason,
        branch_depth=above.branch_depth + 1,
        ttl=ttl,
        pinned=False,
        budget=above.budget if budget is None else int(above.total_tokens * budget),
        merged=None,
        uses=0,
        touched_at=None,
    )
    runtime.store.put_crystal(viewpoint, made)
    return made


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
    """A crystal under `into` with what the branch brings since the two parted."""
    child, parent = living(runtime, viewpoint, crystal_id), living(runtime, viewpoint, into)
    lines = runtime.store.ancestry(viewpoint, into)
    if any(one.merged == crystal_id for one in lines):
        raise Conflict(f"{crystal_id} was merged into {into} before", crystal_id=crystal_id)
    if any(one.crystal_id == crystal_id for one in lines):
        raise Conflict(f"{into} comes from {crystal_id} and has all of it", crystal_id=crystal_id)
    ancestor = common(runtime, viewpoint, crystal_id, into)
    if ancestor is None:
        raise Conflict(f"{crystal_id} and {into} have nothing in common", crystal_id=crystal_id)
    base = runtime.store.crystal(viewpoint, ancestor)
    windows = [_body(runtime, one) for one in (parent, child, base)]
    before = window_of(parent, runtime.counter.count, windows[0].max_tokens)
    own = own_turns(windows[1], windows[2], windows[0])
    if own or child.history_summary in ("", base.history_summary):
        brought = merged(
            windows[0],
            windows[1],
            windows[2],
            count=runtime.counter.count,
            summarise=runtime.summarise,
            strategy=strategy,
            pick=pick,
            budget=child.budget,
            name=child.branch_reason or crystal_id,
        )
        window = before.with_turns([before.turns[0], *brought.turns])
    else:
        window = before
    more = () if child.history_summary == base.history_summary else (child.history_summary,)
    reason = f"merge of {child.branch_reason or crystal_id}"
    said = Said(parent=into, reason=reason, merged=crystal_id, ttl=ttl, more=more)
    return crystallize(runtime, viewpoint, window, said)


def _body(runtime: Runtime, crystal: StateCrystal) -> ContextWindow:
    """The window of a crystal without its head, which is its own in every crystal."""
    window = window_of(crystal, runtime.counter.count, max(1, crystal.total_tokens))
    return window.with_turns(turn for turn in window.turns if resumed_from(turn.content) is None)


def common(runtime: Runtime, viewpoint: Viewpoint, first: str, second: str) -> str | None:
    """The nearest crystal that both come from."""
    others = {one.crystal_id for one in runtime.store.ancestry(viewpoint, second)}
    lines = runtime.store.ancestry(viewpoint, first)
    return next((one.crystal_id for one in lines if one.crystal_id in others), None)


def diff(runtime: Runtime, viewpoint: Viewpoint, first: str, second: str) -> Difference:
    """What the second of two crystals has that the first has not, and the other way round."""
    here, there = (runtime.store.crystal(viewpoint, one) for one in (first, second))
    return difference(here, there, common(runtime, viewpoint, first, second))


MAX_REASON = 1000


@checks_arguments
class Crystals(Facade):
    """Windows that are compressed, and crystals that keep them."""

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
        """A window with these messages, "openai" or "anthropic", each counted and classed.

        It is named by `window_id`, else by the session; the same thread brought in again under the same name finds
        what was kept of it.
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
        """The window with these messages at its end."""
        return crystals_windows.extended(self._runtime, window, messages, form=format, hints=_hints(focus_hints))

    def messages(self, window: ContextWindow, *, format: str = "openai") -> list[dict[str, Any]]:
        """The window as messages to send: a call and its results as a pair, each."""
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
        """A smaller window, if this one is too full: at most `target` full, as far as it can.

        What leaves the window is written to memory first, and its marker says how to get it back; with `keep` False
        it is not. The threshold adapts to the progress of the task, to errors and to loops, unless it is given.
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
        """The health of a window in a line that costs no token: pressure, phase, loops."""
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
        """The parent with what the child has said since both were `base`, also if the parent has gone on."""
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
        """Keep a window, or a list of messages, as a crystal that lives `ttl` from its last use.

        The parent is the crystal that the window was resumed from, if no other is said; state that is not said
        comes from it. Turns that only the summary tells of are written to memory, unless `keep` is False.
        """
        window = context if isinstance(context, ContextWindow) else self.window(context, **at)
        memory = None
        if working_memory is not None:
            memory = checked_metadata(working_memory, "working_memory", MAX_TEXT)
        said = Said(
            hints=_hints(focus_hints),
            ttl=_ttl(ttl),
            task_state=_task(task_state),
            working_memory=memory,
            parent=parent,
            reason=None if reason is None else checked_text(reason, "reason", MAX_REASON),
            pinned=pin,
        )
        return crystallize(self._runtime, viewpoint_of(self._bound, at), window, said, kept=keep)

    def resume(self, crystal_id: str, *, max_tokens: int = WIDEST, **at: Unpack[At]) -> Resumed:
        """Put a crystal back: a window with the state, the summary and what was kept, and the state itself.

        The window never costs more than `max_tokens`: what is PRESERVED comes first, then what is REQUIRED, then
        the summary. `BudgetTooSmall` if not even what is PRESERVED fits.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return resume(self._runtime, viewpoint, crystal_id, checked_count(max_tokens, "max_tokens"))

    def get(self, crystal_id: str, **at: Unpack[At]) -> StateCrystal:
        """A crystal with all it holds; of one that was reaped, the summary."""
        return self._runtime.store.crystal(viewpoint_of(self._bound, at), crystal_id)

    def lineages(self, **at: Unpack[At]) -> list[Lineage]:
        """Every crystal without its content, oldest first, tombstones included."""
        return self._runtime.store.lineages(viewpoint_of(self._bound, at))

    def lineage(self, crystal_id: str, **at: Unpack[At]) -> list[Lineage]:
        """A crystal and those it comes from, nearest first, tombstones included."""
        return self._runtime.store.ancestry(viewpoint_of(self._bound, at), crystal_id)

    def duplicate(
        self, crystal_id: str, *, ttl: timedelta | float = DAY, budget: float | None = None, **at: Unpack[At]
    ) -> StateCrystal:
        """A branch without a reason of its own."""
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
        """A crystal with the same content, one deeper, to go another way from.

        `budget` is how much it may bring back when it is merged, as a share of the tokens it starts with.
        """
        if budget is not None and (isinstance(budget, bool) or not budget >= 0):
            raise Invalid("budget must be a number of at least 0")
        said = checked_text(reason, "reason", MAX_REASON)
        viewpoint = viewpoint_of(self._bound, at)
        return branch(self._runtime, viewpoint, crystal_id, said, budget=budget, ttl=_ttl(ttl))

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
        """A new crystal under `into` with what a branch has found since the two parted.

        The strategy is "summarise", "squash", "rebase", or "cherry_pick" with the ids of fragments to `pick`.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return merge(self._runtime, viewpoint, crystal_id, into, strategy=strategy, pick=pick, ttl=_ttl(ttl))

    def diff(self, first: str, second: str, **at: Unpack[At]) -> Difference:
        """What the second of two crystals has that the first has not, and the other way round."""
        return diff(self._runtime, viewpoint_of(self._bound, at), first, second)

    def touch(self, crystal_id: str, **at: Unpack[At]) -> Lineage:
        """Let the time of a crystal begin anew."""
        return touch(self._runtime, viewpoint_of(self._bound, at), crystal_id)

    def cherish(self, crystal_id: str, **at: Unpack[At]) -> Lineage:
        """Keep a crystal from being reaped, for good."""
        return self._runtime.store.mark_crystal(viewpoint_of(self._bound, at), crystal_id, pinned=True)

    def uncherish(self, crystal_id: str, **at: Unpack[At]) -> Lineage:
        """Let the time of a crystal run again."""
        return self._runtime.store.mark_crystal(viewpoint_of(self._bound, at), crystal_id, pinned=False)

    def compost(self, crystal_id: str, *, hard: bool = False, **at: Unpack[At]) -> Reaped:
        """Let a crystal go now; its tombstone and summary stay, with `hard` only the tombstone."""
        viewpoint = viewpoint_of(self._bound, at)
        return self._runtime.store.compost_crystal(viewpoint, crystal_id, self._runtime.clock.now(), hard=hard)

    def reap(self, *, now: datetime | None = None, **at: Unpack[At]) -> Reaped:
        """Let every crystal go whose time is over and that is not cherished."""
        viewpoint = viewpoint_of(self._bound, at)
        return self._runtime.store.reap_crystals(viewpoint, checked_moment(now, "now") or self._runtime.clock.now())


def _hints(hints: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(hints, str):
        raise Invalid(f"focus_hints must be a list of strings; for one hint write [{hints[:40]!r}]")
    return tuple(checked_name(one, "focus hint") for one in hints or ())


def _ttl(ttl: timedelta | float) -> timedelta:
    found = checked_ttl(ttl)
    if found is None:
        raise Invalid("ttl is missing; to keep a crystal for good, pin it")
    return found


def _task(task: TaskState | Mapping[str, Any] | None) -> TaskState | None:
    if task is None:
        return None
    given = msgspec.structs.asdict(task) if isinstance(task, TaskState) else dict(task)
    try:
        made = msgspec.convert(checked_metadata(given, "task_state"), TaskState)
    except msgspec.ValidationError as error:
        raise Invalid(f"task_state is wrong: {error}") from None
    return msgspec.structs.replace(made, progress=checked_fraction(cast(object, made.progress), "progress"))
