"""Sessions and a memory tool for the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from agents import FunctionTool, TResponseInputItem, function_tool
from agents.memory import SessionSettings

from foveal.doors.client import RemoteMemory
from foveal.engine.memory import View
from foveal.errors import Invalid
from foveal.integrations.errors import raised_as
from foveal.integrations.transcripts import Line, Transcript
from foveal.rules.messages import from_openai
from foveal.rules.rendering import indented

# What the tool leaves out: a model reads all that it is given.
LEAST = 0.02


class FovealSession:
    """A session of the OpenAI Agents SDK whose items are records of a memory.

    What was said in one session can be found from the next with `search_tool`. Items that are removed, by
    `pop_item` or `clear_session`, are forgotten: hidden, but in the journal until they are erased.
    """

    def __init__(
        self,
        session_id: str,
        memory: View | RemoteMemory,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = SessionSettings().resolve(session_settings)
        self._transcript = Transcript(memory, session_id, "openai")

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest `limit` items, oldest first; all of them if neither this nor the settings name a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        most = None if limit is None or limit < 0 else limit
        return cast(list[TResponseInputItem], await asyncio.to_thread(self._transcript.latest, most))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items to the end: all of them or, after an error, none."""
        with raised_as(ValueError):
            lines = [_line(cast(Mapping[str, Any], item)) for item in items]
            await asyncio.to_thread(self._transcript.add, lines)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it; None if there is none."""
        return cast(TResponseInputItem | None, await asyncio.to_thread(self._transcript.pop))

    async def clear_session(self) -> None:
        """Remove all items."""
        await asyncio.to_thread(self._transcript.clear)


def search_tool(memory: View | RemoteMemory, *, k: int = 5) -> FunctionTool:
    """A tool `search_memory` with which an agent finds what was said in all sessions of this memory."""

    @function_tool
    async def search_memory(query: str) -> str:
        """Search the long-term memory for what is known about a question.

        Args:
            query: The question, in plain words.
        """
        hits = await asyncio.to_thread(memory.search, query, k=k, min_relevance=LEAST)
        lines = [f"- {hit.record.occurred_at:%Y-%m-%d}: {indented(hit.record.text)}" for hit in hits]
        return "\n".join(lines) or "Nothing relevant is known."

    return search_memory


def _line(item: Mapping[str, Any]) -> Line:
    role = item.get("role") or ("tool" if item.get("type") == "function_call_output" else "assistant")
    return Line(item, _said(item), str(role))


def _said(item: Mapping[str, Any]) -> str:
    try:
        [turn] = from_openai([item])
    except Invalid:
        # Reasoning, searches and the like have no role.
        return ""
    calls = [f"called {call.name} with {call.arguments}" for call in turn.calls]
    return "\n".join([turn.content, *calls]).strip()
