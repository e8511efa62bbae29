"""Any function encodes, if its numbers make sense; and what was encoded is remembered."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from foveal.backends.models.adapters import CachingEmbedder, CallingEmbedder
from foveal.errors import Invalid


def lengths(texts: Sequence[str]) -> list[list[float]]:
    return [[3.0 * len(text), 4.0 * len(text)] for text in texts]


def test_rows_come_at_unit_length_with_a_name() -> None:
    embedder = CallingEmbedder(lengths)
    assert np.allclose(embedder.embed(["a", "bbbb"]), [[0.6, 0.8]] * 2)
    assert embedder.dimension == 2
    assert embedder.id.endswith("lengths")
    assert CallingEmbedder(lengths, id="mine-2").id == "mine-2"
    assert embedder.embed([]).shape == (0, 2)


@pytest.mark.parametrize("wrong", [[[0.0, 0.0]], [[float("nan"), 1.0]], [[1.0, 2.0], [1.0, 2.0]], [1.0, 2.0]])
def test_numbers_that_make_no_sense_are_refused(wrong: list[list[float]]) -> None:
    with pytest.raises(Invalid):
        CallingEmbedder(lambda texts: wrong, id="wrong").embed(["x"])


def test_a_text_is_encoded_once_and_questions_apart() -> None:
    seen: list[str] = []

    class Counting(CallingEmbedder):
        def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
            seen.extend(texts)
            return super().embed(texts, asking=asking)

    embedder = CachingEmbedder(Counting(lengths), room=3)
    first = embedder.embed(["a", "b", "a"])
    assert seen == ["a", "b"]
    assert np.array_equal(embedder.embed(["a"]), first[:1])
    embedder.embed(["a"], asking=True)
    assert seen == ["a", "b", "a"]
    embedder.embed(["c", "d", "e"])
    embedder.embed(["a"])
    assert seen[-1] == "a"
