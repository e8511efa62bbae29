"""Embedder, LLM, reranker, summarizer, token counter, document reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.rules.addresses import Plane
from foveal.rules.summaries import EXTRACTIVE, summary

Reader = Callable[[bytes], str]
"""From the bytes of a file to Markdown. It raises `Invalid` for a file that it cannot read."""


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


class Call(Struct, frozen=True, kw_only=True):
    """A tool that the model wants called, and with what."""

    id: str
    name: str
    arguments: Mapping[str, Any]


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation: by the system, the user, the assistant, or a tool."""

    role: str
    content: str = ""
    calls: tuple[Call, ...] = ()
    call_id: str | None = None


class Tool(Struct, frozen=True, kw_only=True):
    """What the model is told of a tool; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Reply(Struct, frozen=True, kw_only=True):
    """What the model answered: a text, calls of tools, or both."""

    text: str
    calls: tuple[Call, ...] = ()
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class LLM(Protocol):
    """A model by its name. It raises `ModelUnavailable` when it does not answer."""

    @property
    def model(self) -> str:
        """The name of the model."""
        ...

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Reply:
        """The answer to a conversation."""
        ...

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer to a conversation, piece by piece as it is made."""
        ...


class Reranker(Protocol):
    """Reads question and text together. It raises `ModelUnavailable` when the model does not answer."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the question, on any scale; more is better."""
        ...


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


class TokenCounter(Protocol):
    """Counts what a text costs a model. Budgets hold for the counter that was asked for."""

    @property
    def name(self) -> str:
        """Which tokenizer it counts for."""
        ...

    def count(self, text: str) -> int:
        """The number of tokens of the text."""
        ...
