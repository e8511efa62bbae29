"""How a database is opened: reached once, made ready, and then through a pool."""

from __future__ import annotations

from datetime import timedelta

import psycopg
from psycopg.conninfo import conninfo_to_dict

from foveal.backends.postgres.connection import Connections
from foveal.backends.postgres.errors import translated
from foveal.backends.postgres.pool import Pool
from foveal.backends.postgres.schema import migrations, prepare
from foveal.errors import Invalid, StoreUnavailable

WAIT_SECONDS = 10.0


def opened(
    url: str, *, pool_size: int, partitions: int, replica: str | None, staleness: timedelta, wait: float
) -> Connections:
    """The connections to the database at a URL, whose schema is up to date."""
    if pool_size < 1:
        raise Invalid("pool_size must be at least 1")
    if staleness < timedelta():
        raise Invalid("staleness must not be negative")
    where = place(url)
    with translated(where):
        with reached(url, where) as connection:
            prepare(connection, where, steps=migrations(), partitions=partitions)
        copy = Pool(replica, place(replica), pool_size, wait) if replica else None
        return Connections(Pool(url, where, pool_size, wait), copy, staleness=staleness)


def reached(url: str, where: str) -> psycopg.Connection:
    """A connection of its own, or words that say what to do."""
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=5, application_name="foveal")
    except psycopg.OperationalError as error:
        said = str(error).strip().splitlines()[0].removeprefix("connection failed: ")
        raise StoreUnavailable(
            f"{where} does not answer ({said}): start the server, or check host, port, role and password in the URL"
        ) from error


def place(url: str) -> str:
    """The database that a URL names, without its password.

    >>> place("postgresql://ada:secret@db.example:5433/memory")
    'postgresql://db.example:5433/memory'
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise Invalid(f"this is not the URL of a database: {str(error).strip()}") from None
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{host}{port}/{parts.get('dbname') or ''}"
