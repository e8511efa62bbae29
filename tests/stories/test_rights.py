"""Every verb at every door, called with every set of rights: who may not read gets no stored text, and who may not
write changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from starlette.testclient import TestClient
from tests.support.every_verb import (
    SECRET,
    Arguments,
    Known,
    all_calls,
    everything,
    grown,
    path_arguments,
    tool_calls,
)

from foveal import Memory, Settings
from foveal.doors.grpc import GrpcRemote, GrpcServer
from foveal.doors.http import create_app
from foveal.doors.mcp import mcp_server
from foveal.doors.mcp.tools import TOOLS, Principal, uri_of
from foveal.doors.service import Caller, Service
from foveal.doors.service.auth import Keys
from foveal.engine.paths import CALLS, PATHS
from foveal.errors import Forbidden, FovealError, Invalid
from foveal.model.server import Right, Serving
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json
from foveal.wire.routes import requested
from foveal.wire.verbs import VERBS

# Nothing moves by itself.
CALM = Settings(metabolism="off")
RIGHTS = [*chain.from_iterable(combinations(Right, size) for size in (1, 2, 3))]
Say = Callable[[str, Arguments], str]
# The paths that only show something.
READING = ("self.memory.recall", "self.memory.manifest")


@contextmanager
def _http(service: Service, caller: Caller) -> Generator[Say]:
    serving = Serving(hosts=("testserver",))
    app = create_app(service, authenticate=lambda _: caller, serving=serving, keys=Keys(service.memory.keys))
    with TestClient(app, raise_server_exceptions=False) as client:

        def say(verb: str, said: Arguments) -> str:
            if verb == "export":
                return client.get("/v1/export", params=said).text
            if verb == "import_":
                return client.post(
                    "/v1/import", params=said, content=b'{"format":"foveal-memory","version":1}'
                ).text
            request = requested(call_of(verb), said)
            answer = client.request(request.method, request.path, params=request.query, json=request.body)
            assert answer.status_code < 500, answer.text
            others = [client.request(*args, **options) for args, options in _beside(verb, said)]
            assert all(other.status_code < 500 for other in others)
            return "".join(one.text for one in (answer, *others))

        yield say


def _beside(verb: str, said: Arguments) -> list[tuple[tuple[str, str], dict[str, Any]]]:
    """The other paths of a verb, which the first clients use."""
    match verb:
        case "write" | "read":
            paths = [("POST", f"{folder}/{verb}") for folder in ("/api/memory", "/memory")]
            chat = {"actor_id": "ada", "message": "What is the word?"}
            return [*((path, {"json": said}) for path in paths), (("POST", "/api/agent/chat"), {"json": chat})]
        case "regions" | "addresses":
            return [(("GET", f"/api/memory/{verb}"), {"params": said})]
        case "forget":
            return [(("DELETE", f"/v1/records/{said['target']}"), {"params": {"actor_id": "ada"}})]
        case _:
            return []


@contextmanager
def _grpc(service: Service, caller: Caller) -> Generator[Say]:
    with GrpcServer(service, port=0, authenticate=lambda _: caller) as server, GrpcRemote(server.address) as remote:

        def say(verb: str, said: Arguments) -> str:
            if VERBS[verb].rpc is None:
                return ""
            work: list[Callable[[], Any]] = [lambda: remote.call(verb, said)]
            work += {
                "write": [lambda: remote.write_stream([said])],
                "read": [lambda: list(remote.read_stream([said]))],
                "timeline": [lambda: list(remote.timeline_stream(said))],
            }.get(verb, [])
            return "".join(map(_told, work))

        yield say


@contextmanager
def _in_process(service: Service, caller: Caller) -> Generator[Say]:
    def say(verb: str, said: Arguments) -> str:
        # Files are sent over HTTP only.
        return "" if VERBS[verb].rpc is None else _told(lambda: service.answer(verb, said, caller))

    yield say


def _told(work: Callable[[], Any]) -> str:
    """The answer, or the whole error."""
    try:
        return json.dumps(to_json(work()))
    except FovealError as error:
        assert error.code not in ("error", "unavailable", "timed_out"), error
        return f"{error.code} {error.message} {to_json(error.data)}"


DOORS = {"http": _http, "grpc": _grpc, "service": _in_process}


@pytest.mark.parametrize("rights", RIGHTS, ids="+".join)
@pytest.mark.parametrize("door", DOORS)
def test_a_key_gets_and_does_only_what_it_may(door: str, rights: tuple[Right, ...], tmp_path: Path) -> None:
    with Memory(":memory:", settings=CALM) as memory:
        known = grown(memory.view(actor_id="ada"))
        before = everything(memory, "ada", tmp_path)
        with DOORS[door](Service(memory), Caller(name="key", rights=rights)) as say:
            for verb, said in all_calls(known):
                told = say(verb, said)
                assert Right.READ in rights or SECRET not in told, (verb, said)
                if not {*VERBS[verb].rights} <= {*rights}:
                    assert "forbidden" in told or told == "", (verb, told)
        if Right.WRITE not in rights:
            assert everything(memory, "ada", tmp_path) == before


def test_every_verb_and_every_path_is_tried() -> None:
    with Memory(":memory:") as memory:
        known = grown(memory.view(actor_id="ada"))
    tried = {verb for verb, _ in all_calls(known)}
    assert tried == {name for name, verb in VERBS.items() if verb.http or verb.rpc}
    assert {*path_arguments(known)} == {*PATHS} == {*CALLS}


def test_a_verb_that_shows_what_is_stored_needs_the_right_to_read() -> None:
    """The column of rights in the table of verbs is right: with all rights, these are the verbs that show it."""
    showing: set[str] = set()
    with Memory(":memory:", settings=CALM) as memory:
        known = grown(memory.view(actor_id="ada"))
        with _in_process(Service(memory), Caller(name="owner")) as say:
            for verb, said in all_calls(known):
                if SECRET in say(verb, said):
                    showing.add(verb)
    assert "pin" in showing and "read" in showing
    for verb in showing - {"invoke"}:
        assert Right.READ in VERBS[verb].rights, verb


@pytest.mark.parametrize("rights", RIGHTS, ids="+".join)
def test_a_model_gets_and_does_only_what_its_key_may(rights: tuple[Right, ...], tmp_path: Path) -> None:
    async def story(service: Service, known: Known, uri: str) -> list[str]:
        principal = Principal(caller=Caller(name="key", rights=rights), at={"actor_id": "ada"})
        told: list[str] = []
        async with Client(mcp_server(service, lambda _: principal)) as client:
            offered = {tool.name for tool in (await client.list_tools()).tools}
            for name, said in tool_calls(known):
                answer = await client.call_tool(name, said)
                # For a key that only reads, paths do nothing that another tool does not do better.
                assert name in offered or answer.is_error or said.get("path") in READING, name
                told.append(answer.model_dump_json())
            for ask in (
                client.list_resources,
                lambda: client.read_resource(uri),
                lambda: client.get_prompt("recall", {"query": "the word"}),
                lambda: client.get_prompt("handoff", {}),
            ):
                try:
                    told.append((await ask()).model_dump_json())
                except MCPError as error:
                    told.append(f"{error.message} {error.error}")
        return told

    with Memory(":memory:", settings=CALM) as memory:
        ada = memory.view(actor_id="ada")
        known = grown(ada)
        uri, before = uri_of(ada.get(known["record"])), everything(memory, "ada", tmp_path)
        told = anyio.run(story, Service(memory), known, uri)
        assert {tool.name for tool in TOOLS} == {name for name, _ in tool_calls(known)}
        assert any(SECRET in answer for answer in told) == (Right.READ in rights)
        if Right.WRITE not in rights:
            assert everything(memory, "ada", tmp_path) == before


def test_a_key_of_a_few_verbs_invokes_only_the_paths_that_call_them() -> None:
    with Memory(":memory:") as memory:
        memory.write("Ada likes tea.", actor_id="ada")
        service, reader = Service(memory), Caller(name="reader", verbs=("read",))
        said = {"actor_id": "ada", "path": "self.memory.recall", "query": "tea"}
        assert "tea" in service.answer("invoke", said, reader)["text"]
        for caller in (Caller(name="k", verbs=("write", "invoke")), Caller(name="w", rights=(Right.WRITE,))):
            with pytest.raises(Forbidden, match="may not read"):
                service.answer("invoke", said, caller)
        with pytest.raises(Forbidden, match="may not forget"):
            service.answer("invoke", {"actor_id": "ada", "path": "self.memory.forget", "target": "x"}, reader)


def test_a_key_is_not_limited_to_invoke_which_would_mean_nothing() -> None:
    with Memory(":memory:") as memory, pytest.raises(Invalid, match="crystals.resume"):
        Keys(memory.keys).add("k", rights=["read", "write"], verbs=["invoke"])
    with Memory(":memory:") as memory, pytest.raises(Invalid, match="supersede needs the right read"):
        Keys(memory.keys).add("k", rights=["write"], verbs=["supersede"])
