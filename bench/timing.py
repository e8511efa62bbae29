"""Time several things in turns, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter, process_time

import numpy as np

Task = Callable[[int], object]


@dataclass(slots=True)
class Spent:
    """The seconds that each call of one task took: on the wall, and of this process's processor time.

    On a busy machine, what takes longer than a slice of the scheduler waits for others, and what takes less
    does not; processor time compares the two fairly.
    """

    wall: list[float] = field(default_factory=list[float])
    processor: list[float] = field(default_factory=list[float])


def interleaved(tasks: Mapping[str, Task], rounds: int, *, warm: int = 2) -> dict[str, Spent]:
    """What each task took in each round; a task is told the number of its call, from 0 up.

    The first `warm` rounds are not kept. Each round begins with another task than the one before.
    """
    names = list(tasks)
    times = {name: Spent() for name in names}
    for number in range(warm + rounds):
        for place in range(len(names)):
            name = names[(place + number) % len(names)]
            wall, processor = perf_counter(), process_time()
            tasks[name](number)
            processor, wall = process_time() - processor, perf_counter() - wall
            if number >= warm:
                times[name].wall.append(wall)
                times[name].processor.append(processor)
    return times


def percentile(times: Sequence[float], share: int) -> float:
    """The time that `share` percent of the calls stay under."""
    return float(np.percentile(times, share))


def median(times: Sequence[float]) -> float:
    """The time that half of the calls stay under."""
    return percentile(times, 50)
