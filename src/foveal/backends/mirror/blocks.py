"""Who holds which term, as blocks of bytes that a database keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror.packing import Unpacked
from foveal.model.search import Floats, Rows
from foveal.rules.recall.index import rarities, worth

# The number of a version with its high byte first, so that bytes sort as numbers do; how often it has the term; how
# long it is.
HOLDER = np.dtype([("seq", ">i8"), ("times", "u1"), ("length", ">u2")])
# From here on keys are pieces, which are only counted.
PIECES = 1 << 32
_LONGEST = (1 << 16) - 1


class Gathered(NamedTuple):
    """One key of a segment: how many hold it, and who."""

    key: int
    holders: int
    block: bytes


def lengths(traces: Unpacked) -> Floats:
    """How many terms each record has, repeats counted."""
    belonging = np.repeat(np.arange(len(traces.term_counts)), traces.term_counts)
    return np.bincount(belonging, traces.times, len(traces.term_counts)).astype(np.float32)


def gathered(keys: Rows, traces: Unpacked) -> Iterator[Gathered]:
    """The terms of records, each with who holds it, and their pieces. `keys` are the numbers of the versions."""
    holders = np.empty(len(traces.terms), HOLDER)
    holders["seq"] = np.repeat(keys, traces.term_counts)
    holders["times"] = traces.times
    holders["length"] = np.repeat(np.minimum(lengths(traces), _LONGEST), traces.term_counts)
    order = np.argsort(traces.terms, kind="stable")
    holders = holders[order]
    terms, starts, counts = np.unique(traces.terms[order], return_index=True, return_counts=True)
    for term, start, count in zip(terms.tolist(), starts.tolist(), counts.tolist(), strict=True):
        yield Gathered(term, count, holders[start : start + count].tobytes())
    pieces, counts = np.unique(traces.held_pieces, return_counts=True)
    for piece, count in zip(pieces.tolist(), counts.tolist(), strict=True):
        yield Gathered(PIECES + piece, count, b"")


def held(keys: Rows, traces: Unpacked, terms: NDArray[np.uint32]) -> dict[int, NDArray[np.void]]:
    """Who of these records holds each of some terms."""
    wanted = set(terms.tolist())
    found = (one for one in gathered(keys, traces) if one.key in wanted)
    return {one.key: np.frombuffer(one.block, HOLDER) for one in found}


def scored(
    holders: Sequence[NDArray[np.void]], counts: Floats, factors: Floats, *, records: int, mean_length: float
) -> tuple[Rows, Floats]:
    """The versions that hold any of some terms, in their order, and the word score of each.

    `counts` says how many hold each term, of all `records`.
    """
    if not holders:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    rare = rarities(counts, records) * factors
    keys = np.concatenate([one["seq"].astype(np.int64) for one in holders])
    parts = np.concatenate(
        [
            weight * worth(one["times"].astype(np.float32), one["length"].astype(np.float32), mean_length)
            for weight, one in zip(rare, holders, strict=True)
        ]
    )
    # Those of each term come in order, and what is made of ordered runs is quickly sorted this way.
    order = np.argsort(keys, kind="stable")
    keys, parts = keys[order], parts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1)) if len(keys) else np.empty(0, np.int64)
    scores = np.add.reduceat(parts, starts).astype(np.float32) if len(starts) else np.empty(0, np.float32)
    return keys[starts], scores
