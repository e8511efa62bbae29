"""Memories, one by one and in batches, as the client's methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from foveal.doors.client.seam import Seam
from foveal.doors.client.shapes import (
    BatchAnswer,
    BatchItem,
    DeletedAnswer,
    MemoriesAnswer,
    MemoryAnswer,
    MemoryDict,
    deleted_answer,
    memories_answer,
    memory_dict,
    renamed,
)
from foveal.errors import Invalid
from foveal.model.query import FIELDS, Op
from foveal.model.record import Record
from foveal.model.results import Hit, Written

# What an item of a batch, and an update, may say.
ITEM = {
    **{"content": "text", "memory_type": "kind", "memory_tier": "tier", "importance": "importance"},
    **{"metadata": "metadata", "tags": "tags", "parent_id": "parent_id", "expires_at": "expires_at"},
    **{"memory_id": "id", "scope": "scope"},
}
UPDATE = {
    **{"content": "text", "importance": "importance", "tags": "tags", "metadata": "metadata"},
    **{"tier": "tier", "memory_tier": "tier", "memory_type": "kind", "scope": "scope"},
    **{"expires_at": "expires_at", "parent_id": "parent_id"},
}
# What a filter may call the fields of a record; any other name is a key of the metadata.
FIELD_NAMES = {
    **{"memory_id": "id", "content": "text", "memory_type": "kind", "memory_tier": "tier", "agent_id": "node"},
    **{"created_at": "recorded_at", "access_count": "uses"},
}


class Memories:
    """What is remembered: added, found, changed, deleted."""

    _seam: Seam

    def add_memory(
        self,
        content: str,
        memory_type: str = "general",
        memory_tier: str = "short",
        importance: float = 0.5,
        metadata: dict[str, Any] | None = None,
        tags: list[str] | None = None,
        parent_id: str | None = None,
        *,
        expires_at: str | None = None,
        scope: str = "local",
    ) -> MemoryAnswer:
        """Remember a text."""
        written: Written = self._seam.call(
            "write",
            content,
            kind=memory_type,
            tier=memory_tier,
            importance=importance,
            metadata=metadata,
            tags=tags or (),
            parent_id=parent_id,
            expires_at=expires_at,
            scope=scope,
        )
        return self.get_memory(written.id)

    def get_memory(self, memory_id: str) -> MemoryAnswer:
        """One memory; `NotFound` if there is none that you may see."""
        return self._answer(self._seam.call("get", memory_id))

    def search_memory(
        self, query: str, memory_type: str | None = None, limit: int = 10, parent_id: str | None = None
    ) -> MemoriesAnswer:
        """The memories that answer a question best; of one type, or under one parent."""
        wanted = {"kind": memory_type, "parent_id": parent_id}
        filters = {name: value for name, value in wanted.items() if value is not None}
        return self._found(query, limit, filters)

    def semantic_search(self, query: str, k: int = 5, filters: dict[str, Any] | None = None) -> MemoriesAnswer:
        """The memories that answer a question best, by words and by meaning, of those that the filters let through.

        A name in the filters is a field of a memory, or else a key of its metadata.
        """
        return self._found(query, k, _our_fields(filters or {}))

    def _answer(self, record: Record) -> MemoryAnswer:
        return MemoryAnswer(status="success", memory_id=record.id, memory=memory_dict(record), **self._seam.aged)

    def _found(self, query: str, k: int, filters: Mapping[str, Any]) -> MemoriesAnswer:
        hits: Sequence[Hit] = self._seam.call("search", query, k=k, filters=filters)
        return memories_answer((_hit_dict(hit) for hit in hits), self._seam.aged)

    def update_memory(self, memory_id: str, update_payload: dict[str, Any]) -> MemoryAnswer:
        """Change a memory: what it was before stays in its history."""
        said = renamed(update_payload, UPDATE, "update_payload")
        if not said:
            raise Invalid(f"update_payload says nothing: use one of {', '.join(UPDATE)}")
        text = said.pop("text") if "text" in said else self._seam.call("get", memory_id).text
        return self._answer(self._seam.call("supersede", memory_id, text, **said))

    def delete_memory(self, memory_id: str, cascade: bool = True) -> DeletedAnswer:
        """Forget a memory, and all that lies below it. Pinned ones below are left and reported."""
        return deleted_answer(memory_id, self._seam.call("forget", memory_id, cascade=cascade))

    def get_children(
        self, parent_id: str, limit: int = 50, sort_field: str = "created_at", sort_order: str = "desc"
    ) -> MemoriesAnswer:
        """The memories right below one, sorted."""
        found: Sequence[Record] = self._seam.call(
            "children", parent_id, limit=limit, sort_field=sort_field, sort_order=sort_order
        )
        return memories_answer((memory_dict(one) for one in found), self._seam.aged)

    def reinforce_memory(self, memory_id: str, reinforcement_factor: float = 1.2) -> MemoryAnswer:
        """Say that a memory matters: its importance grows by the factor, to 1 at most."""
        return self._answer(self._seam.call("reinforce", memory_id, reinforcement_factor))

    def batch_add_memories(self, memories: list[dict[str, Any]]) -> BatchAnswer:
        """Remember many texts. Each item says what `add_memory` takes, and is answered on its own."""
        items: list[dict[str, Any]] = []
        places: list[int] = []
        results: dict[int, BatchItem] = {}
        for index, memory in enumerate(memories):
            try:
                if not isinstance(memory, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
                    raise Invalid(f"a memory is a dictionary with a content, not {type(memory).__name__}")
                said = renamed(memory, ITEM, "a memory")
            except Invalid as error:
                results[index] = _refused(index, error.code, error.message)
                continue
            items.append({"kind": "general", "tier": "short", "importance": 0.5, **said})
            places.append(index)
        written: Written = self._seam.call("write_many", items)
        rejected = {places[one.index]: one for one in written.rejected}
        results |= {at: _refused(at, one.code, one.message) for at, one in rejected.items()}
        stored = [at for at in places if at not in rejected]
        for at, one in zip(stored, written.ids, strict=True):
            kind = "duplicate" if one in written.duplicates else "added"
            results[at] = BatchItem(index=at, status=kind, memory_id=one)
        return _batch(results, len(stored))

    def batch_get_memories(self, memory_ids: list[str]) -> BatchAnswer:
        """Many memories by id, each found or not."""
        found: Sequence[Record] = self._seam.call("get_many", memory_ids)
        seen = {one.id: memory_dict(one) for one in found}
        results: dict[int, BatchItem] = {}
        for at, one in enumerate(memory_ids):
            results[at] = BatchItem(index=at, status="not_found", memory_id=one)
            if one in seen:
                results[at] = BatchItem(index=at, status="found", memory_id=one, memory=seen[one])
        return {**_batch(results, sum(one in seen for one in memory_ids)), **self._seam.aged}


def _hit_dict(hit: Hit) -> MemoryDict:
    found = memory_dict(hit.record)
    found["relevance"] = hit.relevance
    if hit.replaced_by is not None:
        found["replaced_by"] = hit.replaced_by
    return found


def _refused(index: int, code: str, message: str) -> BatchItem:
    return BatchItem(index=index, status="rejected", code=code, message=message)


def _batch(results: Mapping[int, BatchItem], count: int) -> BatchAnswer:
    listed = [results[at] for at in sorted(results)]
    return BatchAnswer(status="success" if count == len(listed) else "partial", results=listed, count=count)


def _our_fields(filters: Mapping[str, Any]) -> dict[str, Any]:
    """A filter under our own names: a field stays a field, anything else is a key of the metadata."""
    return {_our_field(name): _inside(name, value) for name, value in filters.items()}


def _inside(name: str, value: Any) -> Any:
    if name in ("and", "or") and isinstance(value, list | tuple):
        return [_our_fields(one) for one in cast(Sequence[Mapping[str, Any]], value)]
    if name == "not" and isinstance(value, Mapping):
        return _our_fields(cast(Mapping[str, Any], value))
    return value


def _our_field(name: str) -> str:
    field, _, op = name.rpartition("__")
    bare = field if op in tuple(Op) else name
    if bare in ("and", "or", "not", "metadata", *FIELDS) or bare.startswith("metadata."):
        return name
    return FIELD_NAMES.get(bare, f"metadata.{bare}") + name.removeprefix(bare)
