"""Vectors in a ChromaDB database."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings
from chromadb.errors import InvalidArgumentError

from foveal.errors import Invalid
from foveal.model.trace import Floats
from foveal.ports.vectors import Organism
from foveal.rules.vectors import unit_rows

# Chroma takes some thousands at once, not more.
_AT_ONCE = 1_000


class ChromaVectorStore:
    """A collection of Chroma for every organism, in a folder, or in this process without one.

    It reports nothing to anybody and embeds nothing itself.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        said = Settings(anonymized_telemetry=False)
        self._client: Any = (
            chromadb.EphemeralClient(settings=said)
            if path is None
            else chromadb.PersistentClient(path=str(path), settings=said)
        )

    def upsert(self, organism: Organism, ids: Sequence[str], vectors: Floats) -> None:
        """Keep one vector under each id, in place of what was there."""
        rows = unit_rows(vectors, ids)
        if not len(rows):
            return
        # Chroma refuses an id that comes twice at once: the last one counts.
        last = {one: row for row, one in enumerate(ids)}
        kept = self._collection(organism)
        for start in range(0, len(last), _AT_ONCE):
            some = list(last)[start : start + _AT_ONCE]
            try:
                kept.upsert(ids=some, embeddings=rows[[last[one] for one in some]])
            except InvalidArgumentError as error:
                raise Invalid("these vectors have another length than those that are there") from error

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Let go of these."""
        if ids:
            self._collection(organism).delete(ids=list(dict.fromkeys(ids)))

    def query(self, organism: Organism, vector: Floats, k: int) -> list[tuple[str, float]]:
        """The `k` nearest ids with their cosines, the nearest first."""
        kept = self._collection(organism)
        most = min(k, kept.count())
        if most < 1:
            return []
        wanted = unit_rows(np.asarray(vector)[None], [""])
        found = kept.query(query_embeddings=wanted, n_results=most, include=["distances"])
        return [(one, 1.0 - float(far)) for one, far in zip(found["ids"][0], found["distances"][0], strict=True)]

    def close(self) -> None:
        """Let go of the database."""
        self._client.close()

    def _collection(self, organism: Organism) -> Any:
        # Names of Chroma are short and plain; those of worlds and actors are not.
        name = blake2b("\0".join(organism).encode(), digest_size=20).hexdigest()
        return self._client.get_or_create_collection(
            name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
