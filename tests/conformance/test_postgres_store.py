"""The Postgres store is examined, on a real server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Databases

from foveal.backends.postgres import PostgresStore, store
from foveal.ports.store import Store
from foveal.testing import StoreContract
from foveal.testing.contract import SearchContract

pytestmark = pytest.mark.server


class TestPostgresStore(StoreContract):
    @pytest.fixture
    def open_at(self, databases: Databases) -> Callable[[Path], Store]:
        return lambda path: PostgresStore(databases.at(path), pool_size=4)


class TestPostgresStoreThatSearchesInside(SearchContract):
    """No record is kept in RAM: everything is searched inside the database, and soon gathered there."""

    @pytest.fixture
    def open_at(self, databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Store]:
        monkeypatch.setattr(store, "ENOUGH", 2)
        monkeypatch.setattr(store, "LATE", 4)
        return lambda path: PostgresStore(databases.at(path), pool_size=4, mirror_records=0)
