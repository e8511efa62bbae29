"""What a user may rely on when an ONNX model reads the text itself, and from the multilingual encoder."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from foveal.backends.models.onnx import OnnxEmbedder, shared_multilingual
from foveal.errors import Invalid, Unsupported

TEXTS = ("the cat", "die katze", "猫", "x" * 2000)
TABLE = np.random.default_rng(7).standard_normal((len(TEXTS) + 1, 4)).astype(np.float32)


def save(path: Path, *, text_type: int = TensorProto.STRING, shape: tuple[int | str, ...] = ("batch", 4)) -> None:
    """A model with its tokenizer inside: a text has the row of its number, and an unknown one the last row."""
    number = helper.make_node(
        "LabelEncoder",
        ["inputs"],
        ["number"],
        domain="ai.onnx.ml",
        keys_strings=TEXTS,
        values_int64s=range(len(TEXTS)),
        default_int64=len(TEXTS),
    )
    nodes = [number, helper.make_node("Gather", ["table", "number"], ["outputs"])]
    if text_type != TensorProto.STRING:
        nodes = [helper.make_node("Gather", ["table", "inputs"], ["outputs"])]
    graph = helper.make_graph(
        nodes,
        "lookup",
        [helper.make_tensor_value_info("inputs", text_type, ["batch"])],
        [helper.make_tensor_value_info("outputs", TensorProto.FLOAT, shape)],
        [helper.make_tensor("table", TensorProto.FLOAT, TABLE.shape, TABLE.ravel().tolist())],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    path.write_bytes(helper.make_model(graph, ir_version=8, opset_imports=opsets).SerializeToString())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "whole"
    found.mkdir()
    save(found / "model.onnx")
    (found / "foveal.json").write_text(json.dumps({"reads": "text"}))
    return found


def unit(row: int) -> NDArray[np.float32]:
    return TABLE[row] / np.linalg.norm(TABLE[row])


def test_the_model_is_given_the_text_and_its_vector_is_taken_at_unit_length(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    rows = embedder.embed([*TEXTS[:3], "dog"])
    np.testing.assert_allclose(rows, [unit(0), unit(1), unit(2), unit(4)], atol=1e-6)
    assert (embedder.dimension, embedder.embed([]).shape) == (4, (0, 4))
    assert rows.tobytes() == b"".join(embedder.embed([text]).tobytes() for text in (*TEXTS[:3], "dog"))


def test_a_text_without_utf_8_has_a_vector_and_a_long_one_is_cut(folder: Path) -> None:
    rows = OnnxEmbedder(folder).embed(["\ud800", "", "x" * 9000])
    np.testing.assert_allclose(rows, [unit(4), unit(4), unit(3)], atol=1e-6)


def test_prefixes_are_added_and_the_id_changes_with_them(folder: Path) -> None:
    before = OnnxEmbedder(folder).id
    (folder / "foveal.json").write_text(json.dumps({"reads": "text", "query_prefix": "the "}))
    embedder = OnnxEmbedder(folder)
    np.testing.assert_allclose(embedder.embed(["cat"], asking=True)[0], unit(0), atol=1e-6)
    assert embedder.id != before and embedder.id.startswith("onnx:whole:")


def test_a_model_that_does_not_turn_text_into_vectors_is_refused(folder: Path) -> None:
    save(folder / "model.onnx", text_type=TensorProto.INT64)
    with pytest.raises(Invalid, match=r"it wants inputs as tensor\(int64\)"):
        OnnxEmbedder(folder).embed(["cat"])
    save(folder / "model.onnx", shape=("batch", "length", 4))
    with pytest.raises(Invalid, match="gives none|cannot be run"):
        OnnxEmbedder(folder).embed(["cat"])


@pytest.fixture
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of the multilingual encoder, with a small model."""
    package = folder.rename(folder.with_name("foveal_multilingual"))
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(package.parent)
    shared_multilingual.cache_clear()
    return package


def test_the_multilingual_encoder_is_found_in_its_package(installed: Path) -> None:
    embedder = shared_multilingual()
    np.testing.assert_allclose(embedder.embed(["die katze"])[0], unit(1), atol=1e-6)
    assert embedder.id == OnnxEmbedder(installed).id
    assert embedder is shared_multilingual()


def test_without_its_package_the_error_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "foveal_multilingual", None)
    shared_multilingual.cache_clear()
    with pytest.raises(Unsupported, match="make multilingual"):
        shared_multilingual()


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("missing", ["onnxruntime", "onnxruntime_extensions"])
def test_without_a_runtime_the_error_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(Unsupported, match=r"pip install 'foveal\[multilingual\]'"):
        shared_multilingual()
