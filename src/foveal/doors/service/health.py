"""The health of a server: is it alive, is it ready, and how is each part."""

from __future__ import annotations

import shutil
import threading
import time
from datetime import timedelta
from pathlib import Path

from foveal.backends.breaker import Breaker
from foveal.backends.models.adapters import CachingEmbedder
from foveal.compose import Memory
from foveal.config import Settings, sqlite_path
from foveal.engine import probing
from foveal.model.server import BreakerState, CircuitState, Component, Health, State
from foveal.rules.health import clock_health, disk_health, overall

# So long an answer is given again without asking.
FRESH = timedelta(seconds=1)


class Physician:
    """Says how a memory is. Asked often, it looks once a second.

    Alive is whoever can answer at all. Ready is who is not down and does not drain; a part that is degraded takes
    nobody out of service, or all would leave at once when the encoder they share is away.
    """

    def __init__(self, memory: Memory, settings: Settings, *, url: str | Path | None = None) -> None:
        self._memory = memory
        self._settings = settings
        self._folder = _folder(url if url is not None else settings.url)
        self._rounds = probing.Rounds()
        self._looking = threading.Lock()
        self._last: tuple[float, Health] | None = None
        self._draining = False
        self._encoded = ""
        self._started = (memory.core.clock.now(), time.monotonic())

    def drain(self) -> None:
        """Say from now on that this server is not ready: it ends what it does, and takes nothing new."""
        self._draining = True
        self._last = None

    @property
    def draining(self) -> bool:
        """Whether it ends."""
        return self._draining

    def health(self) -> Health:
        """How each part is, and the whole."""
        with self._looking:
            now = time.monotonic()
            if self._last is None or now - self._last[0] > FRESH.total_seconds():
                self._last = (now, self._looked())
            return self._last[1]

    def _looked(self) -> Health:
        core, said = self._memory.core, self._settings
        ask = self._rounds.ask
        parts = [
            ask("store", lambda: probing.probe_store(core)),
            ask("index", lambda: probing.probe_index(core)),
            ask("vectors", lambda: probing.probe_vectors(core)),
            ask("embedder", self._embedder),
            *([ask("model", self._model)] if self._memory.llm else []),
            ask("cache", self._cache),
            ask("bus", lambda: probing.probe_bus(self._memory.bus)),
            ask("scheduler", lambda: probing.probe_scheduler(core, said.metabolism, said.scheduler.migration)),
            ask("disk", self._disk),
            ask("clock", self._clock),
        ]
        breakers = tuple(_told(name, one) for name, one in breakers_of(self._memory).items())
        return Health(
            state=overall(parts),
            at=core.clock.now(),
            components=tuple(parts),
            draining=self._draining,
            breakers=breakers,
        )

    def _embedder(self) -> Component:
        """One text encoded a minute, past the cache, whose figures are of what callers ask."""
        embedder, minute = self._memory.core.embedder, f"{self._memory.core.clock.now():%Y-%m-%d %H:%M}"
        if minute != self._encoded:
            asked = embedder.embedder if isinstance(embedder, CachingEmbedder) else embedder
            asked.embed([f"how are you at {minute}"])
            self._encoded = minute
        return Component(name="embedder", state=State.OK, reason=f"{embedder.id} answers")

    def _model(self) -> Component:
        """The language model by how its last calls went: it is not asked for this, since it costs."""
        shut = breakers_of(self._memory)["model"].circuit
        answers = shut.state is CircuitState.CLOSED and not shut.failures
        return Component(
            name="model",
            state=State.OK if answers else State.DEGRADED,
            reason="did not fail when it was last asked" if answers else "failed when it was last asked",
        )

    def _cache(self) -> Component:
        known = caches_of(self._memory).values()
        asked = sum(hits + misses for hits, misses in known)
        rate = hit_rate(self._memory)
        reason = "of what was asked for was known" if asked else "was not asked yet"
        away = away_of(self._memory)
        return Component(
            name="cache",
            state=State.DEGRADED if away else State.OK,
            reason=f"is not shared: {away}" if away else reason,
            figure=None if rate is None else round(rate, 3),
            unit="share" if asked else "",
        )

    def _disk(self) -> Component:
        if self._folder is None:
            return Component(name="disk", state=State.OK, reason="is not needed: the memory lives elsewhere")
        usage = shutil.disk_usage(self._folder)
        return disk_health(usage.free, usage.total)

    def _clock(self) -> Component:
        wall = self._memory.core.clock.now() - self._started[0]
        return clock_health(wall, timedelta(seconds=time.monotonic() - self._started[1]))


def breakers_of(memory: Memory) -> dict[str, Breaker]:
    """What stands before each server that this one asks, by what that is asked for."""
    core = memory.core
    encoder = core.embedder if isinstance(core.embedder, CachingEmbedder) else None
    asked: dict[str, object] = {
        "encoder": encoder and encoder.embedder,
        "model": memory.llm,
        "cache of vectors": encoder and encoder.shared,
        "cache of rankings": core.rankings.caches[-1] if core.rankings.caches else None,
    }
    found = {name: getattr(one, "breaker", None) for name, one in asked.items()}
    return {name: one for name, one in found.items() if isinstance(one, Breaker)}


def _told(name: str, breaker: Breaker) -> BreakerState:
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
    """How often each cache knew what it was asked for, and how often not."""
    embedder, rankings = memory.core.embedder, memory.core.rankings
    vectors = (embedder.hits, embedder.misses) if isinstance(embedder, CachingEmbedder) else (0, 0)
    return {"vector": vectors, "ranking": (rankings.hits, rankings.misses)}


def hit_rate(memory: Memory) -> float | None:
    """The share of what caches were asked for that they knew, None if they were not asked."""
    hits, misses = map(sum, zip(*caches_of(memory).values(), strict=True))
    return hits / (hits + misses) if hits + misses else None


def away_of(memory: Memory) -> str:
    """Why the cache that processes share is away, if it is."""
    embedder = memory.core.embedder
    shared = embedder.shared if isinstance(embedder, CachingEmbedder) else None
    return memory.core.rankings.away or ("" if shared is None else shared.away)


def _folder(url: str | Path | None) -> Path | None:
    """The folder of a memory that is a file."""
    text = str(url or "")
    if text.removeprefix("sqlite:///") == ":memory:" or ("://" in text and not text.startswith("sqlite:")):
        return None
    return sqlite_path(url)[0].absolute().parent
