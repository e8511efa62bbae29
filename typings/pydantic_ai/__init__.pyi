from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.run import AgentRunResult

D = TypeVar("D")

class ModelRetry(Exception):
    def __init__(self, message: str) -> None: ...

class RunContext(Generic[D]):
    prompt: Any
    conversation_id: str | None

class Agent:
    def __init__(
        self, model: Any, *, capabilities: Sequence[AbstractCapability[Any]] = ..., **options: Any
    ) -> None: ...
    def run_sync(self, prompt: str, **options: Any) -> AgentRunResult[Any]: ...
