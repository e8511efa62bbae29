"""`SqlStore`: the parts of a store, over one session."""

from __future__ import annotations

from foveal.backends.index import IndexCache
from foveal.backends.sql.crystals import Crystals
from foveal.backends.sql.ledger import Ledger
from foveal.backends.sql.lifecycle import Lifecycle
from foveal.backends.sql.links import Links
from foveal.backends.sql.recall_log import RecallLog
from foveal.backends.sql.records import Records
from foveal.backends.sql.search import Search, key_of
from foveal.backends.sql.server import Server
from foveal.backends.sql.session import Dialect, Organism, Session
from foveal.backends.sql.tapes import Tapes
from foveal.backends.sql.vectors import Vectors
from foveal.backends.sql.visibility import Visibility


class SqlStore(Visibility, Records, Search, Vectors, Links, Lifecycle, RecallLog, Crystals, Ledger, Tapes, Server):
    """Everything that is the same for every SQL database."""

    def __init__(self, session: Session, dialect: Dialect) -> None:
        self._session, self._dialect = session, dialect
        self._mirrors = IndexCache()
        self._looked_up = {}

    def _after_erase(self, organism: Organism) -> bool:
        """Remove erased data from memory and from the log of the database; False while a reader needs the log."""
        self._mirrors.drop(key_of(organism))
        self._looked_up.clear()
        return self._session.cut_log()
