"""The MCP tools, their short answers, and the principal they act for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from foveal.config import DEFAULT_ACTOR
from foveal.doors.service import Caller, Service
from foveal.doors.service.service import INVOKE
from foveal.engine.paths import CALLS
from foveal.errors import Invalid
from foveal.model.query import At
from foveal.model.record import Record
from foveal.model.results import Context, Forgotten, Hit, Page, Written
from foveal.model.server import Right
from foveal.rules.addresses import path_of
from foveal.rules.drafts import require_known
from foveal.rules.text import gist
from foveal.wire.calls import call_of
from foveal.wire.codec import Schema, flattened, from_json, object_of, to_json
from foveal.wire.shapes import Anything, Boolean, Field, Integer, ListOf, MapOf, Number, Shape, Text
from foveal.wire.verbs import VERBS, WORK

SCHEME = "memory://"
# How many characters of each text a list shows.
SHOWN = 600

NOTHING = "Nothing found: memory holds nothing that is likely to help with this."
NOTHING_RELEVANT = "Nothing found that is likely to help. What follows has another reason, such as being recent:"
# An upper bound for the tokens of that line, with any counter.
SAYING_SO = 40

Brief = dict[str, Any]


def uri_of(record: Record) -> str:
    """The URI of a record: the scheme and its address as a path."""
    return SCHEME + path_of(record.address, record.id)


def short_record(record: Record) -> Brief:
    """A record for a list: empty fields are left out, and a long text is cut."""
    text = record.text if len(record.text) <= SHOWN else gist(record.text, SHOWN)
    brief: Brief = {
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
    return {name: value for name, value in brief.items() if value not in (None, [])}


def short_hits(hits: list[Hit]) -> Brief:
    """The hits of a search, best first; a hit that a later record seems to replace names that record."""
    return {"records": [_short_hit(hit) for hit in hits]}


def _short_hit(hit: Hit) -> Brief:
    brief = {**short_record(hit.record), "relevance": round(hit.relevance, 2)}
    return brief if hit.replaced_by is None else {**brief, "replaced_by": hit.replaced_by}


def short_records(records: list[Record]) -> Brief:
    """Records with their whole text and every field that a model may need."""
    return {"records": [_whole(record) for record in records]}


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
        "metadata": flattened(record.metadata) or None,
    }
    return {name: value for name, value in {**short_record(record), **more}.items() if value is not None}


def short_page(page: Page) -> Brief:
    """A page of a timeline, with the cursor to the next."""
    brief: Brief = {"records": [short_record(record) for record in page.records]}
    return brief if page.cursor is None else {**brief, "cursor": page.cursor}


def short_context(context: Context) -> Brief:
    """A context: its text, its tokens, the ids of its items, and whether nothing in it is relevant."""
    return {
        "text": context.text,
        "tokens": context.tokens,
        "ids": [item.id for item in context.items],
        "left_out": len(context.receipt.cut),
        "nothing_relevant": context.receipt.nothing_relevant,
    }


def worded(answer: Any, brief: Brief) -> str:
    """An answer as text for a model: a context as it is, an empty list as a sentence, anything else as JSON."""
    match answer:
        case Context():
            return known(answer) or NOTHING
        case []:
            return NOTHING
        case _:
            return json.dumps(brief, ensure_ascii=False)


def known(context: Context) -> str:
    """The text of a context. If nothing in it is relevant, a line above says so, as long as it fits the budget."""
    receipt = context.receipt
    says_so = receipt.nothing_relevant and context.text and context.tokens + SAYING_SO <= receipt.token_budget
    return f"{NOTHING_RELEVANT}\n{context.text}" if says_so else context.text


def short_written(written: Written) -> Brief:
    """The id of a written text, and whether it was stored or known already."""
    return {"id": written.id, "stored": not (written.duplicates or written.echoes)}


def version(record: Record) -> Brief:
    """A record that was changed."""
    return {"id": record.id, "version": record.version, "pinned": record.vitals.pinned}


def short_forgotten(forgotten: Forgotten) -> Brief:
    """The forgotten ids, the pinned ones that were kept, and the move for `foveal undo`."""
    brief: Brief = {"ids": list(forgotten.ids), "pinned": list(forgotten.pinned)}
    return brief if forgotten.move is None else {**brief, "undo": forgotten.move}


def invoked(answer: Any) -> Brief:
    """The answer of a path, as JSON."""
    return to_json(answer)


# The sets of tools that a server can have.
MEMORY, GRAPH = "memory", "graph"


def checked_tools(tools: str) -> str:
    """The name of a set of tools.

    >>> checked_tools("graph")
    'graph'
    """
    if tools not in (MEMORY, GRAPH):
        raise Invalid(f"there are no tools {tools[:40]!r}: use {MEMORY} or {GRAPH}")
    return tools


# Set when a server is started, or in the URL of a client's configuration. No tool has these arguments.
VIEWPOINT = ("actor_id", "world", "node", "session_id")


class Principal(Struct, frozen=True, kw_only=True):
    """Whom a server acts for: the caller's rights, and a viewpoint that a model cannot change."""

    caller: Caller
    at: Mapping[str, str]

    def ask(self, service: Service, verb: str, arguments: Mapping[str, Any]) -> Any:
        """Call a verb from this viewpoint and return its answer. It blocks."""
        # The viewpoint comes last, so that it overrides arguments of the same name.
        return service.answer(verb, {**arguments, **self.at}, self.caller, door="mcp")

    def may(self, verb: str) -> bool:
        """Whether the caller may use a verb at all; `invoke`, if it may use a path that changes something."""
        if verb != INVOKE:
            return self.caller.may(verb)
        called = {name for names in CALLS.values() for name in names}
        return any(self.caller.may(name) for name in called if not VERBS[name].safe)


