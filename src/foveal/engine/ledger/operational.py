"""Operational memory: what happens now, on this machine and in this process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Unpack

from foveal.engine.runtime.event_ring import CAPACITY, LIFE, Ring
from foveal.engine.runtime.facade import Facade, Moment, checks_arguments
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import FovealError, Invalid, NotFound, ReadOnly
from foveal.model.ids import new_id
from foveal.model.ledger import AgentState, Event, EventHour, Metric, MetricHour, Status, SystemSnapshot, Task
from foveal.model.query import At, Viewpoint
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_count, checked_id, checked_json, checked_moment, checked_name

# How many active tasks and events a snapshot shows.
SHOWN = 20


@checks_arguments
class Operational(Facade):
    """Events and metrics of the last hour, kept in this process; what is critical is also in the ledger.

    A ring holds 10,000 events for an hour. What leaves it is counted by the hour; metrics are rolled up by the
    hour. Both are written when the memory is closed, and in between when much has gathered.
    """

    def push_event(
        self,
        category: str,
        data: Any = None,
        *,
        source: str = "",
        critical: bool = False,
        timestamp: Moment | None = None,
        event_id: str | None = None,
        **at: Unpack[At],
    ) -> Event:
        """Say that something happened. A critical event is in the durable ledger when this returns, exactly once.

        An event of an id that is there already is not taken again.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        event = Event(
            id=new_id(now) if event_id is None else checked_id(event_id),
            timestamp=checked_moment(timestamp, "timestamp") or now,
            category=checked_name(category, "category"),
            source=source and checked_name(source, "source"),
            data=checked_json(data, "data"),
            critical=bool(critical),
        )
        ring = ring_of(self._runtime, viewpoint)
        # The ledger first: a crash between the two must leave a critical event that is not in the ring.
        if event.critical:
            self._runtime.store.put_row(viewpoint, event)
        ring.push(event, now)
        if ring.full:
            flush(self._runtime, viewpoint, ring)
        return event

    def get_recent(
        self, count: int = 10, category: str | None = None, source: str | None = None, **at: Unpack[At]
    ) -> list[Event]:
        """The newest events of the last hour, newest first, of one category or source if it is said."""
        ring = ring_of(self._runtime, viewpoint_of(self._bound, at))
        return ring.recent(checked_count(count, "count"), category, source, self._runtime.clock.now())

    get_recent_events = get_recent

    def get_events(
        self,
        *,
        category: str | None = None,
        source: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 100,
        **at: Unpack[At],
    ) -> list[Event]:
        """The critical events of all time, newest first, from the durable ledger."""
        wanted = {"category": category, "source": source}
        return self._runtime.store.list_rows(
            viewpoint_of(self._bound, at),
            Event,
            {name: value for name, value in wanted.items() if value is not None},
            since=checked_moment(since, "since"),
            until=checked_moment(until, "until"),
            newest=True,
            limit=checked_count(limit, "limit"),
        )

    def update_metric(self, key: str, value: float, **at: Unpack[At]) -> Metric:
        """Set the latest value of a metric, and add it to the roll-up of this hour."""
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid(f"the value of a metric must be a finite number, not {value!r}")
        viewpoint = viewpoint_of(self._bound, at)
        ring = ring_of(self._runtime, viewpoint)
        metric = ring.measure(checked_name(key, "key"), float(value), self._runtime.clock.now())
        if ring.full:
            flush(self._runtime, viewpoint, ring)
        return metric

    def get_metric(self, key: str, **at: Unpack[At]) -> Metric:
        """The latest value of a metric; `NotFound` if there never was one."""
        viewpoint = viewpoint_of(self._bound, at)
        found = ring_of(self._runtime, viewpoint).metric(key)
        for stored in [] if found else self._runtime.store.get_rows(viewpoint, Metric, [key]):
            found = stored
        if found is None:
            raise NotFound(f"there is no metric {key!r} here", key=key)
        return found

    def get_metrics(self, **at: Unpack[At]) -> list[Metric]:
        """The latest value of every metric, by name."""
        viewpoint = viewpoint_of(self._bound, at)
        found = {one.name: one for one in self._runtime.store.list_rows(viewpoint, Metric)}
        for name, one in ring_of(self._runtime, viewpoint).metrics().items():
            # Another process may have measured it since.
            if name not in found or found[name].updated_at <= one.updated_at:
                found[name] = one
        return [found[name] for name in sorted(found)]

    def get_metric_hours(
        self, key: str, *, since: Moment | None = None, until: Moment | None = None, **at: Unpack[At]
    ) -> list[MetricHour]:
        """The hourly roll-ups of a metric, oldest first."""
        viewpoint = viewpoint_of(self._bound, at)
        flush(self._runtime, viewpoint, ring_of(self._runtime, viewpoint))
        begin, end = checked_moment(since, "since"), checked_moment(until, "until")
        return self._runtime.store.list_rows(viewpoint, MetricHour, {"name": key}, since=begin, until=end)

    def get_event_hours(self, **at: Unpack[At]) -> list[EventHour]:
        """How many events left the ring, by hour, category and source, oldest first."""
        viewpoint = viewpoint_of(self._bound, at)
        flush(self._runtime, viewpoint, ring_of(self._runtime, viewpoint))
        return self._runtime.store.list_rows(viewpoint, EventHour)

    def get_system_snapshot(self, **at: Unpack[At]) -> SystemSnapshot:
        """The machine and the work on it, now."""
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        ring = ring_of(self._runtime, viewpoint)
        store, running = self._runtime.store, {"status": Status.IN_PROGRESS.value}
        active = store.list_rows(viewpoint, Task, running, newest=True, limit=SHOWN)
        agents = {one.agent for one in active if one.agent}
        agents |= {one.agent_name for one in store.list_rows(viewpoint, AgentState, since=now - LIFE)}
        metrics = {name: one.value for name, one in ring.metrics().items()}
        values = {
            **self._runtime.machine.measured(),
            "tasks.active": float(store.count_rows(viewpoint, Task, running)),
            "agents.active": float(len(agents)),
        }
        if "gpu.utilization" in metrics:
            values["gpu.utilization"] = metrics.pop("gpu.utilization")
        return SystemSnapshot(
            at=now,
            values=values,
            metrics=metrics,
            active_tasks=tuple(active),
            recent=tuple(ring.recent(SHOWN, None, None, now)),
            loaded_models=(self._runtime.embedder.id,),
        )


