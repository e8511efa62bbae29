"""From a URL and settings to a connection: transport, breaker, ghosts, outbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foveal.backends.breaker import Breaker
from foveal.config import Settings, load_settings
from foveal.doors.client.ghosts import Engrams, GhostCache, GhostTransport, OnGhost
from foveal.doors.client.outbox import Outbox, OutboxTransport, default_path
from foveal.doors.client.remote import BreakerTransport, HttpTransport, Transport
from foveal.errors import Invalid
from foveal.ports.system import Clock, SystemClock

if TYPE_CHECKING:
    from foveal.doors.client.memory import AsyncRemoteMemory, RemoteMemory
    from foveal.doors.grpc import GrpcRemote


@dataclass(frozen=True)
class Connection:
    """The way to a server, with what stands along it: ghosts, an outbox if wanted, the breaker, the connections."""

    remote: Transport
    url: str
    breaker: Breaker
    engrams: Engrams
    haunted: GhostTransport | None = None
    queued: OutboxTransport | None = None

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of a verb."""
        return self.remote.call(name, arguments, key=key)

    def close(self) -> None:
        """Let go of the connections."""
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
    """The way to the server at a URL. `ghost` and `outbox` are whether, or where; else as the settings say."""
    chosen = settings or load_settings()
    ticking = clock or SystemClock()
    secret = key if key is not None else chosen.api_key
    direct = carrier or _carrier(url, secret, timeout, chosen.api_ca)
    limits = chosen.breaker
    breaker = Breaker(failures=limits.failures, reset=timedelta(seconds=limits.seconds), clock=ticking)
    remote: Transport = BreakerTransport(direct, breaker)
    # Another key may see other things.
    server = f"{direct.url} {blake2b((secret or '').encode(), digest_size=8).hexdigest()}"
    queued = haunted = None
    keeps = chosen.outbox if outbox is None else outbox
    if keeps is not False:
        remote = queued = OutboxTransport(remote, Outbox(_place(keeps) or default_path(server)), clock=ticking)
    shows = chosen.ghost if ghost is None else ghost
    cache = GhostCache(_place(shows), key=chosen.ghost_key, clock=ticking)
    if shows is not False:
        remote = haunted = GhostTransport(remote, cache, server=server, clock=ticking, on_ghost=on_ghost)
    engrams = Engrams(cache, server, ticking)
    return Connection(remote, direct.url, breaker, engrams, haunted, queued)


def _carrier(url: str, key: str | None, timeout: timedelta, ca: str | None) -> HttpTransport | GrpcRemote:
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

    What was read is kept in the user's cache folder and shown, with its age, while the server is away: `ghost` says
    whether, or where. `outbox` lets writes wait on the disk meanwhile; it is off unless asked for. `carrier` is
    what the calls go over, if not connections of their own.
    """
    from foveal.doors.client.memory import RemoteMemory

    chosen = settings or load_settings()
    where = url if url is not None else chosen.api_url
    if where is None:
        raise Invalid("say the URL of a server, or set MEMORY_API_URL")
    return RemoteMemory(
        line_to(
            where,
            key=key,
            timeout=timeout,
            ghost=ghost,
            outbox=outbox,
            clock=clock,
            settings=chosen,
            on_ghost=on_ghost,
            carrier=carrier,
        )
    )


def connect_async(url: str | None = None, **said: Any) -> AsyncRemoteMemory:
    """As `connect`, for asynchronous callers: the same verbs, awaited."""
    from foveal.doors.client.memory import AsyncRemoteMemory

    return AsyncRemoteMemory(connect(url, **said))


def _place(said: bool | Path) -> Path | None:
    return said if isinstance(said, Path) else None
