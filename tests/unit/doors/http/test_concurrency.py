"""How many verbs a process runs at once."""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from starlette.testclient import TestClient

from foveal import Memory
from foveal.doors.http import create_app
from foveal.doors.service import ANYONE, Service
from foveal.doors.service.service import ServiceCall
from foveal.model.server import Serving

MANY = 6


class Meeting:
    """Watches calls: each stays until another has come, and then for a while, so that more could."""

    def __init__(self) -> None:
        self._two_here = threading.Barrier(2)
        self._all_here = threading.Barrier(MANY)
        self._lock = threading.Lock()
        self._here = 0
        self.most = 0

    @contextmanager
    def __call__(self, _: ServiceCall) -> Generator[None]:
        with self._lock:
            self._here += 1
            self.most = max(self.most, self._here)
        self._two_here.wait(240)
        try:
            self._all_here.wait(0.3)
        except threading.BrokenBarrierError:
            pass
        yield
        with self._lock:
            self._here -= 1


def test_no_more_verbs_run_at_once_than_the_settings_allow(memory: Memory) -> None:
    meeting = Meeting()
    serving = Serving(hosts=("testserver",), threads=2)
    app = create_app(Service(memory, watches=[meeting]), authenticate=lambda _: ANYONE, serving=serving)
    with TestClient(app) as http, ThreadPoolExecutor(MANY) as pool:
        asked = [pool.submit(http.post, "/v1/read", json={"actor_id": "ada", "query": "tea"}) for _ in range(MANY)]
        assert [one.result().status_code for one in asked] == [200] * MANY
    assert meeting.most == 2
