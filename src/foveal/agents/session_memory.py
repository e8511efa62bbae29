"""An agent that keeps what is said in sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foveal.agents.client import Client
from foveal.errors import Invalid
from foveal.rules.validation import checked_text

TURN, SESSION = "turn", "session"


class SessionMemoryAgent:
    """One session at a time: its turns in their order, and what was said in it and in those before, by meaning."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._session: str | None = None
        self._root: str = ""

    def begin(self, user_id: str, *, kind: str = "conversation", metadata: dict[str, Any] | None = None) -> str:
        """Begin a session of a user, and end the one that goes on. Gives its id."""
        if self._session is not None:
            self.end()
        session: str = self._client.create_session(user_id, kind, metadata)["session_id"]
        # The turns hang on one memory, so that they can be listed in their order.
        root = self._client.add_memory(f"{kind} {session}", SESSION, metadata={"session": session})
        self._session, self._root = session, root["memory_id"]
        return session

    def say(self, text: str, *, role: str = "user", importance: float = 0.5) -> Mapping[str, Any]:
        """Remember a turn of the session that goes on."""
        said = {"role": role, "session": self._going_on}
        added = self._client.add_memory(checked_text(text), TURN, "short", importance, said, None, self._root)
        return added["memory"]

    def turns(self, limit: int = 50) -> list[Mapping[str, Any]]:
        """The last turns of the session that goes on, oldest first."""
        session = self._going_on
        found = self._client.get_children(self._root, limit)["memories"]
        return [one for one in reversed(found) if one["metadata"].get("session") == session]

    def recall(self, query: str, k: int = 5, *, everywhere: bool = False) -> list[Mapping[str, Any]]:
        """What was said that answers a question: in the session that goes on, or in all of the user's."""
        here = {} if everywhere else {"metadata.session": self._going_on}
        return self._client.semantic_search(query, k, {"memory_type": TURN, **here})["memories"]

    def end(self) -> None:
        """Say that the session is over. What was said in it stays."""
        self._client.end_session(self._going_on)
        self._session = None

    @property
    def _going_on(self) -> str:
        if self._session is None:
            raise Invalid("no session goes on: call begin first")
        return self._session
