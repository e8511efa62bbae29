"""`ActorIndex`: the growing in-memory index of one actor, and the cache of indexes."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from foveal.backends.index.columns import ByteMatrix, Column, LatestRows, PieceCounts
from foveal.backends.index.postings import Packed, Postings, Unpacked
from foveal.backends.index.reader import NONE, IndexReader, Place
from foveal.model.record import Scope

FOR_EVER = 2**63 - 1
# What a mirror takes in memory before anything is in it.
_EMPTY = 10_000


class ActorIndex:
    """The records of one organism in the order they were written. `followed` is the last key that is in.

    `changes` is the number of the last change to who is seen that is in. `name` says whose vectors it holds;
    without one, its images have no mark.
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
        """About how much memory it takes."""
        rows = 2 * len(self._pieces) + 500 * len(self)
        return _EMPTY + self._matrix.bytes + self._piece_holders.bytes + rows

    @property
    def followed(self) -> int:
        """The last key that is in, 0 for none."""
        return int(self._keys.all[-1]) if len(self) else 0

    @property
    def image(self) -> IndexReader:
        """What it shows now. Nothing that comes later changes an image: columns grow beyond what it took."""
        if self._image is None:
            lengths = self._lengths.all
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
                lengths=lengths,
                traits=self._traits.all,
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
                mean_length=float(lengths.mean()) if len(self) else 0.0,
                mark=self._mark(),
            )
        return self._image

    def _mark(self) -> str:
        """A name for what is in. An id is nowhere twice, so no other memory has it, nor a copy that went on alone;
        how many there are tells mirrors apart that saw what was erased from those that did not."""
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
        """Take in records, with keys above all that are in.

        Owners are the id, node and scope of each; vectors are half-precision rows back to back.
        """
        if not keys:
            return
        self._image = None
        first, new = len(self), Unpacked(traces)
        rows = np.arange(first, first + len(keys), dtype=np.int32)
        self._keys.add(np.array(keys, np.int64))
        self._add_owners(owners)
        numbers = [self._kinds.setdefault(one, len(self._kinds)) for one in kinds]
        self._kind.add(np.array(numbers, np.int32))
        self._postings.add(new.terms, np.repeat(rows, new.term_counts), new.times)
        belonging = np.repeat(np.arange(len(keys)), new.term_counts)
        self._lengths.add(np.bincount(belonging, new.times, len(keys)).astype(np.float32))
        self._traits.add(new.traits)
        self._add_speakers(new.speakers, new.days)
        self._add_links(new.chains, rows)
        self._piece_ends.add(len(self._pieces) + np.cumsum(new.piece_counts))
        self._pieces.add(new.pieces)
        self._piece_holders.add(new.held_pieces)
        self._span_ends.add(len(self._spans) // 3 + np.cumsum(new.span_counts))
        self._spans.add(new.spans)
        self._add_vectors(vectors)

    def show_until(self, keys: Sequence[int], moments: Sequence[int]) -> None:
        """Change until when records are seen; keys that are not in are passed over."""
        self._image = None
        wanted, known = np.array(keys, np.int64), self._keys.all
        rows = np.searchsorted(known, wanted)
        here = rows < len(known)
        here[here] = known[rows[here]] == wanted[here]
        self._until.change(rows[here], np.array(moments, np.int64)[here])

    def _add_owners(self, owners: Sequence[tuple[str, str, str]]) -> None:
        self._ids += [one for one, _, _ in owners]
        self._until.add(np.full(len(owners), FOR_EVER, np.int64))
        places = self._places
        numbers = [places.setdefault((node, Scope(scope)), len(places)) for _, node, scope in owners]
        self._place.add(np.array(numbers, np.int32))

    def _add_speakers(self, names: Sequence[str], days: NDArray[np.int32]) -> None:
        numbers = [self._speakers.setdefault(name, len(self._speakers)) for name in names]
        self._speaker.add(np.array(numbers, np.int32))
        known = (int(days.min()), int(days.max()))
        self._days = known if self._days is None else (min(self._days[0], known[0]), max(self._days[1], known[1]))

    def _add_links(self, chains: Sequence[int], rows: NDArray[np.int32]) -> None:
        """Tie each row to the one written before it in its chain."""
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
        counts = [len(one or empty) // (2 * self._dimension) for one in vectors]
        flat = np.frombuffer(b"".join(one or empty for one in vectors), np.float16)
        end = int(self._vector_ends.all[-1]) if len(self._vector_ends) else 0
        self._vector_ends.add(end + np.cumsum(counts))
        self._matrix.add(flat.reshape(-1, self._dimension))


_ROOM = 1 << 30
_LOOKS = 32

Generation = tuple[int, int]


class IndexCache:
    """The organisms that were looked at lately, in memory, at most about `room` bytes of them."""

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._looks = 0
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, tuple[Generation, ActorIndex, threading.Lock]] = OrderedDict()

    def of(self, organism: Hashable, generation: Generation, dimension: int) -> tuple[ActorIndex, threading.Lock]:
        """The mirror of an organism, empty if it was not looked at lately, and the lock that guards it."""
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
            # Adding up all of them is work that grows with the actors: now and then is enough.
            if self._looks % _LOOKS == 0:
                used = sum(one[1].bytes for one in self._known.values())
                while len(self._known) > 1 and used > self._room:
                    used -= self._known.popitem(last=False)[1][1].bytes
            return known[1], known[2]

    def size(self, organism: Hashable) -> int | None:
        """How many records the mirror of an organism has, None if there is no mirror."""
        with self._lock:
            known = self._known.get(organism)
            return None if known is None else len(known[1])

    def drop(self, organism: Hashable) -> None:
        """Let a mirror go; the next look builds it anew."""
        with self._lock:
            self._known.pop(organism, None)


def _named(generation: Generation) -> str:
    return f"{generation[0]}.{generation[1]}"
