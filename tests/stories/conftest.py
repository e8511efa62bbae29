"""A memory on each store, and a clock to turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foveal import Memory
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


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
