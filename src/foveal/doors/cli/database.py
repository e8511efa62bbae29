"""The examination of a Postgres database: what is missing, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from foveal.doors.cli.findings import Look, Wrong, health_looks, matching_vectors
from foveal.doors.cli.largest import search_look
from foveal.ports.system import SystemClock

if TYPE_CHECKING:
    from foveal.config import Settings

# More is not the way to the server and back, but a clock that nobody sets.
SKEWED_SECONDS = 30.0


def database_looks(url: str, settings: Settings) -> Iterator[tuple[str, Look]]:
    """The checks of a database, in the order in which one needs the other. Nothing is made or changed."""
    yield "driver", _driver
    answered: list[str] = []
    yield "server", lambda: _server(url, answered)
    if not answered:
        # Each of the others would only say the same again.
        return
    yield "pgvector", lambda: _extension(url)
    yield "role", lambda: _role(url)
    yield "clock", lambda: _clock(url)
    yield "schema", lambda: _schema(url)
    yield "integrity", lambda: _integrity(url, settings)
    yield "vectors", lambda: _vectors(url, settings)
    if _made(url):
        yield "search", lambda: search_look(url, settings)
        yield from health_looks(url, settings)
    if settings.postgres.replica is not None:
        yield "replica", lambda: _replica(str(settings.postgres.replica))


def _driver() -> str:
    try:
        import psycopg
    except ModuleNotFoundError:
        raise Wrong("psycopg is not installed: pip install 'foveal[postgres]'") from None
    return f"psycopg {psycopg.__version__}"


def _asked(url: str, question: str) -> Any:
    from foveal.backends.postgres.connection import place, reached, translated

    where = place(url)
    with translated(where), reached(url, where) as connection:
        return connection.execute(question.encode()).fetchone()


def _server(url: str, answered: list[str]) -> str:
    from foveal.backends.postgres.connection import place, reached, translated
    from foveal.backends.postgres.schema import refuse_server

    where = place(url)
    with translated(where), reached(url, where) as connection:
        answered.append(where)
        refuse_server(connection, where)
        return f"PostgreSQL {connection.info.parameter_status('server_version')} at {where}"


def _extension(url: str) -> str:
    from foveal.backends.postgres.connection import place, reached, translated
    from foveal.backends.postgres.schema import examined_extension, refuse_without_leave

    where = place(url)
    with translated(where), reached(url, where) as connection:
        installed = examined_extension(connection, where)
        if installed is None:
            refuse_without_leave(connection, where)
        return installed or "not in this database yet; the first write adds it"


def _role(url: str) -> str:
    name, mighty = _asked(
        url, "select rolname, rolsuper or rolbypassrls from pg_roles where rolname = current_user"
    )
    if mighty:
        return f"{name}, whom the wall between worlds does not stop: use a role that is no superuser"
    return f"{name}, kept to one world at a time"


def _clock(url: str) -> str:
    [server] = _asked(url, "select extract(epoch from clock_timestamp())")
    off = SystemClock().now().timestamp() - float(server)
    said = f"{abs(off):.1f} seconds {'ahead of' if off > 0 else 'behind'} the server's"
    if abs(off) > SKEWED_SECONDS:
        raise Wrong(f"{said}: records are dated and expire by it, so let both machines be set by NTP")
    return said


def _schema(url: str) -> str:
    from foveal.backends.postgres.schema import migrations

    if _asked(url, "select to_regclass('foveal.migration')")[0] is None:
        return "none yet; the first write makes it"
    version = _asked(url, "select coalesce(max(number), 0) from foveal.migration")[0]
    newest = len(migrations())
    if version < newest:
        return f"{version}; the next write brings it to {newest}"
    return f"{version}" if version == newest else f"{version}, of a newer release that this one can work with"


def _made(url: str) -> bool:
    return _asked(url, "select to_regclass('foveal.migration')")[0] is not None


def _integrity(url: str, settings: Settings) -> str:
    from foveal.compose import Memory

    if not _made(url):
        return "nothing there yet"
    with Memory(url, settings=settings) as memory:
        problems = memory.check()
    if problems:
        raise Wrong("; ".join(problems))
    return "every index and every reference is whole"


def _vectors(url: str, settings: Settings) -> str:
    from foveal.compose import Memory

    if not _made(url):
        return "none yet"
    with Memory(url, settings=settings) as memory:
        return matching_vectors(memory.stats(actor_id="doctor").encoder, settings)


def _replica(url: str) -> str:
    follows, behind = _asked(
        url,
        "select pg_is_in_recovery(), case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0 else "
        "extract(epoch from now() - pg_last_xact_replay_timestamp()) end",
    )
    if not follows:
        raise Wrong("it follows no server: it was promoted, or it never was a replica")
    return f"follows, {float(behind or 0):.1f} seconds behind"
