"""Taking back what was done to records."""

from __future__ import annotations

import msgspec

from foveal.engine import write
from foveal.engine.core import Core
from foveal.errors import Conflict, Forbidden, NotFound
from foveal.model.ids import new_id
from foveal.model.query import Sight
from foveal.model.results import Change, Move, What
from foveal.ports.store import Act
from foveal.rules.lifecycle import turned_back


def undo(core: Core, sight: Sight, move_id: str) -> Move:
    """The move that takes another back: what it changed is as before, and what it made is forgotten."""
    found = core.store.journal(sight, move_id=move_id, limit=1)
    if not found:
        raise NotFound(f"there is no move {move_id!r} here", move_id=move_id)
    move = found[0]
    if move.undone_at is not None:
        raise Conflict(f"the move {move_id} was undone already", move_id=move_id)
    if move.what is What.SUPERSEDED:
        _restore_text(core, sight, move)
    changes = [_back(move, one) for one in move.changes]
    for made in core.store.get(msgspec.structs.replace(sight, hidden=True), move.made):
        gone = msgspec.structs.replace(made.vitals, forgotten_at=sight.now)
        changes.append(Change(record_id=made.id, before=made.vitals, after=gone))
    taken = Move(
        id=new_id(sight.now),
        at=sight.now,
        who=sight.viewpoint.node,
        what=What.UNDONE,
        why=f"undid {move.what} {move.id}",
        changes=tuple(changes),
    )
    if not core.store.act(sight, [Act(move=taken, undoes=move.id)], core.encoder):
        raise Conflict("the record moved again since: undo its later moves first", move_id=move_id)
    return taken


def _back(move: Move, change: Change) -> Change:
    back = turned_back(change)
    if move.what is not What.EXPIRED:
        return back
    # With its old time it would be gone again at once.
    return msgspec.structs.replace(back, after=msgspec.structs.replace(back.after, expires_at=None))


def _restore_text(core: Core, sight: Sight, move: Move) -> None:
    versions = core.store.history(sight, move.record_id)
    if versions[-1].version != move.version:
        raise Conflict(f"{move.record_id} has a later version: undo that first", record_id=move.record_id)
    earlier = next((one for one in versions if one.version == versions[-1].version - 1), None)
    if earlier is None:
        raise Forbidden(f"the version of {move.record_id} before it is not yours to see", record_id=move.record_id)
    write.supersede(core, sight.viewpoint, move.record_id, earlier.text, {}, versions[-1].version)
