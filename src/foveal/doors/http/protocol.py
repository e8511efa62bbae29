"""The HTTP protocol of the server, with limits of bytes and time for the head of a request."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foveal.errors import FovealError, TimedOut, TooLarge
from foveal.wire.problems import MEDIA, problem

# The longest time that the head of a request may take, in seconds.
LONGEST = 10.0
# The most bytes of a request line and its headers, trailers included.
LARGEST = 65_536


class LimitedProtocol(HttpToolsProtocol):
    """Refuses a head that takes longer than `seconds` or has more than `LARGEST` bytes.

    The parser collects an unfinished header in RAM. So what arrives is counted twice: by the parts that the parser
    reports, and by the bytes since it last reported any, but for those that arrived together with it.
    """

    seconds = LONGEST
    _timer: asyncio.TimerHandle | None = None
    _head = 0
    _unreported = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Parse what arrived, and refuse it if it goes over the limit."""
        self._unreported += len(data)
        super().data_received(data)
        if max(self._head, self._unreported) > LARGEST:
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                TooLarge(f"the head of a request may have {LARGEST} bytes", limit=LARGEST),
            )
        elif self._timer is None and not self._busy:
            # Bytes before the next request line, such as blank lines, are no request yet.
            self._start_timer()

    def on_message_begin(self) -> None:
        """Restart the timer for the rest of the head."""
        super().on_message_begin()
        self._head = self._unreported = 0
        self._start_timer()

    def on_url(self, url: bytes) -> None:
        """Count the bytes of the request line."""
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count the bytes of a header or a trailer."""
        super().on_header(name, value)
        self._count(len(name) + len(value))

    def on_headers_complete(self) -> None:
        """Stop the timer: the head is complete."""
        self._cancel_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass the body on, whose limits depend on the path."""
        self._unreported = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note the end of a request."""
        self._unreported = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer: the client is gone."""
        self._cancel_timer()
        super().connection_lost(exc)

    @property
    def _busy(self) -> bool:
        """Whether a request is being answered. Before the first one there is no cycle, whatever its type says."""
        return bool(self.cycle) and not self.cycle.response_complete

    def _count(self, size: int) -> None:
        self._head += size
        self._unreported = 0

    def _start_timer(self) -> None:
        self._cancel_timer()
        self._timer = self.loop.call_later(self.seconds, self._close)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        self._refuse(HTTPStatus.REQUEST_TIMEOUT, TimedOut(f"the head of a request may take {self.seconds:g} s"))

    def _refuse(self, status: HTTPStatus, error: FovealError) -> None:
        if self.transport.is_closing():
            return
        if not (self._busy and self.cycle.response_started):
            body = msgspec.json.encode(problem(error))
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {MEDIA}\r\n"
            rest = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            self.transport.write((head + rest).encode() + body)
        self.transport.close()


def limited_protocol(seconds: float) -> type[LimitedProtocol]:
    """The protocol with a limit for the head of a request, at most `LONGEST` seconds."""
    return type("LimitedProtocol", (LimitedProtocol,), {"seconds": min(seconds, LONGEST)})
