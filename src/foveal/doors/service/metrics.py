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
# How many seconds a count of all records is reused: counting a large store is slow.
COUNTED = 30.0
CIRCUITS = {CircuitState.CLOSED: 0, CircuitState.HALF_OPEN: 1, CircuitState.OPEN: 2}
STATES = {State.OK: 0, State.DEGRADED: 1, State.DOWN: 2}


class Metrics:
    """An observer that counts calls, with gauges of the memory behind them.

    Labels are doors, verbs, codes and other fixed names: never actors, nor anything a caller sends.
    """

    def __init__(self, memory: Memory, monitor: HealthMonitor | None = None) -> None:
        self.registry = CollectorRegistry()
        self._calls = Counter(
            "foveal_requests", "Calls, by result.", ["door", "verb", "code"], registry=self.registry
        )
        self._seconds = Histogram(
            "foveal_request_seconds",
            "The duration of calls.",
            ["door", "verb"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._running = Gauge("foveal_requests_in_flight", "Calls in progress.", ["door"], registry=self.registry)
        self._moves = Counter(
            "foveal_metabolism_moves", "Records moved, by kind of move.", ["what"], registry=self.registry
        )
        self._errors = Counter(
            "foveal_errors",
            "Errors, by component and code.",
            ["component", "code", "severity"],
            registry=self.registry,
        )
        ProcessCollector(registry=self.registry)
        self.registry.register(_Gauges(memory, monitor))
        # The callback only counts and accepts nothing, so no notices queue up here.
        self._listening = memory.bus.subscribe(kinds=[Kind.MOVE, Kind.ERROR], heard=self._count, here=True)

    def _count(self, notice: Notice) -> bool:
        if notice.fault is not None:
            fault = notice.fault
            self._errors.labels(fault.component, fault.code, fault.severity.value).inc()
        else:
            self._moves.labels(notice.what).inc(notice.count)
        return False

    @contextmanager
    def __call__(self, asked: ServiceCall) -> Generator[None]:
        """Count one call."""
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
        """Stop counting."""
        self._listening.close()


class _Gauges(Collector):
    """Gauges that are read when Prometheus scrapes."""

    def __init__(self, memory: Memory, monitor: HealthMonitor | None) -> None:
        self._memory = memory
        self._monitor = monitor
        self._counted: tuple[float, dict[str, int]] | None = None

    def describe(self) -> list[Metric]:
        """Empty, so that registering does not read the store."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The current gauges; those of the store are left out while it does not answer."""
        traffic = self._memory.bus.traffic()
        yield GaugeMetricFamily("foveal_bus_subscribers", "Subscribers of the bus.", traffic.subscribers)
        yield CounterMetricFamily("foveal_bus_published", "Notices published.", traffic.published)
        yield CounterMetricFamily("foveal_bus_dropped", "Notices lost by slow subscribers.", traffic.dropped)
        cache = CounterMetricFamily(
            "foveal_cache", "Cache lookups, by whether the value was known.", labels=["kind", "known"]
        )
        for kind, (hits, misses) in caches_of(self._memory).items():
            cache.add_metric([kind, "yes"], hits)
            cache.add_metric([kind, "no"], misses)
        yield cache
        rate = GaugeMetricFamily("foveal_cache_hit_rate", "The share of hits; absent before the first.")
        if (known := hit_rate(self._memory)) is not None:
            rate.add_metric([], known)
        yield rate
        breakers = GaugeMetricFamily(
            "foveal_breaker_state", "0 is closed, 1 half open, 2 open: calls are blocked.", labels=["breaker"]
        )
        failures = GaugeMetricFamily(
            "foveal_breaker_failures", "Consecutive failures of the service behind the breaker.", labels=["breaker"]
        )
        for name, breaker in breakers_of(self._memory).items():
            breakers.add_metric([name], CIRCUITS[breaker.circuit.state])
            failures.add_metric([name], breaker.circuit.failures)
        yield from (breakers, failures)
        yield GaugeMetricFamily(
            "foveal_touches_waiting",
            "Reads not yet written to the log.",
            self._memory.runtime.touches.waiting,
        )
        try:
            yield from self._stored()
        except Unavailable:
            pass
        if self._monitor is not None:
            health = GaugeMetricFamily(
                "foveal_component_state", "0 is ok, 1 degraded, 2 down.", labels=["component"]
            )
            for component in self._monitor.health().components:
                health.add_metric([component.name], STATES[component.state])
            yield health

    def _stored(self) -> Iterator[Metric]:
        runtime, now = self._memory.runtime, time.monotonic()
        if self._counted is None or now - self._counted[0] > COUNTED:
            fresh = {
                tier.name.lower(): sum(session.records for session in runtime.store.lifecycle.tier_sessions(tier))
                for tier in Tier
            }
            fresh["pending"] = runtime.store.vectors.count_unencoded(runtime.encoder)
            self._counted = (now, fresh)
        counts = self._counted[1]
        tiers = GaugeMetricFamily("foveal_records", "Records in use, by tier.", labels=["tier"])
        for tier in Tier:
            tiers.add_metric([tier.name.lower()], counts[tier.name.lower()])
        yield tiers
        yield GaugeMetricFamily("foveal_records_pending", "Records that wait for vectors.", counts["pending"])
