"""The one way from the client to a memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from foveal.compose import Memory
from foveal.config import load_settings
from foveal.doors.client.connecting import Line, connect
from foveal.doors.client.engrams import PATHS, Engrams, Kept
from foveal.doors.client.ghost import GhostCache
from foveal.doors.client.memory import RemoteMemory
from foveal.doors.client.shapes import Aged
from foveal.engine.memory import View
from foveal.model.query import At
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_name


def is_url(service: object) -> bool:
    """Whether it says where a server is, and not a file or a memory.

    >>> is_url("http://127.0.0.1:8001"), is_url("grpc://127.0.0.1"), is_url("memory.db")
    (True, True, False)
    """
    return isinstance(service, str) and service.lower().startswith(("http://", "https://", "grpc://", "grpcs://"))


class Seam:
    """A memory, here or behind a URL, and who speaks to it. Whatever the client asks goes through `call`."""

    def __init__(self, service: View | str | Path | None, *, key: str | None = None, **line: Any) -> None:
        settings = load_settings()
        place = settings.api_url if service is None else service
        self._opened: Memory | RemoteMemory | None = None
        if isinstance(place, View):
            self._memory: View = place
        elif is_url(place):
            self._memory = self._opened = connect(str(place), key=key, **line)
        else:
            self._memory = self._opened = Memory(place)
        self._engrams: Engrams | None = None
        self._at: At = {}

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._opened is not None:
            self._opened.close()

    @property
    def line(self) -> Line | None:
        """The way to the server, if there is one."""
        return self._memory.line if isinstance(self._memory, RemoteMemory) else None

    @property
    def engrams(self) -> Engrams:
        """What is kept where the client is."""
        if self._engrams is None:
            line = self.line
            self._engrams = Engrams(GhostCache(), "here") if line is None else line.engrams
        return self._engrams

    @property
    def aged(self) -> Aged:
        """What the last answer says of its age; nothing if it was live."""
        line = self.line
        last = line.haunted.last if line is not None and line.haunted is not None else None
        return Aged() if last is None else Aged(is_ghost=True, ghost_age_seconds=last[0].total_seconds())

    @property
    def actor(self) -> str:
        """Who speaks; nobody if it was not said."""
        return self._at.get("actor_id", "")

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

    def invoke(self, path: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a path answers: those of engrams here, the others where the memory is."""
        if path in PATHS:
            return Kept(self.engrams, self.actor).invoke(path, arguments)
        return self._memory.invoke(path, **{**self._at, **arguments})

    def named(self, name: object) -> str:
        """The path of the node that an agent's name means."""
        text = checked_name(name, "agent_id")
        return text if text.startswith("/") else f"/{text}"
