"""One call at a door, and those who watch it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from foveal.doors.service.caller import Caller
from foveal.wire.calls import Call


@dataclass(kw_only=True)
class Asked:
    """A call: which verb, at which door, by whom. `said` is what was let in, `answer` what came of it."""

    call: Call
    caller: Caller
    door: str
    request_id: str
    said: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answer: Any = None

    @property
    def verb(self) -> str:
        """The name of the verb."""
        return self.call.verb.name


# Entered before a call and left after it, with the error if it failed. A watch never swallows one.
Watch = Callable[[Asked], AbstractContextManager[Any]]
