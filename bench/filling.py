"""Fill stores with the same records, fast: what they hold when a measurement begins."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from time import perf_counter

import msgspec

from bench.texts import Texts
from foveal import Memory
from foveal.engine.records.write import entries
from foveal.engine.runtime.runtime import Runtime
from foveal.model.ids import new_id
from foveal.model.query import Viewpoint
from foveal.ports.store import NewRecord
from foveal.rules.drafts import new_record

ACTOR = "big"
BATCH = 2000
SEED = 5
_BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
_APART = timedelta(minutes=1)
_TELL_SECONDS = 30


class Store(msgspec.Struct):
    """A store to be filled: how many records it holds, and how it takes more."""

    name: str
    holds: int
    put: Callable[[Sequence[NewRecord]], object]


def filled(memory: Memory, name: str) -> Store:
    """A memory as a store to be filled. Its records go past the checks of a write: nobody said them before."""
    runtime = core_of(memory)
    holds = memory.stats(actor_id=ACTOR).records
    return Store(name, holds, lambda batch: runtime.store.records.append(batch, runtime.encoder))


def core_of(memory: Memory) -> Runtime:
    """What the flows of a memory work with."""
    return memory._runtime  # pyright: ignore[reportPrivateUsage]


def fill(stores: Sequence[Store], records: int, runtime: Runtime, *, quiet: bool = False) -> None:
    """Bring every store to so many records of one actor. What was begun before is gone on with."""
    told = perf_counter()
    for start, texts in batches(records, min(one.holds for one in stores)):
        made = entries_of(runtime, texts, start)
        for one in stores:
            if one.holds < start + len(texts):
                one.put(made[max(0, one.holds - start) :])
                one.holds = start + len(texts)
        if not quiet and perf_counter() - told > _TELL_SECONDS:
            told = perf_counter()
            print(f"  filled {start + len(texts):,} of {records:,}", file=sys.stderr, flush=True)


def batches(records: int, held: int) -> Iterator[tuple[int, list[str]]]:
    """The texts of a store of this size, without those that it holds; the same in every run."""
    texts = Texts(seed=SEED)
    for start in range(0, records, BATCH):
        batch = texts.take(min(BATCH, records - start))
        if start + len(batch) > held:
            yield start, batch


def entries_of(runtime: Runtime, texts: Sequence[str], start: int) -> list[NewRecord]:
    """The texts as records of the big actor, a minute apart, with their vectors."""
    at = Viewpoint(world="default", actor_id=ACTOR)
    now = runtime.clock.now()
    records = [
        new_record(text, {"occurred_at": _BEGAN + number * _APART}, at, now, new_id(now), runtime.config)
        for number, text in enumerate(texts, start)
    ]
    return entries(runtime, records)
