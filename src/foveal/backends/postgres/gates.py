"""Makes writers of one organism wait for each other without a connection."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from foveal.errors import StoreUnavailable
from foveal.ports.waiting import acquired

# So many calls of one process may wait to write to one organism, and to all of them.
MOST_WAITING, MOST_WAITING_IN_ALL = 16, 128


@dataclass
class _Gate:
    lock: threading.Lock = field(default_factory=threading.Lock)
    inside: int = 0


class Gates:
    """A gate for each organism that is being written to, through which one thread of this process passes at a time.

    Only that thread takes a connection and waits for the lock in the database, which another process may hold. The
    others would take all connections of the pool, and calls for other organisms would wait for them.
    """

    def __init__(self, where: str, wait: float) -> None:
        self._where, self._wait = where, wait
        self._gates: dict[tuple[str, str], _Gate] = {}
        self._lock = threading.Lock()
        self._inside = 0

    @contextmanager
    def passing(self, organism: tuple[str, str], *, wait: bool = True) -> Generator[None, None, None]:
        """Wait until no other thread writes to an organism.

        `StoreUnavailable` if it takes too long, if the caller goes away meanwhile, or if too many calls wait.
        """
        gate = self._entered(organism)
        try:
            if not acquired(gate.lock, self._wait if wait else 0.0):
                raise StoreUnavailable(
                    f"{self._where}: others wrote to the memory of {organism[1]} for {self._wait:g} s: try again"
                )
            try:
                yield
            finally:
                gate.lock.release()
        finally:
            self._left(organism, gate)

    def _entered(self, organism: tuple[str, str]) -> _Gate:
        with self._lock:
            gate = self._gates.get(organism) or _Gate()
            # One of those inside an organism writes; the others wait.
            waiting = self._inside - len(self._gates)
            if gate.inside > MOST_WAITING:
                raise StoreUnavailable(
                    f"{self._where}: {MOST_WAITING} calls wait to write to the memory of {organism[1]}: try again",
                    retry_after=1,
                )
            if gate.inside and waiting >= MOST_WAITING_IN_ALL:
                raise StoreUnavailable(f"{self._where}: {waiting} calls wait to write: try again", retry_after=1)
            self._gates[organism] = gate
            gate.inside += 1
            self._inside += 1
            return gate

    def _left(self, organism: tuple[str, str], gate: _Gate) -> None:
        with self._lock:
            self._inside -= 1
            gate.inside -= 1
            if not gate.inside:
                del self._gates[organism]
