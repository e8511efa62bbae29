"""Crystals: made of a window, resumed, kept, and let go."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec

from foveal.engine.core import Core
from foveal.engine.crystals.keeping import keep
from foveal.errors import NotFound
from foveal.model.crystal import DAY, ContextWindow, Lineage, Resumed, StateCrystal, TaskState
from foveal.model.query import Viewpoint
from foveal.rules.crystals import fitted, parts_of


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
    core: Core, viewpoint: Viewpoint, window: ContextWindow, said: Said, *, kept: bool = True
) -> StateCrystal:
    """Keep a window: what must stay verbatim, a summary of the rest, and the state; one transaction.

    The turns that only the summary tells of are written as records first.
    """
    parts = parts_of(window, core.counter.count, core.summarise, hints=said.hints, more=said.more)
    above = _parent(core, viewpoint, said.parent or parts.parent, required=said.parent is not None)
    if kept:
        keep(core, viewpoint, window, parts.shortened)
    task = said.task_state or (above.task_state if above else TaskState())
    inherited = above.working_memory if above else dict[str, Any]()
    crystal = StateCrystal(
        crystal_id=new_crystal_id(),
        agent=viewpoint.node,
        timestamp=core.clock.now(),
        task_state=task,
        working_memory=inherited if said.working_memory is None else said.working_memory,
        history_summary=parts.summary,
        summary_tokens=core.counter.count(parts.summary) if parts.summary else 0,
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
    core.store.put_crystal(viewpoint, crystal)
    return crystal


def new_crystal_id() -> str:
    """A fresh id."""
    return f"crystal_{secrets.token_hex(6)}"


def _parent(core: Core, viewpoint: Viewpoint, crystal_id: str | None, *, required: bool) -> StateCrystal | None:
    if crystal_id is None:
        return None
    try:
        return core.store.crystal(viewpoint, crystal_id)
    except NotFound:
        # A head that was copied from another memory names a crystal that is not here.
        if required:
            raise
        return None


def living(core: Core, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
    """A crystal that can be gone on with."""
    found = core.store.crystal(viewpoint, crystal_id)
    if found.reaped_at is not None:
        raise NotFound(f"{crystal_id} was reaped: only its summary is left", crystal_id=crystal_id)
    if found.is_expired(core.clock.now()):
        raise NotFound(f"{crystal_id} has expired: cherish it before it is reaped", crystal_id=crystal_id)
    return found


def resume(core: Core, viewpoint: Viewpoint, crystal_id: str, max_tokens: int) -> Resumed:
    """Put a crystal back, as much of it as fits, and count the use of it."""
    crystal = living(core, viewpoint, crystal_id)
    window, left_out = fitted(crystal, core.counter.count, max_tokens)
    touch(core, viewpoint, crystal_id)
    return Resumed(
        crystal=crystal,
        window=window,
        task_state=crystal.task_state,
        working_memory=crystal.working_memory,
        left_out=left_out,
    )


def touch(core: Core, viewpoint: Viewpoint, crystal_id: str) -> Lineage:
    """Let the time of a crystal begin anew."""
    living(core, viewpoint, crystal_id)
    return core.store.mark_crystal(viewpoint, crystal_id, touched_at=core.clock.now())
