"""`MemoryClient`, which reads and writes a memory through plain dictionaries."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Unpack, cast

from foveal.backends.breaker import Breaker
from foveal.compose import Memory
from foveal.config import DEFAULT_ACTOR, load_settings
from foveal.doors.client.answers import (
    Aged,
    BatchAnswer,
    BatchItem,
    BreakerAnswer,
    DeletedAnswer,
    EngramAnswer,
    ErrorsAnswer,
    GroupAnswer,
    JoinedAnswer,
    ManifestAnswer,
    MemoriesAnswer,
    MemoryAnswer,
    MemoryDict,
    RelationshipAnswer,
    SessionAnswer,
    breaker_answer,
    deleted_answer,
    errors_answer,
    group_dict,
    memories_answer,
    memory_dict,
    relationship_dict,
    renamed,
    session_dict,
)
from foveal.doors.client.connect import Connection, connect
from foveal.doors.client.memory import RemoteMemory
from foveal.doors.client.remote import is_unreachable
from foveal.engine.memory import View
from foveal.errors import FovealError, Invalid, NotFound
from foveal.model.ledger import Engram
from foveal.model.notice import Notice
from foveal.model.query import FIELDS, At, Op
from foveal.model.record import Group, Record, Session
from foveal.model.results import AssembledContext, Context, Hit, Profile, Related, Remembered, Written
from foveal.model.server import Manifest
from foveal.rules.budget import TIERS
from foveal.rules.drafts import viewpoint_of, without_extra
from foveal.rules.validation import checked_name
from foveal.wire.calls import method_of


def is_url(service: object) -> bool:
    """Whether `service` is the URL of a server, rather than a file or a memory object.

    >>> is_url("http://127.0.0.1:8001"), is_url("grpc://127.0.0.1"), is_url("memory.db")
    (True, True, False)
    """
    return isinstance(service, str) and service.lower().startswith(("http://", "https://", "grpc://", "grpcs://"))


class ClientMemory:
    """A local or remote memory, and the viewpoint to call it from. Every call of the client goes through `call`."""

    def __init__(self, service: View | str | Path | None, *, key: str | None = None, **options: Any) -> None:
        settings = load_settings()
        place = settings.api_url if service is None else service
        self._opened: Memory | RemoteMemory | None = None
        if isinstance(place, View):
            self._memory: View = place
        elif is_url(place):
            self._memory = self._opened = connect(str(place), key=key, **options)
        else:
            self._memory = self._opened = Memory(place)
        self._at: At = {}
        self._untold: dict[str, At] = {}
        # The server knows whose memory a key is for.
        keyed = is_url(place) and (key or settings.api_key)
        actor = settings.actor_id or (None if keyed else DEFAULT_ACTOR)
        actor = self._memory._bound.get("actor_id", actor)  # pyright: ignore[reportPrivateUsage]
        if actor is not None:
            self._at["actor_id"] = actor

    def close(self) -> None:
        """Close the memory, if this object opened it."""
        if self._opened is not None:
            self._opened.close()

    @property
    def connection(self) -> Connection | None:
        """The connection to the server; None for a local memory."""
        return self._memory.connection if isinstance(self._memory, RemoteMemory) else None

    @property
    def aged(self) -> Aged:
        """The age of the last answer; empty if it came live from the memory."""
        connection = self.connection
        last = connection.ghosts.last if connection is not None and connection.ghosts is not None else None
        return Aged() if last is None else Aged(is_ghost=True, ghost_age_seconds=last[0].total_seconds())

    @property
    def actor(self) -> str:
        """The id of the current actor; empty if none was set."""
        return self._at.get("actor_id", "")

    def speak_as(self, **at: Unpack[At]) -> None:
        """Set the actor, node or session of all later calls."""
        viewpoint_of({"actor_id": "anyone"}, at)
        self._at.update(at)

    def call(self, verb: str, *args: Any, **options: Any) -> Any:
        """Call a verb from the current viewpoint and return its answer; errors pass through unchanged."""
        at = dict(self._at)
        if options.get("actor_id", at.get("actor_id")) != at.get("actor_id"):
            # A session belongs to one actor.
            at.pop("session_id", None)
        try:
            answer = method_of(self._memory, verb)(*args, **{**at, **options})
        except FovealError as error:
            self._tell(error, {**at, **options})
            raise
        self._tell_waiting()
        return answer

    def _tell(self, error: FovealError, said: Mapping[str, Any]) -> None:
        """Report a failed call to the error bus. A server itself reports what it refused, but not its absence."""
        at = At(**{name: said[name] for name in ("world", "actor_id", "node") if said.get(name) is not None})
        if self.connection is None:
            with suppress(FovealError):
                self._memory.admin.report_error(error.code, **at)
        elif is_unreachable(error):
            self._untold[error.code] = at

    def _tell_waiting(self) -> None:
        """Report, now that the server answers, that it did not."""
        while self._untold:
            code, at = self._untold.popitem()
            with suppress(FovealError):
                self._memory.admin.report_error(code, **at)

    def invoke(self, path: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a path where the memory is."""
        return self._memory.invoke(path, **{**self._at, **arguments})

    def named(self, name: object) -> str:
        """The node path for the name of an agent."""
        text = checked_name(name, "agent_id")
        return text if text.startswith("/") else f"/{text}"


