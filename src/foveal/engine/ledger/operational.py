"""Operational memory: recent events, metrics and the state of the machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from heapq import merge
from typing import Any, Unpack

from foveal.engine.ledger.rows import Rows, place_of, scope_of_row
from foveal.engine.runtime.event_ring import CAPACITY, LIFE, Ring
from foveal.engine.runtime.facade import Facade, Moment, checks_arguments, takes
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import FovealError, Invalid, NotFound, ReadOnly
from foveal.model.ids import new_id
from foveal.model.ledger import AgentState, Event, EventHour, Metric, MetricHour, Status, SystemSnapshot, Task
from foveal.model.query import At, Viewpoint
from foveal.model.record import Scope
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_count, checked_id, checked_json, checked_moment, checked_name

# How many active tasks and events a snapshot shows.
SHOWN = 20


@checks_arguments
class Operational(Facade):
    """Events and metrics of the last hour, held in this process; critical events are also in the ledger.

    A ring holds up to 10,000 events for an hour. Events that leave it are counted by the hour, and metrics are
    rolled up by the hour. Both are written when the memory is closed, and earlier when many have gathered. The
    nodes of an actor share them; what a node reports with `scope="local"` it keeps to itself.
    """

    @takes(Event, id="event_id", node=None)
    def push_event(
        self,
        category: str | Event,
        data: Any = None,
        *,
        source: str = "",
        critical: bool = False,
        timestamp: Moment | None = None,
        event_id: str | None = None,
        scope: Scope | str | None = None,
        **at: Unpack[At],
    ) -> Event:
        """Record an event, given by its category or as an `Event`.

        Once this returns, a critical event is in the durable ledger, exactly once.

        An event whose id exists already is not stored again.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        place = place_of(viewpoint, scope_of_row(scope))
        event = Event(
            id=new_id(now) if event_id is None else checked_id(event_id),
            timestamp=checked_moment(timestamp, "timestamp") or now,
            category=checked_name(category, "category"),
            source=source and checked_name(source, "source"),
            data=checked_json(data, "data"),
            critical=bool(critical),
            node=viewpoint.node,
        )
        ring = ring_of(self._runtime, place)
        # The ledger first: a crash between the two may lose the entry in the ring, but never a critical event.
        if event.critical:
            self._runtime.writes.put_row(place, event, by=viewpoint)
        ring.push(event, now)
        if ring.full:
            flush(self._runtime, place, ring)
        return event

    def get_recent(
        self, count: int = 10, category: str | None = None, source: str | None = None, **at: Unpack[At]
    ) -> list[Event]:
        """The latest events of the last hour, newest first, optionally of one category or source."""
        return self._recent(viewpoint_of(self._bound, at), checked_count(count, "count"), category, source)

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
        """All critical events from the durable ledger, newest first."""
        wanted = {"category": category, "source": source}
        return Rows(self._runtime, viewpoint_of(self._bound, at)).listed(
            Event,
            {name: value for name, value in wanted.items() if value is not None},
            since=checked_moment(since, "since"),
            until=checked_moment(until, "until"),
            newest=True,
            limit=checked_count(limit, "limit"),
        )

    def update_metric(
        self, key: str, value: float, *, scope: Scope | str | None = None, **at: Unpack[At]
    ) -> Metric:
        """Set the current value of a metric, and add it to the roll-up of this hour."""
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid(f"the value of a metric must be a finite number, not {value!r}")
        place = place_of(viewpoint_of(self._bound, at), scope_of_row(scope))
        ring = ring_of(self._runtime, place)
        metric = ring.measure(checked_name(key, "key"), float(value), self._runtime.clock.now())
        if ring.full:
            flush(self._runtime, place, ring)
        return metric

    def get_metric(self, key: str, **at: Unpack[At]) -> Metric:
        """The latest value of a metric; `NotFound` if there never was one."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at))
        measured = [ring_of(self._runtime, place).metric(key) for place in rows.places]
        metrics = [metric for metric in measured if metric is not None] or rows.latest(Metric, [key])
        if not metrics:
            raise NotFound(f"there is no metric {key!r} here", key=key)
        return max(metrics, key=lambda metric: metric.updated_at)

    def get_metrics(self, **at: Unpack[At]) -> list[Metric]:
        """The latest value of every metric, sorted by name."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at))
        metrics = {metric.name: metric for metric in rows.latest(Metric)}
        for name, metric in self._measured(rows).items():
            # Another process may have stored a later value.
            if name not in metrics or metrics[name].updated_at <= metric.updated_at:
                metrics[name] = metric
        return [metrics[name] for name in sorted(metrics)]

    def get_metric_hours(
        self, key: str, *, since: Moment | None = None, until: Moment | None = None, **at: Unpack[At]
    ) -> list[MetricHour]:
        """The hourly roll-ups of a metric, oldest first."""
        begin, end = checked_moment(since, "since"), checked_moment(until, "until")
        return self._flushed(at).listed(MetricHour, {"name": key}, since=begin, until=end)

    def get_event_hours(self, **at: Unpack[At]) -> list[EventHour]:
        """How many events left the ring, by hour, category and source, oldest first."""
        return self._flushed(at).listed(EventHour)

    def get_active_tasks(self, limit: int = 100, **at: Unpack[At]) -> Mapping[str, Task]:
        """The tasks in progress by their ids, with their states, the latest first."""
        running = {"status": Status.IN_PROGRESS.value}
        most = checked_count(limit, "limit")
        rows = Rows(self._runtime, viewpoint_of(self._bound, at))
        return {task.id: task for task in rows.listed(Task, running, newest=True, limit=most)}

    def get_system_snapshot(self, **at: Unpack[At]) -> SystemSnapshot:
        """The current state of the machine and of the work on it."""
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        rows, running = Rows(self._runtime, viewpoint), {"status": Status.IN_PROGRESS.value}
        active = rows.listed(Task, running, newest=True, limit=SHOWN)
        agents = {task.agent for task in active if task.agent}
        agents |= {state.agent_name for state in rows.latest(AgentState, since=now - LIFE)}
        metrics = {name: metric.value for name, metric in self._measured(rows).items()}
        values = {
            **self._runtime.machine.measured(),
            "tasks.active": float(rows.count(Task, running)),
            "agents.active": float(len(agents)),
        }
        if "gpu.utilization" in metrics:
            values["gpu.utilization"] = metrics.pop("gpu.utilization")
        return SystemSnapshot(
            at=now,
            values=values,
            metrics=metrics,
            active_tasks=tuple(active),
            recent=tuple(self._recent(viewpoint, SHOWN, None, None)),
            loaded_models=(self._runtime.embedder.id,),
        )

    def _recent(self, viewpoint: Viewpoint, count: int, category: str | None, source: str | None) -> list[Event]:
        now, places = self._runtime.clock.now(), Rows(self._runtime, viewpoint).places
        rings = [ring_of(self._runtime, place).recent(count, category, source, now) for place in places]
        # The order of a ring is that in which events arrived; two rings are joined by time.
        joined = rings[0] + rings[1] if not all(rings) else [*merge(*rings, key=_moment, reverse=True)]
        return joined[:count]

    def _measured(self, rows: Rows) -> dict[str, Metric]:
        """The latest value of each metric in this process."""
        metrics = [metric for place in rows.places for metric in ring_of(self._runtime, place).metrics().values()]
        return {metric.name: metric for metric in sorted(metrics, key=lambda metric: metric.updated_at)}

    def _flushed(self, at: At) -> Rows:
        """The rows of a viewpoint, after what waits in its rings was written."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at))
        for place in rows.places:
            flush(self._runtime, place, ring_of(self._runtime, place))
        return rows


def _moment(event: Event) -> datetime:
    return event.timestamp


def ring_of(runtime: Runtime, viewpoint: Viewpoint) -> Ring:
    """The ring of a viewpoint; a new one starts with the events of the last hour in the ledger."""
    ring = runtime.rings.known(viewpoint)
    if ring is not None:
        return ring
    now = runtime.clock.now()
    events = runtime.store.ledger.list_rows(viewpoint, Event, since=now - LIFE, newest=True, limit=CAPACITY)
    ring = runtime.rings.made(viewpoint, reversed(events), now)
    for other, spare in runtime.rings.spare():
        flush(runtime, other, spare)
    return ring


def flush(runtime: Runtime, viewpoint: Viewpoint, ring: Ring) -> int:
    """Write the roll-ups and metrics of a ring to the durable ledger. Returns how many rows were written."""
    hours, latest = ring.waiting(runtime.clock.now())
    try:
        for metric in latest:
            runtime.writes.set_row(viewpoint, metric)
        if hours:
            runtime.store.ledger.add_up(viewpoint, hours)
    except FovealError:
        ring.keep(hours, latest)
        raise
    return len(hours) + len(latest)


def flush_all(runtime: Runtime) -> int:
    """Write what waits in every ring. Returns how many rows were written; 0 if the store is read-only."""
    try:
        return sum(flush(runtime, viewpoint, ring) for viewpoint, ring in runtime.rings.all())
    except ReadOnly:
        return 0


def format_system_state(snapshot: SystemSnapshot) -> str:
    """A snapshot as text, the most informative lines first."""
    return "\n".join(snapshot_lines(snapshot))


def snapshot_lines(snapshot: SystemSnapshot) -> list[str]:
    """A snapshot as lines of text, the most informative first."""
    lines = [", ".join(f"{name} {value:g}" for name, value in snapshot.values.items())]
    lines += [f"{name} {value:g}" for name, value in snapshot.metrics.items()]
    lines += [f"in progress: {task.description}" + _by(task.agent) for task in snapshot.active_tasks]
    urgent_first = sorted(snapshot.recent, key=lambda event: not event.critical)
    lines += [_event(event, snapshot.at) for event in urgent_first]
    return lines


def _by(agent: str) -> str:
    return f" ({agent})" if agent else ""


def _event(event: Event, now: datetime) -> str:
    minutes = max(0, int((now - event.timestamp).total_seconds() // 60))
    data: Any = event.data
    if isinstance(data, Mapping):
        data = ", ".join(f"{name} {value}" for name, value in data.items())  # pyright: ignore[reportUnknownVariableType]
    details = f": {data}" if data not in (None, "") else ""
    return f"{'critical ' if event.critical else ''}{event.category}{_by(event.source)} {minutes} min ago{details}"
