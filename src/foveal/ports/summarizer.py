"""What says the same in fewer words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from foveal.rules.summarising import EXTRACTIVE, summary


class Summarizer(Protocol):
    """Makes one short text of several. It raises `ModelUnavailable` when its model does not answer."""

    @property
    def id(self) -> str:
        """The name and version of what makes the summaries."""
        ...

    def summarise(self, texts: Sequence[str], characters: int) -> str:
        """One text of about so many characters at most."""
        ...


class Extractive:
    """Takes whole sentences out of the texts: no model, nothing invented."""

    id = EXTRACTIVE

    def summarise(self, texts: Sequence[str], characters: int) -> str:
        """The sentences that stand for all of them."""
        return summary(texts, characters)
