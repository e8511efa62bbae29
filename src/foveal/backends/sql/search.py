"""Search over the in-memory index, which is updated from the tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.index import ActorIndex, IndexReader, RowFilter, both, current, is_sound, search_index
from foveal.backends.sql.caches import Caches, key_of
from foveal.backends.sql.fine_vectors import looking
from foveal.backends.sql.records import Records
from foveal.backends.sql.rows import active_of, to_micros, used
from foveal.backends.sql.session import Dialect, Organism, Session, Transaction
from foveal.backends.sql.visibility import Part, clause
from foveal.errors import Corrupt
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.model.search import CandidateTable, CorpusInfo, FineRows, Floats, IndexQuery, Rows
from foveal.ports.store import Choose, Encoder, Look
from foveal.rules.filters import beyond_kinds, kinds_named


class Standing(NamedTuple):
    """An organism in one read transaction: the encoder and generation in use, its last record and last change."""

    organism: Organism
    used: tuple[int, int]
    newest: int
    changed: int


class Known(NamedTuple):
    """What a search works on: the organism, the number of the encoder, and the reader of its index."""

    organism: Organism
    encoder: int
    reader: IndexReader


class Search(Part):
    """Finds records for a question."""

    def __init__(self, session: Session, dialect: Dialect, records: Records, caches: Caches) -> None:
        super().__init__(session, dialect)
        self._records, self._indexes, self._fine = records, caches.indexes, caches.fine
        # The last lookup of each connection, and the commit number, organism and encoder it was for.
        self._looked_up: dict[Hashable, tuple[tuple[int, tuple[str, str], Encoder], Known]] = caches.looked_up

    def corpus_info(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> CorpusInfo:
        """The speakers in an organism, and the years it covers."""
        with self._session.reading(viewpoint) as db:
            known = self._look_up(db, viewpoint, encoder)
            return CorpusInfo() if known is None else known.reader.corpus_info

    def find(
        self, access: Access, probe: IndexQuery, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[CandidateTable, list[Record]]:
        """The visible candidates for a question with their neighbours, and the records that `choose` picks."""
        with self._session.reading(access.viewpoint) as db:
            known = self._look_up(db, access.viewpoint, encoder)
            candidates = self._candidates(db, known, access, probe, limit, encoder.dimension)
            look = self._looking(db, known and known.organism, probe, candidates)
            return candidates, self._records.get_in(db, access, choose(candidates, look))

    def _looking(
        self, db: Transaction, organism: Organism | None, probe: IndexQuery, candidates: CandidateTable
    ) -> Look:
        """A function that reads the fine vectors of candidates, in the transaction that found them."""
        if probe.fine is None or organism is None:
            return lambda _rows: FineRows.none()
        return looking(
            db, candidates, dialect=self._dialect, organism=organism, encoder=probe.fine, cache=self._fine
        )

    def _look_up(self, db: Transaction, viewpoint: Viewpoint, encoder: Encoder) -> Known | None:
        """The index of an organism: the last one that the connection looked up, if nothing was committed since."""
        last = db.last_commit()
        key = (last.number, viewpoint.organism, encoder) if last else None
        if last and key:
            before = self._looked_up.get(last.connection)
            if before is not None and before[0] == key:
                return before[1]
        standing = self._read_standing(db, viewpoint, encoder)
        known = None if standing is None else self._updated(db, standing, encoder.dimension)
        if last and key and known:
            self._looked_up[last.connection] = (key, known)
        return known

    def _read_standing(self, db: Transaction, viewpoint: Viewpoint, encoder: Encoder) -> Standing | None:
        """The organism, or None if nothing was written; `EncoderMismatch` if another encoder made its vectors."""
        organism = db.organism(viewpoint)
        rows = db.run("standing", organism or db.nobody)
        in_use = used(active_of(rows), encoder)
        if in_use is None or organism is None:
            return None
        [(*_, newest, changed)] = rows
        return Standing(organism, in_use, newest or 0, changed or 0)

    def _updated(self, db: Transaction, standing: Standing, dimension: int) -> Known:
        """The index of an organism with everything that was committed before this transaction began.

        Only the update holds the lock of the index: searches run concurrently, each on the reader it took.
        """
        index, lock = self._indexes.of(key_of(standing.organism), standing.used, dimension)
        with lock:
            self._update(db, index, standing, dimension)
            return Known(standing.organism, standing.used[0], index.image)

    def _update(self, db: Transaction, index: ActorIndex, standing: Standing, dimension: int) -> None:
        if standing.newest > index.followed:
            after = {**standing.organism, "encoder": standing.used[0], "seq": index.followed}
            rows = self._whole_traces(db.run("traces_after", after))
            size = 2 * dimension
            vectors = {key: data for key, data in db.run("vectors_after", after) if data and not len(data) % size}
            keys = [key for key, *_ in rows]
            index.add(
                keys,
                [(record_id, node, scope) for _, record_id, node, scope, *_ in rows],
                [current(row[5:]) for row in rows],
                [self._dialect.halves(vectors[key]) if key in vectors else None for key in keys],
                [kind for _, _, _, _, kind, *_ in rows],
            )
        if standing.changed > index.changes:
            changes = db.run("changes_after", {**standing.organism, "change": index.changes})
            index.show_until([seq for _, seq, _ in changes], [until for _, _, until in changes])
            index.changes = changes[-1][0]

    def _whole_traces(self, rows: Sequence[Any]) -> Sequence[Any]:
        """Those of these rows of the index that are sound; the others are reported, and are not found by search."""
        whole: list[Any] = []
        for row in rows:
            if is_sound(row):
                whole.append(row)
            else:
                message = f"the index entry of the record {row[1]} is damaged: run foveal repair"
                self._session.damage.report(Corrupt(message, record_id=str(row[1])))
        return whole

    def _candidates(
        self, db: Transaction, known: Known | None, access: Access, probe: IndexQuery, limit: int, dimension: int
    ) -> CandidateTable:
        """The visible candidates for a question, with their neighbours."""
        if known is None:
            empty = ActorIndex(dimension).image
            nothing = empty.visible_to(None, 0)
            return search_index(empty, probe, limit, seen=nothing, beside=nothing, exact=lambda _keys, _vector: {})

        def exact(keys: Sequence[int], vector: Floats) -> dict[int, float]:
            wanted = {**known.organism, "encoder": known.encoder, "keys": self._dialect.numbers(np.array(keys))}
            return self._cosines(db.run("vectors_of", wanted), vector)

        beside = self._visible_rows(db, known, msgspec.structs.replace(access, where=None))
        seen = beside if access.where is None else self._visible_rows(db, known, access)

        def few() -> Rows:
            kinds = kinds_named(access.where)
            if kinds is not None:
                return known.reader.keys[known.reader.of_kinds(kinds)(np.arange(len(known.reader)))]
            condition, values = clause(self._dialect, access, known.organism, counted=True)
            rows = db.run("all_keys_seen", values, visible=condition)
            return np.array([key for (key,) in rows], np.int64)

        narrow = few if access.where is not None else None
        return search_index(known.reader, probe, limit, seen=seen, beside=beside, exact=exact, few=narrow)

    def _visible_rows(self, db: Transaction, known: Known, access: Access) -> RowFilter:
        """Which rows `access` may see; the index answers for a plain recall, the database for anything else."""
        reader = known.reader
        kinds = kinds_named(access.where)
        if kinds is not None:
            others = msgspec.structs.replace(access, where=beyond_kinds(access.where))
            return both(reader.of_kinds(kinds), self._visible_rows(db, known, others))
        if access.is_plain_recall and access.where is None:
            return reader.visible_to(None if access.as_owner else access.viewpoint.node, to_micros(access.now))
        condition, values = clause(self._dialect, access, known.organism)

        def seen(rows: Rows) -> NDArray[np.bool_]:
            keys = reader.keys[rows]
            asked = values | {"keys": self._dialect.numbers(np.unique(keys))}
            return np.isin(keys, [key for (key,) in db.run("keys_seen", asked, visible=condition)])

        return seen

    def _cosines(self, stored: Sequence[tuple[int, bytes]], vector: Floats) -> dict[int, float]:
        """The cosine of the best vector of each key, computed in one multiplication; damaged vectors have none."""
        stored = [(key, data) for key, data in stored if data and len(data) % (2 * len(vector)) == 0]
        if not stored:
            return {}
        rows = self._dialect.vectors_of(b"".join(data for _, data in stored), len(vector))
        ends = np.cumsum([len(data) // (2 * len(vector)) for _, data in stored])
        best = np.maximum.reduceat(rows.astype(np.float32) @ vector, np.append(0, ends[:-1]))
        return dict(zip((key for key, _ in stored), best.tolist(), strict=True))
