"""Posting lists and index entries as columns of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.model.search import PASSAGE, Flags, Floats, IndexEntry, Rows, Trait
from foveal.rules.recall.index import rarities, traits_of, worth

_FLAGS = Trait.ASKS | Trait.ENDS_ASKING | Trait.TELLS_TIME


class Packed(NamedTuple):
    """A trace as a store keeps it.

    Earlier releases know neither `traits` nor `passages`. They read `flags`, which has the first three traits, and
    `pieces`, those of the whole text. A text of one passage has no `passages`.
    """

    chain: int
    day: int
    flags: int
    speaker: str
    terms: bytes
    times: bytes
    pieces: bytes
    spans: bytes
    traits: int | None = None
    passages: bytes | None = None


def packed(trace: IndexEntry) -> Packed:
    """The columns of a trace."""
    passages = trace.pieces.astype("<u2", copy=False)
    pieces = np.unique(passages[passages != PASSAGE])
    return Packed(
        chain=trace.chain,
        day=trace.day,
        flags=int(trace.traits) & _FLAGS,
        speaker=trace.speaker,
        terms=trace.terms.astype("<u4", copy=False).tobytes(),
        times=trace.times.astype("u1", copy=False).tobytes(),
        pieces=pieces.tobytes(),
        spans=trace.spans.astype("<f4", copy=False).tobytes(),
        traits=int(trace.traits),
        passages=passages.tobytes() if PASSAGE in passages else None,
    )


def current(row: Sequence[Any]) -> Packed:
    """A stored trace, from its columns followed by the text and the source of the record.

    A record that an earlier release wrote has no traits: they are read off its text.
    """
    *columns, text, source = row
    trace = Packed(*columns)
    return trace if trace.traits is not None else trace._replace(traits=int(traits_of(text, source)))


class Unpacked:
    """Many traces, as flat columns and the count that each has of them."""

    def __init__(self, traces: Sequence[Packed]) -> None:
        chains, days, flags, self.speakers, terms, times, whole, spans, traits, parted = zip(*traces, strict=True)
        pieces = [one if many is None else many for one, many in zip(whole, parted, strict=True)]
        self.chains: list[int] = list(chains)
        self.days: NDArray[np.int32] = np.array(days, np.int32)
        known = [flag if one is None else one for flag, one in zip(flags, traits, strict=True)]
        self.traits: Flags = np.array(known, np.int16)
        self.term_counts, self.terms = _flat(times, 1)[0], _flat(terms, 4)[1].view("<u4")
        self.times = _flat(times, 1)[1]
        self.piece_counts, piece_bytes = _flat(pieces, 2)
        self.pieces: NDArray[np.uint16] = piece_bytes.view("<u2")
        self.held_pieces = self._held_pieces()
        self.span_counts, span_bytes = _flat(spans, 12)
        self.spans: NDArray[np.float32] = span_bytes.view("<f4")

    def _held_pieces(self) -> NDArray[np.uint16]:
        """The pieces that records hold, once for each record, whatever passages they stand in."""
        rows = np.repeat(np.arange(len(self.piece_counts)), self.piece_counts)
        distinct = np.unique((rows << 16) + self.pieces)
        held = (distinct & 0xFFFF).astype(np.uint16)
        return held[held != PASSAGE]


def _flat(blobs: Sequence[bytes], size: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    counts = np.fromiter(map(len, blobs), np.int64, len(blobs)) // size
    return counts, np.frombuffer(b"".join(blobs), np.uint8)


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


# New postings wait unsorted until they are this many, and an eighth of the sorted ones.
_TAIL = 1 << 12


class Postings:
    """Terms as numbers, the rows that hold them, and how often: sorted by term, with a short tail of the newest."""

    def __init__(self) -> None:
        self._sorted = _Columns.empty()
        self._tail = _Columns.empty()

    def add(self, terms: NDArray[np.uint32], rows: NDArray[np.int32], times: NDArray[np.uint8]) -> None:
        """File rows under terms."""
        self._tail = self._tail.joined(_Columns(terms, rows, times))
        if len(self._tail.terms) > max(_TAIL, len(self._sorted.terms) // 8):
            whole = self._sorted.joined(self._tail)
            self._sorted = whole.at(np.argsort(whole.terms, kind="stable"))
            self._tail = _Columns.empty()

    def holders(self, terms: NDArray[np.uint32]) -> list[tuple[NDArray[np.int32], NDArray[np.uint8]]]:
        """For each term, the rows that hold it, ascending, and how often each does."""
        starts, ends = (self._sorted.terms.searchsorted(terms, side).tolist() for side in ("left", "right"))
        found = [self._sorted.at(slice(*span)) for span in zip(starts, ends, strict=True)]
        if len(self._tail.terms):
            late = (self._tail.at(np.flatnonzero(self._tail.terms == term)) for term in terms)
            found = [one.joined(more) for one, more in zip(found, late, strict=True)]
        return [(one.rows, one.times) for one in found]


class _Columns:
    """Three columns of equal length."""

    def __init__(self, terms: NDArray[np.uint32], rows: NDArray[np.int32], times: NDArray[np.uint8]) -> None:
        self.terms, self.rows, self.times = terms, rows, times

    @classmethod
    def empty(cls) -> _Columns:
        return cls(np.empty(0, np.uint32), np.empty(0, np.int32), np.empty(0, np.uint8))

    def at(self, places: slice | NDArray[np.int64]) -> _Columns:
        return _Columns(self.terms[places], self.rows[places], self.times[places])

    def joined(self, other: _Columns) -> _Columns:
        return _Columns(
            np.concatenate([self.terms, other.terms]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.times, other.times]),
        )
