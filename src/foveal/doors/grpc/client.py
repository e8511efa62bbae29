"""A client of the gRPC door."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Self
from urllib.parse import urlsplit

import grpc
from google.protobuf.message import Message

from foveal.backends.http_client import can_be_sent
from foveal.doors.grpc.codec import error_of, inexact, pack_request, unpacked_answer
from foveal.doors.grpc.procedures import IDEMPOTENCY_KEY, message_kind
from foveal.doors.grpc.server import PORT, file_of
from foveal.errors import Invalid, Unsupported
from foveal.model.record import Record
from foveal.model.results import Context, Written
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import from_json, to_json
from foveal.wire.messages import SERVICE, STREAMS, Stream, stream_answer, stream_fields
from foveal.wire.shapes import Field, Integer, Nullable
from foveal.wire.verbs import ALIASES, LONG, SLOW, VERBS

TIMEOUT = timedelta(seconds=30)
_SCHEMES = ("grpc", "grpcs")
_WRITE, _READ, _TIMELINE = STREAMS


class GrpcRemote:
    """The verbs of a memory behind a gRPC server, at `grpc://host:port` or, with TLS, `grpcs://host:port`.

    `key` is sent with every call. `timeout` is the deadline of each call; verbs that work through a whole store
    get longer. `ca` is a file of certificates to trust. Failed calls are not retried.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout: timedelta = TIMEOUT,
        credentials: grpc.ChannelCredentials | None = None,
        ca: str | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise Invalid(f"{url!r} is not the address of a gRPC server: use grpc://host:port", url=url)
        if not can_be_sent(key):
            raise Invalid("the API key has a space or a character that metadata cannot carry")
        self.url = url
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        where = f"{host}:{parts.port or PORT}"
        # The server limits the size of answers.
        options = [("grpc.max_receive_message_length", -1)]
        if parts.scheme == "grpcs" or credentials is not None:
            trust = credentials or grpc.ssl_channel_credentials(None if ca is None else file_of(ca))
            self._channel = grpc.secure_channel(where, trust, options=options)
        else:
            self._channel = grpc.insecure_channel(where, options=options)
        metadata = () if key is None else (("authorization", f"Bearer {key}"),)
        self._call_options: dict[str, Any] = {"timeout": timeout.total_seconds(), "metadata": metadata}

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of a verb to arguments by name, as a value of the model. Raises the errors of the server.

        `key` is an idempotency key: a call that changes something runs once even if it is sent again.
        """
        verb = VERBS.get(ALIASES.get(name, name))
        if verb is None or verb.rpc is None:
            raise Unsupported(f"{name} is not among the procedures of the gRPC door", verb=name)
        call = call_of(name)
        if key is not None and verb.name == "write":
            arguments = {"idempotency_key": key, **arguments}
        request = _request(verb.rpc, call, call.fields, arguments)
        options = dict(self._call_options)
        if verb.name in SLOW:
            options["timeout"] = LONG.total_seconds()
        if key is not None and not verb.safe and "idempotency_key" not in arguments:
            options["metadata"] = (*options["metadata"], (IDEMPOTENCY_KEY, key))
        with _foveal_errors():
            ask = self._channel.unary_unary(f"/{SERVICE}/{verb.rpc}", bytes, _parser(verb.rpc))
            response = ask(request, **options)
        return call.understood(unpacked_answer(response, call.answer))

    def write_stream(self, items: Iterable[Mapping[str, Any]]) -> Written:
        """Store all items of a stream; each has the arguments of `write`, by name."""
        sent = _Outgoing(_WRITE, items)
        with _foveal_errors(sent):
            send = self._channel.stream_unary(f"/{SERVICE}/{_WRITE.rpc}", bytes, _parser(_WRITE.rpc))
            return _decoded(_WRITE, send(sent, **self._call_options))

    def read_stream(self, questions: Iterable[Mapping[str, Any]]) -> Iterator[Context]:
        """The context for each question, in order; each has the arguments of `read`, by name."""
        sent = _Outgoing(_READ, questions)
        with _foveal_errors(sent):
            ask = self._channel.stream_stream(f"/{SERVICE}/{_READ.rpc}", bytes, _parser(_READ.rpc))
            for response in ask(sent, **self._call_options):
                yield _decoded(_READ, response)

    def timeline_stream(self, arguments: Mapping[str, Any]) -> Iterator[Record]:
        """The records of a timeline, one by one; the arguments are those of `timeline`, and no limit means all."""
        request = _request(_TIMELINE.rpc, call_of(_TIMELINE.verb), stream_fields(_TIMELINE), arguments)
        with _foveal_errors():
            ask = self._channel.unary_stream(f"/{SERVICE}/{_TIMELINE.rpc}", bytes, _parser(_TIMELINE.rpc))
            for response in ask(request, **self._call_options):
                yield _decoded(_TIMELINE, response)

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Outgoing:
    """The messages of a stream. It keeps an error in making one, which the library would hide."""

    def __init__(self, stream: Stream, items: Iterable[Mapping[str, Any]]) -> None:
        self._stream = stream
        self._items = iter(items)
        self.failed: Exception | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        try:
            item = next(self._items)
            return _request(self._stream.rpc, call_of(self._stream.verb), stream_fields(self._stream), item)
        except StopIteration:
            raise
        except Exception as error:
            self.failed = error
            raise


@contextmanager
def _foveal_errors(sent: _Outgoing | None = None) -> Generator[None]:
    try:
        yield
    except grpc.RpcError as failed:
        if sent is not None and sent.failed is not None:
            raise sent.failed from failed
        raise error_of(failed) from failed


def _parser(rpc: str) -> Callable[[bytes], Message]:
    return message_kind(f"{rpc}Response").FromString


def _decoded(stream: Stream, response: Message) -> Any:
    answer = stream_answer(stream)
    assert answer is not None
    return from_json(answer, unpacked_answer(response, answer), "answer", lenient=True)


def _request(rpc: str, call: Call, fields: tuple[Field, ...], arguments: Mapping[str, Any]) -> bytes:
    values = {name: to_json(value) for name, value in arguments.items()}
    integers = {field.name for field in fields if field.shape in (Integer(), Nullable(Integer()))}
    if inexact({name: value for name, value in values.items() if name not in integers}):
        raise Invalid(f"{call.verb.name}: an integer beyond 2**53 would lose precision; send it as text")
    message = message_kind(f"{rpc}Request")()
    try:
        pack_request(message, call, fields, call.arguments(values))
        return message.SerializeToString()
    except (ValueError, TypeError) as error:
        raise Invalid(f"{call.verb.name}: {error}") from error
