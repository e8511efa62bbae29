"""Runs the lifecycle passes, all of them or a slice after a write, and reports the sizes of the tiers."""

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
from foveal.engine.runtime.runtime import Runtime, with_overrides
from foveal.engine.tape.keeper import TapeKeeper, keep
from foveal.errors import EncoderMismatch, ModelUnavailable, ReadOnly, Unavailable
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Tier
from foveal.model.results import Metabolised, Move, What
from foveal.ports.store import TierSession
from foveal.rules.decay import rates
from foveal.rules.ledger import WORKING_LIFE
from foveal.rules.visibility import reaches

FACTS = ("fact", "knowledge_fact", "knowledge", "consolidated")


def tiers(runtime: Runtime, access: Access) -> dict[str, Any]:
    """The size, capacity, retention and daily decay of each tier, and what was pruned from L4."""
    stats, config = runtime.store.counts.stats(access), with_overrides(runtime).config
    moves = runtime.store.lifecycle.counted_moves(access)
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
    """Move finished goals and old decisions to long-term memory, slice by slice. Returns how many rows moved."""
    total = 0
    for place in runtime.store.ledger.ledgers():
        if viewpoint is None or place.organism == viewpoint.organism:
            while moved := _one_slice(runtime, place):
                total += moved
    return total


def _one_slice(runtime: Runtime, place: Viewpoint) -> int:
    done = ledger.age(runtime, place)
    return len(done.goals) + len(done.decisions) + done.metric_hours + done.event_hours


def reap_crystals(runtime: Runtime, viewpoint: Viewpoint | None = None) -> int:
    """Drop the content of the crystals that have expired and are not cherished. Returns how many there were."""
    now = runtime.clock.now()
    owners = [place for place in runtime.store.crystals.overdue(now) if not viewpoint or _same(place, viewpoint)]
    return sum(runtime.writes.reap_crystals(place, now).reaped_count for place in owners)


def _same(place: Viewpoint, viewpoint: Viewpoint) -> bool:
    return place.organism == viewpoint.organism


def keep_tapes(runtime: Runtime, viewpoint: Viewpoint | None = None) -> int:
    """Build the tapes that are due, and add newly written records to the others. Returns how many changed."""
    kept = 0
    for world, actor in [viewpoint.organism] if viewpoint else runtime.store.counts.organisms():
        try:
            kept += keep(runtime, Viewpoint(world=world, actor_id=actor))
        except (EncoderMismatch, ModelUnavailable):
            # A tape of another encoder stays as it is until a new one is built.
            continue
    return kept


LOG = logging.getLogger("foveal.metabolism")

# After this many writes to a session, a slice of its L1 and L2 is processed.
WRITES = 16
# How many moves one slice makes at most; this many take less than 5 ms.
MOST = 64
# How many sessions are processed at most when a memory is opened or closed.
SESSIONS = 8

# How many goals and decisions move to long-term memory at most when a memory is opened or closed.
LEDGER_ROWS = 16

Place = tuple[str, str, str | None]


