"""Snapshots: take, compare and restore them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from foveal.engine.records.write import entries
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import NotFound
from foveal.model.crystal import Changes, Restored, Snapshot
from foveal.model.ids import new_id
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record, Vitals
from foveal.model.results import Change, Move, What
from foveal.ports.store import PlannedMove
from foveal.rules.visibility import may_change

# The fields that make up the content of a version. The address is left out: its slice differs in every version.
_CONTENT = ("text", "region", "kind", "scope", "source", "speaker", "tags", "metadata", "parent_id", "linearity",
    "occurred_at", "valid_from", "valid_to")  # fmt: skip
_END = datetime.max.replace(tzinfo=UTC)


def take(runtime: Runtime, viewpoint: Viewpoint, label: str) -> Snapshot:
    """Name the present state."""
    now = runtime.clock.now()
    taken = Snapshot(id=f"snap_{new_id(now)}", label=label, taken_at=now, node=viewpoint.node)
    return runtime.store.snapshots.put(viewpoint, taken)


def found(runtime: Runtime, viewpoint: Viewpoint, snapshot: Snapshot | str) -> Snapshot:
    """The snapshot with this id, or else the newest with this label."""
    if isinstance(snapshot, Snapshot):
        return snapshot
    known = runtime.store.snapshots.all(viewpoint)
    matching = [each for each in known if each.id == snapshot] or [each for each in known if each.label == snapshot]
    if not matching:
        raise NotFound(f"there is no snapshot {snapshot!r} here", snapshot=snapshot)
    return matching[-1]


def changes(runtime: Runtime, viewpoint: Viewpoint, since: datetime, until: datetime | None) -> Changes:
    """What changed between two moments, or from one until now."""
    return runtime.store.snapshots.changes(_owning(runtime, viewpoint), since, until or _END)


def restore(runtime: Runtime, viewpoint: Viewpoint, snapshot: Snapshot) -> Restored:
    """Return to what was known at a snapshot by adding versions and moves; nothing stored is removed.

    An interrupted call can be repeated and does what is left to do.
    """
    before = take(runtime, viewpoint, f"before restoring {snapshot.label}")
    access = _owning(runtime, viewpoint)
    changed = runtime.store.snapshots.changes(access, snapshot.taken_at, before.taken_at)
    later = _mine(runtime, access, [*changed.added, *changed.recovered])
    pinned = [record.id for record in later if record.vitals.pinned]
    forgotten = [record.id for record in later if not record.vitals.pinned]
    recovered = [record.id for record in _mine(runtime, access, changed.forgotten)]
    archived = _consolidated_since(runtime, access, later, snapshot.taken_at)
    move = _moved(runtime, access, snapshot, forgotten, recovered, archived)
    candidates = _mine(runtime, access, [*changed.superseded, *changed.forgotten])
    superseded = [record.id for record in candidates if _put_back(runtime, access, record, snapshot.taken_at)]
    return Restored(
        before=before,
        move=move,
        superseded=tuple(superseded),
        recovered=tuple(recovered),
        forgotten=tuple(forgotten),
        pinned=tuple(pinned),
        erased=changed.erased,
    )


def _owning(runtime: Runtime, viewpoint: Viewpoint) -> Access:
    # The root of an organism is its owner; any other node compares and restores only its own records.
    return runtime.access(viewpoint, as_owner=viewpoint.node == "/", include_hidden=True)


def _mine(runtime: Runtime, access: Access, ids: Sequence[str]) -> list[Record]:
    records = runtime.store.records.get(access, ids)
    return [record for record in records if access.as_owner or may_change(record, access.viewpoint)]


def _life(record: Record, forgotten_at: datetime | None) -> Vitals:
    return msgspec.structs.replace(record.vitals, forgotten_at=forgotten_at)


def _alive(record: Record, now: datetime) -> Vitals:
    """The vitals of a record as not forgotten, without an expiry that has passed: it would expire again at once."""
    expires = record.vitals.expires_at
    over = expires is not None and expires <= now
    return msgspec.structs.replace(_life(record, None), expires_at=None if over else expires)


def _moved(
    runtime: Runtime,
    access: Access,
    snapshot: Snapshot,
    forgotten: Sequence[str],
    recovered: Sequence[str],
    archived: Sequence[str],
) -> str | None:
    """Forget, recover and unarchive records as one move. Returns its id; None if there was nothing to change."""
    new_vitals: dict[str, Callable[[Record], Vitals]] = {
        **dict.fromkeys(archived, lambda record: msgspec.structs.replace(record.vitals, archived_at=None)),
        **dict.fromkeys(forgotten, lambda record: _life(record, access.now)),
        **dict.fromkeys(recovered, lambda record: _alive(record, access.now)),
    }
    while new_vitals:
        changes = [
            Change(record_id=record.id, before=record.vitals, after=new_vitals[record.id](record))
            for record in runtime.store.records.get(access, list(new_vitals))
        ]
        changes = [change for change in changes if change.before != change.after]
        if not changes:
            return None
        move = Move(
            id=new_id(access.now),
            at=access.now,
            who=access.viewpoint.node,
            what=What.RESTORED,
            why=f"restored {snapshot.label}",
            changes=tuple(changes),
        )
        if runtime.writes.apply(access, [PlannedMove(move=move)], runtime.encoder):
            return move.id
        # Another process has changed one of them in the meantime: try again.
    return None


def _consolidated_since(runtime: Runtime, access: Access, later: Sequence[Record], moment: datetime) -> list[str]:
    """The ids of the records that were consolidated since, and become separate records again."""
    sources = [
        source for record in later for source in record.metadata.get("original_ids", ()) if isinstance(source, str)
    ]
    records = _mine(runtime, access, sources)
    return [record.id for record in records if (record.vitals.archived_at or moment) > moment]


def _put_back(runtime: Runtime, access: Access, newest: Record, moment: datetime) -> bool:
    """Add the version known at that moment again, unless the newest version has the same content."""
    known = [
        version for version in runtime.store.records.history(access, newest.id) if version.recorded_at <= moment
    ]
    if not known:
        # That version was not visible to this node, so only its author can restore it.
        return False
    then = known[-1]
    if all(getattr(then, name) == getattr(newest, name) for name in _CONTENT):
        return False
    version = msgspec.structs.replace(
        then,
        version=newest.version + 1,
        recorded_at=access.now,
        superseded_at=None,
        idempotency_key=None,
        vitals=newest.vitals,
    )
    runtime.writes.supersede(access, entries(runtime, [version])[0], runtime.encoder)
    return True