def own_principal(at: Mapping[str, str], *, read_only: bool = False) -> Principal:
    """The principal of a server that one client starts for one actor.

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


def asked_principal(caller: Caller, query: Mapping[str, str]) -> Principal:
    """The principal of one request: its caller, with the viewpoint from the query of the URL.

    >>> asked_principal(Caller(name="k", actors=("ada",)), {"node": "/planner"}).at
    {'node': '/planner', 'actor_id': 'ada'}
    """
    unknown = [name for name in query if name not in VIEWPOINT]
    if unknown:
        raise Invalid(f"the URL of MCP has no {unknown[0]!r}: use {', '.join(VIEWPOINT)} or tools")
    at = dict(query)
    if "actor_id" not in at and caller.actors is not None and len(caller.actors) == 1:
        at["actor_id"] = caller.actors[0]
    elif "actor_id" not in at and caller.actors is None and not caller.subject:
        at["actor_id"] = DEFAULT_ACTOR
    if "actor_id" not in at:
        raise Invalid("this key may speak for several actors: say for which, with ?actor_id=… in the URL of MCP")
    return Principal(caller=caller, at=at)


Arguments = Mapping[str, Any]
VerbCall = tuple[str, dict[str, Any]]

MOST = 100
MOMENTS = ("since", "until", "as_of", "occurred_at")


class Tool(Struct, frozen=True, kw_only=True):
    """A tool: its arguments, the verb that it calls, and how it shortens the answer.

    `destroys` and `repeatable` describe tools that write: whether they remove something, and whether a second call
    changes nothing more.
    """

    name: str
    description: str
    fields: tuple[Field, ...]
    ask: Callable[[Arguments], VerbCall]
    tell: Callable[[Any], Brief]
    answers: Mapping[str, Schema]
    destroys: bool = False
    repeatable: bool = False

    @property
    def verbs(self) -> tuple[str, ...]:
        """The verbs that this tool calls."""
        return tuple(verb.name for verb in VERBS.values() if verb.tool == self.name)

    @property
    def safe(self) -> bool:
        """Whether it changes nothing."""
        return all(VERBS[verb].safe for verb in self.verbs)

    @property
    def takes(self) -> Schema:
        """The schema of its arguments."""
        return object_of(self.fields)

    @property
    def gives(self) -> Schema:
        """The schema of its answer: the fields that are always present."""
        fields = {"properties": dict(self.answers), "required": list(self.answers)} if self.answers else {}
        return {"type": "object", **fields}

    def asked(self, given: Arguments) -> VerbCall:
        """The verb to call and its arguments; raises `Invalid` for arguments that do not fit."""
        fields = {field.name: field for field in self.fields}
        require_known(given, frozenset(fields))
        # Models often send null for arguments that they want to leave out.
        filled = {name: value for name, value in given.items() if value is not None}
        missing = [field.name for field in self.fields if field.required and field.name not in filled]
        if missing:
            raise Invalid(f"{self.name} needs {', '.join(missing)}", missing=missing)
        arguments = {name: from_json(fields[name].shape, value, name) for name, value in filled.items()}
        arguments |= {name: moment(arguments[name], name) for name in MOMENTS if name in arguments}
        if arguments.get("limit", 1) > MOST:
            raise Invalid(
                f"limit must be at most {MOST}: ask for the next ones with a cursor or a narrower question"
            )
        return self.ask(arguments)


def _required(name: str, description: str = "", shape: Shape | None = None) -> Field:
    return Field(name=name, shape=shape or Text(), required=True, description=description)


def _optional(name: str, description: str = "", shape: Shape | None = None, default: Any = None) -> Field:
    return Field(name=name, shape=shape or Text(), required=False, description=description, default=default)


def moment(text: str, name: str) -> str:
    """A moment as a model writes it, in full: a date alone is enough, and without a time zone it is UTC.

    >>> moment("2026-03-01", "since")
    '2026-03-01T00:00:00+00:00'
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Invalid(f"{name} must be a moment in ISO 8601, such as 2026-03-01, not {text[:40]!r}") from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).isoformat()


