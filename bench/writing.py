"""How fast records are written, beside bare commits of as many bytes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.bounds import Commits, Row, Sync
from bench.figure import MICROSECONDS, RATE, Figure
from bench.texts import Texts
from bench.timing import interleaved, median
from foveal import Memory, Record, Settings
from foveal.backends.models.static import StaticEmbedder
from foveal.backends.sqlite import SqliteStore
from foveal.engine.records.write import BATCH
from foveal.model.ids import Address, new_id
from foveal.ports.store import Encoder, NewRecord
from foveal.rules.addresses import Plane
from foveal.rules.recall.index import index_entry

PART = "writes"
ACTOR = "ada"
ROUNDS = 300
BATCHES = 12


class Ready:
    """An encoder whose vectors are ready before they are asked for."""

    id = StaticEmbedder.id
    dimension = StaticEmbedder.dimension

    def __init__(self) -> None:
        rows = np.random.default_rng(0).standard_normal((BATCH, self.dimension)).astype(np.float32)
        self._rows: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.plane: Plane = StaticEmbedder().plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """As many rows as texts, whatever they say."""
        return self._rows[np.arange(len(texts)) % BATCH]


def entry(text: str, vectors: NDArray[np.float32], embedder: StaticEmbedder) -> NewRecord:
    """A text as the write flow hands it to the store."""
    now = datetime.now(UTC)
    record = Record(
        id=new_id(now),
        actor_id=ACTOR,
        text=text,
        address=Address(world="default", region=f"agent:{ACTOR}", digits="012012012"),
        recorded_at=now,
        occurred_at=now,
        valid_from=now,
    )
    return NewRecord(record=record, trace=index_entry(record, embedder.pieces), vectors=vectors)


def row(text: str, vector: NDArray[np.float32]) -> Row:
    """The bytes of a record that any store must keep."""
    return text, vector.astype(np.float16).tobytes()


def single(folder: Path, source: Texts) -> list[Figure]:
    """One record a transaction."""
    embedder = StaticEmbedder()
    texts = {name: source.take(ROUNDS + 20) for name in ("write", "full", "given", "full given", "row", "embed")}
    vectors = {name: embedder.embed(texts[name]) for name in ("given", "full given", "row")}
    given, full_given = (
        [entry(text, row[None], embedder) for text, row in zip(texts[name], vectors[name], strict=True)]
        for name in ("given", "full given")
    )
    rows = [row(text, vector) for text, vector in zip(texts["row"], vectors["row"], strict=True)]
    encoder = Encoder(id=embedder.id, dimension=embedder.dimension)
    normal = Memory(folder / "normal.db", settings=Settings())
    full = Memory(folder / "full.db", settings=Settings(synchronous="FULL"))
    store = SqliteStore(folder / "given.db")
    full_store = SqliteStore(folder / "full-given.db", synchronous="FULL")
    bare = Commits(folder / "bare.db", "NORMAL")
    full_bare = Commits(folder / "full-bare.db", "FULL")
    sync = Sync(folder / "page")
    times = interleaved(
        {
            "write": lambda n: normal.write(texts["write"][n], actor_id=ACTOR),
            "full": lambda n: full.write(texts["full"][n], actor_id=ACTOR),
            "given": lambda n: store.records.append([given[n]], encoder),
            "full given": lambda n: full_store.records.append([full_given[n]], encoder),
            "bare": lambda n: bare.one(rows[n]),
            "full bare": lambda n: full_bare.one(rows[n]),
            "sync": lambda _: sync.one(),
            "embed": lambda n: embedder.embed([texts["embed"][n]]),
        },
        ROUNDS,
        warm=20,
    )
    for opened in (normal, full, store, full_store, bare, full_bare, sync):
        opened.close()
    cost = {name: median(spent.wall) for name, spent in times.items()}
    commit, full_commit, embed = cost["bare"], cost["full bare"], cost["embed"]

    def rate(name: str, task: str, bound: float, against: str) -> Figure:
        return Figure(PART, name, 1 / cost[task], RATE, 1 / bound, against, ROUNDS)

    def part(name: str, task: str) -> Figure:
        return Figure(PART, name, cost[task] * 1e6, MICROSECONDS, n=ROUNDS)

    return [
        rate("write, NORMAL", "write", commit + embed, "one commit + one embedding"),
        rate("write, FULL", "full", full_commit + embed, "one commit + one embedding"),
        rate("append with vectors, NORMAL", "given", commit, "one commit"),
        rate("append with vectors, FULL", "full given", full_commit, "one commit"),
        part("bound: one commit, NORMAL", "bare"),
        part("bound: one commit, FULL", "full bare"),
        part("bound: one fdatasync", "sync"),
        part("bound: one embedding", "embed"),
    ]


def batched(folder: Path, source: Texts) -> list[Figure]:
    """A batch of records a transaction, by processor time: a batch takes long enough to wait for others."""
    rounds = BATCHES + 2
    embedder = StaticEmbedder()
    texts = {name: [source.take(BATCH) for _ in range(rounds)] for name in ("write", "ready", "row", "embed")}
    vectors = embedder.embed([text for batch in texts["row"] for text in batch]).reshape(rounds, BATCH, -1)
    rows = [[row(*pair) for pair in zip(*both, strict=True)] for both in zip(texts["row"], vectors, strict=True)]
    memory = Memory(folder / "batches.db", settings=Settings())
    ready = Memory(folder / "ready.db", settings=Settings(), embedder=Ready())
    bare = Commits(folder / "bare-batches.db", "NORMAL")
    times = interleaved(
        {
            "write": lambda n: memory.write_many(texts["write"][n], actor_id=ACTOR),
            "ready": lambda n: ready.write_many(texts["ready"][n], actor_id=ACTOR),
            "bare": lambda n: bare.many(rows[n]),
            "embed": lambda n: embedder.embed(texts["embed"][n]),
        },
        BATCHES,
    )
    for opened in (memory, ready, bare):
        opened.close()
    cost = {name: median(spent.processor) / BATCH for name, spent in times.items()}

    def rate(name: str, task: str, bound: float, against: str) -> Figure:
        return Figure(PART, name, 1 / cost[task], RATE, 1 / bound, against, BATCHES)

    def part(name: str, task: str) -> Figure:
        return Figure(PART, name, cost[task] * 1e6, MICROSECONDS, n=BATCHES)

    size = f"{BATCH} rows"
    return [
        rate(
            "write_many, processor time",
            "write",
            cost["bare"] + cost["embed"],
            f"one commit of {size} + their embedding",
        ),
        rate("write_many, vectors ready, processor time", "ready", cost["bare"], f"one commit of {size}"),
        part(f"bound: a row in a commit of {size}", "bare"),
        part(f"bound: an embedding among {BATCH}", "embed"),
    ]
