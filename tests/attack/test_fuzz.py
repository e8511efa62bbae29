"""Random calls of every verb at every door, with the ids of another actor, are answered or refused by name: they
show nothing of the other actor, and change nothing of theirs."""

from __future__ import annotations

import inspect
import json
import math
import random
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import anyio
import grpc
import httpx2
import pytest
from mcp import Client, MCPError
from tests.attack.conftest import Place
from tests.attack.effort import Effort
from tests.attack.served import Target, served
from tests.stories.waiting import MOST
from tests.support.every_verb import SECRET, Arguments, all_calls, tool_calls

from foveal.doors.grpc import GrpcRemote
from foveal.doors.mcp import mcp_server
from foveal.doors.mcp.tools import TOOLS, Principal
from foveal.doors.service import Caller
from foveal.errors import CODES, FovealError
from foveal.model.server import Right
from foveal.wire.calls import call_of, method_of
from foveal.wire.codec import to_json
from foveal.wire.messages import SERVICE
from foveal.wire.routes import route
from foveal.wire.verbs import VERBS

# Nobody is asked in Python whether they may: these are about the whole store, or about files.
WHOLE = {name for name, verb in VERBS.items() if Right.ADMIN in verb.rights} | {"export", "import_"}
# No call may end like this: nothing is away, nothing is slow, and nothing is damaged.
NEVER = {"error", "unavailable", "store_unavailable", "timed_out", "corrupt"}
FIELDS = {tool.name: [field.name for field in tool.fields] for tool in TOOLS}
CALLS = 150

Say = Callable[[str, Arguments], str]
Value = Callable[[random.Random], Any]


def _nested(chance: random.Random) -> Any:
    value: Any = "leaf"
    for _ in range(chance.choice([1, 5, 60])):
        value = [value] if chance.random() < 0.5 else {"a": value}
    return value


def _text(chance: random.Random) -> str:
    return "".join(
        chr(chance.choice([chance.randrange(32, 127), chance.randrange(0x20, 0xD7FF)])) for _ in range(9)
    )


PLAIN: tuple[Any, ...] = (None, True, 0, 1, -1, 3, 10**30, 0.5, 1e308, "", " ", "abc", "a\0b", [], {})
# What only Python can say.
PYTHON: tuple[Any, ...] = (b"x", "\ud800", object(), {3: {4: 5}}, (object(),), math.nan, -math.inf)


class Guesses:
    """Arguments for any verb, right and wrong ones mixed, from one source of chance."""

    def __init__(self, target: Target, chance: random.Random) -> None:
        self._chance = chance
        ids = [*target.hers.values(), *target.mine.values(), "tea", "g1", "d1", "s2", "before"]
        self._calls = [*all_calls(target.mine), *all_calls(target.hers)]
        self._values: list[Value] = [
            lambda chance: chance.choice(PLAIN),
            lambda chance: chance.choice(ids),
            lambda chance: chance.sample(ids, 3),
            lambda chance: chance.choice(
                ["ada", "eve", "/", "/planner", "../..", "global", "local", "default", "*"]
            ),
            lambda chance: chance.choice(
                ["'; drop table record; --", "%", "_", "{}", "${x}", "\x1b[31m", "\u202eabc"]
            ),
            lambda chance: chance.choice(["2026-01-01T00:00:00Z", "yesterday", 1e20, "0000", [1, "a", None]]),
            lambda chance: {chance.choice(["kind", "tags", "or", "and", "metadata.a", "id"]): chance.choice(ids)},
            _text,
            _nested,
        ]

    def value(self) -> Any:
        """Something."""
        return self._chance.choice(self._values)(self._chance)

    def call(self) -> tuple[str, Arguments]:
        """A verb, with arguments that fit it or not."""
        verb, said = self._chance.choice(self._calls)
        return verb, self.varied(said, [field.name for field in call_of(verb).fields])

    def varied(self, said: Arguments, names: Sequence[str]) -> Arguments:
        """The arguments, some of which are replaced and some left out; `names` are those there could be."""
        said = dict(said)
        for _ in range(self._chance.choice([0, 0, 1, 1, 2, 4])):
            said[self._chance.choice([*said, *names, "unknown"])] = self.value()
        if self._chance.random() < 0.05 and said:
            del said[self._chance.choice([*said])]
        return said


@contextmanager
def _python(target: Target) -> Generator[Say]:
    eve = target.server.memory.view(actor_id="eve")

    def say(verb: str, said: Arguments) -> str:
        if verb in WHOLE:
            return ""
        method = method_of(eve, verb)
        # Whose memory it is says the program, and nothing that an attacker sends.
        given = {name: value for name, value in said.items() if name not in ("actor_id", "world", "actors")}
        try:
            inspect.signature(method).bind(**given)
        except TypeError:
            # Not the arguments of this function: Python itself refuses the call.
            return ""
        return _told(lambda: method(**given))

    yield say


