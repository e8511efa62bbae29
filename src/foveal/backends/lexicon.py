"""A compact word index: which records have which terms, grouped, scored by BM25 in one pass."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from foveal.backends.matrix import largest
from foveal.rules.weighing import B, K1, rarity

# New postings wait unsorted until they are this many, and an eighth of the sorted ones.
_TAIL = 1 << 16

Codes = NDArray[np.uint32]


def code(term: str) -> int:
    """The 32 bits a term is known by."""
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "little")


def packed(terms: Sequence[str]) -> bytes:
    """The terms of a record as bytes: the code of each, then how often it occurs."""
    counts = Counter(map(code, terms))
    codes = np.fromiter(counts, "<u4", len(counts))
    times = np.fromiter((min(255, times) for times in counts.values()), np.uint8, len(counts))
    return codes.tobytes() + times.tobytes()


class _Postings:
    """The terms of one group: sorted by term, and a short tail of the newest in the order they came."""

    def __init__(self) -> None:
        self.keys = np.empty(0, np.int64)
        self.lengths = np.empty(0, np.float32)
        self.sorted = (np.empty(0, np.uint32), np.empty(0, np.int32), np.empty(0, np.uint8))
        self.tail = self.sorted

    def add(self, keys: NDArray[np.int64], blobs: Sequence[bytes]) -> None:
        sizes = np.array([len(blob) // 5 for blob in blobs])
        codes = np.frombuffer(b"".join(blob[: 4 * n] for blob, n in zip(blobs, sizes, strict=True)), "<u4")
        times = np.frombuffer(b"".join(blob[4 * n :] for blob, n in zip(blobs, sizes, strict=True)), np.uint8)
        rows = np.repeat(np.arange(len(self.keys), len(self.keys) + len(keys), dtype=np.int32), sizes)
        lengths = np.bincount(rows - len(self.keys), times, len(keys)).astype(np.float32)
        self.keys = np.concatenate([self.keys, keys])
        self.lengths = np.concatenate([self.lengths, lengths])
        self.tail = _joined(self.tail, (codes, rows, times))
        if len(self.tail[0]) > max(_TAIL, len(self.sorted[0]) // 8):
            whole = _joined(self.sorted, self.tail)
            order = np.argsort(whole[0], kind="stable")
            self.sorted = (whole[0][order], whole[1][order], whole[2][order])
            self.tail = (codes[:0], rows[:0], times[:0])

    def remove(self, keys: NDArray[np.int64]) -> None:
        kept = ~np.isin(self.keys, keys)
        places = np.cumsum(kept, dtype=np.int32) - 1
        self.keys, self.lengths = self.keys[kept], self.lengths[kept]
        for name in ("sorted", "tail"):
            codes, rows, times = getattr(self, name)
            stays = kept[rows]
            setattr(self, name, (codes[stays], places[rows[stays]], times[stays]))

    def holders(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """The rows that have a term, and how often."""
        wanted = np.uint32(term)
        codes, rows, times = self.sorted
        start, end = codes.searchsorted(wanted, "left"), codes.searchsorted(wanted, "right")
        new = np.flatnonzero(self.tail[0] == wanted)
        return np.concatenate([rows[start:end], self.tail[1][new]]), np.concatenate(
            [times[start:end], self.tail[2][new]]
        )

    def scores(self, terms: Iterable[int]) -> NDArray[np.float32]:
        """The BM25 score of every row."""
        found = np.zeros(len(self.keys), np.float32)
        burden = K1 * (1 - B + B * self.lengths / max(float(self.lengths.mean()), 1.0))
        for term in terms:
            rows, times = self.holders(term)
            found[rows] += rarity(len(rows), len(self.keys)) * times * (K1 + 1) / (times + burden[rows])
        return found


def _joined(
    a: tuple[Codes, NDArray[np.int32], NDArray[np.uint8]], b: tuple[Codes, NDArray[np.int32], NDArray[np.uint8]]
) -> tuple[Codes, NDArray[np.int32], NDArray[np.uint8]]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]]), np.concatenate([a[2], b[2]])
