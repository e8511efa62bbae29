"""A memory on each store, and a clock to turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory, MemoryConfig, Settings
from foveal.engine.memory import View
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORKER = Settings(metabolism="worker", second_look="off")

Open = Callable[..., View]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(MONDAY)


@pytest.fixture(params=["ram", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return ":memory:" if request.param == "ram" else str(tmp_path / "memory.db")


@pytest.fixture
def memory(url: str, clock: ManualClock) -> Iterator[Memory]:
    with Memory(url, clock=clock) as memory:
        yield memory


@pytest.fixture
def reopened(memory: Memory, url: str, clock: ManualClock) -> Iterator[Callable[[], Memory]]:
    """Closes the memory and opens it again; one without a file stays open."""
    opened: list[Memory] = []

    def again() -> Memory:
        if url == ":memory:":
            return memory
        memory.close()
        opened.append(Memory(url, clock=clock))
        return opened[-1]

    yield again
    for one in opened:
        one.close()


@pytest.fixture(params=["ram", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Open]:
    """Opens a memory that moves nothing by itself, with a config."""
    memories: list[Memory] = []

    def make(**config: Any) -> View:
        url = ":memory:" if request.param == "ram" else tmp_path / f"{len(memories)}.db"
        memories.append(Memory(url, clock=clock, settings=WORKER, config=MemoryConfig(**config)))
        return memories[-1].view(actor_id="ada", session_id="s1")

    yield make
    for memory in memories:
        memory.close()
