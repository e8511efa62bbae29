"""An encoder that remembers what it encoded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from foveal.ports.embedder import Embedder
from foveal.rules.placement import Plane


class CachingEmbedder:
    """Gives the vectors of texts it has seen from memory, by the hash of their content."""

    def __init__(self, embedder: Embedder, room: int = 4096) -> None:
        self._embedder = embedder
        self._room = room
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self._known: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def id(self) -> str:
        """The name and version of the encoder."""
        return self._embedder.id

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._embedder.dimension

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        return self._embedder.plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text; only those not seen lately are encoded."""
        keys = [blake2b(text.encode(), digest_size=16, person=b"ask"[: 3 * asking]).digest() for text in texts]
        with self._lock:
            rows = {key: self._known[key] for key in keys if key in self._known}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if new:
            made = self._embedder.embed(list(new.values()), asking=asking)
            rows |= zip(new, made, strict=True)
        with self._lock:
            self.misses += len(new)
            self.hits += len(keys) - len(new)
            for key in keys:
                self._known[key] = rows[key]
                self._known.move_to_end(key)
            while len(self._known) > self._room:
                self._known.popitem(last=False)
        return np.stack([rows[key] for key in keys]) if keys else np.empty((0, self.dimension), np.float32)
