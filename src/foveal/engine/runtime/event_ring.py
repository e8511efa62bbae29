"""The events of the last hour, held in this process."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice

from foveal.model.ledger import Event, EventHour, Metric, MetricHour
from foveal.model.query import Viewpoint

CAPACITY = 10_000
LIFE = timedelta(hours=1)
# How many viewpoints may have a ring at once, and how many roll-ups may wait to be written.
RINGS, WAITING = 256, 1_000

Node = tuple[str, str, str]


def hour_of(moment: datetime) -> datetime:
    """The start of the hour that contains a moment."""
    return moment.replace(minute=0, second=0, microsecond=0)


class Ring:
    """The metrics of one viewpoint, and its latest events: at most `capacity`, none older than `life`.

    Events leave in the order they came. Those that left are counted by hour, category and source.
    """

    def __init__(self, capacity: int = CAPACITY, life: timedelta = LIFE) -> None:
        self._capacity, self._life = capacity, life
        self._lock = threading.Lock()
        self._events: OrderedDict[str, tuple[datetime, Event]] = OrderedDict()
        self._by: dict[tuple[str, str], deque[Event]] = {}
        self._faded: Counter[tuple[datetime, str, str]] = Counter()
        self._metrics: dict[str, Metric] = {}
        self._hours: dict[tuple[str, datetime], MetricHour] = {}
        self._flushed: dict[str, Metric] = {}

    def __len__(self) -> int:
        return len(self._events)

    def __contains__(self, event_id: str) -> bool:
        return event_id in self._events

    def push(self, event: Event, now: datetime) -> bool:
        """Add an event; False if the ring already has one with its id."""
        with self._lock:
            if event.id in self._events:
                return False
            self._events[event.id] = (now, event)
            for column in (("category", event.category), ("source", event.source)):
                self._by.setdefault(column, deque()).append(event)
            self._fade(now)
            return True

    def _fade(self, now: datetime) -> None:
        """Drop the events that are too old or exceed the capacity."""
        while self._events:
            pushed, event = next(iter(self._events.values()))
            if len(self._events) <= self._capacity and now - pushed < self._life:
                return
            del self._events[event.id]
            for column in (("category", event.category), ("source", event.source)):
                # Events leave in the order they came, so this one is the first here too.
                self._by[column].popleft()
                if not self._by[column]:
                    del self._by[column]
            self._faded[(hour_of(event.timestamp), event.category, event.source)] += 1

    def recent(self, count: int, category: str | None, source: str | None, now: datetime) -> list[Event]:
        """The newest events, optionally of one category or source."""
        with self._lock:
            self._fade(now)
            wanted = {"category": category, "source": source}
            columns = [(name, value) for name, value in wanted.items() if value is not None]
            if not columns:
                return [event for _, event in islice(reversed(self._events.values()), count)]
            shortest = min((self._by.get(column, deque[Event]()) for column in columns), key=len)
            matching = (
                event
                for event in reversed(shortest)
                if all(getattr(event, name) == value for name, value in columns)
            )
            return list(islice(matching, count))

    def measure(self, name: str, value: float, now: datetime) -> Metric:
        """Record the value of a metric, and add it to the roll-up of its hour."""
        with self._lock:
            metric = self._metrics[name] = Metric(name=name, value=value, updated_at=now)
            hour = hour_of(now)
            key = f"{name}@{hour.isoformat()}"
            self._add(MetricHour(id=key, name=name, hour=hour, count=1, total=value, least=value, most=value))
            return metric

    def _add(self, more: MetricHour) -> None:
        known = self._hours.get((more.name, more.hour))
        self._hours[(more.name, more.hour)] = more if known is None else added(known, more)

    def metric(self, name: str) -> Metric | None:
        """The latest value of a metric in this process."""
        return self._metrics.get(name)

    def metrics(self) -> dict[str, Metric]:
        """The latest value of every metric in this process."""
        with self._lock:
            return dict(self._metrics)

    @property
    def full(self) -> bool:
        """Whether enough roll-ups wait that they should be written."""
        return len(self._faded) + len(self._hours) > WAITING

    def waiting(self, now: datetime) -> tuple[list[MetricHour | EventHour], list[Metric]]:
        """The roll-ups and metrics not yet in the durable ledger; from now on they count as written."""
        with self._lock:
            self._fade(now)
            counted = [
                EventHour(
                    id=f"{category}|{source}@{hour.isoformat()}",
                    category=category,
                    source=source,
                    hour=hour,
                    count=count,
                )
                for (hour, category, source), count in self._faded.items()
            ]
            latest = [metric for name, metric in self._metrics.items() if self._flushed.get(name) != metric]
            hours = [*self._hours.values(), *counted]
            self._faded.clear()
            self._hours.clear()
            self._flushed.update({metric.name: metric for metric in latest})
            return hours, latest

    def keep(self, hours: Iterable[MetricHour | EventHour], latest: Iterable[Metric]) -> None:
        """Put back roll-ups and metrics that could not be written."""
        with self._lock:
            for hour in hours:
                if isinstance(hour, MetricHour):
                    self._add(hour)
                else:
                    self._faded[(hour.hour, hour.category, hour.source)] += hour.count
            for metric in latest:
                self._flushed.pop(metric.name, None)


def added(known: MetricHour, more: MetricHour) -> MetricHour:
    """The sum of two roll-ups of the same hour."""
    return MetricHour(
        id=known.id,
        name=known.name,
        hour=known.hour,
        count=known.count + more.count,
        total=known.total + more.total,
        least=min(known.least, more.least),
        most=max(known.most, more.most),
    )


class EventRings:
    """The rings of the recently active viewpoints."""

    def __init__(self, most: int = RINGS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._rings: OrderedDict[Node, Ring] = OrderedDict()

    def known(self, viewpoint: Viewpoint) -> Ring | None:
        """The ring of a viewpoint, if it has one."""
        with self._lock:
            node = (*viewpoint.organism, viewpoint.node)
            if node in self._rings:
                self._rings.move_to_end(node)
            return self._rings.get(node)

    def made(self, viewpoint: Viewpoint, events: Iterable[Event], now: datetime) -> Ring:
        """The ring of a viewpoint; a new one is filled with these events."""
        with self._lock:
            node = (*viewpoint.organism, viewpoint.node)
            ring = self._rings.get(node)
            if ring is None:
                ring = self._rings[node] = Ring()
                for event in events:
                    ring.push(event, min(event.timestamp, now))
            return ring

    def spare(self) -> list[tuple[Viewpoint, Ring]]:
        """Remove the rings beyond the limit, least recently active first, and return them."""
        with self._lock:
            out = [self._rings.popitem(last=False) for _ in range(len(self._rings) - self._most)]
        return [(_viewpoint(node), ring) for node, ring in out]

    def drop(self, organism: tuple[str, str]) -> None:
        """Remove the rings of an organism that was erased, so that nothing of them is stored any more."""
        with self._lock:
            for node in [node for node in self._rings if _viewpoint(node).organism == organism]:
                del self._rings[node]

    def all(self) -> list[tuple[Viewpoint, Ring]]:
        """Every ring, with its viewpoint."""
        with self._lock:
            return [(_viewpoint(node), ring) for node, ring in self._rings.items()]


def _viewpoint(node: Node) -> Viewpoint:
    return Viewpoint(world=node[0], actor_id=node[1], node=node[2])
