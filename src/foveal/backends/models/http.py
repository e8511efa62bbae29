"""Models behind HTTP: requests with retries, and an encoder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.backends.breaker import Breaker
from foveal.backends.http_client import Pool, Retries, can_be_sent, pause, retry_after, url_parts
from foveal.errors import CircuitOpen, Forbidden, FovealError, Invalid, ModelUnavailable, Unauthenticated
from foveal.rules.addresses import Plane, generic_plane

if TYPE_CHECKING:
    import httpx2


RETRIES = Retries(attempts=4, first=timedelta(seconds=0.5), longest=timedelta(seconds=30))
HEADERS = {"Content-Type": "application/json"}
PASSING = (408, 429)
REFUSALS: dict[int, type[FovealError]] = {401: Unauthenticated, 403: Forbidden}
R = TypeVar("R")


class _Detail(Struct):
    message: str


class _ErrorBody(Struct):
    error: str | _Detail | None = None
    message: str | None = None
    detail: object = None


class Remote:
    """A server that takes JSON by POST. `kind` and `name` say in messages what it is and what it is called.

    A request to a busy, failing or unreachable server is repeated a few times, with growing, random pauses; then
    `ModelUnavailable` says why it failed. After several such failures in a row, the breaker stops calling the
    server for a while. Any other refusal is raised at once. The key appears in no message. Safe to share between
    threads.
    """

    def __init__(
        self,
        url: str,
        path: str,
        *,
        kind: str,
        name: str,
        key: str | None,
        timeout: timedelta,
        wait: Callable[[timedelta], None],
        breaker: Breaker | None = None,
    ) -> None:
        if not can_be_sent(key):
            raise Invalid(f"the key of the {kind} has a blank or a character that no header can carry")
        self._url = address(url, path, kind)
        self._name, self._wait = name, wait
        self.breaker = breaker or Breaker()
        needs = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} behind HTTP needs"
        options = {"timeout": timeout.total_seconds()}
        self._pool = Pool(needs, key, lambda _: options)

    def post(self, body: bytes) -> bytes:
        """The content of a successful answer; temporary failures are retried."""
        return self._guarded(lambda: self._sent(body, stream=False)).content

    def begin(self, body: bytes) -> httpx2.Response:
        """A successful answer whose content is still to be read; the caller must close it."""
        return self._guarded(lambda: self._sent(body, stream=True))

    def unreachable(self, error: Exception) -> ModelUnavailable:
        """The error to raise for an error of the HTTP library."""
        reason = f"{type(error).__name__} {self._pool.clean(str(error))}".rstrip()
        return ModelUnavailable(f"{self._name} does not answer: {reason}")

    @property
    def library(self) -> ModuleType:
        """The HTTP library; `Unsupported` says how to install it."""
        return self._pool.library

    def _guarded(self, call: Callable[[], R]) -> R:
        def is_passing(error: FovealError) -> bool:
            return isinstance(error, ModelUnavailable)

        try:
            return self.breaker.guard(lambda: RETRIES.run(call, passing=is_passing, wait=self._wait), is_passing)
        except CircuitOpen as shut:
            raise ModelUnavailable(f"{self._name} is {shut.message}", **shut.data) from None

    def _sent(self, body: bytes, *, stream: bool) -> httpx2.Response:
        library, client = self.library, self._pool.client()
        try:
            request = client.build_request("POST", self._url, content=body, headers=HEADERS)
            answer = client.send(request, stream=stream)
            if not answer.is_success:
                answer.read()
                answer.close()
        except library.RequestError as error:
            raise self.unreachable(error) from error
        except library.InvalidURL as error:
            raise Invalid(f"{self._name} has no valid URL: {error}") from error
        if not answer.is_success:
            raise self._refusal(answer)
        return answer

    def _refusal(self, answer: httpx2.Response) -> FovealError:
        status = answer.status_code
        message = self._pool.clean(_error_text(answer.content) or answer.text)
        reason = f"{status} {message or answer.reason_phrase}".rstrip()
        if status in PASSING or status >= 500:
            return ModelUnavailable(f"{self._name} does not answer: {reason}", **retry_after(answer))
        return REFUSALS.get(status, Invalid)(f"{self._name} refuses: {reason}")


def address(url: str, path: str, kind: str) -> str:
    """The URL to post to; a query in the given URL stays at its end.

    >>> address("https://host/v1/?version=2", "embeddings", "encoder")
    'https://host/v1/embeddings?version=2'
    """
    parts = url_parts(url, kind, "host/v1")
    return parts._replace(path=f"{parts.path.rstrip('/')}/{path}", fragment="").geturl()


def _error_text(content: bytes) -> str:
    """The error message in the answer of a server, in any of the usual forms, or an empty string."""
    try:
        body = msgspec.json.decode(content, type=_ErrorBody)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    error = body.error.message if isinstance(body.error, _Detail) else body.error
    return error or body.message or str(body.detail or "")


LARGEST = float(np.finfo(np.float32).max)


class _Row(Struct):
    index: int
    embedding: list[float]


class _Answer(Struct):
    data: list[_Row]


class HttpEmbedder:
    """An encoder behind `POST {url}/embeddings`, named after its model.

    A request to a busy or failing server is repeated a few times, with growing pauses; then `ModelUnavailable` says
    why it failed. The key appears in no message. Whether a row depends on its batch is up to the server. Safe to
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
        """The circuit breaker in front of the server."""
        return self._server.breaker

    @property
    def dimension(self) -> int:
        """How many numbers a vector has, known from the first call."""
        return self._width or self.embed(["dimension"]).shape[1]

    @property
    def plane(self) -> Plane:
        """The plane on which its vectors are placed."""
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text; `asking` has no effect, because the protocol does not support it."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        starts = range(0, len(texts), self._batch)
        return np.concatenate([self._rows(texts[start : start + self._batch]) for start in starts])

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # Servers refuse an empty text, and JSON cannot contain a lone surrogate.
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
            rows = sorted(msgspec.json.decode(content, type=_Answer).data, key=lambda row: row.index)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._malformed(str(error)) from error
        if [row.index for row in rows] != list(range(count)):
            raise self._malformed(f"{len(rows)} vectors, not numbered one for each of {count} texts")
        if len({len(row.embedding) for row in rows}) != 1:
            raise self._malformed("vectors of different lengths")
        vectors = np.array([row.embedding for row in rows])
        # A comparison with NaN is false, so NaN fails here too.
        if not (np.abs(vectors) < LARGEST).all() or not vectors.any(axis=1).all():
            raise self._malformed("a vector that is not finite, or of zeros")
        return vectors

    def _malformed(self, what: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self.id} gave a malformed answer: {what}")
