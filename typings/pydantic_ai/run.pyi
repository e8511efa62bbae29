from typing import Generic, TypeVar

from pydantic_ai.messages import ModelMessage

O = TypeVar("O")

class AgentRunResult(Generic[O]):
    output: O
    def new_messages(self) -> list[ModelMessage]: ...
