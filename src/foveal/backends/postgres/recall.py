"""Records in a Postgres database, found in RAM by their words and by their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import Image, Mirror, Mirrors, Seen, both, current, look
from foveal.backends.postgres.dialect import DIALECT, PostgresTransaction
from foveal.backends.postgres.numbers import Numbers
from foveal.backends.postgres.vectors import cosines, halves
from foveal.backends.sql.rows import active_of, stamp, used
from foveal.backends.sql.session import Organism, Part
from foveal.backends.sql.visibility import clause
from foveal.model.sight import Sight, Viewpoint
from foveal.model.trace import Floats, Frame, Probe, Rows
from foveal.ports.store import Encoder
from foveal.rules.filtering import beyond_kinds, kinds_named


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
    image: Image


class Recall(Part):
    """How the records of an organism that is kept in RAM are found without knowing their ids."""

    _mirrors: Mirrors

    def _as_it_stands(self, db: PostgresTransaction, viewpoint: Viewpoint, encoder: Encoder) -> Standing | None:
        """The organism, or None where nothing was written; `EncoderMismatch` if its vectors are others."""
        organism = db.organism(viewpoint)
        rows = db.run("standing", organism or db.nobody)
        in_use = used(active_of(rows), encoder)
        if in_use is None or organism is None:
            return None
        [(*_, newest, changed)] = rows
        return Standing(organism, in_use, newest or 0, changed or 0)

    def _mirrored(
        self,
        db: PostgresTransaction,
        standing: Standing | None,
        sight: Sight,
        probe: Probe,
        limit: int,
        dimension: int,
    ) -> Frame:
        """The visible candidates for a question, and what stands around them."""
        if standing is None:
            nobody = Mirror(dimension).image
            nothing = nobody.seen_from(None, 0)
            return look(nobody, probe, limit, seen=nothing, beside=nothing, exact=lambda _keys, _vector: {})
        known = self._look_up(db, standing, dimension)

        def exact(keys: Sequence[int], vector: Floats) -> dict[int, float]:
            given = {**known.organism, "encoder": known.encoder, "keys": Numbers(np.array(keys))}
            return cosines(db.run("vectors_of", given), vector)

        beside = _seen(db, known, msgspec.structs.replace(sight, where=None))
        seen = beside if sight.where is None else _seen(db, known, sight)

        def few() -> Rows:
            kinds = kinds_named(sight.where)
            if kinds is not None:
                return known.image.keys[known.image.of_kinds(kinds)(np.arange(len(known.image)))]
            condition, values = clause(DIALECT, sight, known.organism)
            found = db.run("all_keys_seen", values, sight=condition)
            return np.array([key for (key,) in found], np.int64)

        narrow = few if sight.where is not None else None
        return look(known.image, probe, limit, seen=seen, beside=beside, exact=exact, few=narrow)

    def _look_up(self, db: PostgresTransaction, standing: Standing, dimension: int) -> Known:
        """The image of an organism with everything in it that was committed before this reading began.

        Only following holds the lock of a mirror: searches go on beside each other, each with the image it took.
        """
        organism, used = standing.organism, standing.used
        mirror, lock = self._mirrors.of((organism["world"], organism["organism"]), used, dimension)
        with lock:
            _follow(db, mirror, standing)
            return Known(organism, used[0], mirror.image)


def _seen(db: PostgresTransaction, known: Known, sight: Sight) -> Seen:
    """Which rows a sight may see: the mirror knows what may be recalled now, the database all the rest."""
    image = known.image
    kinds = kinds_named(sight.where)
    if kinds is not None:
        others = msgspec.structs.replace(sight, where=beyond_kinds(sight.where))
        return both(image.of_kinds(kinds), _seen(db, known, others))
    now = sight.as_of is None and sight.valid_at is None and not sight.hidden
    if now and sight.recalling and sight.where is None:
        return image.seen_from(None if sight.owner else sight.viewpoint.node, stamp(sight.now))
    condition, values = clause(DIALECT, sight, known.organism)

    def seen(rows: Rows) -> NDArray[np.bool_]:
        keys = image.keys[rows]
        asked = values | {"keys": np.unique(keys).tolist()}
        return np.isin(keys, [key for (key,) in db.run("keys_seen", asked, sight=condition)])

    return seen


def _follow(db: PostgresTransaction, mirror: Mirror, standing: Standing) -> None:
    organism = standing.organism
    if standing.newest > mirror.followed:
        after = {**organism, "encoder": standing.used[0], "seq": mirror.followed}
        rows: list[Any] = db.run("traces_after", after)
        keys, vectors = [row[0] for row in rows], dict(db.run("vectors_after", after))
        halved = [halves(vectors.get(key)) for key in keys]
        kinds = [row[4] for row in rows]
        mirror.add(keys, [row[1:4] for row in rows], [current(row[5:]) for row in rows], halved, kinds)
    if standing.changed > mirror.changes:
        changes = db.run("changes_after", {**organism, "change": mirror.changes})
        mirror.show_until([one[1] for one in changes], [one[2] for one in changes])
        mirror.changes = changes[-1][0]
