"""What a user may rely on from the contextual encoder that comes with the package."""

import hashlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from foveal.backends.models.onnx import OnnxEmbedder, shared_minilm
from foveal.errors import Unsupported

ROOT = Path(__file__).parents[4]
FOLDER = ROOT / "src" / "foveal" / "backends" / "models" / "minilm"
TEXTS = [
    "",
    "Anna moved to the flat by the river last weekend.",
    "loud",
    "it pages at 50k",
    "cat " * 9000,
    "猫 \ud800",
]

# The cosines that the published weights give in full precision.
PAIRS = [
    ("where does my sister live now", "Anna moved to the flat by the river last weekend.", 0.443),
    ("where does my sister live now", "The build pages at 50k requests.", 0.025),
    ("how do I take my coffee", "two espressos, no sugar, please", 0.411),
    ("the dog bit the man", "the man bit the dog", 0.979),
    ("what did we pay for the heating", "The boiler invoice came to 480 euros.", 0.533),
]


def test_it_agrees_with_the_full_weights_on_how_alike_two_texts_are() -> None:
    for question, text, cosine in PAIRS:
        one, other = shared_minilm().embed([question, text])
        assert float(one @ other) == pytest.approx(cosine, abs=0.02)


def test_every_text_gets_a_row_of_unit_length_alone_and_in_any_batch() -> None:
    embedder = shared_minilm()
    rows = embedder.embed(TEXTS)
    assert (rows.shape, embedder.dimension) == ((len(TEXTS), 384), 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows.tobytes() == b"".join(embedder.embed([text]).tobytes() for text in TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert {answer.tobytes() for answer in pool.map(embedder.embed, [TEXTS] * 4)} == {rows.tobytes()}


def test_all_memories_of_a_process_share_one_model_and_its_name() -> None:
    assert shared_minilm() is shared_minilm()
    assert shared_minilm().id == OnnxEmbedder(FOLDER).id


def test_nothing_of_the_runtime_is_loaded_before_the_first_text() -> None:
    code = (
        "import sys; from foveal.backends.models.onnx import shared_minilm; shared_minilm();"
        "assert 'onnxruntime' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_runtime_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    shared_minilm.cache_clear()
    with pytest.raises(Unsupported, match=r"pip install 'foveal\[onnx\]'"):
        shared_minilm()


def test_the_files_are_those_whose_hashes_are_published() -> None:
    page = (ROOT / "encoder" / "README.md").read_text(encoding="utf-8")
    for name in ("model.onnx", "vocab.txt"):
        published = re.search(rf"^\| `{re.escape(name)}` \| [\d,]+ \| `(\w+)`", page, re.MULTILINE)
        assert published and published[1] == hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()


def test_the_weights_in_the_repository_stay_small() -> None:
    models = ROOT / "src" / "foveal" / "backends" / "models"
    weights = [path for path in models.rglob("*") if path.suffix in (".npz", ".onnx", ".txt")]
    assert sum(path.stat().st_size for path in weights) < 31_000_000


def test_the_runtime_leaves_nothing_behind_and_reports_to_nobody(tmp_path: Path) -> None:
    """Unless it is told not to, it stores an id of the machine in the user's folder, for its maker."""
    script = "from foveal.backends.models.onnx import shared_minilm; shared_minilm().embed(['a text'])"
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, cwd=tmp_path)
    assert list(tmp_path.rglob("*")) == []
