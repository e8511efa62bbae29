"""The Postgres store is examined, on a real server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Databases

from foveal.backends.postgres import PostgresStore
from foveal.ports.store import Store
from foveal.testing import StoreContract

pytestmark = pytest.mark.server


class TestPostgresStore(StoreContract):
    @pytest.fixture
    def open_at(self, databases: Databases) -> Callable[[Path], Store]:
        return lambda path: PostgresStore(databases.at(path), pool_size=4)


class TestPostgresStoreThatSearchesInside(StoreContract):
    """No record is kept in RAM: everything is searched inside the database."""

    @pytest.fixture
    def open_at(self, databases: Databases) -> Callable[[Path], Store]:
        return lambda path: PostgresStore(databases.at(path), pool_size=4, mirror_records=0)
