"""The bus inside one process passes the exam of buses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foveal.backends.in_process import RingBus
from foveal.errors import RateLimited
from foveal.ports.system import Bus
from foveal.testing import BusContract, ManualClock
from foveal.testing.ports import AT, ROOM


class TestRingBus(BusContract):
    @pytest.fixture
    def open_bus(self) -> Callable[[], Bus]:
        return lambda: RingBus(room=ROOM, clock=ManualClock(AT))


def test_no_more_listen_than_there_is_room_for() -> None:
    bus = RingBus()
    listening = [bus.subscribe() for _ in range(256)]
    with pytest.raises(RateLimited):
        bus.subscribe()
    listening[0].close()
    bus.subscribe()
