"""On the path of every process of the conformance suites: only this machine can be reached."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Any

_CONNECTS = ("connect", "connect_ex", "sendto")
_NAMES = ("localhost", "")


class Offline(OSError):
    """A suite tried to reach another machine."""


def _is_here(host: object) -> bool:
    if host in _NAMES or host is None:
        return True
    try:
        return ip_address(str(host)).is_loopback
    except ValueError:
        return False


def _guard(name: str) -> None:
    original = getattr(socket.socket, name)

    def call(self: socket.socket, *words: Any) -> Any:
        # The address is the last argument; that of a Unix socket is a path.
        address: Any = words[-1]
        if not isinstance(address, str | bytes) and not _is_here(address[0]):
            raise Offline(f"{name} to {address[0]}: only this machine may be reached")
        return original(self, *words)

    setattr(socket.socket, name, call)


for _name in _CONNECTS:
    _guard(_name)

_resolve = socket.getaddrinfo


def _resolved(host: Any, *words: Any, **options: Any) -> Any:
    if not _is_here(host.decode() if isinstance(host, bytes) else host):
        raise Offline(f"the name {host!r} is looked up: only this machine may be reached")
    return _resolve(host, *words, **options)


socket.getaddrinfo = _resolved
