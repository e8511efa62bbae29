"""The clock that all processes of a database share: that of its server."""

from __future__ import annotations

from datetime import datetime, timedelta

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import Db, value
from foveal.backends.relational.stamps import moment

# A clock that is less than this off is one that is set wrong; one that is further off is a clock of its own.
SKEW = timedelta(hours=1)


class Clocked(Part):
    """What is kept by the clock of the server, and told by that of who asks."""

    _behind = timedelta()

    def _measure(self, db: Db, now: datetime) -> timedelta:
        """How far the clock of this process is behind that of the server; it is remembered."""
        off = moment(value(db, "server_time")) - now
        self._behind = off if abs(off) < SKEW else timedelta()
        return self._behind
