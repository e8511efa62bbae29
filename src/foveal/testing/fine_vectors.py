"""The tests of a store's vectors for the second look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from foveal.model.query import Viewpoint
from foveal.model.search import CandidateTable, FineRows, IndexQuery
from foveal.ports.store import Look, Store
from foveal.rules.recall.index import codes
from foveal.testing.builders import ADA, ENCODER, START, entry, seen_by, vector_of, version_after

EVE = Viewpoint(actor_id="eve")
FINE = "fine-1"


class FineVectorsContract:
    """The vectors for the second look: made after writing, read for candidates, replaced and erased."""

    def test_versions_without_vectors_are_listed_newest_first(self, store: Store) -> None:
        store.records.append([entry(f"note {n}") for n in range(5)], ENCODER)
        store.records.append([entry("somebody else's", viewpoint=EVE)], ENCODER)
        missing = store.fine_vectors.missing(ADA, FINE, 9)
        assert [record.text for _, record in missing] == [f"note {n}" for n in reversed(range(5))]
        numbers = [number for number, _ in missing]
        assert numbers == sorted(numbers, reverse=True)
        first = store.fine_vectors.missing(ADA, FINE, 2)
        older = store.fine_vectors.missing(ADA, FINE, 9, below=first[-1][0])
        assert [*first, *older] == missing
        assert store.fine_vectors.missing(ADA, FINE, 9, above=numbers[1]) == missing[:1]
        assert store.fine_vectors.missing(Viewpoint(actor_id="nobody"), FINE, 9) == []

    def test_stored_vectors_are_read_for_the_candidates_of_a_question(self, store: Store) -> None:
        store.records.append([entry("a red apple"), entry("a green apple"), entry("a blue apple")], ENCODER)
        (_, blue), (green, _), (red, _) = store.fine_vectors.missing(ADA, FINE, 9)
        rows = np.stack([vector_of("one", 48), vector_of("two", 48)])
        store.fine_vectors.put(ADA, FINE, [(red, rows[:1]), (green, rows)])
        table, fine = _looked(store, FINE)
        assert [table.ids[int(row)] for row in fine.rows].count(blue.id) == 0
        by_text = {
            _text(store, table.ids[int(row)]): fine.vectors[fine.rows == row] for row in set(fine.rows.tolist())
        }
        assert by_text["a red apple"] == pytest.approx(rows[:1], abs=0.01)
        assert by_text["a green apple"] == pytest.approx(rows, abs=0.01)
        assert [record.text for _, record in store.fine_vectors.missing(ADA, FINE, 9)] == ["a blue apple"]
        assert store.fine_vectors.waiting(seen_by(), FINE) == 1
        again = _looked(store, FINE)[1]
        assert (again.rows.tolist(), again.vectors.tolist()) == (fine.rows.tolist(), fine.vectors.tolist())

    def test_vectors_that_come_after_a_look_are_there_for_the_next(self, store: Store) -> None:
        store.records.append([entry("a red apple"), entry("a green apple")], ENCODER)
        [(green, _), (red, _)] = store.fine_vectors.missing(ADA, FINE, 9)
        store.fine_vectors.put(ADA, FINE, [(red, vector_of("one")[None])])
        assert len(_looked(store, FINE)[1].rows) == 1
        store.fine_vectors.put(ADA, FINE, [(green, vector_of("two")[None])])
        assert len(_looked(store, FINE)[1].rows) == 2

    def test_vectors_of_another_encoder_replace_the_first(self, store: Store) -> None:
        store.records.append([entry("a red apple")], ENCODER)
        [(red, _)] = store.fine_vectors.missing(ADA, FINE, 9)
        store.fine_vectors.put(ADA, FINE, [(red, vector_of("one", 48)[None])])
        assert store.fine_vectors.waiting(seen_by(), "fine-2") == 1
        assert len(_looked(store, "fine-2")[1].rows) == 0
        store.fine_vectors.put(ADA, "fine-2", [(red, vector_of("two", 32)[None])])
        assert _looked(store, "fine-2")[1].vectors == pytest.approx(vector_of("two", 32)[None], abs=0.01)
        assert len(_looked(store, FINE)[1].rows) == 0
        assert store.fine_vectors.waiting(seen_by(), FINE) == 1

    def test_erased_versions_take_no_vectors_and_keep_none(self, store: Store) -> None:
        stored = store.records.append([entry("a red apple"), entry("a green apple")], ENCODER)
        [(green, _), (red, _)] = store.fine_vectors.missing(ADA, FINE, 9)
        store.fine_vectors.put(ADA, FINE, [(red, vector_of("one")[None])])
        assert len(_looked(store, FINE)[1].rows) == 1
        store.records.erase(seen_by(), [record.id for record, _ in stored])
        store.fine_vectors.put(ADA, FINE, [(green, vector_of("two")[None])])
        assert store.fine_vectors.missing(ADA, FINE, 9) == []
        assert len(_looked(store, FINE)[1].rows) == 0
        assert store.check() == []

    def test_a_new_version_waits_for_vectors_of_its_own(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("a red apple")], ENCODER)
        [(red, _)] = store.fine_vectors.missing(ADA, FINE, 9)
        store.fine_vectors.put(ADA, FINE, [(red, vector_of("one")[None])])
        store.records.supersede(seen_by(), version_after(record, "a green apple", START), ENCODER)
        assert [record.text for _, record in store.fine_vectors.missing(ADA, FINE, 9)] == ["a green apple"]
        assert len(_looked(store, FINE)[1].rows) == 0

    def test_nobody_reads_the_vectors_of_another_actor(self, store: Store) -> None:
        store.records.append([entry("a red apple"), entry("a red apple", viewpoint=EVE)], ENCODER)
        [(theirs, _)] = store.fine_vectors.missing(EVE, FINE, 9)
        store.fine_vectors.put(ADA, FINE, [(theirs, vector_of("one")[None])])
        assert len(_looked(store, FINE)[1].rows) == 0
        assert store.fine_vectors.waiting(seen_by(EVE), FINE) == 1


def _looked(store: Store, encoder: str) -> tuple[CandidateTable, FineRows]:
    """The candidates for "apple", and what the second look has of them."""
    seen: list[FineRows] = []

    def choose(table: CandidateTable, look: Look) -> Sequence[str]:
        seen.append(look(np.arange(len(table.ids))))
        return ()

    ones: NDArray[np.float32] = np.ones(1, np.float32)
    probe = IndexQuery(
        terms=codes(["appl"]), factors=ones, pieces=np.empty(0, np.uint16), vector=vector_of("x"), fine=encoder
    )
    table, _ = store.search.find(seen_by(), probe, 9, ENCODER, choose)
    return table, seen[-1]


def _text(store: Store, record_id: str) -> str:
    return store.records.get(seen_by(), [record_id])[0].text
