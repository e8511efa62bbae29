"""Finds servers that no longer answer, cuts the connections to them, and tries the other hosts of a URL first."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

# A call that waits for longer makes the watch ask whether the server still answers new connections.
PATIENCE_SECONDS = 2.0
# A server that did not answer is tried after the others for so long.
AWAY_SECONDS = 30.0
_EVERY_SECONDS = 0.5

# A network that drops packets is noticed within seconds. A URL may set any of these itself.
DEFAULTS: Mapping[str, Any] = {
    "connect_timeout": 3,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "foveal",
}


def defaults_for(url: str) -> dict[str, Any]:
    """The connection parameters that a URL leaves open.

    >>> sorted(defaults_for("postgresql://db.example/memory?keepalives=0&connect_timeout=9"))[:2]
    ['application_name', 'keepalives_count']
    """
    given = conninfo_to_dict(url)
    if str(given.get("keepalives")) == "0":
        given |= {"keepalives_idle": 0, "keepalives_interval": 0}
    return {name: value for name, value in DEFAULTS.items() if name not in given}


class Host(NamedTuple):
    """One server of a URL."""

    host: str
    port: str


class Hosts:
    """The servers that a URL names, and those of them that did not answer lately."""

    def __init__(self) -> None:
        self._left_at: dict[Host, float] = {}

    def leave(self, host: Host) -> None:
        """Try this server after the others for a while."""
        self._left_at[host] = monotonic()

    def was_left(self, connection: WatchedConnection) -> bool:
        """Whether a connection is older than the moment at which its server stopped answering."""
        host = Host(connection.info.host, str(connection.info.port))
        return connection.opened_at < self._left_at.get(host, 0.0)

    def ordered(self, conninfo: str) -> str:
        """The same URL with the servers that did not answer behind the others.

        >>> hosts = Hosts()
        >>> hosts.leave(Host("one", "5433"))
        >>> hosts.ordered("host=one,two port=5433 dbname=memory")
        'dbname=memory host=two,one port=5433,5433'
        """
        parts = conninfo_to_dict(conninfo)
        hosts = str(parts.get("host") or "").split(",")
        if len(hosts) < 2 or not self._left_at or parts.get("hostaddr"):
            return conninfo
        ports = str(parts.get("port") or "").split(",")
        ports = ports * len(hosts) if len(ports) == 1 else ports
        lately = monotonic() - AWAY_SECONDS
        servers = sorted(
            (Host(*server) for server in zip(hosts, ports, strict=True)),
            key=lambda server: self._left_at.get(server._replace(port=server.port or "5432"), 0.0) > lately,
        )
        names = {"host": ",".join(server.host for server in servers), "port": ",".join(s.port for s in servers)}
        return make_conninfo("", **{**parts, **names})


class WatchedConnection(psycopg.Connection[Any]):
    """A connection to the first server of a URL that answers; those in `hosts` that did not are tried last."""

    opened_at = 0.0

    @classmethod
    def connect(cls, conninfo: str = "", *, hosts: Hosts, **parameters: Any) -> WatchedConnection:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Connect to a server."""
        connection = super().connect(hosts.ordered(conninfo), **parameters)
        connection.opened_at = monotonic()
        return connection


class Watch:
    """Cuts the connections to a server that stopped answering, so that nobody waits for it any longer.

    A frozen server keeps its connections open, and the kernel of its machine still acknowledges packets: only a
    server that does not answer a new connection either is told from one that is busy.
    """

    def __init__(self, url: str, hosts: Hosts) -> None:
        self._url, self._hosts = url, hosts
        self._since: dict[psycopg.Connection[Any], float] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def taken(self, connection: psycopg.Connection[Any]) -> None:
        """A call uses this connection from now on."""
        with self._lock:
            self._since[connection] = monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="foveal-watch", daemon=True)
                self._thread.start()

    def returned(self, connection: psycopg.Connection[Any]) -> None:
        """No call uses this connection any more."""
        with self._lock:
            self._since.pop(connection, None)

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(_EVERY_SECONDS):
            late: dict[Host, list[psycopg.Connection[Any]]] = {}
            with self._lock:
                before = monotonic() - PATIENCE_SECONDS
                for connection, since in self._since.items():
                    if since < before and not connection.closed:
                        info = connection.info
                        late.setdefault(Host(info.host, str(info.port)), []).append(connection)
            for host in late:
                if not self._answers(host):
                    self._cut(host)

    def _answers(self, host: Host) -> bool:
        try:
            parameters: dict[str, Any] = defaults_for(self._url)
            parameters |= {"target_session_attrs": "any", "connect_timeout": 2}
            psycopg.connect(self._url, **parameters | host._asdict()).close()
        except psycopg.OperationalError as error:
            # A server that refuses a connection answers, whatever it says.
            return not isinstance(error, psycopg.errors.ConnectionTimeout)
        return True

    def _cut(self, host: Host) -> None:
        self._hosts.leave(host)
        with self._lock:
            connections = [
                connection
                for connection in self._since
                if not connection.closed and (connection.info.host, str(connection.info.port)) == host
            ]
        for connection in connections:
            # The thread that waits for an answer then reads the end of the connection.
            with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as end:
                end.shutdown(socket.SHUT_RDWR)
