"""Writes wait on the disk while the server is away, and are sent once, in order, when it is back."""

import os
import signal
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from foveal import Memory
from foveal.config import Settings
from foveal.doors.client.memory import RemoteMemory
from foveal.doors.client.outbox import Outbox
from foveal.errors import Invalid, StorageFull, StoreUnavailable
from foveal.testing import ManualClock

from .conftest import Connect, Line


@pytest.fixture
def ada(connected: Connect, tmp_path: Path) -> RemoteMemory:
    return connected(outbox=tmp_path / "outbox.db").view(actor_id="ada")


def _texts(memory: Memory) -> list[str]:
    return [one.text for one in memory.timeline(actor_id="ada", newest_first=False)]


def test_writes_wait_and_are_sent_once_in_order(
    ada: RemoteMemory, line: Line, served: Memory, clock: ManualClock
) -> None:
    ada.write("one")
    line.cut = True
    queued = [ada.write(text) for text in ("two", "three")]
    many = ada.write_many(["four", {"text": "five", "tags": ["x"]}, {"text": ""}])
    assert all(one.queued == one.ids and one.addresses == () for one in queued)
    assert len(many.queued) == 2 and [one.index for one in many.rejected] == [2]
    assert _texts(served) == ["one"]
    said_at = clock.now()
    clock.turn(timedelta(hours=2))
    line.cut = False
    assert ada.search("three")
    assert _texts(served) == ["one", "two", "three", "four", "five"]
    assert served.get(queued[0].id, actor_id="ada").occurred_at == said_at
    assert served.get(many.queued[1], actor_id="ada").tags == ("x",)
    assert ada.write("six").queued == ()
    assert served.stats(actor_id="ada").records == 6


def test_a_write_that_was_taken_but_not_answered_is_not_stored_twice(
    ada: RemoteMemory, line: Line, served: Memory
) -> None:
    line.lost = 3
    written = ada.write("only once")
    assert written.queued == written.ids
    assert ada.get(written.id).text == "only once"
    assert served.stats(actor_id="ada").records == 1


def test_a_later_write_does_not_overtake(ada: RemoteMemory, line: Line, served: Memory, clock: ManualClock) -> None:
    line.cut = True
    for text in ("one", "two", "three"):
        assert ada.write(text).queued
    line.cut = False
    # The circuit is open still: nothing is tried.
    assert ada.write("four").queued
    clock.turn(timedelta(seconds=60))
    ada.write("five")
    assert [one.text for one in served.browse.page(actor_id="ada", newest_first=False).records] == [
        *("one", "two", "three", "four", "five")
    ]


def test_what_is_wrong_is_said_at_once(ada: RemoteMemory, line: Line) -> None:
    line.cut = True
    with pytest.raises(Invalid, match="importance"):
        ada.write("x", importance=7)
    with pytest.raises(StoreUnavailable):
        ada.pin("x")


def test_what_the_server_will_not_take_is_kept_apart_and_holds_nobody_up(
    ada: RemoteMemory, line: Line, served: Memory
) -> None:
    line.cut = True
    ada.write("belongs nowhere", parent_id="no such record")
    ada.write("fine")
    line.cut = False
    ada.connection.breaker.reset()
    assert ada.stats().records == 1
    [refused] = ada.refused_writes()
    assert (refused.code, refused.arguments["text"]) == ("not_found", "belongs nowhere")
    assert _texts(served) == ["fine"]


def test_a_server_that_is_busy_is_waited_for(ada: RemoteMemory, line: Line, served: Memory) -> None:
    line.cut = True
    ada.write("patient")
    line.cut = False
    line.instead = lambda request: httpx2.Response(429, headers={"Retry-After": "3600"})
    assert ada.write("more").queued
    line.instead = None
    ada.stats()
    assert _texts(served) == ["patient", "more"]


def test_it_is_bounded_and_for_its_owner_only(connected: Connect, line: Line, tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "deep" / "outbox.db", most=2)
    now = ManualClock().now()
    outbox.add("a", "write", {}, now)
    outbox.add("b", "write", {}, now)
    with pytest.raises(StorageFull, match="2 writes wait"):
        outbox.add("c", "write", {}, now)
    assert stat.S_IMODE(outbox.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(outbox.path.parent.stat().st_mode) == 0o700


def test_it_is_off_unless_asked_for(connected: Connect, line: Line, tmp_path: Path) -> None:
    line.cut = True
    with pytest.raises(StoreUnavailable):
        connected().write("x", actor_id="ada")
    assert connected(settings=Settings(second_look="off", outbox=True)).write("x", actor_id="ada").queued
    assert list((tmp_path / "data" / "foveal" / "outbox").glob("*.db"))


KILLED = """
import os, signal, sys
from pathlib import Path
from foveal.doors.client.connect import connect
from foveal.doors.client.remote import HttpTransport as HttpRemote
url = "http://127.0.0.1:9"
carrier = HttpRemote(url, wait=lambda span: None)
memory = connect(url, carrier=carrier, ghost=False, outbox=Path(sys.argv[1])).view(actor_id="ada")
for number in range(5):
    print(memory.write(f"number {number}").id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_waits_survives_a_killed_client(
    connected: Connect, served: Memory, tmp_path: Path, line: Line
) -> None:
    path = tmp_path / "outbox.db"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path)], capture_output=True, text=True, env=dict(os.environ), check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    promised = done.stdout.split()
    assert len(promised) == 5
    assert connected(outbox=path).view(actor_id="ada").stats().records == 5
    found = served.browse.page(actor_id="ada", newest_first=False).records
    assert [one.id for one in found] == promised
    assert [one.text for one in found] == [f"number {number}" for number in range(5)]
