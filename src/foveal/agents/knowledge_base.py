"""An agent that keeps facts by their topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foveal.agents.client import Client
from foveal.errors import NotFound
from foveal.rules.validation import checked_name, checked_text

KIND = "fact"


class KnowledgeBaseAgent:
    """One fact a topic. A fact that is told again supersedes the one before, which stays in its history."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def add_fact(
        self, topic: str, fact: str, *, source: str = "", tags: Sequence[str] = (), importance: float = 0.7
    ) -> Mapping[str, Any]:
        """Keep what is so about a topic, in place of what was said of it before. Gives the memory."""
        name, text = checked_name(topic, "topic"), checked_text(fact, "fact")
        said: dict[str, Any] = {"topic": name, **({"source": source} if source else {})}
        known = self._found(name)
        if known is None:
            return self._client.add_memory(text, KIND, "long", importance, said, list(tags))["memory"]
        if known["content"] == text:
            return known
        change: dict[str, Any] = {"content": text, "metadata": said, "importance": importance}
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
        return self._client.semantic_search(query, k, {"memory_type": KIND})["memories"]

    def forget_fact(self, topic: str) -> None:
        """Forget the fact about a topic; `NotFound` if there is none."""
        self._client.delete_memory(self.get_fact(topic)["memory_id"])

    def _found(self, topic: str) -> Mapping[str, Any] | None:
        found = self._client.semantic_search(topic, 1, {"memory_type": KIND, "metadata.topic": topic})["memories"]
        return found[0] if found else None
