"""All passes of the metabolism, one after another, or a little of them after a write."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from foveal.engine.core import Core
from foveal.engine.metabolism import ageing, consolidating, expiring, following, summarising
from foveal.engine.metabolism.slicing import SLICE, sliced
from foveal.engine.policies import current
from foveal.model.query import Sight
from foveal.model.record import Tier
from foveal.model.results import Metabolised, Move, What
from foveal.rules.visibility import reaches

LOG = logging.getLogger("foveal.metabolism")
EXAMPLES = 20

Pass = Callable[..., Iterator[Move]]

PASSES: dict[str, Pass] = {
    "expire": expiring.expire,
    "digest": ageing.digest,
    "assimilate": ageing.assimilate,
    "sediment": ageing.sediment,
    "consolidate": consolidating.consolidate,
    "prune": ageing.prune,
}


def metabolise(
    core: Core, sight: Sight | None = None, *, passes: tuple[str, ...] = (), dry_run: bool = False
) -> Metabolised:
    """Run the passes over one organism, or over all. Run twice, the second finds nothing to do.

    What is told of it is what the sight may see.
    """
    core, viewpoint = current(core), sight and sight.viewpoint
    counts: Counter[str] = Counter()
    examples: list[Move] = []
    for name in passes or tuple(PASSES):
        pruned = 0
        for move in _seen(core, sight, PASSES[name](core, viewpoint, dry_run=dry_run)):
            counts[move.what.value] += 1
            pruned += move.what is What.ARCHIVED and move.changes[0].before.tier is Tier.SEMANTIC
            if sum(one.what is move.what for one in examples) < EXAMPLES // len(What) + 1:
                examples.append(move)
        if pruned and not dry_run:
            LOG.info("L4 prune archived %d records", pruned)
    summaries = 0
    if not dry_run and not passes:
        made = summarising.summarise(core, viewpoint)
        summaries = sum(sight is None or reaches(one.scope, one.node, sight.viewpoint.node) for one in made)
        following.age_ledgers(core, viewpoint)
        following.follow_tapes(core, viewpoint)
    return Metabolised(
        moves=counts.total(),
        counts=dict(sorted(counts.items())),
        examples=tuple(examples),
        summaries=summaries,
        dry_run=dry_run,
    )


def _seen(core: Core, sight: Sight | None, moves: Iterator[Move]) -> Iterator[Move]:
    """The moves of records that the sight may see."""
    for part in sliced(moves, SLICE):
        if sight is None:
            yield from part
            continue
        hidden = msgspec.structs.replace(sight, hidden=True)
        seen = {one.id for one in core.store.get(hidden, [move.record_id for move in part])}
        yield from (move for move in part if move.record_id in seen)
