"""How memories move from tier to tier, as its users configure it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, force_setattr

from foveal.errors import Invalid
from foveal.model.tier import Tier


class Strategy(StrEnum):
    """What takes a record from a tier to the next: its importance, its uses, or its age alone."""

    IMPORTANCE_BASED = "importance_based"
    SIMPLE = "simple"
    TIME_BASED = "time_based"


class MemoryLayerConfig(Struct, frozen=True, kw_only=True):
    """The policy of one tier.

    `capacity` counts records of a session in L1 and L2, of an actor in L3 and L4; None is unbounded.
    `retention_hours` None is for ever. `promote_threshold` is how many uses earn the next tier.
    """

    capacity: int | None = 10
    retention_hours: float | None = None
    promote_threshold: int = 3
    auto_compress: bool = True

    def __post_init__(self) -> None:
        if self.capacity is not None and self.capacity < 1:
            raise Invalid("the capacity of a layer must be 1 or more, or None for no bound")
        if self.retention_hours is not None and self.retention_hours < 0:
            raise Invalid("retention_hours must be 0 or more, or None for ever")
        if self.promote_threshold < 0:
            raise Invalid("promote_threshold must be 0 or more")


_L1 = MemoryLayerConfig(capacity=10, retention_hours=1, promote_threshold=3)
_L2 = MemoryLayerConfig(capacity=50, retention_hours=24, promote_threshold=5)
_L3 = MemoryLayerConfig(capacity=200, retention_hours=168, promote_threshold=10)
_L4 = MemoryLayerConfig(capacity=None, retention_hours=None, promote_threshold=0, auto_compress=False)


class KindConfig(Struct, frozen=True, kw_only=True):
    """How records of a kind start, and how much telling that one matters does for it."""

    tier: Tier | str = Tier.WORKING
    importance: float = 0.5
    reinforcement: float = 1.2

    def __post_init__(self) -> None:
        force_setattr(self, "tier", Tier.named(self.tier))
        if not 0 <= self.importance <= 1:
            raise Invalid("the importance of a kind must be between 0 and 1")
        if self.reinforcement <= 0:
            raise Invalid("the reinforcement of a kind must be above 0")


KINDS = {
    "interaction": KindConfig(tier=Tier.SESSION, importance=0.7, reinforcement=1.2),
    "knowledge_fact": KindConfig(tier=Tier.EPISODIC, importance=0.8, reinforcement=1.1),
    "episode": KindConfig(tier=Tier.EPISODIC, importance=0.6, reinforcement=1.3),
    "consolidated": KindConfig(tier=Tier.EPISODIC, importance=0.7, reinforcement=1.1),
    "goal": KindConfig(tier=Tier.SESSION, importance=0.6),
    "task": KindConfig(tier=Tier.SESSION, importance=0.5),
    "decision": KindConfig(tier=Tier.EPISODIC, importance=0.7),
    "pattern": KindConfig(tier=Tier.EPISODIC, importance=0.6),
    "incident": KindConfig(tier=Tier.SEMANTIC, importance=0.8),
    "procedure": KindConfig(tier=Tier.SEMANTIC, importance=0.7),
    "config_change": KindConfig(tier=Tier.SEMANTIC, importance=0.5),
    "knowledge": KindConfig(tier=Tier.SEMANTIC, importance=0.6),
}
_PLAIN = KindConfig()


class MemoryConfig(Struct, frozen=True, kw_only=True):
    """How memories age. What is not said is the default.

    `enable_auto_migration` lets records move by themselves; `enable_compression` lets L2 pass to L3, L3 to L4, and
    near-duplicates of L4 be consolidated.
    """

    strategy: Strategy = Strategy.IMPORTANCE_BASED
    importance_threshold: float = 0.6
    l1: MemoryLayerConfig = _L1
    l2: MemoryLayerConfig = _L2
    l3: MemoryLayerConfig = _L3
    l4: MemoryLayerConfig = _L4
    enable_auto_migration: bool = True
    enable_compression: bool = True
    decay: Mapping[str, float] = field(default_factory=dict[str, float])
    """How much of its strength a record loses in a day, by tier; .1, .1, .05 and .01 if not said."""
    types: Mapping[str, KindConfig] = field(default_factory=dict[str, KindConfig])
    """How records of a kind start, beside the kinds that are known."""
    similarity: float = 0.75
    """The cosine from which two facts of L4 say nearly the same."""
    smallest_cluster: int = 3
    """How many near-duplicates are consolidated at least."""

    def __post_init__(self) -> None:
        if self.strategy not in list(Strategy):
            raise Invalid(f"there is no strategy {self.strategy!r}: use {', '.join(Strategy)}")
        force_setattr(self, "strategy", Strategy(self.strategy))
        for name in ("importance_threshold", "similarity"):
            if not 0 <= getattr(self, name) <= 1:
                raise Invalid(f"{name} must be between 0 and 1")
        if self.smallest_cluster < 2:
            raise Invalid("smallest_cluster must be 2 or more")
        for name, rate in self.decay.items():
            Tier.named(name)
            if not 0 <= rate < 1:
                raise Invalid(f"the decay of {name} must be at least 0 and below 1 a day")

    def kind(self, name: str) -> KindConfig:
        """How records of a kind start."""
        return self.types.get(name) or KINDS.get(name, _PLAIN)

    def layer(self, tier: Tier) -> MemoryLayerConfig:
        """The policy of a tier."""
        return (self.l1, self.l2, self.l3, self.l4)[tier - 1]


def with_defaults(said: Mapping[str, Any]) -> dict[str, Any]:
    """What is not said of a layer is what that layer has by default, not what any layer has.

    >>> with_defaults({"l2": {"capacity": 5}})["l2"]["capacity"]
    5
    """
    default = MemoryConfig()
    layers = {
        name: {**asdict(getattr(default, name)), **said[name]}
        for name in ("l1", "l2", "l3", "l4")
        if isinstance(said.get(name), dict)
    }
    return {**said, **layers}
