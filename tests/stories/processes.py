"""`foveal serve` in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from types import TracebackType
from typing import Self

import httpx2
from tests.stories.waiting import MOST, until

from foveal.testing.servers import free_port


class Process:
    """A server on a memory, which listens once this is made. `more` are its options, `settings` its environment."""

    def __init__(self, memory: str, *more: str, port: int | None = None, **settings: str) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "foveal.doors.cli", "serve", "--url", memory, "--port", str(self.port)]
        said = {f"FOVEAL_{name.upper()}": value for name, value in settings.items()}
        if "--grpc-port" not in more:
            more = (*more, "--grpc-port", "0")
        self._process = subprocess.Popen(
            [*command, *more], stdout=subprocess.PIPE, text=True, env={**os.environ, **said}
        )
        assert self._process.stdout is not None
        self.said = [self._process.stdout.readline() for _ in range(8)]
        until(self._listens, lambda: "the server did not start")

    def _listens(self) -> bool:
        assert self._process.poll() is None, "the server ended"
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def client(self, **options: object) -> httpx2.Client:
        """Who asks it."""
        return httpx2.Client(base_url=self.url, timeout=MOST, **options)  # pyright: ignore[reportArgumentType]

    def end(self, kind: signal.Signals = signal.SIGTERM) -> int:
        """Send it a signal, and say what it ended with."""
        if self._process.returncode is None:
            os.kill(self._process.pid, kind)
            self._process.communicate(timeout=MOST)
        return self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
