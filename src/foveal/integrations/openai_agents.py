"""Sessions and a memory tool for the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

from agents import FunctionTool, TResponseInputItem, function_tool
from agents.memory import SessionSettings

from foveal.doors.client import RemoteMemory
from foveal.engine.memory import View
from foveal.errors import Invalid
from foveal.integrations.errors import raised_as
from foveal.model.record import Record
from foveal.rules.messages import from_openai

KIND = "message"
# A larger item is stored as the text of its record instead of in its metadata.
LARGE, PAGE = 60_000, 200
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
        self._memory = memory.view(session_id=session_id)
        self._where = {"session_id": session_id, "kind": KIND}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest `limit` items, oldest first; all of them if neither this nor the settings name a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await asyncio.to_thread(self._latest, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items to the end: all of them or, after an error, none."""
        if items:
            await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it; None if there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Remove all items."""
        await asyncio.to_thread(self._memory.forget, self._where)

    def _latest(self, limit: int | None) -> list[TResponseInputItem]:
        newest = self._newest_first()
        records = list(newest if limit is None or limit < 0 else islice(newest, limit))
        return [_item(record) for record in reversed(records)]

    def _newest_first(self) -> Iterator[Record]:
        cursor: str | None = None
        while True:
            page = self._memory.page(filters=self._where, limit=PAGE, cursor=cursor)
            yield from page.records
            cursor = page.cursor
            if cursor is None:
                return

    def _add(self, items: list[TResponseInputItem]) -> None:
        with raised_as(ValueError):
            written = self._memory.write_many([_entry(cast(Mapping[str, Any], item)) for item in items])
            if written.rejected:
                self._memory.forget(list(written.ids), hard=True)
                first = written.rejected[0]
                raise Invalid(f"item {first.index}: {first.message}")

    def _pop(self) -> TResponseInputItem | None:
        newest = next(self._newest_first(), None)
        if newest is None:
            return None
        self._memory.forget(newest.id)
        return _item(newest)


def search_tool(memory: View | RemoteMemory, *, k: int = 5) -> FunctionTool:
    """A tool `search_memory` with which an agent finds what was said in all sessions of this memory."""

    @function_tool
    async def search_memory(query: str) -> str:
        """Search the long-term memory for what is known about a question.

        Args:
            query: The question, in plain words.
        """
        hits = await asyncio.to_thread(memory.search, query, k=k, min_relevance=LEAST)
        lines = [f"- {hit.record.occurred_at:%Y-%m-%d}: {hit.record.text}" for hit in hits]
        return "\n".join(lines) or "Nothing relevant is known."

    return search_memory


def _entry(item: Mapping[str, Any]) -> dict[str, Any]:
    """The record of an item: what it says as text, the item itself beside it."""
    try:
        stored = json.dumps(item, ensure_ascii=False)
    except TypeError as error:
        raise Invalid(f"an item is not JSON: {error}") from None
    entry: dict[str, Any] = {"kind": KIND, "metadata": {"item": item}}
    if len(stored) > LARGE:
        entry |= {"text": stored, "metadata": {"item": None}}
    else:
        entry["text"] = _said(item) or stored
    role = item.get("role") or ("tool" if item.get("type") == "function_call_output" else "assistant")
    return entry | {"speaker": str(role)}


def _said(item: Mapping[str, Any]) -> str:
    try:
        [turn] = from_openai([item])
    except Invalid:
        # Reasoning, searches and the like have no role.
        return ""
    calls = [f"called {call.name} with {call.arguments}" for call in turn.calls]
    return "\n".join([turn.content, *calls]).strip()


def _item(record: Record) -> TResponseInputItem:
    item = record.metadata["item"]
    return cast(TResponseInputItem, json.loads(record.text) if item is None else dict(item))
