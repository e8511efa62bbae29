"""How much each actor has stored, counted cheaply, and the quota that bounds it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import msgspec

from foveal.backends.sql.session import Dialect, Organism, Session, Transaction
from foveal.backends.sql.visibility import Part
from foveal.model.query import Viewpoint
from foveal.model.record import Record
from foveal.model.results import Stats, Usage
from foveal.model.server import ActorQuota
from foveal.rules.validation import has_room, require_room

# Of how many actors a process remembers the usage.
_MOST = 4_096


class _Counted(msgspec.Struct, frozen=True):
    """What was counted of an organism up to a version. Something of it may have been erased since."""

    usage: Usage = Usage()
    seq: int = 0


class ActorUsage(Part):
    """Bounds what an actor stores.

    A process counts the versions of an actor once, and then only those that were added since, by whichever process.
    What it knows is therefore never too little. It may be too much after an erasure, so an actor is counted anew
    before a write is refused. All of it happens while the writer holds the actor's lock: no quota is overshot.
    """

    def __init__(self, session: Session, dialect: Dialect, quota: ActorQuota) -> None:
        super().__init__(session, dialect)
        self.quota = quota
        self._lock = threading.Lock()
        self._known: OrderedDict[Any, _Counted] = OrderedDict()

    @property
    def _bounded(self) -> bool:
        return self.quota.records is not None or self.quota.bytes is not None

    def shown_in(self, stats: Stats, viewpoint: Viewpoint) -> Stats:
        """The statistics with the quota of the actor, if there is one, and for the root node what is used of it.

        What other nodes have stored is not told to the nodes below the root.
        """
        if not self._bounded:
            return stats
        used = self._of(viewpoint) if viewpoint.node == "/" else None
        return msgspec.structs.replace(stats, quota=self.quota, used=used)

    def _of(self, viewpoint: Viewpoint) -> Usage:
        with self._session.reading(viewpoint) as db:
            organism = db.organism(viewpoint)
            return Usage() if organism is None else self._count(db, organism, _Counted()).usage

    def require_room(self, db: Transaction, organism: Organism, records: Sequence[Record]) -> None:
        """Raise `QuotaExceeded` unless these records and versions fit; the transaction must hold the lock."""
        if not self._bounded or not records:
            return
        more = Usage(
            records=sum(record.version == 1 for record in records),
            bytes=sum(_size(record) for record in records),
        )
        key = tuple(sorted(organism.items()))
        with self._lock:
            before = self._known.get(key, _Counted())
        counted = self._count(db, organism, before)
        if not has_room(counted.usage, more, self.quota):
            counted = self._count(db, organism, _Counted())
        with self._lock:
            self._known[key] = counted
            self._known.move_to_end(key)
            if len(self._known) > _MOST:
                self._known.popitem(last=False)
        require_room(counted.usage, more, self.quota)

    def _count(self, db: Transaction, organism: Organism, before: _Counted) -> _Counted:
        """The usage, from what was known before and the versions after that."""
        [(records, size, last)] = db.run("usage_after", {**organism, "seq": before.seq})
        usage = Usage(records=before.usage.records + records, bytes=before.usage.bytes + int(size))
        return _Counted(usage, before.seq if last is None else last)


def _size(record: Record) -> int:
    return len(record.text.encode()) + len(msgspec.json.encode(record.metadata))
