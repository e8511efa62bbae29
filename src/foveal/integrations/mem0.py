"""A facade with the methods of mem0's `Memory` and `AsyncMemory`: change the import, keep the calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import wraps
from hashlib import md5
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from foveal.compose import Memory as LocalMemory
from foveal.doors.client import RemoteMemory
from foveal.engine.memory import View
from foveal.errors import FovealError, Invalid, NotFound
from foveal.integrations.errors import raised_as
from foveal.model.record import Record
from foveal.model.results import Hit, Move, What
from foveal.ports.system import Clock, SystemClock
from foveal.rules.messages import turns_from

P = ParamSpec("P")
R = TypeVar("R")
Item = dict[str, Any]

# What is added lies in this region, and so do the facts drawn from it.
REGION = "mem0"
PROCEDURAL = "procedural_memory"
IDS = ("user_id", "agent_id", "run_id")
PAGE = 200
_UNSET: Any = object()
_OPERATORS = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains")
_FIELDS = {
    "run_id": "session_id",
    "role": "source",
    "actor_id": "speaker",
    "agent_id": f"metadata.{REGION}.agent_id",
    "user_id": f"metadata.{REGION}.user_id",
    "expiration_date": f"metadata.{REGION}.expiration_date",
}


class Memory:
    """A memory with the methods of mem0's `Memory`, which needs no model, no key and no vector database.

    `memory` is a path or a URL as for `foveal.Memory`, or an open memory, which stays the caller's to close. A user
    is an actor, so what is known of one is never mixed with what is known of another; a run is a session.
    """

    def __init__(
        self,
        memory: View | RemoteMemory | str | Path | None = None,
        *,
        world: str = "default",
        clock: Clock | None = None,
    ) -> None:
        self._owned = LocalMemory(memory) if memory is None or isinstance(memory, str | Path) else None
        self._memory: View | RemoteMemory = self._owned or cast(View | RemoteMemory, memory)
        self._world = world
        self._clock = clock or SystemClock()

    def close(self) -> None:
        """Close the memory, if this facade opened it."""
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: datetime | str | float | None = None,
        expiration_date: date | str | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, list[Item]]:
        """Remember messages. Unless `infer` is false, facts and preferences are drawn from them as well.

        Each message is one memory with an id. `timestamp` is when it was said.
        """
        if prompt is not None:
            raise ValueError("prompt is for a model, and facts are drawn by rules here: leave it out")
        if memory_type not in (None, PROCEDURAL):
            raise ValueError(f"Invalid 'memory_type'. Please pass {PROCEDURAL} to create procedural memories.")
        scope = _checked_scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        own = {**scope, "expiration_date": _checked_date(expiration_date)}
        details: dict[str, Any] = {
            "region": REGION,
            "session_id": scope.get("run_id"),
            "metadata": {**_free(metadata), REGION: own},
            "occurred_at": _moment(timestamp),
        }
        told = _checked_messages(messages)
        view = self._view(_actor(scope))
        with raised_as(ValueError):
            turns, _ = turns_from(told, frozenset())
            if memory_type == PROCEDURAL:
                lines = "\n".join(f"{turn['source']}: {turn['text']}" for turn in turns)
                written = view.write_many([{"text": lines, "kind": "procedure"}], **details)
            else:
                written = view.remember(turns, **details) if infer else view.write_many(turns, **details)
            if written.rejected:
                if written.fresh:
                    view.forget(list(written.fresh), hard=True)
                raise Invalid(written.rejected[0].message)
        return {"results": [_added(record) for record in self._records(view, written.fresh)]}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any | None = None,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, list[Item]]:
        """The memories that answer a question best. The score is how likely one helps, from 0 to 1.

        `rerank` changes nothing: the best candidates are always looked at twice.
        """
        if reference_date is not None:
            raise ValueError("reference_date is not supported here: leave it out")
        _refuse_top_level(kwargs, "search")
        actors, where = self._where(filters, show_expired)
        _checked_top_k(top_k)
        if not top_k:
            return {"results": []}
        hits: list[Hit] = []
        with raised_as(ValueError):
            for actor in actors:
                view = self._view(actor)
                hits += view.search(query, k=top_k, filters=where, min_relevance=threshold, explain=explain)
        hits.sort(key=lambda hit: hit.relevance, reverse=True)
        return {"results": [_found(hit) for hit in hits[:top_k]]}

    def get(self, memory_id: str) -> Item | None:
        """A memory by its id; None if there is none."""
        record = self._record(memory_id)
        return None if record is None else _item(record) | {"score": None}

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, list[Item]]:
        """The newest memories, at most `top_k`."""
        _refuse_top_level(kwargs, "get_all")
        actors, where = self._where(filters, show_expired)
        _checked_top_k(top_k)
        if not top_k:
            return {"results": []}
        records: list[Record] = []
        with raised_as(ValueError):
            for actor in actors:
                records += self._newest(self._view(actor), where, top_k)
        records.sort(key=lambda record: (record.occurred_at, record.id), reverse=True)
        return {"results": [_item(record) for record in records[:top_k]]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: date | str | None = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Give a memory another text or other metadata; what it was before stays in its history."""
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
        record = self._required(memory_id)
        own = dict(record.metadata.get(REGION) or {})
        if expiration_date is not _UNSET:
            own["expiration_date"] = _checked_date(expiration_date)
        with raised_as(ValueError):
            self._view(record.actor_id).supersede(
                record.id,
                record.text if text is None else text,
                metadata={**record.metadata, **_free(metadata), REGION: own},
            )
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Forget a memory, and the facts that come from it alone; `foveal undo` brings it back."""
        record = self._required(memory_id)
        with raised_as(ValueError, FovealError):
            self._view(record.actor_id).forget(record.id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Forget the memories of a user, an agent or a run. Pinned ones stay."""
        given = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        filters = {name: value for name, value in given.items() if value is not None}
        if not filters:
            raise ValueError(
                "At least one filter is required to delete all memories. "
                "If you want to delete all memories, use the `reset()` method."
            )
        actors, where = self._where(filters, True)
        for actor in actors:
            self._view(actor).forget(where)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Item]:
        """The changes of a memory, oldest first. Of a deleted one only the deletion is left."""
        actor, record_id = _parts(memory_id)
        view = self._view(actor)
        try:
            versions = view.history(record_id)
        except NotFound:
            moves = view.lifecycle.journal(record_id)
            return [_deletion(memory_id, move) for move in moves if move.what == What.FORGOTTEN]
        texts = [None, *(version.text for version in versions)]
        return [_change(memory_id, version, old) for old, version in zip(texts, versions, strict=False)]

    def reset(self) -> None:
        """Erase all that was added through this facade, of every user, for good. Pinned memories stay."""
        for actor in self._actors():
            self._view(actor).forget({"region": REGION}, hard=True)

    def _view(self, actor: str) -> View | RemoteMemory:
        with raised_as(ValueError):
            return self._memory.view(world=self._world, actor_id=actor)

    def _actors(self) -> list[str]:
        return [actor.actor_id for actor in self._memory.admin.actors() if actor.world == self._world]

    def _where(self, filters: Mapping[str, Any] | None, show_expired: bool) -> tuple[list[str], dict[str, Any]]:
        """The actors to ask, and the filter that holds for all of them."""
        given = dict(filters or {})
        scope = _checked_scope({name: given.pop(name, None) for name in IDS}, "filters must contain")
        actors = [scope["user_id"]] if "user_id" in scope else self._actors()
        # Facts are drawn from memories and are none themselves.
        where = [{"metadata.fact.by": None}, _condition(given)]
        where += [{_FIELDS[name]: value} for name, value in scope.items() if name != "user_id"]
        if not show_expired:
            today = self._clock.now().astimezone(UTC).date().isoformat()
            where.append({"or": [{_FIELDS["expiration_date"]: None}, {_FIELDS["expiration_date"]: {"gte": today}}]})
        return actors, {"and": where}

    def _newest(self, view: View | RemoteMemory, where: dict[str, Any], most: int) -> list[Record]:
        records: list[Record] = []
        cursor: str | None = None
        while len(records) < most:
            page = view.browse.page(filters=where, limit=min(PAGE, most - len(records)), cursor=cursor)
            records += page.records
            cursor = page.cursor
            if cursor is None:
                break
        return records

    def _records(self, view: View | RemoteMemory, ids: Sequence[str]) -> Iterable[Record]:
        known = {record.id: record for record in view.get_many(ids, touch=False)} if ids else {}
        return [known[record_id] for record_id in ids if record_id in known]

    def _record(self, memory_id: str) -> Record | None:
        actor, record_id = _parts(memory_id)
        records = self._view(actor).get_many([record_id]) if actor and record_id else []
        return records[0] if records else None

    def _required(self, memory_id: str) -> Record:
        record = self._record(memory_id)
        if record is None:
            raise ValueError(f"Memory with id {memory_id} not found. Please provide a valid 'memory_id'")
        return record


