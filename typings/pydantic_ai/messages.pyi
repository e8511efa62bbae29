from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

@dataclass
class TextPart:
    content: str

@dataclass
class UserPromptPart:
    content: str | Sequence[Any]

@dataclass
class ModelRequest:
    parts: Sequence[Any]

@dataclass
class ModelResponse:
    parts: Sequence[Any]

ModelMessage = ModelRequest | ModelResponse
