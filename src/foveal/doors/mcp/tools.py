"""The tools: what each takes, which verb it asks, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from foveal.doors.mcp import brief
from foveal.errors import Invalid
from foveal.model.query import At
from foveal.model.record import Record
from foveal.rules.drafts import refuse_unknown
from foveal.wire.codec import Schema, built, object_of
from foveal.wire.shapes import Anything, Field, Flag, Listed, Named, Number, Shape, Text, Whole
from foveal.wire.verbs import VERBS

Said = Mapping[str, Any]
Asked = tuple[str, dict[str, Any]]

MOST = 100
MOMENTS = ("since", "until", "as_of", "occurred_at")


class Tool(Struct, frozen=True, kw_only=True):
    """A tool: its arguments, the verb that they ask, and how the answer is told.

    `destroys` and `repeatable` are for tools that change something: whether something is gone afterwards, and
    whether a second call changes nothing more.
    """

    name: str
    told: str
    fields: tuple[Field, ...]
    ask: Callable[[Said], Asked]
    tell: Callable[[Any], brief.Brief]
    answers: Mapping[str, Schema]
    destroys: bool = False
    repeatable: bool = False

    @property
    def verbs(self) -> tuple[str, ...]:
        """The verbs of the table that this tool is for."""
        return tuple(one.name for one in VERBS.values() if one.tool == self.name)

    @property
    def safe(self) -> bool:
        """Whether it changes nothing."""
        return all(VERBS[one].safe for one in self.verbs)

    @property
    def takes(self) -> Schema:
        """The schema of its arguments."""
        return object_of(self.fields)

    @property
    def gives(self) -> Schema:
        """The schema of its answer: the parts that are always there."""
        return {"type": "object", "properties": dict(self.answers), "required": list(self.answers)}

    def asked(self, said: Said) -> Asked:
        """The verb, and what to ask it; `Invalid` for arguments that do not fit."""
        known = {one.name: one for one in self.fields}
        refuse_unknown(said, frozenset(known))
        missing = [one.name for one in self.fields if one.required and one.name not in said]
        if missing:
            raise Invalid(f"{self.name} needs {', '.join(missing)}", missing=missing)
        # Models like to say null for what they do not want to say.
        given = {name: built(known[name].shape, one, name) for name, one in said.items() if one is not None}
        given |= {name: moment(given[name], name) for name in MOMENTS if name in given}
        if given.get("limit", 1) > MOST:
            raise Invalid(
                f"limit must be at most {MOST}: ask for the next ones with a cursor or a narrower question"
            )
        return self.ask(given)


def _needed(name: str, told: str = "", shape: Shape | None = None) -> Field:
    return Field(name=name, shape=shape or Text(), required=True, told=told)


def _may(name: str, told: str = "", shape: Shape | None = None, default: Any = None) -> Field:
    return Field(name=name, shape=shape or Text(), required=False, told=told, default=default)


def moment(text: str, name: str) -> str:
    """A moment as a model says it: a day is one, and without a time zone it is UTC.

    >>> moment("2026-03-01", "since")
    '2026-03-01T00:00:00+00:00'
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Invalid(f"{name} must be a moment in ISO 8601, such as 2026-03-01, not {text[:40]!r}") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()


def _when(said: Said) -> dict[str, Any]:
    """The conditions that a search has no keywords for."""
    span = {op: said[name] for name, op in (("since", "gte"), ("until", "lt")) if name in said}
    found = {"occurred_at": span} if span else {}
    return {**found, "tags": said["tags"]} if said.get("tags") else found


def _add(said: Said) -> Asked:
    # What a model noted stays tellable from what a person said.
    return "write", {**said, "source": "assistant"}


def _search(said: Said) -> Asked:
    kept = {name: said[name] for name in ("query", "kinds", "as_of") if said.get(name)}
    return "search", {**kept, "k": said.get("limit", 10), "filters": _when(said)}


def _get(said: Said) -> Asked:
    return "history" if said.get("history") else "get", {"record_id": said["id"]}


def _update(said: Said) -> Asked:
    rest = {name: value for name, value in said.items() if name != "id"}
    return "supersede", {"record_id": said["id"], **rest}


def _forget(said: Said) -> Asked:
    ids = said["ids"]
    if not ids:
        raise Invalid("ids is empty: say at least one")
    # One pinned id is an error that says so; of several, those that are pinned are reported.
    return "forget", {"target": ids[0] if len(ids) == 1 else ids}


def _pin(said: Said) -> Asked:
    return "pin" if said.get("pinned", True) else "unpin", {"record_id": said["id"]}


