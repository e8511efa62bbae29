"""Aims the OpenAI Agents SDK's own tests of its SQLite session at ours."""

from __future__ import annotations

from typing import Any

import agents

from foveal import Memory
from foveal.integrations.openai_agents import FovealSession

_MEMORIES: dict[str, Memory] = {}


class Aimed(FovealSession):
    """Our session with the constructor that the tests call: sessions of one path share a memory."""

    def __init__(self, session_id: str, db_path: Any = None, session_settings: Any = None) -> None:
        memory = Memory(":memory:") if db_path is None else _MEMORIES.setdefault(str(db_path), Memory(":memory:"))
        super().__init__(session_id, memory.view(actor_id="ada"), session_settings=session_settings)

    def close(self) -> None:
        """The memory is not the session's to close."""


agents.SQLiteSession = Aimed  # type: ignore[misc,assignment]  # pyright: ignore
