"""An encoder that remembers what it encoded."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta
from hashlib import blake2b
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foveal.backends.cache import LruCache
from foveal.ports.models import Embedder
from foveal.ports.system import Cache
from foveal.rules.addresses import Plane

# A vector is never wrong: so long it is kept before it has to be made again.
TTL = timedelta(days=1)


class CachingEmbedder:
    """Gives the vectors of texts it has seen from memory, by the hash of their content.

    `shared` is asked, too, for vectors of questions: another process may have made them. What records say is not
    put there, for who erases a record must not have to look for it.
    """

    def __init__(self, embedder: Embedder, room: int = 4096, *, shared: Cache | None = None) -> None:
        self.embedder = embedder
        self._near = LruCache(room)
        self.shared = shared
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    @property
    def id(self) -> str:
        """The name and version of the encoder."""
        return self.embedder.id

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.embedder.dimension

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        return self.embedder.plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text; only those not seen lately are encoded."""
        keys = {text: self._key(text, asking) for text in texts}
        rows = _known(self._near, list(keys.values()))
        far = self.shared if asking else None
        if far is not None:
            heard = _known(far, [key for key in keys.values() if key not in rows])
            self._near.put(_packed(heard), TTL)
            rows |= heard
        new = [text for text, key in keys.items() if key not in rows]
        if new:
            made = self.embedder.embed(new, asking=asking)
            made_rows = {keys[text]: row for text, row in zip(new, made, strict=True)}
            for cache in (self._near, *([] if far is None else [far])):
                cache.put(_packed(made_rows), TTL)
            rows |= made_rows
        with self._lock:
            self.misses += len(new)
            self.hits += len(texts) - len(new)
        return (
            np.stack([rows[keys[text]] for text in texts]) if texts else np.empty((0, self.dimension), np.float32)
        )

    def _key(self, text: str, asking: bool) -> str:
        digest = blake2b(text.encode(), digest_size=16, person=b"ask"[: 3 * asking]).hexdigest()
        return f"vector:{self.embedder.id}:{digest}"

    def close(self) -> None:
        """Let go of what is shared."""
        if self.shared is not None:
            self.shared.close()


def _known(cache: Cache, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    found = zip(keys, cache.get(keys), strict=True)
    # What is not whole is not taken for a vector.
    whole = {key: value[4:] for key, value in found if value and crc32(value[4:]).to_bytes(4) == value[:4]}
    return {key: np.frombuffer(value, "<f4") for key, value in whole.items()}


def _packed(rows: dict[str, NDArray[np.float32]]) -> dict[str, bytes]:
    packed = {key: row.astype("<f4").tobytes() for key, row in rows.items()}
    return {key: crc32(value).to_bytes(4) + value for key, value in packed.items()}
