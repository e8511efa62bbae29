"""The reference store passes its own exam."""

from collections.abc import Callable
from pathlib import Path

import pytest

from foveal.backends.ram import RamStore
from foveal.ports.store import Store
from foveal.testing import StoreContract


class TestRamStore(StoreContract):
    @pytest.fixture
    def open_at(self) -> Callable[[Path], Store]:
        return lambda path: RamStore()
