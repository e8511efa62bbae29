"""`foveal doctor`: checks of a memory file or database and of the services it uses."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from foveal.doors.cli.invocation import Code, Invocation
from foveal.doors.cli.output import Answer, Printer, counted, size
from foveal.errors import FovealError

if TYPE_CHECKING:
    import psycopg

    from foveal.backends.postgres.store import OrganismSizes, Sized
    from foveal.compose import Memory
    from foveal.config import Settings
    from foveal.engine.memory import View
    from foveal.model.server import Component


TEXT = "Written just before the process was killed."
ACTOR = "doctor"


def survives_a_crash() -> str:
    """Check that a process which is killed right after an acknowledged write loses nothing.

    It is a process of its own, in a temporary folder, and killed with SIGKILL.
    """
    with TemporaryDirectory(prefix="foveal-doctor-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "memory.db"
        acknowledged = _killed_after_writing(path)
        if not acknowledged:
            raise Wrong("the writing process ended before its write was acknowledged")
        with _scratch(path) as memory:
            view = memory.view(actor_id=ACTOR)
            if view.get(acknowledged, touch=False).text != TEXT:
                raise Wrong(f"{acknowledged} came back with another text")
            if acknowledged not in [hit.id for hit in view.search(TEXT, min_relevance=0, touch=False)]:
                raise Wrong(f"{acknowledged} is stored, but search does not find it")
            return _whole(view, "a process killed right after a write lost nothing")


def _scratch(path: Path) -> Memory:
    from foveal.config import load_settings

    return _opened(path, load_settings(), index=False)


def _opened(url: str | Path, settings: Settings, *, index: bool = True) -> Memory:
    """A memory to examine; without `index` it does not touch the vector index that the settings name."""
    import msgspec

    from foveal.compose import Memory

    return Memory(url, settings=settings if index else msgspec.structs.replace(settings, vector_index=None))


def _killed_after_writing(path: Path) -> str:
    command = [sys.executable, "-m", __name__, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = process.stdout.readline().strip()
        process.kill()
    return acknowledged


def _write_and_wait(path: Path) -> None:
    memory = _scratch(path)
    print(memory.write(TEXT, actor_id=ACTOR).id, flush=True)
    # Wait to be killed with the file still open; the end of the input means that the parent is gone.
    sys.stdin.read()


Check = Callable[[], str]
# The components that outlive a process; only a server can report on its cache, bus and clock.
LASTING = ("store", "index", "embedder", "scheduler", "disk")


class Wrong(Exception):
    """A failed check, with the reason."""


def health_checks(url: str, settings: Settings) -> Iterator[tuple[str, Check]]:
    """The health of the components of a memory, as its server would report it at `/api/memory/health`."""

    @cache
    def parts() -> dict[str, Component]:
        from foveal.doors.service.health import HealthMonitor

        # A vector index has a check of its own, and must not be created by a check.
        with _opened(url, settings, index=False) as memory:
            health = HealthMonitor(memory, settings, url=url).health()
        return {component.name: component for component in health.components}

    for name in LASTING:
        yield name, lambda name=name: _component_health(parts()[name])


def _component_health(part: Component) -> str:
    from foveal.model.server import State

    figure = "" if part.figure is None else f", {part.figure:g} {part.unit}"
    if part.state is State.DOWN:
        raise Wrong(part.reason + figure)
    return f"{'degraded: ' if part.state is State.DEGRADED else ''}{part.reason}{figure}"


def _integrity(url: str, settings: Settings, whole: str) -> str:
    with _opened(url, settings) as memory:
        return _whole(memory, whole)


def _whole(memory: View, whole: str) -> str:
    problems = memory.admin.check()
    if problems:
        raise Wrong("; ".join(problems))
    return whole


def _vectors(url: str, settings: Settings) -> str:
    """The encoder of the stored vectors, which must be the one of the settings."""
    from foveal.compose import open_embedder

    with _opened(url, settings) as memory:
        stored = memory.stats(actor_id=ACTOR).encoder
    wanted = open_embedder(None, settings).id
    if stored not in (None, wanted):
        raise Wrong(f"made by {stored}, the settings say {wanted}: run foveal reindex")
    return f"made by {stored}" if stored else "none yet"


def _schema_version(version: int, newest: int) -> str:
    return f"{version}" if version == newest else f"{version}; the next write brings it to {newest}"


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    check: str
    ok: bool
    detail: str


def doctor(call: Invocation) -> Answer:
    """Check the memory, and simulate a crash.

    A file is opened read-only; for a database, the server and its extension are checked, too. The crash is
    simulated in a temporary folder: a process is killed right after a write, and nothing may be lost.
    """
    findings = [_run_check(name, check) for name, check in _checks(call)]

    def tell(page: Printer) -> None:
        for finding in findings:
            style = "" if finding.ok else "bold red"
            mark = "OK" if finding.ok else "FAIL"
            page.line(f"{mark:<5} {finding.check:<12} {finding.detail}".rstrip(), style=style)

    ok = all(finding.ok for finding in findings)
    document = {"ok": ok, "checks": [asdict(finding) for finding in findings]}
    return Answer(document, tell, code=Code.OK if ok else Code.FAILED)


def _run_check(name: str, check: Check) -> Finding:
    try:
        return Finding(name, True, check())
    except Wrong as wrong:
        return Finding(name, False, str(wrong))
    except FovealError as error:
        return Finding(name, False, f"{error.message} ({error.code})")


def _checks(call: Invocation) -> Iterator[tuple[str, Check]]:
    from foveal.config import load_settings, names_postgres, sqlite_path

    settings = load_settings()
    url = call.options.url if call.options.url is not None else settings.url
    yield "python", lambda: f"{sys.version.split()[0]} on {sys.platform}"
    yield "sqlite", _sqlite
    yield "encoder", lambda: _encoder(settings)
    yield "second look", lambda: _second_look(settings)
    existing = None
    if url == ":memory:":
        yield "file", lambda: "none: the memory lives in the process"
    elif names_postgres(url):
        existing = str(url)
        yield from database_checks(existing, settings)
    else:
        path, _ = sqlite_path(url)
        if path.exists():
            existing = f"sqlite:///{quote(str(path.absolute()))}?mode=ro"
            yield from _file_checks(path, existing, settings)
        else:
            yield "file", lambda: _can_be_made(path)
    if existing is not None and settings.vector_index is not None:
        yield "index", partial(check_index, existing, settings)
    if settings.redis is not None:
        yield "redis", lambda: check_redis(settings)
    yield "crash", survives_a_crash


def _file_checks(path: Path, url: str, settings: Settings) -> Iterator[tuple[str, Check]]:
    yield "file", lambda: _opens(path, url, settings)
    yield "schema", lambda: _schema(path)
    yield "integrity", lambda: _integrity(url, settings, "every page and every reference is whole")
    yield "vectors", lambda: _vectors(url, settings)
    yield "sizes", lambda: _sizes(path)
    yield "permissions", lambda: _permissions(path)
    yield from health_checks(url, settings)


def _sqlite() -> str:
    import apsw

    return f"{apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})"


def _encoder(settings: Settings) -> str:
    from foveal.compose import open_embedder

    embedder = open_embedder(None, settings)
    vectors = embedder.embed(["a short text"])
    if vectors.shape != (1, embedder.dimension):
        raise Wrong(f"{embedder.id} answered with {vectors.shape}, not (1, {embedder.dimension})")
    return f"{embedder.id}, {embedder.dimension} dimensions"


def _second_look(settings: Settings) -> str:
    """The encoder of the second look, which must run."""
    from foveal.compose import open_second_look

    embedder = open_second_look(None, None, settings)
    if embedder is not None:
        return f"{embedder.id}, {len(embedder.embed(['a short text'])[0])} dimensions"
    if settings.second_look is None and settings.encoder == "static":
        return "off, because onnxruntime is not installed: pip install onnxruntime"
    return "off"


def _can_be_made(path: Path) -> str:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not os.access(folder, os.W_OK):
        raise Wrong(f"there is none at {path}, and {folder} cannot be written")
    return f"none yet at {path}; the first write makes it"


def _opens(path: Path, url: str, settings: Settings) -> str:
    _opened(url, settings).close()
    return str(path)


def _schema(path: Path) -> str:
    import apsw

    from foveal.backends.sqlite.connection import migrations, translated

    with translated(path):
        file = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        version = int(file.pragma("user_version"))
        file.close()
    newest = len(migrations())
    if version > newest:
        raise Wrong(f"{version}, and this release knows {newest}: upgrade Foveal")
    return _schema_version(version, newest)


def _sizes(path: Path) -> str:
    log = Path(f"{path}-wal")
    waiting = log.stat().st_size if log.exists() else 0
    beside = f", log {size(waiting)}" if waiting else ""
    return f"file {size(path.stat().st_size)}{beside}"


def _permissions(path: Path) -> str:
    if not os.access(path, os.R_OK | os.W_OK) or not os.access(path.absolute().parent, os.W_OK):
        raise Wrong(f"{path} or its folder cannot be written")
    if os.name != "posix":
        return "readable and writable"
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise Wrong(f"{mode:o}: others on this machine can open it: chmod 600 {path}")
    return f"{mode:o}: nobody else can open it"


# The memory that a record takes in each process that searches its actor.
RECORD_BYTES = 800
LOOKED_AT, NAMED = 100, 5


def check_search(url: str, settings: Settings) -> str:
    """Where the actors of a database are searched, in RAM or in the database, and how to change that."""
    from foveal.backends.postgres import PostgresStore

    most = settings.postgres.mirror_records
    with closing(PostgresStore(url, pool_size=1, mirror_records=most)) as store:
        return describe_search(store.search.sizes(LOOKED_AT), most)


def describe_search(sizes: OrganismSizes, most: int) -> str:
    """The sizes of the actors, in words.

    >>> from foveal.backends.postgres.store import OrganismSizes, Sized
    >>> describe_search(OrganismSizes((Sized("default", "ada", 90, indexed=False),), inside=0, mirrored=90), 100)
    'all in RAM, 70.3 KB; near 100 records: ada (90): raise postgres.mirror_records to keep it in RAM beyond that'
    """
    if not sizes.largest:
        return "nobody yet"
    if most == 0:
        parts = ["all inside the database, as postgres.mirror_records says"]
    else:
        parts = [f"{'all' if not sizes.inside else 'the others'} in RAM, {size(sizes.mirrored * RECORD_BYTES)}"]
    large = [actor for actor in sizes.largest if actor.records > most] if most else []
    near = [actor for actor in sizes.largest if most * 8 <= actor.records * 10 and actor.records <= most]
    if large:
        parts.insert(0, f"{counted(sizes.inside, 'actor')} inside the database: {_named(large, sizes.inside)}")
    waiting = [actor for actor in sizes.largest if actor.wants_indexes(most) and not actor.indexed]
    if waiting:
        parts.append(f"not ready: {_named(waiting)}: the first question has indexes built, which takes minutes")
    if near:
        parts.append(
            f"near {counted(most, 'record')}: {_named(near)}: raise postgres.mirror_records to keep "
            f"{'it' if len(near) == 1 else 'them'} in RAM beyond that"
        )
    return "; ".join(parts)


def _named(actors: list[Sized], total: int = 0) -> str:
    shown = actors[:NAMED]
    names = [
        f"{'' if actor.world == 'default' else actor.world + '/'}{actor.actor} ({actor.records:,})"
        for actor in shown
    ]
    more = max(total, len(actors)) - len(shown)
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


# A larger difference cannot come from the round trip: one of the clocks is not synchronised.
SKEWED_SECONDS = 30.0


def database_checks(url: str, settings: Settings) -> Iterator[tuple[str, Check]]:
    """The checks of a database, in order of dependence. They create and change nothing."""
    yield "driver", _driver
    answered: list[str] = []
    yield "server", lambda: _server(url, answered)
    if not answered:
        # All further checks would fail for the same reason.
        return
    yield "pgvector", lambda: _extension(url)
    yield "role", lambda: _role(url)
    yield "clock", lambda: _clock(url)
    if _has_schema(url):
        yield "schema", lambda: _database_schema(url)
        yield "integrity", lambda: _integrity(url, settings, "every index and every reference is whole")
        yield "vectors", lambda: _vectors(url, settings)
        yield "search", lambda: check_search(url, settings)
        yield from health_checks(url, settings)
    else:
        yield "schema", lambda: "none yet; the first write makes it"
        yield "integrity", lambda: "nothing there yet"
        yield "vectors", lambda: "none yet"
    if settings.postgres.replica is not None:
        yield "replica", lambda: _replica(str(settings.postgres.replica))


def _driver() -> str:
    try:
        import psycopg
    except ModuleNotFoundError:
        raise Wrong("psycopg is not installed: pip install 'foveal[postgres]'") from None
    return f"psycopg {psycopg.__version__}"


@contextmanager
def _connected(url: str) -> Generator[tuple[psycopg.Connection, str]]:
    """A connection to the database, and the name of the server for messages."""
    from foveal.backends.postgres.connection import place, reached, translated

    where = place(url)
    with translated(where), reached(url, where) as connection:
        yield connection, where


def _query(url: str, sql: str) -> Any:
    with _connected(url) as (connection, _):
        return connection.execute(sql.encode()).fetchone()


def _server(url: str, answered: list[str]) -> str:
    from foveal.backends.postgres.schema import require_server

    with _connected(url) as (connection, where):
        answered.append(where)
        require_server(connection, where)
        return f"PostgreSQL {connection.info.parameter_status('server_version')} at {where}"


def _extension(url: str) -> str:
    from foveal.backends.postgres.schema import examined_extension, require_leave

    with _connected(url) as (connection, where):
        installed = examined_extension(connection, where)
        if installed is None:
            require_leave(connection, where)
        return installed or "not in this database yet; the first write adds it"


def _role(url: str) -> str:
    name, bypasses = _query(
        url, "select rolname, rolsuper or rolbypassrls from pg_roles where rolname = current_user"
    )
    if bypasses:
        return f"{name}, which bypasses the isolation of worlds: use a role that is not a superuser"
    return f"{name}, kept to one world at a time"


def _clock(url: str) -> str:
    from foveal.ports.system import SystemClock

    [server] = _query(url, "select extract(epoch from clock_timestamp())")
    difference = SystemClock().now().timestamp() - float(server)
    description = f"{abs(difference):.1f} seconds {'ahead of' if difference > 0 else 'behind'} the server's"
    if abs(difference) > SKEWED_SECONDS:
        raise Wrong(f"{description}: records are dated and expire by it, so let both machines be set by NTP")
    return description


def _database_schema(url: str) -> str:
    from foveal.backends.postgres.schema import migrations

    version = _query(url, "select coalesce(max(number), 0) from foveal.migration")[0]
    newest = len(migrations())
    if version > newest:
        return f"{version}, of a newer release that this one can work with"
    return _schema_version(version, newest)


def _has_schema(url: str) -> bool:
    return _query(url, "select to_regclass('foveal.migration')")[0] is not None


def _replica(url: str) -> str:
    is_replica, seconds = _query(
        url,
        "select pg_is_in_recovery(), case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0 else "
        "extract(epoch from now() - pg_last_xact_replay_timestamp()) end",
    )
    if not is_replica:
        raise Wrong("it follows no server: it was promoted, or it never was a replica")
    return f"follows, {float(seconds or 0):.1f} seconds behind"


# The first version with streams.
OLDEST = (5, 0)


def check_redis(settings: Settings) -> str:
    """Check that the server answers, supports streams, and does not evict them when it is full."""
    from foveal.compose import open_cache

    open_cache(settings)
    from foveal.backends.redis import FAILURES, connect, reason_of

    client = connect(str(settings.redis))
    try:
        start = time.perf_counter()
        client.ping()
        took = 1000 * (time.perf_counter() - start)
        info = client.info()
    except FAILURES as error:
        raise Wrong(f"{reason_of(error)}: is it running, and is the URL right?") from None
    finally:
        client.close()
    version = str(info.get("valkey_version") or info.get("redis_version", ""))
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise Wrong(f"version {version}, and 5.0 is the first that knows streams")
    policy = str(info.get("maxmemory_policy", ""))
    if policy.startswith("allkeys"):
        raise Wrong(f"when it is full it drops notices, too ({policy}): set maxmemory-policy volatile-lru")
    return f"{info.get('server_name', 'redis')} {version} answers in {took:.1f} ms"


def check_index(url: str, settings: Settings) -> str:
    """Check that the vector index opens, and count the records it lacks."""
    from foveal.compose import index_folder
    from foveal.doors.service.health import probe_vectors
    from foveal.model.server import State

    folder = index_folder(str(settings.vector_index))
    if not folder.exists():
        raise Wrong(f"there is none at {folder} yet: run foveal reindex")
    with _opened(url, settings) as memory:
        component = probe_vectors(memory.runtime)
    if component.state is not State.OK:
        raise Wrong(f"{folder}: {component.figure:,} records are not in it: run foveal reindex")
    return f"{folder} lacks {component.figure:,} records, which the store compares itself"


if __name__ == "__main__":
    _write_and_wait(Path(sys.argv[1]))
