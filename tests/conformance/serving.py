"""A real server on a port of its own, in this process."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from socket import socket

import uvicorn

from foveal import Memory
from foveal.doors.http import create_app
from foveal.doors.service import ANYONE, Service


class _Server(uvicorn.Server):
    """Says when it is there."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()


@contextmanager
def served(memory: Memory) -> Generator[str]:
    """The URL at which a memory is served."""
    app = create_app(Service(memory), authenticate=lambda _: ANYONE)
    server = _Server(uvicorn.Config(app, port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert server.ready.wait(240)
    port: int = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(240)
