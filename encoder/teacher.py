"""A BERT-shaped sentence encoder in plain numpy, read from a safetensors file."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
HEADS = 12


def read_safetensors(path: Path) -> dict[str, Floats]:
    """The float32 tensors of a file, by name."""
    blob = path.read_bytes()
    (size,) = struct.unpack("<Q", blob[:8])
    header = json.loads(blob[8 : 8 + size])
    tensors: dict[str, Floats] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            flat = np.frombuffer(blob, "<f4", (last - first) // 4, 8 + size + first)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def normed(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """Layer normalisation over the last axis."""
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt(np.square(x).mean(-1, keepdims=True) + 1e-12) * weight + bias


def gelu(x: Floats) -> Floats:
    """The smooth rectifier of BERT, its error function by the formula 7.1.26 of Abramowitz and Stegun."""
    z = np.abs(x) * np.float32(0.7071067811865476)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return (0.5 * x * (1 + erf)).astype(np.float32)


class Teacher:
    """Mean-pooled, unit-length sentence vectors for lists of piece ids of one length."""

    def __init__(self, path: Path) -> None:
        self._w = read_safetensors(path)
        self._layers = 1 + max(int(n.split(".")[2]) for n in self._w if n.startswith("encoder.layer."))

    def _linear(self, x: Floats, name: str) -> Floats:
        return x @ self._w[f"{name}.weight"].T + self._w[f"{name}.bias"]

    def _norm(self, x: Floats, name: str) -> Floats:
        return normed(x, self._w[f"{name}.weight"], self._w[f"{name}.bias"])

    def _layer(self, x: Floats, name: str) -> Floats:
        batch, length, width = x.shape
        q, k, v = (
            self._linear(x, f"{name}.attention.self.{part}")
            .reshape(batch, length, HEADS, width // HEADS)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32((width // HEADS) ** 0.5)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        attended = self._linear(mixed, f"{name}.attention.output.dense")
        x = self._norm(x + attended, f"{name}.attention.output.LayerNorm")
        inner = gelu(self._linear(x, f"{name}.intermediate.dense"))
        return self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def embed(self, ids: Sequence[Sequence[int]]) -> Floats:
        """One unit vector for each list of ids; special tokens are the caller's to add."""
        table = np.array(ids)
        x = self._w["embeddings.word_embeddings.weight"][table]
        x = x + self._w["embeddings.position_embeddings.weight"][: table.shape[1]]
        x = x + self._w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for n in range(self._layers):
            x = self._layer(x, f"encoder.layer.{n}")
        pooled = x.mean(1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