def _threaded(method: Callable[Concatenate[Memory, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """The method as a coroutine that runs in a thread."""

    @wraps(method)
    async def call(self: AsyncMemory, *args: P.args, **options: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.sync, *args, **options)

    return call


class AsyncMemory:
    """A memory with the methods of mem0's `AsyncMemory`. `sync` is the same memory for synchronous callers."""

    def __init__(
        self,
        memory: View | RemoteMemory | str | Path | None = None,
        *,
        world: str = "default",
        clock: Clock | None = None,
    ) -> None:
        self.sync = Memory(memory, world=world, clock=clock)

    def close(self) -> None:
        """Close the memory, if this facade opened it."""
        self.sync.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    add = _threaded(Memory.add)
    search = _threaded(Memory.search)
    get = _threaded(Memory.get)
    get_all = _threaded(Memory.get_all)
    update = _threaded(Memory.update)
    delete = _threaded(Memory.delete)
    delete_all = _threaded(Memory.delete_all)
    history = _threaded(Memory.history)
    reset = _threaded(Memory.reset)


def _checked_scope(given: Mapping[str, Any], lead: str = "the call needs") -> dict[str, str]:
    scope = {name: _checked_id(value, name) for name, value in given.items() if value is not None}
    if not scope:
        raise ValueError(f"{lead} at least one of: user_id, agent_id, run_id. Example: user_id='u1'")
    return scope


def _checked_id(value: Any, name: str) -> str:
    """An id without blanks around it. Numbers are common as ids, and taken as text."""
    trimmed = str(value).strip()
    if not trimmed:
        raise ValueError(f"Invalid {name}: cannot be empty or whitespace-only. Provide a valid identifier.")
    if any(sign.isspace() for sign in trimmed):
        raise ValueError(f"Invalid {name}: cannot contain whitespace. Provide a valid identifier without spaces.")
    return trimmed


def _actor(scope: Mapping[str, str]) -> str:
    """Whose memory it is: the user's or, without a user, that of the agent or the run itself."""
    if "user_id" in scope:
        return scope["user_id"]
    return f"agent:{scope['agent_id']}" if "agent_id" in scope else f"run:{scope['run_id']}"


def _checked_top_k(top_k: object) -> None:
    if not isinstance(top_k, int) or isinstance(top_k, bool):
        raise ValueError("top_k must be a valid integer")
    if top_k < 0:
        raise ValueError(f"Invalid top_k: {top_k}. Must be a non-negative integer.")


def _refuse_top_level(options: Mapping[str, Any], method: str) -> None:
    for name in options:
        if name in IDS:
            raise ValueError(f"{name} belongs into the filters of {method}(): filters={{'{name}': '...'}}")
        raise TypeError(f"{method}() got an unexpected keyword argument {name!r}")


def _checked_date(value: date | str | None) -> str | None:
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date) or value is None:
        return value and value.isoformat()
    try:
        return date.fromisoformat(value).isoformat()
    except (ValueError, TypeError):
        raise ValueError("expiration_date must be a valid date in YYYY-MM-DD format.") from None


def _moment(timestamp: datetime | str | float | None) -> datetime | str | None:
    """A timestamp as mem0's platform takes it: seconds since 1970, or a date."""
    if isinstance(timestamp, int | float):
        return datetime.fromtimestamp(timestamp, UTC)
    return timestamp


def _free(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Metadata without the ids, which only the arguments of a call set."""
    return {name: value for name, value in (metadata or {}).items() if name not in (*IDS, "actor_id", REGION)}


def _checked_messages(messages: object) -> list[dict[str, Any]]:
    """The messages of a call without those of the system."""
    listed = cast(object, [messages] if isinstance(messages, str | Mapping) else messages)
    if not isinstance(listed, list | tuple):
        raise ValueError("messages must be str, dict, or list[dict]")
    told: list[dict[str, Any]] = []
    for given in cast(Sequence[object], listed):
        message = {"role": "user", "content": given} if isinstance(given, str) else given
        if not isinstance(message, Mapping) or "role" not in message or "content" not in message:
            raise ValueError(f"a message needs a role and a content, not {message!r:.80}")
        if message["role"] != "system":
            told.append(dict(cast(Mapping[str, Any], message)))
    return told


def _condition(filters: Mapping[str, Any]) -> dict[str, Any]:
    """A filter of mem0 in our words."""
    parts: list[dict[str, Any]] = []
    for name, wanted in filters.items():
        if name in ("AND", "OR", "NOT"):
            if not isinstance(wanted, list) or not wanted:
                raise ValueError(f"{name} operator requires a non-empty list of conditions")
            inner = [_condition(part) for part in cast(list[Mapping[str, Any]], wanted)]
            joined = {"and" if name == "AND" else "or": inner}
            parts.append({"not": joined} if name == "NOT" else joined)
        elif isinstance(wanted, Mapping):
            operators = cast(Mapping[str, Any], wanted)
            parts += [_compared(name, operator, operand) for operator, operand in operators.items()]
        else:
            parts.append(_compared(name, "ne", None) if wanted == "*" else _compared(name, "eq", wanted))
    return {"and": parts}


def _compared(name: str, operator: str, operand: Any) -> dict[str, Any]:
    if operator not in _OPERATORS:
        raise ValueError(f"Unsupported metadata filter operator: {operator}; use {', '.join(_OPERATORS)}")
    field = _FIELDS.get(name, f"metadata.{name}")
    return {"not": {field: {"in": operand}}} if operator == "nin" else {field: {operator: operand}}


def _parts(memory_id: object) -> tuple[str, str]:
    """The actor and the record that an id names: mem0 asks for a memory without saying whose it is."""
    actor, _, record_id = str(memory_id).rpartition("/")
    return actor, record_id


def _id(record: Record) -> str:
    return f"{record.actor_id}/{record.id}"


def _added(record: Record) -> Item:
    return {
        "id": _id(record),
        "memory": record.text,
        "event": "ADD",
        "actor_id": record.speaker,
        "role": record.source,
    }


def _item(record: Record) -> Item:
    own = dict(record.metadata.get(REGION) or {})
    free = {name: value for name, value in record.metadata.items() if name != REGION}
    found = {
        "user_id": own.get("user_id") or (None if "agent_id" in own or "run_id" in own else record.actor_id),
        "agent_id": own.get("agent_id"),
        "run_id": record.session_id,
        "actor_id": record.speaker,
        "role": record.source,
        "expiration_date": own.get("expiration_date"),
        "metadata": free or None,
    }
    return {
        "id": _id(record),
        "memory": record.text,
        "hash": _hash(record.text),
        "created_at": record.occurred_at.isoformat(),
        "updated_at": record.recorded_at.isoformat(),
        **{name: value for name, value in found.items() if value is not None},
    }


def _hash(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _found(hit: Hit) -> Item:
    parts = {} if hit.parts is None else {"score_details": dict(hit.parts)}
    return {**_item(hit.record), "score": hit.relevance, **parts}


def _change(memory_id: str, version: Record, old: str | None) -> Item:
    return {
        "id": f"{memory_id}#{version.version}",
        "memory_id": memory_id,
        "old_memory": old,
        "new_memory": version.text,
        "event": "ADD" if old is None else "UPDATE",
        "created_at": version.occurred_at.isoformat(),
        "updated_at": version.recorded_at.isoformat(),
        "is_deleted": False,
        "actor_id": version.speaker,
        "role": version.source,
    }


def _deletion(memory_id: str, move: Move) -> Item:
    at = move.at.isoformat()
    gone = {"old_memory": None, "new_memory": None, "event": "DELETE", "is_deleted": True}
    return {"id": move.id, "memory_id": memory_id, **gone, "created_at": at, "updated_at": at}
