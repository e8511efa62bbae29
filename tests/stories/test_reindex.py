"""Another encoder takes over in place: reads go on, a stopped run goes on where it was."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from foveal import AsyncMemory, FractalMemory, Memory
from foveal.errors import EncoderMismatch, Invalid, ModelUnavailable
from foveal.rules.addresses import Plane, generic_plane
from foveal.testing.builders import vector_of


class Letters:
    """A small encoder that can be switched off."""

    id = "letters-1"
    dimension = 32

    def __init__(self, limit: int | None = None) -> None:
        self.left = limit
        self.encoded = 0

    @property
    def plane(self) -> Plane:
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        if self.left is not None:
            self.left -= len(texts)
            if self.left < 0:
                raise ModelUnavailable("switched off")
        self.encoded += len(texts)
        rows = [sum((vector_of(letter, 32) for letter in set(text)), np.zeros(32, np.float32)) for text in texts]
        return np.stack([row / np.linalg.norm(row) for row in rows]).astype(np.float32)


def test_a_mismatch_is_named_and_reindexing_mends_it(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path) as memory:
        written = memory.write_many([f"note {n}" for n in range(600)], actor_id="ada")
    with Memory(path, embedder=Letters()) as memory:
        ada = memory.view(actor_id="ada")
        for call in (lambda: ada.search("note"), lambda: ada.write("more")):
            with pytest.raises(EncoderMismatch, match="foveal reindex"):
                call()
        assert ada.get(written.ids[0]).text == "note 0"
        seen: list[tuple[int, int]] = []
        done = memory.admin.reindex(progress=lambda now, total: seen.append((now, total)))
        assert (done.versions, done.encoder, seen[-1]) == (600, "letters-1", (600, 600))
        assert ada.search("note 77")[0].encoder == "letters-1"
        assert ada.write("more").encoder == "letters-1"
    with Memory(path) as memory, pytest.raises(EncoderMismatch):
        memory.search("note", actor_id="ada")


def test_a_stopped_reindex_goes_on_where_it_was_while_reads_go_on(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path) as reader:
        ada = reader.view(actor_id="ada")
        ada.write_many([f"note {n}" for n in range(600)])
        with Memory(path, embedder=Letters(limit=800)) as memory, pytest.raises(ModelUnavailable):
            memory.admin.reindex()
        assert len(ada.search("note 5", k=5, min_relevance=0)) == 5
        ada.write("written meanwhile, by the old encoder")
        encoder = Letters()
        with Memory(path, embedder=encoder) as memory:
            assert memory.admin.reindex().versions == 601 - 256
            assert memory.search("written meanwhile", actor_id="ada")[0].text.startswith("written meanwhile")
        with pytest.raises(EncoderMismatch):
            ada.search("note 5")


def test_an_encoder_that_is_away_degrades_visibly(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path, embedder=Letters(limit=2)) as memory:
        ada = memory.view(actor_id="ada")
        first = ada.write("with a vector")
        second = ada.write("without a vector")
        assert (first.pending, second.pending) == ((), (second.id,))
        hits = ada.search("without")
        assert (hits[0].id, hits[0].encoder) == (second.id, None)
        assert ada.read("without", token_budget=200).receipt.degraded == ("meaning",)
        assert ada.stats().pending == 1
    with Memory(path, embedder=Letters()) as memory:
        ada = memory.view(actor_id="ada")
        assert memory.admin.reindex().versions == 1
        assert ada.stats().pending == 0
        assert ada.get(second.id).address.digits != ""
        hit = ada.search("without a vector", explain=True)[0]
        assert "meaning" in (hit.parts or {})


class Lazy(Letters):
    """An encoder that must be asked for its dimension, as one behind a network is."""

    @property
    def dimension(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        if self.left == 0:
            raise ModelUnavailable("switched off")
        return 32


def test_an_encoder_that_is_away_from_the_start_degrades_too(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=Lazy()) as memory:
        memory.write("stored with a vector", actor_id="ada")
    with Memory(tmp_path / "m.db", embedder=Lazy(limit=0)) as memory:
        ada = memory.view(actor_id="ada")
        assert ada.search("stored")[0].encoder is None
        assert ada.write("stored without").pending
        assert ada.read("nothing like it", token_budget=200).receipt.degraded == ("meaning",)


@pytest.mark.parametrize("url", [":memory:", "memory.db"])
def test_an_open_memory_takes_another_encoder(tmp_path: Path, url: str) -> None:
    with Memory(url if url == ":memory:" else tmp_path / url) as memory:
        # Bound before the change: it must go over, too.
        ada = memory.view(actor_id="ada")
        ada.write_many([f"note {n} about the harbour" for n in range(20)])
        done = memory.set_embedding_provider(Letters())
        assert (done.versions, done.encoder) == (20, "letters-1")
        assert ada.search("harbour")[0].encoder == "letters-1"
        # Enough of them for the metabolism to take its turn.
        assert ada.write_many([f"later {n}" for n in range(40)]).encoder == "letters-1"
        assert memory.scheduler().tick() is not None
        assert memory.runtime.embedder.id == ada.stats().encoder == "letters-1"
        node = FractalMemory(memory, node="/planner", actor_id="ada")
        node.write("plan", "Sail on Tuesday.")
        assert node.set_embedding_provider(_length).versions == 61
        assert ada.search("Sail on Tuesday.")[0].encoder == f"call:{__name__}._length"
        assert memory.set_embedding_provider(None).encoder == "foveal-static-1"


def test_an_encoder_that_fails_leaves_the_one_before_it(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many([f"note {n}" for n in range(10)])
        with pytest.raises(ModelUnavailable):
            memory.set_embedding_provider(Letters(limit=3))
        for wrong in (3, object(), "text-embedding-3-small", Broken()):
            with pytest.raises(Invalid, match="is no encoder"):
                memory.set_embedding_provider(wrong)
        assert ada.write("and one more").encoder == ada.search("note 3")[0].encoder == "foveal-static-1"


def test_an_asynchronous_memory_takes_another_encoder() -> None:
    async def story() -> str | None:
        async with AsyncMemory(":memory:") as memory:
            ada = memory.view(actor_id="ada")
            await ada.write("The harbour opens at eight.")
            assert (await memory.set_embedding_provider(Letters())).versions == 1
            return (await ada.search("harbour"))[0].encoder

    assert asyncio.run(story()) == "letters-1"


class Broken:
    """It encodes, and has no name."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


def _length(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0, float(len(text))] for text in texts]
