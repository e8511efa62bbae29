"""How fast tiers are filled, and how fast the metabolism goes over them as they grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

import numpy as np

from bench.figure import MILLISECONDS, RATE, Figure
from bench.texts import Texts
from bench.timing import interleaved, median
from foveal import Memory, Settings
from foveal.backends.models.static import StaticEmbedder
from foveal.backends.sqlite import SqliteStore
from foveal.model.policy import Schedule
from foveal.model.query import Viewpoint
from foveal.ports.store import Encoder, NewRecord
from foveal.rules.drafts import new_record
from foveal.rules.recall.index import index_entry
from foveal.testing import ManualClock

PART = "life"
ROUNDS = 12
BATCH = 1_000
SESSION = 50
NOW = datetime(2026, 1, 5, tzinfo=UTC)
# What the metabolic memory that tiers are modelled on asks of 1,000 inserts into a list in memory.
ASKED = {"L1": 10.0, "L2": 50.0}
JOBS = {
    "migration": Schedule(migration=1, reaping=0, decay=0, consolidation=0, cleanup=0, health_check=None),
    "consolidation": Schedule(migration=0, reaping=0, decay=0, consolidation=1, cleanup=0, health_check=None),
}
MADE = {"migration": "moves", "consolidation": "summaries"}
ENCODER = Encoder(id=StaticEmbedder.id, dimension=StaticEmbedder.dimension)


def figures(folder: Path, sizes: Sequence[int]) -> list[Figure]:
    """Inserts with vectors given, and one run of all passes over files of each size."""
    return [*_inserts(folder), *_passes(folder, [size for size in sizes if size >= 10_000])]


def _inserts(folder: Path) -> list[Figure]:
    made = {
        (name, tier): [_entries(BATCH, tier, seed) for seed in range(ROUNDS + 2)]
        for name in ("memory", "sqlite")
        for tier in ASKED
    }
    stores = {"memory": SqliteStore(":memory:"), "sqlite": SqliteStore(folder / "inserts.db")}
    times = interleaved(
        {
            f"{name} {tier}": lambda n, key=(name, tier): stores[key[0]].records.append(made[key][n], ENCODER)
            for name, tier in made
        },
        ROUNDS,
    )
    return [
        Figure(
            PART,
            f"1,000 inserts into {tier} of {name}, vectors given",
            median(times[f"{name} {tier}"].processor) * 1000,
            MILLISECONDS,
            ASKED[tier],
            "the bound asked of a list",
            ROUNDS,
        )
        for name, tier in made
    ]


def _passes(folder: Path, sizes: Sequence[int]) -> list[Figure]:
    found: list[Figure] = []
    first: dict[str, float] = {}
    for size in sizes:
        path = folder / f"life-{size}.db"
        store = SqliteStore(path)
        for start in range(0, size, 10 * BATCH):
            store.records.append(_entries(min(10 * BATCH, size - start), "L1", start), ENCODER)
        store.close()
        clock = ManualClock(NOW + timedelta(hours=2))
        for name, schedule in JOBS.items():
            with Memory(path, clock=clock, settings=Settings(metabolism="off", scheduler=schedule)) as memory:
                began = process_time()
                scheduler = memory.scheduler()
                done = scheduler.tick()[name]
                rate = done / (process_time() - began)
                scheduler.stop()
            first.setdefault(name, rate)
            what = f"{name} over {size:,} records of L1: {done:,} {MADE[name]}"
            found.append(Figure(PART, what, rate, RATE, first[name], f"the rate at {sizes[0]:,}"))
    return found


def _entries(count: int, tier: str, seed: int) -> list[NewRecord]:
    return list(_made(count, tier, seed))


def _made(count: int, tier: str, seed: int) -> Iterator[NewRecord]:
    embedder = StaticEmbedder()
    rows = np.random.default_rng(seed).standard_normal((count, ENCODER.dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for number, text in enumerate(Texts(seed=seed).take(count)):
        place = Viewpoint(actor_id="ada", session_id=f"s{(seed + number) // SESSION}")
        importance = 0.9 if number % 10 == 0 else 0.5
        record = new_record(
            text, {"tier": tier, "importance": importance}, place, NOW, f"{tier}-{seed}-{number}-{id(rows)}"
        )
        yield NewRecord(
            record=record, trace=index_entry(record, embedder.pieces), vectors=rows[number : number + 1]
        )
