"""The SQLite store is examined."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from foveal.backends.index import IndexReader, search_index
from foveal.backends.sql import search
from foveal.backends.sqlite import SqliteStore
from foveal.backends.sqlite.connection import SqliteTransaction
from foveal.model.search import CandidateTable
from foveal.ports.store import Store
from foveal.testing import StoreContract
from foveal.testing.builders import ENCODER, START, by_words, entry, seen_by


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def open_at(self) -> Callable[[Path], Store]:
        return SqliteStore


def test_a_search_does_not_wait_for_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    [(first, _)] = store.records.append([entry("first note")], ENCODER)
    inner: list[list[str]] = []

    def looking(image: IndexReader, *given: Any, **more: Any) -> CandidateTable:
        if not inner:
            inner.append([])
            store.records.append([entry("second note")], ENCODER)
            # It would wait for ever if the outer search still held the mirror.
            inner[0] = list(by_words(store, seen_by(), ["note"], 5))
        return search_index(image, *given, **more)

    monkeypatch.setattr(search, "search_index", looking)
    assert list(by_words(store, seen_by(), ["note"], 5)) == [first.id]
    assert len(inner[0]) == 2
    store.close()


def test_what_hides_a_record_is_known_without_asking_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    store.records.append([entry(f"note {n}", ttl=60, kind="fact") for n in range(9)], ENCODER)
    asked: list[str] = []
    run = SqliteTransaction.run

    def running(db: SqliteTransaction, name: str, *given: Any, **more: Any) -> list[Any]:
        if name not in ("organism_of", "records_by_id"):
            asked.append(name)
        return run(db, name, *given, **more)

    monkeypatch.setattr(SqliteTransaction, "run", running)
    assert len(by_words(store, seen_by(), ["note"], 5)) == 5
    assert asked == ["standing", "traces_after", "vectors_after", "changes_after"]
    asked.clear()
    assert by_words(store, seen_by(now=START + timedelta(hours=1)), ["note"], 5) == {}
    assert asked == []
    assert len(by_words(store, seen_by(filters={"kind": "fact"}), ["note"], 5)) == 5
    assert by_words(store, seen_by(filters={"kind": "plan"}), ["note"], 5) == {}
    assert asked == []
    assert len(by_words(store, seen_by(filters={"source": "user"}), ["note"], 5)) == 5
    assert set(asked) == {"keys_seen"}
    store.close()
