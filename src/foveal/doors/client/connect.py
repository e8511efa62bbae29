"""Opens a connection from a URL and settings: transport, breaker, ghosts and outbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foveal.backends.breaker import Breaker
from foveal.config import Settings, load_settings
from foveal.doors.client.ghosts import GhostCache, GhostTransport, OnGhost
from foveal.doors.client.outbox import Outbox, OutboxTransport, default_path
from foveal.doors.client.remote import BreakerTransport, HttpTransport, Transport
from foveal.errors import Invalid
from foveal.ports.system import Clock, SystemClock

if TYPE_CHECKING:
    from foveal.doors.client.memory import AsyncRemoteMemory, RemoteMemory
    from foveal.doors.grpc import GrpcRemote


@dataclass(frozen=True)
class Connection:
    """A connection to a server and its layers: ghosts, an optional outbox, the breaker, the transport."""

    remote: Transport
    url: str
    breaker: Breaker
    ghosts: GhostTransport | None = None
    outbox: OutboxTransport | None = None

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """Call a verb and return its answer."""
        return self.remote.call(name, arguments, key=key)

    def close(self) -> None:
        """Close the connections."""
        self.remote.close()


def line_to(
    url: str,
    *,
    key: str | None = None,
    timeout: timedelta = timedelta(seconds=30),
    ghost: bool | Path | None = None,
    outbox: bool | Path | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    on_ghost: OnGhost | None = None,
    carrier: HttpTransport | None = None,
) -> Connection:
    """A connection to the server at a URL.

    `ghost` and `outbox` say whether to use them, or in which place; without them, the settings decide.
    """
    settings = settings or load_settings()
    clock = clock or SystemClock()
    secret = key if key is not None else settings.api_key
    transport = carrier or _transport(url, secret, timeout, settings.api_ca)
    limits = settings.breaker
    breaker = Breaker(failures=limits.failures, reset=timedelta(seconds=limits.seconds), clock=clock)
    remote: Transport = BreakerTransport(transport, breaker)
    # The key is part of the name, because another key may see other records.
    server = f"{transport.url} {blake2b((secret or '').encode(), digest_size=8).hexdigest()}"
    outbox_transport = ghosts = None
    outbox = settings.outbox if outbox is None else outbox
    if outbox is not False:
        remote = outbox_transport = OutboxTransport(
            remote, Outbox(_path(outbox) or default_path(server)), clock=clock
        )
    ghost = settings.ghost if ghost is None else ghost
    cache = GhostCache(_path(ghost), key=settings.ghost_key, clock=clock)
    if ghost is not False:
        quick = timedelta(seconds=settings.ghost_after)
        remote = ghosts = GhostTransport(remote, cache, server=server, clock=clock, on_ghost=on_ghost, quick=quick)
    return Connection(remote, transport.url, breaker, ghosts, outbox_transport)


def _transport(url: str, key: str | None, timeout: timedelta, ca: str | None) -> HttpTransport | GrpcRemote:
    if not url.lower().startswith("grpc"):
        return HttpTransport(url, key=key, timeout=timeout, ca=ca)
    from foveal.doors.grpc import GrpcRemote

    return GrpcRemote(url, key=key, timeout=timeout, ca=ca)


def connect(
    url: str | None = None,
    *,
    key: str | None = None,
    timeout: timedelta = timedelta(seconds=30),
    ghost: bool | Path | None = None,
    outbox: bool | Path | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    on_ghost: OnGhost | None = None,
    carrier: HttpTransport | None = None,
) -> RemoteMemory:
    """The memory behind a URL, with the verbs of `Memory`; without a URL, the one that MEMORY_API_URL names.

    Answers are kept in the user's cache folder and shown with their age while the server is away: `ghost` says
    whether, or in which folder. With `outbox`, writes wait on disk in the meantime; it is off by default. `carrier`
    is the transport to use instead of opening a new one.
    """
    from foveal.doors.client.memory import RemoteMemory

    settings = settings or load_settings()
    url = url if url is not None else settings.api_url
    if url is None:
        raise Invalid("pass the URL of a server, or set MEMORY_API_URL")
    return RemoteMemory(
        line_to(
            url,
            key=key,
            timeout=timeout,
            ghost=ghost,
            outbox=outbox,
            clock=clock,
            settings=settings,
            on_ghost=on_ghost,
            carrier=carrier,
        )
    )


def connect_async(url: str | None = None, **options: Any) -> AsyncRemoteMemory:
    """Like `connect`, for asynchronous callers: the same verbs, awaited."""
    from foveal.doors.client.memory import AsyncRemoteMemory

    return AsyncRemoteMemory(connect(url, **options))


def _path(place: bool | Path) -> Path | None:
    return place if isinstance(place, Path) else None
