"""Search inside the database, for actors that are too large for RAM."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.index import (
    AROUND,
    HOLDER,
    NONE,
    PIECES,
    ActorIndex,
    Packed,
    Totals,
    Unpacked,
    current,
    held,
    largest,
    lengths,
    partial_candidates,
    scored,
)
from foveal.backends.postgres.dialect import DIALECT, Half, Numbers, PostgresTransaction, text
from foveal.backends.sql.rows import to_micros
from foveal.backends.sql.session import Organism
from foveal.backends.sql.visibility import clause, ways
from foveal.model.query import Access
from foveal.model.record import Scope
from foveal.model.search import CandidateTable, CorpusInfo, Floats, IndexQuery, Rows
from foveal.rules.recall.index import rarest
from foveal.rules.visibility import reaches

_SPEAKERS_KEPT = 1024

Name = tuple[str, str]


class RecentCorpusInfo:
    """The last known `CorpusInfo` of organisms, by world and actor. It may be out of date."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Name, CorpusInfo] = OrderedDict()

    def of(self, organism: Name) -> CorpusInfo | None:
        """The last known info of an organism, if any."""
        with self._lock:
            return self._known.get(organism)

    def keep(self, organism: Name, setting: CorpusInfo) -> None:
        """Store the info of an organism, in place of the least recently stored one if the cache is full."""
        with self._lock:
            self._known[organism] = setting
            self._known.move_to_end(organism)
            if len(self._known) > _SPEAKERS_KEPT:
                self._known.popitem(last=False)

    def drop(self, organism: Name) -> None:
        """Forget an organism."""
        with self._lock:
            self._known.pop(organism, None)


# A sample of this size gives the spread of cosines to about two hundredths. A smaller organism is taken whole.
_SAMPLE_SIZE = 2048
_SAMPLES_KEPT = 8


class _Sample(NamedTuple):
    mark: tuple[int, ...]
    records: int
    rows: Floats
    starts: Rows


