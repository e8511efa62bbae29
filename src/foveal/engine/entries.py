"""Entries of nodes: looked up by name, written as versions, passed between parent and child."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from foveal.engine.core import Core
from foveal.engine.write import entries
from foveal.errors import Conflict, PreconditionFailed
from foveal.model.ids import new_id
from foveal.model.query import Details, Viewpoint
from foveal.model.record import Record, Scope
from foveal.model.results import Cleared, MemoryEntry, Move, Synced, What
from foveal.ports.store import Act, Entry, Order
from foveal.rules.drafts import (
    ENTRY,
    TASK,
    Resolution,
    about,
    drafted,
    entry_key,
    entry_of,
    inside,
    next_version,
    resolved,
    written_content,
)
from foveal.rules.filters import parsed_filter
from foveal.rules.lifecycle import archived

Where = Mapping[str, Any]
# What says that an entry came from a child: which record, its version, and the version it became here.
ORIGIN = ("from", "from_version", "taken")


def task_of(core: Core, viewpoint: Viewpoint) -> Record | None:
    """The record of the task that a node works on."""
    return core.store.keyed(core.sight(viewpoint), viewpoint.node, [TASK]).get(TASK)


def number_of(task: Record | None) -> int:
    """The number of a task; 0 before the first."""
    return 0 if task is None else int(task.metadata[TASK])


def held(core: Core, viewpoint: Viewpoint, scope: Scope, name: str, *, by: str | None = None) -> Record | None:
    """The record of the entry that a node, or `by` another, holds under a name at a scope."""
    node = by or viewpoint.node
    task = number_of(task_of(core, viewpoint)) if scope is Scope.LOCAL else 0
    key = entry_key(scope, task, name)
    return core.store.keyed(core.sight(viewpoint), node, [key]).get(key)


def listed(core: Core, viewpoint: Viewpoint, where: Where) -> list[Record]:
    """The records of entries that a node sees, oldest first; of LOCAL ones, those of its task."""
    task = number_of(task_of(core, viewpoint))
    sight = core.sight(viewpoint, where=parsed_filter({"kind": ENTRY, "and": [where]}))
    found = [one for one in core.store.scan(sight, order=Order.OLDEST) if inside(one)]
    return [one for one in found if one.scope is not Scope.LOCAL or inside(one)["task"] == task]


def put(core: Core, viewpoint: Viewpoint, entry: MemoryEntry, expected: int | None) -> MemoryEntry:
    """Write an entry, as a new one or as the next version of what the node holds."""
    known = held(core, viewpoint, entry.scope, entry.id)
    version = inside(known)["version"] if known else 0
    if expected is not None and expected != version:
        raise PreconditionFailed(
            f"{entry.id} is at version {version}, not {expected}", entry_id=entry.id, version=version
        )
    made = [_version(core, viewpoint, entry, known)]
    fresh, later = (made, []) if known is None else ([], made)
    try:
        [stored] = core.store.file(core.sight(viewpoint), fresh, later, core.encoder)
    except Conflict as error:
        if isinstance(error, PreconditionFailed):
            raise
        raise PreconditionFailed(f"{entry.id} was written by another meanwhile", entry_id=entry.id) from error
    return entry_of(stored, viewpoint.node)


def _version(
    core: Core, viewpoint: Viewpoint, entry: MemoryEntry, known: Record | None, given: Where | None = None
) -> Entry:
    """The record of an entry, ready for the store: a new one, or the version after `known`."""
    text, _ = written_content(entry.content)
    now = core.clock.now()
    task = number_of(task_of(core, viewpoint))
    if known is not None:
        before = entry_of(known, viewpoint.node)
        entry = msgspec.structs.replace(
            entry,
            version=max(entry.version, before.version + 1),
            parent_version=before.version,
            created_by=before.created_by,
            metadata={**before.metadata, **entry.metadata},
        )
        told = inside(known)
        origin = {name: told[name] for name in ORIGIN if name in told}
        said: Details = {"metadata": about(entry, told["task"], {**origin, **(given or {})})}
        record = next_version(known, text, said, now)
        # What is written again is no longer put away.
        vitals = msgspec.structs.replace(record.vitals, archived_at=None)
        return entries(core, [msgspec.structs.replace(record, vitals=vitals)])[0]
    fresh: Details = {
        "kind": ENTRY,
        "scope": entry.scope,
        "source": "agent",
        "metadata": about(entry, task, given),
        "idempotency_key": entry_key(entry.scope, task, entry.id),
    }
    return entries(core, [drafted(text, fresh, viewpoint, now, new_id(now))])[0]


def update_task(core: Core, viewpoint: Viewpoint, text: str) -> Cleared:
    """Give a node its next task, and archive the LOCAL records of the one before."""
    task = task_of(core, viewpoint)
    now, own = core.clock.now(), _own(viewpoint, task)
    ids, pinned = _put_away(core, viewpoint, own, now)
    last = task.metadata["tasks"] if task else 0
    about_it = {TASK: last + 1, "tasks": last + 1, "before": number_of(task), "cleared_at": now.isoformat()}
    return Cleared(task=_task(core, viewpoint, text, task, about_it), ids=ids, pinned=pinned)


def reopen_task(core: Core, viewpoint: Viewpoint, task: Record) -> Cleared:
    """Take the last task back: the one before it is the node's again, with the LOCAL records it had."""
    sight = core.sight(viewpoint)
    versions = core.store.history(sight, task.id)
    before = [one for one in versions if one.metadata[TASK] == task.metadata["before"]]
    if not before:
        raise Conflict("there is no task before this one", record_id=task.id)
    ids, pinned = _put_away(core, viewpoint, _own(viewpoint, task), sight.now)
    cleared = datetime.fromisoformat(task.metadata["cleared_at"])
    where = parsed_filter({**_own(viewpoint, before[-1]), "archived": True})
    archived = core.store.scan(core.sight(viewpoint, where=where), order=Order.OLDEST)
    again = [one.id for one in archived if one.vitals.archived_at == cleared]
    core.store.revise(sight, again, lambda one: msgspec.structs.replace(one.vitals, archived_at=None))
    about_it = {**before[-1].metadata, "tasks": task.metadata["tasks"]}
    return Cleared(task=_task(core, viewpoint, before[-1].text, task, about_it), ids=ids, pinned=pinned)


