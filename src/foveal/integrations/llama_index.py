"""A memory block for LlamaIndex."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock

from foveal.engine.memory import View
from foveal.integrations.errors import raised_as

_SAID = ("user", "assistant")


class FovealMemoryBlock(BaseMemoryBlock[str]):
    """What a memory knows about the latest message: `Memory.from_defaults(memory_blocks=[FovealMemoryBlock(…)])`.

    It gives a text of at most `token_budget` tokens, marked as data. It remembers every message that it is shown,
    each once, and not only those that fall out of the short-term memory, so a short session is remembered too.
    """

    name: str = "foveal"
    description: str | None = "What is known from earlier conversations."
    memory: View
    token_budget: int = 1024

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        shown = _told(messages or [], block_kwargs.get("session_id"))
        query = next((turn["text"] for turn in reversed(shown) if turn["source"] == "user"), None)
        if query is None:
            return ""
        return await asyncio.to_thread(self._recalled, query, shown)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        session = next((message.additional_kwargs.get("session_id") for message in messages), None)
        await asyncio.to_thread(self._remember, _told(messages, session))

    def _recalled(self, query: str, shown: Sequence[dict[str, Any]]) -> str:
        # The model sees these messages anyway.
        others = {"not": {"id": {"in": [turn["id"] for turn in shown]}}}
        with raised_as(ValueError):
            context = self.memory.read(query, token_budget=self.token_budget, filters=others)
        self._remember(shown)
        return "" if context.receipt.nothing_relevant else context.text

    def _remember(self, turns: Sequence[dict[str, Any]]) -> None:
        with raised_as(ValueError):
            ids = [turn["id"] for turn in turns]
            known = {record.id for record in self.memory.get_many(ids, touch=False)} if ids else set[str]()
            fresh = [turn for turn in turns if turn["id"] not in known]
            if fresh:
                self.memory.remember(fresh)


def _told(messages: Sequence[ChatMessage], session: str | None) -> list[dict[str, Any]]:
    """What people and models said. A message has the same id however often it is shown."""
    turns: list[dict[str, Any]] = []
    times = Counter[tuple[str, str]]()
    for message in messages:
        role, text = message.role.value, (message.content or "").strip()
        if role not in _SAID or not text:
            continue
        times[role, text] += 1
        key = f"{session}\n{role}\n{times[role, text]}\n{text}"
        record_id = f"chat-{blake2b(key.encode(), digest_size=16).hexdigest()}"
        turns.append({"id": record_id, "text": text, "source": role, "session_id": session})
    return turns
