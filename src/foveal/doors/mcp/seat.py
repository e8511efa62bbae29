"""For whom a server of MCP answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from foveal.doors.service import Caller, Service
from foveal.errors import Invalid
from foveal.model.server import Right
from foveal.wire.verbs import VERBS

# What a server is started with, or the address of a client's configuration says. No tool has these arguments.
VIEWPOINT = ("actor_id", "world", "node", "session_id")
DEFAULT_ACTOR = "me"


class Seat(Struct, frozen=True, kw_only=True):
    """For whom a server answers: what the caller may, and the viewpoint, which nothing a model says can change."""

    caller: Caller
    at: Mapping[str, str]

    def ask(self, service: Service, verb: str, given: Mapping[str, Any]) -> Any:
        """What a verb answers from this viewpoint. It blocks."""
        # The viewpoint comes last: it wins over anything of the same name.
        return service.answer(verb, {**given, **self.at}, self.caller, door="mcp")

    def may(self, verb: str) -> bool:
        """Whether the caller may use a verb at all."""
        allowed = self.caller.verbs
        return VERBS[verb].right in self.caller.rights and (allowed is None or verb in allowed)


def own_seat(at: Mapping[str, str], *, read_only: bool = False) -> Seat:
    """The seat of a server that one client starts for one actor.

    >>> own_seat({"actor_id": "ada", "world": "home"}, read_only=True).may("write")
    False
    """
    caller = Caller(
        name="mcp",
        worlds=(at["world"],),
        actors=(at["actor_id"],),
        rights=(Right.READ,) if read_only else (Right.READ, Right.WRITE),
    )
    return Seat(caller=caller, at=dict(at))


def asked_seat(caller: Caller, said: Mapping[str, str]) -> Seat:
    """The seat of one request: of a caller, with the viewpoint that the query of its URL says.

    >>> asked_seat(Caller(name="k", actors=("ada",)), {"node": "/planner"}).at
    {'node': '/planner', 'actor_id': 'ada'}
    """
    unknown = [name for name in said if name not in VIEWPOINT]
    if unknown:
        raise Invalid(f"the URL of MCP has no {unknown[0]!r}: it may say {', '.join(VIEWPOINT)}")
    at = dict(said)
    if "actor_id" not in at and (caller.actors is None or len(caller.actors) == 1):
        at["actor_id"] = DEFAULT_ACTOR if caller.actors is None else caller.actors[0]
    return Seat(caller=caller, at=at)
