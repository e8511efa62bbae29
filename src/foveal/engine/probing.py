"""How the parts of a memory are: each is asked, none for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta

from foveal.engine.runtime.runtime import Core
from foveal.errors import FovealError
from foveal.model.query import Viewpoint
from foveal.model.server import Component, State
from foveal.ports.system import Bus
from foveal.rules.health import index_health, scheduler_health, store_health, vectors_health

# No part is waited for longer.
PATIENCE = timedelta(seconds=1)

Probe = Callable[[], Component]


class Rounds:
    """Asks parts how they are. One that did not answer is not asked again until it does."""

    def __init__(self) -> None:
        self._stuck: dict[str, threading.Thread] = {}

    def ask(self, name: str, probe: Probe, patience: timedelta | None = None) -> Component:
        """What the probe says; down if it fails or takes too long."""
        seconds = (patience or PATIENCE).total_seconds()
        waiting = self._stuck.get(name)
        if waiting is not None and waiting.is_alive():
            return _down(name, "still does not answer")
        found: list[Component] = []
        thread = threading.Thread(
            target=lambda: found.append(_asked(name, probe)), name=f"probe-{name}", daemon=True
        )
        thread.start()
        thread.join(seconds)
        if found:
            self._stuck.pop(name, None)
            return found[0]
        self._stuck[name] = thread
        return _down(name, f"did not answer within {seconds:g} s")


def _asked(name: str, probe: Probe) -> Component:
    try:
        return probe()
    except FovealError as error:
        return _down(name, f"{error.message} ({error.code})")
    except OSError as error:
        return _down(name, f"{error.strerror or type(error).__name__}")


def _down(name: str, reason: str) -> Component:
    return Component(name=name, state=State.DOWN, reason=reason)


def probe_store(core: Core) -> Component:
    """A round trip to the store."""
    start = time.perf_counter()
    core.store.ran_at("migration")
    return store_health(timedelta(seconds=time.perf_counter() - start))


def probe_index(core: Core) -> Component:
    """How many records wait for vectors."""
    return index_health(core.store.count_unencoded(core.encoder))


def probe_vectors(core: Core) -> Component:
    """Whether the index of vectors answers, and how many records wait for it."""
    if not core.follower.has_index:
        return vectors_health(None)
    places = (Viewpoint(world=world, actor_id=actor) for world, actor in core.store.organisms())
    return vectors_health(sum(core.follower.waiting(place, core.encoder) for place in places))


def probe_scheduler(core: Core, mode: str, hours: float) -> Component:
    """When the scheduler ran."""
    return scheduler_health(mode, core.store.ran_at("migration"), hours, core.clock.now())


def probe_bus(bus: Bus) -> Component:
    """Who listens, whether anyone was too slow, and whether other processes hear."""
    traffic = bus.traffic()
    lost = f", {traffic.dropped} lost by slow ones" if traffic.dropped else ""
    return Component(
        name="bus",
        state=State.DEGRADED if traffic.away else State.OK,
        reason=(f"stays in this process: {traffic.away}" if traffic.away else "carries") + lost,
        figure=traffic.subscribers,
        unit="subscribers",
    )
