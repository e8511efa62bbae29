"""A Postgres database as a whole: what is wrong with it."""

from __future__ import annotations

from psycopg import sql

from foveal.backends.postgres.connection import Connections
from foveal.backends.postgres.dialect import text
from foveal.errors import Unsupported


class Upkeep:
    """Room and checks of the database. Copies are the server's to make."""

    _db: Connections

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
