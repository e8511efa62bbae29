"""Connections that say their request in time, or are closed."""

from __future__ import annotations

import asyncio

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foveal.errors import TimedOut
from foveal.wire.problems import MEDIA, problem

LONGEST = 10.0


class Patience(HttpToolsProtocol):
    """HTTP as the server speaks it; the head of a request may take so many `seconds`."""

    seconds = LONGEST
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._late = self.loop.call_later(self.seconds, self._close)

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of the head."""
        super().on_message_begin()
        self._waited()
        self._late = self.loop.call_later(self.seconds, self._close)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._waited()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._waited()
        super().connection_lost(exc)

    def _waited(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _close(self) -> None:
        if self.transport.is_closing():
            return
        body = msgspec.json.encode(problem(TimedOut(f"the head of a request may take {self.seconds:g} s")))
        head = f"HTTP/1.1 408 Request Timeout\r\nContent-Type: {MEDIA}\r\nContent-Length: {len(body)}\r\n"
        self.transport.write(head.encode() + b"Connection: close\r\n\r\n" + body)
        self.transport.close()


def patience(seconds: float) -> type[Patience]:
    """HTTP with so much patience, and never more than `LONGEST`."""
    return type("Patience", (Patience,), {"seconds": min(seconds, LONGEST)})
