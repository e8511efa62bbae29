"""A capability for agents of Pydantic AI that recalls, remembers, and lets the model search."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import FunctionToolset

from foveal.engine.memory import View
from foveal.integrations.errors import raised_as
from foveal.rules.rendering import indented

# What the tool leaves out: a model reads all that it is given.
LEAST = 0.02


@dataclass
class FovealMemory(AbstractCapability[Any]):
    """The memory of an agent: `Agent(…, capabilities=[FovealMemory(memory)])`.

    What the memory knows about a prompt stands before it in the request, within `token_budget` tokens and marked as
    data, and not in the message history. After a run what the user and the agent said is remembered, with the facts
    that the user stated. The model can look for more with the tool `search_memory`; `k` is how many it finds.
    """

    memory: View
    _: KW_ONLY
    token_budget: int = 1024
    k: int = 5

    def get_toolset(self) -> FunctionToolset[Any]:
        """The tool with which the model searches the memory."""

        async def search_memory(query: str) -> str:
            """Search the long-term memory for what is known about a question.

            Args:
                query: The question, in plain words.
            """
            with raised_as(ModelRetry):
                hits = await asyncio.to_thread(self.memory.search, query, k=self.k, min_relevance=LEAST)
            lines = [f"- {hit.record.occurred_at:%Y-%m-%d}: {indented(hit.record.text)}" for hit in hits]
            return "\n".join(lines) or "Nothing relevant is known."

        return FunctionToolset([search_memory])

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put what is known before the latest prompt of the user, in this request only."""
        messages = list(request_context.messages)
        place = next((n for n in reversed(range(len(messages))) if _prompts(messages[n])), None)
        if place is None:
            return request_context
        query = "\n".join(_prompts(messages[place]))
        with raised_as(UserError):
            context = await asyncio.to_thread(self.memory.read, query, token_budget=self.token_budget)
        if context.receipt.nothing_relevant or not context.text:
            return request_context
        recalled = ModelRequest(parts=[UserPromptPart(content=context.text)])
        return replace(request_context, messages=[*messages[:place], recalled, *messages[place:]])

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Remember what was said in the run, in the session that the conversation is."""
        turns = list(_turns(result.new_messages()))
        if turns:
            with raised_as(UserError):
                await asyncio.to_thread(self.memory.remember, turns, session_id=ctx.conversation_id)
        return result


def _turns(messages: Iterable[ModelMessage]) -> Iterable[dict[str, str]]:
    for message in messages:
        if isinstance(message, ModelResponse):
            said = "\n".join(part.content for part in message.parts if isinstance(part, TextPart))
            turns = [said] if said.strip() else []
        else:
            turns = _prompts(message)
        role = "assistant" if isinstance(message, ModelResponse) else "user"
        yield from ({"role": role, "content": turn} for turn in turns)


def _prompts(message: ModelMessage) -> list[str]:
    """What the user said in a message, without images and files."""
    if not isinstance(message, ModelRequest):
        return []
    parts = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
    texts = [
        content if isinstance(content, str) else "\n".join(piece for piece in content if isinstance(piece, str))
        for content in parts
    ]
    return [text for text in texts if text.strip()]