class Samples:
    """Samples of the vectors of recently searched organisms. One that grew by a tenth is sampled again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, int], _Sample] = OrderedDict()

    def spread(
        self, db: PostgresTransaction, organism: Organism, used: tuple[int, int], records: int, vector: Floats
    ) -> tuple[float, float]:
        """The mean and standard deviation of the cosines of all vectors with one, estimated from the sample."""
        name = (organism["world"], organism["organism"])
        mark = (*used, records if records <= _SAMPLE_SIZE else int(np.log(records) / np.log(1.1)) - _SAMPLE_SIZE)
        with self._lock:
            known = self._known.get(name)
        if known is None or known.mark != mark:
            known = _sample(db, organism, used[0], mark, records, len(vector))
        with self._lock:
            self._known[name] = known
            self._known.move_to_end(name)
            while len(self._known) > _SAMPLES_KEPT:
                self._known.popitem(last=False)
        cosines = np.maximum.reduceat(known.rows @ vector, known.starts) if len(known.starts) else np.zeros(0)
        # A version without a vector counts as a cosine of 0.
        records = max(1, known.records)
        mean, square = float(cosines.sum()) / records, float(cosines @ cosines) / records
        return mean, max(0.0, square - mean * mean) ** 0.5

    def drop(self, organism: Organism) -> None:
        """Remove the sample of an organism."""
        with self._lock:
            self._known.pop((organism["world"], organism["organism"]), None)


def _sample(
    db: PostgresTransaction, organism: Organism, encoder: int, mark: tuple[int, ...], records: int, dimension: int
) -> _Sample:
    """Vectors from evenly spread versions of an organism."""
    if records <= _SAMPLE_SIZE:
        chosen = db.run("first_keys", {**organism, "limit": _SAMPLE_SIZE})
    else:
        [(first, last)] = db.run("first_and_last", organism)
        points = Numbers(np.linspace(first, last, _SAMPLE_SIZE, dtype=np.int64))
        chosen = db.run("keys_at", {**organism, "points": points})
    keys = np.array([key for (key,) in chosen], np.int64)
    stored: list[tuple[int, bytes]] = db.run("vectors_of", {**organism, "encoder": encoder, "keys": Numbers(keys)})
    rows = np.frombuffer(b"".join(data for _, data in stored), ">f2").reshape(-1, dimension).astype(np.float32)
    ends = np.cumsum([len(data) // (2 * dimension) for _, data in stored], dtype=np.int64)
    return _Sample(mark, len(keys), rows, np.append(0, ends[:-1]) if len(ends) else ends)


# If few of the best versions are visible, all visible ones are compared, unless there are more than this.
_FEW = 20_000


class VisibilityCheck:
    """Asks the database which versions are visible, once for each version."""

    def __init__(self, db: PostgresTransaction, organism: Organism, access: Access) -> None:
        self._db, self._organism, self._access = db, organism, access
        self._condition, self._values = clause(DIALECT, access, organism)
        self._known: dict[int, bool] = {}

    def look(self, keys: Rows) -> None:
        """Ask for all of these in one query."""
        new = [key for key in dict.fromkeys(keys.tolist()) if key not in self._known]
        if new:
            asked = self._values | {"keys": Numbers(np.array(new))}
            visible = self._db.run("keys_seen", asked, visible=self._condition)
            self._known |= dict.fromkeys(new, False)
            self._known |= dict.fromkeys((key for (key,) in visible), True)

    def __call__(self, keys: Rows) -> NDArray[np.bool_]:
        """Which of these are visible."""
        self.look(keys)
        return np.array([self._known[key] for key in keys.tolist()], bool)

    def few(self) -> Rows | None:
        """All visible versions, or None if there are many."""
        keys: list[int] = []
        for way in ways(DIALECT, self._access):
            condition, values = clause(DIALECT, self._access, self._organism, way=way)
            values["limit"] = _FEW + 1
            keys += [key for (key,) in self._db.run("keys_on_one_way", values, visible=condition)]
            if len(keys) > _FEW:
                return None
        return np.array(sorted(keys), np.int64)


def beside(
    db: PostgresTransaction, organism: Organism, access: Access, keys: Rows, places: Sequence[tuple[str, str]]
) -> NDArray[np.bool_]:
    """Which neighbours of candidates are visible, regardless of the filter of the search.

    `places` has the node and scope of each. For a plain recall, they and the time until which a version is shown
    decide, as in the in-memory index; otherwise the database is asked, as for a candidate.
    """
    if not access.is_plain_recall:
        return VisibilityCheck(db, organism, msgspec.structs.replace(access, where=None))(keys)
    asked = {**organism, "keys": Numbers(keys), "moment": to_micros(access.now)}
    gone = [key for (key,) in db.run("out_of_sight", asked)] if len(keys) else []
    node = access.viewpoint.node
    reached = {
        (author, scope): access.as_owner or reaches(Scope(scope), author, node) for author, scope in set(places)
    }
    return np.array([reached[place] for place in places], bool) & ~np.isin(keys, gone)


class Around:
    """Finds the versions 3, 2, 1 before and 1, 2, 3 after a version in its chain."""

    def __init__(self, db: PostgresTransaction, organism: Organism) -> None:
        self._db, self._organism = db, organism
        self._known: dict[int, list[int]] = {}

    def look(self, keys: Rows) -> None:
        """Ask for the neighbours of all of these in one query."""
        new = [key for key in dict.fromkeys(keys.tolist()) if key not in self._known]
        if not new:
            return
        self._known |= dict.fromkeys(new, [NONE] * 6)
        asked = {**self._organism, "keys": Numbers(np.array(new))}
        for key, before, after in self._db.run("standing_around", asked):
            self._known[key] = [*([NONE] * 3 + before[::-1])[-3:], *(after + [NONE] * 3)[:3]]

    def near(self, keys: Rows) -> Rows:
        """Six neighbours for each of these; `NONE` where there is none."""
        return np.array([self._known[key] for key in keys.tolist()], np.int64).reshape(-1, 6)


# So many more of the nearest vectors are read than needed, because several may belong to one text.
_MARGIN = 32
# Beyond so many holders in total, common terms find nothing that rarer terms do not.
_MOST_HOLDERS = 300_000
_FARTHEST = 16_384
_WIDER = 8


class Census(NamedTuple):
    """Totals of the gathered records of an organism.

    `filed` is the last version that is in a segment, `length` the number of terms of all records. `indexed` says
    whether the organism has indexes of its own.
    """

    filed: int
    records: int
    length: int
    first_day: int | None
    last_day: int | None
    indexed: bool


class Asked(NamedTuple):
    """The organism that is searched, and the encoder of the vectors."""

    organism: Organism
    encoder: int
    dimension: int


class DatabaseSearch:
    """One search in one transaction: `late` are the rows that are in no segment yet."""

    def __init__(
        self, db: PostgresTransaction, asked: Asked, census: Census, late: Sequence[Sequence[Any]]
    ) -> None:
        self._db, self._asked = db, asked
        self._own: dict[str, Any] = {**asked.organism, "encoder": asked.encoder}
        self._filed = census
        self._late_keys = np.array([row[0] for row in late], np.int64)
        self._late = Unpacked([Packed(*row[1:]) for row in late]) if late else None
        added = float(lengths(self._late).sum()) if self._late else 0.0
        self.records = census.records + len(late)
        self._mean_length = (census.length + added) / max(1, self.records)

    def frame(self, access: Access, probe: IndexQuery, limit: int, spread: tuple[float, float]) -> CandidateTable:
        """The visible candidates for a question, with their neighbours.

        `spread` is the mean and the standard deviation of all cosines with the question.
        """
        seen = VisibilityCheck(self._db, self._asked.organism, access)
        looked, counts, keys, scores = self._by_words(probe)
        arms = [_Arm(limit, lambda reach: keys[largest(scores, reach)], _among(keys, scores))]
        if probe.vector is not None and self.records:
            arms.append(
                _Arm(
                    limit + _MARGIN,
                    lambda reach: self._nearest(probe, reach),
                    lambda own: self._nearest_of(probe, own),
                )
            )
        first = [arm.best(arm.reach) for arm in arms]
        seen.look(np.concatenate(first))
        visible = [arm.seen(best, seen, limit) for arm, best in zip(arms, first, strict=True)]
        around = Around(self._db, self._asked.organism)
        around.look(np.concatenate(visible))
        close = np.concatenate([around.near(best[:AROUND])[:, 1:5].ravel() for best in visible])
        close = np.unique(close[close != NONE])
        rows = np.unique(np.concatenate([*visible, close[seen(close)]]))
        around.look(rows)
        near = around.near(rows)
        totals = Totals(
            records=self.records,
            mean_length=self._mean_length,
            looked=looked,
            term_holders=counts[: len(probe.terms)][looked],
            piece_holders=counts[len(probe.terms) :],
            cosine_mean=spread[0],
            cosine_spread=spread[1],
        )
        return self._table(access, probe, totals, rows=rows, near=near)

    def _by_words(self, probe: IndexQuery) -> tuple[Rows, Floats, Rows, Floats]:
        """The arm of words.

        Returns the positions of the terms used, how many records hold each term and piece, the versions that hold
        any of the terms, and their scores.
        """
        keys = [*probe.terms.tolist(), *(PIECES + piece for piece in probe.pieces.tolist())]
        known: dict[int, int] = dict(self._db.run("holders_of", {**self._own, "keys": keys})) if keys else {}
        counts = np.array([known.get(key, 0) for key in keys], np.float32)
        late: dict[int, NDArray[np.void]] = {}
        if self._late is not None:
            late = held(self._late_keys, self._late, probe.terms)
            here = [len(late.get(term, ())) for term in probe.terms.tolist()]
            pieces = np.bincount(self._late.held_pieces, minlength=1 << 16)[probe.pieces]
            counts += np.concatenate([np.array(here, np.float32), pieces.astype(np.float32)])
        of_terms = counts[: len(probe.terms)]
        looked = rarest(of_terms)
        read = looked[_affordable(of_terms[looked])]
        wanted = probe.terms[read].tolist()
        blocks: dict[int, list[bytes]] = {term: [] for term in wanted}
        for term, block in self._db.run("postings_of", {**self._own, "keys": wanted}) if wanted else ():
            blocks[term].append(block)
        holders = [np.frombuffer(b"".join(blocks[term]), HOLDER) for term in wanted]
        if late:
            none = np.empty(0, HOLDER)
            holders = [
                np.concatenate([rows, late.get(term, none)]) for term, rows in zip(wanted, holders, strict=True)
            ]
        versions, scores = scored(
            holders, of_terms[read], probe.factors[read], records=self.records, mean_length=self._mean_length
        )
        return looked, counts, versions, scores

    def _nearest(self, probe: IndexQuery, reach: int) -> Rows:
        """The versions with the nearest vectors, nearest first."""
        assert probe.vector is not None
        values = {**self._own, "vector": Half(probe.vector), "limit": reach}
        query = text("nearest", dimension=str(self._asked.dimension)).encode()
        # Not prepared: the planner must see the organism to choose the index that belongs to it.
        rows = self._db.connection.execute(query, values, prepare=False).fetchall()
        return np.array(list(dict.fromkeys(key for (key,) in rows)), np.int64)

    def _nearest_of(self, probe: IndexQuery, keys: Rows) -> Rows:
        return keys[np.argsort(-self._cosines(probe, keys), kind="stable")]

    def _cosines(self, probe: IndexQuery, keys: Rows) -> Floats:
        """The cosine of each version with the question; 0 for a version without a vector."""
        if probe.vector is None or not len(keys):
            return np.zeros(len(keys), np.float32)
        values = {**self._own, "vector": Half(probe.vector), "keys": Numbers(keys)}
        cosines = dict(self._db.run("cosines_of", values, dimension=str(self._asked.dimension)))
        return np.array([cosines.get(key, 0.0) for key in keys.tolist()], np.float32)

    def _table(
        self, access: Access, probe: IndexQuery, totals: Totals, *, rows: Rows, near: Rows
    ) -> CandidateTable:
        every = np.union1d(rows, near[near != NONE])
        traces: list[Any] = self._db.run("traces_of", {**self._own, "keys": Numbers(every)}) if len(every) else []
        shown = beside(self._db, self._asked.organism, access, every, [(row[2], row[3]) for row in traces])
        places, close = np.searchsorted(every, rows), np.searchsorted(every, near)
        near = np.where((near != NONE) & np.append(shown, False)[close], close, NONE)
        few = ActorIndex(self._asked.dimension)
        few.add(
            [row[0] for row in traces],
            [row[1:4] for row in traces],
            [current(row[4:]) for row in traces],
            [None] * len(traces),
            [""] * len(traces),
        )
        cosine = self._cosines(probe, every)
        return partial_candidates(few.image, probe, totals, rows=places, near=near, cosine=cosine)


class _Arm:
    """One way to look for candidates: `best` gives the best of all versions, `among` ranks given ones."""

    def __init__(self, reach: int, best: Callable[[int], Rows], among: Callable[[Rows], Rows]) -> None:
        self.reach, self.best, self._among = reach, best, among

    def seen(self, first: Rows, seen: VisibilityCheck, limit: int) -> Rows:
        """The best visible versions; if too many of the `first` are hidden, it looks further."""
        reach, best = self.reach, first
        visible = best[seen(best)]
        while len(visible) < min(limit, len(best)) and reach < _FARTHEST:
            own = seen.few()
            if own is not None:
                return self._among(own)[: self.reach]
            reach *= _WIDER
            best = self.best(reach)
            visible = best[seen(best)]
        return visible[: self.reach]


def _among(keys: Rows, scores: Floats) -> Callable[[Rows], Rows]:
    def best(own: Rows) -> Rows:
        here = np.isin(keys, own)
        return keys[here][np.argsort(-scores[here], kind="stable")]

    return best


def _affordable(counts: Floats) -> Rows:
    """The terms whose holders are read: the rarest, within `_MOST_HOLDERS`, and at least one."""
    order = np.argsort(counts, kind="stable")
    spent = np.cumsum(counts[order])
    return np.sort(order[: max(1, int(np.searchsorted(spent, _MOST_HOLDERS, side="right")))])
