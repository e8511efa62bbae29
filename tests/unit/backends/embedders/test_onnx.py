"""What a user may rely on when an ONNX model in a folder turns text into vectors."""

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from foveal.backends.models.onnx import OnnxEmbedder
from foveal.errors import Invalid, Unsupported
from foveal.rules.addresses import generic_plane

VOCABULARY: Sequence[str] = "[PAD] [UNK] [CLS] [SEP] the cat sat dog ran ##s loud ask tell : a b c".split()
TABLE = np.random.default_rng(7).standard_normal((len(VOCABULARY), 4)).astype(np.float32)
TABLE[VOCABULARY.index("loud")] *= 50
ALL = ("input_ids", "attention_mask", "token_type_ids")


def save(
    path: Path,
    *,
    inputs: Sequence[str] = ALL,
    outputs: Sequence[str] = ("last_hidden_state",),
    integers: int = TensorProto.INT64,
    table: NDArray[np.float32] = TABLE,
    shape: Sequence[int | str] = ("batch", "length"),
) -> None:
    """A model that looks its tokens up; as `quantised` it rounds them by the largest number of the batch."""
    wanted = {
        "last_hidden_state": [helper.make_node("Identity", ["tokens"], ["last_hidden_state"])],
        "quantised": [
            helper.make_node("DynamicQuantizeLinear", ["tokens"], ["rounded", "scale", "zero"]),
            helper.make_node("DequantizeLinear", ["rounded", "scale", "zero"], ["quantised"]),
        ],
        "sentence_embedding": [
            helper.make_node("ReduceMax", ["tokens"], ["sentence_embedding"], axes=[1], keepdims=0)
        ],
        "pooler_output": [helper.make_node("ReduceMin", ["tokens"], ["pooler_output"], axes=[1], keepdims=0)],
    }
    lookup = helper.make_node("Gather", ["table", inputs[0]], ["tokens"])
    shapes = {
        o: ["batch", "length", 4] if o in ("last_hidden_state", "quantised") else ["batch", 4] for o in outputs
    }
    graph = helper.make_graph(
        [lookup, *(node for output in outputs for node in wanted[output])],
        "lookup",
        [helper.make_tensor_value_info(name, integers, shape) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes) for name, sizes in shapes.items()],
        [helper.make_tensor("table", TensorProto.FLOAT, table.shape, table.ravel().tolist())],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    opsets = [helper.make_opsetid("", 17)]
    path.write_bytes(helper.make_model(graph, ir_version=8, opset_imports=opsets).SerializeToString())


def write(path: Path, settings: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(settings))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "tiny"
    save(found / "model.onnx")
    (found / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    return found


def tokens(text: str) -> NDArray[np.float32]:
    return TABLE[[VOCABULARY.index(piece) for piece in f"[CLS] {text} [SEP]".split()]]


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / np.linalg.norm(vector).astype(np.float32)


def test_a_row_is_the_mean_of_the_tokens_between_the_marks(folder: Path) -> None:
    rows = OnnxEmbedder(folder).embed(["The CAT sat", "The dogs"])
    assert (rows.shape, rows.dtype) == ((2, 4), np.float32)
    np.testing.assert_allclose(rows[0], unit(tokens("the cat sat").mean(0)), atol=1e-6)
    np.testing.assert_allclose(rows[1], unit(tokens("the dog ##s").mean(0)), atol=1e-6)


def test_every_row_has_unit_length_whatever_the_text(folder: Path) -> None:
    rows = OnnxEmbedder(folder).embed(["", " ", "\x00", "\ud800", "猫", "zebra", "cat " * 9000])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(folder: Path) -> None:
    assert OnnxEmbedder(folder).embed([]).shape == (0, 4)


def test_a_word_outside_the_vocabulary_is_the_unknown_piece(folder: Path) -> None:
    rows = OnnxEmbedder(folder).embed(["the zebra"])
    np.testing.assert_allclose(rows[0], unit(tokens("the [UNK]").mean(0)), atol=1e-6)


def test_a_sentence_vector_of_the_model_is_taken_as_it_is(folder: Path) -> None:
    save(folder / "model.onnx", outputs=("last_hidden_state", "sentence_embedding"))
    rows = OnnxEmbedder(folder).embed(["the cat"])
    np.testing.assert_allclose(rows[0], unit(tokens("the cat").max(0)), atol=1e-6)


@pytest.mark.parametrize("settings", [{"pooling_mode_cls_token": True}, {"pooling_mode": "cls"}])
def test_the_first_token_is_the_sentence_if_the_folder_says_so(folder: Path, settings: object) -> None:
    write(folder / "1_Pooling" / "config.json", settings)
    rows = OnnxEmbedder(folder).embed(["the cat", "a dog"])
    np.testing.assert_allclose(rows, [unit(tokens("")[0])] * 2, atol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [{"pooling_mode_max_tokens": True}, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}],
)
def test_pooling_we_cannot_do_is_refused(folder: Path, settings: object) -> None:
    write(folder / "1_Pooling" / "config.json", settings)
    with pytest.raises(Unsupported, match="only mean or cls"):
        OnnxEmbedder(folder).embed(["cat"])


