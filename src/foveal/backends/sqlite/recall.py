"""Records in a SQLite file, found by their words and by their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw
import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import Image, Mirror, Mirrors, Seen, both, current, look
from foveal.backends.sql.rows import listed, stamp
from foveal.backends.sql.session import Organism, Part
from foveal.backends.sql.visibility import clause
from foveal.backends.sqlite.connection import Connections, SqliteTransaction
from foveal.backends.sqlite.dialect import DIALECT
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.trace import Floats, Frame, Probe, Rows, Setting
from foveal.ports.store import Choose, Encoder
from foveal.rules.filtering import beyond_kinds, kinds_named


class Known(NamedTuple):
    """What a connection last looked up: for which version of the file, organism and encoder, and what it found."""

    asked: tuple[int, tuple[str, str], Encoder]
    organism: Organism
    encoder: int
    image: Image


class Recall(Part):
    """How records are found without knowing their ids."""

    _db: Connections
    _mirrors: Mirrors
    _known: dict[apsw.Connection, Known]

    def setting(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> Setting:
        """Who speaks in an organism, and in which years."""
        with self._db.reading() as db:
            known = self._look_up(db, viewpoint, encoder)
            return Setting() if known is None else known.image.setting

    def recollect(
        self, sight: Sight, probe: Probe, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[Frame, list[Record]]:
        """The visible candidates for a question, what stands around them, and the records chosen of them."""
        with self._db.reading() as db:
            known = self._look_up(db, sight.viewpoint, encoder)
            if known is None:
                nobody = Mirror(encoder.dimension).image
                nothing = nobody.seen_from(None, 0)
                frame = look(nobody, probe, limit, seen=nothing, beside=nothing, exact=lambda _keys, _vector: {})
                return frame, self._get(db, sight, choose(frame))

            def exact(keys: Sequence[int], vector: Floats) -> dict[int, float]:
                given = {**known.organism, "encoder": known.encoder, "keys": listed(keys)}
                return _cosines(db.run("vectors_of", given), vector)

            beside = _seen(db, known, msgspec.structs.replace(sight, where=None))
            seen = beside if sight.where is None else _seen(db, known, sight)

            def few() -> Rows:
                kinds = kinds_named(sight.where)
                if kinds is not None:
                    return known.image.keys[known.image.of_kinds(kinds)(np.arange(len(known.image)))]
                counted = self._sight(db, sight, counted=True)
                found = db.run("all_keys_seen", counted[1], sight=counted[0]) if counted else []
                return np.array([key for (key,) in found], np.int64)

            narrow = few if sight.where is not None else None
            frame = look(known.image, probe, limit, seen=seen, beside=beside, exact=exact, few=narrow)
            return frame, self._get(db, sight, choose(frame))

    def _look_up(self, db: SqliteTransaction, viewpoint: Viewpoint, encoder: Encoder) -> Known | None:
        """The image of an organism with everything in it that was committed before this reading began.

        While nobody has changed the file, what this connection looked up last still holds. Only following holds the
        lock of a mirror: searches go on beside each other, each with the image it took.
        """
        asked = (int(db.connection.pragma("data_version")), viewpoint.organism, encoder)
        known = self._known.get(db.connection)
        if known is not None and known.asked == asked:
            return known
        organism = db.organism(viewpoint)
        used = self._in_use(db, encoder)
        if organism is None or used is None:
            return None
        mirror, lock = self._mirrors.of(organism["organism"], used, encoder.dimension)
        with lock:
            _follow(db, mirror, organism, used[0])
            known = self._known[db.connection] = Known(asked, organism, used[0], mirror.image)
        return known


def _seen(db: SqliteTransaction, known: Known, sight: Sight) -> Seen:
    """Which rows a sight may see: the mirror knows what may be recalled now, the file all the rest."""
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
        asked = values | {"keys": listed(np.unique(keys).tolist())}
        return np.isin(keys, [key for (key,) in db.run("keys_seen", asked, sight=condition)])

    return seen


def _cosines(stored: Sequence[tuple[int, bytes]], vector: Floats) -> dict[int, float]:
    """The cosine of each key's best row, all in one multiplication."""
    if not stored:
        return {}
    rows = np.frombuffer(b"".join(data for _, data in stored), np.float16).reshape(-1, len(vector))
    ends = np.cumsum([len(data) // (2 * len(vector)) for _, data in stored])
    best = np.maximum.reduceat(rows.astype(np.float32) @ vector, np.append(0, ends[:-1]))
    return dict(zip((key for key, _ in stored), best.tolist(), strict=True))


def _follow(db: SqliteTransaction, mirror: Mirror, organism: Organism, encoder: int) -> None:
    [(newest, changed)] = db.run("newest", organism)
    if (newest or 0) > mirror.followed:
        rows = db.run("traces_after", {**organism, "encoder": encoder, "seq": mirror.followed})
        keys, vectors = [row[0] for row in rows], [row[1] for row in rows]
        owners, kinds = [row[2:5] for row in rows], [row[5] for row in rows]
        mirror.add(keys, owners, [current(row[6:]) for row in rows], vectors, kinds)
    if (changed or 0) > mirror.changes:
        changes = db.run("changes_after", {**organism, "change": mirror.changes})
        mirror.show_until([one[1] for one in changes], [one[2] for one in changes])
        mirror.changes = changes[-1][0]
