"""One process that serves a memory: HTTP, gRPC, and what keeps the memory in order."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from importlib.util import find_spec
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import uvicorn
from starlette.routing import Route

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.filing import open_bus
from foveal.doors.http import create_app
from foveal.doors.serve.listening import listening
from foveal.doors.serve.patience import patience
from foveal.doors.service.guard import Guard, open_guard
from foveal.doors.service.keys import Keys
from foveal.doors.service.passing import Pass
from foveal.doors.service.station import open_station
from foveal.doors.worker import Worker
from foveal.errors import StoreUnavailable, Unavailable
from foveal.model.server import Serving
from foveal.ports.system import Bus

if TYPE_CHECKING:
    import grpc

    from foveal.doors.grpc import GrpcServer
    from foveal.doors.mcp.http import McpApp

# How long requests that are under way may take after the server was told to stop.
DRAIN = timedelta(seconds=20)
# How long it may take until it listens.
STARTING = timedelta(minutes=5)


class Server:
    """Serves a memory until it is told to stop: then it takes nothing new, ends what it began, and closes.

    `sockets` are those that several processes share; without any, it listens by itself. `passed` lets whoever
    started it into the console.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        url: str | None = None,
        sockets: list[socket.socket] | None = None,
        passed: Pass | None = None,
        grpc: bool = True,
        worker: bool = True,
    ) -> None:
        self._closing = ExitStack()
        self.memory = self._closing.enter_context(Memory(url, settings=settings, bus=self._bus(settings)))
        self.guard: Guard = open_guard(self.memory, settings)
        self.station = open_station(self.memory, settings, url=url)
        self._closing.callback(self.station.close)
        if passed is not None:
            self.guard.admit(passed)
        self._sockets = sockets
        self._serving = settings.server
        mcp = self._mcp(settings, alone=sockets is None)
        self.app = create_app(
            self.station.service,
            authenticate=self.guard.caller,
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
            http=patience(settings.server.request_timeout),
            ssl_certfile=settings.server.certificate,
            ssl_keyfile=settings.server.private_key,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=round(DRAIN.total_seconds()),
        )
        self._http = _Http(config, self._draining)
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
        from foveal.doors.mcp.http import LOOPBACK, mcp_app

        hosts = (*LOOPBACK, *settings.server.hosts, settings.server.host)
        # A session would be known to one of several processes only.
        return mcp_app(self.station.service, self.guard.caller, hosts=hosts, sessions=alone)

    def _grpc(self, settings: Settings) -> GrpcServer:
        from foveal.doors.grpc import GrpcServer

        return GrpcServer(
            self.station.service,
            host=settings.server.host,
            port=settings.server.grpc_port,
            max_message_bytes=settings.server.body_limit,
            authenticate=self.guard.caller,
            credentials=_credentials(settings.server),
        )

    def bind(self) -> None:
        """Take the port of HTTP, if nobody gave one; if it is not free, close and say so.

        From then on the process can be told to stop: whoever sees its port may do so at once.
        """
        if self._sockets is None:
            try:
                self._sockets = [listening(self._serving.host, self._serving.port)]
            except Unavailable:
                self.close()
                raise
        self._http.heed()

    def run(self) -> None:
        """Serve until the process is told to stop."""
        self.bind()
        try:
            if self.grpc is not None:
                self.grpc.start()
            self._http.run(sockets=self._sockets)
        finally:
            self.close()
            self._http.heed_no_more()

    def ready(self, within: timedelta = STARTING) -> bool:
        """Wait until it listens; whether it does."""
        return self._http.listening.wait(within.total_seconds())

    def stop(self) -> None:
        """Tell it to stop, from any thread."""
        self._draining()
        self._http.should_exit = True

    def _draining(self) -> None:
        self.station.physician.drain()
        self.app.state.context.stopping.set()

    def close(self) -> None:
        """End the other doors, write what is left to write, close the store."""
        if self.grpc is not None:
            self.grpc.stop(DRAIN)
        self.guard.flush()
        self._closing.close()

    @property
    def port(self) -> int:
        """Where HTTP listens, once it does."""
        return self._http.servers[0].sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        """The address of HTTP, once it listens."""
        return f"{self._serving.scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        """Serve in a thread of this process, and come back when it listens."""
        self._thread = threading.Thread(target=self.run, name="foveal-serve", daemon=True)
        self._thread.start()
        if not self.ready():
            raise StoreUnavailable("the server did not start: see its log")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._thread.join()


def _credentials(server: Serving) -> grpc.ServerCredentials | None:
    if server.certificate is None or server.private_key is None:
        return None
    from foveal.doors.grpc import server_credentials

    return server_credentials(server.certificate, server.private_key)


class _Http(uvicorn.Server):
    """The HTTP server, which says when it listens and when it is told to stop."""

    def __init__(self, config: uvicorn.Config, stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self.listening = threading.Event()
        self._stopping = stopping
        self._before: dict[signal.Signals, Any] = {}

    def heed(self) -> None:
        """Hear the signals to stop, also while the store is closed: one more must not end that half-way."""
        if threading.current_thread() is threading.main_thread() and not self._before:
            for kind in (signal.SIGINT, signal.SIGTERM):
                self._before[kind] = signal.signal(kind, self.handle_exit)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """They are heard already."""
        yield

    def heed_no_more(self) -> None:
        """Leave the signals to whom they were left before."""
        for kind, handler in self._before.items():
            signal.signal(kind, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping()
        super().handle_exit(sig, frame)
