"""How memory ages and how a budget is divided: `MemoryConfig`, `MemoryPolicyConfig`, schedule, stored overrides."""

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


class Override(Struct, frozen=True, kw_only=True):
    """A value that a store keeps, by the name of the setting it takes the place of, and since when."""

    name: str
    value: Any
    changed_at: datetime


class Origin(StrEnum):
    """Where a value comes from: nobody said another, the process was started with it, or the store keeps it."""

    DEFAULT = "default"
    SETTINGS = "settings"
    STORE = "store"


class PolicyValue(Struct, frozen=True, kw_only=True):
    """A value that says how memory is read or how it ages: what holds now, and where that comes from.

    `otherwise` is what holds when the store keeps none.
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
# Groups of shares that make a whole.
_WHOLES = (("shallow_budget_ratio", "deep_budget_ratio"), ("early_ratio", "relevant_ratio", "recent_ratio"))
_COUNTS = ("early_records", "recent_records", "early_from_tokens", "periphery_from_tokens")
_NEARLY = 0.01 + 1e-9


class MemoryPolicyConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of the policy "foveated". Shares are floors, not walls: what is not spent is spent again."""

    default_world: str = "default"
    """The world of a call that names none."""
    default_depth: int = 2
    """How sharp a record is shown at most: 2 word for word, 1 its fitting sentences, 0 its gist."""
    shallow_budget_ratio: float = 0.0
    """The share of the budget for relevant records that are shown shortened, while some do not fit whole."""
    deep_budget_ratio: float = 1.0
    """The share for relevant records that are shown whole; with the other it makes 1."""
    early_ratio: float = 0.3
    """The share for how it began."""
    relevant_ratio: float = 0.3
    """The share for what the question points at; it is spent first."""
    recent_ratio: float = 0.4
    """The share for where it stands now; with the other two it makes 1."""
    earlier_sessions_ratio: float = 0.1
    """The share for what is relevant in earlier sessions, out of that of the relevant."""
    working_ratio: float = 0.3
    """The most that the working tier of the session may take."""
    early_records: int = 1
    """How many records the early share is for."""
    recent_records: int = 2
    """How many records the recent share is for."""
    early_from_tokens: int = 480
    """The smallest budget that has an early share."""
    periphery_ratio: float = 0.08
    """The most that summaries of sessions may take, of those that are not quoted."""
    periphery_from_tokens: int = 1500
    """The smallest budget that has room for such summaries."""
    periphery_cells: bool = False
    """Whether cells of the map are summed up for a read, where no session or region was."""

    def __post_init__(self) -> None:
        for name in _SHARES:
            share: object = getattr(self, name)
            if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share <= 1:
                raise Invalid(f"{name} must be a number from 0 to 1, not {share!r}")
        for names in _WHOLES:
            total = sum(getattr(self, name) for name in names)
            if abs(total - 1) > _NEARLY:
                raise Invalid(f"{', '.join(names)} must make 1 together, not {total:.2f}: change the others, too")
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
    """The hours between two runs of each job; 0 switches one off. `health_check` is an hour of the day, in UTC."""

    migration: float = 1 / 60
    """Records move from tier to tier."""
    reaping: float = 1.0
    """What has run out of time is told and forgotten."""
    decay: float = 24.0
    """What has faded away in L4 goes to the archive."""
    consolidation: float = 12.0
    """Near-duplicates of L4 become one, and sessions are summed up."""
    cleanup: float = 168.0
    """Old rows of the journal go."""
    health_check: float | None = 3.0
    """The stored data is checked."""
    journal_days: float = 90.0
    """How long the journal keeps a move, which can be undone as long."""
    faded_below: float = 0.1
    """The strength below which a record of L4 has faded away."""
    faded_days: float = 90.0
    """How long such a record must have been unused."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and value < 0:
                raise Invalid(f"{name} of the scheduler must be 0 or more")
        if self.health_check is not None and self.health_check >= 24:
            raise Invalid("health_check is an hour of the day, below 24")
