"""A language model that answers messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct


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
