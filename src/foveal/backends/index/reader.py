"""`IndexReader`, an immutable view of an index, and the search over it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.index.columns import ByteMatrix, LatestRows, PieceCounts, largest
from foveal.backends.index.postings import Postings
from foveal.model.record import Scope
from foveal.model.search import CandidateTable, CorpusInfo, Flags, Floats, IndexQuery, Ragged, Rows, VectorHits
from foveal.rules.recall.index import rarest, rarities, worth
from foveal.rules.visibility import reaches

# A vector index that lacks more records than this is not used.
FAR_BEHIND = 4096

# The cosines of byte vectors are approximate: so many more rows are taken, and the true vectors decide.
_MARGIN = 32
# The mean and spread of all cosines are estimated from about so many rows if not every row is compared.
_SAMPLE = 4096
NONE = -1

Place = tuple[str, Scope]
RowFilter = Callable[[Rows], NDArray[np.bool_]]


class ArmScores:
    """The scores of a question: the word score and the cosine of every row, and the holders of its terms.

    With `near`, the arm of meaning consists of these rows, and `cosine` is only a sample for `spread`.
    """

    def __init__(
        self,
        words: Floats,
        cosine: Floats | None,
        *,
        looked: Rows,
        factors: Floats,
        holders: Sequence[tuple[Rows, Floats]],
        counts: Floats,
        counted: NDArray[np.bool_] | None = None,
        near: Rows | None = None,
    ) -> None:
        self.counts = counts
        self.words, self.looked, self.factors, self.holders, self.near = words, looked, factors, holders, near
        self.by_meaning = cosine is not None
        self.cosine = np.zeros(len(words), np.float32) if cosine is None or near is not None else cosine
        self._known = self.cosine if near is None or cosine is None else cosine
        self._counted = counted

    def arms(self, limit: int, among: Rows | None = None) -> list[Rows]:
        """The best rows of each arm, best first, of all rows or of those in `among`."""
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
        """The mean and the standard deviation of all cosines that count."""
        known = self._known if self._counted is None else self._known[self._counted]
        if not len(known):
            return 0.0, 0.0
        mean, square = float(known.mean()), float(known @ known) / len(known)
        return mean, max(0.0, square - mean * mean) ** 0.5


@dataclass(frozen=True, slots=True)
class IndexReader:
    """The records of one organism in the order in which they were written, as columns.

    `until` is the time, in microseconds since 1970, from which a record is hidden. `place` is the number of its
    node and scope in `places`, `kind` that of its kind in `kinds`. `mark` names the state that the reader shows; it
    is empty for a memory that no other process can follow. `aside` are the rows that count in no total.
    """

    keys: Rows
    ids: Sequence[str]
    newest: LatestRows
    until: Rows
    place: NDArray[np.int32]
    places: Sequence[Place]
    kind: NDArray[np.int32]
    kinds: Sequence[str]
    matrix: ByteMatrix
    postings: Postings
    lengths: Floats
    traits: Flags
    aside: NDArray[np.bool_] | None
    speaker: NDArray[np.int32]
    speakers: tuple[str, ...]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    vector_ends: Rows
    piece_ends: Rows
    pieces: NDArray[np.uint16]
    piece_holders: PieceCounts
    span_ends: Rows
    spans: Floats
    days: tuple[int, int] | None
    mean_length: float
    mark: str = ""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def counted(self) -> int:
        """How many rows count in totals."""
        return len(self) if self.aside is None else len(self) - int(self.aside.sum())

    def _count(self, holders: NDArray[np.int32]) -> int:
        """How many of the rows that hold a term count; at least one, if there are any."""
        if self.aside is None:
            return len(holders)
        return max(len(holders) - int(self.aside.take(holders).sum()), min(1, len(holders)))

    @property
    def corpus_info(self) -> CorpusInfo:
        """The speakers, and the years of the records."""
        if self.days is None:
            return CorpusInfo(speakers=self.speakers, mark=self.mark)
        first, last = (date.fromordinal(day).year for day in self.days)
        return CorpusInfo(speakers=self.speakers, years=(first, last), mark=self.mark)

    def visible_to(self, node: str | None, moment: int) -> RowFilter:
        """Which rows a node may see at a moment; without a node, as for the owner, those of every node."""
        reached = np.array([node is None or reaches(scope, author, node) for author, scope in self.places], bool)
        return lambda rows: reached.take(self.place.take(rows)) & (self.until.take(rows) > moment)

    def of_kinds(self, kinds: Collection[str]) -> RowFilter:
        """Which rows are of one of these kinds."""
        wanted = np.array([kind in kinds for kind in self.kinds], bool)
        return lambda rows: wanted.take(self.kind.take(rows))

    def rows_near(self, near: VectorHits | None, limit: int, seen: RowFilter) -> Rows | None:
        """The rows that a vector index found and those it lacks, or None if every row must be compared.

        That is the case if the vector index followed another store, is far behind, or found too few visible rows.
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

    def read(self, probe: IndexQuery, near: Rows | None = None) -> ArmScores:
        """Score every row in both arms; with `near`, the arm of meaning is limited to these rows."""
        postings = self.postings.holders(probe.terms)
        counts = np.array([self._count(rows) for rows, _ in postings], np.float32)
        looked = rarest(counts)
        factors = probe.factors[looked]
        words = np.zeros(len(self), np.float32)
        holders: list[tuple[Rows, Floats]] = []
        for term, factor in zip(map(int, looked), factors.tolist(), strict=True):
            rows, times = postings[term][0].astype(np.int64), postings[term][1].astype(np.float32)
            holders.append((rows, times))
            rare = rarities(counts[[term]], self.counted)[0]
            words[rows] += rare * factor * worth(times, self.lengths[rows], self.mean_length)
        if near is None or probe.vector is None:
            cosine, counted = self._cosines(probe.vector), None if self.aside is None else ~self.aside
            return ArmScores(
                words,
                cosine,
                looked=looked,
                factors=factors,
                holders=holders,
                counts=counts[looked],
                counted=None if cosine is None else counted,
            )
        sample = np.arange(0, len(self), 1 + len(self) // _SAMPLE)
        if self.aside is not None:
            sample = sample[~self.aside[sample]]
        cosine = self.cosines_of(probe.vector, sample)
        near = near[np.argsort(-self.cosines_of(probe.vector, near), kind="stable")]
        return ArmScores(
            words,
            cosine,
            looked=looked,
            factors=factors,
            holders=holders,
            counts=counts[looked],
            near=near,
        )

    def cosines_of(self, vector: Floats, rows: Rows) -> Floats:
        """The cosine of a vector with each of these rows, taking the best of the row's vectors."""
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
        """The distinct rows of all groups, ascending."""
        marked = np.zeros(len(self), bool)
        for rows in groups:
            marked[rows] = True
        return np.flatnonzero(marked)

    def near(self, rows: Rows) -> Rows:
        """The rows 3, 2, 1 before and 1, 2, 3 after each row in its chain; `NONE` where there is none."""
        near = np.full((len(rows), 6), NONE, np.int64)
        for step, places in ((self.before, (2, 1, 0)), (self.after, (3, 4, 5))):
            at = rows
            for place in places:
                at = np.where(at == NONE, NONE, step.take(at))
                # The next row may have been written after this reader was created.
                at[at >= len(self)] = NONE
                near[:, place] = at
        return near

    def frame(self, reading: ArmScores, probe: IndexQuery, rows: Rows, near: Rows) -> CandidateTable:
        """The candidate table of these rows and their neighbours, which are the rows in `near`."""
        place = np.full(len(self) + 1, NONE, np.int64)
        place[rows] = np.arange(len(rows))
        others = self.union([near[near != NONE]])
        others = others[place[others] == NONE]
        around = np.concatenate([rows, others])
        place[others] = np.arange(len(rows), len(around))
        times = np.zeros((len(reading.holders), len(around) + 1), np.float32)
        for row, (holders, counts) in zip(times, reading.holders, strict=True):
            # Holders outside the table are written to the last place, which is cleared below.
            row[place.take(holders)] = counts
        times[:, -1] = 0
        place[NONE] = len(around)
        mean, spread = reading.spread()
        return CandidateTable(
            ids=_Ids(self.ids, rows),
            keys=np.append(self.keys.take(around), NONE),
            near=place.take(near),
            looked=reading.looked,
            factors=reading.factors,
            term_holders=reading.counts,
            piece_holders=self.piece_holders.of(probe.pieces),
            records=self.counted,
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
            spans=Ragged(flat=self.spans.reshape(-1, 3), ends=self.span_ends, rows=rows),
            pieces=Ragged(flat=self.pieces, ends=self.piece_ends, rows=np.append(around, NONE)),
            corpus_info=self.corpus_info,
            until=self.until,
        )


class _Ids(Sequence[str]):
    """The ids of rows, looked up on access, because few are ever needed."""

    def __init__(self, ids: Sequence[str], rows: Rows) -> None:
        self._ids, self._rows = ids, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._ids[int(self._rows[place])]


def _starts(ends: Rows) -> Rows:
    return np.concatenate([np.zeros(1, np.int64), ends[:-1]])


def _ended(column: Floats) -> Floats:
    """The column followed by a zero, which stands for no record."""
    return np.append(column, np.float32(0))


class Totals(NamedTuple):
    """Totals over all records: their number and mean length, and how many hold each term and piece of the question.

    `looked` are the positions of the terms that the search uses.
    """

    records: int
    mean_length: float
    looked: Rows
    term_holders: Floats
    piece_holders: Floats
    cosine_mean: float
    cosine_spread: float


def partial_candidates(
    image: IndexReader, probe: IndexQuery, totals: Totals, *, rows: Rows, near: Rows, cosine: Floats
) -> CandidateTable:
    """The candidate table of `rows`, from a reader that has only these rows and their neighbours.

    It equals the table that a reader of all records would give. `cosine` has the cosine of every row of the reader.
    """
    factors = probe.factors[totals.looked]
    postings = image.postings.holders(probe.terms[totals.looked])
    holders = [(held_by.astype(np.int64), times.astype(np.float32)) for held_by, times in postings]
    words = np.zeros(len(image), np.float32)
    weights = rarities(totals.term_holders, totals.records) * factors
    for weight, (held_by, times) in zip(weights, holders, strict=True):
        words[held_by] += weight * worth(times, image.lengths[held_by], totals.mean_length)
    scores = ArmScores(
        words, cosine, looked=totals.looked, factors=factors, holders=holders, counts=totals.term_holders
    )
    reader = dataclasses.replace(image, mean_length=totals.mean_length)
    return msgspec.structs.replace(
        reader.frame(scores, probe, rows, near),
        records=totals.records,
        term_holders=totals.term_holders,
        piece_holders=totals.piece_holders,
        cosine_mean=totals.cosine_mean,
        cosine_spread=totals.cosine_spread,
        corpus_info=None,
    )


# The neighbours of so many of the best rows of each arm become candidates too.
AROUND = 60
# So many of the nearest rows by byte vectors are compared again with the true vectors.
_EXACT = 16

Exact = Callable[[Sequence[int], Floats], Mapping[int, float]]


def both(first: RowFilter, then: RowFilter) -> RowFilter:
    """The rows that pass both filters; the second is applied only to rows that pass the first."""

    def seen(rows: Rows) -> NDArray[np.bool_]:
        passed = first(rows)
        passed[passed] = then(rows[passed])
        return passed

    return seen


def search_index(
    image: IndexReader,
    probe: IndexQuery,
    limit: int,
    *,
    seen: RowFilter,
    beside: RowFilter,
    exact: Exact,
    few: Callable[[], Rows] | None = None,
) -> CandidateTable:
    """The candidates for a question that pass `seen`, with those of their neighbours that pass `beside`.

    `exact` returns the cosines of keys from their true vectors. `beside` must reject hidden records, because a
    hidden neighbour would show in the rank of a candidate; it ignores filters, which narrow and do not hide.
    `few` returns keys that include everything visible; it is called if too few of the best rows are visible.
    """
    reading = image.read(probe, image.rows_near(probe.near, limit, seen))
    # The rows of a vector index cannot grow, and it was asked for enough.
    growing = 2 if reading.near is None else 1
    reach = limit
    while True:
        arms = reading.arms(reach)
        visible = [arm[seen(arm)] for arm in arms]
        # If too many of the best rows are hidden, look further in both arms.
        if reach >= len(image) or all(
            len(best) >= min(limit, len(arm)) for best, arm in zip(visible[:growing], arms[:growing], strict=True)
        ):
            break
        if few is not None:
            own = np.flatnonzero(np.isin(image.keys, few()))
            visible = reading.arms(limit, own[seen(own)])
            break
        reach *= 8
    close = image.near(np.concatenate([best[:AROUND] for best in visible]))[:, 1:5]
    close = image.union([close[close != NONE]])
    rows = image.union([*visible, close[seen(close)]])
    if probe.vector is not None and len(rows):
        if reading.near is not None:
            reading.cosine[rows] = image.cosines_of(probe.vector, rows)
        nearest = rows[np.argsort(-reading.cosine[rows], kind="stable")[:_EXACT]]
        true = exact(image.keys[nearest].tolist(), probe.vector)
        known = [key in true for key in image.keys[nearest].tolist()]
        reading.cosine[nearest[known]] = [true[key] for key in image.keys[nearest[known]].tolist()]
    near = image.near(rows)
    if len(rows):
        near = np.where(beside(near), near, NONE)
    return image.frame(reading, probe, rows, near)
