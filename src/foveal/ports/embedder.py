"""What turns text into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foveal.rules.placement import Plane


class Embedder(Protocol):
    """An encoder with a name. Vectors of different names are never compared.

    `embed` gives one unit-length row a text, the same row whatever else is in the batch. `asking` marks
    questions, for encoders that treat them otherwise than what is stored. It raises `ModelUnavailable`
    when the model does not answer.
    """

    @property
    def id(self) -> str:
        """The name and version of the encoder."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        ...

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text."""
        ...


class Pieces(Protocol):
    """A table of word pieces, each with a direction: what late interaction compares. `id` names the table."""

    @property
    def id(self) -> str:
        """The name and version of the table."""
        ...

    def pieces(self, text: str) -> list[int]:
        """The numbers of the pieces a text is made of, below 65,535, in order."""
        ...

    def weights(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """How much each piece tells: little for those of every text, about 1.5 for an ordinary noun."""
        ...

    def likeness(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.float32]:
        """The cosine of each of our pieces (a row) with each of theirs (a column)."""
        ...
