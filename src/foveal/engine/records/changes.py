"""Forget, erase, pin, mute, reinforce, group, undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from foveal.engine.records import write
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Forbidden, Invalid, NotFound, Pinned
from foveal.model.ids import new_id
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Group, Record, Tier, Vitals
from foveal.model.results import Change, Forgotten, Move, What
from foveal.ports.store import Order, PlannedMove
from foveal.rules.crystals import redacted, telling
from foveal.rules.decay import reinforced
from foveal.rules.filters import names_something, parsed_filter
from foveal.rules.lifecycle import ASKED, forgetting, turned_back


def texts_of(runtime: Runtime, access: Access, ids: Iterable[str]) -> list[str]:
    """What all versions of these records say, also those that do not reach the node that erases them."""
    wide = msgspec.structs.replace(access, where=None, as_owner=True, include_hidden=True)
    return [version.text for one in ids for version in runtime.store.history(wide, one)]


def redact(runtime: Runtime, viewpoint: Viewpoint, texts: Iterable[str]) -> tuple[str, ...]:
    """Take texts out of every crystal of an organism, cherished ones too. Gives the ids of those that held them."""
    told = telling(texts)
    # What is erased is erased for every node.
    root = msgspec.structs.replace(viewpoint, node="/")
    found: list[str] = []
    for line in runtime.store.lineages(root) if told else ():
        left = redacted(runtime.store.crystal(root, line.crystal_id), told)
        if left is not None:
            runtime.store.put_crystal(root, left, instead=True)
            found.append(line.crystal_id)
    return tuple(found)


def undo(runtime: Runtime, access: Access, move_id: str) -> Move:
    """The move that takes another back: what it changed is as before, and what it made is forgotten."""
    found = runtime.store.journal(access, move_id=move_id, limit=1)
    if not found:
        raise NotFound(f"there is no move {move_id!r} here", move_id=move_id)
    move = found[0]
    if move.undone_at is not None:
        raise Conflict(f"the move {move_id} was undone already", move_id=move_id)
    if move.what is What.SUPERSEDED:
        _restore_text(runtime, access, move)
    changes = [_back(move, one) for one in move.changes]
    for made in runtime.store.get(msgspec.structs.replace(access, include_hidden=True), move.made):
        gone = msgspec.structs.replace(made.vitals, forgotten_at=access.now)
        changes.append(Change(record_id=made.id, before=made.vitals, after=gone))
    taken = Move(
        id=new_id(access.now),
        at=access.now,
        who=access.viewpoint.node,
        what=What.UNDONE,
        why=f"undid {move.what} {move.id}",
        changes=tuple(changes),
    )
    if not runtime.store.apply(access, [PlannedMove(move=taken, undoes=move.id)], runtime.encoder):
        raise Conflict("the record moved again since: undo its later moves first", move_id=move_id)
    return taken


def _back(move: Move, change: Change) -> Change:
    back = turned_back(change)
    if move.what is not What.EXPIRED:
        return back
    # With its old time it would be gone again at once.
    return msgspec.structs.replace(back, after=msgspec.structs.replace(back.after, expires_at=None))


def _restore_text(runtime: Runtime, access: Access, move: Move) -> None:
    versions = runtime.store.history(access, move.record_id)
    if versions[-1].version != move.version:
        raise Conflict(f"{move.record_id} has a later version: undo that first", record_id=move.record_id)
    earlier = next((one for one in versions if one.version == versions[-1].version - 1), None)
    if earlier is None:
        raise Forbidden(f"the version of {move.record_id} before it is not yours to see", record_id=move.record_id)
    write.supersede(runtime, access.viewpoint, move.record_id, earlier.text, {}, versions[-1].version)


def undo_consolidation(runtime: Runtime, access: Access, sources: Sequence[Record]) -> list[str]:
    """Take back the consolidations that these records went into, before they are forgotten, muted or superseded.

    The other sources stand for themselves again. Gives the ids of the records that had been made.
    """
    made: list[str] = []
    wide = msgspec.structs.replace(access, where=None, include_hidden=True)
    for record in sources:
        # Only what is archived in L4 can have been consolidated.
        if record.vitals.tier is not Tier.SEMANTIC or record.vitals.archived_at is None:
            continue
        for move in runtime.store.journal(wide, record_id=record.id, limit=20):
            if move.what is What.CONSOLIDATED and move.undone_at is None:
                made += move.made
                try:
                    undo(runtime, wide, move.id)
                except Conflict:
                    # A source has moved since: then only what was made goes.
                    gone = [one.id for one in runtime.store.get(wide, move.made)]
                    runtime.store.revise(
                        wide, gone, lambda one: msgspec.structs.replace(one.vitals, forgotten_at=access.now)
                    )
    return made


# As deep as a family may be.
DEEPEST = 10_000


def forget(
    runtime: Runtime,
    viewpoint: Viewpoint,
    target: str | Sequence[str] | Mapping[str, Any],
    *,
    hard: bool,
    cascade: bool = False,
    why: str = ASKED,
) -> Forgotten:
    """Take one record, several, or all that a filter finds out of sight, or erase them; with all below them."""
    runtime.touches.flush()
    # What is forgotten or expired already can still be erased.
    access = runtime.access(viewpoint, include_hidden=hard)
    records = targets(runtime, access, target)
    pinned = [record.id for record in records if record.vitals.pinned]
    if pinned and isinstance(target, str):
        raise Pinned(f"{target} is pinned: unpin it first", record_id=target)
    made = undo_consolidation(runtime, access, records)
    if cascade:
        return _felled(runtime, access, [record.id for record in records], hard=hard)
    ids = [record.id for record in records if not record.vitals.pinned]
    if hard:
        # What was made of them tells what they said.
        wide = msgspec.structs.replace(access, where=None)
        derived = [one.id for one in runtime.store.get(wide, made) if one.id not in ids]
        texts = texts_of(runtime, wide, [*ids, *derived])
        lingers = bool(ids) and not runtime.store.erase(wide, [*ids, *derived])
        held = redact(runtime, viewpoint, texts)
        return Forgotten(ids=tuple(ids), pinned=tuple(pinned), erased=True, lingers=lingers, crystals=held)
    # Taking a consolidation back changed the lives of its sources.
    left = runtime.store.get(access, [one.id for one in records]) if made else records
    move = _hidden(runtime, access, [record for record in left if not record.vitals.pinned], why)
    return Forgotten(ids=tuple(ids), pinned=tuple(pinned), move=move)


def _felled(runtime: Runtime, access: Access, ids: Sequence[str], *, hard: bool) -> Forgotten:
    """Forget records and all below them; what is erased leaves the crystals that hold it, too."""
    below = [one.id for top in ids for one in runtime.store.descendants(access, top, DEEPEST)] if hard else []
    texts = {one: texts_of(runtime, access, [one]) for one in dict.fromkeys([*ids, *below])} if hard else {}
    done = runtime.store.forget_tree(access, ids, hard=hard, move_id=new_id(access.now))
    gone = [text for one in done.ids for text in texts.get(one, ())]
    return msgspec.structs.replace(done, crystals=redact(runtime, access.viewpoint, gone))


def _hidden(runtime: Runtime, access: Access, records: Sequence[Record], why: str) -> str | None:
    """Take records out of sight as one move, and give its id, by which it is undone."""
    while records:
        move = forgetting(new_id(access.now), records, access.viewpoint.node, access.now, why)
        if runtime.store.apply(access, [PlannedMove(move=move)], runtime.encoder):
            return move.id
        # Another forgot some of them meanwhile.
        records = runtime.store.get(access, [one.id for one in records])
    return None


def targets(runtime: Runtime, access: Access, target: str | Sequence[str] | Mapping[str, Any]) -> list[Record]:
    """The records that are meant: `NotFound` for an id that is not seen."""
    if isinstance(target, Mapping):
        where = parsed_filter(target)
        if where is None or not names_something(where):
            raise Invalid("a filter that asks for nothing would forget everything: name what to forget")
        return list(runtime.store.scan(msgspec.structs.replace(access, where=where), order=Order.OLDEST))
    ids = [target] if isinstance(target, str) else list(dict.fromkeys(target))
    found = runtime.store.get(access, ids)
    seen = {record.id for record in found}
    for missing in (one for one in ids if one not in seen):
        raise NotFound(f"there is no record {missing!r} here", record_id=missing)
    return found


def pin(runtime: Runtime, access: Access, record_id: str, *, pinned: bool) -> Record:
    """Pin a record, or unpin it."""
    return runtime.store.revise(
        access, [record_id], lambda record: msgspec.structs.replace(record.vitals, pinned=pinned)
    )[0]


def mute(runtime: Runtime, access: Access, record_id: str, *, muted: bool) -> Record:
    """Mute a record, or unmute it. What is muted does not speak through a fact it was consolidated into."""
    if muted:
        undo_consolidation(runtime, access, runtime.store.get(access, [record_id]))
    return runtime.store.revise(
        access, [record_id], lambda record: msgspec.structs.replace(record.vitals, muted=muted)
    )[0]


def reinforce(runtime: Runtime, access: Access, record_id: str, factor: float | None) -> Record:
    """Let the importance of a record grow, and count it as used now."""
    if factor is not None and (not isinstance(factor, int | float) or not factor > 0):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("factor must be a number above 0")

    def stronger(record: Record) -> Vitals:
        return msgspec.structs.replace(
            record.vitals,
            importance=reinforced(
                record.vitals.importance, factor or runtime.config.kind(record.kind).reinforcement
            ),
            used_at=access.now,
        )

    return runtime.store.revise(access, [record_id], stronger)[0]


def group(runtime: Runtime, access: Access, name: str, ids: Sequence[str], description: str) -> Group:
    """The group of this name, made if need be, with these records added."""
    found = _named_group(runtime, access, name)
    if found is None:
        made = Group(id=new_id(access.now), name=name, description=description, created_at=access.now)
        try:
            found = runtime.store.put_group(access.viewpoint, made)
        except Conflict:
            # Another process made it meanwhile.
            found = _named_group(runtime, access, name)
            if found is None:
                raise
    if description and description != found.description:
        found = runtime.store.put_group(access.viewpoint, msgspec.structs.replace(found, description=description))
    runtime.store.join(access, found.id, ids)
    return found


def _named_group(runtime: Runtime, access: Access, name: str) -> Group | None:
    return next((one for one in runtime.store.groups(access.viewpoint) if one.name == name), None)
