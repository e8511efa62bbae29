"""Configuration: how memory ages, how a read divides its budget, when jobs run, and stored overrides."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, force_setattr

from foveal.errors import Invalid
from foveal.model.record import Tier


class Strategy(StrEnum):
    """What moves a record to the next tier: its importance, its uses, or its age alone."""

    IMPORTANCE_BASED = "importance_based"
    SIMPLE = "simple"
    TIME_BASED = "time_based"


class MemoryLayerConfig(Struct, frozen=True, kw_only=True):
    """The policy of one tier.

    `capacity` limits the records of a session in L1 and L2, and of an actor in L3 and L4; None is unbounded.
    A `retention_hours` of None keeps records for ever. `promote_threshold` is how many uses earn the next tier, or
    in L4 the return from the archive; 0 lets uses earn nothing. Without `auto_compress` no record moves on from the
    tier by itself, and in L4 near-duplicates are not consolidated.
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
_L4 = MemoryLayerConfig(capacity=None, retention_hours=None, promote_threshold=0)


class KindConfig(Struct, frozen=True, kw_only=True):
    """The initial tier and importance of records of a kind, and the factor by which reinforcing one raises it."""

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
    """How memories age.

    `enable_auto_migration` lets records move between tiers by themselves. `enable_compression` lets records move
    from L2 to L3 and from L3 to L4, and lets near-duplicates in L4 be consolidated.
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
    """The share of its strength that a record loses in a day, by tier; .1, .1, .05 and .01 by default."""
    types: Mapping[str, KindConfig] = field(default_factory=dict[str, KindConfig])
    """How records of further kinds start, or of the built-in kinds in place of their defaults."""
    similarity: float = 0.75
    """The cosine similarity from which two facts in L4 count as near-duplicates."""
    smallest_cluster: int = 3
    """The smallest number of near-duplicates that are consolidated."""

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

    def knows(self, kind: str) -> bool:
        """Whether a kind has initial values of its own."""
        return kind in self.types or kind in KINDS

    def kind(self, name: str) -> KindConfig:
        """The initial values of records of a kind."""
        return self.types.get(name) or KINDS.get(name, _PLAIN)

    def layer(self, tier: Tier) -> MemoryLayerConfig:
        """The policy of a tier."""
        return (self.l1, self.l2, self.l3, self.l4)[tier - 1]


def with_defaults(said: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with each layer completed by the defaults of that same layer.

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


class Override(Struct, frozen=True, kw_only=True):
    """A stored value that replaces a setting: the name of the setting, the value, and when it was changed."""

    name: str
    value: Any
    changed_at: datetime


class Origin(StrEnum):
    """Where a value comes from: the default, the settings the process was started with, or the store."""

    DEFAULT = "default"
    SETTINGS = "settings"
    STORE = "store"


class PolicyValue(Struct, frozen=True, kw_only=True):
    """A value that controls how memory is read or ages: the one in effect, and where it comes from.

    `otherwise` is the value in effect when the store keeps none.
    """

    name: str
    value: Any
    origin: Origin
    otherwise: Any
    changed_at: datetime | None = None


_SHARES = (
    *("shallow_budget_ratio", "deep_budget_ratio", "early_ratio", "relevant_ratio", "recent_ratio"),
    *("earlier_sessions_ratio", "working_ratio", "periphery_ratio"),
)
# Groups of shares that must add up to 1.
_WHOLES = (("shallow_budget_ratio", "deep_budget_ratio"), ("early_ratio", "relevant_ratio", "recent_ratio"))
_COUNTS = ("early_records", "recent_records", "early_from_tokens", "periphery_from_tokens")
_TOLERANCE = 0.01 + 1e-9


class MemoryPolicyConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of the policy "foveated". Shares are minimums: what a share does not spend, others may."""

    default_world: str = "default"
    """The world of a call that names none."""
    default_depth: int = 2
    """How much of a record is shown at most: 2 word for word, 1 its matching sentences, 0 its gist."""
    shallow_budget_ratio: float = 0.0
    """The share of the budget for relevant records that are shown shortened, while some do not fit whole."""
    deep_budget_ratio: float = 1.0
    """The share for relevant records that are shown whole; the two must add up to 1."""
    early_ratio: float = 0.3
    """The share for the beginning of the conversation."""
    relevant_ratio: float = 0.3
    """The share for records relevant to the question; it is spent first."""
    recent_ratio: float = 0.4
    """The share for the newest records; early, relevant and recent must add up to 1."""
    earlier_sessions_ratio: float = 0.1
    """The part of the relevant share that is kept for earlier sessions."""
    working_ratio: float = 0.3
    """The largest share that the working tier of the session may take."""
    early_records: int = 1
    """The most records that the early share may show."""
    recent_records: int = 2
    """The most records that the recent share may show."""
    early_from_tokens: int = 480
    """The smallest budget that has an early share."""
    periphery_ratio: float = 0.08
    """The largest share for summaries of sessions that are not quoted."""
    periphery_from_tokens: int = 1500
    """The smallest budget with room for such summaries."""
    periphery_cells: bool = False
    """Whether a read summarises cells of the map where there is no summary of a session or region."""

    def __post_init__(self) -> None:
        for name in _SHARES:
            share: object = getattr(self, name)
            if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share <= 1:
                raise Invalid(f"{name} must be a number from 0 to 1, not {share!r}")
        for names in _WHOLES:
            total = sum(getattr(self, name) for name in names)
            if abs(total - 1) > _TOLERANCE:
                raise Invalid(f"{', '.join(names)} must add up to 1, not {total:.2f}: change the others, too")
        if self.earlier_sessions_ratio > self.relevant_ratio:
            raise Invalid("earlier_sessions_ratio is a part of relevant_ratio: it may not be larger")
        for name in _COUNTS:
            count: object = getattr(self, name)
            if not isinstance(count, int) or isinstance(count, bool) or count < 0:
                raise Invalid(f"{name} must be a whole number of at least 0, not {count!r}")
        if not isinstance(self.periphery_cells, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid(f"periphery_cells must be true or false, not {self.periphery_cells!r}")
        if self.default_depth not in (0, 1, 2):
            raise Invalid(f"default_depth must be 0, 1 or 2, not {self.default_depth!r}")
        world = self.default_world
        if not isinstance(world, str) or not world.strip() or "/" in world or "#" in world:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid(f"default_world {world!r} must be a name without / or #")


class Schedule(Struct, frozen=True, kw_only=True):
    """The hours between two runs of each job; 0 disables a job. `health_check` is an hour of the day, in UTC."""

    migration: float = 1 / 60
    """Move records from tier to tier."""
    second_look: float = 1.0
    """Make the vectors of the second look that no process made after its writes."""
    extraction: float = 1 / 60
    """Let the language model read the turns that it has not read, and draw facts."""
    reaping: float = 1.0
    """Announce and forget expired records."""
    decay: float = 24.0
    """Archive records in L4 that have faded."""
    consolidation: float = 12.0
    """Consolidate near-duplicates in L4, and summarise sessions."""
    cleanup: float = 168.0
    """Delete old rows of the journal."""
    health_check: float | None = 3.0
    """Check the stored data."""
    journal_days: float = 90.0
    """How many days the journal keeps a move; until then it can be undone."""
    faded_below: float = 0.1
    """The strength below which a record in L4 has faded."""
    faded_days: float = 90.0
    """How many days such a record must have been unused."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and value < 0:
                raise Invalid(f"{name} of the scheduler must be 0 or more")
        if self.health_check is not None and self.health_check >= 24:
            raise Invalid("health_check is an hour of the day, below 24")
