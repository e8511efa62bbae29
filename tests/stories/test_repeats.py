"""What is sent twice under one key is done once, whichever process it comes to, and after a restart."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.stories.processes import Process
from tests.stories.waiting import MOST

from foveal import Memory, Settings, connect
from foveal.doors.grpc import GrpcRemote
from foveal.doors.service import ANYONE, RequestKey, Service
from foveal.errors import Conflict, CutOff, Invalid, UnderWay
from foveal.testing import ManualClock
from foveal.testing.servers import free_port

ADA = {"actor_id": "ada"}
KEY = {"Idempotency-Key": "renewal-2026"}
GOAL = {**ADA, "description": "Renew the certificate"}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.server)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "memory.db") if request.param == "sqlite" else request.getfixturevalue("database")


def _sent(url: str, body: dict[str, Any] = GOAL) -> httpx2.Response:
    # A connection of its own each time, so that every process gets some.
    return httpx2.post(f"{url}/v1/goals", json=body, headers=KEY, timeout=MOST)


def test_two_workers_do_it_once(place: str) -> None:
    with Process(place, "--workers", "2") as server:
        with ThreadPoolExecutor(12) as pool:
            sent = [pool.submit(_sent, server.url) for _ in range(12)]
        answers = [one.result() for one in sent]
        done = [one for one in answers if one.status_code == 200]
        refused = [one for one in answers if one.status_code != 200]
        assert {one.json()["code"] for one in refused} <= {"under_way"}
        assert all(one.headers["retry-after"] == "1" for one in refused)
        assert len({one.json()["id"] for one in done}) == 1
        later = [_sent(server.url) for _ in range(8)]
        assert {one.headers.get("idempotency-replayed") for one in later} == {"true"}
        assert {one.content for one in later} == {done[0].content}
        assert len(httpx2.get(f"{server.url}/v1/goals", params=ADA, timeout=MOST).json()) == 1


def test_a_server_that_was_killed_and_started_again_knows_the_answer(place: str) -> None:
    with Process(place) as server:
        first = _sent(server.url)
    with Process(place) as server:
        again = _sent(server.url)
        assert (again.status_code, again.content) == (200, first.content)
        assert again.headers["etag"] == first.headers["etag"]
        other = _sent(server.url, {**GOAL, "priority": 1})
        assert (other.status_code, other.json()["code"]) == (422, "invalid")
        assert "take a new one" in other.json()["detail"]
        somebody = _sent(server.url, {**GOAL, "actor_id": "ben"})
        assert somebody.json()["id"] != first.json()["id"], "a key is one actor's own"
        assert len(httpx2.get(f"{server.url}/v1/goals", params=ADA, timeout=MOST).json()) == 1


def test_one_key_means_one_call_at_both_doors(tmp_path: Path) -> None:
    grpc = free_port()
    with Process(str(tmp_path / "memory.db"), "--grpc-port", str(grpc)) as server:
        first = _sent(server.url).json()["id"]
        with GrpcRemote(f"grpc://127.0.0.1:{grpc}") as remote:
            assert remote.call("ledger.store_goal", GOAL, key="renewal-2026").id == first
            with pytest.raises(Invalid):
                remote.call("ledger.store_goal", {**GOAL, "priority": 1}, key="renewal-2026")


def test_the_old_paths_take_a_key_too(tmp_path: Path) -> None:
    with Process(str(tmp_path / "memory.db")) as server:
        said = {**ADA, "text": "The boiler was serviced."}
        with server.client(headers=KEY) as client:
            ids = [client.post("/api/memory/write", json=said).json()["ids"] for _ in "12"]
            assert ids[0] == ids[1]
            assert client.get("/v1/stats", params=ADA).json()["records"] == 1
            gone = [client.delete(f"/v1/records/{ids[0][0]}", params=ADA) for _ in "12"]
            assert [one.json()["ids"] for one in gone] == [ids[0], ids[0]]


STUCK = """
import sys, threading
from foveal import Memory, Settings
from foveal.doors.service import ANYONE, RequestKey as Once, Service
from foveal.rules.addresses import generic_plane

class Stuck:
    id, dimension, plane = "stuck-1", 8, generic_plane(8)
    def embed(self, texts, *, asking=False):
        print("stuck", flush=True)
        threading.Event().wait()

memory = Memory(sys.argv[1], embedder=Stuck(), settings=Settings(second_look="off"))
said = {"items": ["one", "two"], "actor_id": "ada"}
Service(memory).answer("write_many", said, ANYONE, once=Once(key="k1"))
"""


@pytest.fixture
def cut_off(tmp_path: Path) -> Iterator[str]:
    """A memory whose process was killed in the middle of what came under the key k1."""
    file = str(tmp_path / "memory.db")
    with subprocess.Popen([sys.executable, "-c", STUCK, file], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "stuck\n"
        process.kill()
    yield file


def test_a_key_whose_first_run_died_says_so(cut_off: str) -> None:
    clock = ManualClock(datetime.now(UTC))
    said = {"items": ["one", "two"], **ADA}
    with Memory(cut_off, clock=clock, settings=Settings(second_look="off")) as memory:
        service = Service(memory)
        with pytest.raises(UnderWay):
            service.answer("write_many", said, ANYONE, once=RequestKey(key="k1"))
        clock.turn(timedelta(seconds=31))
        with pytest.raises(CutOff, match="look whether it was done"):
            service.answer("write_many", said, ANYONE, once=RequestKey(key="k1"))
        assert memory.stats(actor_id="ada").records == 0
        assert len(service.answer("write_many", said, ANYONE, once=RequestKey(key="k2")).ids) == 2
        clock.turn(timedelta(days=1))
        assert len(service.answer("write_many", said, ANYONE, once=RequestKey(key="k1")).ids) == 2


def test_an_answer_that_told_of_what_is_erased_is_not_given_again(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings=Settings(second_look="off")) as memory:
        service = Service(memory)
        tea = memory.write("Ada drinks tea.", actor_id="ada").id
        change = {"record_id": tea, "text": "Ada's secret drink is absinthe.", **ADA}
        for _ in "12":
            answer = service.answer("supersede", change, ANYONE, once=RequestKey(key="k1"))
            assert answer.version == 2
        service.answer("forget", {"target": tea, "hard": True, **ADA}, ANYONE, once=RequestKey(key="k2"))
        again = service.answer("forget", {"target": tea, "hard": True, **ADA}, ANYONE, once=RequestKey(key="k2"))
        assert again.ids == (tea,)
        with pytest.raises(Conflict, match="erased"):
            service.answer("supersede", change, ANYONE, once=RequestKey(key="k1"))
    assert b"absinthe" not in (tmp_path / "memory.db").read_bytes()


def test_the_client_waits_for_its_own_first_try(tmp_path: Path) -> None:
    with Process(str(tmp_path / "memory.db")) as server:
        with connect(server.url, ghost=False, settings=Settings(second_look="off")) as memory:
            first = memory.connection.call("ledger.store_goal", GOAL, key="k1")
            assert memory.connection.call("ledger.store_goal", GOAL, key="k1").id == first.id
