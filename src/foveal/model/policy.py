"""How the budget of a read is parted."""

from __future__ import annotations

from msgspec import Struct

from foveal.errors import Invalid

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
