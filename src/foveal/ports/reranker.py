"""What ranks the best candidates once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Reads question and text together. It raises `ModelUnavailable` when the model does not answer."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the question, on any scale; more is better."""
        ...
