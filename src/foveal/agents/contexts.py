"""An agent that keeps what belongs together across sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foveal.agents.client import Client
from foveal.rules.validation import checked_count, checked_name, checked_text

KIND = "context"
MOST_CACHED = 64


class ContextManagerAgent:
    """Named contexts, such as projects, that any session may add to and read.

    A context that was read is kept and given again without asking, until this agent adds to it; what another added
    meanwhile comes with `refresh`.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._read: dict[str, list[Mapping[str, Any]]] = {}

    def add(self, name: str, content: str, *, importance: float = 0.5) -> Mapping[str, Any]:
        """Put something into a context, which is made if need be."""
        group = self._group(name)
        text = checked_text(content, "content")
        memory = self._client.add_memory(text, KIND, "medium", importance, {"context": name})["memory"]
        self._client.add_to_group(memory["memory_id"], group)
        self._read.pop(name, None)
        return memory

    def get(self, name: str, *, refresh: bool = False) -> list[Mapping[str, Any]]:
        """What a context holds, oldest first."""
        if refresh or name not in self._read:
            found = self._client.get_memories_by_group(self._group(name))["memories"]
            if len(self._read) >= MOST_CACHED:
                self._read.pop(next(iter(self._read)))
            self._read[name] = list(found)
        return list(self._read[name])

    def find(self, query: str, k: int = 5, *, name: str | None = None) -> list[Mapping[str, Any]]:
        """What answers a question best, of one context or of all."""
        where = {} if name is None else {"metadata.context": checked_name(name, "name")}
        count = checked_count(k, "k")
        return self._client.semantic_search(query, count, {"memory_type": KIND, **where})["memories"]

    def _group(self, name: str) -> int:
        return self._client.create_context_group(checked_name(name, "name"))["group_id"]
