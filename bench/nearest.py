"""The vector arm alone: how long it takes, what it misses, and whether others slow it."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from bench.bounds import Pass
from bench.figure import MILLISECONDS, SHARE, Figure
from bench.searching import actor_shown, questions
from bench.stores import BIG, SMALL, Built
from bench.texts import Texts
from bench.timing import Task, interleaved, median
from foveal.backends.index.columns import ByteMatrix, largest
from foveal.backends.models.static import StaticEmbedder
from foveal.backends.sqlite import SqliteStore
from foveal.model.query import Access, Viewpoint
from foveal.model.search import IndexQuery
from foveal.ports.store import Encoder
from foveal.testing.builders import recollected

PART = "vector arm"
ROUNDS = 60
WARM = 5
TOP = 10
ENCODER = Encoder(id=StaticEmbedder.id, dimension=StaticEmbedder.dimension)
NONE, NO_FACTORS, NO_PIECES = np.empty(0, np.uint32), np.empty(0, np.float32), np.empty(0, np.uint16)


def figures(shared: Built, alone: Built, source: Texts) -> list[Figure]:
    """The ten nearest, by the compact index and by the store, against one pass over as many bytes."""
    store, own = SqliteStore(shared.path), SqliteStore(alone.path)
    found = [*_measured(store, None, shared, BIG, source), *_measured(store, own, shared, SMALL, source)]
    store.close()
    own.close()
    return found


def nearest(store: SqliteStore, actor: str, vector: NDArray[np.float32]) -> set[str]:
    """The ids of the records a store holds nearest to a vector, asked by nothing but it."""
    access = Access(viewpoint=Viewpoint(actor_id=actor), now=datetime.now(UTC), for_recall=True)
    probe = IndexQuery(terms=NONE, factors=NO_FACTORS, pieces=NO_PIECES, vector=vector)
    frame = recollected(store, access, probe, TOP, ENCODER)
    # The rows behind the candidates are their neighbours.
    best = np.argsort(-frame.cosine[: len(frame.ids)], kind="stable")[:TOP]
    return {str(frame.ids[int(row)]) for row in best}


def _measured(store: SqliteStore, own: SqliteStore | None, built: Built, actor: str, source: Texts) -> list[Figure]:
    vectors = StaticEmbedder().embed(questions(built, actor, source, ROUNDS + WARM), asking=True)
    passes = Pass(len(built.texts[actor]), ENCODER.dimension)
    matrix = ByteMatrix(ENCODER.dimension)
    matrix.add(built.vectors[actor])
    answers: list[set[str]] = []
    tasks: dict[str, Task] = {
        "scan": lambda n: largest(matrix.cosines(vectors[n]), TOP),
        "store": lambda n: answers.append(nearest(store, actor, vectors[n])),
        "pass": lambda _: passes.one(),
    }
    if own is not None:
        tasks["own"] = lambda n: nearest(own, actor, vectors[n])
    times = interleaved(tasks, ROUNDS, warm=WARM)
    cost = {name: median(spent.wall) * 1000 for name, spent in times.items()}
    who = f"{built.size:,} records, {actor_shown(built, actor)}"

    def milliseconds(name: str, task: str, bound: str, against: str) -> Figure:
        return Figure(PART, f"{who}: {name}", cost[task], MILLISECONDS, cost[bound], against, ROUNDS)

    exact = _recall(answers, vectors, built.vectors[actor], built.ids[actor])
    found = [
        milliseconds(f"nearest {TOP} of the compact index", "scan", "pass", "one pass"),
        milliseconds(f"nearest {TOP} of the store, who sees what included", "store", "pass", "one pass"),
        Figure(PART, f"{who}: recall@{TOP}", exact, SHARE, 1.0, "exact float32", len(answers)),
    ]
    if own is not None:
        alone = "the same in a file of its own"
        found.append(milliseconds(f"nearest {TOP} of the store, beside others", "store", "own", alone))
    return found


def _recall(
    answers: list[set[str]], asked: NDArray[np.float32], rows: NDArray[np.float32], ids: list[str]
) -> float:
    exact = np.argsort(-(asked @ rows.T), axis=1, kind="stable")[:, :TOP]
    shares = [len(found & {ids[n] for n in best}) / len(best) for found, best in zip(answers, exact, strict=True)]
    return float(np.mean(shares))
