"""Everything that a store promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from foveal.ports.store import Store
from foveal.testing.append import AppendContract
from foveal.testing.crystals import CrystalsContract
from foveal.testing.durability import DurabilityContract
from foveal.testing.errands import ErrandsContract
from foveal.testing.expiry import ExpiryContract
from foveal.testing.families import FamiliesContract
from foveal.testing.filters import FiltersContract
from foveal.testing.isolation import IsolationContract
from foveal.testing.keys import KeysContract
from foveal.testing.ledger import LedgerContract
from foveal.testing.life import LifeContract
from foveal.testing.links import LinksContract
from foveal.testing.listing import ListingContract
from foveal.testing.moments import MomentsContract
from foveal.testing.overrides import OverridesContract
from foveal.testing.recall import RecallContract
from foveal.testing.recollections import RecollectionsContract
from foveal.testing.shelving import ShelvingContract
from foveal.testing.supersede import SupersedeContract
from foveal.testing.tapes import TapesContract
from foveal.testing.twins import TwinsContract
from foveal.testing.versions import VersionsContract


class Examined:
    """What every exam of a store is given: a subclass supplies `open_at`, from a path to the store there."""

    @pytest.fixture
    def open_at(self) -> Callable[[Path], Store]:
        """How the store under test is opened."""
        raise NotImplementedError("supply the fixture open_at")

    @pytest.fixture
    def open_again(self, open_at: Callable[[Path], Store], tmp_path: Path) -> Callable[[], Store]:
        """Opens the place of `store` once more."""
        return lambda: open_at(tmp_path / "store")

    @pytest.fixture
    def store(self, open_again: Callable[[], Store]) -> Iterator[Store]:
        """A fresh store."""
        store = open_again()
        yield store
        store.close()

    @pytest.fixture
    def reopen(self, store: Store, open_again: Callable[[], Store]) -> Iterator[Callable[[], Store]]:
        """Closes the store and opens the same place again."""
        opened: list[Store] = []

        def again() -> Store:
            store.close()
            opened.append(open_again())
            return opened[-1]

        yield again
        for one in opened:
            one.close()


class SearchContract(
    AppendContract,
    SupersedeContract,
    RecallContract,
    RecollectionsContract,
    ExpiryContract,
    IsolationContract,
    DurabilityContract,
    TwinsContract,
    Examined,
):
    """What a store promises of finding records: for one that has another way to search."""


class StoreContract(
    AppendContract,
    SupersedeContract,
    RecallContract,
    LinksContract,
    ListingContract,
    RecollectionsContract,
    VersionsContract,
    FamiliesContract,
    LedgerContract,
    ExpiryContract,
    FiltersContract,
    IsolationContract,
    LifeContract,
    DurabilityContract,
    CrystalsContract,
    MomentsContract,
    TapesContract,
    KeysContract,
    ErrandsContract,
    OverridesContract,
    ShelvingContract,
    TwinsContract,
    Examined,
):
    """The exam of a store. A subclass supplies `open_at`: a function from a path to the store kept there."""