def ring_of(runtime: Runtime, viewpoint: Viewpoint) -> Ring:
    """The ring of a viewpoint; a new one begins with what the ledger kept of the last hour."""
    ring = runtime.rings.known(viewpoint)
    if ring is not None:
        return ring
    now = runtime.clock.now()
    kept = runtime.store.list_rows(viewpoint, Event, since=now - LIFE, newest=True, limit=CAPACITY)
    ring = runtime.rings.made(viewpoint, reversed(kept), now)
    for other, spare in runtime.rings.spare():
        flush(runtime, other, spare)
    return ring


def flush(runtime: Runtime, viewpoint: Viewpoint, ring: Ring) -> int:
    """Write what left a ring, and the metrics, to the durable ledger. Gives how many rows."""
    hours, latest = ring.waiting(runtime.clock.now())
    try:
        for metric in latest:
            runtime.store.set_row(viewpoint, metric)
        if hours:
            runtime.store.add_up(viewpoint, hours)
    except FovealError:
        ring.keep(hours, latest)
        raise
    return len(hours) + len(latest)


def flush_all(runtime: Runtime) -> int:
    """Write what waits in every ring. Gives how many rows: none if the store only reads."""
    try:
        return sum(flush(runtime, viewpoint, ring) for viewpoint, ring in runtime.rings.all())
    except ReadOnly:
        return 0


def told(snapshot: SystemSnapshot) -> list[str]:
    """A snapshot as lines of text, the most telling first."""
    lines = [", ".join(f"{name} {value:g}" for name, value in snapshot.values.items())]
    lines += [f"{name} {value:g}" for name, value in snapshot.metrics.items()]
    lines += [f"in progress: {one.description}" + _by(one.agent) for one in snapshot.active_tasks]
    urgent = sorted(snapshot.recent, key=lambda one: not one.critical)
    lines += [_event(one, snapshot.at) for one in urgent]
    return lines


def _by(agent: str) -> str:
    return f" ({agent})" if agent else ""


def _event(event: Event, now: datetime) -> str:
    minutes = max(0, int((now - event.timestamp).total_seconds() // 60))
    data: Any = event.data
    if isinstance(data, Mapping):
        data = ", ".join(f"{name} {value}" for name, value in data.items())  # pyright: ignore[reportUnknownVariableType]
    said = f": {data}" if data not in (None, "") else ""
    return f"{'critical ' if event.critical else ''}{event.category}{_by(event.source)} {minutes} min ago{said}"
