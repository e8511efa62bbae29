"""Servers for the tests that need one, started once in each process of the run; and patience with slow machines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from tests.support.nursery import Nursery

from foveal.backends import redis
from foveal.backends.postgres import PostgresStore
from foveal.doors.service import health
from foveal.testing.servers import Cluster, Valkey

# The same examples at every run, however slow the machine; `make soak` looks for new ones.
_ALLOWED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
settings.register_profile("foveal", deadline=None, derandomize=True, suppress_health_check=_ALLOWED)
settings.register_profile("soak", deadline=None, print_blob=True, suppress_health_check=_ALLOWED)
settings.load_profile("foveal")

# Fewer than a server would have: the test of the partitions themselves has its own.
PARTITIONS = 2


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What goes wrong in tests is kept with their files, not among the errors of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        # The same for the memory that is opened without a path.
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        # The tests of the second look turn it on; the others need not read the encoder.
        patch.setenv("FOVEAL_SECOND_LOOK", "off")
        yield


class Databases:
    """Databases by the path they stand for. Those whose folder is gone are emptied and handed out again."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        first = cluster.create()
        PostgresStore(first, partitions=PARTITIONS).close()
        self._template = first.partition("@/")[2].partition("?")[0]
        self._used: dict[Path, str] = {}
        self._free: list[str] = []

    def at(self, path: Path) -> str:
        """The URL of the database that stands for a path: a fresh one the first time."""
        if path not in self._used:
            for other in [one for one in self._used if not one.parent.exists()]:
                self.let_go(other)
            self._used[path] = self._free.pop() if self._free else self.cluster.create(self._template)
        return self._used[path]

    def let_go(self, path: Path) -> None:
        """Empty the database of a path, for another to use."""
        url = self._used.pop(path)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "set foveal.every_world to 'on'; set plan_cache_mode to force_generic_plan;"
                "delete from foveal.organism; delete from foveal.encoder; delete from foveal.lease;"
                "delete from foveal.job; delete from foveal.api_key; delete from foveal.errand;"
                "delete from foveal.override;"
                "drop table if exists foveal.copied"
            )
        self._free.append(url)

    def let_all_go(self) -> None:
        """Empty all that were handed out."""
        for path in list(self._used):
            self.let_go(path)


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """What is slow because the machine is busy with other tests is not taken for what hangs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis, "PATIENCE", timedelta(seconds=30))
        patch.setattr(health, "PATIENCE", timedelta(seconds=60))
        patch.setattr(health, "SLOW", timedelta(seconds=60))
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server that forgets everything when the machine fails."""
    with Cluster() as running:
        yield running


@pytest.fixture(scope="session")
def every_database(cluster: Cluster) -> Databases:
    return Databases(cluster)


@pytest.fixture
def databases(every_database: Databases) -> Iterator[Databases]:
    """Databases of one test."""
    yield every_database
    every_database.let_all_go()


@pytest.fixture
def database(databases: Databases, tmp_path: Path) -> str:
    """The URL of an empty database."""
    return databases.at(tmp_path / "database")


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A Redis-compatible server that the tests share."""
    with Valkey() as running:
        yield running


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Where processes of `foveal` are forked from."""
    with Nursery() as running:
        yield running
