"""States that are kept where the client is: engram writes one, manifest reads it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Unpack, cast

from foveal.doors.client.ghost import GhostCache, Place
from foveal.engine import paths
from foveal.engine.memory import View
from foveal.errors import NotFound, TooStale
from foveal.model.query import At
from foveal.model.server import Engram, Ghost, Level, Manifest, Room
from foveal.ports.system import Clock, SystemClock
from foveal.rules.staleness import BASE, level, threshold, told_age
from foveal.rules.validation import checked_name
from foveal.wire.codec import plain

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


class Kept:
    """The engrams of one actor, for paths."""

    def __init__(self, engrams: Engrams, actor: str) -> None:
        self._engrams = engrams
        self._actor = actor

    def view(self, **at: Unpack[At]) -> Kept:
        """Those of another actor, if one is named."""
        return Kept(self._engrams, at.get("actor_id", self._actor))

    def engram(self, name: str, state: Any) -> Engram:
        """Keep a state under a name."""
        return self._engrams.engram(name, state, actor=self._actor)

    def manifest(self, name: str) -> Manifest:
        """The state that was kept under a name."""
        return self._engrams.manifest(name, actor=self._actor)

    def invoke(self, path: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Do what one of the paths here names."""
        return paths.invoke(cast(View, self), path, arguments, PATHS)


def _engram(memory: Kept, *, name: str, state: Any) -> dict[str, Any]:
    """Keep a state where the client is, under a name."""
    return plain(memory.engram(name, state))


def _manifest(memory: Kept, *, name: str) -> dict[str, Any]:
    """Give the state that an engram kept, with its age; one that is too old is refused."""
    return plain(memory.manifest(name))


# What is done where the client is.
PATHS: paths.Paths = {"self.memory.engram": _engram, "self.memory.manifest": _manifest}


def aged(ghost: Ghost, clock: Clock, base: timedelta, stability: float) -> tuple[timedelta, Level]:
    """How old a ghost is, and how far it can be trusted."""
    age = max(timedelta(0), clock.now() - ghost.at)
    return age, level(age, threshold(base, stability))
