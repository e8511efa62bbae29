"""The HTTP transport with retries and a breaker; import and export of files; the stream of notices."""

from __future__ import annotations

import random
import ssl
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

import msgspec

from foveal import errors
from foveal.backends.breaker import Breaker
from foveal.backends.http_client import (
    Pool,
    Retries,
    authorization,
    can_be_sent,
    http_library,
    pause,
    retry_after,
    url_parts,
)
from foveal.errors import (
    Conflict,
    Corrupt,
    FovealError,
    Invalid,
    RateLimited,
    StoreUnavailable,
    TimedOut,
    Unavailable,
    UnderWay,
    Unsupported,
)
from foveal.model.notice import Notice
from foveal.wire.calls import Call, call_of
from foveal.wire.problems import raised
from foveal.wire.routes import Request, requested
from foveal.wire.verbs import LONG, SLOW

if TYPE_CHECKING:
    import httpx2


PART = 1 << 16


class _Named(msgspec.Struct):
    id: str


class _Line(msgspec.Struct):
    record: _Named | None = None


def saved(lines: Iterable[str], path: Path) -> int:
    """Write an export to a new file, atomically. Returns how many records it holds."""
    if path.exists():
        raise Conflict(f"{path} exists already", path=str(path))
    temporary = path.with_name(path.name + ".part")
    ids: set[str] = set()
    try:
        with temporary.open("w", encoding="utf-8") as file:
            temporary.chmod(0o600)
            for line in lines:
                file.write(line + "\n")
                record = msgspec.json.decode(line, type=_Line).record
                if record is not None:
                    ids.add(record.id)
        temporary.replace(path)
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Corrupt(f"the export is cut or damaged: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return len(ids)


def parts_of(path: Path) -> Iterator[bytes]:
    """The content of a file, in parts."""
    try:
        with path.open("rb") as file:
            while part := file.read(PART):
                yield part
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=str(path)) from error


RETRIES = Retries(attempts=3, first=timedelta(milliseconds=100), longest=timedelta(seconds=5))
CONNECT = timedelta(seconds=3)
CONNECTIONS = 32
NEEDS = "a memory behind HTTP needs"
# The errors for responses without a problem document, as proxies and other servers send them.
PLAIN: dict[int, type[FovealError]] = {
    **{401: errors.Unauthenticated, 403: errors.Forbidden, 413: errors.TooLarge, 429: RateLimited},
    **{502: StoreUnavailable, 503: StoreUnavailable, 504: TimedOut},
}


class Transport(Protocol):
    """Calls the verbs of a remote memory."""

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """Call a verb with arguments in plain JSON and return its answer.

        `key` is the idempotency key of a write, so that it can be sent again.
        """
        ...

    def close(self) -> None:
        """Release connections and other resources."""
        ...


def is_unreachable(error: FovealError) -> bool:
    """Whether an error means that the server cannot be reached, rather than that it refused."""
    refused = errors.StorageFull, errors.ModelUnavailable, errors.TooStale
    return isinstance(error, Unavailable | TimedOut) and not isinstance(error, refused)


def is_failure(error: FovealError) -> bool:
    """Whether an error counts for the breaker: the server cannot be reached, or it failed at its own work.

    >>> is_failure(FovealError("it answered 500")), is_failure(errors.NotFound()), is_failure(StoreUnavailable())
    (True, False, True)
    """
    status = error.data.get("status")
    broken = type(error) is FovealError and not (isinstance(status, int) and status < 500)
    return is_unreachable(error) or broken or isinstance(error, Corrupt)


