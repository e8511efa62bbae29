"""The socket a server listens on."""

from __future__ import annotations

import os
import socket

from foveal.errors import Unavailable


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; `Unavailable` says why there is none, and what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise Unavailable(
            f"cannot listen on {host}:{port}: {why}; choose another with --host or --port", host=host, port=port
        ) from error
