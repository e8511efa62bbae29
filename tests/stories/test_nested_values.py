"""What is nested too deeply is refused at every door, and what was stored before there was a limit is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from foveal import Memory
from foveal.doors.grpc import GrpcRemote, GrpcServer
from foveal.doors.http import create_app
from foveal.doors.mcp.resources import content
from foveal.doors.mcp.tools import uri_of
from foveal.doors.service import ANYONE, Service
from foveal.engine.memory import View
from foveal.errors import FovealError, TooLarge
from foveal.model.server import Serving
from foveal.rules import validation
from foveal.rules.validation import MAX_DEPTH, MAX_KEYS
from foveal.wire.codec import to_json
from foveal.wire.problems import raised

Call = Callable[[str, dict[str, Any]], Any]


def _nested(levels: int) -> dict[str, Any]:
    value: Any = {"word": "deep"}
    for level in reversed(range(levels - 1)):
        value = [value] if level % 2 else {"in": value}
    return value


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture(params=["http", "grpc", "service"])
def call(request: pytest.FixtureRequest, memory: Memory) -> Iterator[Call]:
    """A verb at a door, with the error that it raises."""
    service = Service(memory)
    if request.param == "service":
        yield lambda verb, said: service.answer(verb, said, ANYONE)
    elif request.param == "grpc":
        with GrpcServer(service, port=0) as server, GrpcRemote(server.address) as remote:
            yield remote.call
    else:
        app = create_app(service, authenticate=lambda _: ANYONE, serving=Serving(hosts=("testserver",)))
        with TestClient(app, raise_server_exceptions=False) as client:
            yield lambda verb, said: _posted(client, verb, said)


def _posted(client: TestClient, verb: str, said: dict[str, Any]) -> Any:
    paths = {"write": "/v1/records", "get_many": "/v1/records:get", "read": "/v1/read", "search": "/v1/search"}
    answer = client.post(paths.get(verb, f"/v1/{verb}"), json=said)
    if not answer.is_success:
        raise raised(answer.json())
    return answer.text


def _shown(answer: Any) -> str:
    return json.dumps(to_json(answer))


PLACES: list[tuple[str, dict[str, Any]]] = [
    ("write", {"text": "tea", "metadata": ...}),
    ("search", {"query": "tea", "filters": ...}),
]


@pytest.mark.parametrize(("verb", "said"), PLACES, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("levels", [MAX_DEPTH + 2, 90])
def test_a_value_over_the_limit_is_refused_at_every_door(
    call: Call, verb: str, said: dict[str, Any], levels: int
) -> None:
    given = {name: _nested(levels) if value is ... else value for name, value in said.items()}
    with pytest.raises(TooLarge, match="nested more than 24 levels"):
        call(verb, {"actor_id": "ada", **given})


def test_a_value_at_the_limit_passes_every_door(call: Call, memory: Memory) -> None:
    call("write", {"actor_id": "ada", "text": "Ada likes tea.", "metadata": _nested(MAX_DEPTH)})
    [record] = memory.timeline(actor_id="ada")
    assert record.metadata == _nested(MAX_DEPTH)
    assert "deep" in _shown(call("get_many", {"actor_id": "ada", "record_ids": [record.id]}))


WRITERS: dict[str, Callable[[View, Any], object]] = {
    "write": lambda ada, value: ada.write("tea", metadata=value),
    "create_session": lambda ada, value: ada.sessions.start(metadata=value),
    "store_goal": lambda ada, value: ada.ledger.store_goal("tea", metadata=value),
    "store_task": lambda ada, value: ada.ledger.store_task("g", "tea", given=value),
    "store_tool_call": lambda ada, value: ada.ledger.store_tool_call("t", "tea", output=value),
    "store_agent_state": lambda ada, value: ada.ledger.store_agent_state("planner", value),
    "push_event": lambda ada, value: ada.operational.push_event("tea", value),
    "store_procedure": lambda ada, value: ada.longterm.store_procedure("tea", "make it", steps=[value]),
    "crystallize": lambda ada, value: ada.crystals.crystallize([], working_memory=value),
    "engram": lambda ada, value: ada.engram("plan", value),
    "write_entry": lambda ada, value: ada.nodes.write_entry("plan", value),
}


@pytest.mark.parametrize("name", WRITERS)
def test_depth_and_keys_are_bounded_wherever_a_value_is_stored(memory: Memory, name: str) -> None:
    ada = memory.view(actor_id="ada")
    for levels in (MAX_DEPTH + 1, 400, 5_000):
        with pytest.raises(TooLarge, match="levels deep"):
            WRITERS[name](ada, _nested(levels))
    with pytest.raises(TooLarge, match="keys|characters"):
        WRITERS[name](ada, dict.fromkeys(map(str, range(MAX_KEYS + 1)), 0))


def test_a_batch_rejects_only_the_item_that_is_too_deep(memory: Memory) -> None:
    items = ["Ada likes tea.", {"text": "Ada likes ships.", "metadata": _nested(400)}]
    written = memory.write_many(items, actor_id="ada")
    assert (len(written.ids), [item.code for item in written.rejected]) == (1, ["too_large"])


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 400, 700])
def test_what_was_stored_more_deeply_is_shown(
    call: Call, memory: Memory, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(validation, "MAX_DEPTH", 10_000)
        record_id = memory.write("Ada likes tea.", metadata=_nested(levels), actor_id="ada").id
    at = {"actor_id": "ada"}
    for answer in (
        call("get_many", {**at, "record_ids": [record_id]}),
        call("search", {**at, "query": "tea"}),
        call("read", {**at, "query": "tea"}),
    ):
        assert "Ada likes tea." in _shown(answer)
    uri = uri_of(memory.get(record_id, actor_id="ada"))
    assert "Ada likes tea." in str(content(lambda verb, said: memory.get(**at, **said), uri))


def test_a_nested_body_is_no_error_of_the_server(call: Call) -> None:
    with pytest.raises(FovealError) as caught:
        call("write", {"actor_id": "ada", "text": "tea", "metadata": {"a": [[[[]]]] * 3}, "nothing": _nested(60)})
    assert caught.value.code in ("invalid", "too_large")
