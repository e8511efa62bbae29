"""What counts tokens."""

from __future__ import annotations

from typing import Protocol


class TokenCounter(Protocol):
    """Counts what a text costs a model. Budgets hold for the counter that was asked for."""

    @property
    def name(self) -> str:
        """Which tokenizer it counts for."""
        ...

    def count(self, text: str) -> int:
        """The number of tokens of the text."""
        ...
