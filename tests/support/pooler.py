"""A small connection pooler for Postgres, with the modes `session` and `transaction` of PgBouncer."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

_SSL_REQUEST, _GSS_REQUEST = 80_877_103, 80_877_104


class Pooler:
    """Listens in a folder, and passes each transaction, or each session, on to a server on a socket."""

    def __init__(self, folder: Path, server: Path, *, mode: str) -> None:
        self._server, self._mode = server / ".s.PGSQL.5432", mode
        self._idle: list[tuple[socket.socket, bytes]] = []
        self._servers: list[socket.socket] = []
        self._clients: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The thread that waits for clients does not notice that the socket is closed.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for server in self._servers:
            server.close()
        for client in self._clients:
            # A thread that waits for what a client asks goes on.
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._clients.append(client)
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self, client: socket.socket) -> None:
        try:
            startup = _startup(client)
            upstream, greeting = self._taken(startup)
            client.sendall(greeting)
            held: socket.socket | None = upstream
            if self._mode == "transaction":
                self._give_back(upstream, greeting)
                held = None
            while True:
                asked = _message(client)
                if asked[:1] == b"X":
                    return
                if held is None:
                    held, _ = self._taken(startup)
                held.sendall(asked)
                if asked[:1] in (b"Q", b"S"):
                    end = _answered(held, client)
                    if end[5:6] == b"I" and self._mode == "transaction":
                        # Before the client is told, who may open the next connection at once.
                        self._give_back(held, greeting)
                        held = None
                    client.sendall(end)
        except (ConnectionError, OSError):
            return
        finally:
            client.close()

    def _taken(self, startup: bytes) -> tuple[socket.socket, bytes]:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        server = socket.socket(socket.AF_UNIX)
        self._servers.append(server)
        server.connect(str(self._server))
        server.sendall(startup)
        greeting = b""
        while True:
            message = _message(server)
            # Like PgBouncer, it tells the client a process number of its own.
            greeting += b"K" + struct.pack("!iii", 12, 1, 1) if message[:1] == b"K" else message
            if message[:1] == b"Z":
                return server, greeting

    def _give_back(self, server: socket.socket, greeting: bytes) -> None:
        with self._lock:
            self._idle.append((server, greeting))


def _read(end: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = end.recv(count - len(data))
        if not part:
            raise ConnectionError("the other end is gone")
        data += part
    return data


def _startup(client: socket.socket) -> bytes:
    while True:
        head = _read(client, 8)
        length, code = struct.unpack("!ii", head)
        if code not in (_SSL_REQUEST, _GSS_REQUEST):
            return head + _read(client, length - 8)
        client.sendall(b"N")


def _message(end: socket.socket) -> bytes:
    head = _read(end, 5)
    return head + _read(end, struct.unpack("!i", head[1:])[0] - 4)


def _answered(server: socket.socket, client: socket.socket) -> bytes:
    """Pass the answer on to the client. Returns its last message, which has the state of the transaction."""
    while True:
        message = _message(server)
        if message[:1] == b"Z":
            return message
        client.sendall(message)
