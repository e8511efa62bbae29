"""One memory behind many doors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foveal.compose import Memory
from foveal.doors.service.caller import Caller
from foveal.wire.calls import call_of


class Service:
    """What every door of a server calls: it lets in who may, runs the verb, and answers with its value."""

    def __init__(self, memory: Memory, *, world: str = "default") -> None:
        self.memory = memory
        self._world = world

    def answer(self, name: str, given: Mapping[str, Any], caller: Caller) -> Any:
        """What a verb answers to arguments in plain JSON. It blocks: an event loop runs it in a thread."""
        call = call_of(name)
        return call.run(self.memory, caller.admitted(call, given, self._world))
