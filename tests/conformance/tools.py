"""The tools of MCP in the place of a facade: each verb is one call of one tool, through a real client session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from types import SimpleNamespace, TracebackType
from typing import Any, Self

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client

from foveal.doors.mcp.server import META
from foveal.wire.problems import raised

At = dict[str, str]
Told = Mapping[str, Any]


class Line:
    """Client sessions, one a viewpoint, in a thread with an event loop of its own."""

    def __init__(self, client: Callable[[At], Client]) -> None:
        self._client = client
        self._open: dict[tuple[tuple[str, str], ...], Client] = {}
        self._ending = ExitStack()

    def use(self, at: At, tool: str, said: Told) -> dict[str, Any]:
        """What a tool answers; its error is of the class that was raised behind the door."""
        session = self._session(at)
        result = self._portal.call(session.call_tool, tool, dict(said))
        if result.is_error:
            # A model reads the words; a program finds the whole problem beside them.
            raise raised((result.meta or {})[META])
        return result.structured_content or {}

    def _session(self, at: At) -> Client:
        key = tuple(sorted(at.items()))
        if key not in self._open:
            context = self._portal.wrap_async_context_manager(self._client(at))
            self._open[key] = self._ending.enter_context(context)
        return self._open[key]

    def __enter__(self) -> Self:
        self._portal: BlockingPortal = self._ending.enter_context(start_blocking_portal())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.close()


class Tools:
    """The verbs that tools have, with the arguments that tools take; what a tool does not say is not made up."""

    def __init__(self, line: Line, at: At) -> None:
        self._line, self._at = line, at

    def view(self, **at: str) -> Tools:
        """Another server, or another URL: whose memory it is cannot be said to a tool."""
        return Tools(self._line, {**self._at, **at})

    def _use(self, tool: str, **said: Any) -> dict[str, Any]:
        return self._line.use(self._at, tool, said)

    def write(self, text: str, **said: Any) -> Any:
        return SimpleNamespace(**self._use("memory_add", text=text, **said))

    def get(self, record_id: str) -> Any:
        [one] = self._use("memory_get", id=record_id)["records"]
        return _record(one)

    def history(self, record_id: str) -> Any:
        return [_record(one) for one in self._use("memory_get", id=record_id, history=True)["records"]]

    def supersede(self, record_id: str, text: str, **said: Any) -> Any:
        return _record(self._use("memory_update", id=record_id, text=text, **said))

    def pin(self, record_id: str) -> Any:
        return _record(self._use("memory_pin", id=record_id))

    def unpin(self, record_id: str) -> Any:
        return _record(self._use("memory_pin", id=record_id, pinned=False))

    def forget(self, target: str | Sequence[str]) -> Any:
        done = self._use("memory_forget", ids=[target] if isinstance(target, str) else list(target))
        return SimpleNamespace(ids=tuple(done["ids"]), pinned=tuple(done["pinned"]))

    def search(self, query: str, *, k: int = 10, filters: Told | None = None, **said: Any) -> Any:
        names = {"gte": "since", "lt": "until"}
        when = {names[op]: value for op, value in (filters or {}).get("occurred_at", {}).items()}
        tags = {"tags": filters["tags"]} if filters and "tags" in filters else {}
        given = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in said.items()}
        told = self._use("memory_search", query=query, limit=k, **given, **when, **tags)
        return [_record(one) for one in told["records"]]

    def read(self, query: str, *, token_budget: int) -> Any:
        told = self._use("memory_context", query=query, token_budget=token_budget)
        return SimpleNamespace(text=told["text"], tokens=told["tokens"], items=told["ids"])

    def page(self, **said: Any) -> Any:
        told = self._use("memory_timeline", **{name: one for name, one in said.items() if one is not None})
        return SimpleNamespace(records=tuple(_record(one) for one in told["records"]), cursor=told.get("cursor"))

    @property
    def browse(self) -> Tools:
        """Tools have no groups: the verbs of this one are here."""
        return self

    def invoke(self, path: str, **arguments: Any) -> Any:
        return self._use("memory_invoke", path=path, arguments=arguments)


def _record(told: Told) -> Any:
    """A record as far as a tool tells of it; in lists, what is empty is left out."""
    at = told.get("at")
    return SimpleNamespace(
        id=told["id"],
        text=told.get("text"),
        kind=told.get("kind"),
        tags=tuple(told.get("tags", ())),
        speaker=told.get("by"),
        version=told.get("version", 1),
        occurred_at=None if at is None else datetime.fromisoformat(at),
        vitals=SimpleNamespace(pinned=told.get("pinned", False), importance=told.get("importance")),
    )
