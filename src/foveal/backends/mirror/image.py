"""What a mirror showed at one moment: it stays as it is while the mirror goes on following."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror.matrix import Matrix, largest
from foveal.backends.mirror.newest import Newest
from foveal.backends.mirror.postings import Postings
from foveal.backends.mirror.tally import Tally
from foveal.model.record import Scope
from foveal.model.search import Flags, Floats, Frame, Near, Probe, Rows, Runs, Setting
from foveal.rules.health import FAR_BEHIND
from foveal.rules.recall.index import rarest, rarities, worth
from foveal.rules.visibility import reaches

# The compact cosines are rough: this many more than asked are brought, for the true vectors to decide.
_MARGIN = 32
# The mean of all cosines and their spread are taken from this many, when not every row is compared.
_SAMPLE = 4096
NONE = -1

Place = tuple[str, Scope]
Seen = Callable[[Rows], NDArray[np.bool_]]


class Reading:
    """What a question makes of an image: the word score and the cosine of every row, and who holds its terms.

    With `near`, only these rows are compared, and the arm of meaning is what they are.
    """

    def __init__(
        self,
        words: Floats,
        cosine: Floats | None,
        *,
        looked: Rows,
        factors: Floats,
        holders: Sequence[tuple[Rows, Floats]],
        near: Rows | None = None,
    ) -> None:
        self.words, self.looked, self.factors, self.holders, self.near = words, looked, factors, holders, near
        self.by_meaning = cosine is not None
        self.cosine = np.zeros(len(words), np.float32) if cosine is None or near is not None else cosine
        self._known = self.cosine if near is None or cosine is None else cosine

    def arms(self, limit: int, among: Rows | None = None) -> list[Rows]:
        """The best rows of each arm, best first: of all, or among some."""
        held = np.flatnonzero(self.words > 0) if among is None else among[self.words[among] > 0]
        arms = [held[largest(self.words[held], limit)]]
        if self.near is not None:
            arms.append(self.near if among is None else self.near[np.isin(self.near, among)])
        elif self.by_meaning and among is None:
            arms.append(largest(self.cosine, limit + _MARGIN))
        elif self.by_meaning and among is not None:
            arms.append(among[largest(self.cosine[among], limit + _MARGIN)])
        return arms

    def spread(self) -> tuple[float, float]:
        """The mean of all cosines, and how far they lie from it."""
        known = self._known
        if not len(known):
            return 0.0, 0.0
        mean, square = float(known.mean()), float(known @ known) / len(known)
        return mean, max(0.0, square - mean * mean) ** 0.5


@dataclass(frozen=True, slots=True)
class Image:
    """The records of one organism in the order they were written, as columns.

    `until` is the moment, in microseconds since 1970, from which a record is out of sight; `place` says from which
    of the `places` it was written, `kind` of which of the `kinds` it is. `mark` names what it shows; an image of
    a memory that no other process can follow has none.
    """

    keys: Rows
    ids: Sequence[str]
    newest: Newest
    until: Rows
    place: NDArray[np.int32]
    places: Sequence[Place]
    kind: NDArray[np.int32]
    kinds: Sequence[str]
    matrix: Matrix
    postings: Postings
    lengths: Floats
    traits: Flags
    speaker: NDArray[np.int32]
    speakers: tuple[str, ...]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    vector_ends: Rows
    piece_ends: Rows
    pieces: NDArray[np.uint16]
    piece_holders: Tally
    span_ends: Rows
    spans: Floats
    days: tuple[int, int] | None
    mean_length: float
    mark: str = ""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def setting(self) -> Setting:
        """Who speaks, and in which years."""
        if self.days is None:
            return Setting(speakers=self.speakers, mark=self.mark)
        first, last = (date.fromordinal(one).year for one in self.days)
        return Setting(speakers=self.speakers, years=(first, last), mark=self.mark)

    def seen_from(self, node: str | None, moment: int) -> Seen:
        """Which rows a node may see at a moment; the owner, who is no node, sees those of all."""
        reached = np.array([node is None or reaches(scope, author, node) for author, scope in self.places], bool)
        return lambda rows: reached.take(self.place.take(rows)) & (self.until.take(rows) > moment)

    def of_kinds(self, kinds: Collection[str]) -> Seen:
        """Which rows are of one of these kinds."""
        wanted = np.array([one in kinds for one in self.kinds], bool)
        return lambda rows: wanted.take(self.kind.take(rows))

    def rows_near(self, near: Near | None, limit: int, seen: Seen) -> Rows | None:
        """The rows that an index found and those it does not know yet; None if each has to be compared instead.

        That is so when the index followed another store, is far behind, or found too little that may be seen.
        """
        if near is None:
            return None
        first = int(np.searchsorted(self.keys, near.after, side="right"))
        if len(self) - first > FAR_BEHIND or not len(self.newest.rows([near.last], len(self))):
            return None
        rows = self.newest.rows(near.ids, len(self))
        if not near.all and np.count_nonzero(seen(rows)) < limit:
            return None
        return self.union([rows, np.arange(first, len(self))])

    def read(self, probe: Probe, near: Rows | None = None) -> Reading:
        """Let both arms look at every row, or that of meaning at some."""
        found = self.postings.holders(probe.terms)
        looked = rarest(np.array([len(rows) for rows, _ in found], np.float32))
        factors = probe.factors[looked]
        words = np.zeros(len(self), np.float32)
        holders: list[tuple[Rows, Floats]] = []
        for one, factor in zip(map(int, looked), factors.tolist(), strict=True):
            rows, times = found[one][0].astype(np.int64), found[one][1].astype(np.float32)
            holders.append((rows, times))
            rare = rarities(np.array([len(rows)], np.float32), len(self))[0]
            words[rows] += rare * factor * worth(times, self.lengths[rows], self.mean_length)
        if near is None or probe.vector is None:
            cosine = self._cosines(probe.vector)
            return Reading(words, cosine, looked=looked, factors=factors, holders=holders)
        sample = np.arange(0, len(self), 1 + len(self) // _SAMPLE)
        cosine = self.cosines_of(probe.vector, sample)
        near = near[np.argsort(-self.cosines_of(probe.vector, near), kind="stable")]
        return Reading(words, cosine, looked=looked, factors=factors, holders=holders, near=near)

    def cosines_of(self, vector: Floats, rows: Rows) -> Floats:
        """The cosine of a vector with each of these rows: with the best of its vectors."""
        if not len(rows):
            return np.zeros(0, np.float32)
        ends = self.vector_ends
        if int(ends[-1]) == len(ends):
            return self.matrix.cosines_of(vector, rows)
        starts = np.where(rows > 0, ends.take(rows - 1, mode="clip"), 0)
        counts = ends.take(rows) - starts
        first = np.cumsum(counts) - counts
        places = np.repeat(starts - first, counts) + np.arange(int(counts.sum()))
        return np.maximum.reduceat(self.matrix.cosines_of(vector, places), first)

    def _cosines(self, vector: Floats | None) -> Floats | None:
        if vector is None or not len(self):
            return None
        cosine, ends = self.matrix.cosines(vector), self.vector_ends
        if int(ends[-1]) != len(ends):
            return np.maximum.reduceat(cosine, _starts(ends))
        return cosine

    def union(self, groups: Sequence[Rows]) -> Rows:
        """The rows of all groups, ascending, each once."""
        marked = np.zeros(len(self), bool)
        for rows in groups:
            marked[rows] = True
        return np.flatnonzero(marked)

    def near(self, rows: Rows) -> Rows:
        """The rows 3, 2, 1 before and 1, 2, 3 after each row in its chain, or none."""
        near = np.full((len(rows), 6), NONE, np.int64)
        for step, places in ((self.before, (2, 1, 0)), (self.after, (3, 4, 5))):
            at = rows
            for place in places:
                at = np.where(at == NONE, NONE, step.take(at))
                # What follows may have been written after this image was taken.
                at[at >= len(self)] = NONE
                near[:, place] = at
        return near

    def frame(self, reading: Reading, probe: Probe, rows: Rows, near: Rows) -> Frame:
        """The columns of these rows and of their neighbours; `near` says which those are."""
        place = np.full(len(self) + 1, NONE, np.int64)
        place[rows] = np.arange(len(rows))
        others = self.union([near[near != NONE]])
        others = others[place[others] == NONE]
        around = np.concatenate([rows, others])
        place[others] = np.arange(len(rows), len(around))
        times = np.zeros((len(reading.holders), len(around) + 1), np.float32)
        for row, (holders, counts) in zip(times, reading.holders, strict=True):
            # Those that are not around are put in the last place, which is cleared.
            row[place.take(holders)] = counts
        times[:, -1] = 0
        place[NONE] = len(around)
        mean, spread = reading.spread()
        return Frame(
            ids=_Ids(self.ids, rows),
            near=place.take(near),
            looked=reading.looked,
            factors=reading.factors,
            term_holders=np.array([len(one[0]) for one in reading.holders], np.float32),
            piece_holders=self.piece_holders.of(probe.pieces),
            records=len(self),
            mean_length=self.mean_length,
            times=times,
            lengths=_ended(self.lengths.take(around)),
            words=_ended(reading.words.take(around)),
            traits=np.append(self.traits.take(around), np.int16(0)),
            cosine=_ended(reading.cosine.take(around)),
            cosine_mean=mean,
            cosine_spread=spread,
            speaker=np.append(self.speaker.take(around), np.int32(len(self.speakers))),
            speakers=self.speakers,
            spans=Runs(flat=self.spans.reshape(-1, 3), ends=self.span_ends, rows=rows),
            pieces=Runs(flat=self.pieces, ends=self.piece_ends, rows=np.append(around, NONE)),
            setting=self.setting,
            until=self.until,
        )


class _Ids(Sequence[str]):
    """The ids of some rows, looked up when asked for: few of them ever are."""

    def __init__(self, ids: Sequence[str], rows: Rows) -> None:
        self._ids, self._rows = ids, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._ids[int(self._rows[place])]


def _starts(ends: Rows) -> Rows:
    return np.concatenate([np.zeros(1, np.int64), ends[:-1]])


def _ended(column: Floats) -> Floats:
    """The column, and a zero for "no record"."""
    return np.append(column, np.float32(0))
