"""How hot a record is."""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from foveal.errors import Invalid


class Tier(IntEnum):
    """A column with a policy, never a second store.

    >>> Tier.named("long_term") is Tier.named("L4") is Tier.SEMANTIC
    True
    """

    WORKING = 1
    SESSION = 2
    EPISODIC = 3
    SEMANTIC = 4

    @classmethod
    def named(cls, name: str | int | Tier) -> Self:
        """The tier that any of its names means; an unknown name is an error that lists them."""
        number = _NAMES.get(str(name).lower()) if not isinstance(name, Tier) else int(name)
        if number is None:
            raise Invalid(f"{name!r} is not a tier; use one of {', '.join(_NAMES)}")
        return cls(number)


_NAMES = {
    **{"1": 1, "l1": 1, "working": 1, "operational": 1},
    **{"2": 2, "l2": 2, "session": 2, "short": 2},
    **{"3": 3, "l3": 3, "episodic": 3, "medium": 3},
    **{"4": 4, "l4": 4, "semantic": 4, "long": 4, "longterm": 4, "long_term": 4},
}
