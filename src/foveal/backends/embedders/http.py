"""Vectors from a server that speaks the OpenAI embeddings protocol."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.backends.breaker import Breaker
from foveal.backends.remote import Remote, pause
from foveal.errors import Invalid, ModelUnavailable
from foveal.rules.addresses import Plane, generic_plane

LARGEST = float(np.finfo(np.float32).max)


class _Row(Struct):
    index: int
    embedding: list[float]


class _Answer(Struct):
    data: list[_Row]


class HttpEmbedder:
    """A model behind `POST {url}/embeddings`, under its own name.

    A busy or failing server is asked again, a few times and ever more slowly; then `ModelUnavailable` says
    why. The key appears in no message. That a row does not depend on its batch is up to the server. Safe to
    share between threads.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str,
        key: str | None = None,
        timeout: timedelta = timedelta(seconds=30),
        batch: int = 64,
        wait: Callable[[timedelta], None] = pause,
        breaker: Breaker | None = None,
    ) -> None:
        if not model or batch < 1:
            raise Invalid("an encoder behind HTTP needs the name of a model, and batches of at least 1 text")
        self.id = f"http:{model}"
        self._model = model
        self._batch = batch
        self._lock = threading.Lock()
        self._width: int | None = None
        self._server = Remote(
            url, "embeddings", kind="encoder", name=self.id, key=key, timeout=timeout, wait=wait, breaker=breaker
        )

    @property
    def breaker(self) -> Breaker:
        """What keeps calls from a server that is away."""
        return self._server.breaker

    @property
    def dimension(self) -> int:
        """How many numbers a vector has, found by the first call."""
        return self._width or self.embed(["dimension"]).shape[1]

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text; `asking` changes nothing, the protocol has no word for it."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        starts = range(0, len(texts), self._batch)
        return np.concatenate([self._rows(texts[n : n + self._batch]) for n in starts])

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Servers refuse an empty text, and JSON cannot carry half of a surrogate pair.
        sent = [text.encode("utf-8", "replace").decode() or " " for text in texts]
        body = msgspec.json.encode({"model": self._model, "input": sent, "encoding_format": "float"})
        rows = self._read(self._server.post(body), len(texts))
        with self._lock:
            self._width = self._width or rows.shape[1]
        if rows.shape[1] != self._width:
            raise self._malformed(f"{rows.shape[1]} numbers a vector, {self._width} before")
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def _read(self, content: bytes, count: int) -> NDArray[np.float64]:
        try:
            found = sorted(msgspec.json.decode(content, type=_Answer).data, key=lambda row: row.index)
        except msgspec.DecodeError as error:
            raise self._malformed(str(error)) from error
        if [row.index for row in found] != list(range(count)):
            raise self._malformed(f"{len(found)} vectors, not numbered one for each of {count} texts")
        if len({len(row.embedding) for row in found}) != 1:
            raise self._malformed("vectors of different lengths")
        rows = np.array([row.embedding for row in found])
        # Not a number compares as false, so it fails here too.
        if not (np.abs(rows) < LARGEST).all() or not rows.any(axis=1).all():
            raise self._malformed("a vector that is not finite, or of zeros")
        return rows

    def _malformed(self, what: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self.id} gave a malformed answer: {what}")
