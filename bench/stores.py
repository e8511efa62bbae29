"""The memory files that are searched: one big actor, and many small ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from bench.texts import Texts
from foveal import Memory
from foveal.backends.models.static import StaticEmbedder
from foveal.rules.addresses import Plane

BIG, SMALL = "big", "small-0"
# The big actor has every second record; each of the small ones has one in a hundred.
_SMALL_ACTORS = 50


class Recording:
    """The default encoder, which keeps every vector it made for what was written."""

    id = StaticEmbedder.id
    dimension = StaticEmbedder.dimension

    def __init__(self) -> None:
        self._embedder = StaticEmbedder()
        self._made: list[NDArray[np.float32]] = []

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        return self._embedder.plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text."""
        rows = self._embedder.embed(texts, asking=asking)
        if not asking:
            self._made.append(rows)
        return rows

    def made(self) -> NDArray[np.float32]:
        """All vectors so far, in the order of the texts."""
        return np.concatenate(self._made)


@dataclass(frozen=True, slots=True)
class Built:
    """A memory file, and what is known about it."""

    path: Path
    size: int
    seconds: float
    texts: dict[str, list[str]]
    ids: dict[str, list[str]]
    vectors: dict[str, NDArray[np.float32]]

    @property
    def raw_bytes(self) -> int:
        """The texts and their vectors in half precision, and nothing else."""
        text = sum(len(one.encode()) for texts in self.texts.values() for one in texts)
        return text + self.size * StaticEmbedder.dimension * 2


def actor_of(number: int) -> str:
    """Whose the record is that comes as the `number`th.

    >>> [actor_of(n) for n in (0, 1, 2, 3, 100, 102)]
    ['small-0', 'big', 'small-1', 'big', 'small-0', 'small-1']
    """
    return BIG if number % 2 else f"small-{number // 2 % _SMALL_ACTORS}"


def built(path: Path, texts: Sequence[str], actors: Sequence[str]) -> Built:
    """Write texts, each for its actor, into a new file."""
    encoder = Recording()
    items = [{"text": text, "actor_id": actor} for text, actor in zip(texts, actors, strict=True)]
    with Memory(path, embedder=encoder) as memory:
        memory.write("Ready.", actor_id="nobody")
        start = perf_counter()
        written = memory.write_many(items)
        seconds = perf_counter() - start
    vectors = encoder.made()[1:]
    owned: dict[str, list[int]] = {}
    for number, actor in enumerate(actors):
        owned.setdefault(actor, []).append(number)
    return Built(
        path=path,
        size=len(texts),
        seconds=seconds,
        texts={actor: [texts[n] for n in numbers] for actor, numbers in owned.items()},
        ids={actor: [written.ids[n] for n in numbers] for actor, numbers in owned.items()},
        vectors={actor: vectors[numbers] for actor, numbers in owned.items()},
    )


def built_pair(folder: Path, size: int, source: Texts) -> tuple[Built, Built]:
    """A file with all actors, and one with the small actor's records alone."""
    texts = source.take(size)
    shared = built(folder / f"{size}.db", texts, [actor_of(n) for n in range(size)])
    own = shared.texts[SMALL]
    return shared, built(folder / f"{size}-alone.db", own, [SMALL] * len(own))
