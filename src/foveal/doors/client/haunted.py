"""A remote that answers from its ghosts while the server is away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import msgspec

from foveal.compose import open_counter
from foveal.doors.client.engrams import aged
from foveal.doors.client.ghost import GhostCache, Place
from foveal.doors.client.labels import labelled
from foveal.doors.client.remote import Remote, away
from foveal.errors import CircuitOpen, Forbidden, FovealError, Invalid, NotFound, TooStale, Unauthenticated
from foveal.model.server import Ghost, Level, Room
from foveal.ports.system import Clock, SystemClock
from foveal.rules.staleness import BASE, told_age
from foveal.wire.calls import call_of
from foveal.wire.codec import plain

ROOMS = {
    **dict.fromkeys(
        ("stats", "get_stats", "outline", "nodes", "regions", "paths", "operational.get_system_snapshot"),
        Room.STATUS,
    ),
    **dict.fromkeys(("ledger.get_agent_state", "ledger.get_agent_states"), Room.AGENTS),
    **{name: Room.CRYSTALS for name in ("crystals.get", "crystals.lineages", "crystals.lineage", "crystals.diff")},
}
# Files, what works on the question alone, and what is only true of the live store are not kept.
NOT_KEPT = frozenset({"export", "check", "tape.encode", "tape.decode"}) | {
    f"crystals.{name}" for name in ("window", "add", "messages", "pulse", "merge_windows")
}
ERASING = frozenset({"forget", "undo", "restore", "crystals.compost", "crystals.reap"})
ERASING_PATHS = frozenset({"self.memory.forget", "self.memory.compost", "void.entropy.pour"})

OnGhost = Callable[[str, timedelta, Level], None]


class Haunted:
    """Keeps what a remote answers, and shows it when the server is away: as new, with its age, or no longer.

    `on_ghost` is told of every answer that is a ghost: the verb, its age, and its level.
    """

    def __init__(
        self,
        remote: Remote,
        cache: GhostCache,
        *,
        server: str,
        clock: Clock | None = None,
        base: Mapping[Room, timedelta] = BASE,
        on_ghost: OnGhost | None = None,
    ) -> None:
        self._remote = remote
        self.cache = cache
        self._clock = clock or SystemClock()
        self._base = base
        self._on_ghost = on_ghost
        self.server = server
        self._thread = threading.local()

    @property
    def last(self) -> tuple[timedelta, Level] | None:
        """The age and the level of the last answer of this thread; None if it was live."""
        return getattr(self._thread, "last", None)

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of the remote, or the last one to the same question."""
        self._thread.last = None
        if name in ERASING or (name == "invoke" and arguments.get("path") in ERASING_PATHS):
            return self._erasing(name, arguments, key)
        if not call_of(name).verb.safe or name in NOT_KEPT:
            return self._remote.call(name, arguments, key=key)
        place = self._place(name, arguments)
        try:
            answer = self._remote.call(name, arguments)
        except FovealError as error:
            if away(error):
                return self._ghost(name, place, error)
            self.cache.note(self.server, True)
            if isinstance(error, NotFound | Forbidden | Unauthenticated):
                self.cache.drop(place)
            raise
        self.cache.note(self.server, True)
        self.cache.keep(place, Ghost(verb=name, at=self._clock.now(), answer=plain(answer)))
        return answer

    def close(self) -> None:
        """Write down what is only known here, and let go of what the remote holds."""
        self.cache.flush()
        self._remote.close()

    def _erasing(self, name: str, arguments: Mapping[str, Any], key: str | None) -> Any:
        """What is to be gone must not come back from here, whether or not the server hears of it now.

        Again when it is done, because of what was asked meanwhile.
        """
        self._forget(arguments)
        try:
            return self._remote.call(name, arguments, key=key)
        finally:
            self._forget(arguments)

    def _forget(self, arguments: Mapping[str, Any]) -> None:
        # A key for one actor need not name it.
        for actor in {_actor(arguments), ""}:
            self.cache.forget(self.server, actor)

    def _ghost(self, name: str, place: Place, error: FovealError) -> Any:
        if not isinstance(error, CircuitOpen):
            self.cache.note(self.server, False)
        ghost = self.cache.find(place)
        if ghost is None:
            raise error
        age, trust = aged(ghost, self._clock, self._base[place.room], self.cache.stability(self.server))
        if trust is Level.REFUSE:
            raise TooStale(
                f"the server is away, and its last answer is {told_age(age)} old: too old to show",
                age_seconds=age.total_seconds(),
            ) from error
        try:
            answer = call_of(name).understood(ghost.answer)
        except Invalid:
            # It was kept by another version, which spoke otherwise.
            raise error from None
        self._thread.last = age, trust
        if self._on_ghost is not None:
            self._on_ghost(name, age, trust)
        return labelled(answer, age, trust, lambda one: open_counter(one).count)

    def _place(self, name: str, arguments: Mapping[str, Any]) -> Place:
        question = msgspec.json.encode([name, dict(arguments)], order="deterministic").decode()
        room = ROOMS.get(name, Room.READS)
        return Place(server=self.server, actor=_actor(arguments), room=room, question=question)


def _actor(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("actor_id") or "")
