"""One memory behind many doors."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from foveal.compose import Memory
from foveal.doors.service.asked import Asked, Watch
from foveal.doors.service.caller import Caller
from foveal.doors.service.repeats import Once, Repeats
from foveal.wire.calls import Call, call_of


class Service:
    """What every door of a server calls: it lets in who may, runs the verb, and answers with its value.

    `watches` are entered around every call, the first outermost.
    """

    def __init__(self, memory: Memory, *, world: str = "default", watches: Sequence[Watch] = ()) -> None:
        self.memory = memory
        self.world = world
        self._watches = tuple(watches)
        self._repeats = Repeats(memory.errands, memory.core.clock, world)

    def answer(
        self,
        name: str,
        given: Mapping[str, Any],
        caller: Caller,
        *,
        door: str = "python",
        request_id: str | None = None,
        here: Mapping[str, Any] | None = None,
        once: Once | None = None,
    ) -> Any:
        """What a verb answers to arguments in plain JSON. It blocks: an event loop runs it in a thread.

        `here` are arguments of the door itself, which a caller cannot say: a file of this machine. What changes
        something and comes under a key, `once`, is done once.
        """
        call = call_of(name)
        asked = Asked(call=call, caller=caller, door=door, request_id=request_id or secrets.token_hex(8))
        with ExitStack() as watching:
            for watch in self._watches:
                watching.enter_context(watch(asked))
            asked.said = self.admitted(call, given, caller)
            work = partial(call.run, self.memory, asked.said, here)
            keyed = None if call.verb.safe else once
            asked.answer = work() if keyed is None else self._repeats.done(asked, keyed, work)
        return asked.answer

    def admitted(self, call: Call, given: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """The arguments as the caller may say them; `Forbidden` if it may not."""
        return caller.admitted(call, given, self.world)
