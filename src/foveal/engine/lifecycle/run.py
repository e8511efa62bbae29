"""Runs the passes: all of them, or a slice after a write; tier sizes."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice
from typing import Any

import msgspec

from foveal.engine.ledger import ledger
from foveal.engine.lifecycle import passes as ageing
from foveal.engine.lifecycle.passes import SLICE, sliced
from foveal.engine.runtime.runtime import Runtime, current
from foveal.engine.tape import build
from foveal.errors import EncoderMismatch, ModelUnavailable, ReadOnly, Unavailable
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Tier
from foveal.model.results import Metabolised, Move, What
from foveal.ports.store import TierSession
from foveal.rules.decay import rates
from foveal.rules.visibility import reaches

FACTS = ("fact", "knowledge_fact", "knowledge", "consolidated")


def tiers(runtime: Runtime, access: Access) -> dict[str, Any]:
    """The sizes of the tiers, what they may hold and for how long, what they lose in a day, what L4 let go."""
    stats, config = runtime.store.stats(access), current(runtime).config
    moves = runtime.store.counted_moves(access)
    pruned, last = moves.get((What.ARCHIVED, Tier.SEMANTIC), (0, None))
    return {
        **{f"l{int(tier)}_size": stats.held.get(tier.name.lower(), 0) for tier in Tier},
        "l4_index_size": stats.records - stats.pending,
        "total_tasks": stats.records,
        "total_facts": sum(count for kind, count in stats.kinds.items() if kind in FACTS),
        **{f"max_l{int(tier)}_size": config.layer(tier).capacity for tier in Tier},
        **{f"l{int(tier)}_retention_hours": config.layer(tier).retention_hours for tier in Tier},
        **{f"decay_l{int(tier)}": rate for tier, rate in rates(config).items()},
        "l4_pruned_count": pruned,
        "l4_last_pruned_at": last,
        "has_vector_store": True,
        "has_embedding_provider": True,
        "archived": stats.archived,
        "consolidated": sum(count for (what, _), (count, _) in moves.items() if what == What.CONSOLIDATED),
    }


def age_ledgers(runtime: Runtime, viewpoint: Viewpoint | None = None) -> int:
    """Let finished goals and old decisions go to long-term memory, slice by slice. Gives how many went."""
    gone = 0
    for place in runtime.store.ledgers():
        if viewpoint is None or place.organism == viewpoint.organism:
            while moved := _one_slice(runtime, place):
                gone += moved
    return gone


def _one_slice(runtime: Runtime, place: Viewpoint) -> int:
    done = ledger.age(runtime, place)
    return len(done.goals) + len(done.decisions) + done.metric_hours + done.event_hours


def follow_tapes(runtime: Runtime, viewpoint: Viewpoint | None = None) -> int:
    """Take what was written since into the tapes in use. Gives how many tapes there are."""
    followed = 0
    for world, actor in [viewpoint.organism] if viewpoint else runtime.store.organisms():
        place = Viewpoint(world=world, actor_id=actor)
        if runtime.store.shown_tape(place):
            try:
                build.update(runtime, place)
            except (EncoderMismatch, ModelUnavailable):
                # A tape of another encoder stays as it is until one is built anew.
                continue
            followed += 1
    return followed


LOG = logging.getLogger("foveal.metabolism")

# After so many writes to a session its L1 and L2 are looked after.
WRITES = 16
# So many moves take less than 5 ms.
MOST = 64
# Of so many sessions at most, at opening and closing.
SESSIONS = 8

Place = tuple[str, str, str | None]


class InlineMetabolism:
    """Counts writes, and lets a slice of the metabolism run when it is time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: Counter[Place] = Counter()

    def wrote(self, runtime: Runtime, viewpoint: Viewpoint, count: int) -> None:
        """After a write: a slice, if it is time. A store that is busy is left alone: the write is done."""
        place = (*viewpoint.organism, viewpoint.session_id)
        with self._lock:
            self._written[place] += count
            if self._written[place] < WRITES:
                return
            del self._written[place]
        self._slice(runtime, place, max(MOST, 2 * count))

    def opened(self, runtime: Runtime) -> None:
        """At opening: the sessions that are overdue."""
        hours = current(runtime).config.l1.retention_hours
        if hours is None:
            return
        before = runtime.clock.now() - timedelta(hours=hours)
        for room in islice(runtime.store.tier_sessions(Tier.WORKING, before=before), SESSIONS):
            self._slice(runtime, (room.world, room.actor_id, room.session_id), MOST)

    def closing(self, runtime: Runtime) -> None:
        """At closing: the sessions that were written to since they were looked after."""
        with self._lock:
            places = list(self._written)[-SESSIONS:]
            self._written.clear()
        for place in places:
            self._slice(runtime, place, MOST)

    def _slice(self, runtime: Runtime, place: Place, most: int) -> None:
        world, actor, session = place
        room = TierSession(world=world, actor_id=actor, session_id=session, records=1, oldest=runtime.clock.now())
        try:
            runtime = current(runtime.newest)
            for one in (ageing.digest_room, ageing.assimilate_room):
                for _ in one(runtime, room, most=most):
                    pass
        except (ReadOnly, Unavailable) as error:
            runtime.degraded("metabolism", error)
            LOG.info("the metabolism waits: %s", error)


EXAMPLES = 20

Pass = Callable[..., Iterator[Move]]

PASSES: dict[str, Pass] = {
    "expire": ageing.expire,
    "digest": ageing.digest,
    "assimilate": ageing.assimilate,
    "sediment": ageing.sediment,
    "consolidate": ageing.consolidate,
    "prune": ageing.prune,
}


def metabolise(
    runtime: Runtime, access: Access | None = None, *, passes: tuple[str, ...] = (), dry_run: bool = False
) -> Metabolised:
    """Run the passes over one organism, or over all. Run twice, the second finds nothing to do.

    What is told of it is what the sight may see.
    """
    runtime, viewpoint = current(runtime), access and access.viewpoint
    counts: Counter[str] = Counter()
    examples: list[Move] = []
    for name in passes or tuple(PASSES):
        pruned = 0
        for move in _seen(runtime, access, PASSES[name](runtime, viewpoint, dry_run=dry_run)):
            counts[move.what.value] += 1
            pruned += move.what is What.ARCHIVED and move.changes[0].before.tier is Tier.SEMANTIC
            if sum(one.what is move.what for one in examples) < EXAMPLES // len(What) + 1:
                examples.append(move)
        if pruned and not dry_run:
            LOG.info("L4 prune archived %d records", pruned)
    summaries = 0
    if not dry_run and not passes:
        made = ageing.summarise(runtime, viewpoint)
        summaries = sum(access is None or reaches(one.scope, one.node, access.viewpoint.node) for one in made)
        age_ledgers(runtime, viewpoint)
        follow_tapes(runtime, viewpoint)
    return Metabolised(
        moves=counts.total(),
        counts=dict(sorted(counts.items())),
        examples=tuple(examples),
        summaries=summaries,
        dry_run=dry_run,
    )


def _seen(runtime: Runtime, access: Access | None, moves: Iterator[Move]) -> Iterator[Move]:
    """The moves of records that the sight may see."""
    for part in sliced(moves, SLICE):
        if access is None:
            yield from part
            continue
        hidden = msgspec.structs.replace(access, include_hidden=True)
        seen = {one.id for one in runtime.store.get(hidden, [move.record_id for move in part])}
        yield from (move for move in part if move.record_id in seen)
