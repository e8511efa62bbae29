"""The pass that archives knowledge nobody has used until it faded away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from foveal.engine.core import Core
from foveal.engine.metabolism.slicing import SLICE, act_of, performed
from foveal.model.policy import Schedule
from foveal.model.query import Viewpoint
from foveal.model.record import Tier
from foveal.model.results import Move
from foveal.ports.store import Act
from foveal.rules.decay import rates, strength
from foveal.rules.lifecycle import archived


def fade(core: Core, schedule: Schedule) -> Iterator[Move]:
    """What has almost no strength left in L4 goes to the archive."""
    a_day = rates(core.config)
    while True:
        now = core.clock.now()
        found = core.store.faded(
            now,
            timedelta(days=schedule.faded_days),
            rate=a_day[Tier.SEMANTIC],
            below=schedule.faded_below,
            limit=SLICE,
        )
        acts: dict[tuple[str, str], list[Act]] = {}
        for record in found:
            left = strength(record.vitals, record.recorded_at, now, a_day)
            why = f"its strength is {left:.2f}, below {schedule.faded_below:g}"
            acts.setdefault((record.world, record.actor_id), []).append(act_of(core, archived(record, why, now)))
        moved = 0
        for (world, actor), own in acts.items():
            for move in performed(core, Viewpoint(world=world, actor_id=actor), own, dry_run=False):
                moved += 1
                yield move
        if not moved:
            return
