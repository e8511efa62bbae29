"""Opening and closing an `AsyncMemory` leave the event loop free."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from foveal import AsyncMemory, Memory, Settings, compose
from foveal.errors import FovealError

# Far longer than the loop needs to get its turn; only a blocked loop makes anybody wait that long.
PATIENCE = 30


class Gate:
    """Something slow that goes on when the event loop says so."""

    def __init__(self) -> None:
        self.reached, self._open = Event(), Event()

    def wait(self) -> None:
        self.reached.set()
        assert self._open.wait(PATIENCE), "the event loop was blocked"

    async def let_through(self) -> None:
        await asyncio.to_thread(self.reached.wait, PATIENCE)
        self._open.set()


def test_the_loop_goes_on_while_a_memory_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, open_store = Gate(), compose.open_store

    def slowly(*args: Any) -> Any:
        gate.wait()
        return open_store(*args)

    monkeypatch.setattr(compose, "open_store", slowly)

    async def story() -> None:
        memory = AsyncMemory(tmp_path / "m.db", settings=Settings(second_look="off"))
        ada = memory.view(actor_id="ada")
        writing = asyncio.create_task(ada.write("The locker code is 4711."))
        await gate.let_through()
        await writing
        assert [hit.text for hit in await ada.search("locker code")] == ["The locker code is 4711."]
        await memory.close()

    asyncio.run(story())


def test_the_loop_goes_on_while_a_memory_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, close = Gate(), Memory.close

    def slowly(memory: Memory) -> None:
        gate.wait()
        close(memory)

    monkeypatch.setattr(Memory, "close", slowly)

    async def story() -> None:
        async with AsyncMemory(tmp_path / "m.db", settings=Settings(second_look="off")) as memory:
            await memory.write("The locker code is 4711.", actor_id="ada")
            letting = asyncio.create_task(gate.let_through())
        await letting

    asyncio.run(story())


def test_an_error_of_opening_is_raised_where_it_is_awaited(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    async def story() -> None:
        with pytest.raises(FovealError):
            async with AsyncMemory(tmp_path / "folder", settings=Settings(second_look="off")):
                pass
        with pytest.raises(FovealError):
            await AsyncMemory(tmp_path / "folder", settings=Settings(second_look="off")).search("anything")

    asyncio.run(story())
