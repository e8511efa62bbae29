"""What a node of the tree of agents holds under a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from foveal.model.record import Record
from foveal.model.scope import Scope


class MemoryEntry(Struct, frozen=True, kw_only=True):
    """A named content of a node, and its version.

    `content` is text or a JSON value. `node` holds it. `scope` is how it is seen from where it was asked for: what
    a parent shares is INHERITED below. `record_id` names the record that keeps it, through all versions.
    """

    id: str
    content: Any
    scope: Scope
    version: int = 1
    created_by: str
    updated_by: str
    parent_version: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    node: str = "/"
    record_id: str = ""


class Cleared(Struct, frozen=True, kw_only=True):
    """What a new task of a node did: the record of the task, what it archived, and the pinned records it left."""

    task: Record
    ids: tuple[str, ...]
    pinned: tuple[str, ...] = ()


class Synced(Struct, frozen=True, kw_only=True):
    """What passed between two nodes: the names that were taken over, and those that both held."""

    taken: tuple[str, ...]
    resolved: tuple[str, ...] = ()
