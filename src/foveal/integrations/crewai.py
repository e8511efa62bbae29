"""A storage for the memory of CrewAI."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
from crewai.memory.types import MemoryRecord, ScopeInfo
from numpy.typing import NDArray

from foveal.backends.models.static import shared_static
from foveal.engine.memory import View
from foveal.integrations import keyed
from foveal.integrations.errors import raised_as
from foveal.model.record import Record

KIND, REGION = "crew", "crew"
PAGE = 200


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Vectors of texts from the encoder inside the package: `Memory(embedder=embed)` needs no key, no network."""
    return [[float(number) for number in row] for row in shared_static().embed(list(texts))]


class FovealStorage:
    """A storage for CrewAI's memory whose entries are records: `Memory(storage=FovealStorage(memory))`.

    CrewAI makes the vectors and asks by vector only, so a search compares with each entry of its scope. Entries
    survive a restart and keep their history; what is deleted is erased.
    """

    def __init__(self, memory: View) -> None:
        self._memory = memory

    def save(self, records: list[MemoryRecord]) -> None:
        """Store entries; those whose id is known are replaced."""
        known = keyed.stored(self._memory, KIND, [record.id for record in records])
        newest = self._memory.browse.page(filters=_within(None), limit=1).records
        vectors = [entry.embedding for entry in [*map(_entry, newest), *records] if entry.embedding]
        for vector in vectors[1:]:
            if len(vector) != len(vectors[0]):
                raise EmbeddingDimensionMismatchError(len(vectors[0]), len(vector))
        for record in records:
            self._put(record, known.get(record.id))

    def update(self, record: MemoryRecord) -> None:
        """Replace an entry."""
        self.save([record])

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """The entry with this id, or None."""
        record = keyed.stored(self._memory, KIND, [record_id]).get(record_id)
        return None if record is None else _entry(record)

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """The entries whose vectors are nearest, with their cosine; those below `min_score` are left out."""
        query = np.asarray(query_embedding, np.float32)
        found = [
            (entry, _cosine(query, entry.embedding))
            for entry in self._entries(scope_prefix)
            if _fits(entry, categories, metadata_filter)
        ]
        found.sort(key=lambda pair: pair[1], reverse=True)
        return [pair for pair in found if pair[1] >= min_score][:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Erase the entries that meet all conditions, and return how many there were."""
        wanted = None if record_ids is None else set(record_ids)
        gone = [
            entry.id
            for entry in self._entries(scope_prefix)
            if _fits(entry, categories, metadata_filter)
            and (wanted is None or entry.id in wanted)
            and (older_than is None or _aware(entry.created_at) < _aware(older_than))
        ]
        self._erase(gone)
        return len(gone)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """The entries of a scope, newest first."""
        entries = sorted(self._entries(scope_prefix), key=lambda entry: _aware(entry.created_at), reverse=True)
        return entries[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """How many entries a scope and those below it have, since when, and in which categories."""
        entries = list(self._entries(scope))
        moments = [entry.created_at for entry in entries]
        return ScopeInfo(
            path=_path(scope) or "/",
            record_count=len(entries),
            categories=sorted({category for entry in entries for category in entry.categories}),
            oldest_record=min(moments, key=_aware, default=None),
            newest_record=max(moments, key=_aware, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes immediately below a scope."""
        above = _path(parent)
        below = (_path(entry.scope).removeprefix(above).strip("/") for entry in self._entries(parent))
        return sorted({f"{above}/{path.split('/')[0]}" for path in below if path})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """The categories of a scope, with how many entries each has."""
        return dict(Counter(category for entry in self._entries(scope_prefix) for category in entry.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """How many entries a scope and those below it have."""
        return sum(1 for _ in self._entries(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Erase all entries of a scope, or of every scope."""
        self._erase([entry.id for entry in self._entries(scope_prefix)])

    async def asave(self, records: list[MemoryRecord]) -> None:
        """`save`, in a thread."""
        await asyncio.to_thread(self.save, records)

    async def asearch(
        self, query_embedding: list[float], *words: Any, **options: Any
    ) -> list[tuple[MemoryRecord, float]]:
        """`search`, in a thread."""
        return await asyncio.to_thread(self.search, query_embedding, *words, **options)

    async def adelete(self, *words: Any, **options: Any) -> int:
        """`delete`, in a thread."""
        return await asyncio.to_thread(self.delete, *words, **options)

    def _put(self, entry: MemoryRecord, record: Record | None) -> None:
        details: dict[str, Any] = {
            "metadata": _stored(entry),
            "tags": entry.categories,
            "importance": entry.importance,
        }
        # A record has a text; that of an empty entry is its id.
        text = entry.content if entry.content.strip() else entry.id
        with raised_as(ValueError):
            if record is not None:
                self._memory.supersede(record.id, text, **details)
            else:
                fixed = {"region": REGION, "tier": "semantic", "occurred_at": _aware(entry.created_at)}
                keyed.put(self._memory, KIND, entry.id, text, fixed=fixed, details=details)

    def _entries(self, scope_prefix: str | None) -> Iterator[MemoryRecord]:
        cursor: str | None = None
        while True:
            page = self._memory.browse.page(filters=_within(scope_prefix), limit=PAGE, cursor=cursor)
            yield from map(_entry, page.records)
            cursor = page.cursor
            if cursor is None:
                return

    def _erase(self, ids: Sequence[str]) -> None:
        known = keyed.stored(self._memory, KIND, ids)
        if known:
            self._memory.forget([record.id for record in known.values()], hard=True)


def _path(scope: str) -> str:
    """A scope without the slash at its end: the root is empty."""
    return f"/{scope.strip('/')}" if scope.strip("/") else ""


def _within(scope_prefix: str | None) -> dict[str, Any]:
    path = _path(scope_prefix or "/")
    below = [{"metadata.path": path}, {"metadata.path": {"prefix": f"{path}/"}}]
    return {"kind": KIND, "or": below} if path else {"kind": KIND}


def _fits(entry: MemoryRecord, categories: list[str] | None, metadata: dict[str, Any] | None) -> bool:
    return (not categories or any(category in entry.categories for category in categories)) and all(
        entry.metadata.get(name) == value for name, value in (metadata or {}).items()
    )


def _cosine(query: NDArray[np.float32], vector: Sequence[float] | None) -> float:
    if not vector:
        return 0.0
    if len(vector) != len(query):
        raise EmbeddingDimensionMismatchError(len(vector), len(query))
    other = np.asarray(vector, np.float32)
    size = float(np.linalg.norm(query) * np.linalg.norm(other))
    return max(0.0, float(query @ other) / size) if size else 0.0


def _aware(moment: datetime) -> datetime:
    """A moment with its time zone: CrewAI's own have none and mean UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _stored(entry: MemoryRecord) -> dict[str, Any]:
    vector = np.asarray(entry.embedding or [], np.float32)
    stored = {"path": _path(entry.scope), "entry": entry.model_dump(mode="json", exclude={"content"})}
    blank = {} if entry.content.strip() else {"blank": entry.content}
    return {**stored, **blank, "vector": b64encode(vector.tobytes()).decode()}


def _entry(record: Record) -> MemoryRecord:
    vector = np.frombuffer(b64decode(record.metadata["vector"]), np.float32)
    content = record.metadata.get("blank", record.text)
    return MemoryRecord(**record.metadata["entry"], content=content, embedding=vector.tolist() or None)
