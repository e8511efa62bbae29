"""Everything that a memory promises, whatever the door."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from foveal.engine.async_memory import Shell
from foveal.testing.door.brief import BriefContract
from foveal.testing.door.living import ApartContract, RoomsContract
from foveal.testing.door.recalling import RecallingContract
from foveal.testing.door.telling import TellingContract


class MemoryContract(BriefContract, TellingContract, RecallingContract, RoomsContract, ApartContract):
    """The exam of a door that has every verb. A subclass supplies `memory`: its facade, on an empty memory."""


class Awaited:
    """An asynchronous facade for who cannot await: each verb runs to its end."""

    def __init__(self, shell: Shell[Any]) -> None:
        self._shell = shell

    def __getattr__(self, name: str) -> Any:
        found: Any = getattr(self._shell, name)
        if isinstance(found, Shell):
            return Awaited(found)  # pyright: ignore[reportUnknownArgumentType]

        def call(*words: Any, **said: Any) -> Any:
            answer = found(*words, **said)
            if inspect.iscoroutine(answer):
                answer = asyncio.run(answer)
            return Awaited(answer) if isinstance(answer, Shell) else answer  # pyright: ignore[reportUnknownArgumentType]

        return call
