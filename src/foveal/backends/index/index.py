"""`ActorIndex`: the growing in-memory index of one actor, and the cache of indexes."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from foveal.backends.index.columns import ByteMatrix, Column, LatestRows, PieceCounts
from foveal.backends.index.postings import Packed, Postings, Unpacked, lengths
from foveal.backends.index.reader import NONE, IndexReader, Place
from foveal.model.record import Scope
from foveal.model.search import Trait

FOR_EVER = 2**63 - 1
# The size in bytes of an index without records.
_EMPTY = 10_000


class ActorIndex:
    """The index of the records of one organism, in the order in which they were written.

    `followed` is the key of the last record in it, and `changes` the number of the last change of visibility in it.
    `name` says which encoder made the vectors; without one, its readers have no mark.
    """

    def __init__(self, dimension: int, name: str = "") -> None:
        self._dimension = dimension
        self._name = name
        self._matrix = ByteMatrix(dimension)
        self._postings = Postings()
        self._keys = Column[np.int64](np.int64)
        self._ids: list[str] = []
        self._newest = LatestRows(self._ids)
        self._until = Column[np.int64](np.int64)
        self._place = Column[np.int32](np.int32)
        self._places: dict[Place, int] = {}
        self._kind = Column[np.int32](np.int32)
        self._kinds: dict[str, int] = {}
        self._lengths = Column[np.float32](np.float32)
        self._traits = Column[np.int16](np.int16)
        self._speaker = Column[np.int32](np.int32)
        self._before = Column[np.int32](np.int32)
        self._after = Column[np.int32](np.int32)
        self._vector_ends = Column[np.int64](np.int64)
        self._piece_ends = Column[np.int64](np.int64)
        self._span_ends = Column[np.int64](np.int64)
        self._pieces = Column[np.uint16](np.uint16)
        self._spans = Column[np.float32](np.float32)
        self._piece_holders = PieceCounts()
        self._speakers: dict[str, int] = {}
        self._chain_ends: dict[int, int] = {}
        self._days: tuple[int, int] | None = None
        self._image: IndexReader | None = None
        self.changes = 0

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def bytes(self) -> int:
        """About how much memory the index takes."""
        rows = 2 * len(self._pieces) + 500 * len(self)
        return _EMPTY + self._matrix.bytes + self._piece_holders.bytes + rows

    @property
    def followed(self) -> int:
        """The last key in the index, or 0 if it is empty."""
        return int(self._keys.all[-1]) if len(self) else 0

    @property
    def image(self) -> IndexReader:
        """A reader of the current state. Later additions do not change it: columns grow beyond the part it has."""
        if self._image is None:
            term_counts, traits = self._lengths.all, self._traits.all
            aside = (traits & Trait.ASIDE) > 0
            counted = term_counts[~aside] if aside.any() else term_counts
            self._image = IndexReader(
                keys=self._keys.all,
                ids=self._ids,
                newest=self._newest,
                until=self._until.all,
                place=self._place.all,
                places=tuple(self._places),
                kind=self._kind.all,
                kinds=tuple(self._kinds),
                matrix=copy.copy(self._matrix),
                postings=copy.copy(self._postings),
                lengths=term_counts,
                traits=traits,
                aside=aside if len(counted) < len(self) else None,
                speaker=self._speaker.all,
                speakers=tuple(self._speakers),
                before=self._before.all,
                after=self._after.all,
                vector_ends=self._vector_ends.all,
                piece_ends=self._piece_ends.all,
                pieces=self._pieces.all,
                piece_holders=copy.copy(self._piece_holders),
                span_ends=self._span_ends.all,
                spans=self._spans.all,
                days=self._days,
                mean_length=float(counted.mean()) if len(counted) else 0.0,
                mark=self._mark(),
            )
        return self._image

    def _mark(self) -> str:
        """A name for the current state.

        Ids are unique, so neither another memory nor a copy that was written to since has the same mark. The count
        tells an index that contains erased records from one that does not.
        """
        if not self._name or not self._ids:
            return ""
        return f"{self._name} {len(self)} {self.followed} {self._ids[-1]} {self.changes}"

    def add(
        self,
        keys: Sequence[int],
        owners: Sequence[tuple[str, str, str]],
        traces: Sequence[Packed],
        vectors: Sequence[bytes | None],
        kinds: Sequence[str],
    ) -> None:
        """Add records, whose keys must be greater than all in the index.

        `owners` has the id, node and scope of each record; `vectors` its half-precision rows, concatenated.
        """
        if not keys:
            return
        self._image = None
        first, new = len(self), Unpacked(traces)
        rows = np.arange(first, first + len(keys), dtype=np.int32)
        self._keys.add(np.array(keys, np.int64))
        self._add_owners(owners)
        numbers = [self._kinds.setdefault(kind, len(self._kinds)) for kind in kinds]
        self._kind.add(np.array(numbers, np.int32))
        self._postings.add(new.terms, np.repeat(rows, new.term_counts), new.times)
        self._lengths.add(lengths(new))
        self._traits.add(new.traits)
        self._add_speakers(new.speakers, new.days)
        self._add_links(new.chains, rows)
        self._piece_ends.add(len(self._pieces) + np.cumsum(new.piece_counts))
        self._pieces.add(new.pieces)
        counted = [trace for trace in traces if not (trace.traits or 0) & Trait.ASIDE]
        if counted:
            whole = len(counted) == len(traces)
            self._piece_holders.add(new.held_pieces if whole else Unpacked(counted).held_pieces)
        self._span_ends.add(len(self._spans) // 3 + np.cumsum(new.span_counts))
        self._spans.add(new.spans)
        self._add_vectors(vectors)

    def show_until(self, keys: Sequence[int], moments: Sequence[int]) -> None:
        """Set until when records are visible; unknown keys are ignored."""
        self._image = None
        wanted, known = np.array(keys, np.int64), self._keys.all
        rows = np.searchsorted(known, wanted)
        here = rows < len(known)
        here[here] = known[rows[here]] == wanted[here]
        self._until.change(rows[here], np.array(moments, np.int64)[here])

    def _add_owners(self, owners: Sequence[tuple[str, str, str]]) -> None:
        self._ids += [record_id for record_id, _, _ in owners]
        self._until.add(np.full(len(owners), FOR_EVER, np.int64))
        places = self._places
        numbers = [places.setdefault((node, Scope(scope)), len(places)) for _, node, scope in owners]
        self._place.add(np.array(numbers, np.int32))

    def _add_speakers(self, names: Sequence[str], days: NDArray[np.int32]) -> None:
        numbers = [self._speakers.setdefault(name, len(self._speakers)) for name in names]
        self._speaker.add(np.array(numbers, np.int32))
        first, last = int(days.min()), int(days.max())
        self._days = (first, last) if self._days is None else (min(self._days[0], first), max(self._days[1], last))

    def _add_links(self, chains: Sequence[int], rows: NDArray[np.int32]) -> None:
        """Connect each row with the one written before it in its chain."""
        self._before.add(np.full(len(rows), NONE, np.int32))
        self._after.add(np.full(len(rows), NONE, np.int32))
        before, after, ends = self._before.all, self._after.all, self._chain_ends
        for chain, row in zip(chains, rows.tolist(), strict=True):
            if chain:
                last = ends.get(chain, NONE)
                if last != NONE:
                    before[row], after[last] = last, row
                ends[chain] = row

    def _add_vectors(self, vectors: Sequence[bytes | None]) -> None:
        empty = bytes(2 * self._dimension)
        blobs = [data or empty for data in vectors]
        counts = [len(data) // (2 * self._dimension) for data in blobs]
        flat = np.frombuffer(b"".join(blobs), np.float16)
        end = int(self._vector_ends.all[-1]) if len(self._vector_ends) else 0
        self._vector_ends.add(end + np.cumsum(counts))
        self._matrix.add(flat.reshape(-1, self._dimension))


_ROOM = 1 << 30
_LOOKS = 32

Generation = tuple[int, int]


class IndexCache:
    """The indexes of the organisms that were searched last, in about `room` bytes at most."""

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._looks = 0
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, tuple[Generation, ActorIndex, threading.Lock]] = OrderedDict()

    def of(self, organism: Hashable, generation: Generation, dimension: int) -> tuple[ActorIndex, threading.Lock]:
        """The index of an organism, a new empty one if it is not in the cache, and the lock that guards it."""
        with self._lock:
            known = self._known.get(organism)
            self._looks += 1
            if known is None or known[0] != generation:
                known = self._known[organism] = (
                    generation,
                    ActorIndex(dimension, _named(generation)),
                    threading.Lock(),
                )
            self._known.move_to_end(organism)
            # The sum takes time that grows with the number of actors, so it is not computed every time.
            if self._looks % _LOOKS == 0:
                used = sum(index.bytes for _, index, _ in self._known.values())
                while len(self._known) > 1 and used > self._room:
                    _, (_, oldest, _) = self._known.popitem(last=False)
                    used -= oldest.bytes
            _, index, lock = known
            return index, lock

    def size(self, organism: Hashable) -> int | None:
        """How many records the index of an organism has, or None if it is not in the cache."""
        with self._lock:
            known = self._known.get(organism)
            return None if known is None else len(known[1])

    def drop(self, organism: Hashable) -> None:
        """Remove an index; the next search builds it again."""
        with self._lock:
            self._known.pop(organism, None)


def _named(generation: Generation) -> str:
    return f"{generation[0]}.{generation[1]}"
