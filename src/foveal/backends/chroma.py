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

# Chroma takes some thousands at once, not more.
_AT_ONCE = 1_000
# Recall asks for a few hundred: the search has to look at more than those to find them.
_HNSW = {"space": "cosine", "ef_search": 400, "ef_construction": 200}


class ChromaVectorStore:
    """A collection of Chroma for every kind of an organism, in a folder, or in this process without one.

    The metadata of a collection name its world, actor and kind; those of a row name its record. It reports nothing
    to anybody and embeds nothing itself. One process at a time may use a folder.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._closed = False
        said = Settings(anonymized_telemetry=False)
        self._where = "in this process" if path is None else str(path)
        with self._translated():
            self._client: Any = (
                chromadb.EphemeralClient(settings=said)
                if path is None
                else chromadb.PersistentClient(path=str(path), settings=said)
            )

    def upsert(self, organism: Organism, kind: str, ids: Sequence[str], vectors: Floats) -> None:
        """Keep one vector under each id, in place of all that was under it."""
        rows = unit_rows(vectors, ids)
        if not len(rows):
            return
        places: dict[str, list[int]] = {}
        for place, one in enumerate(ids):
            places.setdefault(one, []).append(place)
        names = {
            f"{one}#{number}": (place, {"record": one, "rows": len(some)})
            for one, some in places.items()
            for number, place in enumerate(some)
        }
        with self._translated():
            kept = self._made(organism, kind)
            beyond = [one for one in _rows_of(kept, list(places)) if one not in names]
            for some in _parted(list(names)):
                chosen = [names[one] for one in some]
                kept.upsert(
                    ids=some,
                    embeddings=rows[[place for place, _ in chosen]],
                    metadatas=[told for _, told in chosen],
                )
            for some in _parted(beyond):
                kept.delete(ids=some)

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Let go of these."""
        with self._translated():
            for kind in self._kinds(organism):
                kept = self._there(_named(organism, kind))
                if kept is not None:
                    for some in _parted(_rows_of(kept, list(dict.fromkeys(ids)))):
                        kept.delete(ids=some)

    def query(
        self, organism: Organism, kinds: Sequence[str] | None, vector: Floats, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest ids of these kinds with their cosines, the nearest first."""
        wanted = unit_rows(np.asarray(vector)[None], [""])
        found: list[tuple[str, float]] = []
        with self._translated():
            for kind in self._kinds(organism) if kinds is None else dict.fromkeys(kinds):
                kept = self._there(_named(organism, kind))
                found += _nearest(kept, wanted, k) if kept else []
        return nearest(found, k)

    def mark(self, organism: Organism) -> str | None:
        """What `set_mark` was told last."""
        with self._translated():
            return self._told(organism).get("mark")

    def set_mark(self, organism: Organism, mark: str) -> None:
        """Note how far the organism has been followed."""
        with self._translated():
            self._tell(organism, {"mark": mark})

    def clear(self, organism: Organism) -> None:
        """Let go of all vectors of an organism, and of its mark."""
        with self._translated():
            for kind in self._kinds(organism):
                if self._there(_named(organism, kind)):
                    self._client.delete_collection(_named(organism, kind))
            if self._there(_named(organism)):
                self._client.delete_collection(_named(organism))

    def close(self) -> None:
        """Let go of the database."""
        if not self._closed:
            self._closed = True
            self._client.close()

    def _made(self, organism: Organism, kind: str) -> Any:
        kept = self._there(_named(organism, kind))
        if kept is None:
            # The kind is noted first: one that nobody knows of could never be let go.
            self._tell(organism, {"kinds": json.dumps([*self._kinds(organism), kind])})
            world, actor = organism
            kept = self._client.get_or_create_collection(
                _named(organism, kind),
                embedding_function=None,
                configuration={"hnsw": _HNSW},
                metadata={"world": world, "actor": actor, "kind": kind},
            )
        return kept

    def _there(self, name: str) -> Any | None:
        try:
            return self._client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _kinds(self, organism: Organism) -> list[str]:
        return json.loads(self._told(organism).get("kinds", "[]"))

    def _told(self, organism: Organism) -> dict[str, Any]:
        known = self._there(_named(organism))
        return {} if known is None else dict(known.metadata or {})

    def _tell(self, organism: Organism, more: dict[str, Any]) -> None:
        world, actor = organism
        known = self._there(_named(organism))
        told = {"world": world, "actor": actor, **self._told(organism), **more}
        if known is None:
            self._client.create_collection(_named(organism), embedding_function=None, metadata=told)
        else:
            known.modify(metadata=told)

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
    # Names of Chroma are short and plain; those of worlds, actors and kinds are not.
    parts = organism if kind is None else (*organism, kind)
    return blake2b("\0".join(parts).encode(), digest_size=20).hexdigest()


def _parted(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE)]


def _rows_of(kept: Any, ids: Sequence[str]) -> list[str]:
    """The names of all rows that are there under these ids."""
    found: list[str] = []
    for some in _parted([f"{one}#0" for one in ids]):
        known = kept.get(ids=list(some), include=["metadatas"])
        found += [f"{told['record']}#{number}" for told in known["metadatas"] for number in range(told["rows"])]
    return found


def _nearest(kept: Any, wanted: Floats, k: int) -> list[tuple[str, float]]:
    rows, reach = kept.count(), k
    while True:
        reach = min(reach, rows)
        if reach < 1:
            return []
        answer = kept.query(query_embeddings=wanted, n_results=reach, include=["distances"])
        names = (one.rpartition("#")[0] for one in answer["ids"][0])
        found = nearest(
            ((one, 1.0 - float(far)) for one, far in zip(names, answer["distances"][0], strict=True)), k
        )
        # A long text has many rows, and may take the place of others.
        if len(found) >= k or reach == rows:
            return found
        reach *= 2
