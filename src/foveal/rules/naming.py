"""Between entries, which have names, and the records that keep them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from foveal.errors import Invalid
from foveal.model.record import Record, Scope
from foveal.model.results import MemoryEntry
from foveal.rules.checking import checked_metadata, checked_name

ENTRY, TASK = "entry", "task"
# A key has room for a name and what stands before it.
MAX_ENTRY = 200
_TOLD = {"name", "json", "version", "created_by", "updated_by", "parent_version", "task"}


def checked_entry(name: object) -> str:
    """`name`, if an entry can have it.

    >>> checked_entry("plan")
    'plan'
    """
    text = checked_name(name, "entry_id")
    if len(text) > MAX_ENTRY:
        raise Invalid(f"entry_id has {len(text)} characters; the limit is {MAX_ENTRY}")
    return text


def entry_key(scope: Scope, task: int, name: str) -> str:
    """The key that makes an entry the only one of its name at its node. What is LOCAL belongs to a task.

    >>> entry_key(Scope.LOCAL, 2, "plan"), entry_key(Scope.SHARED, 2, "plan")
    ('entry local 2 plan', 'entry shared plan')
    """
    return f"entry {scope.value} {task} {name}" if scope is Scope.LOCAL else f"entry {scope.value} {name}"


def written_content(content: object) -> tuple[str, bool]:
    """A content as text, and whether that text is JSON.

    >>> written_content({"n": 1}), written_content("plain")
    (('{"n": 1}', True), ('plain', False))
    """
    if isinstance(content, str):
        return content, False
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False), True
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"content is neither text nor JSON: {error}") from None


def about(entry: MemoryEntry, task: int, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The metadata of the record that keeps an entry: the caller's, and under `entry` what makes it one."""
    own = checked_metadata(entry.metadata)
    if ENTRY in own:
        raise Invalid(f"metadata may not have the key {ENTRY!r}: it says what the record holds")
    told = {
        "name": entry.id,
        "json": not isinstance(entry.content, str),
        "version": entry.version,
        "created_by": entry.created_by,
        "updated_by": entry.updated_by,
        "parent_version": entry.parent_version,
        "task": task,
    }
    return {**own, ENTRY: {**told, **(given or {})}}


def inside(record: Record) -> Mapping[str, Any]:
    """What the metadata of a record says of the entry it keeps; nothing for any other record."""
    found: Any = record.metadata.get(ENTRY)
    if record.kind != ENTRY or not isinstance(found, Mapping):
        return {}
    told = cast(Mapping[str, Any], found)
    return told if set(told) >= _TOLD else {}


def entry_of(record: Record, node: str) -> MemoryEntry:
    """The entry that a record keeps, as a node sees it: what is SHARED from above is INHERITED."""
    told = inside(record)
    above = record.scope is Scope.SHARED and node != record.node and node.startswith(record.node.rstrip("/") + "/")
    return MemoryEntry(
        id=told["name"],
        content=json.loads(record.text) if told["json"] else record.text,
        scope=Scope.INHERITED if above else record.scope,
        version=told["version"],
        created_by=told["created_by"],
        updated_by=told["updated_by"],
        parent_version=told["parent_version"],
        metadata={key: value for key, value in record.metadata.items() if key != ENTRY},
        node=record.node,
        record_id=record.id,
    )