class HttpTransport:
    """Calls a memory over HTTP. Threads share the pooled connections, which are reopened when they break.

    Transient failures are retried with growing pauses: reads always, writes only under an idempotency key by which
    the server recognises them. The API key appears in no message. `ca` is a file of certificates to trust.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout: timedelta = timedelta(seconds=30),
        transport: httpx2.BaseTransport | None = None,
        wait: Callable[[timedelta], None] = pause,
        jitter: Callable[[], float] = random.random,
        ca: str | None = None,
    ) -> None:
        if not can_be_sent(key):
            raise Invalid("the API key has a blank or a character that no header can carry")
        self.url = checked_url(url)
        self._timeout = timeout
        self._wait = wait
        self._jitter = jitter
        options = {"transport": transport, "verify": True if ca is None else trusted(ca)}
        most = {"max_connections": CONNECTIONS, "max_keepalive_connections": CONNECTIONS}
        self._pool = Pool(NEEDS, key, lambda library: {**options, "limits": library.Limits(**most)})

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """Call a verb and return its answer; an error has the class that the server raised."""
        call = call_of(name)
        if name in ("export", "import_"):
            return self._file(call, dict(arguments))
        request = requested(call, arguments)
        key = _key(call, arguments, key)
        content = RETRIES.run(
            lambda: self._once(call, request, key), passing=_is_passing, wait=self._wait, jitter=self._jitter
        )
        try:
            return call.understood(msgspec.json.decode(content) if content else None)
        except (msgspec.DecodeError, UnicodeDecodeError, Invalid) as error:
            raise Unsupported(f"{self.url} answered {name} in a form that is not known here: {error}") from error

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        self._pool.close()

    def _once(self, call: Call, request: Request, key: str | None) -> bytes:
        headers = {} if key is None else {"Idempotency-Key": key}
        content = None
        if request.body is not None:
            content = msgspec.json.encode(request.body)
            headers["Content-Type"] = "application/json"
        with self._open_client(call) as client:
            answer = client.request(
                request.method,
                self.url + request.path,
                params=list(request.query),
                content=content,
                headers=headers,
                timeout=self._limits(call),
            )
        return self._content(answer)

    def _file(self, call: Call, arguments: dict[str, Any]) -> Any:
        """Export to a file from the body of the response, or import a file by sending it as the body."""
        path = Path(arguments.pop("path"))
        request = requested(call, arguments)
        query = [(name, str(value)) for name, value in (request.body or {}).items() if value is not None]
        options: dict[str, Any] = {"params": [*request.query, *query], "timeout": self._limits(call)}
        with self._open_client(call) as client:
            if call.verb.name == "import_":
                answer = client.request("POST", self.url + request.path, content=parts_of(path), **options)
                return call.understood(msgspec.json.decode(self._content(answer)))
            with client.stream("GET", self.url + request.path, **options) as answer:
                if not answer.is_success:
                    answer.read()
                    self._content(answer)
                return saved(answer.iter_lines(), path)

    def _content(self, answer: httpx2.Response) -> bytes:
        if answer.is_success:
            return answer.content
        status, data = answer.status_code, retry_after(answer)
        try:
            document = msgspec.json.decode(answer.content, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            document = {}
        if "code" in document:
            error = raised(document)
            error.data = {**error.data, **data}
            if "request_id" in document:
                error.data["request_id"] = document["request_id"]
            raise error
        reason = f"{status} {self._pool.clean(answer.text) or answer.reason_phrase}".rstrip()
        if status < 400:
            raise Invalid(f"{self.url} is not the address of a memory: it answered {reason}")
        kind = PLAIN.get(status, FovealError)
        if kind is FovealError:
            data = {**data, "status": status}
        raise kind(f"{self.url} answered {reason}", **data)

    @contextmanager
    def _open_client(self, call: Call) -> Generator[httpx2.Client]:
        """The HTTP client; errors of the HTTP library become ours."""
        library = self._pool.library
        try:
            yield self._pool.client()
        except library.ConnectTimeout as error:
            raise StoreUnavailable(f"the server at {self.url} does not answer") from error
        except library.TimeoutException as error:
            span = f"{self._limits(call).read:g} s"
            raise TimedOut(f"the server at {self.url} took longer than {span} for {call.verb.name}") from error
        except library.RequestError as error:
            reason = self._pool.clean(str(error)) or type(error).__name__
            raise StoreUnavailable(f"the server at {self.url} does not answer: {reason}") from error
        except library.InvalidURL as error:
            raise Invalid(f"{self.url} is not a URL that can be asked: {error}") from error

    def _limits(self, call: Call) -> httpx2.Timeout:
        longest = max(self._timeout, LONG) if call.verb.name in SLOW else self._timeout
        seconds = longest.total_seconds()
        return self._pool.library.Timeout(seconds, connect=min(seconds, CONNECT.total_seconds()))


def trusted(ca: str) -> ssl.SSLContext:
    """A TLS context that trusts the certificates in a file, and no others."""
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise Invalid(f"{ca} holds no certificates to trust: {error}") from error


def checked_url(url: str) -> str:
    """The URL of a server, without a trailing slash.

    >>> checked_url("http://127.0.0.1:8001/")
    'http://127.0.0.1:8001'
    """
    parts = url_parts(url, "server", "host:port")
    if parts.query or parts.fragment:
        raise Invalid(f"{url!r} is not the URL of a server: use http(s)://host:port")
    return parts._replace(path=parts.path.rstrip("/")).geturl()


def _key(call: Call, arguments: Mapping[str, Any], key: str | None) -> str | None:
    """The idempotency key of a write, if it needs one."""
    if call.verb.safe or arguments.get("idempotency_key") is not None:
        return None
    if call.verb.name == "write" and arguments.get("occurred_at") is not None and "id" not in arguments:
        # The server recognises it by its time and text, even when it is deliberately sent again.
        return None
    return key or uuid4().hex


def _is_passing(error: FovealError) -> bool:
    # A full disk does not recover by itself.
    return isinstance(error, Unavailable | RateLimited | UnderWay) and not isinstance(error, errors.StorageFull)


class BreakerTransport:
    """A transport behind a breaker. A server that is away or breaks counts as a failure; a refusal does not."""

    def __init__(self, remote: Transport, breaker: Breaker) -> None:
        self._remote = remote
        self.breaker = breaker

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of the remote; `CircuitOpen` while the breaker is open."""
        return self.breaker.guard(lambda: self._remote.call(name, arguments, key=key), is_failure)

    def close(self) -> None:
        """Close the remote."""
        self._remote.close()


