"""Measure what a ranking that is kept in Redis buys on Postgres, and what looking for one costs who finds none."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.filling import ACTOR
from bench.printing import machine
from bench.stocks import QUIET, stocked
from bench.texts import Texts
from bench.timing import Task, interleaved, median
from foveal import Memory
from foveal.testing.servers import Valkey

QUESTIONS = 60
_WARM = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what a search takes without a cache, with one that does not know it, and with one that does."""
    parser = argparse.ArgumentParser("python -m bench.kept", description=__doc__)
    parser.add_argument("--records", default="1000,10000", help="records of the actor (default 1000,10000)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="the stores that bench.scale kept")
    given = parser.parse_args(arguments)
    print(f"{machine()}\n{QUESTIONS} questions, each asked in every way in turn; milliseconds in the middle\n")
    print(f"{'records':>10}{'':>3}{'':<30}{'by the clock':>14}{'processor':>11}")
    with stocked(given.keep) as stocks:
        for records in map(int, given.records.split(",")):
            stocks.fill(records)
            _measure(stocks.database("memory", records), records)


def _measure(url: str, records: int) -> None:
    texts = Texts(seed=99)
    asked = [texts.question(one) for one in texts.take(QUESTIONS + _WARM)]
    with (
        Valkey() as redis,
        Memory(url, settings=QUIET) as plain,
        Memory(url, settings=msgspec.structs.replace(QUIET, redis=redis.url, kept_rankings=200)) as first,
        Memory(url, settings=msgspec.structs.replace(QUIET, redis=redis.url, kept_rankings=200)) as other,
    ):
        ids = [hit.id for hit in plain.search(asked[0], actor_id=ACTOR)]
        tasks: dict[str, Task] = {
            "without a cache": lambda number: plain.search(asked[number], actor_id=ACTOR),
            "not known yet": lambda number: first.search(asked[number], actor_id=ACTOR),
            "known from another process": lambda number: other.search(asked[number], actor_id=ACTOR),
            "known in this one": lambda number: other.search(asked[number], actor_id=ACTOR),
            "get, for comparison": lambda number: plain.get(ids[number % len(ids)], actor_id=ACTOR),
        }
        # In this order each time: who asks second finds what the first left.
        spent = {name: interleaved({name: task}, QUESTIONS, warm=_WARM) for name, task in tasks.items()}
        for name, times in spent.items():
            wall, processor = (1000 * median(one) for one in (times[name].wall, times[name].processor))
            print(f"{records:>10,}{'':>3}{name:<30}{wall:>14.2f}{processor:>11.2f}")
        assert other.runtime.rankings.misses == 0 and first.runtime.rankings.hits == 0


if __name__ == "__main__":
    main()
