"""Named entries of the nodes in the tree of agents: held by a node, shared along the tree, handed up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

import msgspec

from foveal.engine.records.relations import nodes
from foveal.engine.records.write import entries
from foveal.engine.runtime.facade import Facade, checks_arguments
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from foveal.model.ids import new_id
from foveal.model.query import At, Details, Viewpoint
from foveal.model.record import Record, Scope
from foveal.model.results import Cleared, MemoryEntry, Move, Node, Synced, What
from foveal.ports.store import NewRecord, Order, PlannedMove
from foveal.rules.drafts import (
    ENTRY,
    TASK,
    Resolution,
    about,
    checked_entry,
    entry_key,
    entry_of,
    inside,
    new_record,
    next_version,
    resolved,
    stored_scope,
    viewpoint_of,
    written_content,
)
from foveal.rules.filters import parsed_filter
from foveal.rules.lifecycle import archived
from foveal.rules.validation import checked_count, checked_text
from foveal.rules.visibility import may_change, parent_node

Where = Mapping[str, Any]
# Where an entry came from, if from a child: the record there, its version, and the version it became here.
ORIGIN = ("from", "from_version", "taken")


def task_of(runtime: Runtime, viewpoint: Viewpoint) -> Record | None:
    """The record of the task that a node works on."""
    return runtime.store.records.keyed(runtime.access(viewpoint), viewpoint.node, [TASK]).get(TASK)


def number_of(task: Record | None) -> int:
    """The number of a task; 0 before the first."""
    return 0 if task is None else int(task.metadata[TASK])


def held(
    runtime: Runtime, viewpoint: Viewpoint, scope: Scope, name: str, *, by: str | None = None
) -> Record | None:
    """The record of the entry that this node, or the node `by`, holds under a name at a scope."""
    node = by or viewpoint.node
    task = number_of(task_of(runtime, viewpoint)) if scope is Scope.LOCAL else 0
    key = entry_key(scope, task, name)
    return runtime.store.records.keyed(runtime.access(viewpoint), node, [key]).get(key)


def listed(runtime: Runtime, viewpoint: Viewpoint, where: Where) -> list[Record]:
    """The records of the entries that a node sees, oldest first; of LOCAL ones, only those of its current task."""
    task = number_of(task_of(runtime, viewpoint))
    access = runtime.access(viewpoint, where=parsed_filter({"kind": ENTRY, "and": [where]}))
    records = [record for record in runtime.store.records.scan(access, order=Order.OLDEST) if inside(record)]
    return [record for record in records if record.scope is not Scope.LOCAL or inside(record)["task"] == task]


def latest(runtime: Runtime, viewpoint: Viewpoint, scope: Scope, name: str) -> Record | None:
    """The record of the latest change that reaches a node of the entry of this name.

    A SHARED entry changes at the node, at its parent and at its children; a GLOBAL one, at any node.
    """
    if scope is Scope.LOCAL:
        return held(runtime, viewpoint, scope, name)
    records = listed(runtime, viewpoint, {"scope": scope.value, f"metadata.{ENTRY}.name": name})
    return max(records, key=lambda record: (record.recorded_at, inside(record)["version"], record.id), default=None)


def put(runtime: Runtime, viewpoint: Viewpoint, entry: MemoryEntry, expected: int | None) -> MemoryEntry:
    """Write an entry, as a new one or as the next version of the one the node holds."""
    newest = latest(runtime, viewpoint, entry.scope, entry.id)
    version = inside(newest)["version"] if newest else 0
    if expected is not None and expected != version:
        raise PreconditionFailed(
            f"{entry.id} is at version {version}, not {expected}", entry_id=entry.id, version=version
        )
    known = newest if entry.scope is Scope.GLOBAL else held(runtime, viewpoint, entry.scope, entry.id)
    if known is not None and not may_change(known, viewpoint):
        raise Forbidden(
            f"the GLOBAL entry {entry.id!r} is by {known.node}: only that node and those above it change it",
            entry_id=entry.id,
            node=known.node,
        )
    if newest is not None and newest is not known:
        # The next version of what the parent or a child shares under this name, at this node.
        before = inside(newest)
        entry = msgspec.structs.replace(
            entry, version=version + 1, parent_version=version, created_by=before["created_by"]
        )
    versions = [_version(runtime, viewpoint, entry, known)]
    fresh, later = (versions, []) if known is None else ([], versions)
    try:
        [stored] = runtime.writes.write_batch(runtime.access(viewpoint), fresh, later, runtime.encoder)
    except Conflict as error:
        if isinstance(error, PreconditionFailed):
            raise
        raise PreconditionFailed(f"{entry.id} was written by another meanwhile", entry_id=entry.id) from error
    if known is None and entry.scope is Scope.GLOBAL:
        _require_first(runtime, viewpoint, stored, entry.id)
    return entry_of(stored, viewpoint.node)


def _require_first(runtime: Runtime, viewpoint: Viewpoint, stored: Record, name: str) -> None:
    """Take a new GLOBAL entry back if another node wrote one of the same name at the same time, and raise."""
    records = listed(runtime, viewpoint, {"scope": Scope.GLOBAL.value, f"metadata.{ENTRY}.name": name})
    first = min(records, key=lambda record: (record.recorded_at, record.id), default=stored)
    if first.id != stored.id:
        access = runtime.access(viewpoint)
        runtime.writes.revise(
            access, [stored.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=access.now)
        )
        raise Forbidden(
            f"the GLOBAL entry {name!r} is by {first.node}: only that node and those above it change it",
            entry_id=name,
            node=first.node,
        )


def _version(
    runtime: Runtime,
    viewpoint: Viewpoint,
    entry: MemoryEntry,
    known: Record | None,
    new_origin: Where | None = None,
) -> NewRecord:
    """The record of an entry, ready for the store: a new one, or the version after `known`."""
    text, _ = written_content(entry.content)
    now = runtime.clock.now()
    task = number_of(task_of(runtime, viewpoint))
    if known is not None:
        before = entry_of(known, viewpoint.node)
        entry = msgspec.structs.replace(
            entry,
            version=max(entry.version, before.version + 1),
            parent_version=max(entry.parent_version or 0, before.version),
            created_by=before.created_by,
            metadata={**before.metadata, **entry.metadata},
        )
        stored = inside(known)
        origin = {name: stored[name] for name in ORIGIN if name in stored}
        changed: Details = {"metadata": about(entry, stored["task"], {**origin, **(new_origin or {})})}
        record = next_version(known, text, changed, now)
        # Writing an archived entry again brings it back.
        vitals = msgspec.structs.replace(record.vitals, archived_at=None)
        return entries(runtime, [msgspec.structs.replace(record, vitals=vitals)])[0]
    fresh: Details = {
        "kind": ENTRY,
        "scope": entry.scope,
        "source": "agent",
        "metadata": about(entry, task, new_origin),
        "idempotency_key": entry_key(entry.scope, task, entry.id),
    }
    return entries(runtime, [new_record(text, fresh, viewpoint, now, new_id(now))])[0]


def update_task(runtime: Runtime, viewpoint: Viewpoint, text: str) -> Cleared:
    """Give a node its next task, and archive the LOCAL records of the previous one."""
    task = task_of(runtime, viewpoint)
    now, own = runtime.clock.now(), _task_filter(viewpoint, task)
    ids, pinned = _archive(runtime, viewpoint, own, now)
    last = task.metadata["tasks"] if task else 0
    metadata = {TASK: last + 1, "tasks": last + 1, "before": number_of(task), "cleared_at": now.isoformat()}
    return Cleared(task=_put_task(runtime, viewpoint, text, task, metadata), ids=ids, pinned=pinned)


def reopen_task(runtime: Runtime, viewpoint: Viewpoint, task: Record) -> Cleared:
    """Return to the previous task, with the LOCAL records it had."""
    access = runtime.access(viewpoint)
    versions = runtime.store.records.history(access, task.id)
    before = [version for version in versions if version.metadata[TASK] == task.metadata["before"]]
    if not before:
        raise Conflict("there is no task before this one", record_id=task.id)
    ids, pinned = _archive(runtime, viewpoint, _task_filter(viewpoint, task), access.now)
    cleared = datetime.fromisoformat(task.metadata["cleared_at"])
    where = parsed_filter({**_task_filter(viewpoint, before[-1]), "archived": True})
    archived = runtime.store.records.scan(runtime.access(viewpoint, where=where), order=Order.OLDEST)
    restored = [record.id for record in archived if record.vitals.archived_at == cleared]
    runtime.writes.revise(access, restored, lambda record: msgspec.structs.replace(record.vitals, archived_at=None))
    metadata = {**before[-1].metadata, "tasks": task.metadata["tasks"]}
    return Cleared(task=_put_task(runtime, viewpoint, before[-1].text, task, metadata), ids=ids, pinned=pinned)


def _task_filter(viewpoint: Viewpoint, task: Record | None) -> dict[str, Any]:
    """A filter for the LOCAL entries written in a task and the LOCAL records under the record of the task."""
    belongs: list[Where] = [{"kind": ENTRY, f"metadata.{ENTRY}.task": number_of(task)}]
    belongs += [] if task is None else [{"parent_id": task.id}]
    return {"node": viewpoint.node, "scope": Scope.LOCAL.value, "or": belongs}


def _archive(
    runtime: Runtime, viewpoint: Viewpoint, own: Where, now: datetime
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Archive the records that a filter finds. Returns the archived ids, and the pinned ones, which stay."""
    where = parsed_filter({**own, "archived": False})
    records = list(runtime.store.records.scan(runtime.access(viewpoint, where=where), order=Order.OLDEST))
    shifts = [archived(record, "its task is over", now) for record in records if not record.vitals.pinned]
    if shifts:
        move = Move(
            id=new_id(now),
            at=now,
            who=viewpoint.node,
            what=What.CLEARED,
            why="its task is over",
            changes=tuple(shift.change for shift in shifts),
        )
        runtime.writes.apply(runtime.access(viewpoint), [PlannedMove(move=move)], runtime.encoder)
    ids = tuple(shift.record.id for shift in shifts)
    return ids, tuple(record.id for record in records if record.vitals.pinned)


