"""Any function from a question and texts to scores, as a reranker."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foveal.errors import ModelUnavailable

Function = Callable[[str, Sequence[str]], Sequence[float]]

# What a function of the caller's may raise when its model fails.
FAILURES = (OSError, RuntimeError, ValueError, TypeError, LookupError, ArithmeticError)


class CallingReranker:
    """A function as a reranker; when it fails, that is `ModelUnavailable`."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question; more is better."""
        try:
            return [float(one) for one in self._function(query, list(texts))]
        except FAILURES as error:
            raise ModelUnavailable(f"the reranker failed: {error}") from error
