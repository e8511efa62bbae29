"""Functions as encoders and rerankers, a cache around an encoder, and the text of PDFs."""

from __future__ import annotations

import io
import logging
import re
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cached_property
from hashlib import blake2b
from importlib import import_module
from inspect import getattr_static
from typing import Any, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foveal.backends.in_process import LruCache
from foveal.errors import Invalid, ModelUnavailable, Unsupported
from foveal.ports.models import Embedder
from foveal.ports.system import Cache
from foveal.rules.addresses import Plane, generic_plane

_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def pdf_text(data: bytes) -> str:
    """The text of a PDF as Markdown, each page under a heading of its own."""
    try:
        library = import_module("pypdf")
    except ImportError as error:
        raise Unsupported(f"PDF files need pypdf: pip install 'foveal[knowledge]' ({error})") from error
    # The library logs every oddity of a file; a file that cannot be read is an error below.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        pages: list[Any] = list(library.PdfReader(io.BytesIO(data)).pages)
        texts = [str(page.extract_text() or "") for page in pages]
    except (library.errors.PyPdfError, ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        raise Invalid(f"not a PDF that can be read: {error}") from error
    numbered = [(number, _HYPHEN.sub("", text).strip()) for number, text in enumerate(texts, 1)]
    return "\n\n".join(f"# Page {number}\n\n{text}" for number, text in numbered if text)


# How long a vector is cached. It never becomes wrong; this only limits the room it takes.
TTL = timedelta(days=1)


class CachingEmbedder:
    """An encoder with a cache of vectors, by the hash of the text.

    Vectors of questions are also looked up and stored in `shared`, where other processes find them. Vectors of
    records are not stored there, so that erasing a record leaves nothing behind.
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
        """One unit-length row for each text; only texts that are not in the cache are encoded."""
        keys = {text: self._key(text, asking) for text in texts}
        rows = _cached(self._near, list(keys.values()))
        far = self.shared if asking else None
        if far is not None:
            far_rows = _cached(far, [key for key in keys.values() if key not in rows])
            self._near.put(_packed(far_rows), TTL)
            rows |= far_rows
        new = [text for text, key in keys.items() if key not in rows]
        if new:
            vectors = self.embedder.embed(new, asking=asking)
            new_rows = {keys[text]: row for text, row in zip(new, vectors, strict=True)}
            for cache in (self._near, *([] if far is None else [far])):
                cache.put(_packed(new_rows), TTL)
            rows |= new_rows
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
        """Close the shared cache."""
        if self.shared is not None:
            self.shared.close()


def _cached(cache: Cache, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    pairs = zip(keys, cache.get(keys), strict=True)
    # The checksum rejects damaged values.
    valid = {key: value[4:] for key, value in pairs if value and crc32(value[4:]).to_bytes(4) == value[:4]}
    return {key: np.frombuffer(value, "<f4") for key, value in valid.items()}


def _packed(rows: dict[str, NDArray[np.float32]]) -> dict[str, bytes]:
    packed = {key: row.astype("<f4").tobytes() for key, row in rows.items()}
    return {key: crc32(value).to_bytes(4) + value for key, value in packed.items()}


EmbedFunction = Callable[[Sequence[str]], "NDArray[np.float32] | Sequence[Sequence[float]]"]


class CallingEmbedder:
    """A function as an encoder. `id` must change when its vectors do; the default is the name of the function."""

    def __init__(self, function: EmbedFunction, *, id: str | None = None) -> None:
        self._function = function
        name = getattr(function, "__qualname__", "<lambda>")
        if id is None and "<lambda>" in name:
            raise Invalid("a function without a name needs one: CallingEmbedder(function, id='my-encoder-1')")
        self.id = id or f"call:{getattr(function, '__module__', '')}.{name}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has, found by encoding one word."""
        return self._dimension

    @cached_property
    def _dimension(self) -> int:
        return int(self._rows(["dimension"]).shape[1])

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text."""
        return self._rows(texts) if texts else np.empty((0, self.dimension), np.float32)

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.asarray(self._function(list(texts)), np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise Invalid(f"{self.id} gave {rows.shape} numbers for {len(texts)} texts, or not finite ones")
        return unit_rows(rows, self.id)


def encoder_of(given: Embedder | EmbedFunction) -> Embedder:
    """The given encoder, or one made of the given function; `Invalid` for anything else.

    >>> encoder_of(len).id
    'call:builtins.len'
    """
    missing = [name for name in ("embed", "id", "dimension", "plane") if not _has(given, name)]
    if not missing:
        return cast(Embedder, given)
    if "embed" not in missing or not callable(given):
        raise Invalid(
            f"{type(given).__name__} is no encoder, it has no {', '.join(missing)}: give a function from texts to "
            "vectors, or an object with embed, id, dimension and plane"
        )
    return CallingEmbedder(given)


def _has(given: object, name: str) -> bool:
    # Without reading a property if possible: the dimension of a remote model takes a request.
    return getattr_static(given, name, None) is not None or hasattr(given, name)


def unit_rows(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    """The rows at length 1; `Invalid` for a row of zeros, which has no direction.

    >>> unit_rows(np.array([[3.0, 4.0]], np.float32), "x").tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        raise Invalid(f"{name} gave a vector of zeros")
    return (rows / lengths).astype(np.float32)


RerankFunction = Callable[[str, Sequence[str]], Sequence[float]]

# What a caller's function may raise when its model fails.
FAILURES = (OSError, RuntimeError, ValueError, TypeError, LookupError, ArithmeticError)


class CallingReranker:
    """A function as a reranker; if it fails, the error is `ModelUnavailable`."""

    def __init__(self, function: RerankFunction) -> None:
        self._function = function

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question; more is better."""
        try:
            return [float(score) for score in self._function(query, list(texts))]
        except FAILURES as error:
            raise ModelUnavailable(f"the reranker failed: {error}") from error