def _put_task(
    runtime: Runtime, viewpoint: Viewpoint, text: str, task: Record | None, metadata: dict[str, Any]
) -> Record:
    now = runtime.clock.now()
    if task is not None:
        record = next_version(task, text, {"metadata": metadata}, now)
        return runtime.writes.supersede(runtime.access(viewpoint), entries(runtime, [record])[0], runtime.encoder)
    details: Details = {"metadata": metadata, "kind": TASK, "idempotency_key": TASK, "scope": Scope.LOCAL}
    record = new_record(text, details, viewpoint, now, new_id(now))
    return runtime.writes.append(entries(runtime, [record]), runtime.encoder)[0][0]


def hand_up(runtime: Runtime, child: Viewpoint, parent: Viewpoint, how: str) -> Synced:
    """Copy the child's SHARED entries to the parent as LOCAL ones, in one transaction.

    An entry that came from the child before and was not changed since is replaced by the child's newer version.
    """
    fresh: list[NewRecord] = []
    later: list[NewRecord] = []
    taken: list[str] = []
    settled: list[str] = []
    for record in listed(runtime, child, {"node": child.node, "scope": Scope.SHARED.value}):
        theirs = entry_of(record, child.node)
        origin: dict[str, Any] = {"from": record.id, "from_version": theirs.version}
        known = held(runtime, parent, Scope.LOCAL, theirs.id)
        if known is None:
            mine = msgspec.structs.replace(theirs, scope=Scope.LOCAL, parent_version=theirs.version, version=1)
            fresh.append(_version(runtime, parent, mine, None, {**origin, "taken": 1}))
            taken.append(theirs.id)
            continue
        stored, mine = inside(known), entry_of(known, parent.node)
        if (stored.get("from"), stored.get("from_version")) == (record.id, theirs.version):
            continue
        untouched = stored.get("from") == record.id and stored.get("taken") == mine.version
        answer = resolved(mine, theirs, Resolution.CHILD_WINS if untouched else how)
        if answer != mine:
            if untouched:
                origin["taken"] = answer.version
            later.append(_version(runtime, parent, answer, known, origin))
        (taken if untouched else settled).append(theirs.id)
    runtime.writes.write_batch(runtime.access(parent), fresh, later, runtime.encoder)
    return Synced(taken=tuple(taken), resolved=tuple(settled))


