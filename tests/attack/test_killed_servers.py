"""Servers that are killed with -9 under load lose nothing that they acknowledged, at any door."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta

import httpx2
import msgspec
import pytest
from tests.attack.conftest import Place
from tests.attack.effort import Effort
from tests.attack.victims import Victim, serve
from tests.stories.waiting import MOST, until

from foveal import Memory
from foveal.doors.grpc import GrpcRemote
from foveal.errors import FovealError
from foveal.model.server import Logging, Serving
from foveal.testing.servers import Valkey, free_port

WRITERS = 2
HTTP_ERRORS = (httpx2.HTTPError, OSError)


@dataclass
class Server:
    """A server in a process of its own, which can be killed and started again at the same ports."""

    place: Place
    port: int = field(default_factory=free_port)
    grpc_port: int = field(default_factory=free_port)

    @contextmanager
    def running(self) -> Generator[Victim]:
        """The process, which serves until it is killed."""
        serving = Serving(port=self.port, grpc_port=self.grpc_port, rate=0)
        settings = msgspec.structs.replace(self.place.settings, server=serving, logging=Logging(level="error"))
        with Victim(serve, self.place.url, settings) as victim:
            assert victim.next() == ("ready", None)
            until(self.lives, lambda: "the server did not start")
            yield victim

    def lives(self) -> bool:
        """Whether it says so."""
        with suppress(*HTTP_ERRORS):
            return httpx2.get(f"http://127.0.0.1:{self.port}/livez", timeout=MOST).status_code == 200
        return False


class Load:
    """Writers at the doors of a server, who note what was acknowledged and stop when the server is gone."""

    def __init__(self, server: Server, run: str) -> None:
        self.acknowledged: set[str] = set()
        self.errors: list[FovealError] = []
        self._server, self._run = server, run
        self._enough = threading.Event()
        self._wanted = 0
        doors = (self._over_http, self._over_grpc)
        self._threads = [
            threading.Thread(target=door, args=(f"{door.__name__}{number}",))
            for door in doors
            for number in range(WRITERS)
        ]

    def reach(self, wanted: int) -> None:
        """Begin, and wait for so many acknowledgements."""
        self._wanted = wanted
        for thread in self._threads:
            thread.start()
        assert self._enough.wait(MOST)

    def end(self) -> None:
        """Wait until every writer has noticed that the server is gone."""
        for thread in self._threads:
            thread.join()

    def _note(self, record_id: str) -> None:
        self.acknowledged.add(record_id)
        if len(self.acknowledged) >= self._wanted:
            self._enough.set()

    def _over_http(self, name: str) -> None:
        with httpx2.Client(base_url=f"http://127.0.0.1:{self._server.port}", timeout=MOST) as client:
            for number in range(100_000):
                said = {"actor_id": "ada", "text": f"Note {number} of {name} in {self._run}."}
                try:
                    answer = client.post("/v1/records", json=said)
                except HTTP_ERRORS:
                    return
                assert answer.status_code == 200, answer.text
                self._note(answer.json()["ids"][0])

    def _over_grpc(self, name: str) -> None:
        # A call that was on its way when the server died is not sent again.
        with GrpcRemote(f"grpc://127.0.0.1:{self._server.grpc_port}", timeout=timedelta(seconds=MOST)) as remote:
            for number in range(100_000):
                said = {"actor_id": "ada", "text": f"Note {number} of {name} in {self._run}."}
                try:
                    self._note(remote.call("write", said).ids[0])
                except FovealError as error:
                    self.errors.append(error)
                    return


def _examine(memory: Memory, acknowledged: set[str]) -> None:
    assert memory.admin.check() == []
    assert {record.id for record in memory.get_many(sorted(acknowledged), actor_id="ada")} == acknowledged


def test_a_server_killed_under_load_loses_nothing(place: Place, effort: Effort) -> None:
    server, acknowledged = Server(place), set[str]()
    for number in effort.times(2):
        load = Load(server, f"round {number}")
        with server.running() as victim:
            load.reach(effort.chance.randrange(5, 40))
            victim.kill()
            load.end()
        assert {error.code for error in load.errors} <= {"unavailable", "store_unavailable"}
        acknowledged |= load.acknowledged
        effort.count(f"kills on {place.store}")
        effort.count("acknowledged changes", len(load.acknowledged))
        with place.opened() as memory:
            _examine(memory, acknowledged)


@pytest.fixture
def shared(request: pytest.FixtureRequest, place: Place) -> Generator[Callable[[], Place]]:
    """The place with a Redis server of its own, which is killed and comes back empty."""
    with Valkey() as own:

        def crash() -> Place:
            own.kill()
            own.start()
            return changed

        settings = msgspec.structs.replace(place.settings, redis=own.url, redis_prefix="attack")
        changed = Place(place.store, place.url, settings, place.folder)
        yield crash


def test_one_of_two_servers_is_killed_and_redis_too_and_the_other_knows_everything(
    shared: Callable[[], Place], effort: Effort
) -> None:
    place = shared()
    doomed, other, acknowledged = Server(place), Server(place), set[str]()
    with other.running() as survivor:
        for number in effort.times(1):
            load = Load(doomed, f"round {number}")
            with doomed.running() as victim:
                load.reach(effort.chance.randrange(5, 30))
                shared()
                victim.kill()
                load.end()
            acknowledged |= load.acknowledged
            effort.count(f"kills on {place.store}")
            effort.count("kills of redis")
            effort.count("acknowledged changes", len(load.acknowledged))
            said = {"actor_id": "ada", "record_ids": sorted(acknowledged)}
            answer = httpx2.post(f"http://127.0.0.1:{other.port}/v1/records:get", json=said, timeout=MOST)
            assert {record["id"] for record in answer.json()} == acknowledged
        assert survivor.ended is None and other.lives()