def _invoke(said: Said) -> Asked:
    arguments = said.get("arguments", {})
    refused = [name for name in (*At.__annotations__, "hard") if name in arguments]
    if refused:
        raise Invalid(f"{refused[0]} is not a model's to say: leave it out")
    return "invoke", {**arguments, "path": said["path"]}


def _timeline(said: Said) -> Asked:
    kept = {name: said[name] for name in ("since", "until", "cursor", "newest_first") if name in said}
    kinds = {"kind": said["kinds"]} if said.get("kinds") else {}
    return "page", {**kept, "limit": said.get("limit", 20), "filters": kinds}


def _records(answer: Record | list[Record]) -> brief.Brief:
    return brief.whole(answer if isinstance(answer, list) else [answer])


_STRING, _WHOLE, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_STRINGS = {"type": "array", "items": _STRING}
_RECORD = {"type": "object", "properties": {"id": _STRING, "text": _STRING, "at": _STRING}}
_LIST = {"type": "array", "items": _RECORD}
_ID = _needed("id")
_SINCE = _may("since", "ISO 8601")
_UNTIL = _may("until")
_KINDS = _may("kinds", shape=Listed(Text()))
_TAGS = _may("tags", shape=Listed(Text()))

TOOLS = (
    Tool(
        name="memory_context",
        told="Recall what is known about a question or task, as one text within a token budget. Call it first.",
        fields=(_needed("query"), _may("token_budget", shape=Whole(), default=2048)),
        ask=lambda said: ("read", dict(said)),
        tell=brief.context,
        answers={"text": _STRING, "tokens": _WHOLE, "ids": _STRINGS, "left_out": _WHOLE, "nothing_relevant": _FLAG},
    ),
    Tool(
        name="memory_search",
        told="Find single memories, best first, with their relevance from 0 to 1; none if none is likely to help. "
        "Long texts are cut; memory_get has them whole.",
        fields=(
            _needed("query"),
            _may("limit", shape=Whole(), default=10),
            _KINDS,
            _may("tags", "any of", shape=Listed(Text())),
            _SINCE,
            _UNTIL,
            _may("as_of", "what was known then"),
        ),
        ask=_search,
        tell=brief.found,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_timeline",
        told="List memories by time, newest first.",
        fields=(
            _SINCE,
            _UNTIL,
            _KINDS,
            _may("limit", shape=Whole(), default=20),
            _may("newest_first", shape=Flag(), default=True),
            _may("cursor", "from the page before"),
        ),
        ask=_timeline,
        tell=brief.page,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_get",
        told="Get one memory whole, or with history all its versions, oldest first.",
        fields=(_ID, _may("history", shape=Flag(), default=False)),
        ask=_get,
        tell=_records,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_add",
        told="Remember something that will matter later: a fact, preference, decision or event. "
        "One statement, clear on its own, with names and dates.",
        fields=(
            _needed("text"),
            _may("kind", "note, fact, decision, event, …"),
            _TAGS,
            _may("speaker", "who said it"),
            _may("importance", "0 to 1", shape=Number()),
            _may("occurred_at", "ISO 8601, else now"),
            _may("pin", "never forget it", shape=Flag(), default=False),
        ),
        ask=_add,
        tell=brief.written,
        answers={"id": _STRING, "stored": _FLAG},
    ),
    Tool(
        name="memory_update",
        told="Correct a memory, or tell that it changed: adds a version, the old one stays in its history.",
        fields=(_ID, _needed("text"), _may("expected_version", "fail if it changed since", shape=Whole())),
        ask=_update,
        tell=brief.version,
        answers={"id": _STRING, "version": _WHOLE},
    ),
    Tool(
        name="memory_pin",
        told="Keep a memory from being forgotten and from fading; pinned=false lets it go again.",
        fields=(_ID, _may("pinned", shape=Flag(), default=True)),
        ask=_pin,
        tell=brief.version,
        answers={"id": _STRING, "pinned": _FLAG},
        repeatable=True,
    ),
    Tool(
        name="memory_forget",
        told="Take memories out of sight. Only when asked to, or when they are wrong and not to be corrected.",
        fields=(_needed("ids", shape=Listed(Text())),),
        ask=_forget,
        tell=brief.forgotten,
        answers={"ids": _STRINGS, "pinned": _STRINGS},
        destroys=True,
        repeatable=True,
    ),
    Tool(
        name="memory_invoke",
        told="Do what a path names, like self.memory.crystallize or self.memory.resume. A wrong one lists them.",
        fields=(_needed("path"), _may("arguments", shape=Named(Anything()))),
        ask=_invoke,
        tell=brief.invoked,
        answers={},
        destroys=True,
    ),
)
BY_NAME = {one.name: one for one in TOOLS}
