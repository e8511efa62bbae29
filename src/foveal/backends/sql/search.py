"""Search over the index in RAM, which is kept in step with the tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.index import ActorIndex, IndexCache, IndexReader, RowFilter, both, current, search_index
from foveal.backends.sql.rows import active_of, to_micros, used
from foveal.backends.sql.session import Organism, Part, Transaction
from foveal.backends.sql.visibility import clause, is_plain_recall
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.model.search import CandidateTable, CorpusInfo, Floats, IndexQuery, Rows
from foveal.ports.store import Choose, Encoder
from foveal.rules.filters import beyond_kinds, kinds_named


class Standing(NamedTuple):
    """An organism as a reading finds it: its vectors by encoder and generation, its last record and change."""

    organism: Organism
    used: tuple[int, int]
    newest: int
    changed: int


class Known(NamedTuple):
    """What was looked up for a question: whose records, which vectors, and their image."""

    organism: Organism
    encoder: int
    image: IndexReader


class Search(Part):
    """How records are found without knowing their ids."""

    _mirrors: IndexCache
    # What each connection last looked up, with the moment, the organism and the encoder for which it did.
    _looked_up: dict[Hashable, tuple[tuple[int, tuple[str, str], Encoder], Known]]

    def corpus_info(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> CorpusInfo:
        """Who speaks in an organism, and in which years."""
        with self._session.reading(viewpoint) as db:
            known = self._look_up(db, viewpoint, encoder)
            return CorpusInfo() if known is None else known.image.corpus_info

    def search(
        self, access: Access, probe: IndexQuery, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[CandidateTable, list[Record]]:
        """The visible candidates for a question, what stands around them, and the records chosen of them."""
        with self._session.reading(access.viewpoint) as db:
            known = self._look_up(db, access.viewpoint, encoder)
            frame = self._frame(db, known, access, probe, limit, encoder.dimension)
            return frame, self._get(db, access, choose(frame))

    def _look_up(self, db: Transaction, viewpoint: Viewpoint, encoder: Encoder) -> Known | None:
        """What a question is answered from: what the connection looked up last, if nobody has written since."""
        last = db.last_commit()
        asked = (last.number, viewpoint.organism, encoder) if last else None
        if last and asked:
            before = self._looked_up.get(last.connection)
            if before is not None and before[0] == asked:
                return before[1]
        standing = self._as_it_stands(db, viewpoint, encoder)
        known = None if standing is None else self._followed(db, standing, encoder.dimension)
        if last and asked and known:
            self._looked_up[last.connection] = (asked, known)
        return known

    def _as_it_stands(self, db: Transaction, viewpoint: Viewpoint, encoder: Encoder) -> Standing | None:
        """The organism, or None where nothing was written; `EncoderMismatch` if its vectors are others."""
        organism = db.organism(viewpoint)
        rows = db.run("standing", organism or db.nobody)
        in_use = used(active_of(rows), encoder)
        if in_use is None or organism is None:
            return None
        [(*_, newest, changed)] = rows
        return Standing(organism, in_use, newest or 0, changed or 0)

    def _followed(self, db: Transaction, standing: Standing, dimension: int) -> Known:
        """The image of an organism with everything in it that was committed before this reading began.

        Only following holds the lock of a mirror: searches go on beside each other, each with the image it took.
        """
        mirror, lock = self._mirrors.of(key_of(standing.organism), standing.used, dimension)
        with lock:
            self._follow(db, mirror, standing)
            return Known(standing.organism, standing.used[0], mirror.image)

    def _follow(self, db: Transaction, mirror: ActorIndex, standing: Standing) -> None:
        if standing.newest > mirror.followed:
            after = {**standing.organism, "encoder": standing.used[0], "seq": mirror.followed}
            rows = db.run("traces_after", after)
            vectors = dict[int, bytes](db.run("vectors_after", after))
            keys = [key for key, *_ in rows]
            mirror.add(
                keys,
                [(record_id, node, scope) for _, record_id, node, scope, *_ in rows],
                [current(row[5:]) for row in rows],
                [self._dialect.halves(vectors[key]) if key in vectors else None for key in keys],
                [kind for _, _, _, _, kind, *_ in rows],
            )
        if standing.changed > mirror.changes:
            changes = db.run("changes_after", {**standing.organism, "change": mirror.changes})
            mirror.show_until([seq for _, seq, _ in changes], [until for _, _, until in changes])
            mirror.changes = changes[-1][0]

    def _frame(
        self, db: Transaction, known: Known | None, access: Access, probe: IndexQuery, limit: int, dimension: int
    ) -> CandidateTable:
        """The visible candidates for a question, and what stands around them."""
        if known is None:
            nobody = ActorIndex(dimension).image
            nothing = nobody.visible_to(None, 0)
            return search_index(nobody, probe, limit, seen=nothing, beside=nothing, exact=lambda _keys, _vector: {})

        def exact(keys: Sequence[int], vector: Floats) -> dict[int, float]:
            given = {**known.organism, "encoder": known.encoder, "keys": self._dialect.numbers(np.array(keys))}
            return self._cosines(db.run("vectors_of", given), vector)

        beside = self._seen(db, known, msgspec.structs.replace(access, where=None))
        seen = beside if access.where is None else self._seen(db, known, access)

        def few() -> Rows:
            kinds = kinds_named(access.where)
            if kinds is not None:
                return known.image.keys[known.image.of_kinds(kinds)(np.arange(len(known.image)))]
            condition, values = clause(self._dialect, access, known.organism, counted=True)
            found = db.run("all_keys_seen", values, visible=condition)
            return np.array([key for (key,) in found], np.int64)

        narrow = few if access.where is not None else None
        return search_index(known.image, probe, limit, seen=seen, beside=beside, exact=exact, few=narrow)

    def _seen(self, db: Transaction, known: Known, access: Access) -> RowFilter:
        """Which rows a sight may see: the mirror knows what may be recalled now, the database all the rest."""
        image = known.image
        kinds = kinds_named(access.where)
        if kinds is not None:
            others = msgspec.structs.replace(access, where=beyond_kinds(access.where))
            return both(image.of_kinds(kinds), self._seen(db, known, others))
        if is_plain_recall(access) and access.where is None:
            return image.visible_to(None if access.as_owner else access.viewpoint.node, to_micros(access.now))
        condition, values = clause(self._dialect, access, known.organism)

        def seen(rows: Rows) -> NDArray[np.bool_]:
            keys = image.keys[rows]
            asked = values | {"keys": self._dialect.numbers(np.unique(keys))}
            return np.isin(keys, [key for (key,) in db.run("keys_seen", asked, visible=condition)])

        return seen

    def _cosines(self, stored: Sequence[tuple[int, bytes]], vector: Floats) -> dict[int, float]:
        """The cosine of each key's best row, all in one multiplication."""
        if not stored:
            return {}
        rows = self._dialect.vectors_of(b"".join(data for _, data in stored), len(vector))
        ends = np.cumsum([len(data) // (2 * len(vector)) for _, data in stored])
        best = np.maximum.reduceat(rows.astype(np.float32) @ vector, np.append(0, ends[:-1]))
        return dict(zip((key for key, _ in stored), best.tolist(), strict=True))


def key_of(organism: Organism) -> tuple[str | None, int]:
    """What an organism is known by in RAM."""
    return organism.get("world"), organism["organism"]
