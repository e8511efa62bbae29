"""The ranking is never worse than words, meaning or the second look alone, whatever encoder there is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from bench.samples import Chat, arms, asked_of, cases
from numpy.typing import NDArray
from onnx import TensorProto, helper

from foveal.backends.models.onnx import OnnxEmbedder, shared_minilm
from foveal.ports.models import Embedder

# How far the whole may fall behind an arm in one kind of question, and how many questions tell something of a kind.
BEHIND, ENOUGH = 0.05, 20


def _onnx(folder: Path) -> Embedder:
    """An ONNX encoder that ranks sensibly: it looks the pieces of the bundled table up and takes their mean."""
    with (
        resources.files("foveal.backends.models").joinpath("static.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as data,
    ):
        pieces: list[str] = data["vocabulary"].tobytes().decode().split("\n")
        rows: NDArray[np.float32] = (data["rows"] * data["scale"][:, None])[: len(pieces)].astype(np.float32)
    marks = [mark for mark in ("[PAD]", "[UNK]", "[CLS]", "[SEP]") if mark not in pieces]
    table = np.concatenate([rows, np.zeros((len(marks), rows.shape[1]), np.float32)])
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "lookup",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ("batch", "length"))],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ("batch", "length", table.shape[1])
            )
        ],
        [helper.make_tensor("table", TensorProto.FLOAT, table.shape, table.tobytes(), raw=True)],
    )
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    (folder / "vocab.txt").write_text("\n".join([*pieces, *marks]) + "\n", encoding="utf-8")
    return OnnxEmbedder(folder)


def _found(ids: list[str], evidence: set[str]) -> dict[str, float]:
    places = [place for place, one in enumerate(ids) if one in evidence]
    return {
        "hit@3": float(any(place < 3 for place in places)),
        "R@10": len(places) / len(evidence),
        "MRR": 1 / (1 + places[0]) if places else 0.0,
    }


def _means(models: Mapping[str, Embedder]) -> dict[str, dict[str, dict[str, float]]]:
    """For each kind of question and for all, what the whole and each arm find."""
    kinds: dict[str, dict[str, list[Mapping[str, float]]]] = defaultdict(lambda: defaultdict(list))
    # There is no such folder, so the chats are those that come with the project.
    for case in cases(Path("none"), "ordinary-dev"):
        if case["language"] != "en":
            continue
        chat = Chat(case["turns"], **models)
        for question in case["questions"]:
            evidence = set(question["evidence"])
            if not evidence:
                continue
            chat.at(question["asked_at"])
            _, _, frame, _, fine = asked_of(chat.view, question["question"])
            turns = [chat.turns[one][0] for one in frame.ids]
            found = {
                arm: [turns[int(place)] for place in np.argsort(-column, kind="stable")[:10]]
                for arm, column in arms(frame, fine).items()
            }
            hits = chat.view.search(question["question"], k=10, min_relevance=0)
            found["whole"] = [chat.turns[hit.id][0] for hit in hits]
            for arm, ids in found.items():
                for kind in (question["category"], "all"):
                    kinds[kind][arm].append(_found(ids, evidence))
        chat.close()
    return {
        kind: {
            arm: {name: sum(one[name] for one in some) / len(some) for name in some[0]}
            for arm, some in arms.items()
        }
        for kind, arms in kinds.items()
        if len(arms["whole"]) >= ENOUGH
    }


@pytest.mark.parametrize("encoder", ["bundled", "onnx", "second look"])
def test_the_whole_is_at_least_as_good_as_each_arm(encoder: str, tmp_path: Path) -> None:
    models: dict[str, Embedder] = {}
    if encoder == "onnx":
        models["embedder"] = _onnx(tmp_path / "mean")
    elif encoder == "second look":
        models["second_look"] = shared_minilm()
    means = _means(models)
    assert len(means) > 5 and len(means["all"]) == (4 if encoder == "second look" else 3)
    worse = [
        (kind, arm, name, value, of["whole"][name])
        for kind, of in means.items()
        for arm in of.keys() - {"whole"}
        for name, value in of[arm].items()
        if value > of["whole"][name] + (0 if kind == "all" else BEHIND)
    ]
    assert not worse
