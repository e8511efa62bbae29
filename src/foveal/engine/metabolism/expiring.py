"""The pass that tells of records whose time has run out."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from foveal.engine.core import Core
from foveal.engine.metabolism.slicing import SLICE, act_of, performed
from foveal.model.query import Viewpoint
from foveal.model.results import Move, What
from foveal.ports.store import Act
from foveal.rules.lifecycle import Shift


def expire(core: Core, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """What has expired was out of sight at once; now it is forgotten, and the journal says so."""
    while True:
        now = core.clock.now()
        acts: dict[tuple[str, str], list[Act]] = {}
        for record in core.store.expired(now, viewpoint, SLICE):
            vitals = msgspec.structs.replace(record.vitals, forgotten_at=now)
            why = f"its time ran out at {record.vitals.expires_at:%Y-%m-%d %H:%M}"
            shift = Shift(record=record, vitals=vitals, what=What.EXPIRED, why=why)
            acts.setdefault((record.world, record.actor_id), []).append(act_of(core, shift))
        moved = 0
        for (world, actor), own in acts.items():
            for move in performed(core, Viewpoint(world=world, actor_id=actor), own, dry_run=dry_run):
                moved += 1
                yield move
        if dry_run or not moved:
            return