def _when(arguments: Arguments) -> dict[str, Any]:
    """The filters for conditions that the search verb has no keywords for."""
    span = {op: arguments[name] for name, op in (("since", "gte"), ("until", "lt")) if name in arguments}
    filters = {"occurred_at": span} if span else {}
    return {**filters, "tags": arguments["tags"]} if arguments.get("tags") else filters


def _add(arguments: Arguments) -> VerbCall:
    # Keeps a model's notes distinguishable from what a person said.
    return "write", {**arguments, "source": "assistant"}


def _search(arguments: Arguments) -> VerbCall:
    options = {name: arguments[name] for name in ("query", "kinds", "as_of") if arguments.get(name)}
    return "search", {**options, "k": arguments.get("limit", 10), "filters": _when(arguments)}


def _get(arguments: Arguments) -> VerbCall:
    return "history" if arguments.get("history") else "get", {"record_id": arguments["id"]}


def _update(arguments: Arguments) -> VerbCall:
    rest = {name: value for name, value in arguments.items() if name != "id"}
    return "supersede", {"record_id": arguments["id"], **rest}


def _forget(arguments: Arguments) -> VerbCall:
    ids = arguments["ids"]
    if not ids:
        raise Invalid("ids is empty: pass at least one")
    # A single pinned id raises an error; among several, the pinned ones are reported.
    return "forget", {"target": ids[0] if len(ids) == 1 else ids}


def _pin(arguments: Arguments) -> VerbCall:
    return "pin" if arguments.get("pinned", True) else "unpin", {"record_id": arguments["id"]}


def _invoke(arguments: Arguments) -> VerbCall:
    path_arguments = arguments.get("arguments", {})
    refused = [name for name in (*At.__annotations__, "hard") if name in path_arguments]
    if refused:
        raise Invalid(f"{refused[0]} is not a model's to say: leave it out")
    return "invoke", {**path_arguments, "path": arguments["path"]}


def _work(arguments: Arguments) -> VerbCall:
    own = arguments.get("arguments", {})
    refused = [name for name in At.__annotations__ if name in own]
    if refused:
        raise Invalid(f"{refused[0]} is not a model's to say: leave it out")
    verbs = {name.rpartition(".")[2]: name for name, verb in VERBS.items() if verb.tool == WORK}
    name = arguments["verb"].rpartition(".")[2]
    if name not in verbs:
        raise Invalid(f"{name[:40]!r} is none of the verbs of work: use one of {', '.join(verbs)}")
    call = call_of(verbs[name])
    require_known(own, frozenset(field.name for field in call.fields))
    return verbs[name], dict(own)


def _answered(answer: Any) -> Brief:
    return {"answer": to_json(answer)}


def _timeline(arguments: Arguments) -> VerbCall:
    options = {name: arguments[name] for name in ("since", "until", "cursor", "newest_first") if name in arguments}
    kinds = {"kind": arguments["kinds"]} if arguments.get("kinds") else {}
    return "page", {**options, "limit": arguments.get("limit", 20), "filters": kinds}


