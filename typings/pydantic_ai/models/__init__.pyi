from dataclasses import dataclass

from pydantic_ai.messages import ModelMessage

@dataclass
class ModelRequestContext:
    messages: list[ModelMessage]
