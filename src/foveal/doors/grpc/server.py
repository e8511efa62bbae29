"""A gRPC server for a service, in threads of this process."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Semaphore
from typing import Any, Self, TypeVar

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from foveal.doors.grpc.procedures import Authenticate, Beside, Patience, Procedures
from foveal.doors.service import ANYONE, Caller, Service
from foveal.doors.service.places import MOST_LENT
from foveal.errors import Invalid, Unavailable
from foveal.wire.messages import SERVICE

T = TypeVar("T")

HOST, PORT = "127.0.0.1", 50053
THREADS = 16
# The number of threads for health checks, and for reflection: neither needs a key.
BESIDE = 2
MAX_MESSAGE_BYTES = 8 * 2**20
GRACE = timedelta(seconds=10)


class Threads(ThreadPoolExecutor):
    """Threads of which so many run calls at once. One that waits for a lock lets another run in its place."""

    def __init__(self, most: int, name: str) -> None:
        super().__init__(most + MOST_LENT, thread_name_prefix=name)
        self._places = Semaphore(most)
        self._lent = Semaphore(MOST_LENT)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a function in a thread, once there is a place for it."""
        return super().submit(self._placed, partial(fn, *args, **kwargs))

    def _placed(self, work: Callable[[], T]) -> T:
        with self._places:
            return work()

    @contextmanager
    def lend(self) -> Generator[None]:
        """Let another thread run while this one waits."""
        if not self._lent.acquire(blocking=False):
            yield
            return
        self._places.release()
        try:
            yield
        finally:
            self._places.acquire()
            self._lent.release()


def anyone(authorization: str | None) -> Caller:
    """Accept every caller: for a server that only this machine can reach."""
    return ANYONE


class GrpcServer:
    """A gRPC server that its owner starts and stops. `port` 0 picks a free one.

    It listens only on this machine unless `authenticate` identifies callers, as `Authenticator.caller` does. Calls
    run in `threads` threads; half of them may hold open streams, and one key may hold half of those. `recheck`
    authenticates the caller of an open stream again without counting a call, as `Authenticator.recheck` does. A
    message over `max_message_bytes` is refused.
    """

    def __init__(
        self,
        service: Service,
        *,
        host: str = HOST,
        port: int = PORT,
        authenticate: Authenticate | None = None,
        recheck: Authenticate | None = None,
        credentials: grpc.ServerCredentials | None = None,
        threads: int = THREADS,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        if authenticate is None and not _is_loopback(host):
            raise Invalid(f"{host} can be reached from outside: pass `authenticate` to identify callers", host=host)
        self.host = host
        self._scheme = "grpc" if credentials is None else "grpcs"
        self._pool = Threads(threads, "foveal-grpc")
        self._for_health = ThreadPoolExecutor(BESIDE, thread_name_prefix="foveal-grpc-health")
        self._for_reflection = ThreadPoolExecutor(BESIDE, thread_name_prefix="foveal-grpc-reflection")
        self.patience = Patience()
        beside = Beside(self._for_health, self._for_reflection, self.patience)
        interceptors: list[grpc.ServerInterceptor] = [beside]
        self._server = grpc.server(self._pool, interceptors=interceptors, options=_options(max_message_bytes))
        streams = max(1, threads // 2)
        procedures = Procedures(
            service,
            authenticate or anyone,
            recheck=recheck,
            streams=streams,
            patience=self.patience,
            lend=self._pool.lend,
        )
        generic = grpc.method_handlers_generic_handler(SERVICE, procedures.handlers())
        self._server.add_generic_rpc_handlers((generic,))
        self._health = health.HealthServicer(True, self._for_health)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)
        self._started = False
        self.serving(False)
        self.port = self._bound(port, credentials)

    def _bound(self, port: int, credentials: grpc.ServerCredentials | None) -> int:
        where = f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"
        try:
            if credentials is not None:
                return self._server.add_secure_port(where, credentials)
            return self._server.add_insecure_port(where)
        except RuntimeError as error:
            self._shut()
            raise Unavailable(f"cannot listen on {where}: {error}", host=self.host, port=port) from error

    @property
    def address(self) -> str:
        """The URL of this server, as `GrpcRemote` takes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self._scheme}://{host}:{self.port}"

    def start(self) -> Self:
        """Start answering, and report it to health checks."""
        self._server.start()
        self.patience.start()
        self._started = True
        self.serving(True)
        return self

    def serving(self, ready: bool) -> None:
        """Report to health checks whether the server is ready. `start` and `stop` do this themselves."""
        state = health_pb2.HealthCheckResponse.SERVING if ready else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", SERVICE):
            self._health.set(name, state)

    def stop(self, grace: timedelta = GRACE) -> None:
        """Refuse new calls, give running ones `grace` to finish, and return when all have ended."""
        self._health.enter_graceful_shutdown()
        self._server.stop(grace.total_seconds()).wait()
        self._shut()

    def _shut(self) -> None:
        self.patience.stop()
        for pool in (self._pool, self._for_health, self._for_reflection):
            pool.shutdown()

    def __enter__(self) -> Self:
        return self if self._started else self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def server_credentials(certificate: str, private_key: str) -> grpc.ServerCredentials:
    """TLS credentials of a server, from two PEM files."""
    return grpc.ssl_server_credentials([(file_of(private_key), file_of(certificate))])


def file_of(path: str) -> bytes:
    """The content of a file of keys or certificates; `Invalid` if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}") from error


def serve_grpc(service: Service, **options: Any) -> GrpcServer:
    """A started server, which runs until `stop`. Options are those of `GrpcServer`."""
    return GrpcServer(service, **options).start()


def _options(max_message_bytes: int) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", max_message_bytes),
        # Otherwise two servers on one port would share its calls at random.
        ("grpc.so_reuseport", 0),
        # The stream of a caller that vanished ends within a minute.
        ("grpc.keepalive_time_ms", 40_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        # An idle connection is closed; the library of the caller reopens it when needed.
        ("grpc.max_connection_idle_ms", 300_000),
        ("grpc.max_concurrent_streams", 128),
    ]


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
