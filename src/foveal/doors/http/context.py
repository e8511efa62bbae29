"""What every endpoint works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from starlette.requests import Request

from foveal.doors.http.places import Places
from foveal.doors.service import Caller, Once, Service
from foveal.doors.service.station import Station
from foveal.errors import Forbidden
from foveal.model.server import Right, Serving
from foveal.ports.models import LLM


@dataclass(frozen=True)
class Context:
    """The service, its settings, and how a credential becomes a caller."""

    service: Service
    serving: Serving
    authenticate: Callable[[str | None], Caller]
    places: Places
    llm: LLM | None = None
    station: Station | None = None
    stopping: Event = field(default_factory=Event)

    def caller(self, request: Request) -> Caller:
        """Who asks. It may block."""
        return self.authenticate(request.headers.get("authorization"))

    def whole(self, request: Request) -> None:
        """Let in only who may administer the whole store. It may block."""
        caller = self.caller(request)
        if Right.ADMIN not in caller.rights or (caller.worlds, caller.actors) != (None, None):
            raise Forbidden(
                "this is about the whole server: it needs a key that may admin, for all worlds and actors"
            )

    def answer(
        self,
        request: Request,
        name: str,
        given: Mapping[str, Any],
        here: Mapping[str, Any] | None = None,
        *,
        once: Once | None = None,
    ) -> Any:
        """What a verb answers to whoever asks. It blocks."""
        request_id: str = request.state.request_id
        caller = self.caller(request)
        # From here on the service tells what goes wrong.
        request.state.asked = True
        return self.service.answer(name, given, caller, door="http", request_id=request_id, here=here, once=once)
