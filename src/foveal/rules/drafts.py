"""Building records and their next versions from a caller's arguments, and the named entries of nodes."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from foveal.errors import Corrupt, Invalid
from foveal.model.ids import Address, own_id
from foveal.model.policy import MemoryConfig
from foveal.model.query import At, Details, Viewpoint
from foveal.model.record import STORED_SCOPES, Linearity, Record, Scope, Tier, Vitals
from foveal.model.results import MemoryEntry
from foveal.rules.validation import (
    MAX_NAME,
    checked_fraction,
    checked_id,
    checked_json,
    checked_metadata,
    checked_moment,
    checked_name,
    checked_node,
    checked_region,
    checked_tags,
    checked_text,
    checked_ttl,
    checked_world,
)

_DEFAULT = MemoryConfig()

# The roles in a conversation other than the user.
ROLES = ("assistant", "tool", "system")

_AT = frozenset(At.__annotations__)
_DETAILS = frozenset(Details.__annotations__) | _AT


def require_known(given: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise `Invalid` for an unknown keyword, suggesting the likely one and listing them all.

    >>> require_known({"actor": "ada"}, frozenset({"actor_id", "node"}))
    Traceback (most recent call last):
    foveal.errors.Invalid: there is no keyword 'actor': did you mean 'actor_id'? The keywords are actor_id, node
    """
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise Invalid(f"there is no keyword {name!r}: {hint}The keywords are {', '.join(sorted(known))}")