# The keys that an item of a batch and an update may have, with the names of our fields.
ITEM = {
    **{"content": "text", "memory_type": "kind", "memory_tier": "tier", "importance": "importance"},
    **{"metadata": "metadata", "tags": "tags", "parent_id": "parent_id", "expires_at": "expires_at"},
    **{"memory_id": "id", "scope": "scope"},
}
UPDATE = {
    **{"content": "text", "importance": "importance", "tags": "tags", "metadata": "metadata"},
    **{"tier": "tier", "memory_tier": "tier", "memory_type": "kind", "scope": "scope"},
    **{"expires_at": "expires_at", "parent_id": "parent_id"},
}
# Other names for record fields that a filter may use; any unknown name is a key of the metadata.
FIELD_NAMES = {
    **{"memory_id": "id", "content": "text", "memory_type": "kind", "memory_tier": "tier", "agent_id": "node"},
    **{"created_at": "recorded_at", "access_count": "uses"},
}


class Memories:
    """Methods that add, find, change and delete memories."""

    _own: ClientMemory

    def add_memory(
        self,
        content: str,
        memory_type: str = "general",
        memory_tier: str = "short",
        importance: float = 0.5,
        metadata: dict[str, Any] | None = None,
        tags: list[str] | None = None,
        parent_id: str | None = None,
        *,
        expires_at: str | None = None,
        scope: str = "global",
    ) -> MemoryAnswer:
        """Store a text as a new memory, which all agents of the user see; with `scope="local"`, only this one."""
        written: Written = self._own.call(
            "write",
            content,
            kind=memory_type,
            tier=memory_tier,
            importance=importance,
            metadata=metadata,
            tags=tags or (),
            parent_id=parent_id,
            expires_at=expires_at,
            scope=scope,
        )
        return self._answer(self._own.call("get", written.id, touch=False))

    def get_memory(self, memory_id: str) -> MemoryAnswer:
        """One memory; `NotFound` if there is none that you may see. Its `access_count` excludes this call."""
        return self._answer(self._own.call("get", memory_id))

    def search_memory(
        self, query: str, memory_type: str | None = None, limit: int = 10, parent_id: str | None = None
    ) -> MemoriesAnswer:
        """The memories that best answer a question, optionally of one type or under one parent."""
        conditions = {"kind": memory_type, "parent_id": parent_id}
        filters = {name: value for name, value in conditions.items() if value is not None}
        return self._search(query, limit, filters)

    def semantic_search(self, query: str, k: int = 5, filters: dict[str, Any] | None = None) -> MemoriesAnswer:
        """The memories that best answer a question, by words and by meaning, among those that match the filters.

        A name in the filters is a field of a memory, or else a key of its metadata.
        """
        return self._search(query, k, _our_fields(filters or {}))

    def _answer(self, record: Record) -> MemoryAnswer:
        return MemoryAnswer(status="success", memory_id=record.id, memory=memory_dict(record), **self._own.aged)

    def _search(self, query: str, k: int, filters: Mapping[str, Any]) -> MemoriesAnswer:
        hits: Sequence[Hit] = self._own.call("search", query, k=k, filters=filters)
        return memories_answer((_hit_dict(hit) for hit in hits), self._own.aged)

    def update_memory(self, memory_id: str, update_payload: dict[str, Any]) -> MemoryAnswer:
        """Change a memory; the previous version stays in its history."""
        changes = renamed(update_payload, UPDATE, "update_payload")
        if not changes:
            raise Invalid(f"update_payload says nothing: use one of {', '.join(UPDATE)}")
        text = changes.pop("text") if "text" in changes else self._own.call("get", memory_id, touch=False).text
        return self._answer(self._own.call("supersede", memory_id, text, **changes))

    def delete_memory(self, memory_id: str, cascade: bool = True) -> DeletedAnswer:
        """Forget a memory and, with `cascade`, everything below it. Pinned memories below are kept and reported."""
        return deleted_answer(memory_id, self._own.call("forget", memory_id, cascade=cascade))

    def get_children(
        self, parent_id: str, limit: int = 50, sort_field: str = "created_at", sort_order: str = "desc"
    ) -> MemoriesAnswer:
        """The direct children of a memory, sorted."""
        records: Sequence[Record] = self._own.call(
            "children", parent_id, limit=limit, sort_field=sort_field, sort_order=sort_order
        )
        return memories_answer((memory_dict(record) for record in records), self._own.aged)

    def reinforce_memory(self, memory_id: str, reinforcement_factor: float = 1.2) -> MemoryAnswer:
        """Multiply the importance of a memory by the factor, up to 1."""
        return self._answer(self._own.call("reinforce", memory_id, reinforcement_factor))

    def batch_add_memories(self, memories: list[dict[str, Any]]) -> BatchAnswer:
        """Store many memories. Each item takes what `add_memory` takes and gets its own result."""
        items: list[dict[str, Any]] = []
        indexes: list[int] = []
        results: dict[int, BatchItem] = {}
        for index, memory in enumerate(memories):
            try:
                if not isinstance(memory, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
                    raise Invalid(f"a memory is a dictionary with a content, not {type(memory).__name__}")
                item = renamed(memory, ITEM, "a memory")
            except Invalid as error:
                results[index] = _rejected_item(index, error.code, error.message)
                continue
            items.append({"kind": "general", "tier": "short", "importance": 0.5, "scope": "global", **item})
            indexes.append(index)
        written: Written = self._own.call("write_many", items)
        rejected = {indexes[rejection.index]: rejection for rejection in written.rejected}
        results |= {index: _rejected_item(index, why.code, why.message) for index, why in rejected.items()}
        stored = [index for index in indexes if index not in rejected]
        for index, memory_id in zip(stored, written.ids, strict=True):
            status = "duplicate" if memory_id in written.duplicates else "added"
            results[index] = BatchItem(index=index, status=status, memory_id=memory_id)
        return _batch(results, len(stored))

    def batch_get_memories(self, memory_ids: list[str]) -> BatchAnswer:
        """Fetch many memories by id; each result says whether it was found."""
        records: Sequence[Record] = self._own.call("get_many", memory_ids)
        memories = {record.id: memory_dict(record) for record in records}
        results: dict[int, BatchItem] = {}
        for index, memory_id in enumerate(memory_ids):
            results[index] = BatchItem(index=index, status="not_found", memory_id=memory_id)
            if memory_id in memories:
                results[index] = BatchItem(
                    index=index, status="found", memory_id=memory_id, memory=memories[memory_id]
                )
        return {**_batch(results, sum(memory_id in memories for memory_id in memory_ids)), **self._own.aged}


def _hit_dict(hit: Hit) -> MemoryDict:
    memory = memory_dict(hit.record)
    memory["relevance"] = hit.relevance
    if hit.replaced_by is not None:
        memory["replaced_by"] = hit.replaced_by
    return memory


def _rejected_item(index: int, code: str, message: str) -> BatchItem:
    return BatchItem(index=index, status="rejected", code=code, message=message)


def _batch(results: Mapping[int, BatchItem], count: int) -> BatchAnswer:
    ordered = [results[index] for index in sorted(results)]
    return BatchAnswer(status="success" if count == len(ordered) else "partial", results=ordered, count=count)


def _our_fields(filters: Mapping[str, Any]) -> dict[str, Any]:
    """A filter under our own names: a field stays a field, anything else is a key of the metadata."""
    return {_our_field(name): _our_value(name, value) for name, value in filters.items()}


def _our_value(name: str, value: Any) -> Any:
    if name in ("and", "or") and isinstance(value, list | tuple):
        return [_our_fields(part) for part in cast(Sequence[Mapping[str, Any]], value)]
    if name == "not" and isinstance(value, Mapping):
        return _our_fields(cast(Mapping[str, Any], value))
    return value


def _our_field(name: str) -> str:
    field, _, op = name.rpartition("__")
    bare = field if op in tuple(Op) else name
    if bare in ("and", "or", "not", "metadata", *FIELDS) or bare.startswith("metadata."):
        return name
    return FIELD_NAMES.get(bare, f"metadata.{bare}") + name.removeprefix(bare)


class Ties:
    """Methods for relationships and context groups."""

    _own: ClientMemory

    def add_relationship(
        self, source_id: str, target_id: str, relationship_type: str, strength: float = 1.0
    ) -> RelationshipAnswer:
        """Add a typed edge between two memories; an existing edge takes the new strength."""
        link = self._own.call("link", source_id, target_id, kind=relationship_type, weight=strength)
        return RelationshipAnswer(status="success", relationship=relationship_dict(link))

    def get_related_memories(self, memory_id: str, relationship_type: str | None = None) -> MemoriesAnswer:
        """The memories linked to one by an edge, strongest first."""
        related: Sequence[Related] = self._own.call("related", memory_id, kind=relationship_type)
        return memories_answer(
            ({**memory_dict(end.record), "relationship": relationship_dict(end.link)} for end in related),
            self._own.aged,
        )

    def create_context_group(self, name: str, description: str | None = None) -> GroupAnswer:
        """The context group of this name, created if it does not exist."""
        before: Sequence[Group] = self._own.call("groups")
        # A group of the root is known to all agents of the user.
        group: Group = self._own.call("group", name, description=description or "", node="/")
        created = all(existing.id != group.id for existing in before)
        return GroupAnswer(status="success", group_id=group.number, group=group_dict(group), created=created)

    def add_to_group(self, memory_id: str, group_id: int) -> JoinedAnswer:
        """Add a memory to a context group."""
        self._own.call("group", self._group(group_id).name, [memory_id])
        return JoinedAnswer(status="success", group_id=group_id, memory_id=memory_id)

    def get_memories_by_group(self, group_id: int) -> MemoriesAnswer:
        """The memories of a context group, oldest first."""
        records: Sequence[Record] = self._own.call("members", self._group(group_id).id)
        return memories_answer((memory_dict(record) for record in records), self._own.aged)

    def _group(self, number: int) -> Group:
        if not isinstance(number, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise Invalid(f"group_id is a number, as create_context_group gives it, not {type(number).__name__}")
        groups: Sequence[Group] = self._own.call("groups")
        for group in groups:
            if group.number == number:
                return group
        raise NotFound(f"there is no group {number} here", group_id=number)


async def assemble_context(
    task_description: str,
    max_tokens: int = 4000,
    tiers: Sequence[str] = TIERS,
    *,
    memory: View | str | Path | None = None,
    **at: Unpack[At],
) -> AssembledContext:
    """The context a task needs from each tier, by default of the user's own memory.

    Without a `memory`, it is the server that MEMORY_API_URL names, else the memory of the settings; without an
    `actor_id`, the one of the settings, else "me".
    """

    def assembled() -> AssembledContext:
        own = ClientMemory(memory)
        try:
            if not isinstance(memory, View):
                own.speak_as(actor_id=load_settings().actor_id or DEFAULT_ACTOR)
            return own.call("assemble_context", task_description, max_tokens, tiers, **at)
        finally:
            own.close()

    return await asyncio.to_thread(assembled)


class MemoryClient(Memories, Ties):
    """A client that reads and writes for any actor and remembers the current user, agent and session.

    `service` is a memory, the path of one, or the URL of a server; without it, the server that MEMORY_API_URL
    names, else the user's own memory. `key` is the API key for the server; `options` are those of `connect`.
    `write`, `read` and `invoke` are coroutines; the other methods are synchronous and return dictionaries. Failures
    raise. What an agent adds, all agents of the user see. Until a session begins, the user is the actor of the
    settings, or else "me"; with a key, the actor that the key is for.
    """

    def __init__(self, service: View | str | Path | None = None, *, key: str | None = None, **options: Any) -> None:
        self._own = ClientMemory(service, key=key, **options)

    async def close(self) -> None:
        """Close the memory, if the client opened it."""
        self._own.close()

    async def write(
        self, *, actor_id: str, text: str, extra: dict[str, Any] | None = None, **details: Any
    ) -> Written:
        """Store a text, which all agents of the user see; `details` are those of `Memory.write`.

        `extra` is another name of their metadata.
        """
        said = {"scope": "global", **details}
        if extra is not None:
            said = without_extra({**said, "extra": extra})
        return await asyncio.to_thread(partial(self._own.call, "write", text, actor_id=actor_id, **said))

    async def read(self, *, actor_id: str, query: str, token_budget: int = 2048, **options: Any) -> Context:
        """The context to show a model: `response.context` is the list of items."""
        return await asyncio.to_thread(
            partial(self._own.call, "read", query, actor_id=actor_id, token_budget=token_budget, **options)
        )

    async def remember(self, *, actor_id: str, messages: Any, **details: Any) -> Remembered:
        """Store a conversation and the facts it states; `details` are those of `Memory.remember`."""
        return await asyncio.to_thread(partial(self._own.call, "remember", messages, actor_id=actor_id, **details))

    async def profile(self, *, actor_id: str, **options: Any) -> Profile:
        """What is known now; `options` are those of `Memory.profile`."""
        return await asyncio.to_thread(partial(self._own.call, "profile", actor_id=actor_id, **options))

    def set_user_id(self, user_id: str) -> None:
        """Set the user whose memory later calls use, without starting a session."""
        self._own.speak_as(actor_id=checked_name(user_id, "user_id"))

    def set_agent_id(self, agent_id: str) -> None:
        """Set the agent that makes later calls: a name, or a path in the tree of agents."""
        self._own.speak_as(node=self._own.named(agent_id))

    def set_session_id(self, session_id: str) -> None:
        """Set the session of later calls."""
        self._own.speak_as(session_id=checked_name(session_id, "session_id"))

    def create_session(
        self, user_id: str, session_type: str = "conversation", session_metadata: dict[str, Any] | None = None
    ) -> SessionAnswer:
        """Start a session for a user; later calls are made for that user, in that session."""
        self.set_user_id(user_id)
        session: Session = self._own.call(
            "create_session", kind=session_type, metadata=session_metadata, session_id=None
        )
        self.set_session_id(session.id)
        return SessionAnswer(status="success", session_id=session.id, session=session_dict(session))

    def end_session(self, session_id: str) -> SessionAnswer:
        """End a session."""
        session: Session = self._own.call("end_session", session_id)
        return SessionAnswer(status="success", session_id=session.id, session=session_dict(session))

    async def invoke(self, path: str, **arguments: Any) -> dict[str, Any]:
        """Call a path such as "self.memory.cherish" from the current viewpoint."""
        return await asyncio.to_thread(self._own.invoke, path, arguments)

    def engram(self, name: str, state: Any) -> EngramAnswer:
        """Keep a state under a name until it is overwritten."""
        engram: Engram = self._own.call("engram", name, state)
        return EngramAnswer(status="success", key=engram.name, kept_at=engram.kept_at.isoformat())

    def manifest(self, name: str) -> ManifestAnswer:
        """The state kept under a name, with its age."""
        manifest: Manifest = self._own.call("manifest", name)
        return ManifestAnswer(
            status="success",
            key=manifest.name,
            state=manifest.state,
            age_seconds=manifest.age.total_seconds(),
        )

    def get_errors(self, limit: int = 50) -> ErrorsAnswer:
        """The last errors of calls for the current user, newest first, from all its agents. They quote no text."""
        notices: Sequence[Notice] = self._own.call("errors", limit=limit)
        return errors_answer(notices)

    def report_error(self, error: FovealError | str) -> None:
        """Report an error of the agent itself, given as an exception or by its code, to the error bus."""
        code = error if isinstance(error, str) else error.code
        self._own.call("report_error", code, component="agent")

    def get_circuit_breaker_status(self) -> BreakerAnswer:
        """The state of the circuit breaker. For a memory in this process it is always closed."""
        connection = self._own.connection
        breaker = Breaker() if connection is None else connection.breaker
        return breaker_answer(breaker.circuit, breaker.failures, breaker.reset_timeout)

    def reset_circuit_breaker(self) -> BreakerAnswer:
        """Close the circuit breaker."""
        connection = self._own.connection
        if connection is not None:
            connection.breaker.reset()
        return self.get_circuit_breaker_status()
