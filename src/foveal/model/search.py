"""The data of a search: index entries, queries, tables of candidates, and batches for a vector index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import IntFlag
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
Flags = NDArray[np.int16]

# Separates the passages of a text among the numbers of its pieces.
PASSAGE = 0xFFFF


class Trait(IntFlag):
    """What the wording and the source of a text say about it.

    What stands `ASIDE` repeats what a turn says, as a fact does, and does not count among the records of a memory.
    """

    ASKS = 1
    ENDS_ASKING = 2
    TELLS_TIME = 4
    ONLY_ASKS = 8
    ACKNOWLEDGES = 16
    NUMBER = 32
    CHANGES = 64
    RULES = 128
    NAMES = 256
    FIRST_PERSON = 512
    ASSISTANT = 1024
    TOOL = 2048
    ASIDE = 4096


class IndexEntry(Struct, frozen=True, kw_only=True):
    """The searchable form of a record, made once when the record is written.

    `terms` are the codes of its words and `times` how often each occurs; `pieces` are the word pieces of the
    bundled table, passage by passage; `spans` are the days it may refer to, as first, last and weight. `chain`
    identifies its conversation; 0 is none.
    """

    terms: NDArray[np.uint32]
    times: NDArray[np.uint8]
    pieces: NDArray[np.uint16]
    spans: Floats
    chain: int
    speaker: str
    day: int
    traits: Trait


class CorpusInfo(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Who speaks in a memory, and its first and last year.

    `mark` names the state of the memory: with an equal mark, a search gives the same results. It is empty if the
    store cannot tell.
    """

    speakers: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    mark: str = ""


class VectorHits(Struct, frozen=True, kw_only=True):
    """The nearest ids in a vector index, nearest first.

    The index knows what was written up to the key `after`, in a store that has the record `last`. `all` says that
    it has no other ids.
    """

    ids: tuple[str, ...]
    after: int
    last: str
    all: bool


class IndexQuery(Struct, frozen=True, kw_only=True):
    """What a store needs to find candidates for a question: its term codes with their factors, and its vector.

    With `near`, the store compares only the hits of a vector index and what that index does not know yet. `fine` is
    the id of the encoder of the second look, if there is one.
    """

    terms: NDArray[np.uint32]
    factors: Floats
    pieces: NDArray[np.uint16]
    vector: Floats | None
    near: VectorHits | None = None
    fine: str | None = None


class FineRows(Struct, frozen=True, kw_only=True):
    """The vectors that the second look has of rows of a table, and the row of each.

    A vector is bytes with a scale. The vectors of a row are next to each other: first that of the whole text,
    then, if there are several passages, one for each. One of zeros stands for a text in a language that the encoder
    does not read.
    """

    rows: Rows
    codes: NDArray[np.int8]
    scales: Floats

    @classmethod
    def none(cls) -> FineRows:
        """No vectors."""
        return cls(rows=np.zeros(0, np.int64), codes=np.zeros((0, 0), np.int8), scales=np.zeros(0, np.float32))

    def at(self, places: Rows | NDArray[np.bool_]) -> FineRows:
        """Some of them."""
        return FineRows(rows=self.rows[places], codes=self.codes[places], scales=self.scales[places])

    @property
    def readable(self) -> FineRows:
        """Those of texts that the encoder reads."""
        return self.at(np.flatnonzero(self.codes.any(axis=1)))

    @property
    def vectors(self) -> Floats:
        """The vectors in full."""
        return self.codes * self.scales[:, None]

    def cosines(self, asked: Floats) -> Floats:
        """The cosine of each vector with each of some unit vectors."""
        return (self.codes.astype(np.float32) @ asked.T) * self.scales[:, None]


class Ragged(Struct, frozen=True, kw_only=True):
    """Rows of different lengths, stored one after the other in one flat column.

    `rows` maps each row of the table to a row of the column; -1 stands for "no record", which is empty.
    """

    flat: NDArray[Any]
    ends: Rows
    rows: Rows

    def at(self, places: Rows) -> tuple[Rows, Rows]:
        """The starts and the lengths of some rows of the table.

        >>> runs = Ragged(flat=np.arange(5), ends=np.array([2, 2, 5]), rows=np.array([2, 0, -1]))
        >>> [column.tolist() for column in runs.at(np.array([0, 1, 2]))]
        [[2, 0, 5], [3, 2, 0]]
        """
        rows = self.rows.take(places)
        starts = np.where(rows > 0, self.ends.take(rows - 1, mode="clip"), 0)
        starts = np.where(rows < 0, len(self.flat), starts)
        return starts, np.where(rows < 0, 0, self.ends.take(rows, mode="clip") - starts)


class CandidateTable(Struct, frozen=True, kw_only=True):
    """The candidates for a question, and the records around them, as columns.

    Candidates come first, then their neighbours; the last row stands for "no record" and is all zeros.
    `near` has, for each candidate, the rows of the records 3, 2, 1 before it and 1, 2, 3 after it. `looked` has the
    terms of the question that were searched, only the rarest if there are very many, and `factors` are theirs.
    `corpus_info` describes the memory at this moment, if the store has it at hand. `until` has the moments, in
    microseconds since 1970, from which each record of the memory is no longer visible. `keys` has the store's own
    number of each row.
    """

    ids: Sequence[str]
    keys: Rows
    near: Rows
    looked: Rows
    factors: Floats
    term_holders: Floats
    piece_holders: Floats
    records: int
    mean_length: float
    times: Floats
    lengths: Floats
    words: Floats
    traits: Flags
    cosine: Floats
    cosine_mean: float
    cosine_spread: float
    speaker: NDArray[np.int32]
    speakers: tuple[str, ...]
    spans: Ragged
    pieces: Ragged
    corpus_info: CorpusInfo | None = None
    until: Rows | None = None


class SyncPoint(Struct, frozen=True, kw_only=True):
    """How far a vector index has followed an organism: the encoder, the last version, and the last erasure.

    `last` is a record that the store had then: a store that does not know it is a different store.
    """

    encoder: str
    generation: int
    seq: int = 0
    last: str = ""
    erased_at: datetime | None = None


class VectorRow(Struct, frozen=True, kw_only=True):
    """The vectors of the newest version of a record, one row for each chunk of its text."""

    id: str
    kind: str
    vectors: Floats


class VectorBatch(Struct, frozen=True, kw_only=True):
    """The next records for a vector index, and the mark that it reaches with them.

    `anew` says that the previous mark does not apply to this store: the index must be cleared first.
    """

    rows: tuple[VectorRow, ...]
    mark: SyncPoint
    anew: bool = False
