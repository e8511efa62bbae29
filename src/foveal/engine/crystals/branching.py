"""Crystals that part, come together again, and are compared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from foveal.engine.core import Core
from foveal.engine.crystals.lives import Said, crystallize, living, new_crystal_id
from foveal.errors import Conflict
from foveal.model.crystal import ContextWindow, Difference, StateCrystal
from foveal.model.query import Viewpoint
from foveal.rules.crystals import difference, merged, own_turns, window_of
from foveal.rules.windows import resumed_from


def branch(
    core: Core, viewpoint: Viewpoint, crystal_id: str, reason: str, *, budget: float | None, ttl: timedelta
) -> StateCrystal:
    """A crystal with the same content under another, to go another way from. Costs a few small rows."""
    above = living(core, viewpoint, crystal_id)
    made = msgspec.structs.replace(
        above,
        crystal_id=new_crystal_id(),
        agent=viewpoint.node,
        timestamp=core.clock.now(),
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
    core.store.put_crystal(viewpoint, made)
    return made


def merge(
    core: Core,
    viewpoint: Viewpoint,
    crystal_id: str,
    into: str,
    *,
    strategy: str,
    pick: Sequence[str],
    ttl: timedelta,
) -> StateCrystal:
    """A crystal under `into` with what the branch brings since the two parted."""
    child, parent = living(core, viewpoint, crystal_id), living(core, viewpoint, into)
    lines = core.store.ancestry(viewpoint, into)
    if any(one.merged == crystal_id for one in lines):
        raise Conflict(f"{crystal_id} was merged into {into} before", crystal_id=crystal_id)
    if any(one.crystal_id == crystal_id for one in lines):
        raise Conflict(f"{into} comes from {crystal_id} and has all of it", crystal_id=crystal_id)
    ancestor = common(core, viewpoint, crystal_id, into)
    if ancestor is None:
        raise Conflict(f"{crystal_id} and {into} have nothing in common", crystal_id=crystal_id)
    base = core.store.crystal(viewpoint, ancestor)
    windows = [_body(core, one) for one in (parent, child, base)]
    before = window_of(parent, core.counter.count, windows[0].max_tokens)
    own = own_turns(windows[1], windows[2], windows[0])
    if own or child.history_summary in ("", base.history_summary):
        brought = merged(
            windows[0],
            windows[1],
            windows[2],
            count=core.counter.count,
            summarise=core.summarise,
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
    return crystallize(core, viewpoint, window, said)


def _body(core: Core, crystal: StateCrystal) -> ContextWindow:
    """The window of a crystal without its head, which is its own in every crystal."""
    window = window_of(crystal, core.counter.count, max(1, crystal.total_tokens))
    return window.with_turns(turn for turn in window.turns if resumed_from(turn.content) is None)


def common(core: Core, viewpoint: Viewpoint, first: str, second: str) -> str | None:
    """The nearest crystal that both come from."""
    others = {one.crystal_id for one in core.store.ancestry(viewpoint, second)}
    lines = core.store.ancestry(viewpoint, first)
    return next((one.crystal_id for one in lines if one.crystal_id in others), None)


def diff(core: Core, viewpoint: Viewpoint, first: str, second: str) -> Difference:
    """What the second of two crystals has that the first has not, and the other way round."""
    here, there = (core.store.crystal(viewpoint, one) for one in (first, second))
    return difference(here, there, common(core, viewpoint, first, second))
