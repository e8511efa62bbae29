"""Time several things in turns, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

Task = Callable[[int], object]
Times = NDArray[np.float64]


def interleaved(tasks: Mapping[str, Task], rounds: int, *, warm: int = 2) -> dict[str, Times]:
    """The seconds each task took in each round; a task is told the number of its call, from 0 up.

    The first `warm` rounds are not kept. Each round begins with another task than the one before.
    """
    names = list(tasks)
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(warm + rounds):
        for place in range(len(names)):
            name = names[(place + number) % len(names)]
            start = perf_counter()
            tasks[name](number)
            spent = perf_counter() - start
            if number >= warm:
                times[name].append(spent)
    return {name: np.array(spent) for name, spent in times.items()}


def median(times: Times) -> float:
    """The middle one, in seconds."""
    return float(np.median(times))


def percentile(times: Times, share: int) -> float:
    """The time that `share` percent stay under, in seconds."""
    return float(np.percentile(times, share))
