"""The transformer whose sentence vectors the table learns to give."""

from collections.abc import Sequence

import numpy as np
import onnxruntime
from numpy.typing import NDArray

Floats = NDArray[np.float32]

START, END = 101, 102
LONGEST = 128
# The export names its outputs by number; this one is the mean over the tokens.
SENTENCE = "461"


class Teacher:
    """Unit-length sentence vectors for lists of piece ids."""

    def __init__(self, model: bytes) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def embed(self, texts: Sequence[Sequence[int]], *, batch: int = 64) -> Floats:
        """One vector a text, in order; a text is cut after 126 pieces."""
        framed = [[START, *ids[: LONGEST - 2], END] for ids in texts]
        # Texts of like length share a batch, so little is spent on padding.
        order = sorted(range(len(framed)), key=lambda n: len(framed[n]))
        parts = [self._batch([framed[n] for n in order[k : k + batch]]) for k in range(0, len(order), batch)]
        sorted_rows = np.concatenate(parts)
        rows = np.empty_like(sorted_rows)
        rows[order] = sorted_rows
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def _batch(self, framed: list[list[int]]) -> Floats:
        shape = len(framed), max(map(len, framed))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, text in enumerate(framed):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        (vectors,) = self._session.run([SENTENCE], {"input_ids": ids, "attention_mask": mask})
        return np.asarray(vectors, np.float32)
