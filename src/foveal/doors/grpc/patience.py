"""How long a call may keep a thread without sending or taking anything."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH

from foveal.errors import Invalid
from foveal.wire.proto import SERVICE

# How many seconds a call may take to send its one message.
PATIENCE = 10
# How many seconds an open stream may be silent: no message comes, or none is taken.
IDLE = 60


class Patience:
    """Ends calls and streams on which nothing moves: each holds a thread, and there are few."""

    def __init__(self, seconds: int = PATIENCE, idle: int = IDLE) -> None:
        self._seconds = seconds
        self._idle = idle
        self._lock = threading.Lock()
        self._left: dict[grpc.ServicerContext, int] = {}
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._watching, name="foveal-grpc-patience", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._watch.start()

    def stop(self) -> None:
        """Watch no more."""
        self._ended.set()

    def message(self, sent: Iterator[Any], context: grpc.ServicerContext) -> Any:
        """The one message of a call, when it comes."""
        with self._waiting(context, self._seconds):
            found = next(sent, None)
        if found is None:
            raise Invalid("the call came without a message")
        return found

    def messages(self, sent: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """The messages of a stream, as they come."""
        while True:
            with self._waiting(context, self._idle):
                found = next(sent, None)
            if found is None:
                return
            yield found

    def answers(self, told: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """The answers of a stream, as they are taken."""
        for one in told:
            # The library comes back for the next one when it has room for it: when the caller takes what is sent.
            with self._waiting(context, self._idle):
                yield one

    @contextmanager
    def _waiting(self, context: grpc.ServicerContext, seconds: int) -> Generator[None]:
        with self._lock:
            self._left[context] = seconds
        try:
            yield
        finally:
            with self._lock:
                self._left.pop(context, None)

    def _watching(self) -> None:
        while not self._ended.wait(1.0):
            self.tick()

    def tick(self) -> bool:
        """Let a second pass, and end the calls that waited too long; whether there were any."""
        with self._lock:
            self._left = {one: left - 1 for one, left in self._left.items()}
            late = [one for one, left in self._left.items() if left <= 0]
        for one in late:
            one.cancel()
        return bool(late)


class Beside(grpc.ServerInterceptor):
    """Gives what needs no key threads of its own, health and reflection apart: neither keeps those of the verbs."""

    def __init__(self, health: ThreadPoolExecutor, rest: ThreadPoolExecutor, patience: Patience) -> None:
        self._health = health
        self._rest = rest
        self._patience = patience

    def intercept_service(self, continuation: Callable[..., Any], handler_call_details: Any) -> Any:
        """The handler of a call, moved if it is not for the service."""
        handler = continuation(handler_call_details)
        if handler is None or handler_call_details.method.startswith(f"/{SERVICE}/"):
            return handler
        pool = self._health if handler_call_details.method.startswith(f"/{HEALTH}/") else self._rest
        form = (handler.request_deserializer, handler.response_serializer)
        if handler.unary_unary:
            return grpc.stream_unary_rpc_method_handler(self._moved(handler.unary_unary, pool), *form)
        if handler.unary_stream:
            return grpc.stream_stream_rpc_method_handler(self._moved(handler.unary_stream, pool), *form)
        if handler.stream_stream:
            return grpc.stream_stream_rpc_method_handler(self._moved(handler.stream_stream, pool, many=True), *form)
        return handler

    def _moved(self, behaviour: Any, pool: ThreadPoolExecutor, *, many: bool = False) -> Any:
        def moved(sent: Iterator[Any], context: grpc.ServicerContext, *rest: Any) -> Any:
            return behaviour(sent if many else self._patience.message(sent, context), context, *rest)

        # The library looks for these names on what it calls.
        marked: Any = moved
        marked.experimental_thread_pool = pool
        if getattr(behaviour, "experimental_non_blocking", False):
            marked.experimental_non_blocking = True
        return marked
