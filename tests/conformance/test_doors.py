"""One exam for every door."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.parse import urlencode

import pytest
from mcp import Client, StdioServerParameters
from tests.support.nursery import Nursery

from foveal import AsyncMemory, Memory, connect, connect_async
from foveal.config import Settings
from foveal.doors.grpc import GrpcServer
from foveal.doors.server import Server
from foveal.doors.service import Service
from foveal.engine.memory import View
from foveal.model.server import Serving
from foveal.testing import Awaited, BriefContract, MemoryContract

from .serving import served
from .tools import Line, Tools


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Where an empty memory is served."""
    with Memory(tmp_path / "memory.db", settings=Settings(second_look="off")) as memory, served(memory) as url:
        yield url


class TestMemory(MemoryContract):
    @pytest.fixture(params=["ram", "sqlite"])
    def memory(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[View]:
        place = ":memory:" if request.param == "ram" else tmp_path / "memory.db"
        with Memory(place, settings=Settings(second_look="off")) as memory:
            yield memory


class TestAsyncMemory(MemoryContract):
    @pytest.fixture
    def memory(self) -> Iterator[View]:
        memory = AsyncMemory(":memory:", settings=Settings(second_look="off"))
        yield cast(View, Awaited(memory))
        memory.sync.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


class TestHttp(MemoryContract):
    @pytest.fixture
    def memory(self, url: str) -> Iterator[View]:
        with connect(url, ghost=False, settings=Settings(second_look="off")) as memory:
            yield memory


class TestAsyncHttp(MemoryContract):
    @pytest.fixture
    def memory(self, url: str) -> Iterator[View]:
        memory = connect_async(url, ghost=False, settings=Settings(second_look="off"))
        yield cast(View, Awaited(memory))
        memory.sync.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


class TestGrpc(MemoryContract):
    @pytest.fixture
    def memory(self, tmp_path: Path) -> Iterator[View]:
        with (
            Memory(tmp_path / "memory.db", settings=Settings(second_look="off")) as kept,
            GrpcServer(Service(kept), port=0) as door,
        ):
            with connect(door.address, ghost=False, settings=Settings(second_look="off")) as memory:
                yield memory


class TestGhost(MemoryContract):
    @pytest.fixture
    def memory(self, url: str, tmp_path: Path) -> Iterator[View]:
        sealed = Settings(second_look="off", ghost_key="a passphrase")
        with connect(url, ghost=tmp_path / "ghost", settings=sealed) as memory:
            yield memory


class TestOutbox(MemoryContract):
    """With its ids settled before they are sent, a recalled text that comes back is stored."""

    @pytest.fixture
    def memory(self, url: str, tmp_path: Path) -> Iterator[View]:
        with connect(
            url, ghost=False, outbox=tmp_path / "outbox.db", settings=Settings(second_look="off")
        ) as memory:
            yield memory

    def test_a_recalled_text_that_comes_back_is_an_echo(self, ada: View) -> None:
        here = ada.view(session_id="s1")
        record = here.write("Ada's locker code is 4711.", session_id="s0")
        here.read("locker code", token_budget=300)
        assert here.write("Ada's locker code is 4711.").repeats == (record.id,)

    def test_a_recalled_text_that_comes_back_is_no_news(self, memory: View) -> None:
        ada = memory.view(actor_id="ada", session_id="s1")
        known = ada.write("Ada's locker code is 4711.").id
        ada.read("locker code", token_budget=300)
        assert ada.links.related(ada.write("Ada's locker code is 4711.").id)[0].record.id == known


class TestMcp(BriefContract):
    """The tools of MCP have few of the verbs, and are examined in all that they have."""

    @pytest.fixture(params=["http", "stdio"])
    def memory(self, request: pytest.FixtureRequest, nursery: Nursery, tmp_path: Path) -> Iterator[View]:
        file = tmp_path / "memory.db"
        if request.param == "stdio":
            with Line(lambda at: Client(_started(nursery, file, at))) as line:
                yield cast(View, Tools(line, {}))
            return
        with Server(
            Settings(second_look="off", server=Serving(port=0, grpc_port=0)), url=str(file), grpc=False
        ) as server:
            with Line(lambda at: Client(f"{server.url}/mcp?{urlencode(at)}")) as line:
                yield cast(View, Tools(line, {}))


def _started(nursery: Nursery, file: Path, at: dict[str, str]) -> StdioServerParameters:
    options = [word for name, value in at.items() for word in (f"--{name.replace('_', '-')}", value)]
    program, *words = [*nursery.command, "mcp", "--url", str(file), *options]
    return StdioServerParameters(command=program, args=words, env=dict(os.environ))
