"""Snapshots: taken, compared, restored."""

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

# What a version says. Its address is left out: it has another slice in every version.
_SAID = ("text", "region", "kind", "scope", "source", "speaker", "tags", "metadata", "parent_id", "linearity",
    "occurred_at", "valid_from", "valid_to")  # fmt: skip
_END = datetime.max.replace(tzinfo=UTC)


def take(runtime: Runtime, viewpoint: Viewpoint, label: str) -> Snapshot:
    """Name the present."""
    now = runtime.clock.now()
    return runtime.store.put_snapshot(viewpoint, Snapshot(id=f"snap_{new_id(now)}", label=label, taken_at=now))


def found(runtime: Runtime, viewpoint: Viewpoint, snapshot: Snapshot | str) -> Snapshot:
    """The snapshot of this id, or else the newest of this label."""
    if isinstance(snapshot, Snapshot):
        return snapshot
    known = runtime.store.snapshots(viewpoint)
    matching = [one for one in known if one.id == snapshot] or [one for one in known if one.label == snapshot]
    if not matching:
        raise NotFound(f"there is no snapshot {snapshot!r} here", snapshot=snapshot)
    return matching[-1]


def changes(runtime: Runtime, viewpoint: Viewpoint, since: datetime, until: datetime | None) -> Changes:
    """What changed between two moments, or from one till now."""
    return runtime.store.changes(_owning(runtime, viewpoint), since, until or _END)


def restore(runtime: Runtime, viewpoint: Viewpoint, snapshot: Snapshot) -> Restored:
    """Bring back what was known at a snapshot, by adding: nothing that was stored is taken away.

    Interrupted, it can be called again: it does what is left to do.
    """
    before = take(runtime, viewpoint, f"before restoring {snapshot.label}")
    access = _owning(runtime, viewpoint)
    changed = runtime.store.changes(access, snapshot.taken_at, before.taken_at)
    later = _mine(runtime, access, [*changed.added, *changed.recovered])
    pinned = [one.id for one in later if one.vitals.pinned]
    forgotten = [one.id for one in later if not one.vitals.pinned]
    recovered = [one.id for one in _mine(runtime, access, changed.forgotten)]
    archived = _consolidated_since(runtime, access, later, snapshot.taken_at)
    move = _moved(runtime, access, snapshot, forgotten, recovered, archived)
    candidates = _mine(runtime, access, [*changed.superseded, *changed.forgotten])
    superseded = [one.id for one in candidates if _put_back(runtime, access, one, snapshot.taken_at)]
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
    # The root of an organism is its owner; any other node compares and restores what is its own.
    return runtime.access(viewpoint, as_owner=viewpoint.node == "/", include_hidden=True)


def _mine(runtime: Runtime, access: Access, ids: Sequence[str]) -> list[Record]:
    return [one for one in runtime.store.get(access, ids) if access.as_owner or may_change(one, access.viewpoint)]


def _life(record: Record, forgotten_at: datetime | None) -> Vitals:
    return msgspec.structs.replace(record.vitals, forgotten_at=forgotten_at)


def _alive(record: Record, now: datetime) -> Vitals:
    """Its life without having been forgotten; with a time that has run out it would be gone again at once."""
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
    """Forget, recover and take out of the archive as one move, and give its id."""
    life: dict[str, Callable[[Record], Vitals]] = {
        **dict.fromkeys(archived, lambda one: msgspec.structs.replace(one.vitals, archived_at=None)),
        **dict.fromkeys(forgotten, lambda one: _life(one, access.now)),
        **dict.fromkeys(recovered, lambda one: _alive(one, access.now)),
    }
    while life:
        changes = [
            Change(record_id=one.id, before=one.vitals, after=life[one.id](one))
            for one in runtime.store.get(access, list(life))
        ]
        changes = [one for one in changes if one.before != one.after]
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
        if runtime.store.apply(access, [PlannedMove(move=move)], runtime.encoder):
            return move.id
        # Another changed one of them meanwhile: look again.
    return None


def _consolidated_since(runtime: Runtime, access: Access, later: Sequence[Record], moment: datetime) -> list[str]:
    """The sources of facts that were consolidated since: they stand for themselves again."""
    sources = [one for record in later for one in record.metadata.get("original_ids", ()) if isinstance(one, str)]
    return [one.id for one in _mine(runtime, access, sources) if (one.vitals.archived_at or moment) > moment]


def _put_back(runtime: Runtime, access: Access, newest: Record, moment: datetime) -> bool:
    """Add the version that was known then once more, if another one came after it."""
    known = [one for one in runtime.store.history(access, newest.id) if one.recorded_at <= moment]
    if not known:  # What it was then did not reach this node: it is for its author to bring back.
        return False
    then = known[-1]
    if all(getattr(then, name) == getattr(newest, name) for name in _SAID):
        return False
    version = msgspec.structs.replace(
        then,
        version=newest.version + 1,
        recorded_at=access.now,
        superseded_at=None,
        idempotency_key=None,
        vitals=newest.vitals,
    )
    runtime.store.supersede(access, entries(runtime, [version])[0], runtime.encoder)
    return True
