"""From what a caller says to a record."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

import msgspec

from foveal.errors import Invalid
from foveal.model.ids import Address
from foveal.model.policy import MemoryConfig
from foveal.model.query import At, Details, Viewpoint
from foveal.model.record import STORED_SCOPES, Linearity, Record, Scope, Tier, Vitals
from foveal.rules.checking import (
    MAX_NAME,
    checked_fraction,
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

# The roles of a conversation beside the user's.
ROLES = ("assistant", "tool", "system")

_AT = frozenset(At.__annotations__)
_DETAILS = frozenset(Details.__annotations__) | _AT


def refuse_unknown(given: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise for a keyword that does not exist, with the one that was probably meant."""
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
            raise Invalid(f"there is no keyword {name!r}: {hint}")


def viewpoint_of(bound: At, said: Mapping[str, Any], known: frozenset[str] = _AT) -> Viewpoint:
    """Who is asking: what the call says, else what was bound, else the default.

    >>> viewpoint_of({"actor_id": "ada"}, {"node": "/planner"}).node
    '/planner'
    """
    refuse_unknown(said, known)
    at = {**bound, **{name: said[name] for name in _AT if name in said}}
    if at.get("actor_id") is None:
        raise Invalid("actor_id is missing: pass it, or bind it once with memory.view(actor_id=…)")
    session = at.get("session_id")
    return Viewpoint(
        world=checked_world(at.get("world", "default")),
        actor_id=checked_name(at["actor_id"], "actor_id"),
        node=checked_node(at.get("node", "/")),
        session_id=None if session is None else checked_name(session, "session_id"),
    )


def writer_of(bound: At, said: Mapping[str, Any]) -> Viewpoint:
    """Who is writing: as `viewpoint_of`, among the details of a write."""
    return viewpoint_of(bound, said, _DETAILS)


def own_region(actor_id: str) -> str:
    """The region of an actor that files nothing under topics.

    >>> own_region("ada"), own_region("slack#general")
    ('agent:ada', 'agent:slack%23general')
    """
    return f"agent:{actor_id}".replace("#", "%23")[:MAX_NAME]


def drafted(
    text: str,
    said: Details,
    viewpoint: Viewpoint,
    now: datetime,
    record_id: str,
    config: MemoryConfig = _DEFAULT,
) -> Record:
    """The record that a write asks for; it has no place on the map yet."""
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
        scope=stored_scope(said.get("scope", Scope.LOCAL)),
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
    """A record from outside, if it could have been written here."""
    for name in ("recorded_at", "occurred_at", "valid_from", "valid_to"):
        checked_moment(getattr(record, name), name)
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
    """The record that supersedes `newest`: its text and what is said are new, the rest stays.

    It is not dated before what it supersedes: the clock of another server may have been ahead.
    """
    now = max(now, newest.recorded_at)
    viewpoint = Viewpoint(
        world=newest.world, actor_id=newest.actor_id, node=newest.node, session_id=newest.session_id
    )
    if said.get("idempotency_key") is not None:
        raise Invalid("a new version takes no idempotency key: use expected_version")
    draft = drafted(text, {"valid_from": now, **said}, viewpoint, now, newest.id)
    kept: dict[str, Any] = {"id": newest.id, "version": newest.version + 1, "idempotency_key": None}
    for name in ("occurred_at", "kind", "scope", "source", "speaker", "tags", "metadata", "parent_id", "linearity"):
        if name not in said:
            kept[name] = getattr(newest, name)
    if "region" not in said:
        kept["address"] = msgspec.structs.replace(draft.address, region=newest.region)
    life = {"tier": "tier", "importance": "importance", "pin": "pinned"}
    life |= {"ttl": "expires_at", "expires_at": "expires_at"}
    renewed = {column: getattr(draft.vitals, column) for word, column in life.items() if word in said}
    kept["vitals"] = msgspec.structs.replace(newest.vitals, **renewed)
    return msgspec.structs.replace(draft, **kept)


def stored_scope(scope: object) -> Scope:
    """The scope to store, from any of its names.

    >>> stored_scope("SHARED")
    <Scope.SHARED: 'shared'>
    """
    for one in STORED_SCOPES:
        if str(scope).lower() == one.value:
            return one
    raise Invalid(f"{scope!r} is not a scope to write with; use {', '.join(STORED_SCOPES)}")


def _expiry(said: Details, now: datetime) -> datetime | None:
    ttl, end = checked_ttl(said.get("ttl")), checked_moment(said.get("expires_at"), "expires_at")
    if ttl is not None and end is not None:
        raise Invalid("ttl and expires_at both say how long it may be seen: use one")
    return end if ttl is None else now + ttl


def _name(value: str | None, what: str) -> str | None:
    return None if value is None else checked_name(value, what)


def _source_of(speaker: object) -> str:
    """Who a text comes from when only the speaker is told: most chats call those who are no person by their role.

    >>> _source_of("Assistant"), _source_of("Ada"), _source_of(None)
    ('assistant', 'user', 'user')
    """
    role = str(speaker).lower()
    return role if role in ROLES else "user"


def _resend_key(said: Details, viewpoint: Viewpoint, text: str) -> str | None:
    """What makes a resend known: the same text, speaker, session and time. Only a time that was said can repeat."""
    moment = checked_moment(said.get("occurred_at"), "occurred_at")
    if moment is None or "id" in said:
        return None
    who = (said.get("speaker"), said.get("source", "user"))
    parts = (viewpoint.node, viewpoint.session_id, *who, moment.isoformat(), text)
    return "resend:" + blake2b(repr(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()
