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
from foveal.backends.embedders.static import StaticEmbedder
from foveal.backends.sqlite import SqliteStore
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Encoder

PART = "vector arm"
ROUNDS = 100
WARM = 5
TOP = 10
ENCODER = Encoder(id=StaticEmbedder.id, dimension=StaticEmbedder.dimension)


def figures(shared: Built, alone: Built, source: Texts) -> list[Figure]:
    """`store.nearest` for the ten nearest, against one pass over as many bytes."""
    store, own = SqliteStore(shared.path), SqliteStore(alone.path)
    found = [*_measured(store, None, shared, BIG, source), *_measured(store, own, shared, SMALL, source)]
    store.close()
    own.close()
    return found


def _measured(
    store: SqliteStore, own: SqliteStore | None, built: Built, actor: str, source: Texts
) -> list[Figure]:
    vectors = StaticEmbedder().embed(questions(built, actor, source, ROUNDS + WARM), asking=True)
    sight = Sight(viewpoint=Viewpoint(actor_id=actor), now=datetime.now(UTC))
    passes = Pass(len(built.texts[actor]), ENCODER.dimension)
    answers: list[set[str]] = []

    def ask(number: int) -> None:
        answers.append(set(store.nearest(sight, vectors[number], TOP, ENCODER)))

    tasks: dict[str, Task] = {"nearest": ask, "pass": lambda _: passes.one()}
    if own is not None:
        tasks["own"] = lambda n: own.nearest(sight, vectors[n], TOP, ENCODER)
    times = interleaved(tasks, ROUNDS, warm=WARM)
    who = f"{built.size:,} records, {actor_shown(built, actor)}"
    spent = median(times["nearest"].wall) * 1000
    once = median(times["pass"].wall) * 1000
    found = [
        Figure(PART, f"{who}: nearest {TOP} p50", spent, MILLISECONDS, once, "one pass", ROUNDS),
        Figure(
            PART,
            f"{who}: recall@{TOP}",
            _recall(answers, vectors, built.vectors[actor], built.ids[actor]),
            SHARE,
            1.0,
            "exact float32",
            len(answers),
        ),
    ]
    if own is not None:
        beside = median(times["own"].wall) * 1000
        name = f"{who}: nearest {TOP} p50 beside others"
        found.append(Figure(PART, name, spent, MILLISECONDS, beside, "the same in a file of its own", ROUNDS))
    return found


def _recall(
    answers: list[set[str]], asked: NDArray[np.float32], rows: NDArray[np.float32], ids: list[str]
) -> float:
    exact = np.argsort(-(asked @ rows.T), axis=1, kind="stable")[:, :TOP]
    shares = [
        len(found & {ids[n] for n in best}) / len(best) for found, best in zip(answers, exact, strict=True)
    ]
    return float(np.mean(shares))
