"""One organism in memory: its terms, vectors and conversations, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror.column import Column, T
from foveal.backends.mirror.matrix import Matrix, largest
from foveal.backends.mirror.packing import ASKS, ENDS_ASKING, TELLS_TIME, Unpacked
from foveal.backends.mirror.postings import Postings
from foveal.model.trace import Floats, Frame, Probe, Rows, Setting
from foveal.rules.weighing import rarities, worth

# The compact cosines are rough: this many more than asked are brought, for the true vectors to decide.
_MARGIN = 32
NONE = -1


class Reading:
    """What a question makes of a mirror: the word score and the cosine of every row, and who holds its terms."""

    def __init__(self, words: Floats, cosine: Floats | None, holders: Sequence[tuple[Rows, Floats]]) -> None:
        self.words, self.holders = words, holders
        self.by_meaning = cosine is not None
        self.cosine = np.zeros(len(words) - 1, np.float32) if cosine is None else cosine

    def arms(self, limit: int, among: Rows | None = None) -> list[Rows]:
        """The best rows of each arm, best first; only among those given, if any are."""
        if among is not None:
            by_words = among[largest(self.words[among], limit)]
            by_meaning = among[largest(self.cosine[among], limit + _MARGIN)]
        else:
            by_words, by_meaning = largest(self.words[:-1], limit), largest(self.cosine, limit + _MARGIN)
        arms = [by_words[self.words[by_words] > 0]]
        return [*arms, by_meaning] if self.by_meaning else arms


class Mirror:
    """The records of one organism in the order they were written. `followed` is the last key that is in."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._matrix = Matrix(dimension)
        self._postings = Postings()
        self._keys = Column[np.int64](np.int64)
        self._lengths = Column[np.float32](np.float32)
        self._flags = Column[np.uint8](np.uint8)
        self._speaker = Column[np.int32](np.int32)
        self._before = Column[np.int32](np.int32)
        self._after = Column[np.int32](np.int32)
        self._vector_ends = Column[np.int64](np.int64)
        self._piece_ends = Column[np.int64](np.int64)
        self._span_ends = Column[np.int64](np.int64)
        self._pieces = Column[np.uint16](np.uint16)
        self._spans = Column[np.float32](np.float32)
        self._piece_holders = np.zeros(1 << 16, np.float32)
        self._speakers: dict[str, int] = {}
        self._chain_ends: dict[int, int] = {}
        self._days: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def bytes(self) -> int:
        """About how much memory it takes, beside what every row does."""
        return self._matrix.bytes + self._piece_holders.nbytes + 2 * len(self._pieces) + 400 * len(self)

    @property
    def followed(self) -> int:
        """The last key that is in, 0 for none."""
        return int(self._keys.all[-1]) if len(self) else 0

    @property
    def keys(self) -> Rows:
        """The key of every row."""
        return self._keys.all

    @property
    def setting(self) -> Setting:
        """Who speaks, and in which years."""
        years = None
        if self._days is not None:
            first, last = (
                int(np.datetime64(day - 719_163, "D").astype("datetime64[Y]").astype(int)) for day in self._days
            )
            years = (first + 1970, last + 1970)
        return Setting(speakers=tuple(self._speakers), years=years)

    def add(self, keys: Sequence[int], traces: Sequence[Sequence[Any]], vectors: Sequence[bytes | None]) -> None:
        """Take in records, with keys above all that are in; vectors are half-precision rows back to back."""
        if not keys:
            return
        first, new = len(self), Unpacked(traces)
        rows = np.arange(first, first + len(keys), dtype=np.int32)
        self._keys.add(np.array(keys, np.int64))
        self._postings.add(new.terms, np.repeat(rows, new.term_counts), new.times)
        owners = np.repeat(np.arange(len(keys)), new.term_counts)
        self._lengths.add(np.bincount(owners, new.times, len(keys)).astype(np.float32))
        self._flags.add(new.flags)
        self._add_speakers(new.speakers, new.days)
        self._add_links(new.chains, rows)
        self._piece_ends.add(len(self._pieces) + np.cumsum(new.piece_counts))
        self._pieces.add(new.pieces)
        self._piece_holders += np.bincount(new.pieces, minlength=1 << 16)
        self._span_ends.add(len(self._spans) // 3 + np.cumsum(new.span_counts))
        self._spans.add(new.spans)
        self._add_vectors(vectors)

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

    def read(self, probe: Probe) -> Reading:
        """Let both arms look at every row."""
        words = np.zeros(len(self) + 1, np.float32)
        mean = self.mean_length
        holders: list[tuple[Rows, Floats]] = []
        for term, factor in zip(probe.terms.tolist(), probe.factors.tolist(), strict=True):
            rows, counts = self._postings.holders(term)
            times = counts.astype(np.float32)
            holders.append((rows.astype(np.int64), times))
            rare = rarities(np.array([len(rows)], np.float32), len(self))[0]
            words[rows] += rare * factor * worth(times, self._lengths.all[rows], mean)
        if probe.vector is None or not len(self):
            return Reading(words, None, holders)
        cosine, ends = self._matrix.cosines(probe.vector), self._vector_ends.all
        if int(ends[-1]) != len(ends):
            cosine = np.maximum.reduceat(cosine, np.concatenate([[0], ends[:-1]]))
        return Reading(words, cosine, holders)

    def beside(self, rows: Rows) -> Rows:
        """The rows up to two before and after each of these in its chain."""
        near = self.near(rows)[:, 1:5].ravel()
        return near[near != NONE]

    @property
    def mean_length(self) -> float:
        """How many terms a record has."""
        return float(self._lengths.all.mean()) if len(self) else 0.0

    def near(self, rows: Rows) -> Rows:
        """The rows 3, 2, 1 before and 1, 2, 3 after each row in its chain, or none."""
        near = np.full((len(rows), 6), NONE, np.int64)
        for step, places in ((self._before.all, (2, 1, 0)), (self._after.all, (3, 4, 5))):
            at = rows
            for place in places:
                at = np.where(at == NONE, NONE, step[at])
                near[:, place] = at
        return near

    def frame(self, reading: Reading, probe: Probe, rows: Rows, ids: Sequence[str], near: Rows) -> Frame:
        """The columns of these rows and of their neighbours; `near` says which those are."""
        others = np.setdiff1d(near[near != NONE], rows)
        around = np.concatenate([rows, others])
        place = np.full(len(self) + 1, len(around), np.int64)
        place[around] = np.arange(len(around))
        top = max(float(reading.words.max()), 1e-9)
        times = np.zeros((len(reading.holders), len(around) + 1), np.float32)
        for row, (holders, counts) in zip(times, reading.holders, strict=True):
            if len(holders):
                found = np.minimum(np.searchsorted(holders, around), len(holders) - 1)
                row[:-1] = np.where(holders[found] == around, counts[found], 0)
        flags = self._flags.all
        return Frame(
            ids=ids,
            near=place[near],
            term_holders=np.array([len(one[0]) for one in reading.holders], np.float32),
            piece_holders=self._piece_holders[probe.pieces],
            records=len(self),
            mean_length=self.mean_length,
            times=times,
            lengths=np.append(self._lengths.all[around], np.float32(0)),
            words=np.append(reading.words[around] / np.float32(top), np.float32(0)),
            asks=np.append((flags[around] & ASKS > 0).astype(np.float32), np.float32(0)),
            cosine=reading.cosine[rows],
            cosine_mean=float(reading.cosine.mean()) if len(self) else 0.0,
            cosine_spread=float(reading.cosine.std()) if len(self) else 0.0,
            ends_asking=(flags[rows] & ENDS_ASKING > 0).astype(np.float32),
            tells_time=(flags[rows] & TELLS_TIME > 0).astype(np.float32),
            speaker=self._speaker.all[rows],
            speakers=tuple(self._speakers),
            spans=Slices(self._spans.all.reshape(-1, 3), self._span_ends.all, rows),
            pieces=Slices(self._pieces.all, self._piece_ends.all, around),
        )


class Slices(Sequence[NDArray[T]]):
    """The parts of a flat column that belong to some rows, cut when they are asked for."""

    def __init__(self, flat: NDArray[T], ends: Rows, rows: Rows) -> None:
        self._flat, self._ends, self._rows = flat, ends, rows.tolist()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> NDArray[T]:  # pyright: ignore[reportIncompatibleMethodOverride]
        row = self._rows[place]
        return self._flat[self._ends[row - 1] if row else 0 : self._ends[row]]
