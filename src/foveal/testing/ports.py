"""Ports to listen on that nobody else gets meanwhile."""

from __future__ import annotations

import os
import socket
from itertools import count

# Below those that the system hands out to whoever asks for any, so that none is gone before it is used.
_PORTS = range(20_000, 32_000)
# Processes that were started one after the other begin far from each other.
_NEXT = count(os.getpid() * 997)


def free_port() -> int:
    """A port of this machine on which nobody listens; another one each time."""
    for number in _NEXT:
        port = _PORTS[number % len(_PORTS)]
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    raise AssertionError("the numbers do not end")
