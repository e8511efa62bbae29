"""A cross-encoder from an ONNX model in a folder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from foveal.backends.embedders.onnx import tokenizer_of
from foveal.backends.embedders.session import Session, inputs_of, model_file, open_session, translated
from foveal.errors import Invalid


class OnnxReranker:
    """A model that reads question and text together and gives one number, or one for no and one for yes.

    The folder is laid out like that of an ONNX encoder. The model is read on first use and runs on one thread.
    """

    def __init__(self, folder: Path) -> None:
        self._path = model_file(folder)
        self._tokenizer = tokenizer_of(folder)
        self._lock = threading.Lock()
        self._loaded: tuple[Session, dict[str, str], str] | None = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question; more is better."""
        return [self._score(query, text) for text in texts]

    def _score(self, query: str, text: str) -> float:
        session, inputs, output = self._model()
        ids, kinds = self._tokenizer.pair(query, text)
        values = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": kinds}
        feed = {name: np.array([values[name]], kind) for name, kind in inputs.items()}
        with translated(self._path):
            answer = np.asarray(session.run([output], feed)[0], np.float64).ravel()
        if len(answer) not in (1, 2) or not np.isfinite(answer).all():
            raise Invalid(f"{self._path} gave {len(answer)} numbers for a pair: a reranker gives one, or two")
        return float(answer[-1] - (answer[0] if len(answer) == 2 else 0.0))

    def _model(self) -> tuple[Session, dict[str, str], str]:
        with self._lock:
            if self._loaded is None:
                session = open_session(self._path)
                names = [port.name for port in session.get_outputs()]
                output = "logits" if "logits" in names else names[0]
                self._loaded = session, inputs_of(self._path, session.get_inputs()), output
            return self._loaded
