"""Records in a SQLite file, found by their words and by their vectors."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import apsw
import msgspec
import numpy as np

from foveal.backends.mirror import Mirror, look
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, value
from foveal.model.sight import Sight, Viewpoint
from foveal.model.trace import Floats, Frame, Probe, Rows, Setting
from foveal.ports.store import Encoder
from foveal.rules.filtering import kinds_named

_ROOM = 1 << 30
# Records of the kinds asked for that are less than this part of all are looked at by themselves.
_PART = 4

Generation = tuple[int, int]


class Mirrors:
    """The organisms that were looked at lately, in memory, at most about `room` bytes of them."""

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._known: OrderedDict[int, tuple[Generation, Mirror, threading.Lock]] = OrderedDict()

    def of(self, organism: int, generation: Generation, dimension: int) -> tuple[Mirror, threading.Lock]:
        """The mirror of an organism, empty if it was not looked at lately, and the lock that guards it."""
        with self._lock:
            known = self._known.get(organism)
            if known is None or known[0] != generation:
                known = self._known[organism] = (generation, Mirror(dimension), threading.Lock())
            self._known.move_to_end(organism)
            while len(self._known) > 1 and sum(one[1].bytes for one in self._known.values()) > self._room:
                self._known.popitem(last=False)
            return known[1], known[2]

    def drop(self, organism: int) -> None:
        """Let a mirror go; the next look builds it anew."""
        with self._lock:
            self._known.pop(organism, None)


class Recall(Part):
    """How records are found without knowing their ids."""

    _mirrors: Mirrors

    def setting(self, viewpoint: Viewpoint, encoder: Encoder) -> Setting:
        """Who speaks in an organism, and in which years."""
        with self._db.reading() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            used = self._in_use(db, encoder)
            if organism is None or used is None:
                return Setting()
            mirror, lock = self._mirrors.of(organism, used, encoder.dimension)
            with lock:
                _follow(db, mirror, organism, used[0])
                return mirror.setting

    def recollect(self, sight: Sight, probe: Probe, limit: int, encoder: Encoder) -> Frame:
        """The visible candidates for a question, and what stands around them."""
        with self._db.reading() as db:
            seen = self._sight(db, sight)
            used = self._in_use(db, encoder)
            if seen is None or used is None:
                empty = Mirror(encoder.dimension)
                return look(empty, probe, limit, seen=lambda _: {}, exact=lambda _: {}, hidden=False)
            condition, values = seen
            mirror, lock = self._mirrors.of(values["organism"], used, encoder.dimension)
            hidden = sight.as_of is not None or sight.valid_at is not None or value(db, "anything_hidden", values)

            def visible(rows: Rows) -> dict[int, str]:
                keys = {"keys": msgspec.json.encode(mirror.keys[rows].tolist()).decode()}
                return dict(run(db, "keys_seen", values | keys, sight=condition))

            def exact(keys: Sequence[int]) -> dict[int, Floats]:
                given = values | {"encoder": used[0], "keys": msgspec.json.encode(keys).decode()}
                return {key: _rows(data, encoder.dimension) for key, data in run(db, "vectors_of", given)}

            with lock:
                _follow(db, mirror, values["organism"], used[0])
                among = _among(db, sight, values["organism"], mirror)
                return look(mirror, probe, limit, seen=visible, exact=exact, hidden=bool(hidden), among=among)


def _among(db: apsw.Connection, sight: Sight, organism: int, mirror: Mirror) -> Rows | None:
    """The rows of the kinds that a sight asks for, if they are a small part of all; None if they are not.

    Looking for them among all others would bring ever more candidates, and ask the file about each.
    """
    kinds = kinds_named(sight.where)
    if kinds is None:
        return None
    most = len(mirror) // _PART
    values = {"organism": organism, "kinds": msgspec.json.encode(kinds).decode(), "limit": most + 1}
    if value(db, "count_kinds", values) > most:
        return None
    keys = np.array([row[0] for row in run(db, "keys_of_kinds", values)], np.int64)
    return np.flatnonzero(np.isin(mirror.keys, keys))


def _rows(data: bytes, dimension: int) -> Floats:
    return np.frombuffer(data, np.float16).reshape(-1, dimension).astype(np.float32)


def _follow(db: apsw.Connection, mirror: Mirror, organism: int, encoder: int) -> None:
    """Bring in everything that was committed before this reading began."""
    values = {"organism": organism, "encoder": encoder, "seq": mirror.followed}
    rows = run(db, "traces_after", values)
    if rows:
        mirror.add([row[0] for row in rows], [row[2:] for row in rows], [row[1] for row in rows])
