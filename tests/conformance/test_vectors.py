"""Both indexes of vectors keep the same promises."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from foveal.backends.chroma import ChromaVectorStore
from foveal.backends.in_process import InMemoryVectorStore
from foveal.ports.system import VectorIndex
from foveal.testing.ports import ADA, EAST, NORTH, VectorIndexContract


class TestInMemoryVectorStore(VectorIndexContract):
    @pytest.fixture
    def index(self) -> VectorIndex:
        return InMemoryVectorStore()


class TestChromaVectorStore(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[VectorIndex]:
        index = ChromaVectorStore(tmp_path / "chroma")
        yield index
        index.close()


def test_what_chroma_was_given_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    index = ChromaVectorStore(tmp_path / "chroma")
    index.upsert(ADA, "note", ["a", "b"], np.array([EAST, NORTH]))
    index.close()
    again = ChromaVectorStore(tmp_path / "chroma")
    assert [one for one, _ in again.query(ADA, None, NORTH, 1)] == ["b"]
    again.close()
