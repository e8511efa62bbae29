"""How much each tier holds."""

from __future__ import annotations

from typing import Any

from foveal.engine.core import Core
from foveal.engine.policies import current
from foveal.model.query import Sight
from foveal.model.record import Tier
from foveal.model.results import What
from foveal.rules.decay import rates

FACTS = ("fact", "knowledge_fact", "knowledge", "consolidated")


def tiers(core: Core, sight: Sight) -> dict[str, Any]:
    """The sizes of the tiers, what they may hold and for how long, what they lose in a day, what L4 let go."""
    stats, config = core.store.stats(sight), current(core).config
    moves = core.store.counted_moves(sight)
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
