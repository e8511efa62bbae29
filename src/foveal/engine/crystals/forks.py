"""Forks of a memory: written apart from it, forgotten in, dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import msgspec

from foveal.engine import keep
from foveal.engine.core import Core
from foveal.engine.crystals.overlay import Overlay
from foveal.engine.write import entries
from foveal.errors import Pinned
from foveal.model.crystal import Changes, Snapshot
from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Record, Vitals
from foveal.model.results import Forgotten
from foveal.ports.store import Order, Store
from foveal.rules.visibility import refuse_foreign

# A record that is forgotten in a fork keeps nothing of what it said: the original has that.
FORGOTTEN = "Forgotten in this fork."


def world_of(origin: str, snapshot: Snapshot, name: str) -> str:
    """The world of a fork, in which its own records lie."""
    return f"{origin}~{snapshot.id}~{name}"


def forked(core: Core, origin: Viewpoint, world: str, snapshot: Snapshot) -> tuple[Core, Overlay]:
    """What a fork works with: the same parts, and a store with the origin below."""
    overlay = Overlay(core.store, origin, world, snapshot.taken_at)
    return replace(core, store=cast(Store, overlay)), overlay


def forget(
    core: Core, plain: Core, overlay: Overlay, viewpoint: Viewpoint, target: str | Sequence[str] | Mapping[str, Any]
) -> Forgotten:
    """Take records out of sight in the fork alone."""
    sight = core.sight(viewpoint)
    records = keep.targets(core, sight, target)
    refuse_foreign(records, sight)
    pinned = [one.id for one in records if one.vitals.pinned]
    if pinned and isinstance(target, str):
        raise Pinned(f"{target} is pinned", record_id=target)
    ids = [one.id for one in records if not one.vitals.pinned]
    own = [one.id for one in plain.store.get(sight, ids)]
    lower = [one for one in records if one.id in ids and one.id not in own]
    if lower:
        overlay.shadow(sight, entries(core, [_tombstone(one, sight) for one in lower]), core.encoder)
    done = keep.forget(plain, viewpoint, own, hard=False) if own else None
    return Forgotten(ids=tuple(ids), pinned=tuple(pinned), move=done.move if done else None)


def _tombstone(record: Record, sight: Sight) -> Record:
    return msgspec.structs.replace(
        record,
        text=FORGOTTEN,
        version=record.version + 1,
        recorded_at=sight.now,
        superseded_at=None,
        speaker=None,
        tags=(),
        metadata={},
        parent_id=None,
        idempotency_key=None,
        vitals=Vitals(tier=record.vitals.tier, forgotten_at=sight.now),
    )


def changes(core: Core, overlay: Overlay, viewpoint: Viewpoint) -> Changes:
    """What differs in the fork from the snapshot, as far as this viewpoint sees it."""
    sight = core.sight(viewpoint)
    shadows = overlay.shadows(sight)
    lower = {one.id for one in core.store.get(overlay.below(sight, whole=True), [one.id for one in shadows])}
    seen = {one.id for one in overlay.get(sight, [one.id for one in shadows])}
    own = [one.id for one in core.store.scan(sight, order=Order.OLDEST)]
    return Changes(
        added=tuple(one for one in own if one not in lower),
        superseded=tuple(one for one in own if one in lower),
        forgotten=tuple(one.id for one in shadows if one.id in lower and one.id not in seen),
    )


def drop(core: Core, viewpoint: Viewpoint) -> int:
    """Erase what the fork holds of its own. Gives how many records that were."""
    sight = core.sight(viewpoint, owner=viewpoint.node == "/", hidden=True)
    records = list(core.store.scan(sight, order=Order.OLDEST))
    refuse_foreign(records, sight)
    if records:
        core.store.erase(sight, [one.id for one in records])
    return len(records)