def _told(work: Callable[[], Any]) -> str:
    try:
        return json.dumps(to_json(work()))
    except FovealError as error:
        assert error.code in CODES and error.code not in NEVER, repr(error)
        return f"{error.code} {error.message} {error.data}"


@contextmanager
def _http(target: Target) -> Generator[Say]:
    headers = {"Authorization": f"Bearer {target.key}"}
    with httpx2.Client(base_url=target.server.url, headers=headers, timeout=MOST) as client:

        def say(verb: str, said: Arguments) -> str:
            method, path = route(call_of(verb))
            left = dict(said)
            for name in re.findall(r"{(\w+)}", path):
                value = left.pop(name, "x")
                plain = value if isinstance(value, str) else json.dumps(value)
                path = path.replace(f"{{{name}}}", quote(plain, safe="") or "x")
            if method == "GET":
                query = {
                    name: value if isinstance(value, str) else json.dumps(value) for name, value in left.items()
                }
                answer = client.get(path, params=query)
            else:
                answer = client.request(method, path, json=left)
            assert answer.status_code < 500 or answer.status_code == 501, answer.text
            if answer.status_code >= 400:
                assert answer.json()["code"] in CODES
            return answer.text

        yield say


@contextmanager
def _grpc(target: Target) -> Generator[Say]:
    assert target.server.grpc is not None
    with GrpcRemote(target.server.grpc.address, key=target.key) as remote:

        def say(verb: str, said: Arguments) -> str:
            return "" if VERBS[verb].rpc is None else _told(lambda: remote.call(verb, said))

        yield say


DOORS = {"python": _python, "http": _http, "grpc": _grpc}


@pytest.mark.parametrize("door", DOORS)
def test_random_calls_show_and_change_nothing_of_another_actor(place: Place, door: str, effort: Effort) -> None:
    with served(place) as target, DOORS[door](target) as say:
        guesses = Guesses(target, effort.chance)
        for number in effort.times(CALLS):
            verb, said = guesses.call()
            if door == "python" and effort.chance.random() < 0.1:
                said[effort.chance.choice([*said, "text"])] = effort.chance.choice(PYTHON)
            elif effort.chance.random() < 0.8 and call_of(verb).placed:
                said["actor_id"] = "eve"
            told = say(verb, said)
            assert SECRET not in told, (verb, said, told)
            if number % 15 == 0:
                target.go_on()
        effort.count("fuzzed calls", len(effort.times(CALLS)))


def test_random_calls_of_a_model_show_and_change_nothing_of_another_actor(place: Place, effort: Effort) -> None:
    async def story(target: Target) -> None:
        guesses, chance = Guesses(target, effort.chance), effort.chance
        calls = [*tool_calls(target.mine), *tool_calls(target.hers)]
        principal = Principal(
            caller=Caller(name="eve", actors=("eve",), rights=(Right.READ, Right.WRITE)), at={"actor_id": "eve"}
        )
        async with Client(mcp_server(target.server.station.service, lambda _: principal)) as client:
            for number in effort.times(CALLS):
                name, said = chance.choice(calls)
                said = guesses.varied(said, FIELDS[name])
                try:
                    told = (await client.call_tool(name, said)).model_dump_json()
                except MCPError as error:
                    told = error.message
                assert SECRET not in told, (name, said, told)
                assert not any(f'problem:{code}"' in told for code in NEVER), (name, said, told)
                if number % 15 == 0:
                    target.go_on()

    with served(place) as target:
        anyio.run(story, target)
    effort.count("fuzzed calls", len(effort.times(CALLS)))


def test_random_bytes_are_no_error_of_the_grpc_server(place: Place, effort: Effort) -> None:
    chance, names = effort.chance, [verb.rpc for verb in VERBS.values() if verb.rpc]
    with served(place) as target:
        assert target.server.grpc is not None
        metadata = (("authorization", f"Bearer {target.key}"),)
        with grpc.insecure_channel(target.server.grpc.address.removeprefix("grpc://")) as channel:
            for _ in effort.times(CALLS):
                data = bytes([*b"\n\x03eve", *chance.randbytes(chance.randrange(40))][chance.randrange(7) :])
                ask = channel.unary_unary(f"/{SERVICE}/{chance.choice(names)}", bytes, bytes)
                try:
                    told = ask(data, metadata=metadata, timeout=MOST)
                except grpc.RpcError as error:
                    assert isinstance(error, grpc.Call)
                    code = error.code()
                    assert code not in (
                        grpc.StatusCode.UNKNOWN,
                        grpc.StatusCode.INTERNAL,
                        grpc.StatusCode.UNAVAILABLE,
                    )
                    told = (error.details() or "").encode()
                assert SECRET.encode() not in told
    effort.count("fuzzed calls", len(effort.times(CALLS)))
