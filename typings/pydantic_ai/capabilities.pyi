from typing import Any, Generic, TypeVar

from pydantic_ai import RunContext
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import FunctionToolset

D = TypeVar("D")

class AbstractCapability(Generic[D]):
    def get_toolset(self) -> FunctionToolset[D] | None: ...
    async def before_model_request(
        self, ctx: RunContext[D], request_context: ModelRequestContext
    ) -> ModelRequestContext: ...
    async def after_run(self, ctx: RunContext[D], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]: ...
