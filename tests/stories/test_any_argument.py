"""Whatever is passed to a verb, in Python or at a door, the error is one of Foveal's and says what is wrong."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from httpx2 import Response
from mcp import Client, MCPError
from starlette.testclient import TestClient
from tests.support.every_verb import Arguments, Known, all_calls, grown

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.mcp import mcp_server
from foveal.doors.mcp.tools import TOOLS, own_principal
from foveal.doors.service import ANYONE, Service
from foveal.errors import FovealError, Invalid, InvalidAddress, TooLarge
from foveal.model.query import At, Details
from foveal.model.server import Serving
from foveal.wire.calls import call_of, method_of
from foveal.wire.routes import route

CALM = Settings(metabolism="off")
# What fits hardly any parameter. Of what JSON can say, the doors get the same.
PLAIN: tuple[Any, ...] = (
    None,
    True,
    3,
    -1,
    10**30,
    0.5,
    "",
    "abc",
    "a\0b",
    [],
    [3],
    [None],
    ["a\0b"],
    {},
    {"a": 3},
)
SENT: tuple[Any, ...] = (None, 3, 10**30, "a\0b", [3], {"a": 3})
ODD: tuple[Any, ...] = (
    math.nan,
    math.inf,
    b"x",
    "\ud800",
    object(),
    {3: {4: 5}},
    {"a": object()},
    (object(),),
    iter(()),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=CALM) as memory:
        yield memory


def _varied(verb: str, said: Arguments, values: tuple[Any, ...]) -> Iterator[Arguments]:
    """The arguments, each parameter in turn replaced by what does not fit; as few as can be."""
    shared = {*At.__annotations__, *Details.__annotations__} if verb not in SHOWN_WHOLE else set[str]()
    names = dict.fromkeys([*said, *(field.name for field in call_of(verb).fields)])
    for name in (name for name in names if name not in shared):
        for value in values:
            yield {**said, name: value}


# The viewpoint and the details of a record are the same at every verb: they are tried at these.
SHOWN_WHOLE = ("write", "stats")
# These work on the whole store, or take a window that the others take as well.
LEFT_OUT = frozenset({"reindex", "vacuum", "tape.build", "tape.update", "export", "import_"})


def _tried(known: Known) -> Iterator[tuple[str, Arguments]]:
    return ((verb, said) for verb, said in all_calls(known) if verb not in LEFT_OUT and "window" not in said)


def _changed(given: Arguments, said: Arguments) -> str:
    return repr({name: value for name, value in given.items() if said.get(name) is not value})[:120]


def test_a_verb_in_python_raises_only_its_own_errors(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    wrong: list[str] = []
    for verb, said in _tried(grown(ada)):
        for given in _varied(verb, said, (*PLAIN, *ODD)):
            try:
                method_of(ada, verb)(**given)
            except FovealError:
                pass
            except Exception as error:  # noqa: BLE001 - what it is, is what this test asks
                wrong.append(f"{verb} {_changed(given, said)}: {error!r}")
    assert not wrong, "\n".join(wrong)


def test_a_request_is_never_an_error_of_the_server(memory: Memory) -> None:
    ada = memory.view(actor_id="ben")
    app = create_app(Service(memory), authenticate=lambda _: ANYONE, serving=Serving(hosts=("testserver",)))
    wrong: list[str] = []
    with TestClient(app, raise_server_exceptions=False) as client:
        for verb, said in _tried(grown(ada)):
            method, path = route(call_of(verb))
            for given in _varied(verb, {**said, "actor_id": "ben"} if "actor_id" in said else said, SENT):
                answer = _sent(client, method, path, given)
                if answer.status_code >= 500:
                    wrong.append(f"{verb} {_changed(given, said)}: {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


def _sent(client: TestClient, method: str, path: str, given: Arguments) -> Response:
    left = dict(given)
    for name in re.findall(r"{(\w+)}", path):
        value = left.pop(name)
        path = path.replace(
            f"{{{name}}}", quote(value if isinstance(value, str) else json.dumps(value), safe="") or "x"
        )
    if method != "GET":
        return client.request(method, path, json=left)
    query = {name: value if isinstance(value, str) else json.dumps(value) for name, value in left.items()}
    return client.get(path, params=query)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "["}, 422),
        ({"Origin": "http://["}, 422),
        ({"Host": "a:b:c"}, 403),
        ({"If-Match": "9" * 5_000}, 422),
        ({"If-Match": "²"}, 422),
        ({"Idempotency-Key": "k" * 5_000}, 422),
        ({"Authorization": "Bearer " + "x" * 50_000}, 404),
        ({"X-Request-Id": "x" * 5_000}, 404),
        ({"Content-Length": "-5"}, 404),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_strange_header_gets_its_answer(memory: Memory, headers: dict[str, str], status: int) -> None:
    app = create_app(Service(memory), authenticate=lambda _: ANYONE, serving=Serving(hosts=("testserver",)))
    with TestClient(app, raise_server_exceptions=False) as client:
        sent = [(name.encode(), value.encode()) for name, value in headers.items()]
        answer = client.put("/v1/records/none?actor_id=ada", json={"text": "tea"}, headers=sent)
    assert (answer.status_code, "code" in answer.json()) == (status, True)


def test_a_model_gets_a_named_error_for_whatever_it_sends(memory: Memory) -> None:
    async def story() -> list[str]:
        principal = own_principal({"actor_id": "ada", "world": "default"})
        wrong: list[str] = []
        async with Client(mcp_server(Service(memory), lambda _: principal)) as client:
            for tool in TOOLS:
                said = {field.name: "abc" for field in tool.fields if field.required}
                for field in tool.fields:
                    for value in PLAIN:
                        try:
                            await client.call_tool(tool.name, {**said, field.name: value})
                        except MCPError as error:
                            wrong.append(f"{tool.name} {field.name} {value!r}: {error.message}")
            for name, arguments in (
                ("recall", {"query": "x", "token_budget": "9" * 5_000}),
                ("handoff", {"task": "\0"}),
            ):
                try:
                    await client.get_prompt(name, arguments)
                except MCPError as error:
                    wrong += [] if error.message.startswith("invalid") else [f"{name}: {error.message}"]
        return wrong

    wrong = anyio.run(story)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "conditions", [{"or": [{"kind": f"k{n}"} for n in range(40_000)]}, {"tags": ["t"] * 40_000}]
)
def test_a_filter_of_too_many_conditions_is_refused_by_name(memory: Memory, conditions: dict[str, Any]) -> None:
    with pytest.raises(TooLarge, match="more than 500 conditions"):
        memory.search("tea", filters=conditions, actor_id="ada")
    with pytest.raises(TooLarge, match="at most 10,000 values"):
        memory.timeline(filters={"kind": [f"k{n}" for n in range(40_000)]}, actor_id="ada")
    memory.write("tea", actor_id="ada")
    most: dict[str, Any] = {"or": [{"kind": "note"}, *({"kind": f"k{n}"} for n in range(490))]}
    assert memory.timeline(filters=most, actor_id="ada", limit=1)


@pytest.mark.parametrize("path", ["a\0b", "sqlite:///a%00b"])
def test_a_path_that_no_file_can_have_is_refused(memory: Memory, path: str) -> None:
    ada = memory.view(actor_id="ada")
    for call in (Memory, ada.admin.export, ada.admin.import_, ada.admin.backup, ada.longterm.ingest):
        if path.startswith("sqlite") and call is not Memory:
            continue
        with pytest.raises(Invalid, match="NUL"):
            call(path)


def test_an_address_with_a_number_of_any_length_is_refused(memory: Memory) -> None:
    address = f"default/agent:ada#0@d2t{'9' * 5_000}"
    with pytest.raises(InvalidAddress):
        memory.tape.neighbours(address, actor_id="ada")
