"""What a user may rely on when a cross-encoder ranks the best once more."""

from collections.abc import Sequence
from datetime import timedelta
from math import exp
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from foveal import Memory, Settings
from foveal.backends.models.onnx import OnnxReranker
from foveal.errors import Invalid
from foveal.testing import ManualClock

VOCABULARY: Sequence[str] = "[PAD] [UNK] [CLS] [SEP] the cat sat dog ran who".split()
NOTES = ["the dog ran", "the cat sat", "the dog sat", "the cat ran cat"]


def save(folder: Path, outputs: int = 1) -> Path:
    """A cross-encoder that counts the cats of the second text; with two outputs, as no and yes."""
    table = np.zeros((len(VOCABULARY), outputs), np.float32)
    table[VOCABULARY.index("cat"), -1] = 1.0
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["tokens"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["second", "last"], ["column"]),
        helper.make_node("Mul", ["tokens", "column"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "middle"], ["logits"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "cats",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", outputs])],
        [
            helper.make_tensor("table", TensorProto.FLOAT, table.shape, table.ravel().tolist()),
            helper.make_tensor("last", TensorProto.INT64, [1], [2]),
            helper.make_tensor("middle", TensorProto.INT64, [1], [1]),
        ],
    )
    folder.mkdir(parents=True, exist_ok=True)
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, ir_version=8, opset_imports=opsets)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    return folder


@pytest.mark.parametrize("outputs", [1, 2])
def test_question_and_text_are_read_together_and_told_apart(tmp_path: Path, outputs: int) -> None:
    reranker = OnnxReranker(save(tmp_path / "model", outputs))
    assert reranker.scores("who cat cat", NOTES) == [0.0, 1.0, 0.0, 2.0]
    assert reranker.scores("who", []) == []
    assert reranker.scores("cat " * 900, ["cat " * 900])[0] > 0


def test_a_model_that_gives_many_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        OnnxReranker(save(tmp_path / "model", 3)).scores("who", ["the cat"])


def test_the_settings_name_a_reranker_and_it_changes_the_order(tmp_path: Path) -> None:
    named = Settings(second_look="off", reranker=f"onnx:{save(tmp_path / 'model')}")
    with Memory(":memory:", settings=named) as memory, Memory(":memory:") as plain:
        for one in (memory, plain):
            one.write_many(NOTES, actor_id="ada")
        asked = "who sat, the dog?"
        assert plain.search(asked, actor_id="ada")[0].text == "the dog sat"
        best = memory.search(asked, k=2, actor_id="ada", explain=True)
        assert best[0].text == "the cat ran cat"
        parts = best[0].parts
        assert parts is not None and parts["reranker"] > 0
        relevance = 1 / (1 + exp(-sum(parts.values())))
        assert best[0].relevance == pytest.approx(relevance, abs=0.01)  # pyright: ignore[reportUnknownMemberType]
        assert memory.read(asked, actor_id="ada").receipt.degraded == ()


def test_a_function_will_do(tmp_path: Path) -> None:
    def longest(query: str, texts: Sequence[str]) -> list[float]:
        return [10.0 * len(text) for text in texts]

    with Memory(":memory:", reranker=longest) as memory:
        memory.write_many(["tea", "tea and a very long walk by the river"], actor_id="ada")
        assert "river" in memory.search("tea", actor_id="ada", k=1)[0].text


@pytest.mark.parametrize("wrong", ["raises", "too few", "not a number"])
def test_when_it_fails_the_plain_order_stays_and_the_receipt_says_so(wrong: str) -> None:
    def broken(query: str, texts: Sequence[str]) -> list[float]:
        if wrong == "raises":
            raise ConnectionError("no answer")
        return [float("nan")] * len(texts) if wrong == "not a number" else []

    with Memory(":memory:", reranker=broken) as memory, Memory(":memory:") as plain:
        for one in (memory, plain):
            one.write_many(NOTES, actor_id="ada")
        texts = [[hit.text for hit in one.search("cat", actor_id="ada")] for one in (memory, plain)]
        assert texts[0] == texts[1]
        assert memory.read("cat", actor_id="ada").receipt.degraded == ("reranker",)


@pytest.mark.parametrize(("milliseconds", "given"), [(1, 5), (100, 10), (1000, 50)])
def test_only_as_many_are_given_to_it_as_fit_the_time(milliseconds: int, given: int) -> None:
    clock, seen = ManualClock(), list[str]()

    def slow(query: str, texts: Sequence[str]) -> list[float]:
        clock.turn(timedelta(milliseconds=10 * len(texts)))
        seen.extend(texts)
        return [0.0] * len(texts)

    settings = Settings(second_look="off", reranker_ms=milliseconds)
    with Memory(":memory:", settings=settings, clock=clock, reranker=slow) as memory:
        memory.write_many([f"tea number {n}" for n in range(80)], actor_id="ada")
        hits = memory.search("tea", k=80, actor_id="ada")
    assert len(seen) == given
    assert len(hits) == 80


@pytest.mark.parametrize(
    "settings",
    [
        Settings(second_look="off", reranker="magic"),
        Settings(second_look="off", reranker="onnx:/nowhere"),
        Settings(second_look="off", reranker_ms=0),
    ],
)
def test_a_reranker_that_cannot_be_is_refused(settings: Settings) -> None:
    with pytest.raises(Invalid):
        Memory(":memory:", settings=settings)
