"""Creates, upgrades and checks the schema."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any, NamedTuple

import psycopg
from psycopg import errors, sql

from foveal.errors import NewerSchema, Unsupported

OLDEST_SERVER = 14
OLDEST_VECTOR = (0, 8)
PARTITIONS = 16
_LOCK = 0x466F7665_01
_PARTED = re.compile(r"\n\) partition by hash \(world, organism\);")

Link = psycopg.Connection[Any]


class Migration(NamedTuple):
    """One step of the schema. Unless it `contracts`, the release before it can still work with the result."""

    name: str
    script: str
    contracts: bool


def migrations() -> list[Migration]:
    """The steps that create the schema, in order; their count is its version."""
    folder = resources.files("foveal.backends.postgres").joinpath("migrations")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    scripts = [(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in files]
    return [Migration(name, script, script.startswith("-- contracts\n")) for name, script in scripts]


def prepare(connection: Link, where: str, *, steps: list[Migration], partitions: int) -> None:
    """Create or upgrade the schema, one process at a time; raises an error if the database is not suitable."""
    require_server(connection, where)
    with connection.transaction():
        if _applied(connection, where, len(steps)) == len(steps):
            return
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        require_extension(connection, where)
        connection.execute(
            "create schema if not exists foveal; create table if not exists foveal.migration ("
            "number integer primary key, name text not null, contracts boolean not null, "
            "applied_at timestamptz not null default now())"
        )
        home = connection.execute(
            "select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace "
            "where e.extname = 'vector'"
        ).fetchone()
        connection.execute(
            sql.SQL("set local search_path to foveal, {}; set local foveal.partitions to {}").format(
                sql.Identifier(home[0] if home else "public"), sql.Literal(str(partitions))
            )
        )
        # Another process may have run some of the steps meanwhile.
        for number in range(_applied(connection, where, len(steps)), len(steps)):
            step = steps[number]
            script = step.script if partitions else _PARTED.sub("\n);", step.script)
            connection.execute(script.encode())
            connection.execute(
                "insert into foveal.migration (number, name, contracts) values (%s, %s, %s)",
                (number + 1, step.name, step.contracts),
            )


def _applied(connection: Link, where: str, known: int) -> int:
    """The version of the schema; `NewerSchema` if a step that this release does not know contracts it."""
    if connection.execute("select to_regclass('foveal.migration')").fetchall()[0][0] is None:
        return 0
    [(version, contracted)] = connection.execute(
        "select coalesce(max(number), 0), coalesce(max(number) filter (where contracts), 0) from foveal.migration"
    ).fetchall()
    if contracted > known:
        raise NewerSchema(f"{where} has schema {version} and this release of Foveal knows {known}: upgrade Foveal")
    return min(int(version), known)


def require_server(connection: Link, where: str) -> None:
    """Raise `Unsupported` for a server that is too old."""
    version = connection.info.server_version // 10_000
    if version < OLDEST_SERVER:
        raise Unsupported(
            f"{where} is PostgreSQL {version}, and Foveal needs {OLDEST_SERVER} or newer: upgrade the server"
        )


def require_own_session(connection: Link, url: str, where: str) -> None:
    """Raise `Unsupported` for a pooler that gives every transaction another connection to the server.

    Settings and prepared statements of a connection would be those of others. A pooler invents the process number
    that it tells a client; if a second client gets the server process of the first, they share it.
    """
    process = _process(connection)
    if process == connection.info.backend_pid:
        return
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("begin")
        shared = _process(other) == process
        other.execute("rollback")
    if shared:
        raise Unsupported(
            f"{where} is behind a pooler in transaction mode (PgBouncer: `pool_mode = transaction`), and "
            "Foveal needs connections of its own: set `pool_mode = session`, or connect to the server directly"
        )


def _process(connection: Link) -> int:
    return int(connection.execute("select pg_backend_pid()").fetchall()[0][0])


def require_extension(connection: Link, where: str) -> None:
    """Add pgvector to the database if necessary; `Unsupported` says what to do if that is not possible."""
    if examined_extension(connection, where) is None:
        try:
            with connection.transaction():
                connection.execute("create extension vector")
        except errors.InsufficientPrivilege:
            raise _not_allowed(where) from None


def require_leave(connection: Link, where: str) -> None:
    """Raise `Unsupported` for a role that may not add pgvector to the database."""
    rows = connection.execute(
        "select r.rolsuper or v.trusted and has_database_privilege(current_database(), 'create') from pg_roles r, "
        "pg_available_extension_versions v where r.rolname = current_user and v.name = 'vector'"
    )
    if not any(may for (may,) in rows.fetchall()):
        raise _not_allowed(where)


def _not_allowed(where: str) -> Unsupported:
    return Unsupported(
        f"{where} has no extension pgvector yet, and this role may not add it: let an administrator run "
        "`create extension vector` in that database"
    )


def examined_extension(connection: Link, where: str) -> str | None:
    """The version of pgvector in the database, or None if it can be added; `Unsupported` if the server lacks it."""
    need = ".".join(map(str, OLDEST_VECTOR))
    offered = connection.execute(
        "select default_version, installed_version from pg_available_extensions where name = 'vector'"
    ).fetchone()
    if offered is None:
        raise Unsupported(
            f"the server of {where} does not have the extension pgvector: install pgvector {need} or newer on it "
            "(on Debian `apt install postgresql-18-pgvector`), then open the memory again"
        )
    default, installed = offered
    version = installed or default
    if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < OLDEST_VECTOR:
        raise Unsupported(
            f"{where} has pgvector {version}, and Foveal needs {need} or newer: install it on the server and "
            "run `alter extension vector update` in that database"
        )
    return installed
