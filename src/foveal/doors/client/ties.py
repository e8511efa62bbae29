"""What ties memories together, as the client's methods."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.doors.client.seam import Seam
from foveal.doors.client.shapes import (
    GroupAnswer,
    JoinedAnswer,
    MemoriesAnswer,
    RelationshipAnswer,
    group_dict,
    memories_answer,
    memory_dict,
    relationship_dict,
)
from foveal.errors import Invalid, NotFound
from foveal.model.record import Group, Record
from foveal.model.results import Related


class Ties:
    """Relationships and context groups."""

    _seam: Seam

    def add_relationship(
        self, source_id: str, target_id: str, relationship_type: str, strength: float = 1.0
    ) -> RelationshipAnswer:
        """Draw a typed edge between two memories; drawn again, it takes the new strength."""
        link = self._seam.call("link", source_id, target_id, kind=relationship_type, weight=strength)
        return RelationshipAnswer(status="success", relationship=relationship_dict(link))

    def get_related_memories(self, memory_id: str, relationship_type: str | None = None) -> MemoriesAnswer:
        """The memories that edges tie to one, strongest first."""
        found: Sequence[Related] = self._seam.call("related", memory_id, kind=relationship_type)
        return memories_answer(
            ({**memory_dict(one.record), "relationship": relationship_dict(one.link)} for one in found),
            self._seam.aged,
        )

    def create_context_group(self, name: str, description: str | None = None) -> GroupAnswer:
        """The context group of this name, made if there is none."""
        before: Sequence[Group] = self._seam.call("groups")
        group: Group = self._seam.call("group", name, description=description or "")
        known = any(one.id == group.id for one in before)
        return GroupAnswer(status="success", group_id=group.number, group=group_dict(group), created=not known)

    def add_to_group(self, memory_id: str, group_id: int) -> JoinedAnswer:
        """Put a memory into a context group."""
        self._seam.call("group", self._group(group_id).name, [memory_id])
        return JoinedAnswer(status="success", group_id=group_id, memory_id=memory_id)

    def get_memories_by_group(self, group_id: int) -> MemoriesAnswer:
        """The memories of a context group, oldest first."""
        found: Sequence[Record] = self._seam.call("members", self._group(group_id).id)
        return memories_answer((memory_dict(one) for one in found), self._seam.aged)

    def _group(self, number: int) -> Group:
        if not isinstance(number, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid(f"group_id is a number, as create_context_group gives it, not {type(number).__name__}")
        groups: Sequence[Group] = self._seam.call("groups")
        for one in groups:
            if one.number == number:
                return one
        raise NotFound(f"there is no group {number} here", group_id=number)
