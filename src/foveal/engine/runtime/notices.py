"""Publishes notices of changes and faults on the bus."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from foveal.model.notice import Kind, Notice, fault_of
from foveal.model.query import Viewpoint
from foveal.ports.system import Bus, Clock

# How many ids a notice lists at most.
NAMED = 200
# How long to wait before reporting the same failure again.
AGAIN = timedelta(minutes=1)


class Notifier:
    """Publishes notices on a bus."""

    def __init__(self, bus: Bus, clock: Clock) -> None:
        self.bus = bus
        self._clock = clock
        self._degraded: dict[tuple[str, type[BaseException]], datetime] = {}

    def changed(self, kind: Kind, viewpoint: Viewpoint, ids: Sequence[str], what: str = "") -> None:
        """Publish what happened to records; nothing is published if there were none, except for a read."""
        if ids or kind is Kind.READ:
            notice = Notice(
                at=self._clock.now(),
                kind=kind,
                what=what,
                world=viewpoint.world,
                actor_id=viewpoint.actor_id,
                node=viewpoint.node,
                session_id=viewpoint.session_id,
                ids=tuple(ids[:NAMED]),
                count=len(ids),
            )
            self.bus.publish(notice)

    def fault(
        self,
        component: str,
        error: BaseException,
        *,
        viewpoint: Viewpoint | None = None,
        request_id: str | None = None,
    ) -> None:
        """Publish an error, of one memory or of the whole process."""
        notice = Notice(
            at=self._clock.now(),
            kind=Kind.ERROR,
            world=viewpoint and viewpoint.world,
            actor_id=viewpoint and viewpoint.actor_id,
            node=viewpoint and viewpoint.node,
            fault=fault_of(error, component, request_id),
        )
        self.bus.publish(notice)

    def faults(self, viewpoint: Viewpoint, limit: int) -> list[Notice]:
        """The errors that the bus still has of one actor, newest first."""

        def own(notice: Notice) -> bool:
            return (notice.world, notice.actor_id) == viewpoint.organism

        with self.bus.subscribe("0", kinds=[Kind.ERROR], heard=own) as subscription:
            notices = list(iter(subscription.take, None))
        return [notice for notice in reversed(notices) if notice.kind is Kind.ERROR][:limit]

    def degraded(self, component: str, error: BaseException) -> None:
        """Publish that a part is unavailable and work continues without it, at most once a minute."""
        now, key = self._clock.now(), (component, type(error))
        last = self._degraded.get(key)
        if last is None or not timedelta(0) <= now - last < AGAIN:
            self._degraded[key] = now
            self.fault(component, error)
