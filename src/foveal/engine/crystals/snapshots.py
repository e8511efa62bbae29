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


def take(core: Runtime, viewpoint: Viewpoint, label: str) -> Snapshot:
    """Name the present."""
    now = core.clock.now()
    return core.store.put_snapshot(viewpoint, Snapshot(id=f"snap_{new_id(now)}", label=label, taken_at=now))


def found(core: Runtime, viewpoint: Viewpoint, snapshot: Snapshot | str) -> Snapshot:
    """The snapshot of this id, or else the newest of this label."""
    if isinstance(snapshot, Snapshot):
        return snapshot
    known = core.store.snapshots(viewpoint)
    matching = [one for one in known if one.id == snapshot] or [one for one in known if one.label == snapshot]
    if not matching:
        raise NotFound(f"there is no snapshot {snapshot!r} here", snapshot=snapshot)
    return matching[-1]


def changes(core: Runtime, viewpoint: Viewpoint, since: datetime, until: datetime | None) -> Changes:
    """What changed between two moments, or from one till now."""
    return core.store.changes(_owning(core, viewpoint), since, until or _END)


def restore(core: Runtime, viewpoint: Viewpoint, snapshot: Snapshot) -> Restored:
    """Bring back what was known at a snapshot, by adding: nothing that was stored is taken away.

    Interrupted, it can be called again: it does what is left to do.
    """
    before = take(core, viewpoint, f"before restoring {snapshot.label}")
    sight = _owning(core, viewpoint)
    changed = core.store.changes(sight, snapshot.taken_at, before.taken_at)
    later = _mine(core, sight, [*changed.added, *changed.recovered])
    pinned = [one.id for one in later if one.vitals.pinned]
    forgotten = [one.id for one in later if not one.vitals.pinned]
    recovered = [one.id for one in _mine(core, sight, changed.forgotten)]
    archived = _consolidated_since(core, sight, later, snapshot.taken_at)
    move = _moved(core, sight, snapshot, forgotten, recovered, archived)
    candidates = _mine(core, sight, [*changed.superseded, *changed.forgotten])
    superseded = [one.id for one in candidates if _put_back(core, sight, one, snapshot.taken_at)]
    return Restored(
        before=before,
        move=move,
        superseded=tuple(superseded),
        recovered=tuple(recovered),
        forgotten=tuple(forgotten),
        pinned=tuple(pinned),
        erased=changed.erased,
    )


def _owning(core: Runtime, viewpoint: Viewpoint) -> Access:
    # The root of an organism is its owner; any other node compares and restores what is its own.
    return core.sight(viewpoint, as_owner=viewpoint.node == "/", include_hidden=True)


def _mine(core: Runtime, sight: Access, ids: Sequence[str]) -> list[Record]:
    return [one for one in core.store.get(sight, ids) if sight.as_owner or may_change(one, sight.viewpoint)]


def _life(record: Record, forgotten_at: datetime | None) -> Vitals:
    return msgspec.structs.replace(record.vitals, forgotten_at=forgotten_at)


def _alive(record: Record, now: datetime) -> Vitals:
    """Its life without having been forgotten; with a time that has run out it would be gone again at once."""
    expires = record.vitals.expires_at
    over = expires is not None and expires <= now
    return msgspec.structs.replace(_life(record, None), expires_at=None if over else expires)


def _moved(
    core: Runtime,
    sight: Access,
    snapshot: Snapshot,
    forgotten: Sequence[str],
    recovered: Sequence[str],
    archived: Sequence[str],
) -> str | None:
    """Forget, recover and take out of the archive as one move, and give its id."""
    life: dict[str, Callable[[Record], Vitals]] = {
        **dict.fromkeys(archived, lambda one: msgspec.structs.replace(one.vitals, archived_at=None)),
        **dict.fromkeys(forgotten, lambda one: _life(one, sight.now)),
        **dict.fromkeys(recovered, lambda one: _alive(one, sight.now)),
    }
    while life:
        changes = [
            Change(record_id=one.id, before=one.vitals, after=life[one.id](one))
            for one in core.store.get(sight, list(life))
        ]
        changes = [one for one in changes if one.before != one.after]
        if not changes:
            return None
        move = Move(
            id=new_id(sight.now),
            at=sight.now,
            who=sight.viewpoint.node,
            what=What.RESTORED,
            why=f"restored {snapshot.label}",
            changes=tuple(changes),
        )
        if core.store.apply(sight, [PlannedMove(move=move)], core.encoder):
            return move.id
        # Another changed one of them meanwhile: look again.
    return None


def _consolidated_since(core: Runtime, sight: Access, later: Sequence[Record], moment: datetime) -> list[str]:
    """The sources of facts that were consolidated since: they stand for themselves again."""
    sources = [one for record in later for one in record.metadata.get("original_ids", ()) if isinstance(one, str)]
    return [one.id for one in _mine(core, sight, sources) if (one.vitals.archived_at or moment) > moment]


def _put_back(core: Runtime, sight: Access, newest: Record, moment: datetime) -> bool:
    """Add the version that was known then once more, if another one came after it."""
    known = [one for one in core.store.history(sight, newest.id) if one.recorded_at <= moment]
    if not known:  # What it was then did not reach this node: it is for its author to bring back.
        return False
    then = known[-1]
    if all(getattr(then, name) == getattr(newest, name) for name in _SAID):
        return False
    version = msgspec.structs.replace(
        then,
        version=newest.version + 1,
        recorded_at=sight.now,
        superseded_at=None,
        idempotency_key=None,
        vitals=newest.vitals,
    )
    core.store.supersede(sight, entries(core, [version])[0], core.encoder)
    return True