def _records(answer: Record | list[Record]) -> Brief:
    return short_records(answer if isinstance(answer, list) else [answer])


_STRING, _WHOLE, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_STRINGS = {"type": "array", "items": _STRING}
_RECORD = {"type": "object", "properties": {"id": _STRING, "text": _STRING}}
_LIST = {"type": "array", "items": _RECORD}
_ID = _required("id")
_SINCE = _optional("since", "ISO 8601")
_UNTIL = _optional("until")
_KINDS = _optional("kinds", shape=ListOf(Text()))
_TAGS = _optional("tags", shape=ListOf(Text()))

TOOLS = (
    Tool(
        name="memory_context",
        description="Recall what is known about a question or task, as one text within a token budget. "
        "Call it first.",
        fields=(_required("query"), _optional("token_budget", shape=Integer(), default=2048)),
        ask=lambda arguments: ("read", dict(arguments)),
        tell=short_context,
        answers={"text": _STRING, "tokens": _WHOLE, "ids": _STRINGS, "left_out": _WHOLE, "nothing_relevant": _FLAG},
    ),
    Tool(
        name="memory_search",
        description="Find single memories, best first, with their relevance from 0 to 1. "
        "Long texts are cut; memory_get has them whole.",
        fields=(
            _required("query"),
            _optional("limit", shape=Integer(), default=10),
            _KINDS,
            _TAGS,
            _SINCE,
            _UNTIL,
            _optional("as_of", "what was known then"),
        ),
        ask=_search,
        tell=short_hits,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_timeline",
        description="List memories by time, newest first.",
        fields=(
            _SINCE,
            _UNTIL,
            _KINDS,
            _optional("limit", shape=Integer(), default=20),
            _optional("newest_first", shape=Boolean(), default=True),
            _optional("cursor", "from the page before"),
        ),
        ask=_timeline,
        tell=short_page,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_get",
        description="Get one memory whole, or with history all its versions, oldest first.",
        fields=(_ID, _optional("history", shape=Boolean(), default=False)),
        ask=_get,
        tell=_records,
        answers={"records": _LIST},
    ),
    Tool(
        name="memory_add",
        description="Remember something that will matter later: a fact, preference, decision or event. "
        "One statement, clear on its own, with names and dates.",
        fields=(
            _required("text"),
            _optional("kind", "note, fact, decision, event, …"),
            _TAGS,
            _optional("speaker", "who said it"),
            _optional("importance", "0 to 1", shape=Number()),
            _optional("occurred_at", "ISO 8601, else now"),
            _optional("pin", "never forget it", shape=Boolean(), default=False),
        ),
        ask=_add,
        tell=short_written,
        answers={"id": _STRING, "stored": _FLAG},
    ),
    Tool(
        name="memory_update",
        description="Correct a memory, or record a change: adds a version, the old one stays in its history.",
        fields=(_ID, _required("text"), _optional("expected_version", "fail if it changed since", shape=Integer())),
        ask=_update,
        tell=version,
        answers={"id": _STRING, "version": _WHOLE},
    ),
    Tool(
        name="memory_pin",
        description="Keep a memory from being forgotten and from fading; pinned=false lets it go again.",
        fields=(_ID, _optional("pinned", shape=Boolean(), default=True)),
        ask=_pin,
        tell=version,
        answers={"id": _STRING, "pinned": _FLAG},
        repeatable=True,
    ),
    Tool(
        name="memory_forget",
        description="Hide memories from now on. Only when asked to, or when they are wrong beyond correction.",
        fields=(_required("ids", shape=ListOf(Text())),),
        ask=_forget,
        tell=short_forgotten,
        answers={"ids": _STRINGS, "pinned": _STRINGS},
        destroys=True,
        repeatable=True,
    ),
    Tool(
        name="memory_invoke",
        description="Call a path, such as self.memory.resume. A wrong one lists them.",
        fields=(_required("path"), _optional("arguments", shape=MapOf(Anything()))),
        ask=_invoke,
        tell=invoked,
        answers={},
        destroys=True,
    ),
    Tool(
        name=WORK,
        description="Goals, tasks, decisions, events, knowledge: store_goal, … A wrong verb lists them.",
        fields=(_required("verb"), _optional("arguments", shape=MapOf(Anything()))),
        ask=_work,
        tell=_answered,
        answers={},
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
