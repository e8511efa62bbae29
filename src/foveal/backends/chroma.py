"""A vector index in ChromaDB."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings
from chromadb.errors import ChromaError, InvalidArgumentError, NotFoundError

from foveal.errors import Invalid, StoreUnavailable
from foveal.model.search import Floats
from foveal.ports.system import Organism
from foveal.rules.recall.index import nearest, unit_rows

# Chroma limits a call to a few thousand rows.
_AT_ONCE = 1_000
# Recall asks for a few hundred rows, and the search must visit more than those to find them.
_HNSW = {"space": "cosine", "ef_search": 400, "ef_construction": 200}


class ChromaVectorStore:
    """A Chroma collection for each kind of record of an actor, in a folder, or without one in this process.

    The metadata of a collection contain its world, actor and kind; those of a row, its record. Telemetry is off,
    and Chroma embeds nothing itself. Only one process at a time may use a folder.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._closed = False
        settings = Settings(anonymized_telemetry=False)
        self._where = "in this process" if path is None else str(path)
        with self._translated():
            self._client: Any = (
                chromadb.EphemeralClient(settings=settings)
                if path is None
                else chromadb.PersistentClient(path=str(path), settings=settings)
            )

    def upsert(self, organism: Organism, kind: str, ids: Sequence[str], vectors: Floats) -> None:
        """Store the vectors of each id, replacing all that were stored under it."""
        rows = unit_rows(vectors, ids)
        if not len(rows):
            return
        places: dict[str, list[int]] = {}
        for place, record_id in enumerate(ids):
            places.setdefault(record_id, []).append(place)
        names = {
            f"{record_id}#{number}": (place, {"record": record_id, "rows": len(own_places)})
            for record_id, own_places in places.items()
            for number, place in enumerate(own_places)
        }
        with self._translated():
            collection = self._collection_or_new(organism, kind)
            stale = [name for name in _rows_of(collection, list(places)) if name not in names]
            for batch in _batches(list(names)):
                chosen = [names[name] for name in batch]
                collection.upsert(
                    ids=batch,
                    embeddings=rows[[place for place, _ in chosen]],
                    metadatas=[metadata for _, metadata in chosen],
                )
            for batch in _batches(stale):
                collection.delete(ids=batch)

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Delete the vectors of these ids."""
        with self._translated():
            for kind in self._kinds(organism):
                collection = self._collection(_named(organism, kind))
                if collection is not None:
                    for batch in _batches(_rows_of(collection, list(dict.fromkeys(ids)))):
                        collection.delete(ids=batch)

    def query(
        self, organism: Organism, kinds: Sequence[str] | None, vector: Floats, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest ids of these kinds with their cosines, nearest first."""
        wanted = unit_rows(np.asarray(vector)[None], [""])
        hits: list[tuple[str, float]] = []
        with self._translated():
            for kind in self._kinds(organism) if kinds is None else dict.fromkeys(kinds):
                collection = self._collection(_named(organism, kind))
                hits += _nearest(collection, wanted, k) if collection else []
        return nearest(hits, k)

    def mark(self, organism: Organism) -> str | None:
        """The last mark that `set_mark` stored."""
        with self._translated():
            return self._metadata(organism).get("mark")

    def set_mark(self, organism: Organism, mark: str) -> None:
        """Store how far the index has followed the organism."""
        with self._translated():
            self._set_metadata(organism, {"mark": mark})

    def clear(self, organism: Organism) -> None:
        """Delete all vectors of an organism, and its mark."""
        with self._translated():
            for kind in self._kinds(organism):
                if self._collection(_named(organism, kind)):
                    self._client.delete_collection(_named(organism, kind))
            if self._collection(_named(organism)):
                self._client.delete_collection(_named(organism))

    def close(self) -> None:
        """Close the database."""
        if not self._closed:
            self._closed = True
            self._client.close()

    def _collection_or_new(self, organism: Organism, kind: str) -> Any:
        collection = self._collection(_named(organism, kind))
        if collection is None:
            # The kind is stored first, because a collection of an unknown kind could never be deleted.
            self._set_metadata(organism, {"kinds": json.dumps([*self._kinds(organism), kind])})
            world, actor = organism
            collection = self._client.get_or_create_collection(
                _named(organism, kind),
                embedding_function=None,
                configuration={"hnsw": _HNSW},
                metadata={"world": world, "actor": actor, "kind": kind},
            )
        return collection

    def _collection(self, name: str) -> Any | None:
        try:
            return self._client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _kinds(self, organism: Organism) -> list[str]:
        return json.loads(self._metadata(organism).get("kinds", "[]"))

    def _metadata(self, organism: Organism) -> dict[str, Any]:
        collection = self._collection(_named(organism))
        return {} if collection is None else dict(collection.metadata or {})

    def _set_metadata(self, organism: Organism, more: dict[str, Any]) -> None:
        world, actor = organism
        collection = self._collection(_named(organism))
        metadata = {"world": world, "actor": actor, **self._metadata(organism), **more}
        if collection is None:
            self._client.create_collection(_named(organism), embedding_function=None, metadata=metadata)
        else:
            collection.modify(metadata=metadata)

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        if self._closed:
            raise StoreUnavailable(f"the vectors of Chroma ({self._where}) are closed")
        try:
            yield
        except InvalidArgumentError as error:
            raise Invalid("these vectors have another length than those that are there") from error
        except (ChromaError, OSError, RuntimeError, ValueError) as error:
            raise StoreUnavailable(f"the vectors of Chroma ({self._where}) cannot be reached: {error}") from error


def _named(organism: Organism, kind: str | None = None) -> str:
    # Chroma allows only short, plain names; those of worlds, actors and kinds may be anything.
    parts = organism if kind is None else (*organism, kind)
    return blake2b("\0".join(parts).encode(), digest_size=20).hexdigest()


def _batches(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE)]


def _rows_of(collection: Any, ids: Sequence[str]) -> list[str]:
    """The names of all rows that are stored under these ids."""
    names: list[str] = []
    for batch in _batches([f"{record_id}#0" for record_id in ids]):
        stored = collection.get(ids=list(batch), include=["metadatas"])
        names += [f"{row['record']}#{number}" for row in stored["metadatas"] for number in range(row["rows"])]
    return names


def _nearest(collection: Any, wanted: Floats, k: int) -> list[tuple[str, float]]:
    rows, reach = collection.count(), k
    while True:
        reach = min(reach, rows)
        if reach < 1:
            return []
        answer = collection.query(query_embeddings=wanted, n_results=reach, include=["distances"])
        ids = (name.rpartition("#")[0] for name in answer["ids"][0])
        distances = answer["distances"][0]
        hits = nearest(
            ((record_id, 1.0 - float(distance)) for record_id, distance in zip(ids, distances, strict=True)), k
        )
        # A long text has many rows, which may crowd out other records.
        if len(hits) >= k or reach == rows:
            return hits
        reach *= 2
