"""What the agents need of a client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Answer = Mapping[str, Any]


class Client(Protocol):
    """The methods of `MemoryClient` that the small agents speak through, in this process or against a server."""

    def create_session(
        self, user_id: str, session_type: str = "conversation", session_metadata: dict[str, Any] | None = None
    ) -> Answer:
        """Begin a session of a user."""
        ...

    def end_session(self, session_id: str) -> Answer:
        """Say that a session is over."""
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
        """Remember something."""
        ...

    def semantic_search(self, query: str, k: int = 5, filters: dict[str, Any] | None = None) -> Answer:
        """The memories that answer best."""
        ...

    def update_memory(self, memory_id: str, update_payload: dict[str, Any]) -> Answer:
        """Let a memory say something else."""
        ...

    def delete_memory(self, memory_id: str, cascade: bool = True) -> Answer:
        """Forget a memory."""
        ...

    def get_children(
        self, parent_id: str, limit: int = 50, sort_field: str = "created_at", sort_order: str = "desc"
    ) -> Answer:
        """The memories right below one."""
        ...

    def create_context_group(self, name: str, description: str | None = None) -> Answer:
        """The group of a name."""
        ...

    def add_to_group(self, memory_id: str, group_id: int) -> Answer:
        """Put a memory into a group."""
        ...

    def get_memories_by_group(self, group_id: int) -> Answer:
        """The memories of a group."""
        ...
