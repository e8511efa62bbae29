"""The SQLite store is examined."""

from collections.abc import Callable
from pathlib import Path

import pytest

from foveal.backends.sqlite import SqliteStore
from foveal.ports.store import Store
from foveal.testing import StoreContract


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def open_at(self) -> Callable[[Path], Store]:
        return SqliteStore
