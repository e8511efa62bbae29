"""Ports to models: embedder, LLM, reranker, summarizer, token counter, document reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.rules.addresses import Plane
from foveal.rules.summaries import EXTRACTIVE, summary

Reader = Callable[[bytes], str]
"""Converts the bytes of a file to Markdown. It raises `Invalid` for a file that it cannot read."""


class Embedder(Protocol):
    """An encoder with a name. Vectors of encoders with different names are never compared.

    `embed` returns one unit-length row for each text, whatever else is in the batch. `asking` marks questions, for
    encoders that treat them differently from stored texts. It raises `ModelUnavailable` when the model does not
    answer.
    """

    @property
    def id(self) -> str:
        """The name and version of the encoder."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        ...

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text."""
        ...


class Pieces(Protocol):
    """A table of word pieces with a vector for each, which late interaction compares."""

    @property
    def id(self) -> str:
        """The name and version of the table."""
        ...

    def pieces(self, text: str) -> list[int]:
        """The numbers of the pieces of a text, in order, each below 65,535."""
        ...

    def weights(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """How informative each piece is: little for very common ones, about 1.5 for an ordinary noun."""
        ...

    def telling(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """How much each piece says about what a text is about: its weight, and nothing for a number."""
        ...

    def likeness(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.float32]:
        """The cosine of each of our pieces (a row) with each of theirs (a column)."""
        ...


class Call(Struct, frozen=True, kw_only=True):
    """A tool call that the model requests."""

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
    """A tool as it is described to the model; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Reply(Struct, frozen=True, kw_only=True):
    """The answer of a model: text, tool calls, or both."""

    text: str
    calls: tuple[Call, ...] = ()
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class LLM(Protocol):
    """A language model. It raises `ModelUnavailable` when the model does not answer."""

    @property
    def model(self) -> str:
        """The name of the model."""
        ...

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Reply:
        """The answer to a conversation."""
        ...

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer to a conversation, piece by piece as the model generates it."""
        ...


class Reranker(Protocol):
    """Scores texts by reading each together with the question. It raises `ModelUnavailable` when the model does not
    answer."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """How well each text answers the question, on any scale; higher is better."""
        ...


class Summarizer(Protocol):
    """Summarises several texts in one. It raises `ModelUnavailable` when its model does not answer."""

    @property
    def id(self) -> str:
        """The name and version of the summariser."""
        ...

    def summarise(self, texts: Sequence[str], characters: int) -> str:
        """One text of at most about `characters` characters."""
        ...


class Extractive:
    """Summarises by selecting whole sentences, without a model and without inventing anything."""

    id = EXTRACTIVE

    def summarise(self, texts: Sequence[str], characters: int) -> str:
        """The sentences that best represent the texts."""
        return summary(texts, characters)


class TokenCounter(Protocol):
    """Counts the tokens of a text. A budget is measured with the counter that was asked for."""

    @property
    def name(self) -> str:
        """The name of the tokenizer."""
        ...

    def count(self, text: str) -> int:
        """The number of tokens in the text."""
        ...
