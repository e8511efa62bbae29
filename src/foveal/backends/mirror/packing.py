"""Traces as columns of bytes, one at a time or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.model.search import PASSAGE, Flags, Trace, Trait
from foveal.rules.recall.index import traits_of

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


def packed(trace: Trace) -> Packed:
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
