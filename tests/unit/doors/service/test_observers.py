"""Every call of every door passes by those who watch."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from foveal import Memory
from foveal.doors.service import ANYONE, Caller, Service, ServiceCall
from foveal.errors import Forbidden, Invalid


class Log:
    """What was asked, and how it ended."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str, str]] = []

    @contextmanager
    def __call__(self, asked: ServiceCall) -> Generator[None]:
        end = "ok"
        try:
            yield
        except Exception as error:
            end = type(error).__name__
            raise
        finally:
            self.lines.append((asked.door, asked.verb, asked.request_id, end))


def test_a_watch_sees_each_call_with_its_door_and_request_and_how_it_ended() -> None:
    log = Log()
    with Memory(":memory:") as memory:
        service = Service(memory, watches=[log])
        service.answer("write", {"text": "tea", "actor_id": "ada"}, ANYONE, door="http", request_id="r1")
        with pytest.raises(Invalid):
            service.answer("write", {"actor_id": "ada"}, ANYONE, door="grpc", request_id="r2")
        with pytest.raises(Forbidden):
            service.answer(
                "read", {"query": "tea"}, Caller(name="k", verbs=("write",)), door="mcp", request_id="r3"
            )
    assert log.lines == [
        ("http", "write", "r1", "ok"),
        ("grpc", "write", "r2", "Invalid"),
        ("mcp", "read", "r3", "Forbidden"),
    ]


def test_a_call_that_brings_no_request_id_gets_one_of_its_own() -> None:
    log = Log()
    with Memory(":memory:") as memory:
        service = Service(memory, watches=[log])
        for _ in range(2):
            service.answer("stats", {"actor_id": "ada"}, ANYONE)
    assert len({line[2] for line in log.lines}) == 2
    assert log.lines[0][0] == "python"