# The server sends a heartbeat every 15 seconds; after a longer silence it counts as away.
SILENT = timedelta(seconds=40)
# The event with which a server ends a stream whose key is no longer valid.
PROBLEM = "problem"
FIRST_PAUSE, LONGEST_PAUSE = timedelta(milliseconds=500), timedelta(seconds=10)


class Listening:
    """Receives the notices of a server, starting with those it still has.

    When the server goes away, `follow` reconnects until it is back and continues after the last notice received;
    a gap notice reports lost ones.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        ca: str | None = None,
        kinds: tuple[str, ...] = (),
        wait: Callable[[timedelta], None] = pause,
    ) -> None:
        self.url = checked_url(url)
        self._trust = True if ca is None else trusted(ca)
        self._headers = authorization(key)
        self._kinds = kinds
        self._wait = wait
        self._after = "0"
        self._pause = FIRST_PAUSE

    def known(self, within: timedelta = timedelta(seconds=1)) -> list[Notice]:
        """The notices that the server has now, up to the first silence as long as `within`."""
        notices: list[Notice] = []
        try:
            for notice in self._received(within):
                notices.append(notice)
        except StoreUnavailable as error:
            if not isinstance(error.__cause__, http_library(NEEDS).ReadTimeout):
                raise
        return notices

    def follow(self, away: Callable[[FovealError], None]) -> Iterator[Notice]:
        """Every notice, without end. `away` is called when the server goes away; a refusal is raised."""
        while True:
            try:
                yield from self._received(SILENT)
                error: FovealError = StoreUnavailable(f"the server at {self.url} ended the stream")
            except Unavailable as failed:
                error = failed
            away(error)
            self._wait(self._pause)
            self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _received(self, silent: timedelta) -> Iterator[Notice]:
        library = http_library(NEEDS)
        seconds = silent.total_seconds()
        headers = {**self._headers, "Last-Event-ID": self._after}
        query = [("kinds", kind) for kind in self._kinds]
        try:
            limits = library.Timeout(seconds, connect=min(seconds, 3.0))
            with library.Client(timeout=limits, verify=self._trust) as client:
                with client.stream("GET", f"{self.url}/v1/stream", params=query, headers=headers) as answer:
                    if not answer.is_success:
                        raise _refusal(self.url, answer)
                    kind = ""
                    for line in answer.iter_lines():
                        self._pause = FIRST_PAUSE
                        kind = line.removeprefix("event: ") if line.startswith("event: ") else kind
                        if kind == PROBLEM and line.startswith("data: "):
                            raise raised(msgspec.json.decode(line.removeprefix("data: "), type=dict[str, object]))
                        notice = _notice(line)
                        if notice is not None:
                            self._after = notice.id or self._after
                            yield notice
        except library.RequestError as error:
            raise StoreUnavailable(f"the server at {self.url} does not answer") from error


def _notice(line: str) -> Notice | None:
    """The notice in a line of the stream, if any; only data lines count, as they repeat kind and id."""
    if not line.startswith("data: "):
        return None
    return msgspec.json.decode(line.removeprefix("data: "), type=Notice)


def _refusal(url: str, answer: httpx2.Response) -> FovealError:
    content = answer.read()
    try:
        return raised(msgspec.json.decode(content, type=dict[str, object]))
    except msgspec.DecodeError:
        return StoreUnavailable(f"{url} answered {answer.status_code}")
