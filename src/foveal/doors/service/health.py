"""Liveness, readiness and the health of each component."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from foveal.backends.breaker import Breaker
from foveal.backends.index.reader import FAR_BEHIND
from foveal.backends.models.adapters import CachingEmbedder
from foveal.compose import Memory
from foveal.config import Settings, sqlite_path
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import FovealError
from foveal.model.query import Viewpoint
from foveal.model.server import BreakerState, CircuitState, Component, Health, State
from foveal.ports.system import Bus

# When one of these is down, the whole memory is down; any other component only degrades it.
ESSENTIAL = frozenset({"store", "disk"})
MEGABYTE, GIGABYTE = 1 << 20, 1 << 30
# Free disk space below FULL means that writes will fail soon; below NARROW it means a warning.
FULL, NARROW = 64 * MEGABYTE, GIGABYTE
SLOW = timedelta(milliseconds=250)
SKEW = timedelta(seconds=2)
# How many intervals may pass without a run.
LATE = 3


def overall(components: Iterable[Component]) -> State:
    """Down if an essential component is down, degraded if any component is not ok, else ok.

    >>> store = Component(name="store", state=State.OK, reason="")
    >>> overall([store, Component(name="embedder", state=State.DOWN, reason="away")]).value
    'degraded'
    """
    parts = list(components)
    if any(part.state is State.DOWN and part.name in ESSENTIAL for part in parts):
        return State.DOWN
    return State.OK if all(part.state is State.OK for part in parts) else State.DEGRADED


def store_health(took: timedelta) -> Component:
    """The health of the store, from the duration of a round trip.

    >>> store_health(timedelta(milliseconds=2)).reason
    'answers'
    """
    slow = took > SLOW
    reason = "answers slowly" if slow else "answers"
    return Component(
        name="store",
        state=State.DEGRADED if slow else State.OK,
        reason=reason,
        figure=round(took.total_seconds() * 1000, 2),
        unit="ms",
    )


def index_health(waiting: int) -> Component:
    """The health of the index, from the number of records that wait for their vectors.

    >>> index_health(3).state.value
    'degraded'
    """
    return Component(
        name="index",
        state=State.DEGRADED if waiting else State.OK,
        reason="records wait for their vectors: run reindex" if waiting else "follows the store",
        figure=waiting,
        unit="records",
    )


def vectors_health(waiting: int | None) -> Component:
    """The health of the vector index, from the number of records that it lacks; None if there is no index.

    >>> [vectors_health(waiting).reason for waiting in (None, 3)]
    ['are in the store', 'follow the store']
    >>> vectors_health(FAR_BEHIND + 1).state.value
    'degraded'
    """
    if waiting is None:
        return Component(name="vectors", state=State.OK, reason="are in the store")
    behind = waiting > FAR_BEHIND
    return Component(
        name="vectors",
        state=State.DEGRADED if behind else State.OK,
        reason="are far behind the store, which compares all vectors itself: run reindex"
        if behind
        else "follow the store",
        figure=waiting,
        unit="records",
    )


def disk_health(free: int, total: int) -> Component:
    """The health of the disk, from its free space.

    >>> [disk_health(free, 100 * GIGABYTE).state.value for free in (5 * GIGABYTE, MEGABYTE)]
    ['ok', 'down']
    """
    state = State.DOWN if free < FULL else State.DEGRADED if free < NARROW else State.OK
    reason = {State.OK: "has room", State.DEGRADED: "is almost full", State.DOWN: "is full"}[state]
    share = f" ({100 * free / total:.0f} % free)" if total else ""
    return Component(name="disk", state=state, reason=reason + share, figure=round(free / GIGABYTE, 2), unit="GB")


def clock_health(wall: timedelta, steady: timedelta) -> Component:
    """The health of the clock, from its drift against a monotonic clock since the start.

    >>> clock_health(timedelta(seconds=70), timedelta(seconds=10)).state.value
    'degraded'
    """
    skew = wall - steady
    jumped = abs(skew) > SKEW
    return Component(
        name="clock",
        state=State.DEGRADED if jumped else State.OK,
        reason="was set while the memory ran" if jumped else "runs steadily",
        figure=round(skew.total_seconds(), 3),
        unit="s",
    )


def scheduler_health(mode: str, last: datetime | None, hours: float, now: datetime) -> Component:
    """The health of the scheduler, from when it last moved records between tiers.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> scheduler_health("worker", noon - timedelta(hours=5), 1.0, noon).state.value
    'degraded'
    """
    if mode != "worker" or not hours:
        reason = {"auto": "runs a little after writes", "off": "is switched off"}.get(mode, "is switched off")
        return Component(name="scheduler", state=State.OK, reason=reason)
    if last is None:
        return Component(name="scheduler", state=State.DEGRADED, reason="never ran: start foveal worker")
    since = now - last
    late = since > LATE * timedelta(hours=hours)
    return Component(
        name="scheduler",
        state=State.DEGRADED if late else State.OK,
        reason="is late: is foveal worker running?" if late else "runs",
        figure=round(since.total_seconds(), 1),
        unit="s since",
    )


# How long to wait for one component.
PATIENCE = timedelta(seconds=1)

Probe = Callable[[], Component]


# A probe that hangs for longer is started again: what it waits for may be replaced by now.
HANGING = timedelta(seconds=5)


class Probes:
    """Runs the probes of components beside each other, all with one time limit.

    A hanging probe is not started again for a while.
    """

    def __init__(self) -> None:
        self._stuck: dict[str, tuple[threading.Thread, float]] = {}

    def ask(self, name: str, probe: Probe, patience: timedelta | None = None) -> Component:
        """The result of one probe; down if it fails or takes too long."""
        return self.ask_all({name: probe}, patience)[0]

    def ask_all(self, probes: Mapping[str, Probe], patience: timedelta | None = None) -> list[Component]:
        """The results of probes that run at the same time, in their order."""
        seconds = (patience or PATIENCE).total_seconds()
        began = time.monotonic()
        results: dict[str, Component] = {}
        threads: dict[str, threading.Thread] = {}
        for name, probe in probes.items():
            if self._hangs(name, began):
                results[name] = _down(name, "still does not answer")
            else:
                threads[name] = _started(name, probe, results)
        for name, thread in threads.items():
            thread.join(max(0.0, began + seconds - time.monotonic()))
            self._stuck.pop(name, None)
            if thread.is_alive():
                self._stuck[name] = (thread, began)
        late = {name: _down(name, f"did not answer within {seconds:g} s") for name in probes}
        answered = dict(results)
        return [answered.get(name) or late[name] for name in probes]

    def _hangs(self, name: str, now: float) -> bool:
        thread, since = self._stuck.get(name, (None, now))
        return thread is not None and thread.is_alive() and now - since < HANGING.total_seconds()


def _started(name: str, probe: Probe, results: dict[str, Component]) -> threading.Thread:
    def run() -> None:
        results[name] = _result(name, probe)

    thread = threading.Thread(target=run, name=f"probe-{name}", daemon=True)
    thread.start()
    return thread


def _result(name: str, probe: Probe) -> Component:
    try:
        return probe()
    except FovealError as error:
        return _down(name, f"{error.message} ({error.code})")
    except OSError as error:
        return _down(name, f"{error.strerror or type(error).__name__}")


def _down(name: str, reason: str) -> Component:
    return Component(name=name, state=State.DOWN, reason=reason)


def probe_store(runtime: Runtime) -> Component:
    """The health of the store, from a round trip."""
    start = time.perf_counter()
    runtime.store.server.ran_at("migration")
    return store_health(timedelta(seconds=time.perf_counter() - start))


def probe_index(runtime: Runtime) -> Component:
    """The health of the index, from the records that wait for vectors."""
    return index_health(runtime.store.vectors.count_unencoded(runtime.encoder))


def probe_vectors(runtime: Runtime) -> Component:
    """Whether the vector index answers, and how many records wait for it."""
    if not runtime.vector_sync.has_index:
        return vectors_health(None)
    places = (Viewpoint(world=world, actor_id=actor) for world, actor in runtime.store.counts.organisms())
    return vectors_health(sum(runtime.vector_sync.waiting(place, runtime.encoder) for place in places))


def probe_scheduler(runtime: Runtime, mode: str, hours: float) -> Component:
    """When the scheduler last ran."""
    return scheduler_health(mode, runtime.store.server.ran_at("migration"), hours, runtime.clock.now())


def probe_bus(bus: Bus) -> Component:
    """How many subscribers there are, whether any lost notices, and whether other processes receive them."""
    traffic = bus.traffic()
    lost = f", {traffic.dropped} lost by slow subscribers" if traffic.dropped else ""
    return Component(
        name="bus",
        state=State.DEGRADED if traffic.away else State.OK,
        reason=(f"stays in this process: {traffic.away}" if traffic.away else "delivers notices") + lost,
        figure=traffic.subscribers,
        unit="subscribers",
    )


# How long a result is reused.
FRESH = timedelta(seconds=1)


class HealthMonitor:
    """Checks the health of a memory, at most once a second.

    A server is alive if it can answer at all, and ready if it is neither down nor draining. A degraded component
    does not make it unready, or all servers would leave at once when the encoder that they share is unreachable.
    """

    def __init__(self, memory: Memory, settings: Settings, *, url: str | Path | None = None) -> None:
        self._memory = memory
        self._settings = settings
        self._folder = _folder(url if url is not None else settings.url)
        self._probes = Probes()
        self._lock = threading.Lock()
        self._last: tuple[float, Health] | None = None
        self._draining = False
        self._encoded_at = ""
        self._started = (memory.runtime.clock.now(), time.monotonic())

    def drain(self) -> None:
        """Report from now on that this server is not ready: it finishes its work and takes no new requests."""
        self._draining = True
        self._last = None

    @property
    def draining(self) -> bool:
        """Whether the server is draining."""
        return self._draining

    def health(self) -> Health:
        """The health of each component and of the whole."""
        with self._lock:
            now = time.monotonic()
            if self._last is None or now - self._last[0] > FRESH.total_seconds():
                self._last = (now, self._probed())
            return self._last[1]

    def _probed(self) -> Health:
        runtime, settings = self._memory.runtime, self._settings
        parts = self._probes.ask_all(
            {
                "store": lambda: probe_store(runtime),
                "index": lambda: probe_index(runtime),
                "vectors": lambda: probe_vectors(runtime),
                "embedder": self._embedder,
                **({"model": self._model} if self._memory.llm else {}),
                "cache": self._cache,
                "bus": lambda: probe_bus(self._memory.bus),
                "scheduler": lambda: probe_scheduler(runtime, settings.metabolism, settings.scheduler.migration),
                "disk": self._disk,
                "clock": self._clock,
            }
        )
        breakers = tuple(_breaker_state(name, breaker) for name, breaker in breakers_of(self._memory).items())
        return Health(
            state=overall(parts),
            at=runtime.clock.now(),
            components=tuple(parts),
            draining=self._draining,
            breakers=breakers,
        )

    def _embedder(self) -> Component:
        """Encodes one text a minute. It bypasses the cache, whose statistics should count only callers."""
        embedder, minute = self._memory.runtime.embedder, f"{self._memory.runtime.clock.now():%Y-%m-%d %H:%M}"
        if minute != self._encoded_at:
            uncached = embedder.embedder if isinstance(embedder, CachingEmbedder) else embedder
            uncached.embed([f"how are you at {minute}"])
            self._encoded_at = minute
        return Component(name="embedder", state=State.OK, reason=f"{embedder.id} answers")

    def _model(self) -> Component:
        """Judges the language model by its last calls: a probe would cost money."""
        circuit = breakers_of(self._memory)["model"].circuit
        answers = circuit.state is CircuitState.CLOSED and not circuit.failures
        return Component(
            name="model",
            state=State.OK if answers else State.DEGRADED,
            reason="did not fail when last called" if answers else "failed when last called",
        )

    def _cache(self) -> Component:
        counts = caches_of(self._memory).values()
        lookups = sum(hits + misses for hits, misses in counts)
        rate = hit_rate(self._memory)
        reason = "of the lookups were hits" if lookups else "was not used yet"
        away = away_of(self._memory)
        return Component(
            name="cache",
            state=State.DEGRADED if away else State.OK,
            reason=f"is not shared: {away}" if away else reason,
            figure=None if rate is None else round(rate, 3),
            unit="share" if lookups else "",
        )

    def _disk(self) -> Component:
        if self._folder is None:
            return Component(name="disk", state=State.OK, reason="is not needed: the memory is not a file")
        usage = shutil.disk_usage(self._folder)
        return disk_health(usage.free, usage.total)

    def _clock(self) -> Component:
        wall = self._memory.runtime.clock.now() - self._started[0]
        return clock_health(wall, timedelta(seconds=time.monotonic() - self._started[1]))


def breakers_of(memory: Memory) -> dict[str, Breaker]:
    """The circuit breakers of the servers that this memory calls, by what they are called for."""
    runtime = memory.runtime
    encoder = runtime.embedder if isinstance(runtime.embedder, CachingEmbedder) else None
    clients: dict[str, object] = {
        "encoder": encoder and encoder.embedder,
        "model": memory.llm,
        "cache of vectors": encoder and encoder.shared,
        "cache of rankings": runtime.rankings.caches[-1] if runtime.rankings.caches else None,
    }
    breakers = {name: getattr(client, "breaker", None) for name, client in clients.items()}
    return {name: breaker for name, breaker in breakers.items() if isinstance(breaker, Breaker)}


def _breaker_state(name: str, breaker: Breaker) -> BreakerState:
    circuit = breaker.circuit
    return BreakerState(
        name=name,
        state=circuit.state,
        failures=circuit.failures,
        allowed=breaker.failures,
        seconds=round(breaker.waiting.total_seconds(), 1),
        since=circuit.since,
        failed_at=circuit.failed_at,
    )


def caches_of(memory: Memory) -> dict[str, tuple[int, int]]:
    """The hits and misses of each cache."""
    embedder, rankings = memory.runtime.embedder, memory.runtime.rankings
    vectors = (embedder.hits, embedder.misses) if isinstance(embedder, CachingEmbedder) else (0, 0)
    return {"vector": vectors, "ranking": (rankings.hits, rankings.misses)}


def hit_rate(memory: Memory) -> float | None:
    """The share of cache lookups that were hits; None before the first lookup."""
    hits, misses = map(sum, zip(*caches_of(memory).values(), strict=True))
    return hits / (hits + misses) if hits + misses else None


def away_of(memory: Memory) -> str:
    """Why the cache that processes share is unreachable, or an empty text."""
    embedder = memory.runtime.embedder
    shared = embedder.shared if isinstance(embedder, CachingEmbedder) else None
    return memory.runtime.rankings.away or ("" if shared is None else shared.away)


def _folder(url: str | Path | None) -> Path | None:
    """The folder of a memory that is a file, else None."""
    text = str(url or "")
    if text.removeprefix("sqlite:///") == ":memory:" or ("://" in text and not text.startswith("sqlite:")):
        return None
    return sqlite_path(url)[0].absolute().parent
