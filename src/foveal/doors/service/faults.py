"""What goes wrong at the doors, told on the bus."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from foveal.compose import Memory
from foveal.doors.service.asked import Asked
from foveal.engine.runtime.notices import Teller
from foveal.model.query import Viewpoint


class Faults:
    """A watch that tells every error of a call, with its door and its request id."""

    def __init__(self, memory: Memory) -> None:
        self._teller = Teller(memory.bus, memory.core.clock)

    @contextmanager
    def __call__(self, asked: Asked) -> Generator[None]:
        """Watch one call."""
        try:
            yield
        except Exception as error:
            self._teller.fault(asked.door, error, viewpoint=_place(asked), request_id=asked.request_id)
            raise

    def refused(self, door: str, error: BaseException, request_id: str | None = None) -> None:
        """Tell what a door turned away before it became a call: no key, too large, not JSON."""
        self._teller.fault(door, error, request_id=request_id)


def _place(asked: Asked) -> Viewpoint | None:
    """Whose memory the call was let into; nobody's if it was not."""
    world, actor = asked.said.get("world", "default"), asked.said.get("actor_id")
    if not isinstance(world, str) or not isinstance(actor, str):
        return None
    return Viewpoint(world=world, actor_id=actor)
