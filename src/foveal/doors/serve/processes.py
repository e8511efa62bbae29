"""Several processes that serve one memory on one port."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import signal
import socket
import threading
from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from types import FrameType

from foveal.config import Settings
from foveal.doors.serve.listening import listening
from foveal.doors.serve.server import Server
from foveal.doors.service.logs import start_logging
from foveal.doors.service.passing import Pass


def serve_many(
    settings: Settings, url: str | None, count: int, passed: Pass | None, *, tell: Callable[[], None]
) -> None:
    """Run `count` servers until this process is told to stop. One that dies is started again.

    `tell` is called when the port is theirs.
    """
    spawn = multiprocessing.get_context("spawn")
    told, telling = multiprocessing.Pipe(duplex=False)
    stopping = False

    def stop(_: int, __: FrameType | None) -> None:
        nonlocal stopping
        if not stopping:
            stopping = True
            telling.send_bytes(b"stop")

    def start(number: int) -> SpawnProcess:
        process = spawn.Process(target=_serve_shared, args=(settings, url, passed, shared, number == 0))
        process.start()
        return process

    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, stop)
    shared = listening(settings.server.host, settings.server.port)
    tell()
    running = [start(number) for number in range(count)]
    while not stopping:
        multiprocessing.connection.wait([told, *(one.sentinel for one in running)])
        for number, one in enumerate(running):
            if not one.is_alive() and not stopping:
                running[number] = start(number)
    # Here and not where the signal is heard, which may be while one is just being started.
    for one in running:
        one.terminate()
    for one in running:
        one.join()


def serve_one(
    settings: Settings, url: str | None, passed: Pass | None, *, tell: Callable[[], None] | None = None
) -> None:
    """Run a server in this process until it is told to stop. `tell` is called when the ports are its own."""
    server = _made(settings, url, passed, None, True)
    if tell is not None:
        tell()
    server.run()


def _made(
    settings: Settings, url: str | None, passed: Pass | None, sockets: list[socket.socket] | None, first: bool
) -> Server:
    """A server whose ports are its own. Of several, the first answers gRPC and keeps the memory in order."""
    start_logging(settings.logging)
    grpc = first and settings.server.grpc_port != 0
    server = Server(settings, url=url, sockets=sockets, passed=passed, grpc=grpc, worker=first)
    server.bind()
    return server


def _serve_shared(
    settings: Settings, url: str | None, passed: Pass | None, shared: socket.socket, first: bool
) -> None:
    server = _made(settings, url, passed, [shared], first)
    threading.Thread(target=_end_with_parent, args=(server,), name="foveal-parent", daemon=True).start()
    server.run()


def _end_with_parent(server: Server) -> None:
    """Stop when the process that started this one is gone: it may have been killed, and nobody else would."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # A server that is told to stop before it listens would not close what it opened.
        server.ready()
        server.stop()
