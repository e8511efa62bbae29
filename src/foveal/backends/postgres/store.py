"""A memory in a Postgres database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from psycopg import sql

from foveal.backends.postgres.building import Builder
from foveal.backends.postgres.counting import Counting
from foveal.backends.postgres.dialect import DIALECT, text
from foveal.backends.postgres.finding import MIRROR_RECORDS, Finding
from foveal.backends.postgres.lately import Lately
from foveal.backends.postgres.opening import WAIT_SECONDS, opened
from foveal.backends.postgres.retrying import patient
from foveal.backends.postgres.samples import Samples
from foveal.backends.postgres.schema import PARTITIONS
from foveal.backends.sql.session import Organism
from foveal.backends.sql.store import SqlStore
from foveal.errors import Invalid, Unsupported
from foveal.model.record import Record
from foveal.ports.store import Capability, Encoder, Entry


@patient
class PostgresStore(Finding, Counting, SqlStore):
    """Everything in a PostgreSQL database with pgvector, for any number of servers.

    One organism is written by one transaction at a time, so what a call has acknowledged the next one sees.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.MANY_PROCESSES, Capability.REMOTE})

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        partitions: int = PARTITIONS,
        replica: str | None = None,
        staleness: timedelta = timedelta(seconds=5),
        wait_seconds: float = WAIT_SECONDS,
        mirror_records: int = MIRROR_RECORDS,
    ) -> None:
        if mirror_records < 0:
            raise Invalid("mirror_records must not be negative")
        self._db = opened(
            url,
            pool_size=pool_size,
            partitions=partitions,
            replica=replica,
            staleness=staleness,
            wait=wait_seconds,
        )
        super().__init__(self._db, DIALECT)
        self._mirror_records = mirror_records
        self._samples = Samples()
        self._lately = Lately()
        self._builder = Builder(self._db)
        self._written, self._counted_at = 0, 100

    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none."""
        stored = super().append(entries, encoder)
        self._written += len(stored)
        if self._written >= self._counted_at:
            while self._counted_at <= self._written:
                self._counted_at *= 10
            # A server that knows nothing of young tables yet takes long ways.
            with self._db.apart() as connection:
                connection.execute(text("count_tables").encode())
        return stored

    def _after_erase(self, organism: Organism) -> bool:
        """Let nothing of what was erased stay in RAM; the server clears its bytes when it vacuums."""
        self._samples.drop(organism)
        self._lately.drop((organism["world"], organism["actor"]))
        return super()._after_erase(organism)

    def backup(self, path: str) -> None:
        """Refused: the server makes copies that are consistent and can be continued."""
        raise Unsupported(f"this store makes no copy at {path}: use `pg_dump`")

    def vacuum(self) -> int:
        """Have the server clear what was removed, while others go on. Gives how many bytes it gave back."""
        with self._db.apart() as connection:
            size = text("size_of_tables").encode()
            [(before, names)] = connection.execute(size).fetchall()
            connection.execute(sql.SQL("vacuum {}").format(sql.SQL(", ").join(map(sql.Identifier, names))))
            return max(0, before - connection.execute(size).fetchall()[0][0])

    def check(self) -> list[str]:
        """What is wrong with the database, in words; nothing when all is well."""
        with self._db.reading() as db:
            broken = [
                f"the index {row[0]} is not valid: run `reindex index {row[0]}`" for row in db.run("bad_indexes")
            ]
            lost = [f"{row[0]} has {row[1]} rows without {row[2]}" for row in db.run("orphans")]
            return broken + lost

    def close(self) -> None:
        """Close the connections."""
        self._builder.close()
        self._db.close()
