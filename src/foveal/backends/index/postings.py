"""Posting lists and index entries as columns of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.model.record import Scope
from foveal.model.search import PASSAGE, Flags, Floats, IndexEntry, Rows, Trait
from foveal.rules.recall.index import rarities, traits_of, worth

_FLAGS = Trait.ASKS | Trait.ENDS_ASKING | Trait.TELLS_TIME


class Packed(NamedTuple):
    """An index entry as a store keeps it.

    Earlier releases do not know `traits` and `passages`. They read `flags`, which contains the first three traits,
    and `pieces`, the pieces of the whole text. A text of one passage has no `passages`.
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
    """The columns of an index entry."""
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
    """A stored index entry, from its columns followed by the text and the source of the record.

    If an earlier release wrote it, it has no traits, and they are computed from the text.
    """
    *columns, text, source = row
    trace = Packed(*columns)
    return trace if trace.traits is not None else trace._replace(traits=int(traits_of(text, source)))


_DAYS, _TRAITS = np.iinfo(np.int32), np.iinfo(np.int16)
_SCOPES = frozenset(scope.value for scope in Scope)


def is_sound(row: Sequence[Any]) -> bool:
    """Whether a row is whole: the key, id, node, scope and kind of a record, and then the row for `current`."""
    key, record_id, node, scope, kind, chain, day, flags, speaker, terms, times, pieces, spans, *rest = row
    traits, passages, _, source = rest
    return (
        all(type(number) is int for number in (key, chain, day, flags))
        and all(type(text) is str for text in (record_id, node, kind, speaker, source))
        and all(type(data) is bytes for data in (terms, times, pieces, spans))
        and (type(scope) is str and scope in _SCOPES)
        and (traits is None or (type(traits) is int and _TRAITS.min <= traits <= _TRAITS.max))
        and (passages is None or (type(passages) is bytes and not len(passages) % 2))
        and (_DAYS.min <= day <= _DAYS.max and _TRAITS.min <= flags <= _TRAITS.max)
        and (len(terms) == 4 * len(times) and not len(pieces) % 2 and not len(spans) % 12)
    )


class Unpacked:
    """Many index entries as flat columns, with the number of values that each entry has in them."""

    def __init__(self, traces: Sequence[Packed]) -> None:
        chains, days, flags, self.speakers, terms, times, whole, spans, traits, parted = zip(*traces, strict=True)
        pieces = [entry if parts is None else parts for entry, parts in zip(whole, parted, strict=True)]
        self.chains: list[int] = list(chains)
        self.days: NDArray[np.int32] = np.array(days, np.int32)
        all_traits = [flag if trait is None else trait for flag, trait in zip(flags, traits, strict=True)]
        self.traits: Flags = np.array(all_traits, np.int16)
        self.term_counts, self.terms = _flat(times, 1)[0], _flat(terms, 4)[1].view("<u4")
        self.times = _flat(times, 1)[1]
        self.piece_counts, piece_bytes = _flat(pieces, 2)
        self.pieces: NDArray[np.uint16] = piece_bytes.view("<u2")
        self.held_pieces = self._held_pieces()
        self.span_counts, span_bytes = _flat(spans, 12)
        self.spans: NDArray[np.float32] = span_bytes.view("<f4")

    def _held_pieces(self) -> NDArray[np.uint16]:
        """The distinct pieces of each record, whichever passages they are in."""
        rows = np.repeat(np.arange(len(self.piece_counts)), self.piece_counts)
        distinct = np.unique((rows << 16) + self.pieces)
        held = (distinct & 0xFFFF).astype(np.uint16)
        return held[held != PASSAGE]


def _flat(blobs: Sequence[bytes], size: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    counts = np.fromiter(map(len, blobs), np.int64, len(blobs)) // size
    return counts, np.frombuffer(b"".join(blobs), np.uint8)


# The number of a version, big-endian so that bytes sort like numbers; how often it contains the term; its length.
HOLDER = np.dtype([("seq", ">i8"), ("times", "u1"), ("length", ">u2")])
# Keys from here on are pieces, which are only counted.
PIECES = 1 << 32
_LONGEST = (1 << 16) - 1


class Gathered(NamedTuple):
    """One key of a segment: how many records hold it, and which."""

    key: int
    holders: int
    block: bytes


def lengths(traces: Unpacked) -> Floats:
    """How many terms each record has, counting repeats."""
    records = np.repeat(np.arange(len(traces.term_counts)), traces.term_counts)
    return np.bincount(records, traces.times, len(traces.term_counts)).astype(np.float32)


def gathered(keys: Rows, traces: Unpacked) -> Iterator[Gathered]:
    """The terms of records, each with its holders, then their pieces. `keys` are the numbers of the versions."""
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
    """For each of these terms, the records that hold it."""
    wanted = set(terms.tolist())
    return {
        posting.key: np.frombuffer(posting.block, HOLDER)
        for posting in gathered(keys, traces)
        if posting.key in wanted
    }


def scored(
    holders: Sequence[NDArray[np.void]], counts: Floats, factors: Floats, *, records: int, mean_length: float
) -> tuple[Rows, Floats]:
    """The versions that hold any of several terms, in ascending order, and the word score of each.

    `holders` has one array for each term; `counts` says how many of all `records` hold the term.
    """
    if not holders:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    weights = rarities(counts, records) * factors
    keys = np.concatenate([rows["seq"].astype(np.int64) for rows in holders])
    parts = np.concatenate(
        [
            weight * worth(rows["times"].astype(np.float32), rows["length"].astype(np.float32), mean_length)
            for weight, rows in zip(weights, holders, strict=True)
        ]
    )
    # The holders of each term are sorted, and a stable sort is fast on sorted runs.
    order = np.argsort(keys, kind="stable")
    keys, parts = keys[order], parts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1)) if len(keys) else np.empty(0, np.int64)
    scores = np.add.reduceat(parts, starts).astype(np.float32) if len(starts) else np.empty(0, np.float32)
    return keys[starts], scores


# New postings stay unsorted until there are more than this many, and more than an eighth of the sorted ones.
_TAIL = 1 << 12


class Postings:
    """Terms, the rows that hold them, and how often; sorted by term, with a short unsorted tail of new ones."""

    def __init__(self) -> None:
        self._sorted = _Columns.empty()
        self._tail = _Columns.empty()

    def add(self, terms: NDArray[np.uint32], rows: NDArray[np.int32], times: NDArray[np.uint8]) -> None:
        """Add rows to the postings of terms."""
        self._tail = self._tail.joined(_Columns(terms, rows, times))
        if len(self._tail.terms) > max(_TAIL, len(self._sorted.terms) // 8):
            whole = self._sorted.joined(self._tail)
            self._sorted = whole.at(np.argsort(whole.terms, kind="stable"))
            self._tail = _Columns.empty()

    def holders(self, terms: NDArray[np.uint32]) -> list[tuple[NDArray[np.int32], NDArray[np.uint8]]]:
        """For each term, the rows that hold it, ascending, and how often each does."""
        starts, ends = (self._sorted.terms.searchsorted(terms, side).tolist() for side in ("left", "right"))
        postings = [self._sorted.at(slice(*span)) for span in zip(starts, ends, strict=True)]
        if len(self._tail.terms):
            late = (self._tail.at(np.flatnonzero(self._tail.terms == term)) for term in terms)
            postings = [columns.joined(more) for columns, more in zip(postings, late, strict=True)]
        return [(columns.rows, columns.times) for columns in postings]


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