def reconciled(runtime: Runtime, child: Viewpoint, parent: Viewpoint, how: str) -> Synced:
    """Give the SHARED entries that a child and its parent both hold the same content, in one transaction."""
    later: list[NewRecord] = []
    settled: list[str] = []
    for record in listed(runtime, child, {"node": child.node, "scope": Scope.SHARED.value}):
        theirs = entry_of(record, child.node)
        known = held(runtime, parent, Scope.SHARED, theirs.id)
        ours = None if known is None else entry_of(known, parent.node)
        if known is None or ours is None or ours.content == theirs.content:
            continue
        answer = resolved(ours, theirs, how)
        for owner, stored, entry in ((parent, known, ours), (child, record, theirs)):
            if entry.content != answer.content:
                later.append(_version(runtime, owner, answer, stored))
        settled.append(theirs.id)
    # Written as the parent, which may change its own entries and those of its child.
    runtime.writes.write_batch(runtime.access(parent), [], later, runtime.encoder)
    return Synced(taken=(), resolved=tuple(settled))


DEFAULT_SCOPES = (Scope.LOCAL, Scope.SHARED)


@checks_arguments
class Nodes(Facade):
    """The tree of agents: its nodes, and their named entries and tasks, which `FractalMemory` has for one node."""

    def read_entry(
        self, entry_id: str, *, scopes: Sequence[Scope | str] = DEFAULT_SCOPES, **at: Unpack[At]
    ) -> MemoryEntry:
        """The entry of this name: LOCAL, then SHARED, with what the parent shares; GLOBAL only if asked for.

        Of a SHARED entry this is the latest change, made here, by the parent or by a child.
        """
        name, wanted = checked_entry(entry_id), {named_scope(scope) for scope in scopes}
        runtime, viewpoint = self._runtime, viewpoint_of(self._bound, at)
        lookups = {
            Scope.LOCAL: lambda: held(runtime, viewpoint, Scope.LOCAL, name),
            Scope.SHARED: lambda: latest(runtime, viewpoint, Scope.SHARED, name),
            Scope.INHERITED: lambda: _inherited(runtime, viewpoint, name),
            Scope.GLOBAL: lambda: latest(runtime, viewpoint, Scope.GLOBAL, name),
        }
        for scope, look_up in lookups.items():
            record = look_up() if scope in wanted else None
            if record is not None:
                return entry_of(record, viewpoint.node)
        raise NotFound(f"there is no entry {name!r} that {viewpoint.node} may see", entry_id=name)

    def write_entry(
        self,
        entry_id: str,
        content: Any = None,
        *,
        scope: Scope | str = Scope.LOCAL,
        expected_version: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        **at: Unpack[At],
    ) -> MemoryEntry:
        """Store content, text or JSON, under a name. A single argument is the content and gets a new name.

        Writing the same name again adds a version. `expected_version` is the version you read, or 0 for none; if
        someone else wrote first, this raises `PreconditionFailed`, which is a `Conflict`. A GLOBAL entry is changed
        by the node that wrote it and those above it; for any other this raises `Forbidden`, with the node.
        """
        viewpoint = viewpoint_of(self._bound, at)
        if content is None:
            entry_id, content = new_id(self._runtime.clock.now()), checked_text(entry_id, "content")
        if named_scope(scope) is Scope.INHERITED:
            raise Forbidden("INHERITED is a view of what the parent shares: write SHARED, or let the parent write")
        if expected_version is not None:
            checked_count(expected_version, "expected_version", 0)
        entry = MemoryEntry(
            id=checked_entry(entry_id),
            content=content,
            scope=stored_scope(scope),
            created_by=viewpoint.node,
            updated_by=viewpoint.node,
            metadata=metadata or {},
            node=viewpoint.node,
        )
        return put(self._runtime, viewpoint, entry, expected_version)

    def entries(self, *, scope: Scope | str | None = None, **at: Unpack[At]) -> list[MemoryEntry]:
        """The entries that the node may see, or those of one scope, oldest first."""
        viewpoint = viewpoint_of(self._bound, at)
        where = {} if scope is None else within_scope(named_scope(scope), viewpoint.node)
        return [entry_of(record, viewpoint.node) for record in listed(self._runtime, viewpoint, where)]

    def finish(self, resolver: str = Resolution.CHILD_WINS.value, **at: Unpack[At]) -> Synced:
        """Copy the SHARED entries of the node to its parent, as LOCAL entries there: all or none.

        If the parent holds an entry of the same name that did not come from here, the resolver decides. Calling it
        again copies only what is new.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return hand_up(self._runtime, viewpoint, _above(viewpoint), resolver)

    def reconcile(self, resolver: str = Resolution.MERGE.value, **at: Unpack[At]) -> Synced:
        """Give the SHARED entries that the node and its parent both hold the same content: all or none."""
        viewpoint = viewpoint_of(self._bound, at)
        return reconciled(self._runtime, viewpoint, _above(viewpoint), resolver)

    def task(self, **at: Unpack[At]) -> Record | None:
        """The record of the task that the node works on, or None before its first."""
        return task_of(self._runtime, viewpoint_of(self._bound, at))

    def update_task(self, task: str, **at: Unpack[At]) -> Cleared:
        """Give the node its next task. The LOCAL records of the previous one are archived; pinned ones stay."""
        return update_task(self._runtime, viewpoint_of(self._bound, at), checked_text(task, "task"))

    def reopen_task(self, **at: Unpack[At]) -> Cleared:
        """Undo the last `update_task`: return to the previous task, with the LOCAL records it had."""
        viewpoint = viewpoint_of(self._bound, at)
        task = task_of(self._runtime, viewpoint)
        if task is None:
            raise NotFound(f"{viewpoint.node} has no task")
        return reopen_task(self._runtime, viewpoint, task)

    def list(self, **at: Unpack[At]) -> list[Node]:
        """The nodes whose records reach you and the nodes below you, with how many records each wrote.

        For a node below you this counts its private records too, but never shows them.
        """
        return nodes(self._runtime, self._access(at))


def _inherited(runtime: Runtime, viewpoint: Viewpoint, name: str) -> Record | None:
    above = parent_node(viewpoint.node)
    return None if above is None else held(runtime, viewpoint, Scope.SHARED, name, by=above)


def _above(viewpoint: Viewpoint) -> Viewpoint:
    above = parent_node(viewpoint.node)
    if above is None:
        raise Invalid("the root has no parent")
    return msgspec.structs.replace(viewpoint, node=above)


def within_scope(scope: Scope, node: str) -> dict[str, Any]:
    """A filter for what a node sees of a scope."""
    if scope is Scope.INHERITED:
        return {"scope": Scope.SHARED.value, "node": parent_node(node)}
    if scope is Scope.SHARED:
        return {"scope": scope.value, "node": {"ne": parent_node(node)}}
    return {"scope": scope.value}


def named_scope(name: Scope | str) -> Scope:
    """The scope with this name, in any case."""
    for scope in Scope:
        if str(name).lower() == scope.value:
            return scope
    raise Invalid(f"{name!r} is not a scope; use {', '.join(Scope)}")
