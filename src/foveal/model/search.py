"""What an index stores of a record and exchanges in a search: `IndexEntry`, `IndexQuery`, `CandidateTable`;
batches for a vector index.
"""

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

# Stands between the passages of a text, among the numbers of its pieces.
PASSAGE = 0xFFFF


class Trait(IntFlag):
    """What the wording of a remark says of it, and who it comes from."""

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


class IndexEntry(Struct, frozen=True, kw_only=True):
    """What a record is found by, made once when it is written.

    `terms` are the codes of its words and `times` how often each occurs; `pieces` are the word pieces of the
    bundled table, passage by passage; `spans` are the days it may speak of, as first, last and weight. `chain` is
    the conversation it stands in: 0 for none.
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
    """Who speaks in a memory, and from which year to which.

    `mark` names the state of the memory that this was read from: with the same mark, the same is found. A store
    that cannot say so gives none.
    """

    speakers: tuple[str, ...] = ()
    years: tuple[int, int] | None = None
    mark: str = ""


class VectorHits(Struct, frozen=True, kw_only=True):
    """What an index of vectors found: the nearest ids, the nearest first.

    It knows what was written up to the key `after`, of a store that has the record `last`. `all` says that it has
    no more than these.
    """

    ids: tuple[str, ...]
    after: int
    last: str
    all: bool


class IndexQuery(Struct, frozen=True, kw_only=True):
    """What a store needs of a question to find candidates: codes of its terms with factors, its vector.

    With `near`, the store compares only what an index found, and what the index does not know yet.
    """

    terms: NDArray[np.uint32]
    factors: Floats
    pieces: NDArray[np.uint16]
    vector: Floats | None
    near: VectorHits | None = None


class Ragged(Struct, frozen=True, kw_only=True):
    """Numbers of many rows in one flat column, each row's after those of the row before it.

    `rows` says which row of the column each row of a frame is; -1 for "no record", which has none.
    """

    flat: NDArray[Any]
    ends: Rows
    rows: Rows

    def at(self, places: Rows) -> tuple[Rows, Rows]:
        """Where the numbers of some rows of the frame start, and how many they are.

        >>> runs = Ragged(flat=np.arange(5), ends=np.array([2, 2, 5]), rows=np.array([2, 0, -1]))
        >>> [one.tolist() for one in runs.at(np.array([0, 1, 2]))]
        [[2, 0, 5], [3, 2, 0]]
        """
        rows = self.rows.take(places)
        starts = np.where(rows > 0, self.ends.take(rows - 1, mode="clip"), 0)
        starts = np.where(rows < 0, len(self.flat), starts)
        return starts, np.where(rows < 0, 0, self.ends.take(rows, mode="clip") - starts)


class CandidateTable(Struct, frozen=True, kw_only=True):
    """The candidates for a question, and the records around them, as columns.

    Candidates come first, then their neighbours; the last row stands for "no record" and is all zeros.
    `near` says for each candidate which rows stand 3, 2, 1 before it and 1, 2, 3 after it. `looked` says
    which terms of the question were looked for: the rarest, when there are very many. `factors` are theirs.
    `setting` is that of the memory at this moment, where the store has it at hand; `until` has the moments, in
    microseconds since 1970, from which each record of the memory is out of sight.
    """

    ids: Sequence[str]
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
    """How far an index has followed an organism: whose vectors it has, up to which version, and which erasures.

    `last` is a record that the store had then: a store that does not know it is another store.
    """

    encoder: str
    generation: int
    seq: int = 0
    last: str = ""
    erased_at: datetime | None = None


class VectorRow(Struct, frozen=True, kw_only=True):
    """The vectors of a record as it is now, one row for each chunk of its text."""

    id: str
    kind: str
    vectors: Floats


class VectorBatch(Struct, frozen=True, kw_only=True):
    """The next records for an index, and the mark that it has reached with them.

    `anew` says that the mark it came with means nothing here: everything in the index is to be let go first.
    """

    rows: tuple[VectorRow, ...]
    mark: SyncPoint
    anew: bool = False
