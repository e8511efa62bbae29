"""The client that agents hold, on a memory in this process or behind a URL."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from foveal.backends.breaker import Breaker
from foveal.doors.client.memories import Memories
from foveal.doors.client.seam import Seam
from foveal.doors.client.shapes import (
    BreakerAnswer,
    EngramAnswer,
    ManifestAnswer,
    SessionAnswer,
    breaker_answer,
    session_dict,
)
from foveal.doors.client.ties import Ties
from foveal.engine.memory import View
from foveal.model.record import Session
from foveal.model.results import Context, Written
from foveal.rules.validation import checked_name


class MemoryClient(Memories, Ties):
    """Writes and reads for any actor, and remembers who speaks.

    `service` is a memory, where one is kept, or the URL of a server; without it, the one that MEMORY_API_URL names,
    else the memory of the user. `key` is for the server; `options` are those of `connect`. `write` and `read` are
    coroutines; the other methods are plain and give dictionaries. What fails raises.
    """

    def __init__(self, service: View | str | Path | None = None, *, key: str | None = None, **options: Any) -> None:
        self._seam = Seam(service, key=key, **options)

    async def close(self) -> None:
        """Close the memory, if the client opened it."""
        self._seam.close()

    async def write(self, *, actor_id: str, text: str, **details: Any) -> Written:
        """Store a text; details are those of `Memory.write`."""
        return await asyncio.to_thread(partial(self._seam.call, "write", text, actor_id=actor_id, **details))

    async def read(self, *, actor_id: str, query: str, token_budget: int = 2048, **options: Any) -> Context:
        """What to put before the model: `response.context` is the list of items."""
        return await asyncio.to_thread(
            partial(self._seam.call, "read", query, actor_id=actor_id, token_budget=token_budget, **options)
        )

    def set_user_id(self, user_id: str) -> None:
        """Say whose memory it is, without a session."""
        self._seam.speak_as(actor_id=checked_name(user_id, "user_id"))

    def set_agent_id(self, agent_id: str) -> None:
        """Say which agent speaks: a name, or a path in the tree of agents."""
        self._seam.speak_as(node=self._seam.named(agent_id))

    def set_session_id(self, session_id: str) -> None:
        """Say which session is going on."""
        self._seam.speak_as(session_id=checked_name(session_id, "session_id"))

    def create_session(
        self, user_id: str, session_type: str = "conversation", session_metadata: dict[str, Any] | None = None
    ) -> SessionAnswer:
        """Begin a session of a user: from now on the client speaks for that user, in that session."""
        self.set_user_id(user_id)
        session: Session = self._seam.call(
            "create_session", kind=session_type, metadata=session_metadata, session_id=None
        )
        self.set_session_id(session.id)
        return SessionAnswer(status="success", session_id=session.id, session=session_dict(session))

    def end_session(self, session_id: str) -> SessionAnswer:
        """Say that a session is over."""
        session: Session = self._seam.call("end_session", session_id)
        return SessionAnswer(status="success", session_id=session.id, session=session_dict(session))

    def invoke(self, path: str, **arguments: Any) -> dict[str, Any]:
        """Do what a path names, like "self.memory.cherish", from the viewpoint of whoever speaks."""
        return self._seam.invoke(path, arguments)

    def engram(self, name: str, state: Any) -> EngramAnswer:
        """Keep a state where the client is, under a name."""
        kept = self._seam.engrams.engram(name, state, actor=self._seam.actor)
        return EngramAnswer(status="success", key=kept.name, path=kept.path)

    def manifest(self, name: str) -> ManifestAnswer:
        """The state that an engram kept, with its age; `TooStale` when it is too old to show."""
        found = self._seam.engrams.manifest(name, actor=self._seam.actor)
        return ManifestAnswer(
            status="success",
            key=found.name,
            state=found.state,
            level=found.level.value,
            age_seconds=found.age.total_seconds(),
        )

    def get_circuit_breaker_status(self) -> BreakerAnswer:
        """The state of the circuit breaker. In one process nothing lies between, and it is always closed."""
        line = self._seam.line
        breaker = Breaker() if line is None else line.breaker
        return breaker_answer(breaker.circuit, breaker.failures, breaker.reset_timeout)

    def reset_circuit_breaker(self) -> BreakerAnswer:
        """Close the circuit breaker."""
        line = self._seam.line
        if line is not None:
            line.breaker.reset()
        return self.get_circuit_breaker_status()
