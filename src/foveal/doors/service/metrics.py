"""Prometheus metrics."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from foveal.compose import Memory
from foveal.doors.service.health import HealthMonitor, breakers_of, caches_of, hit_rate
from foveal.doors.service.service import ServiceCall
from foveal.errors import FovealError, Unavailable
from foveal.model.notice import Kind, Notice
from foveal.model.record import Tier
from foveal.model.server import CircuitState, State

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# Counting all records of a large store takes a while: so many seconds a count is good for.
COUNTED = 30.0
CIRCUITS = {CircuitState.CLOSED: 0, CircuitState.HALF_OPEN: 1, CircuitState.OPEN: 2}
STATES = {State.OK: 0, State.DEGRADED: 1, State.DOWN: 2}


class Metrics:
    """A watch that counts calls, and the gauges of the memory behind them.

    Labels are doors, verbs, codes and other names of our own: never actors, nor anything a caller says.
    """

    def __init__(self, memory: Memory, physician: HealthMonitor | None = None) -> None:
        self.registry = CollectorRegistry()
        self._calls = Counter(
            "foveal_requests", "Calls, by how they ended.", ["door", "verb", "code"], registry=self.registry
        )
        self._seconds = Histogram(
            "foveal_request_seconds",
            "How long calls took.",
            ["door", "verb"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._running = Gauge("foveal_requests_in_flight", "Calls going on.", ["door"], registry=self.registry)
        self._moves = Counter(
            "foveal_metabolism_moves", "Records moved, by what became of them.", ["what"], registry=self.registry
        )
        self._errors = Counter(
            "foveal_errors",
            "Errors, by where and what.",
            ["component", "code", "severity"],
            registry=self.registry,
        )
        ProcessCollector(registry=self.registry)
        self.registry.register(_Gauges(memory, physician))
        # It only counts: nothing is let through, so nothing waits.
        self._listening = memory.bus.subscribe(kinds=[Kind.MOVE, Kind.ERROR], heard=self._count, here=True)

    def _count(self, notice: Notice) -> bool:
        if notice.fault is not None:
            told = notice.fault
            self._errors.labels(told.component, told.code, told.severity.value).inc()
        else:
            self._moves.labels(notice.what).inc(notice.count)
        return False

    @contextmanager
    def __call__(self, asked: ServiceCall) -> Generator[None]:
        """Watch one call."""
        running = self._running.labels(asked.door)
        running.inc()
        start, code = time.perf_counter(), "ok"
        try:
            yield
        except Exception as error:
            code = error.code if isinstance(error, FovealError) else "internal"
            raise
        finally:
            running.dec()
            self._calls.labels(asked.door, asked.verb, code).inc()
            self._seconds.labels(asked.door, asked.verb).observe(time.perf_counter() - start)

    def exposition(self) -> bytes:
        """The page that Prometheus scrapes, of media type `MEDIA`."""
        return generate_latest(self.registry)

    def close(self) -> None:
        """Count no more."""
        self._listening.close()


class _Gauges(Collector):
    """What is looked up when somebody asks."""

    def __init__(self, memory: Memory, physician: HealthMonitor | None) -> None:
        self._memory = memory
        self._physician = physician
        self._counted: tuple[float, dict[str, int]] | None = None

    def describe(self) -> list[Metric]:
        """Nothing beforehand: what is not asked costs nothing."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The gauges of this moment. A store that does not answer has none."""
        traffic = self._memory.bus.traffic()
        yield GaugeMetricFamily("foveal_bus_subscribers", "Who listens.", traffic.subscribers)
        yield CounterMetricFamily("foveal_bus_published", "Notices told.", traffic.published)
        yield CounterMetricFamily("foveal_bus_dropped", "Notices that slow subscribers lost.", traffic.dropped)
        cache = CounterMetricFamily(
            "foveal_cache", "What caches were asked for, by whether they knew it.", labels=["kind", "known"]
        )
        for kind, (hits, misses) in caches_of(self._memory).items():
            cache.add_metric([kind, "yes"], hits)
            cache.add_metric([kind, "no"], misses)
        yield cache
        rate = GaugeMetricFamily("foveal_cache_hit_rate", "The share of it that they knew; none before the first.")
        if (known := hit_rate(self._memory)) is not None:
            rate.add_metric([], known)
        yield rate
        breakers = GaugeMetricFamily(
            "foveal_breaker_state", "0 is closed, 1 half open, 2 open: calls do not go there.", labels=["breaker"]
        )
        failures = GaugeMetricFamily(
            "foveal_breaker_failures", "Failures in a row of what is behind it.", labels=["breaker"]
        )
        for name, one in breakers_of(self._memory).items():
            breakers.add_metric([name], CIRCUITS[one.circuit.state])
            failures.add_metric([name], one.circuit.failures)
        yield from (breakers, failures)
        yield GaugeMetricFamily(
            "foveal_touches_waiting", "Reads whose log is not written yet.", self._memory.runtime.touches.waiting
        )
        try:
            yield from self._stored()
        except Unavailable:
            pass
        if self._physician is not None:
            health = GaugeMetricFamily(
                "foveal_component_state", "0 is ok, 1 degraded, 2 down.", labels=["component"]
            )
            for one in self._physician.health().components:
                health.add_metric([one.name], STATES[one.state])
            yield health

    def _stored(self) -> Iterator[Metric]:
        runtime, now = self._memory.runtime, time.monotonic()
        if self._counted is None or now - self._counted[0] > COUNTED:
            held = {
                tier.name.lower(): sum(room.records for room in runtime.store.tier_sessions(tier)) for tier in Tier
            }
            held["pending"] = runtime.store.count_unencoded(runtime.encoder)
            self._counted = (now, held)
        counts = self._counted[1]
        tiers = GaugeMetricFamily("foveal_records", "Records in use, by tier.", labels=["tier"])
        for tier in Tier:
            tiers.add_metric([tier.name.lower()], counts[tier.name.lower()])
        yield tiers
        yield GaugeMetricFamily("foveal_records_pending", "Records that wait for vectors.", counts["pending"])
