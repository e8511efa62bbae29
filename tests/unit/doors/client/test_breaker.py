"""The client's circuit breaker, on a line that can be cut."""

import threading
from datetime import timedelta

import httpx2
import pytest

from foveal import MemoryClient
from foveal.errors import CircuitOpen, FovealError, NotFound, StoreUnavailable
from foveal.testing import ManualClock

from .conftest import Connect, Line


def test_three_failures_open_it_and_it_recovers_by_itself(
    connected: Connect, line: Line, clock: ManualClock
) -> None:
    memory = connected(ghost=False)
    client = MemoryClient(memory.view(actor_id="ada"))
    kept = client.add_memory("Ada drinks tea")["memory_id"]
    line.cut = True
    for count in (1, 2, 3):
        with pytest.raises(StoreUnavailable):
            client.get_memory(kept)
        assert client.get_circuit_breaker_status()["failure_count"] == count
    status = client.get_circuit_breaker_status()
    assert (status["state"], status["failure_threshold"], status["reset_timeout"]) == ("OPEN", 3, 60.0)
    assert status["last_failure_time"] == clock.now().isoformat()
    before = len(line.requests)
    clock.turn(timedelta(seconds=15))
    with pytest.raises(CircuitOpen, match="again in 45 s") as caught:
        client.get_memory(kept)
    assert caught.value.data["retry_after"] == 45.0
    assert len(line.requests) == before
    line.cut = False
    clock.turn(timedelta(seconds=45))
    assert client.get_circuit_breaker_status()["state"] == "HALF_OPEN"
    assert client.get_memory(kept)["memory"]["content"] == "Ada drinks tea"
    assert client.get_circuit_breaker_status()["state"] == "CLOSED"


@pytest.mark.parametrize("body", [b"Internal Server Error", b'{"code": "internal"}'])
def test_a_server_that_breaks_down_counts_and_one_that_refuses_does_not(
    connected: Connect, line: Line, body: bytes
) -> None:
    client = MemoryClient(connected(ghost=False).view(actor_id="ada"))
    line.instead = lambda request: httpx2.Response(404, content=b"who are you?")
    for _ in range(3):
        with pytest.raises(FovealError):
            client.get_memory("x")
    assert client.get_circuit_breaker_status()["failure_count"] == 0
    line.instead = lambda request: httpx2.Response(500, content=body)
    for _ in range(3):
        with pytest.raises(FovealError):
            client.get_memory("x")
    assert client.get_circuit_breaker_status()["state"] == "OPEN"


def test_a_server_that_was_away_hears_of_it_when_it_is_back(
    connected: Connect, line: Line, clock: ManualClock
) -> None:
    client = MemoryClient(connected(ghost=False).view(actor_id="ada"))
    kept = client.add_memory("Ada drinks tea")["memory_id"]
    line.cut = True
    with pytest.raises(StoreUnavailable):
        client.get_memory(kept)
    line.cut = False
    client.get_memory(kept)
    [told] = client.get_errors()["errors"]
    assert (told["error_type"], told["component"]) == ("store_unavailable", "client")


def test_three_failures_among_successes_do_not_open_it(connected: Connect, line: Line) -> None:
    """C4."""
    client = MemoryClient(connected(ghost=False).view(actor_id="ada"))
    kept = client.add_memory("Ada drinks tea")["memory_id"]
    for _ in range(4):
        for _ in range(2):
            line.cut = True
            with pytest.raises(StoreUnavailable):
                client.get_memory(kept)
        line.cut = False
        assert client.get_memory(kept)["status"] == "success"
    assert client.get_circuit_breaker_status()["state"] == "CLOSED"


def test_half_open_admits_one_trial(connected: Connect, line: Line, clock: ManualClock) -> None:
    """C5: of many calls at once, one is tried; the others are told to wait."""
    memory = connected(ghost=False).view(actor_id="ada")
    line.cut = True
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            memory.stats()
    line.cut = False
    clock.turn(timedelta(seconds=60))
    asked, go_on, outcomes = threading.Event(), threading.Event(), list[str]()

    def hold(request: httpx2.Request) -> None:
        asked.set()
        go_on.wait(240)

    def call() -> None:
        try:
            memory.stats()
            outcomes.append("answered")
        except CircuitOpen:
            outcomes.append("shut")

    line.instead = hold
    before = len(line.requests)
    trial = threading.Thread(target=call)
    trial.start()
    assert asked.wait(240)
    others = [threading.Thread(target=call) for _ in range(8)]
    for one in others:
        one.start()
    for one in others:
        one.join()
    assert outcomes == ["shut"] * 8
    go_on.set()
    trial.join()
    assert outcomes[-1] == "answered"
    assert len(line.requests) == before + 1
    assert memory.stats().records == 0


def test_what_the_server_refuses_is_no_failure(connected: Connect) -> None:
    client = MemoryClient(connected().view(actor_id="ada"))
    for _ in range(5):
        with pytest.raises(NotFound):
            client.get_memory("nowhere")
    assert client.get_circuit_breaker_status()["failure_count"] == 0


def test_it_is_closed_by_hand(connected: Connect, line: Line) -> None:
    client = MemoryClient(connected(ghost=False).view(actor_id="ada"))
    line.cut = True
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            client.get_memory("x")
    line.cut = False
    assert client.reset_circuit_breaker()["state"] == "CLOSED"
    assert client.add_memory("back again")["status"] == "success"


def test_in_one_process_it_is_always_closed() -> None:
    client = MemoryClient(":memory:")
    assert client.reset_circuit_breaker() == client.get_circuit_breaker_status()
    assert client.get_circuit_breaker_status()["state"] == "CLOSED"