@pytest.mark.parametrize("inputs", [ALL[:1], ALL[:2], ALL])
@pytest.mark.parametrize("integers", [TensorProto.INT64, TensorProto.INT32])
def test_the_model_is_fed_what_it_declares(folder: Path, inputs: Sequence[str], integers: int) -> None:
    before = OnnxEmbedder(folder).embed(["the cat"])
    save(folder / "model.onnx", inputs=inputs, integers=integers)
    assert OnnxEmbedder(folder).embed(["the cat"]).tobytes() == before.tobytes()


def test_the_batch_does_not_change_a_vector_even_if_the_model_rounds_by_batch(folder: Path) -> None:
    save(folder / "model.onnx", outputs=("quantised",))
    embedder = OnnxEmbedder(folder)
    texts = ["the cat", "a loud", "dog ran", "the loud dog sat"]
    together = embedder.embed(texts)
    assert together.tobytes() == b"".join(embedder.embed([text]).tobytes() for text in texts)
    assert embedder.embed(texts[::-1])[::-1].tobytes() == together.tobytes()


def test_threads_share_one_embedder(folder: Path) -> None:
    fresh = OnnxEmbedder(folder)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(fresh.embed, [["the cat", "dog"]] * 32))
    assert {rows.tobytes() for rows in answers} == {fresh.embed(["the cat", "dog"]).tobytes()}


@pytest.mark.parametrize(
    ("file", "settings", "length"),
    [
        ("absent.json", {}, 256),
        ("sentence_bert_config.json", {"max_seq_length": 5}, 5),
        ("tokenizer_config.json", {"model_max_length": 7}, 7),
        ("tokenizer_config.json", {"model_max_length": int(1e30)}, 256),
        ("config.json", {"max_position_embeddings": 6}, 6),
    ],
)
def test_a_long_text_is_cut_to_what_the_model_reads(folder: Path, file: str, settings: object, length: int) -> None:
    write(folder / file, settings)
    rows = OnnxEmbedder(folder).embed(["cat " * (length - 2) + "loud " * 10])
    np.testing.assert_allclose(rows[0], unit(tokens("cat " * (length - 2)).mean(0)), atol=1e-5)


def test_the_marks_have_the_names_the_tokenizer_gives_them(folder: Path) -> None:
    write(folder / "tokenizer_config.json", {"cls_token": "a", "sep_token": {"content": "b"}})
    rows = OnnxEmbedder(folder).embed(["cat"])
    expected = TABLE[[VOCABULARY.index(piece) for piece in ("a", "cat", "b")]].mean(0)
    np.testing.assert_allclose(rows[0], unit(expected), atol=1e-6)


def test_questions_and_documents_get_their_prefixes(folder: Path) -> None:
    plain = OnnxEmbedder(folder)
    write(folder / "foveal.json", {"query_prefix": "ask: ", "document_prefix": "tell: "})
    prefixed = OnnxEmbedder(folder)
    assert prefixed.embed(["cat"]).tobytes() == plain.embed(["tell: cat"]).tobytes()
    assert prefixed.embed(["cat"], asking=True).tobytes() == plain.embed(["ask: cat"]).tobytes()


