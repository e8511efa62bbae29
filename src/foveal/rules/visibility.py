"""Who may see and who may change a record, and when: the one law."""

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
    """Whether a node may change what it sees: its own records, and those of the nodes below it.

    What comes from above or from beside is read-only.
    """
    return oversees(viewpoint.node, record.node)


def oversees(node: str, other: str) -> bool:
    """Whether `other` is this node, or one below it.

    >>> oversees("/a", "/a/b"), oversees("/a", "/ab"), oversees("/", "/a")
    (True, False, True)
    """
    return other == node or other.startswith(node.rstrip("/") + "/")


def follows(version: Record, access: Access) -> bool:
    """Whether whoever sees a record may also see this earlier version of it: its own scope decides."""
    return access.as_owner or reaches(version.scope, version.node, access.viewpoint.node)


def require_own(records: Iterable[Record], access: Access) -> None:
    """Raise `Forbidden` for the first record that may be seen but not changed."""
    for record in records:
        if not access.as_owner and not may_change(record, access.viewpoint):
            raise Forbidden(f"{record.id} belongs to {record.node} and is read-only here", record_id=record.id)


def require_whole(moved: Iterable[str], seen: Container[str]) -> None:
    """Raise `Forbidden` if a move also changed what is not seen: it is undone as a whole or not at all.

    >>> require_whole(["a"], {"a", "b"})
    """
    if any(one not in seen for one in moved):
        raise Forbidden("the move also changed what does not reach this node: whoever made it can undo it")


def known(record: Record, access: Access, later: Sequence[Record] = ()) -> bool:
    """Whether this version is the one that was known, and true, at the moments asked for.

    `later` are the versions after it. An update leaves the old version true for the time before its
    successor began; a correction, which begins no later, does not.
    """
    if access.as_of and record.recorded_at > access.as_of:
        return False
    if access.valid_at is None:
        return record.superseded_at is None or (access.as_of is not None and record.superseded_at > access.as_of)
    if record.valid_from > access.valid_at or (record.valid_to and record.valid_to <= access.valid_at):
        return False
    return not any(
        one.valid_from <= access.valid_at and not (access.as_of and one.recorded_at > access.as_of) for one in later
    )


def gone(record: Record, moment: datetime) -> bool:
    """Whether a record is forgotten, or has run out of time."""
    expires = record.vitals.expires_at
    return record.vitals.forgotten_at is not None or (expires is not None and expires <= moment)


def visible(record: Record, access: Access, later: Sequence[Record] = ()) -> bool:
    """Whether `access` may see this version of the record: the law that every store enforces."""
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
    """Raise `Conflict` for the first id that is taken, or stands here twice.

    `taken` has the ids that the store knows, with the moments at which those that are gone were erased.

    >>> require_free(["a", "b"], {})
    >>> require_free(["a", "a"], {})
    Traceback (most recent call last):
    foveal.errors.Conflict: the id a is taken
    """
    counts = Counter(ids)
    for one in ids:
        if one in taken or counts[one] > 1:
            erased = taken.get(one)
            raise Conflict(f"the id {one} is taken", record_id=one, **({"erased_at": erased} if erased else {}))


def require_found(ids: Sequence[str], found: Iterable[Record]) -> None:
    """Raise `NotFound` for the first id that was not found, or may not be seen: we do not say which.

    >>> require_found([], [])
    """
    missing = set(ids) - {record.id for record in found}
    if missing:
        first = next(one for one in ids if one in missing)
        raise NotFound(f"there is no record {first!r} here", record_id=first)


def require_same_organism(record: Record, access: Access) -> None:
    """Raise `NotFound` for a version of a record that lies in another organism than is looked at."""
    if (record.world, record.actor_id) != access.viewpoint.organism:
        raise NotFound(f"there is no record {record.id!r} here", record_id=record.id)


def require_newest(record: Record, newest: Record, access: Access) -> None:
    """Raise the error for what is not the next version of a record that may be changed here."""
    require_own([newest], access)
    if record.version != newest.version + 1:
        raise PreconditionFailed(
            f"{record.id} is at version {newest.version}", record_id=record.id, version=newest.version
        )


def require_new(stored: Iterable[tuple[Record, bool]]) -> None:
    """Raise `Conflict` for the first record that was stored before, where all have to be new."""
    for record, new in stored:
        if not new:
            raise Conflict("this idempotency key was used", key=record.idempotency_key)
