"""The SQLite store is examined in memory, where there is no write-ahead log."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import apsw
import msgspec
import numpy as np
import pytest

from foveal.backends.sqlite import SqliteStore, connection
from foveal.errors import StorageFull, StoreUnavailable
from foveal.model.record import Record, Vitals
from foveal.model.search import CandidateTable, IndexQuery
from foveal.ports.store import Look, Order, Store
from foveal.testing import StoreContract
from foveal.testing.builders import ENCODER, entry, entry_of, record_of, seen_by, vector_of

READERS = 4
# Far more than any of this takes: what hangs fails.
SECONDS = 30


class TestSqliteStoreInMemory(StoreContract):
    @pytest.fixture
    def open_at(self) -> Callable[[Path], Store]:
        # A backup of it is a file.
        return lambda path: SqliteStore(path if path.exists() else ":memory:")


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    made = SqliteStore(":memory:")
    made.records.append([entry("a note", id="first")], ENCODER)
    yield made
    made.close()


def _count(store: Store) -> int:
    return sum(1 for _ in store.records.scan(seen_by(), order=Order.OLDEST))


def _search(store: Store, meanwhile: Callable[[], object]) -> list[Record]:
    """What a search finds that does something else in the middle of its transaction."""

    def choose(frame: CandidateTable, _look: Look) -> list[str]:
        meanwhile()
        return list(frame.ids)

    nothing = np.empty(0, np.float32)
    probe = IndexQuery(
        terms=np.empty(0, np.uint32), factors=nothing, pieces=np.empty(0, np.uint16), vector=vector_of("a note")
    )
    return store.search.find(seen_by(), probe, 9, ENCODER, choose)[1]


def test_many_threads_read_at_once_and_a_writer_waits_for_them(store: SqliteStore) -> None:
    all_inside, wants_to_write = Event(), Event()
    together = Barrier(READERS, action=all_inside.set, timeout=SECONDS)

    def meanwhile() -> None:
        # Nobody passes the barrier unless all are inside of a transaction.
        together.wait()
        wants_to_write.wait(SECONDS)

    def write() -> None:
        all_inside.wait(SECONDS)
        wants_to_write.set()
        store.records.append([entry("another note", id="second")], ENCODER)

    with ThreadPoolExecutor(READERS + 1) as pool:
        readers = [pool.submit(_search, store, meanwhile) for _ in range(READERS)]
        writer = pool.submit(write)
        assert all([one.id for one in reader.result(SECONDS)] == ["first"] for reader in readers)
        writer.result(SECONDS)
    assert _count(store) == 2


def test_who_reads_while_one_commits_gets_an_answer(store: SqliteStore) -> None:
    inside, asked = Event(), Barrier(READERS + 1, timeout=SECONDS)

    def change(record: Record) -> Vitals:
        inside.set()
        asked.wait()
        return msgspec.structs.replace(record.vitals, pinned=True)

    def read(_: int) -> bool:
        inside.wait(SECONDS)
        asked.wait()
        return store.records.get(seen_by(), ["first"])[0].vitals.pinned

    with ThreadPoolExecutor(READERS + 1) as pool:
        writer = pool.submit(store.records.revise, seen_by(), ["first"], change)
        found = list(pool.map(read, range(READERS)))
        assert writer.result(SECONDS)[0].vitals.pinned
    # Those who asked while it wrote waited for it.
    assert found == [True] * READERS


def test_neither_readers_nor_a_writer_that_go_on_and_on_keep_the_other_away(store: SqliteStore) -> None:
    counts: list[list[int]] = [[] for _ in range(READERS)]
    done = Event()

    def read(seen: list[int]) -> None:
        while not done.is_set():
            seen.append(_count(store))

    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(read, seen) for seen in counts]
        try:
            batches = 0
            # Each of them gets to read between the batches, however fast they follow each other.
            while batches < 20 or (batches < 10_000 and not all(len(seen) > 2 for seen in counts)):
                store.records.append([entry(f"note {batches} {number}") for number in range(5)], ENCODER)
                batches += 1
        finally:
            done.set()
        for reader in readers:
            reader.result(SECONDS)
    assert batches < 10_000
    # A batch is seen whole or not at all, and what was acknowledged stays.
    assert all(count % 5 == 1 for seen in counts for count in seen)
    assert all(seen == sorted(seen) for seen in counts)
    assert _count(store) == 1 + 5 * batches


def test_a_thread_that_would_wait_for_itself_is_told_so_at_once(store: SqliteStore) -> None:
    with pytest.raises(StoreUnavailable, match="inside a transaction that reads"):
        _search(store, lambda: store.records.append([entry("another note")], ENCODER))

    def change(record: Record) -> Vitals:
        store.records.get(seen_by(), ["first"])
        return record.vitals

    with pytest.raises(StoreUnavailable, match="inside a transaction that writes"):
        store.records.revise(seen_by(), ["first"], change)
    assert _search(store, lambda: store.records.get(seen_by(), ["first"]))[0].id == "first"
    assert _count(store) == 1


def test_closing_waits_for_those_who_read(store: SqliteStore) -> None:
    inside, go_on = Event(), Event()

    def read() -> list[Record]:
        return _search(store, lambda: inside.set() or go_on.wait(SECONDS))

    with ThreadPoolExecutor(2) as pool:
        reader = pool.submit(read)
        inside.wait(SECONDS)
        closing = pool.submit(store.close)
        go_on.set()
        assert reader.result(SECONDS)[0].id == "first"
        closing.result(SECONDS)
    with pytest.raises(StoreUnavailable, match="closed"):
        store.records.get(seen_by(), ["first"])


def test_two_of_them_share_nothing(store: SqliteStore) -> None:
    other = SqliteStore(":memory:")
    assert _count(other) == 0
    other.records.append([entry("another note", id="first")], ENCODER)
    assert (_count(store), _count(other)) == (1, 1)
    other.close()
    assert _count(store) == 1


def test_what_it_held_is_freed_when_it_is_closed() -> None:
    before = apsw.memory_used()
    store = SqliteStore(":memory:")
    store.records.append(
        [entry_of(record_of("a note"), np.ones((200_000, ENCODER.dimension), np.float32))], ENCODER
    )
    assert apsw.memory_used() > before + 5_000_000
    store.close()
    assert apsw.memory_used() < before + 1_000_000


def test_a_backup_of_it_is_a_file_that_can_be_opened(store: SqliteStore, tmp_path: Path) -> None:
    store.backup(str(tmp_path / "kept.db"))
    store.records.append([entry("another note")], ENCODER)
    kept = SqliteStore(tmp_path / "kept.db")
    assert _count(kept) == 1
    kept.records.append([entry("a third note")], ENCODER)
    kept.close()


def test_when_it_is_full_nothing_of_a_batch_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST_BYTES_IN_MEMORY", 2_000_000)
    store = SqliteStore(":memory:")
    store.records.append([entry("a note")], ENCODER)
    large = entry_of(record_of("another note"), np.ones((200_000, ENCODER.dimension), np.float32))
    with pytest.raises(StorageFull):
        store.records.append([entry("a third note"), large], ENCODER)
    assert _count(store) == 1
    store.records.append([entry("a fourth note")], ENCODER)
    assert _count(store) == 2
    store.close()
