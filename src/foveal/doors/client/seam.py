"""The one way from the client to a memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from foveal.compose import Memory
from foveal.engine.view import View
from foveal.model.draft import At
from foveal.rules.checking import checked_name
from foveal.rules.drafting import viewpoint_of


class Seam:
    """A memory in this process, and who speaks to it. Whatever the client asks goes through `call`."""

    def __init__(self, service: View | str | Path | None) -> None:
        self._opened: Memory | None = None
        if not isinstance(service, View):
            service = self._opened = Memory(service)
        self._memory: View = service
        self._at: At = {}

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._opened is not None:
            self._opened.close()

    def speak_as(self, **at: Unpack[At]) -> None:
        """Say who speaks from now on: the actor, the node, the session."""
        viewpoint_of({"actor_id": "anyone"}, at)
        self._at.update(at)

    def call(self, verb: str, *words: Any, **said: Any) -> Any:
        """The answer of a verb, from the viewpoint of whoever speaks; its errors are raised as they are."""
        at = dict(self._at)
        if said.get("actor_id", at.get("actor_id")) != at.get("actor_id"):
            # A session is one actor's own.
            at.pop("session_id", None)
        return getattr(self._memory, verb)(*words, **{**at, **said})

    def named(self, name: object) -> str:
        """The path of the node that an agent's name means."""
        text = checked_name(name, "agent_id")
        return text if text.startswith("/") else f"/{text}"
