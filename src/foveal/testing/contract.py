"""`StoreContract`, the whole conformance suite of a store, and its tests of durability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from foveal.errors import FovealError, Unsupported
from foveal.model.record import Group, Link
from foveal.ports.store import Capability, Order, Store
from foveal.testing.builders import (
    ADA,
    ENCODER,
    START,
    by_vector,
    by_words,
    entry,
    seen_by,
    vector_of,
    version_after,
)
from foveal.testing.fine_vectors import FineVectorsContract
from foveal.testing.isolation import FiltersContract, IsolationContract
from foveal.testing.ledger import LedgerContract
from foveal.testing.lifecycle import CrystalsContract, LifeContract, MomentsContract
from foveal.testing.links import FamiliesContract, LinksContract
from foveal.testing.recall import RecallContract, RecollectionsContract, ShelvingContract
from foveal.testing.records import (
    AppendContract,
    ExpiryContract,
    ListingContract,
    SupersedeContract,
    VersionsContract,
)
from foveal.testing.server import ErrandsContract, KeysContract, OverridesContract
from foveal.testing.tapes import TapesContract
from foveal.testing.twins import TwinsContract

HOUR = timedelta(hours=1)


class DurabilityContract:
    """Reopening, backup and closing. `reopen` closes the store and opens it again at the same path."""

    def test_everything_is_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        if Capability.DURABLE not in store.capabilities:
            store.records.append([entry("a")], ENCODER)
            assert list(reopen().records.scan(seen_by(), order=Order.OLDEST)) == []
            return
        [(a, _), (b, _)] = store.records.append([entry("alpha", pin=True), entry("beta", ttl=60)], ENCODER)
        store.records.supersede(seen_by(), version_after(a, "alpha again", START), ENCODER)
        store.links.link(seen_by(), Link(source_id=a.id, target_id=b.id, created_at=START))
        store.links.put_group(ADA, Group(id="g", name="n", created_at=START))
        store.links.join(seen_by(), "g", [b.id])
        before = list(store.records.scan(seen_by(), order=Order.OLDEST)), store.counts.stats(seen_by())
        again = reopen()
        assert (list(again.records.scan(seen_by(), order=Order.OLDEST)), again.counts.stats(seen_by())) == before
        assert len(again.records.history(seen_by(), a.id)) == 2
        assert len(again.links.of(seen_by(), a.id)) == 1
        assert [record.id for record in again.links.members(seen_by(), "g")] == [b.id]
        assert next(iter(by_vector(again, seen_by(), vector_of("beta"), 1))) == b.id
        assert [record.address.time_slice for record, _ in again.records.append([entry("gamma")], ENCODER)] == [3]
        assert again.check() == []

    def test_a_backup_is_a_whole_copy_or_refused(
        self, store: Store, tmp_path: Path, open_at: Callable[[Path], Store]
    ) -> None:
        store.records.append([entry("alpha"), entry("beta")], ENCODER)
        target = tmp_path / "copy" / "backup.db"
        target.parent.mkdir()
        if Capability.BACKUP not in store.capabilities:
            with pytest.raises(Unsupported):
                store.backup(str(target))
            return
        store.backup(str(target))
        copy = open_at(target)
        assert list(copy.records.scan(seen_by(), order=Order.OLDEST)) == list(
            store.records.scan(seen_by(), order=Order.OLDEST)
        )
        assert next(iter(by_words(copy, seen_by(), ["beta"], 1)))
        copy.close()
        with pytest.raises(FovealError):
            store.backup(str(target))

    def test_another_opening_sees_a_write_at_its_next_read(
        self, store: Store, open_again: Callable[[], Store]
    ) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        store.records.append([entry("first")], ENCODER)
        assert len(by_vector(other, seen_by(), vector_of("first"), 5)) == 1
        [(second, _)] = other.records.append([entry("second")], ENCODER)
        assert next(iter(by_vector(store, seen_by(), vector_of("second"), 5))) == second.id
        assert list(by_words(store, seen_by(), ["second"], 5)) == [second.id]
        other.records.erase(seen_by(), [second.id])
        assert second.id not in by_vector(store, seen_by(), vector_of("second"), 5)
        other.close()

    def test_another_opening_sees_at_its_next_read_what_went_out_of_sight(
        self, store: Store, open_again: Callable[[], Store]
    ) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        [(note, _)] = store.records.append([entry("a note")], ENCODER)

        def seen(now: datetime = START) -> list[str]:
            return list(by_words(other, seen_by(now=now), ["note"], 5))

        def lives(**change: datetime | None) -> None:
            hidden = seen_by(include_hidden=True)
            store.records.revise(hidden, [note.id], lambda record: msgspec.structs.replace(record.vitals, **change))

        assert seen() == [note.id]
        lives(forgotten_at=START)
        assert seen() == []
        lives(forgotten_at=None)
        assert seen() == [note.id]
        lives(expires_at=START + HOUR)
        assert seen() == [note.id]
        assert seen(START + HOUR) == []
        lives(expires_at=None)
        assert seen(START + HOUR) == [note.id]
        store.records.supersede(seen_by(), version_after(note, "another text", START), ENCODER)
        assert seen() == []
        store.records.erase(seen_by(), [note.id])
        assert by_vector(other, seen_by(), vector_of("another text"), 5) == {}
        other.close()


class Examined:
    """The fixtures of every store suite. A subclass supplies `open_at`, which opens the store at a path."""

    @pytest.fixture
    def open_at(self) -> Callable[[Path], Store]:
        """A function that opens the store under test at a path."""
        raise NotImplementedError("supply the fixture open_at")

    @pytest.fixture
    def open_again(self, open_at: Callable[[Path], Store], tmp_path: Path) -> Callable[[], Store]:
        """A function that opens the path of `store` once more."""
        return lambda: open_at(tmp_path / "store")

    @pytest.fixture
    def store(self, open_again: Callable[[], Store]) -> Iterator[Store]:
        """An empty store."""
        store = open_again()
        yield store
        store.close()

    @pytest.fixture
    def reopen(self, store: Store, open_again: Callable[[], Store]) -> Iterator[Callable[[], Store]]:
        """A function that closes the store and opens it again at the same path."""
        opened: list[Store] = []

        def again() -> Store:
            store.close()
            opened.append(open_again())
            return opened[-1]

        yield again
        for reopened in opened:
            reopened.close()


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
    """The tests of searching, for a store with another way to search."""


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
    FineVectorsContract,
    TwinsContract,
    Examined,
):
    """The conformance suite of a store. A subclass supplies `open_at`, which opens the store at a path."""