class InlineMetabolism:
    """Counts writes, and runs a slice of the metabolism when enough have gathered. `tapes` are kept beside it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: Counter[Place] = Counter()
        self.tapes = TapeKeeper()

    def wrote(self, runtime: Runtime, viewpoint: Viewpoint, count: int) -> None:
        """Count a write, and run a slice if enough have gathered. A busy store is left alone: the write is done."""
        self.tapes.wrote(runtime, viewpoint.organism, count)
        place = (*viewpoint.organism, viewpoint.session_id)
        with self._lock:
            self._written[place] += count
            if self._written[place] < WRITES:
                return
            del self._written[place]
        self._slice(runtime, place, max(MOST, 2 * count))

    def opened(self, runtime: Runtime) -> None:
        """Process the overdue sessions when a memory is opened."""
        self._age_ledgers(runtime)
        hours = with_overrides(runtime).config.l1.retention_hours
        if hours is None:
            return
        before = runtime.clock.now() - timedelta(hours=hours)
        for room in islice(runtime.store.lifecycle.tier_sessions(Tier.WORKING, before=before), SESSIONS):
            self._slice(runtime, (room.world, room.actor_id, room.session_id), MOST)

    def closing(self, runtime: Runtime) -> None:
        """Process the sessions written to since their last slice when a memory is closed."""
        self.tapes.close()
        with self._lock:
            places = list(self._written)[-SESSIONS:]
            self._written.clear()
        for place in places:
            self._slice(runtime, place, MOST)
        self._age_ledgers(runtime)

    def _age_ledgers(self, runtime: Runtime) -> None:
        """Move a slice of the finished goals and old decisions to long-term memory."""
        runtime = runtime.newest
        cutoff, left = runtime.clock.now() - WORKING_LIFE, LEDGER_ROWS
        try:
            for place in runtime.store.ledger.ledgers():
                left -= ledger.migrate(runtime, place, cutoff, left).count if left > 0 else 0
        except (ReadOnly, Unavailable) as error:
            runtime.degraded("metabolism", error)
            LOG.info("the migration of the ledger waits: %s", error)

    def _slice(self, runtime: Runtime, place: Place, most: int) -> None:
        world, actor, session = place
        room = TierSession(world=world, actor_id=actor, session_id=session, records=1, oldest=runtime.clock.now())
        try:
            runtime = with_overrides(runtime.newest)
            runtime.touches.flush()
            for _ in ageing.bring_back(runtime, Viewpoint(world=world, actor_id=actor), most=most):
                pass
            for age in (ageing.digest_room, ageing.assimilate_room):
                for _ in age(runtime, room, most=most):
                    pass
        except (ReadOnly, Unavailable) as error:
            runtime.degraded("metabolism", error)
            LOG.info("the metabolism waits: %s", error)


EXAMPLES = 20

Pass = Callable[..., Iterator[Move]]

PASSES: dict[str, Pass] = {
    "expire": ageing.expire,
    "bring_back": ageing.bring_back,
    "digest": ageing.digest,
    "assimilate": ageing.assimilate,
    "sediment": ageing.sediment,
    "consolidate": ageing.consolidate,
    "prune": ageing.prune,
}


def metabolise(
    runtime: Runtime, access: Access | None = None, *, passes: tuple[str, ...] = (), dry_run: bool = False
) -> Metabolised:
    """Run the passes over one organism, or over all. A second run right after finds nothing to do.

    The result reports only what the access may see.
    """
    runtime, viewpoint = with_overrides(runtime), access and access.viewpoint
    # What was read decides what deserves to stay.
    runtime.touches.flush()
    counts: Counter[str] = Counter()
    examples: list[Move] = []
    for name in passes or tuple(PASSES):
        pruned = 0
        for move in _seen(runtime, access, PASSES[name](runtime, viewpoint, dry_run=dry_run)):
            counts[move.what.value] += 1
            pruned += move.what is What.ARCHIVED and move.changes[0].before.tier is Tier.SEMANTIC
            if sum(example.what is move.what for example in examples) < EXAMPLES // len(What) + 1:
                examples.append(move)
        if pruned and not dry_run:
            LOG.info("L4 prune archived %d records", pruned)
    summaries = 0
    if not dry_run and not passes:
        renditions = ageing.summarise(runtime, viewpoint)
        summaries = sum(
            access is None or reaches(rendition.scope, rendition.node, access.viewpoint.node)
            for rendition in renditions
        )
        age_ledgers(runtime, viewpoint)
        reap_crystals(runtime, viewpoint)
        keep_tapes(runtime, viewpoint)
    return Metabolised(
        moves=counts.total(),
        counts=dict(sorted(counts.items())),
        examples=tuple(examples),
        summaries=summaries,
        dry_run=dry_run,
    )


def _seen(runtime: Runtime, access: Access | None, moves: Iterator[Move]) -> Iterator[Move]:
    """The moves of visible records."""
    for part in sliced(moves, SLICE):
        if access is None:
            yield from part
            continue
        hidden = msgspec.structs.replace(access, include_hidden=True)
        seen = {record.id for record in runtime.store.records.get(hidden, [move.record_id for move in part])}
        yield from (move for move in part if move.record_id in seen)
