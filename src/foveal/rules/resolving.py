"""What becomes of an entry that a parent and a child both hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, cast

from msgspec.structs import replace

from foveal.errors import Invalid
from foveal.model.results import MemoryEntry


class Resolution(StrEnum):
    """The ways to resolve a conflict."""

    PARENT_WINS = "parent_wins"
    CHILD_WINS = "child_wins"
    MERGE = "merge"


def parent_wins(parent: MemoryEntry, child: MemoryEntry) -> MemoryEntry:
    """The parent's entry, as it is."""
    return parent


def child_wins(parent: MemoryEntry, child: MemoryEntry) -> MemoryEntry:
    """The child's content, as the version after both."""
    return _after(parent, child, child.content, child.updated_by)


def merge(parent: MemoryEntry, child: MemoryEntry) -> MemoryEntry:
    """Both contents in one, as the version after both; where both say something, the child wins.

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
    """Two JSON values in one: objects are joined key by key, of anything else the child's is taken.

    >>> merged({"a": {"x": 1, "y": 2}, "b": [1]}, {"a": {"y": 3}, "b": [2]})
    {'a': {'x': 1, 'y': 3}, 'b': [2]}
    """
    if not isinstance(parent, Mapping) or not isinstance(child, Mapping):
        return child
    old, new = cast(Mapping[str, object], parent), cast(Mapping[str, object], child)
    joined = {key: merged(value, new[key]) if key in new else value for key, value in old.items()}
    return joined | {key: value for key, value in new.items() if key not in old}


def resolved(parent: MemoryEntry, child: MemoryEntry, how: Resolution | str) -> MemoryEntry:
    """What both become; an unknown way is an error that lists the ways."""
    if str(how) not in _WAYS:
        raise Invalid(f"there is no way {str(how)!r} to resolve a conflict: use {', '.join(Resolution)}")
    return _WAYS[Resolution(str(how))](parent, child)


def _after(parent: MemoryEntry, child: MemoryEntry, content: object, by: str) -> MemoryEntry:
    return replace(
        parent,
        content=content,
        version=max(parent.version, child.version) + 1,
        parent_version=parent.version,
        updated_by=by,
        metadata={**parent.metadata, **child.metadata},
    )


_WAYS: dict[Resolution, Callable[[MemoryEntry, MemoryEntry], MemoryEntry]] = {
    Resolution.PARENT_WINS: parent_wins,
    Resolution.CHILD_WINS: child_wins,
    Resolution.MERGE: merge,
}