def test_the_id_changes_with_all_that_makes_the_vectors(folder: Path) -> None:
    ids = [OnnxEmbedder(folder).id, OnnxEmbedder(folder).id]
    assert ids[0] == ids[1]
    assert ids[0].startswith("onnx:tiny:")
    save(folder / "model.onnx", table=TABLE * 2)
    ids.append(OnnxEmbedder(folder).id)
    (folder / "foveal.json").write_text('{"query_prefix": "query: "}')
    ids.append(OnnxEmbedder(folder).id)
    assert len(set(ids)) == 3


def test_the_id_covers_weights_kept_beside_the_model(folder: Path) -> None:
    before = OnnxEmbedder(folder).id
    (folder / "model.onnx_data").write_bytes(b"weights")
    assert OnnxEmbedder(folder).id != before


def test_the_plane_fits_the_dimension(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    assert embedder.dimension == 4
    assert embedder.plane.axes.tobytes() == generic_plane(4).axes.tobytes()


@pytest.mark.parametrize("place", ["other.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"])
def test_the_model_may_have_another_name_or_lie_in_a_folder_of_its_own(folder: Path, place: str) -> None:
    expected = OnnxEmbedder(folder).embed(["cat"])
    (folder / "model.onnx").unlink()
    save(folder / place)
    assert OnnxEmbedder(folder).embed(["cat"]).tobytes() == expected.tobytes()


def test_a_choice_between_models_is_not_guessed(folder: Path) -> None:
    (folder / "model.onnx").rename(folder / "one.onnx")
    save(folder / "two.onnx")
    with pytest.raises(Invalid, match="2 models"):
        OnnxEmbedder(folder)


@pytest.mark.parametrize("missing", ["model.onnx", "vocab.txt"])
def test_what_is_missing_is_named(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(Invalid, match=missing):
        OnnxEmbedder(folder)
    with pytest.raises(Invalid, match="no folder"):
        OnnxEmbedder(folder / "nowhere")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("vocab.txt", b"the\ncat\n"),
        ("vocab.txt", b"\xff\xfe"),
        ("foveal.json", b"{"),
        ("foveal.json", b'{"prefix": "x"}'),
        ("tokenizer_config.json", b'{"do_lower_case": "yes"}'),
        ("sentence_bert_config.json", b'{"max_seq_length": 2}'),
    ],
)
def test_a_file_that_makes_no_sense_is_named(folder: Path, file: str, content: bytes) -> None:
    (folder / file).write_bytes(content)
    with pytest.raises(Invalid, match="tiny"):
        OnnxEmbedder(folder)


@pytest.mark.parametrize(
    "settings", [{"do_lower_case": False}, {"strip_accents": False}, {"tokenize_chinese_chars": False}]
)
def test_a_tokenizer_we_do_not_have_is_refused(folder: Path, settings: object) -> None:
    write(folder / "tokenizer_config.json", settings)
    with pytest.raises(Unsupported, match="only uncased BERT"):
        OnnxEmbedder(folder)


def test_a_broken_model_is_found_on_first_use(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"not a model")
    embedder = OnnxEmbedder(folder)
    with pytest.raises(Invalid, match=r"model\.onnx cannot be run"):
        embedder.embed(["cat"])


def test_a_model_that_is_no_sentence_encoder_is_refused(folder: Path) -> None:
    save(folder / "model.onnx", inputs=("input_ids", "pixels"))
    with pytest.raises(Invalid, match="pixels"):
        OnnxEmbedder(folder).embed(["cat"])
    save(folder / "model.onnx", outputs=("pooler_output",))
    with pytest.raises(Invalid, match="pooler_output"):
        OnnxEmbedder(folder).embed(["cat"])
    save(folder / "model.onnx", shape=(1, 128))
    with pytest.raises(Unsupported, match="128"):
        OnnxEmbedder(folder).embed(["cat"])


def test_a_model_that_fails_or_gives_no_numbers_is_reported(folder: Path) -> None:
    save(folder / "model.onnx", table=TABLE[:5])
    with pytest.raises(Invalid, match="cannot be run"):
        OnnxEmbedder(folder).embed(["dog"])
    save(folder / "model.onnx", table=TABLE * np.float32("nan"))
    with pytest.raises(Invalid, match="infinite"):
        OnnxEmbedder(folder).embed(["dog"])


def test_without_the_runtime_the_error_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(Unsupported, match=r"pip install 'foveal\[onnx\]'"):
        OnnxEmbedder(folder).embed(["cat"])
