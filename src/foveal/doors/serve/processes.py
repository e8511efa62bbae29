"""Several processes that serve one memory on one port."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
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
    shared = listening(settings.server.host, settings.server.port)
    tell()
    stopping = False

    def stop(_: int, __: FrameType | None) -> None:
        nonlocal stopping
        stopping = True
        for one in running:
            if one.pid is not None and one.is_alive():
                one.terminate()

    def start(number: int) -> SpawnProcess:
        process = spawn.Process(target=_serve_shared, args=(settings, url, passed, shared, number == 0))
        process.start()
        return process

    running: list[SpawnProcess] = []
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, stop)
    running += [start(number) for number in range(count)]
    while not stopping:
        multiprocessing.connection.wait([one.sentinel for one in running], timeout=1.0)
        for number, one in enumerate(running):
            if not one.is_alive() and not stopping:
                running[number] = start(number)
    for one in running:
        one.join()


def serve_one(
    settings: Settings,
    url: str | None,
    passed: Pass | None,
    *,
    sockets: list[socket.socket] | None = None,
    first: bool = True,
    tell: Callable[[], None] | None = None,
) -> None:
    """Run a server in this process until it is told to stop. `tell` is called when the ports are its own.

    Of several, the first answers gRPC and keeps the memory in order; all answer HTTP.
    """
    start_logging(settings.logging)
    grpc = first and settings.server.grpc_port != 0
    server = Server(settings, url=url, sockets=sockets, passed=passed, grpc=grpc, worker=first)
    server.bind()
    if tell is not None:
        tell()
    server.run()


def _serve_shared(
    settings: Settings, url: str | None, passed: Pass | None, shared: socket.socket, first: bool
) -> None:
    threading.Thread(target=_end_with_parent, name="foveal-parent", daemon=True).start()
    serve_one(settings, url, passed, sockets=[shared], first=first)


def _end_with_parent() -> None:
    """Stop when the process that started this one is gone: it may have been killed, and nobody else would."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
