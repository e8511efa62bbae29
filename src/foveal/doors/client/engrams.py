"""States that are kept where the client is: engram writes one, manifest reads it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from foveal.doors.client.ghost import GhostCache, Place
from foveal.errors import NotFound, TooStale
from foveal.model.ghost import Engram, Ghost, Level, Manifest, Room
from foveal.ports.clock import Clock, SystemClock
from foveal.rules.checking import checked_name
from foveal.rules.staleness import BASE, level, threshold, told_age
from foveal.wire.plain import plain

ENGRAM = "engram"


class Engrams:
    """The engrams of one server, or of the memory in this process."""

    def __init__(self, cache: GhostCache, server: str, clock: Clock | None = None) -> None:
        self.cache = cache
        self._server = server
        self._clock = clock or SystemClock()

    def engram(self, name: str, state: Any, *, actor: str) -> Engram:
        """Keep a state under a name, in place of an older one."""
        ghost = Ghost(verb=ENGRAM, at=self._clock.now(), answer=plain(state), name=checked_name(name, "name"))
        path = self.cache.keep(self._place(name, actor), ghost)
        return Engram(name=name, path=str(path), at=ghost.at)

    def manifest(self, name: str, *, actor: str) -> Manifest:
        """The state that was kept under a name, with its age; `TooStale` when it is too old to show."""
        ghost = self.cache.find(self._place(name, actor))
        if ghost is None:
            raise NotFound(f"there is no engram {name!r} here: keep one with engram(name, state)", name=name)
        age, trust = aged(ghost, self._clock, BASE[Room.AGENTS], self.cache.stability(self._server))
        if trust is Level.REFUSE:
            raise TooStale(
                f"the engram {name!r} is {told_age(age)} old: too old to show", age_seconds=age.total_seconds()
            )
        return Manifest(name=name, state=ghost.answer, at=ghost.at, age=age, level=trust)

    def _place(self, name: str, actor: str) -> Place:
        # Apart from the answers: what was given to keep is not let go of with them.
        whose = f"{ENGRAM}\n{actor}"
        return Place(server=self._server, actor=whose, room=Room.AGENTS, question=f"{ENGRAM}\n{name}")


def aged(ghost: Ghost, clock: Clock, base: timedelta, stability: float) -> tuple[timedelta, Level]:
    """How old a ghost is, and how far it can be trusted."""
    age = max(timedelta(0), clock.now() - ghost.at)
    return age, level(age, threshold(base, stability))
