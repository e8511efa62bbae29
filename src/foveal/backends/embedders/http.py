"""Vectors from a server that speaks the OpenAI embeddings protocol."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Sequence
from datetime import timedelta
from email.utils import parsedate_to_datetime
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.errors import Forbidden, FovealError, Invalid, ModelUnavailable, Unauthenticated, Unsupported
from foveal.rules.placement import Plane, generic_plane

if TYPE_CHECKING:
    import httpx2

WAITS = (timedelta(seconds=0.5), timedelta(seconds=1), timedelta(seconds=2))
LONGEST_WAIT = timedelta(seconds=30)
LONGEST_REASON = 300
PASSING = (408, 429)
REFUSALS: dict[int, type[FovealError]] = {401: Unauthenticated, 403: Forbidden}
LARGEST = float(np.finfo(np.float32).max)


class _Row(Struct):
    index: int
    embedding: list[float]


class _Answer(Struct):
    data: list[_Row]


class _Detail(Struct):
    message: str


class _Trouble(Struct):
    error: str | _Detail | None = None
    message: str | None = None
    detail: object = None


def _pause(span: timedelta) -> None:
    threading.Event().wait(span.total_seconds())


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
        wait: Callable[[timedelta], None] = _pause,
    ) -> None:
        if not model or batch < 1:
            raise Invalid("an encoder behind HTTP needs the name of a model, and batches of at least 1 text")
        # The HTTP library quotes a header it cannot send, and with it the key.
        if key and not (key.isascii() and key.isprintable() and key == key.strip()):
            raise Invalid("the key of the encoder has a blank or a character that no header can carry")
        self.id = f"http:{model}"
        self._url = _address(url)
        self._model = model
        self._key = key
        self._timeout = timeout
        self._batch = batch
        self._wait = wait
        self._lock = threading.Lock()
        self._open: httpx2.Client | None = None
        self._width: int | None = None

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
        rows = self._read(self._answer(body), len(texts))
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

    def _answer(self, body: bytes) -> bytes:
        """The content of a good answer, asked for again while the failure may pass."""
        for usual in WAITS:
            try:
                return self._once(body)
            except ModelUnavailable as failure:
                asked = failure.data.get("retry_after")
                pause = max(usual, asked) if isinstance(asked, timedelta) else usual
                # Coming back sooner than asked would only be refused again.
                if pause > LONGEST_WAIT:
                    raise
            self._wait(pause)
        return self._once(body)

    def _once(self, body: bytes) -> bytes:
        library = _library()
        try:
            answer = self._client(library).post(self._url, content=body)
        except library.RequestError as error:
            raise ModelUnavailable(
                f"{self.id} does not answer: {type(error).__name__} {self._clean(str(error))}".rstrip()
            ) from error
        except library.InvalidURL as error:
            raise Invalid(f"{self.id} has no valid URL: {error}") from error
        if answer.is_success:
            return answer.content
        status = answer.status_code
        reason = f"{status} {self._clean(_told(answer.content) or answer.text) or answer.reason_phrase}".rstrip()
        if status in PASSING or status >= 500:
            raise ModelUnavailable(f"{self.id} does not answer: {reason}", retry_after=_asked(answer))
        raise REFUSALS.get(status, Invalid)(f"{self.id} refuses: {reason}")

    def _clean(self, text: str) -> str:
        """Words of the server or the library, in short and without the key."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join(text.split())[:LONGEST_REASON]

    def _client(self, library: ModuleType) -> httpx2.Client:
        with self._lock:
            if self._open is None:
                headers = {"Content-Type": "application/json"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                client: httpx2.Client = library.Client(headers=headers, timeout=self._timeout.total_seconds())
                weakref.finalize(self, client.close)
                self._open = client
            return self._open


def _library() -> ModuleType:
    try:
        return import_module("httpx2")
    except ImportError as error:
        raise Unsupported(f"an encoder behind HTTP needs httpx2: pip install 'foveal[http]' ({error})") from error


def _address(url: str) -> str:
    """Where to send texts; a query in the URL stays at its end.

    >>> _address("https://host/v1/?version=2")
    'https://host/v1/embeddings?version=2'
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise Invalid(f"the URL of the encoder is not valid: {error}") from error
    # A password in the URL would end up in the logs of the HTTP library.
    if "@" in parts.netloc:
        raise Invalid("the URL of the encoder holds a user or a password: give the key apart from it")
    if not valid:
        raise Invalid(f"{url!r} is not the URL of an encoder: use http(s)://host/v1")
    return parts._replace(path=f"{parts.path.rstrip('/')}/embeddings", fragment="").geturl()


def _told(content: bytes) -> str:
    """What a server says is wrong, in any of the usual forms; empty if it says nothing of the kind."""
    try:
        trouble = msgspec.json.decode(content, type=_Trouble)
    except msgspec.DecodeError:
        return ""
    error = trouble.error.message if isinstance(trouble.error, _Detail) else trouble.error
    return error or trouble.message or str(trouble.detail or "")


def _asked(answer: httpx2.Response) -> timedelta:
    """How long the server asks us to stay away; nothing if it does not say."""
    text = answer.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII):
        return timedelta(seconds=float(text))
    try:
        # Against the server's own clock, which is the one its date was made with.
        return parsedate_to_datetime(text) - parsedate_to_datetime(answer.headers.get("date", ""))
    except (ValueError, TypeError):
        return timedelta(0)
