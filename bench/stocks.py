"""The stores of a run: a file and a database for each size, kept for the next run if a folder is named."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, cast

from bench.filling import ACTOR, core_of, fill, filled
from bench.plain import Plain
from foveal import Memory, Settings
from foveal.backends.postgres import PostgresStore
from foveal.backends.postgres.store import MIRROR_RECORDS
from foveal.model.query import Viewpoint
from foveal.testing.servers import Cluster

# As one would give a server of some gigabytes.
_SETTINGS = (
    "shared_buffers=1GB",
    "max_wal_size=8GB",
    "maintenance_work_mem=2GB",
    "max_parallel_maintenance_workers=1",
)
QUIET = Settings(metabolism="off", recall_log=False, kept_rankings=0)


class Stocks:
    """A folder of files, and a server with its databases."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cluster = Cluster(careful=True, settings=_SETTINGS, data=folder / "postgres")

    def file(self, records: int) -> Path:
        """The file of the SQLite store of this size."""
        return self.folder / f"memory-{records}.db"

    def database(self, kind: str, records: int) -> str:
        """The URL of a database, made if it is new."""
        name = f"{kind}_{records}"
        if not self.cluster.administer("select 1 from pg_database where datname = %s", values=(name,)):
            self.cluster.administer(f"create database {name} owner foveal template template0")
            self.cluster.administer("create extension vector", name)
        return self.cluster.url(name)

    def size(self, kind: str, records: int) -> int:
        """The bytes of a database."""
        return self.cluster.administer(f"select pg_database_size('{kind}_{records}')")[0][0]

    def fill(self, records: int) -> None:
        """Fill the file, the database and the plain table of a size with the same texts, as far as they are not."""
        with ExitStack() as stack:
            lite = stack.enter_context(Memory(self.file(records), settings=QUIET))
            post = stack.enter_context(Memory(self.database("memory", records), settings=QUIET))
            plain = stack.enter_context(Plain(self.database("plain", records)))
            stores = [filled(lite, "SQLite"), filled(post, "Postgres"), plain.filled()]
            fill(stores, records, core_of(lite))
            plain.index()
            if records > MIRROR_RECORDS:
                # It would be made behind the first question.
                runtime = core_of(post)
                cast(PostgresStore, runtime.store).search.index(Viewpoint(actor_id=ACTOR), runtime.encoder)

    def close(self) -> None:
        """Stop the server, unless another run had started it; its files stay."""
        if not self.cluster.found:
            self.cluster.stop("fast")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def stocked(folder: Path | None) -> Generator[Stocks]:
    """The stores in a folder that stays, or in one that goes when the run ends."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        with Stocks(folder) as stocks:
            yield stocks
        return
    with TemporaryDirectory(prefix="foveal-scale-") as made:
        # The server runs as somebody else.
        Path(made).chmod(0o711)
        with Stocks(Path(made)) as stocks:
            yield stocks
