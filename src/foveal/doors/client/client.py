"""A client with coroutines to write and read, on a memory in this process."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from foveal.compose import Memory
from foveal.engine.view import View
from foveal.model.context import Context
from foveal.model.outcome import Written


class MemoryClient:
    """Writes and reads for any actor. `service` is a memory, or where one is kept."""

    def __init__(self, service: View | str | Path | None = None) -> None:
        self._opened: Memory | None = None
        if not isinstance(service, View):
            service = self._opened = Memory(service)
        self._memory: View = service

    async def close(self) -> None:
        """Close the memory, if the client opened it."""
        if self._opened is not None:
            self._opened.close()

    async def write(self, *, actor_id: str, text: str, **details: Any) -> Written:
        """Store a text; details are those of `Memory.write`."""
        return await asyncio.to_thread(partial(self._memory.write, text, actor_id=actor_id, **details))

    async def read(self, *, actor_id: str, query: str, token_budget: int = 2048, **options: Any) -> Context:
        """What to put before the model: `response.context` is the list of items."""
        return await asyncio.to_thread(
            partial(self._memory.read, query, actor_id=actor_id, token_budget=token_budget, **options)
        )
