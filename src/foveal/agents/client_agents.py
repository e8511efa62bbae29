"""Three small agents on top of `MemoryClient`: a context manager, a knowledge base and a session memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

from foveal.errors import Invalid, NotFound
from foveal.ports.system import Clock, SystemClock
from foveal.rules.validation import checked_count, checked_name, checked_text

Answer = Mapping[str, Any]


class Client(Protocol):
    """The methods of `MemoryClient` that the small agents use, in this process or against a server."""

    def create_session(
        self, user_id: str, session_type: str = "conversation", session_metadata: dict[str, Any] | None = None
    ) -> Answer:
        """Start a session of a user."""
        ...

    def end_session(self, session_id: str) -> Answer:
        """End a session."""
        ...

    def add_memory(
        self,
        content: str,
        memory_type: str = "general",
        memory_tier: str = "short",
        importance: float = 0.5,
        metadata: dict[str, Any] | None = None,
        tags: list[str] | None = None,
        parent_id: str | None = None,
    ) -> Answer:
        """Store a memory."""
        ...

    def batch_get_memories(self, memory_ids: list[str]) -> Answer:
        """Fetch many memories by id."""
        ...

    def semantic_search(self, query: str, k: int = 5, filters: dict[str, Any] | None = None) -> Answer:
        """The memories that answer a query best."""
        ...

    def update_memory(self, memory_id: str, update_payload: dict[str, Any]) -> Answer:
        """Change a memory."""
        ...

    def delete_memory(self, memory_id: str, cascade: bool = True) -> Answer:
        """Forget a memory."""
        ...

    def get_children(
        self, parent_id: str, limit: int = 50, sort_field: str = "created_at", sort_order: str = "desc"
    ) -> Answer:
        """The direct children of a memory."""
        ...

    def create_context_group(self, name: str, description: str | None = None) -> Answer:
        """The group of this name, created if it does not exist."""
        ...

    def add_to_group(self, memory_id: str, group_id: int) -> Answer:
        """Add a memory to a group."""
        ...

    def get_memories_by_group(self, group_id: int) -> Answer:
        """The memories of a group."""
        ...


CONTEXT_KIND = "context"
MOST_CACHED = 64
CACHED_FOR = timedelta(minutes=5)


class ContextManagerAgent:
    """Named contexts, such as projects, that any session may add to and read.

    Which memories a context has is cached for five minutes, or until this agent adds to it; the memories themselves
    are fetched each time, so that a deleted one is gone at once and a changed one is shown as it is. `refresh` also
    shows what others have added.
    """

    def __init__(self, client: Client, *, cached_for: timedelta = CACHED_FOR, clock: Clock | None = None) -> None:
        self._client = client
        self._cached_for = cached_for
        self._clock = clock or SystemClock()
        self._read: dict[str, tuple[datetime, list[str]]] = {}

    def add(self, name: str, content: str, *, importance: float = 0.5) -> Mapping[str, Any]:
        """Add content to a context, creating the context if it does not exist."""
        group = self._group(name)
        text = checked_text(content, "content")
        memory = self._client.add_memory(text, CONTEXT_KIND, "medium", importance, {"context": name})["memory"]
        self._client.add_to_group(memory["memory_id"], group)
        self._read.pop(name, None)
        return memory

    def get(self, name: str, *, refresh: bool = False) -> list[Mapping[str, Any]]:
        """The memories in a context, oldest first."""
        now = self._clock.now()
        until, ids = self._read.get(name, (now, []))
        if not refresh and now < until:
            found = self._client.batch_get_memories(ids)["results"]
            return [result["memory"] for result in found if "memory" in result]
        memories = list(self._client.get_memories_by_group(self._group(name))["memories"])
        self._read.pop(name, None)
        if len(self._read) >= MOST_CACHED:
            self._read.pop(next(iter(self._read)))
        self._read[name] = (now + self._cached_for, [memory["memory_id"] for memory in memories])
        return memories

    def find(self, query: str, k: int = 5, *, name: str | None = None) -> list[Mapping[str, Any]]:
        """The memories that answer a question best, in one context or in all."""
        where = {} if name is None else {"metadata.context": checked_name(name, "name")}
        count = checked_count(k, "k")
        return self._client.semantic_search(query, count, {"memory_type": CONTEXT_KIND, **where})["memories"]

    def _group(self, name: str) -> int:
        return self._client.create_context_group(checked_name(name, "name"))["group_id"]


FACT_KIND = "fact"


class KnowledgeBaseAgent:
    """Keeps one fact per topic. A new fact supersedes the previous one, which stays in the history."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def add_fact(
        self, topic: str, fact: str, *, source: str = "", tags: Sequence[str] = (), importance: float = 0.7
    ) -> Mapping[str, Any]:
        """Store the fact about a topic, superseding the previous one. Returns the memory."""
        name, text = checked_name(topic, "topic"), checked_text(fact, "fact")
        metadata: dict[str, Any] = {"topic": name, **({"source": source} if source else {})}
        known = self._found(name)
        if known is None:
            return self._client.add_memory(text, FACT_KIND, "long", importance, metadata, list(tags))["memory"]
        if known["content"] == text:
            return known
        change: dict[str, Any] = {"content": text, "metadata": metadata, "importance": importance}
        if tags:
            change["tags"] = list(tags)
        return self._client.update_memory(known["memory_id"], change)["memory"]

    def get_fact(self, topic: str) -> Mapping[str, Any]:
        """The fact about a topic; `NotFound` if there is none."""
        known = self._found(checked_name(topic, "topic"))
        if known is None:
            raise NotFound(f"there is no fact about {topic!r} here", topic=topic)
        return known

    def search(self, query: str, k: int = 5) -> list[Mapping[str, Any]]:
        """The facts that answer a question best."""
        return self._client.semantic_search(query, k, {"memory_type": FACT_KIND})["memories"]

    def forget_fact(self, topic: str) -> None:
        """Forget the fact about a topic; `NotFound` if there is none."""
        self._client.delete_memory(self.get_fact(topic)["memory_id"])

    def _found(self, topic: str) -> Mapping[str, Any] | None:
        filters = {"memory_type": FACT_KIND, "metadata.topic": topic}
        memories = self._client.semantic_search(topic, 1, filters)["memories"]
        return memories[0] if memories else None


