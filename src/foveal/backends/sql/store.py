"""`SqlStore`: the parts of a store, over one session."""

from __future__ import annotations

from collections.abc import Callable

from foveal.backends.sql.caches import Caches
from foveal.backends.sql.crystals import Crystals, Snapshots
from foveal.backends.sql.fine_vectors import FineVectors
from foveal.backends.sql.ledger import Ledger
from foveal.backends.sql.lifecycle import Lifecycle
from foveal.backends.sql.links import Links, Trees
from foveal.backends.sql.recall_log import RecallLog
from foveal.backends.sql.records import Records
from foveal.backends.sql.server import Server
from foveal.backends.sql.session import Dialect, Session
from foveal.backends.sql.tapes import Tapes
from foveal.backends.sql.usage import ActorUsage
from foveal.backends.sql.vectors import Vectors
from foveal.errors import Corrupt
from foveal.model.server import ActorQuota


class SqlStore:
    """The parts that are the same for every SQL database; a subclass adds `search` and `counts`."""

    def __init__(self, session: Session, dialect: Dialect, caches: Caches, quota: ActorQuota | None = None) -> None:
        self.vectors = Vectors(session, dialect)
        self.fine_vectors = FineVectors(session, dialect)
        self.usage = ActorUsage(session, dialect, quota or ActorQuota())
        self.records = Records(session, dialect, self.vectors, caches, self.usage)
        self.links = Links(session, dialect, self.records)
        self.lifecycle = Lifecycle(session, dialect, self.vectors, self.records)
        self.trees = Trees(session, dialect, self.records, self.lifecycle)
        self.recall_log = RecallLog(session, dialect, self.records)
        self.crystals = Crystals(session, dialect)
        self.snapshots = Snapshots(session, dialect, self.records)
        self.ledger = Ledger(session, dialect)
        self.tapes = Tapes(session, dialect)
        self.server = Server(session, dialect)
        self._damage = session.damage

    def on_damage(self, listener: Callable[[Corrupt], None]) -> None:
        """Report each damaged record that is left out of an answer."""
        self._damage.listen(listener)