def _own(viewpoint: Viewpoint, task: Record | None) -> dict[str, Any]:
    """What belongs to a task: LOCAL entries that were written in it, and LOCAL records under its record."""
    mine: list[Where] = [{"kind": ENTRY, f"metadata.{ENTRY}.task": number_of(task)}]
    mine += [] if task is None else [{"parent_id": task.id}]
    return {"node": viewpoint.node, "scope": Scope.LOCAL.value, "or": mine}


def _put_away(
    core: Core, viewpoint: Viewpoint, own: Where, now: datetime
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    where = parsed_filter({**own, "archived": False})
    found = list(core.store.scan(core.sight(viewpoint, where=where), order=Order.OLDEST))
    shifts = [archived(one, "its task is over", now) for one in found if not one.vitals.pinned]
    if shifts:
        move = Move(
            id=new_id(now),
            at=now,
            who=viewpoint.node,
            what=What.CLEARED,
            why="its task is over",
            changes=tuple(one.change for one in shifts),
        )
        core.store.act(core.sight(viewpoint), [Act(move=move)], core.encoder)
    ids = tuple(one.record.id for one in shifts)
    return ids, tuple(one.id for one in found if one.vitals.pinned)


def _task(core: Core, viewpoint: Viewpoint, text: str, task: Record | None, about_it: dict[str, Any]) -> Record:
    now = core.clock.now()
    if task is not None:
        record = next_version(task, text, {"metadata": about_it}, now)
        return core.store.supersede(core.sight(viewpoint), entries(core, [record])[0], core.encoder)
    said: Details = {"metadata": about_it, "kind": TASK, "idempotency_key": TASK}
    record = drafted(text, said, viewpoint, now, new_id(now))
    return core.store.append(entries(core, [record]), core.encoder)[0][0]


def hand_up(core: Core, child: Viewpoint, parent: Viewpoint, how: str) -> Synced:
    """Make the child's SHARED entries the parent's LOCAL ones, in one transaction.

    What came from the child before and was not changed since is replaced by its newer version.
    """
    fresh: list[Entry] = []
    later: list[Entry] = []
    taken: list[str] = []
    settled: list[str] = []
    for record in listed(core, child, {"node": child.node, "scope": Scope.SHARED.value}):
        theirs = entry_of(record, child.node)
        origin: dict[str, Any] = {"from": record.id, "from_version": theirs.version}
        known = held(core, parent, Scope.LOCAL, theirs.id)
        if known is None:
            mine = msgspec.structs.replace(theirs, scope=Scope.LOCAL, parent_version=theirs.version, version=1)
            fresh.append(_version(core, parent, mine, None, {**origin, "taken": 1}))
            taken.append(theirs.id)
            continue
        told, mine = inside(known), entry_of(known, parent.node)
        if (told.get("from"), told.get("from_version")) == (record.id, theirs.version):
            continue
        untouched = told.get("from") == record.id and told.get("taken") == mine.version
        answer = resolved(mine, theirs, Resolution.CHILD_WINS if untouched else how)
        if answer != mine:
            later.append(_version(core, parent, answer, known, {**origin, **_untouched(untouched, answer)}))
        (taken if untouched else settled).append(theirs.id)
    core.store.file(core.sight(parent), fresh, later, core.encoder)
    return Synced(taken=tuple(taken), resolved=tuple(settled))


def _untouched(untouched: bool, answer: MemoryEntry) -> dict[str, int]:
    return {"taken": answer.version} if untouched else {}


def reconciled(core: Core, child: Viewpoint, parent: Viewpoint, how: str) -> Synced:
    """Let a child and its parent agree on the SHARED entries that both hold, in one transaction."""
    later: list[Entry] = []
    settled: list[str] = []
    for record in listed(core, child, {"node": child.node, "scope": Scope.SHARED.value}):
        theirs = entry_of(record, child.node)
        known = held(core, parent, Scope.SHARED, theirs.id)
        ours = None if known is None else entry_of(known, parent.node)
        if known is None or ours is None or ours.content == theirs.content:
            continue
        answer = resolved(ours, theirs, how)
        for who, one, was in ((parent, known, ours), (child, record, theirs)):
            if was.content != answer.content:
                later.append(_version(core, who, answer, one))
        settled.append(theirs.id)
    # The parent stands above both, and may change both.
    core.store.file(core.sight(parent), [], later, core.encoder)
    return Synced(taken=(), resolved=tuple(settled))
