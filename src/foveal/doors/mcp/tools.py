"""Tools, their short answers, and on whose behalf they act."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from foveal.doors.service import Caller, Service
from foveal.errors import Invalid
from foveal.model.query import At
from foveal.model.record import Record
from foveal.model.results import Context, Forgotten, Hit, Page, Written
from foveal.model.server import Right
from foveal.rules.addresses import path_of
from foveal.rules.drafts import require_known
from foveal.rules.text import gist
from foveal.wire.codec import Schema, from_json, object_of, to_json
from foveal.wire.shapes import Anything, Boolean, Field, Integer, ListOf, MapOf, Number, Shape, Text
from foveal.wire.verbs import VERBS

SCHEME = "memory://"
# How many characters of a text a list shows.
SHOWN = 600

NOTHING = "Nothing found: memory holds nothing that is likely to help with this."
NOTHING_RELEVANT = "Nothing found that is likely to help. What follows has another reason, such as being recent:"
# No counter of tokens needs more than this for the line.
SAYING_SO = 40

Brief = dict[str, Any]


def uri_of(record: Record) -> str:
    """The URI of a record: its address as a path, behind the scheme."""
    return SCHEME + path_of(record.address, record.id)


def short_record(record: Record) -> Brief:
    """A record in a list: what is empty is left out, and a long text is cut."""
    text = record.text if len(record.text) <= SHOWN else gist(record.text, SHOWN)
    told: Brief = {
        "id": record.id,
        "text": text,
        "at": record.occurred_at.isoformat(timespec="seconds"),
        "kind": record.kind,
        "by": record.speaker or record.source,
        "tags": list(record.tags),
        "version": record.version if record.version > 1 else None,
        "pinned": record.vitals.pinned or None,
        "cut": len(record.text) > SHOWN or None,
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def short_hits(hits: list[Hit]) -> Brief:
    """What a search found, best first; what a later record seems to say anew names that one."""
    return {"records": [_found(one) for one in hits]}


def _found(hit: Hit) -> Brief:
    told = {**short_record(hit.record), "relevance": round(hit.relevance, 2)}
    return told if hit.replaced_by is None else {**told, "replaced_by": hit.replaced_by}


def short_records(records: list[Record]) -> Brief:
    """Records with all that a model may want to know of one."""
    return {"records": [_whole(one) for one in records]}


def _whole(record: Record) -> Brief:
    more: Brief = {
        "text": record.text,
        "cut": None,
        "uri": uri_of(record),
        "version": record.version,
        "tier": to_json(record.vitals.tier),
        "importance": round(record.vitals.importance, 3),
        "recorded_at": record.recorded_at.isoformat(timespec="seconds"),
        "superseded_at": to_json(record.superseded_at),
        "valid_to": to_json(record.valid_to),
        "session_id": record.session_id,
        "parent_id": record.parent_id,
        "metadata": to_json(record.metadata) or None,
    }
    return {name: value for name, value in {**short_record(record), **more}.items() if value is not None}


def short_page(one: Page) -> Brief:
    """A page of a timeline, with the cursor to the next."""
    told: Brief = {"records": [short_record(record) for record in one.records]}
    return told if one.cursor is None else {**told, "cursor": one.cursor}


def short_context(one: Context) -> Brief:
    """A context: its text, what it took, the ids to ask further with, and whether nothing in it is relevant."""
    return {
        "text": one.text,
        "tokens": one.tokens,
        "ids": [item.id for item in one.items],
        "left_out": len(one.receipt.cut),
        "nothing_relevant": one.receipt.nothing_relevant,
    }


def worded(answer: Any, told: Brief) -> str:
    """What a model reads of an answer: a context as it stands, anything else as JSON, nothing in words."""
    match answer:
        case Context():
            return known(answer) or NOTHING
        case []:
            return NOTHING
        case _:
            return json.dumps(told, ensure_ascii=False)


def known(one: Context) -> str:
    """The text of a context. If nothing in it is relevant, that is said above it, as long as there is room."""
    receipt = one.receipt
    says_so = receipt.nothing_relevant and one.text and one.tokens + SAYING_SO <= receipt.token_budget
    return f"{NOTHING_RELEVANT}\n{one.text}" if says_so else one.text


def short_written(one: Written) -> Brief:
    """What became of a text: stored, or known already."""
    return {"id": one.id, "stored": not (one.duplicates or one.echoes)}


def version(record: Record) -> Brief:
    """A record that was changed."""
    return {"id": record.id, "version": record.version, "pinned": record.vitals.pinned}


def short_forgotten(one: Forgotten) -> Brief:
    """What was forgotten, what is pinned and stayed, and the move that `foveal undo` takes back."""
    told: Brief = {"ids": list(one.ids), "pinned": list(one.pinned)}
    return told if one.move is None else {**told, "undo": one.move}


def invoked(answer: Any) -> Brief:
    """What a path answered."""
    return to_json(answer)


# What a server is started with, or the address of a client's configuration says. No tool has these arguments.
VIEWPOINT = ("actor_id", "world", "node", "session_id")
DEFAULT_ACTOR = "me"


class Principal(Struct, frozen=True, kw_only=True):
    """For whom a server answers: what the caller may, and the viewpoint, which nothing a model says can change."""

    caller: Caller
    at: Mapping[str, str]

    def ask(self, service: Service, verb: str, given: Mapping[str, Any]) -> Any:
        """What a verb answers from this viewpoint. It blocks."""
        # The viewpoint comes last: it wins over anything of the same name.
        return service.answer(verb, {**given, **self.at}, self.caller, door="mcp")

    def may(self, verb: str) -> bool:
        """Whether the caller may use a verb at all."""
        allowed = self.caller.verbs
        return VERBS[verb].right in self.caller.rights and (allowed is None or verb in allowed)


def own_principal(at: Mapping[str, str], *, read_only: bool = False) -> Principal:
    """The seat of a server that one client starts for one actor.

    >>> own_principal({"actor_id": "ada", "world": "home"}, read_only=True).may("write")
    False
    """
    caller = Caller(
        name="mcp",
        worlds=(at["world"],),
        actors=(at["actor_id"],),
        rights=(Right.READ,) if read_only else (Right.READ, Right.WRITE),
    )
    return Principal(caller=caller, at=dict(at))


def asked_principal(caller: Caller, said: Mapping[str, str]) -> Principal:
    """The seat of one request: of a caller, with the viewpoint that the query of its URL says.

    >>> asked_principal(Caller(name="k", actors=("ada",)), {"node": "/planner"}).at
    {'node': '/planner', 'actor_id': 'ada'}
    """
    unknown = [name for name in said if name not in VIEWPOINT]
    if unknown:
        raise Invalid(f"the URL of MCP has no {unknown[0]!r}: it may say {', '.join(VIEWPOINT)}")
    at = dict(said)
    if "actor_id" not in at and (caller.actors is None or len(caller.actors) == 1):
        at["actor_id"] = DEFAULT_ACTOR if caller.actors is None else caller.actors[0]
    return Principal(caller=caller, at=at)


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
    tell: Callable[[Any], Brief]
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
        require_known(said, frozenset(known))
        missing = [one.name for one in self.fields if one.required and one.name not in said]
        if missing:
            raise Invalid(f"{self.name} needs {', '.join(missing)}", missing=missing)
        # Models like to say null for what they do not want to say.
        given = {name: from_json(known[name].shape, one, name) for name, one in said.items() if one is not None}
        given |= {name: moment(given[name], name) for name in MOMENTS if name in given}
        if given.get("limit", 1) > MOST:
            raise Invalid(
                f"limit must be at most {MOST}: ask for the next ones with a cursor or a narrower question"
            )
        return self.ask(given)


def _needed(name: str, told: str = "", shape: Shape | None = None) -> Field:
    return Field(name=name, shape=shape or Text(), required=True, description=told)


def _may(name: str, told: str = "", shape: Shape | None = None, default: Any = None) -> Field:
    return Field(name=name, shape=shape or Text(), required=False, description=told, default=default)


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


def _records(answer: Record | list[Record]) -> Brief:
    return short_records(answer if isinstance(answer, list) else [answer])


_STRING, _WHOLE, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_STRINGS = {"type": "array", "items": _STRING}
_RECORD = {"type": "object", "properties": {"id": _STRING, "text": _STRING, "at": _STRING}}
_LIST = {"type": "array", "items": _RECORD}
_ID = _needed("id")
_SINCE = _may("since", "ISO 8601")
_UNTIL = _may("until")
_KINDS = _may("kinds", shape=ListOf(Text()))
_TAGS = _may("tags", shape=ListOf(Text()))

TOOLS = (
    Tool(
        name="memory_context",
        told="Recall what is known about a question or task, as one text within a token budget. Call it first.",
        fields=(_needed("query"), _may("token_budget", shape=Integer(), default=2048)),
        ask=lambda said: ("read", dict(said)),
        tell=short_context,
        answers={"text": _STRING, "tokens": _WHOLE, "ids": _STRINGS, "left_out": _WHOLE, "nothing_relevant": _FLAG},
    ),
    Tool(
        name="memory_search",
        told="Find single memories, best first, with their relevance from 0 to 1; none if none is likely to help. "
        "Long texts are cut; memory_get has them whole.",
        fields=(
            _needed("query"),
            _may("limit", shape=Integer(), default=10),
            _KINDS,
            _may("tags", "any of", shape=ListOf(Text())),
            _SINCE,
            _UNTIL,
            _may("as_of", "what was known then"),
        ),
        ask=_search,
        tell=short_hits,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_timeline",
        told="List memories by time, newest first.",
        fields=(
            _SINCE,
            _UNTIL,
            _KINDS,
            _may("limit", shape=Integer(), default=20),
            _may("newest_first", shape=Boolean(), default=True),
            _may("cursor", "from the page before"),
        ),
        ask=_timeline,
        tell=short_page,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_get",
        told="Get one memory whole, or with history all its versions, oldest first.",
        fields=(_ID, _may("history", shape=Boolean(), default=False)),
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
            _may("pin", "never forget it", shape=Boolean(), default=False),
        ),
        ask=_add,
        tell=short_written,
        answers={"id": _STRING, "stored": _FLAG},
    ),
    Tool(
        name="memory_update",
        told="Correct a memory, or tell that it changed: adds a version, the old one stays in its history.",
        fields=(_ID, _needed("text"), _may("expected_version", "fail if it changed since", shape=Integer())),
        ask=_update,
        tell=version,
        answers={"id": _STRING, "version": _WHOLE},
    ),
    Tool(
        name="memory_pin",
        told="Keep a memory from being forgotten and from fading; pinned=false lets it go again.",
        fields=(_ID, _may("pinned", shape=Boolean(), default=True)),
        ask=_pin,
        tell=version,
        answers={"id": _STRING, "pinned": _FLAG},
        repeatable=True,
    ),
    Tool(
        name="memory_forget",
        told="Take memories out of sight. Only when asked to, or when they are wrong and not to be corrected.",
        fields=(_needed("ids", shape=ListOf(Text())),),
        ask=_forget,
        tell=short_forgotten,
        answers={"ids": _STRINGS, "pinned": _STRINGS},
        destroys=True,
        repeatable=True,
    ),
    Tool(
        name="memory_invoke",
        told="Do what a path names, like self.memory.crystallize or self.memory.resume. A wrong one lists them.",
        fields=(_needed("path"), _may("arguments", shape=MapOf(Anything()))),
        ask=_invoke,
        tell=invoked,
        answers={},
        destroys=True,
    ),
)
BY_NAME = {one.name: one for one in TOOLS}