def without_extra(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a write in which `extra`, as the first clients call the metadata, has its proper name.

    >>> without_extra({"extra": {"city": "Oslo"}, "kind": "fact"})
    {'kind': 'fact', 'metadata': {'city': 'Oslo'}}
    """
    if "extra" not in details:
        return dict(details)
    if details.get("metadata") is not None:
        raise Invalid("extra is another name of metadata: pass one of them")
    rest = {name: value for name, value in details.items() if name != "extra"}
    return {**rest, "metadata": details["extra"]}


def viewpoint_of(bound: At, said: Mapping[str, Any], known: frozenset[str] = _AT) -> Viewpoint:
    """The viewpoint of a call: from its arguments, or else what was bound, or else the default.

    >>> viewpoint_of({"actor_id": "ada"}, {"node": "/planner"}).node
    '/planner'
    """
    require_known(said, known)
    at = {**bound, **{name: said[name] for name in _AT if name in said}}
    if at.get("actor_id") is None:
        raise Invalid(
            "actor_id is missing: pass it with the call (over HTTP as actor_id in the body), or in Python bind it "
            "once with memory.view(actor_id=…)"
        )
    session = at.get("session_id")
    return Viewpoint(
        world=checked_world(at.get("world", "default")),
        actor_id=checked_name(at["actor_id"], "actor_id"),
        node=checked_node(at.get("node", "/")),
        session_id=None if session is None else checked_name(session, "session_id"),
    )


def describe_others(counts: Mapping[str, int], actor: str, advice: str) -> str:
    """A sentence for somebody who looks into the empty memory of `actor`, while others have memories.

    >>> describe_others({"ada": 3, "ben": 1}, "me", "use --actor-id {}")
    'me has no memories here, but ada has 3 and ben has 1: use --actor-id ada'
    """
    most = sorted(counts, key=lambda name: (-counts[name], name))
    shown = [f"{name} has {counts[name]:,}" for name in most[:3]]
    more = [f"{len(most) - 3:,} others have some"] if len(most) > 3 else []
    told = shown + more
    joined = told[0] if len(told) == 1 else ", ".join(told[:-1]) + " and " + told[-1]
    return f"{actor} has no memories here, but {joined}: {advice.format(most[0])}"


def writer_of(bound: At, said: Mapping[str, Any]) -> Viewpoint:
    """The viewpoint of a write, whose arguments may include all details of a record."""
    return viewpoint_of(bound, said, _DETAILS)


def with_own_id(viewpoint: Viewpoint, said: Details) -> Details:
    """The details of a write in which an id that the caller chose is one of the writing node's own.

    >>> with_own_id(Viewpoint(actor_id="ada", node="/planner"), {"id": "offer"})
    {'id': 'offer@/planner'}
    """
    if "id" not in said:
        return said
    return {**said, "id": own_id(viewpoint.node, checked_id(said["id"]))}


def own_region(actor_id: str) -> str:
    """The default region of an actor.

    >>> own_region("ada"), own_region("slack#general")
    ('agent:ada', 'agent:slack%23general')
    """
    return f"agent:{actor_id}".replace("#", "%23")[:MAX_NAME]


def new_record(
    text: str,
    said: Details,
    viewpoint: Viewpoint,
    now: datetime,
    record_id: str,
    config: MemoryConfig = _DEFAULT,
) -> Record:
    """The record that a write describes; it has no place on the map yet."""
    kind = checked_name(said.get("kind", "note"), "kind")
    start = config.kind(kind)
    importance = start.importance
    if said.get("importance") is not None:
        importance = checked_fraction(said.get("importance"), "importance")
    occurred = checked_moment(said.get("occurred_at"), "occurred_at") or now
    valid_from = checked_moment(said.get("valid_from"), "valid_from") or occurred
    valid_to = checked_moment(said.get("valid_to"), "valid_to")
    if valid_to is not None and valid_to < valid_from:
        raise Invalid("valid_to is before valid_from")
    return Record(
        id=checked_name(said.get("id", record_id), "id"),
        actor_id=viewpoint.actor_id,
        text=checked_text(text),
        address=Address(
            world=viewpoint.world,
            region=checked_region(said.get("region") or own_region(viewpoint.actor_id)),
        ),
        recorded_at=now,
        occurred_at=occurred,
        valid_from=valid_from,
        valid_to=valid_to,
        node=viewpoint.node,
        session_id=viewpoint.session_id,
        kind=kind,
        scope=_scope(said, viewpoint),
        source=checked_name(said.get("source") or _source_of(said.get("speaker")), "source"),
        speaker=_name(said.get("speaker"), "speaker"),
        tags=checked_tags(said.get("tags", ())),
        metadata=checked_metadata(said.get("metadata")),
        parent_id=_name(said.get("parent_id"), "parent_id"),
        linearity=Linearity.named(said.get("linearity") or Linearity.DROPPABLE),
        idempotency_key=_name(said.get("idempotency_key"), "idempotency_key") or _resend_key(said, viewpoint, text),
        vitals=Vitals(
            tier=Tier.named(start.tier if said.get("tier") is None else said.get("tier") or ""),
            importance=importance,
            pinned=bool(said.get("pin", False)),
            expires_at=_expiry(said, now),
        ),
    )


def checked_record(record: Record) -> Record:
    """A record from outside, if it is valid here; otherwise raises `Invalid`."""
    for name in ("recorded_at", "occurred_at", "valid_from", "valid_to"):
        moment = getattr(record, name)
        if moment is not None and moment.tzinfo is None:
            raise Invalid(f"{name} has no time zone")
        checked_moment(moment, name)
    checked_text(record.text)
    checked_region(record.region)
    checked_node(record.node)
    checked_tags(record.tags)
    checked_metadata(record.metadata)
    checked_fraction(record.vitals.importance, "importance")
    for name in ("id", "kind", "source"):
        checked_name(getattr(record, name), name)
    stored_scope(record.scope)
    return record


def next_version(newest: Record, text: str, said: Details, now: datetime) -> Record:
    """The record that supersedes `newest`, with a new text and these details; everything else stays.

    It is never dated before the version it supersedes, even if the clock of another server was ahead.
    """
    now = max(now, newest.recorded_at)
    viewpoint = Viewpoint(
        world=newest.world, actor_id=newest.actor_id, node=newest.node, session_id=newest.session_id
    )
    if said.get("idempotency_key") is not None:
        raise Invalid("a new version takes no idempotency key: use expected_version")
    draft = new_record(text, {"valid_from": now, **said}, viewpoint, now, newest.id)
    unchanged: dict[str, Any] = {"id": newest.id, "version": newest.version + 1, "idempotency_key": None}
    for name in ("occurred_at", "kind", "scope", "source", "speaker", "tags", "metadata", "parent_id", "linearity"):
        if name not in said or (name == "scope" and said.get("scope") is None):
            unchanged[name] = getattr(newest, name)
    if "region" not in said:
        unchanged["address"] = msgspec.structs.replace(draft.address, region=newest.region)
    life = {"tier": "tier", "importance": "importance", "pin": "pinned"}
    life |= {"ttl": "expires_at", "expires_at": "expires_at"}
    renewed = {column: getattr(draft.vitals, column) for word, column in life.items() if word in said}
    if text != newest.text or renewed.get("importance", 0.0) > newest.vitals.importance:
        # What is written anew, or matters more than before, is no longer put away.
        renewed["archived_at"] = None
    unchanged["vitals"] = msgspec.structs.replace(newest.vitals, **renewed)
    return msgspec.structs.replace(draft, **unchanged)


def default_scope(node: str) -> Scope:
    """The scope of what a node writes without naming one.

    What the root writes is the actor's own memory, which all its agents know.

    >>> default_scope("/"), default_scope("/planner")
    (<Scope.GLOBAL: 'global'>, <Scope.LOCAL: 'local'>)
    """
    return Scope.GLOBAL if node == "/" else Scope.LOCAL


def _scope(said: Details, viewpoint: Viewpoint) -> Scope:
    scope = said.get("scope")
    return default_scope(viewpoint.node) if scope is None else stored_scope(scope)


def stored_scope(scope: object) -> Scope:
    """The scope with this name, in any case, if a record can be stored with it.

    >>> stored_scope("SHARED")
    <Scope.SHARED: 'shared'>
    """
    for stored in STORED_SCOPES:
        if str(scope).lower() == stored.value:
            return stored
    raise Invalid(f"{scope!r} is not a scope to write with; use {', '.join(STORED_SCOPES)}")


def _expiry(said: Details, now: datetime) -> datetime | None:
    ttl, end = checked_ttl(said.get("ttl")), checked_moment(said.get("expires_at"), "expires_at")
    if ttl is not None and end is not None:
        raise Invalid("ttl and expires_at both limit how long the record is visible: use one")
    return end if ttl is None else now + ttl


def _name(value: str | None, what: str) -> str | None:
    return None if value is None else checked_name(value, what)


def _source_of(speaker: object) -> str:
    """The source of a text when only the speaker is given: chats often name assistants and tools by their role.

    >>> _source_of("Assistant"), _source_of("Ada"), _source_of(None)
    ('assistant', 'user', 'user')
    """
    role = str(speaker).lower()
    return role if role in ROLES else "user"


def _resend_key(said: Details, viewpoint: Viewpoint, text: str) -> str | None:
    """A key that identifies a resend by text, speaker, session and time; None without an explicit time."""
    moment = checked_moment(said.get("occurred_at"), "occurred_at")
    if moment is None or "id" in said:
        return None
    who = (said.get("speaker"), said.get("source", "user"))
    parts = (viewpoint.node, viewpoint.session_id, *who, moment.isoformat(), text)
    return "resend:" + blake2b(repr(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


ENTRY, TASK = "entry", "task"
# Short enough that an idempotency key has room for the name and its prefix.
MAX_ENTRY = 200
_ENTRY_FIELDS = {"name", "json", "version", "created_by", "updated_by", "parent_version", "task"}


def checked_entry(name: object) -> str:
    """`name`, if it is valid for an entry.

    >>> checked_entry("plan")
    'plan'
    """
    text = checked_name(name, "entry_id")
    if len(text) > MAX_ENTRY:
        raise Invalid(f"entry_id has {len(text)} characters; the limit is {MAX_ENTRY}")
    return text


def entry_key(scope: Scope, task: int, name: str) -> str:
    """The key that makes an entry unique by name at its node. A LOCAL entry belongs to a task.

    >>> entry_key(Scope.LOCAL, 2, "plan"), entry_key(Scope.SHARED, 2, "plan")
    ('entry local 2 plan', 'entry shared plan')
    """
    return f"entry {scope.value} {task} {name}" if scope is Scope.LOCAL else f"entry {scope.value} {name}"


def written_content(content: object) -> tuple[str, bool]:
    """The content as text, and whether that text is JSON.

    >>> written_content({"n": 1}), written_content("plain")
    (('{"n": 1}', True), ('plain', False))
    """
    if isinstance(content, str):
        return content, False
    return json.dumps(checked_json(content, "content"), ensure_ascii=False), True


def about(entry: MemoryEntry, task: int, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The metadata of the record that stores an entry: the caller's, and under `entry` the fields of the entry."""
    own = checked_metadata(entry.metadata)
    if ENTRY in own:
        raise Invalid(f"metadata may not have the key {ENTRY!r}: it is reserved for the entry itself")
    fields = {
        "name": entry.id,
        "json": not isinstance(entry.content, str),
        "version": entry.version,
        "created_by": entry.created_by,
        "updated_by": entry.updated_by,
        "parent_version": entry.parent_version,
        "task": task,
    }
    return {**own, ENTRY: {**fields, **(given or {})}}


def is_task(record: Record) -> bool:
    """Whether a record says what a node works on, which is private to the node."""
    return record.kind == TASK and TASK in record.metadata and "tasks" in record.metadata


def inside(record: Record) -> Mapping[str, Any]:
    """The fields of the entry that a record stores; empty for any other record."""
    value: Any = record.metadata.get(ENTRY)
    if record.kind != ENTRY or not isinstance(value, Mapping):
        return {}
    fields = cast(Mapping[str, Any], value)
    return fields if set(fields) >= _ENTRY_FIELDS else {}


def entry_of(record: Record, node: str) -> MemoryEntry:
    """The entry that a record stores, as a node sees it: an entry SHARED from above is INHERITED."""
    fields = inside(record)
    try:
        content = json.loads(record.text) if fields["json"] else record.text
    except (KeyError, ValueError) as error:
        raise Corrupt(f"the entry {record.id} is damaged and cannot be read", record_id=record.id) from error
    above = record.scope is Scope.SHARED and node != record.node and node.startswith(record.node.rstrip("/") + "/")
    return MemoryEntry(
        id=fields["name"],
        content=content,
        scope=Scope.INHERITED if above else record.scope,
        version=fields["version"],
        created_by=fields["created_by"],
        updated_by=fields["updated_by"],
        parent_version=fields["parent_version"],
        metadata={key: value for key, value in record.metadata.items() if key != ENTRY},
        node=record.node,
        record_id=record.id,
    )


class Resolution(StrEnum):
    """The ways to resolve a conflict between two entries."""

    PARENT_WINS = "parent_wins"
    CHILD_WINS = "child_wins"
    MERGE = "merge"


def parent_wins(parent: MemoryEntry, child: MemoryEntry) -> MemoryEntry:
    """The parent's entry, unchanged."""
    return parent


def child_wins(parent: MemoryEntry, child: MemoryEntry) -> MemoryEntry:
    """The child's content, as the version after both."""
    return _after(parent, child, child.content, child.updated_by)


def merge(parent: MemoryEntry, child: MemoryEntry) -> MemoryEntry:
    """Both contents merged, as the version after both; where both have a value, the child's wins.

    >>> from foveal.model.record import Scope
    >>> one = MemoryEntry(id="x", content={"a": 1}, scope=Scope.SHARED, version=4, created_by="/", updated_by="/")
    >>> other = replace(one, content={"b": 2}, version=2, updated_by="/c")
    >>> both = merge(one, other)
    >>> both.content, both.version, both.updated_by
    ({'a': 1, 'b': 2}, 5, '/+/c')
    """
    content = merged(parent.content, child.content)
    return _after(parent, child, content, f"{parent.updated_by}+{child.updated_by}")


def merged(parent: object, child: object) -> Any:
    """Two JSON values merged: objects key by key; for anything else, the child's value.

    >>> merged({"a": {"x": 1, "y": 2}, "b": [1]}, {"a": {"y": 3}, "b": [2]})
    {'a': {'x': 1, 'y': 3}, 'b': [2]}
    """
    if not isinstance(parent, Mapping) or not isinstance(child, Mapping):
        return child
    old, new = cast(Mapping[str, object], parent), cast(Mapping[str, object], child)
    joined = {key: merged(value, new[key]) if key in new else value for key, value in old.items()}
    return joined | {key: value for key, value in new.items() if key not in old}


def resolved(parent: MemoryEntry, child: MemoryEntry, how: Resolution | str) -> MemoryEntry:
    """The entry that resolves a conflict; the error for an unknown resolution lists them all."""
    if str(how) not in _RESOLVERS:
        raise Invalid(f"there is no way {str(how)!r} to resolve a conflict: use {', '.join(Resolution)}")
    return _RESOLVERS[Resolution(str(how))](parent, child)


def _after(parent: MemoryEntry, child: MemoryEntry, content: object, by: str) -> MemoryEntry:
    return replace(
        parent,
        content=content,
        version=max(parent.version, child.version) + 1,
        parent_version=parent.version,
        updated_by=by,
        metadata={**parent.metadata, **child.metadata},
    )


_RESOLVERS: dict[Resolution, Callable[[MemoryEntry, MemoryEntry], MemoryEntry]] = {
    Resolution.PARENT_WINS: parent_wins,
    Resolution.CHILD_WINS: child_wins,
    Resolution.MERGE: merge,
}
