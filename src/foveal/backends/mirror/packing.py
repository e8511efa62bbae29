"""Traces as bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from foveal.model.trace import Trace

_HEAD = struct.Struct("<QiBIIHH")
ASKS, ENDS_ASKING, TELLS_TIME = 1, 2, 4


def packed(trace: Trace) -> bytes:
    """A trace as bytes: a head with the counts, then term codes, times, pieces, spans and the speaker."""
    flags = ASKS * trace.asks + ENDS_ASKING * trace.ends_asking + TELLS_TIME * trace.tells_time
    speaker = trace.speaker.encode()
    head = _HEAD.pack(
        trace.chain, trace.day, flags, len(trace.terms), len(trace.pieces), len(trace.spans), len(speaker)
    )
    parts = (
        trace.terms.astype("<u4"),
        trace.times.astype("u1"),
        trace.pieces.astype("<u2"),
        trace.spans.astype("<f4"),
    )
    return b"".join([head, *(part.tobytes() for part in parts), speaker])


class Unpacked:
    """Many traces at once, as flat columns and the count of each."""

    def __init__(self, blobs: Iterable[bytes]) -> None:
        heads: list[tuple[int, ...]] = []
        columns: tuple[list[bytes], ...] = ([], [], [], [])
        self.speakers: list[str] = []
        for blob in blobs:
            head = _HEAD.unpack_from(blob)
            heads.append(head)
            terms, pieces, spans = head[3:6]
            ends = list(accumulate((_HEAD.size, 4 * terms, terms, 2 * pieces, 12 * spans)))
            for column, start, end in zip(columns, ends, ends[1:], strict=False):
                column.append(blob[start:end])
            self.speakers.append(blob[ends[-1] :].decode())
        table: NDArray[np.uint64] = np.array(heads, np.uint64).reshape(-1, 7)
        self.chains, self.days = table[:, 0], table[:, 1].astype(np.int32)
        self.flags = table[:, 2].astype(np.uint8)
        self.term_counts, self.piece_counts, self.span_counts = table[:, 3:6].T.astype(np.int64)
        self.terms = np.frombuffer(b"".join(columns[0]), "<u4")
        self.times = np.frombuffer(b"".join(columns[1]), np.uint8)
        self.pieces = np.frombuffer(b"".join(columns[2]), "<u2")
        self.spans = np.frombuffer(b"".join(columns[3]), "<f4")
