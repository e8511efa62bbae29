"""Records under keys that a framework chooses: what is put again is a new version."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid
from foveal.model.ids import own_id
from foveal.model.record import Record

K = TypeVar("K", bound=Hashable)
# A key whose record was forgotten in the console, or has expired, is stored under the next of these ids.
GENERATIONS = 8


def ids_of(kind: str, key: object) -> list[str]:
    """The ids under which the record of a key may be stored; the key is plain data.

    >>> ids_of("item", ["notes", "tea"])[:2]
    ['item-c9784928af9fa863818188417baa373d', 'item-c9784928af9fa863818188417baa373d-2']
    """
    digest = blake2b(json.dumps(key).encode(), digest_size=16).hexdigest()
    return [f"{kind}-{digest}", *(f"{kind}-{digest}-{generation}" for generation in range(2, GENERATIONS + 1))]


def _own_ids(memory: View, kind: str, key: object) -> list[str]:
    """The ids of a key at the node of a memory: each node has items of its own."""
    node = memory._bound.get("node", "/")  # pyright: ignore[reportPrivateUsage]
    return [own_id(node, record_id) for record_id in ids_of(kind, key)]


def stored(memory: View, kind: str, keys: Sequence[K]) -> dict[K, Record]:
    """The records of those keys that have one."""
    ids = {record_id: key for key in keys for record_id in _own_ids(memory, kind, key)}
    return {ids[record.id]: record for record in memory.get_many(list(ids))} if ids else {}


def put(
    memory: View, kind: str, key: object, text: str, *, fixed: Mapping[str, Any], details: Mapping[str, Any]
) -> str:
    """Store a text under a key that has no record, and return its id. Later versions keep the `fixed` details."""
    for record_id in _own_ids(memory, kind, key):
        try:
            memory.write(text, id=record_id, kind=kind, **fixed, **details)
        except Conflict:
            # Another process has put the key meanwhile, or a record of this id is hidden.
            if memory.get_many([record_id]):
                memory.supersede(record_id, text, **details)
                return record_id
        else:
            return record_id
    raise Invalid(f"key {key!r} was forgotten {GENERATIONS} times: erase its records, or use another key")
