"""How many streams may be open at once: in all, for one key, and about one actor."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from foveal.doors.service.service import Caller
from foveal.errors import RateLimited


class StreamSlots:
    """The places for open streams: `most` in this process, and `each` for one key and about one actor.

    Callers without a key have no limit of their own.
    """

    def __init__(self, most: int, *, each: int) -> None:
        self._most = most
        self._each = each
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: Caller, actor: str | None = None) -> Generator[None]:
        """Hold a place, or raise `RateLimited`. A caller of a single actor need not name it."""
        if actor is None and caller.actors is not None and len(caller.actors) == 1:
            actor = caller.actors[0]
        limits = {"of this server": self._most}
        if caller.subject:
            limits[f"of the key {caller.subject}"] = self._each
        if actor is not None:
            limits[f"about the actor {actor!r}"] = self._each
        self._take(limits)
        try:
            yield
        finally:
            with self._lock:
                self._open -= Counter(dict.fromkeys(limits, 1))

    def _take(self, limits: dict[str, int]) -> None:
        with self._lock:
            for whose, limit in limits.items():
                if self._open[whose] >= limit:
                    raise RateLimited(
                        f"{limit} streams {whose} are open already: close one, or try again later", limit=limit
                    )
            self._open += Counter(dict.fromkeys(limits, 1))
