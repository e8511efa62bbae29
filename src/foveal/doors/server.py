"""Serves a memory over HTTP, gRPC and MCP, from one process or several."""

from __future__ import annotations

from foveal.errors import Unsupported

try:
    import fastapi as _web  # noqa: F401  # pyright: ignore[reportUnusedImport]
    import uvicorn as _server  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ImportError as error:
    raise Unsupported(f"a server needs more packages: pip install 'foveal[server,grpc,mcp]' ({error})") from error

import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from importlib.util import find_spec
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

import uvicorn
from starlette.routing import Route

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.http import create_app
from foveal.doors.http.protocol import limited_protocol
from foveal.doors.service.auth import Authenticator, ConsoleTicket, Keys, open_authenticator
from foveal.doors.service.logs import open_bus, start_logging
from foveal.doors.service.observed import open_observed_service
from foveal.engine.lifecycle.scheduler import Worker
from foveal.errors import StoreUnavailable, Unavailable
from foveal.model.server import Serving
from foveal.ports.system import Bus

if TYPE_CHECKING:
    import grpc

    from foveal.doors.grpc import GrpcServer
    from foveal.doors.mcp.server import McpApp


def listening(host: str, port: int) -> socket.socket:
    """A listening socket; `Unavailable` says why it could not be opened, and what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise Unavailable(
            f"cannot listen on {host}:{port}: {reason}; choose another with --host or --port", host=host, port=port
        ) from error


# How long running requests may take after the server is told to stop, and how long the process may take to end.
DRAIN, ENDING = timedelta(seconds=12), timedelta(seconds=18)
# How long a start may take until the server listens.
STARTING = timedelta(minutes=5)


class Server:
    """Serves a memory until it is told to stop; then it accepts no new requests, finishes running ones, and closes.

    `sockets` are shared by several processes; without them, the server opens its own. `passed` is a ticket that
    signs the user who started the server in to the console.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        url: str | None = None,
        sockets: list[socket.socket] | None = None,
        passed: ConsoleTicket | None = None,
        grpc: bool = True,
        worker: bool = True,
    ) -> None:
        self._closing = ExitStack()
        self._ends_process = False
        self._told_at: float | None = None
        self.memory = self._closing.enter_context(Memory(url, settings=settings, bus=self._bus(settings)))
        if self.memory.runtime.second_look is not None:
            # In a server there is always somebody who writes: a search takes the vectors that are there.
            self.memory.runtime.second_look.patient = False
        self.guard: Authenticator = open_authenticator(self.memory, settings)
        self.station = open_observed_service(self.memory, settings, url=url)
        self._closing.callback(self.station.close)
        if passed is not None:
            self.guard.admit(passed)
        self._sockets = sockets
        self._serving = settings.server
        mcp = self._mcp(settings, alone=sockets is None)
        self.app = create_app(
            self.station.service,
            authenticate=self.guard.caller,
            recheck=self.guard.recheck,
            serving=settings.server,
            llm=self.memory.llm,
            station=self.station,
            keys=Keys(self.memory.keys, revoked=self.guard.forget),
            guard=self.guard,
            more=[] if mcp is None else [Route("/mcp", mcp)],
            beside=[] if mcp is None else [mcp.lifespan],
        )
        config = uvicorn.Config(
            self.app,
            host=settings.server.host,
            port=settings.server.port,
            http=limited_protocol(settings.server.request_timeout),
            ws="none",
            ssl_certfile=settings.server.certificate,
            ssl_keyfile=settings.server.private_key,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=round(DRAIN.total_seconds()),
        )
        self._http = _Http(config, self._drain)
        self.grpc: GrpcServer | None = self._grpc(settings) if grpc else None
        if worker:
            self._closing.enter_context(Worker(self.memory.scheduler()))

    def _bus(self, settings: Settings) -> Bus:
        bus = open_bus(settings)
        self._closing.callback(bus.close)
        return bus

    def _mcp(self, settings: Settings, *, alone: bool) -> McpApp | None:
        if find_spec("mcp") is None:
            return None
        from foveal.doors.mcp.server import LOOPBACK, mcp_app

        hosts = (*LOOPBACK, *settings.server.hosts, settings.server.host)
        # With several processes, only one of them would know a session.
        return mcp_app(self.station.service, self.guard.caller, hosts=hosts, sessions=alone)

    def _grpc(self, settings: Settings) -> GrpcServer:
        from foveal.doors.grpc import GrpcServer

        return GrpcServer(
            self.station.service,
            host=settings.server.host,
            port=settings.server.grpc_port,
            max_message_bytes=settings.server.body_limit,
            authenticate=self.guard.caller,
            recheck=self.guard.recheck,
            credentials=_credentials(settings.server),
        )

    def bind(self) -> None:
        """Open the HTTP port, unless sockets were passed in; if it is taken, close and raise `Unavailable`.

        From then on the process handles the signals to stop, because others can see its port.
        """
        if self._sockets is None:
            try:
                self._sockets = [listening(self._serving.host, self._serving.port)]
            except Unavailable:
                self.close()
                raise
        self._http.watch_signals()

    def run(self) -> None:
        """Serve until the process is told to stop."""
        self.bind()
        try:
            if self.grpc is not None:
                self.grpc.start()
            self._http.run(sockets=self._sockets)
        finally:
            self.close()
            self._http.restore_signals()

    def ready(self, within: timedelta = STARTING) -> bool:
        """Wait until the server listens; False if it did not within that time."""
        return self._http.listening.wait(within.total_seconds())

    def stop(self) -> None:
        """Tell the server to stop; can be called from any thread."""
        self._drain()
        self._http.should_exit = True

    def end_process(self) -> None:
        """Make the process end within `ENDING` of being told to stop, whatever still runs in it.

        A verb that computes or waits for a database cannot be interrupted. What it would have written was not
        acknowledged; the stacks of all threads go to standard error.
        """
        self._ends_process = True

    def _drain(self) -> None:
        if self._ends_process and self._told_at is None:
            # Not a thread of ours: one that computes could keep it from running.
            faulthandler.dump_traceback_later(ENDING.total_seconds(), exit=True)
        self._told_at = self._told_at or time.monotonic()
        self.station.health.drain()
        self.app.state.context.stopping.set()

    def close(self) -> None:
        """Stop the other doors, flush pending writes, and close the store."""
        if self.grpc is not None:
            drained = 0.0 if self._told_at is None else time.monotonic() - self._told_at
            self.grpc.stop(max(DRAIN - timedelta(seconds=drained), timedelta(0)))
        self.guard.flush()
        self._closing.close()

    @property
    def port(self) -> int:
        """The HTTP port, once it is open."""
        if not self._sockets:
            raise Unavailable("the server has no port yet: call bind first")
        return self._sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        """The HTTP URL, once the server listens."""
        return f"{self._serving.scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        """Serve in a thread of this process; returns when the server listens."""
        self._thread = threading.Thread(target=self.run, name="foveal-serve", daemon=True)
        self._thread.start()
        if not self.ready():
            raise StoreUnavailable("the server did not start: see its log")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()


def _credentials(server: Serving) -> grpc.ServerCredentials | None:
    if server.certificate is None or server.private_key is None:
        return None
    from foveal.doors.grpc import server_credentials

    return server_credentials(server.certificate, server.private_key)


class _Http(uvicorn.Server):
    """The HTTP server; it reports when it listens and when it is told to stop."""

    def __init__(self, config: uvicorn.Config, stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self.listening = threading.Event()
        self._stopping = stopping
        self._previous: dict[signal.Signals, Any] = {}

    def watch_signals(self) -> None:
        """Handle the signals to stop, also while the store closes: a second signal must not interrupt that."""
        if threading.current_thread() is threading.main_thread() and not self._previous:
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self.handle_exit)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Do nothing: the handlers are installed already."""
        yield

    def restore_signals(self) -> None:
        """Put the previous signal handlers back."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping()
        super().handle_exit(sig, frame)


def serve_many(
    settings: Settings, url: str | None, count: int, passed: ConsoleTicket | None, *, tell: Callable[[int], None]
) -> None:
    """Run `count` server processes until this process is told to stop. One that dies is restarted.

    `tell` is called with the port when it is open.
    """
    spawn = multiprocessing.get_context("spawn")
    woken, wake = multiprocessing.Pipe(duplex=False)
    stopping = False

    def stop(_: int, __: FrameType | None) -> None:
        nonlocal stopping
        if not stopping:
            stopping = True
            wake.send_bytes(b"stop")

    def start(number: int) -> SpawnProcess:
        process = spawn.Process(target=_serve_shared, args=(settings, url, passed, shared, number == 0))
        process.start()
        return process

    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, stop)
    shared = listening(settings.server.host, settings.server.port)
    tell(shared.getsockname()[1])
    processes = [start(number) for number in range(count)]
    while not stopping:
        multiprocessing.connection.wait([woken, *(process.sentinel for process in processes)])
        for number, process in enumerate(processes):
            if not process.is_alive() and not stopping:
                processes[number] = start(number)
    # Here and not in the signal handler, which may run while a process is being started.
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def serve_one(
    settings: Settings, url: str | None, passed: ConsoleTicket | None, *, tell: Callable[[int], None] | None = None
) -> None:
    """Run a server in this process until it is told to stop. `tell` is called with its port when that is open."""
    server = _bound_server(settings, url, passed, None, True)
    if tell is not None:
        tell(server.port)
    server.run()


def _bound_server(
    settings: Settings,
    url: str | None,
    passed: ConsoleTicket | None,
    sockets: list[socket.socket] | None,
    first: bool,
) -> Server:
    """A server with open ports. Of several, only the first serves gRPC and runs the background worker."""
    start_logging(settings.logging)
    grpc = first and settings.server.grpc_port != 0
    server = Server(settings, url=url, sockets=sockets, passed=passed, grpc=grpc, worker=first)
    server.end_process()
    server.bind()
    return server


def _serve_shared(
    settings: Settings, url: str | None, passed: ConsoleTicket | None, shared: socket.socket, first: bool
) -> None:
    server = _bound_server(settings, url, passed, [shared], first)
    threading.Thread(target=_end_with_parent, args=(server,), name="foveal-parent", daemon=True).start()
    server.run()


def _end_with_parent(server: Server) -> None:
    """Stop the server when its parent process is gone: a parent that was killed cannot stop it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # A server that is stopped before it listens would not close what it opened.
        server.ready()
        server.stop()
