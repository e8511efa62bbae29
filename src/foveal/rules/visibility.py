"""Who may see and who may change a record. Every store enforces these rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime

from foveal.errors import Conflict, Forbidden, NotFound, PreconditionFailed
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record, Scope
from foveal.rules.filters import matches


def parent_node(node: str) -> str | None:
    """The node one step up, or None for the root.

    >>> parent_node("/planner/researcher"), parent_node("/planner"), parent_node("/")
    ('/planner', '/', None)
    """
    if node == "/":
        return None
    return node.rpartition("/")[0] or "/"


def reaches(scope: Scope, author: str, reader: str) -> bool:
    """Whether what `author` wrote at `scope` reaches `reader`, two nodes of one organism.

    SHARED goes exactly one step up or down, so siblings do not see each other.

    >>> reaches(Scope.SHARED, "/a", "/a/b"), reaches(Scope.SHARED, "/a/b", "/a/c")
    (True, False)
    """
    if author == reader or scope is Scope.GLOBAL:
        return True
    return scope is Scope.SHARED and (parent_node(reader) == author or parent_node(author) == reader)


def may_change(record: Record, viewpoint: Viewpoint) -> bool:
    """Whether a node may change a record that it sees: its own, or one of a node below it.

    Records of other nodes are read-only.
    """
    return oversees(viewpoint.node, record.node)


def oversees(node: str, other: str) -> bool:
    """Whether `other` is this node or a node below it.

    >>> oversees("/a", "/a/b"), oversees("/a", "/ab"), oversees("/", "/a")
    (True, False, True)
    """
    return other == node or other.startswith(node.rstrip("/") + "/")


# Stands between a node and a name of its own; no name contains it.
OWNED = "\x1f"


def owned_name(node: str, name: str) -> str:
    r"""The name of a group, session or snapshot as it is stored, which is unique to the node that gave it.

    >>> owned_name("/", "trip"), owned_name("/a", "trip")
    ('trip', '/a\x1ftrip')
    """
    return name if node == "/" else f"{node}{OWNED}{name}"


def owner_and_name(stored: str) -> tuple[str, str]:
    """The node that gave a stored name, and the name.

    >>> owner_and_name("trip"), owner_and_name(owned_name("/a", "trip"))
    (('/', 'trip'), ('/a', 'trip'))
    """
    node, owned, name = stored.partition(OWNED)
    return (node, name) if owned else ("/", stored)


def may_know(node: str, owner: str) -> bool:
    """Whether a node may know of a group, session or snapshot: of the root, its own, or of a node below it.

    >>> may_know("/a", "/"), may_know("/a", "/a/b"), may_know("/a", "/b")
    (True, True, False)
    """
    return owner == "/" or oversees(node, owner)


def follows(version: Record, access: Access) -> bool:
    """Whether a caller who sees a record may also see this earlier version; the version's own scope decides."""
    return access.as_owner or reaches(version.scope, version.node, access.viewpoint.node)


def require_own(records: Iterable[Record], access: Access) -> None:
    """Raise `Forbidden` for the first record that `access` may not change."""
    for record in records:
        if not access.as_owner and not may_change(record, access.viewpoint):
            raise Forbidden(f"{record.id} belongs to {record.node} and is read-only here", record_id=record.id)


def require_whole(moved: Iterable[str], seen: Container[str]) -> None:
    """Raise `Forbidden` if a move also changed records that are not visible, because it is undone as a whole.

    >>> require_whole(["a"], {"a", "b"})
    """
    if any(record_id not in seen for record_id in moved):
        raise Forbidden("the move also changed records that this node cannot see: only its author can undo it")


def known(record: Record, access: Access, later: Sequence[Record] = ()) -> bool:
    """Whether this version was the known one, and true, at the moments that `access` asks for.

    `later` has the versions after it. An update leaves the old version true for the time before the new one becomes
    valid; a correction, which is valid from the same time or earlier, does not.
    """
    if access.as_of and record.recorded_at > access.as_of:
        return False
    if access.valid_at is None:
        return record.superseded_at is None or (access.as_of is not None and record.superseded_at > access.as_of)
    if record.valid_from > access.valid_at or (record.valid_to and record.valid_to <= access.valid_at):
        return False
    return not any(
        version.valid_from <= access.valid_at and not (access.as_of and version.recorded_at > access.as_of)
        for version in later
    )


def gone(record: Record, moment: datetime) -> bool:
    """Whether a record is forgotten or has expired."""
    expires = record.vitals.expires_at
    return record.vitals.forgotten_at is not None or (expires is not None and expires <= moment)


def visible(record: Record, access: Access, later: Sequence[Record] = ()) -> bool:
    """Whether `access` may see this version of the record. Every store enforces this rule."""
    if (record.world, record.actor_id) != access.viewpoint.organism:
        return False
    if not access.as_owner and not reaches(record.scope, record.node, access.viewpoint.node):
        return False
    if gone(record, access.as_of or access.now) and not access.include_hidden:
        return False
    if access.for_recall and record.vitals.muted:
        return False
    return known(record, access, later) and (access.where is None or matches(access.where, record))


def require_free(ids: Sequence[str], taken: Mapping[str, datetime | None]) -> None:
    """Raise `Conflict` for the first id that is taken or given twice.

    `taken` maps the ids that the store knows to the time of their erasure, or None if they still exist.

    >>> require_free(["a", "b"], {})
    >>> require_free(["a", "a"], {})
    Traceback (most recent call last):
    foveal.errors.Conflict: the id a is taken
    """
    counts = Counter(ids)
    for record_id in ids:
        if record_id in taken or counts[record_id] > 1:
            erased = taken.get(record_id)
            raise Conflict(
                f"the id {record_id} is taken", record_id=record_id, **({"erased_at": erased} if erased else {})
            )


def require_found(ids: Sequence[str], found: Iterable[Record]) -> None:
    """Raise `NotFound` for the first id that does not exist or is not visible; the error does not say which.

    >>> require_found([], [])
    """
    missing = set(ids) - {record.id for record in found}
    if missing:
        first = next(record_id for record_id in ids if record_id in missing)
        raise NotFound(f"there is no record {first!r} here", record_id=first)


def require_same_organism(record: Record, access: Access) -> None:
    """Raise `NotFound` for a record of another organism."""
    if (record.world, record.actor_id) != access.viewpoint.organism:
        raise NotFound(f"there is no record {record.id!r} here", record_id=record.id)


def require_newest(record: Record, newest: Record, access: Access) -> None:
    """Raise unless `record` is the next version after `newest`, and `access` may change it."""
    require_own([newest], access)
    if record.version != newest.version + 1:
        raise PreconditionFailed(
            f"{record.id} is at version {newest.version}", record_id=record.id, version=newest.version
        )


def require_new(stored: Iterable[tuple[Record, bool]]) -> None:
    """Raise `Conflict` for the first record that was already stored."""
    for record, new in stored:
        if not new:
            raise Conflict("this idempotency key was used", key=record.idempotency_key)