TURN, SESSION = "turn", "session"


class SessionMemoryAgent:
    """One session at a time: lists its turns in order, and searches in it and in earlier sessions."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._session: str | None = None
        self._root: str = ""

    def begin(self, user_id: str, *, kind: str = "conversation", metadata: dict[str, Any] | None = None) -> str:
        """Start a session of a user, after ending the current one. Returns its id."""
        if self._session is not None:
            self.end()
        session: str = self._client.create_session(user_id, kind, metadata)["session_id"]
        # The turns are children of one memory, so that they can be listed in order.
        root = self._client.add_memory(f"{kind} {session}", SESSION, metadata={"session": session})
        self._session, self._root = session, root["memory_id"]
        return session

    def say(self, text: str, *, role: str = "user", importance: float = 0.5) -> Mapping[str, Any]:
        """Store a turn of the current session."""
        metadata = {"role": role, "session": self._current}
        added = self._client.add_memory(checked_text(text), TURN, "short", importance, metadata, None, self._root)
        return added["memory"]

    def turns(self, limit: int = 50) -> list[Mapping[str, Any]]:
        """The last turns of the current session, oldest first."""
        session = self._current
        memories = self._client.get_children(self._root, limit)["memories"]
        return [memory for memory in reversed(memories) if memory["metadata"].get("session") == session]

    def recall(self, query: str, k: int = 5, *, everywhere: bool = False) -> list[Mapping[str, Any]]:
        """The turns that answer a question best, in the current session or in all sessions of the user."""
        here = {} if everywhere else {"metadata.session": self._current}
        return self._client.semantic_search(query, k, {"memory_type": TURN, **here})["memories"]

    def end(self) -> None:
        """End the session. Its turns stay in memory."""
        self._client.end_session(self._current)
        self._session = None

    @property
    def _current(self) -> str:
        if self._session is None:
            raise Invalid("there is no current session: call begin first")
        return self._session
