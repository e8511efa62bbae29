"""When a memory without a worker metabolises: a little after writes, and when it opens and closes."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from datetime import timedelta
from itertools import islice

from foveal.engine.core import Core
from foveal.engine.metabolism import ageing
from foveal.engine.policies import current
from foveal.errors import ReadOnly, Unavailable
from foveal.model.query import Viewpoint
from foveal.model.record import Tier
from foveal.ports.store import Room

LOG = logging.getLogger("foveal.metabolism")

# After so many writes to a session its L1 and L2 are looked after.
WRITES = 16
# So many moves take less than 5 ms.
MOST = 64
# Of so many sessions at most, at opening and closing.
SESSIONS = 8

Place = tuple[str, str, str | None]


class Pace:
    """Counts writes, and lets a slice of the metabolism run when it is time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: Counter[Place] = Counter()

    def wrote(self, core: Core, viewpoint: Viewpoint, count: int) -> None:
        """After a write: a slice, if it is time. A store that is busy is left alone: the write is done."""
        place = (*viewpoint.organism, viewpoint.session_id)
        with self._lock:
            self._written[place] += count
            if self._written[place] < WRITES:
                return
            del self._written[place]
        self._slice(core, place, max(MOST, 2 * count))

    def opened(self, core: Core) -> None:
        """At opening: the sessions that are overdue."""
        hours = current(core).config.l1.retention_hours
        if hours is None:
            return
        before = core.clock.now() - timedelta(hours=hours)
        for room in islice(core.store.rooms(Tier.WORKING, before=before), SESSIONS):
            self._slice(core, (room.world, room.actor_id, room.session_id), MOST)

    def closing(self, core: Core) -> None:
        """At closing: the sessions that were written to since they were looked after."""
        with self._lock:
            places = list(self._written)[-SESSIONS:]
            self._written.clear()
        for place in places:
            self._slice(core, place, MOST)

    def _slice(self, core: Core, place: Place, most: int) -> None:
        world, actor, session = place
        room = Room(world=world, actor_id=actor, session_id=session, records=1, oldest=core.clock.now())
        try:
            core = current(core.newest)
            for one in (ageing.digest_room, ageing.assimilate_room):
                for _ in one(core, room, most=most):
                    pass
        except (ReadOnly, Unavailable) as error:
            core.degraded("metabolism", error)
            LOG.info("the metabolism waits: %s", error)
