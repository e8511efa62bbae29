"""What every index of vectors must do."""

from __future__ import annotations

import numpy as np
import pytest

from foveal.errors import Invalid
from foveal.ports.vectors import VectorIndex

ADA, BOB = ("default", "ada"), ("default", "bob")
EAST, NORTH, UP = np.eye(3, dtype=np.float32)


class VectorIndexContract:
    """Give a fixture `index`, empty."""

    def test_the_nearest_come_first_with_their_cosines(self, index: VectorIndex) -> None:
        index.upsert(ADA, ["east", "both", "north"], np.array([EAST, 3 * (EAST + NORTH), NORTH]))
        found = index.query(ADA, 2 * EAST, 2)
        assert [one for one, _ in found] == ["east", "both"]
        assert [cosine for _, cosine in found] == pytest.approx([1.0, 0.5**0.5], abs=1e-3)

    def test_an_organism_never_sees_the_vectors_of_another(self, index: VectorIndex) -> None:
        index.upsert(ADA, ["a"], EAST[None])
        index.upsert(BOB, ["b"], EAST[None])
        index.upsert(("other", "ada"), ["c"], EAST[None])
        assert [one for one, _ in index.query(ADA, EAST, 9)] == ["a"]
        index.delete(BOB, ["a"])
        assert [one for one, _ in index.query(ADA, EAST, 9)] == ["a"]
        assert index.query(("default", "nobody"), EAST, 9) == []

    def test_an_id_has_one_vector_the_last(self, index: VectorIndex) -> None:
        index.upsert(ADA, ["a", "b"], np.array([EAST, NORTH]))
        index.upsert(ADA, ["a"], UP[None])
        index.upsert(ADA, ["a"], UP[None])
        assert [one for one, _ in index.query(ADA, UP, 1)] == ["a"]
        assert len(index.query(ADA, EAST, 9)) == 2

    def test_what_was_deleted_is_not_found(self, index: VectorIndex) -> None:
        index.upsert(ADA, ["a", "b"], np.array([EAST, NORTH]))
        index.delete(ADA, ["a", "never there"])
        assert [one for one, _ in index.query(ADA, EAST, 9)] == ["b"]
        index.delete(ADA, [])
        index.upsert(ADA, [], np.empty((0, 3), np.float32))
        assert len(index.query(ADA, EAST, 9)) == 1

    def test_it_finds_what_comparing_each_would_find(self, index: VectorIndex) -> None:
        rng = np.random.default_rng(4)
        rows = rng.normal(size=(300, 16)).astype(np.float32)
        index.upsert(ADA, [str(n) for n in range(300)], rows)
        wanted = rng.normal(size=16).astype(np.float32)
        cosines = rows @ wanted / np.linalg.norm(rows, axis=1)
        found = [one for one, _ in index.query(ADA, wanted, 10)]
        assert len(set(found) & {str(n) for n in np.argsort(-cosines)[:10]}) >= 9
        assert found[0] == str(int(np.argmax(cosines)))

    def test_what_does_not_fit_together_is_refused(self, index: VectorIndex) -> None:
        index.upsert(ADA, ["a"], EAST[None])
        for ids, rows in (
            (["b", "c"], EAST[None]),
            (["b"], EAST),
            (["b"], np.ones((1, 4))),
            (["b"], EAST[None] * np.nan),
        ):
            with pytest.raises(Invalid):
                index.upsert(ADA, ids, rows.astype(np.float32))
        assert len(index.query(ADA, EAST, 9)) == 1
