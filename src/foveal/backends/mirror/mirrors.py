"""The mirrors of the organisms that were looked at lately."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from foveal.backends.mirror.mirror import Mirror

_ROOM = 1 << 30
_LOOKS = 32

Generation = tuple[int, int]


class Mirrors:
    """The organisms that were looked at lately, in memory, at most about `room` bytes of them."""

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._looks = 0
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, tuple[Generation, Mirror, threading.Lock]] = OrderedDict()

    def of(self, organism: Hashable, generation: Generation, dimension: int) -> tuple[Mirror, threading.Lock]:
        """The mirror of an organism, empty if it was not looked at lately, and the lock that guards it."""
        with self._lock:
            known = self._known.get(organism)
            self._looks += 1
            if known is None or known[0] != generation:
                known = self._known[organism] = (
                    generation,
                    Mirror(dimension, _named(generation)),
                    threading.Lock(),
                )
            self._known.move_to_end(organism)
            # Adding up all of them is work that grows with the actors: now and then is enough.
            if self._looks % _LOOKS == 0:
                used = sum(one[1].bytes for one in self._known.values())
                while len(self._known) > 1 and used > self._room:
                    used -= self._known.popitem(last=False)[1][1].bytes
            return known[1], known[2]

    def size(self, organism: Hashable) -> int | None:
        """How many records the mirror of an organism has, None if there is no mirror."""
        with self._lock:
            known = self._known.get(organism)
            return None if known is None else len(known[1])

    def drop(self, organism: Hashable) -> None:
        """Let a mirror go; the next look builds it anew."""
        with self._lock:
            self._known.pop(organism, None)


def _named(generation: Generation) -> str:
    return f"{generation[0]}.{generation[1]}"
