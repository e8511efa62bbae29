"""How much an attack tries, and the count of what it did.

`make test` runs the quick form, with the same seeds at every run; `make soak` the long one, with fresh seeds.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

# How many times as much the long form does in one run of a test.
LONGER = 4

# What every attack of this process did, by name; `make soak` prints it.
TALLY: Counter[str] = Counter()


@dataclass
class Effort:
    """The form of an attack: its chances, all from one seed, and its number of examples."""

    seed: int
    long: bool = False
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    def times(self, quick: int) -> range:
        """The rounds of an attack that has so many in its quick form."""
        return range(quick * LONGER if self.long else quick)

    def count(self, what: str, number: int = 1) -> None:
        """Add to the count that `make soak` prints."""
        TALLY[what] += number
