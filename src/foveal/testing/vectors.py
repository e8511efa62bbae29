"""What every index of vectors must do."""

from __future__ import annotations

import numpy as np
import pytest

from foveal.errors import Invalid
from foveal.ports.system import VectorIndex

NOTE, TASK = "note", "task"
ADA, BOB = ("default", "ada"), ("default", "bob")
EAST, NORTH, UP = np.eye(3, dtype=np.float32)


class VectorIndexContract:
    """Give a fixture `index`, empty."""

    def test_the_nearest_come_first_with_their_cosines(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["east", "both", "north"], np.array([EAST, 3 * (EAST + NORTH), NORTH]))
        found = index.query(ADA, None, 2 * EAST, 2)
        assert [one for one, _ in found] == ["east", "both"]
        assert [cosine for _, cosine in found] == pytest.approx([1.0, 0.5**0.5], abs=1e-3)

    def test_an_organism_never_sees_the_vectors_of_another(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        index.upsert(BOB, NOTE, ["b"], EAST[None])
        index.upsert(("other", "ada"), NOTE, ["c"], EAST[None])
        assert [one for one, _ in index.query(ADA, None, EAST, 9)] == ["a"]
        index.delete(BOB, ["a"])
        assert [one for one, _ in index.query(ADA, None, EAST, 9)] == ["a"]
        assert index.query(("default", "nobody"), None, EAST, 9) == []

    def test_kinds_are_asked_together_or_apart(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        index.upsert(ADA, TASK, ["b", "c"], np.array([EAST + NORTH, UP]))
        assert [one for one, _ in index.query(ADA, None, EAST, 2)] == ["a", "b"]
        assert [one for one, _ in index.query(ADA, [TASK], EAST, 9)] == ["b", "c"]
        assert index.query(ADA, ["nothing"], EAST, 9) == []
        index.delete(ADA, ["a", "c"])
        assert [one for one, _ in index.query(ADA, [NOTE, TASK], EAST, 9)] == ["b"]

    def test_a_long_text_is_found_by_each_of_its_rows_and_comes_once(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["long", "long", "long", "short"], np.array([EAST, EAST + NORTH, UP, NORTH]))
        for wanted in (EAST, UP):
            assert [one for one, _ in index.query(ADA, None, wanted, 2)] == ["long", "short"]
        assert index.query(ADA, None, UP, 1)[0][1] == pytest.approx(1.0, abs=1e-3)
        index.upsert(ADA, NOTE, ["long"], NORTH[None])
        assert dict(index.query(ADA, None, UP, 9))["long"] == pytest.approx(0.0, abs=1e-3)
        index.delete(ADA, ["long"])
        assert [one for one, _ in index.query(ADA, None, EAST, 9)] == ["short"]

    def test_a_mark_is_kept_until_it_is_cleared(self, index: VectorIndex) -> None:
        assert index.mark(ADA) is None
        index.set_mark(ADA, "as far as this")
        index.set_mark(BOB, "further")
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        index.upsert(BOB, NOTE, ["b"], EAST[None])
        assert index.mark(ADA) == "as far as this"
        index.clear(ADA)
        index.clear(("default", "nobody"))
        assert (index.mark(ADA), index.query(ADA, None, EAST, 9)) == (None, [])
        assert index.mark(BOB) == "further"
        assert [one for one, _ in index.query(BOB, None, EAST, 9)] == ["b"]
        index.upsert(ADA, NOTE, ["a"], np.ones((1, 7), np.float32))
        assert len(index.query(ADA, None, np.ones(7, np.float32), 9)) == 1

    def test_an_id_has_one_vector_the_last(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a", "b"], np.array([EAST, NORTH]))
        index.upsert(ADA, NOTE, ["a"], UP[None])
        index.upsert(ADA, NOTE, ["a"], UP[None])
        assert [one for one, _ in index.query(ADA, None, UP, 1)] == ["a"]
        assert len(index.query(ADA, None, EAST, 9)) == 2

    def test_what_was_deleted_is_not_found(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a", "b"], np.array([EAST, NORTH]))
        index.delete(ADA, ["a", "never there"])
        assert [one for one, _ in index.query(ADA, None, EAST, 9)] == ["b"]
        index.delete(ADA, [])
        index.upsert(ADA, NOTE, [], np.empty((0, 3), np.float32))
        assert len(index.query(ADA, None, EAST, 9)) == 1

    def test_it_finds_what_comparing_each_would_find(self, index: VectorIndex) -> None:
        rng = np.random.default_rng(4)
        rows = rng.normal(size=(300, 16)).astype(np.float32)
        index.upsert(ADA, NOTE, [str(n) for n in range(300)], rows)
        wanted = rng.normal(size=16).astype(np.float32)
        cosines = rows @ wanted / np.linalg.norm(rows, axis=1)
        found = [one for one, _ in index.query(ADA, None, wanted, 10)]
        assert len(set(found) & {str(n) for n in np.argsort(-cosines)[:10]}) >= 9
        assert found[0] == str(int(np.argmax(cosines)))

    def test_what_does_not_fit_together_is_refused(self, index: VectorIndex) -> None:
        index.upsert(ADA, NOTE, ["a"], EAST[None])
        for ids, rows in (
            (["b", "c"], EAST[None]),
            (["b"], EAST),
            (["b"], np.ones((1, 4))),
            (["b"], EAST[None] * np.nan),
        ):
            with pytest.raises(Invalid):
                index.upsert(ADA, NOTE, ids, rows.astype(np.float32))
        assert len(index.query(ADA, None, EAST, 9)) == 1
