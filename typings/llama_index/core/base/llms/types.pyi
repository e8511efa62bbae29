from enum import StrEnum
from typing import Any

class MessageRole(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"

class ChatMessage:
    role: MessageRole
    additional_kwargs: dict[str, Any]
    def __init__(self, content: str = ..., *, role: str | MessageRole = ...) -> None: ...
    @property
    def content(self) -> str | None: ...
