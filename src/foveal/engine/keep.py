"""What happens to records after they are written: forgetting, pinning, reinforcing, tying together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foveal.engine.core import Core
from foveal.engine.crystals.erasing import redact, texts_of
from foveal.engine.dissolving import dissolve
from foveal.errors import Conflict, Invalid, NotFound, Pinned
from foveal.model.ids import new_id
from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Group, Record, Vitals
from foveal.model.results import Forgotten
from foveal.ports.store import Act, Order
from foveal.rules.decay import reinforced
from foveal.rules.filters import names_something, parsed_filter
from foveal.rules.lifecycle import ASKED, forgetting

# As deep as a family may be.
DEEPEST = 10_000


def forget(
    core: Core,
    viewpoint: Viewpoint,
    target: str | Sequence[str] | Mapping[str, Any],
    *,
    hard: bool,
    cascade: bool = False,
    why: str = ASKED,
) -> Forgotten:
    """Take one record, several, or all that a filter finds out of sight, or erase them; with all below them."""
    core.touches.flush()
    # What is forgotten or expired already can still be erased.
    sight = core.sight(viewpoint, hidden=hard)
    records = targets(core, sight, target)
    pinned = [record.id for record in records if record.vitals.pinned]
    if pinned and isinstance(target, str):
        raise Pinned(f"{target} is pinned: unpin it first", record_id=target)
    made = dissolve(core, sight, records)
    if cascade:
        return _felled(core, sight, [record.id for record in records], hard=hard)
    ids = [record.id for record in records if not record.vitals.pinned]
    if hard:
        # What was made of them tells what they said.
        wide = msgspec.structs.replace(sight, where=None)
        derived = [one.id for one in core.store.get(wide, made) if one.id not in ids]
        texts = texts_of(core, wide, [*ids, *derived])
        lingers = bool(ids) and not core.store.erase(wide, [*ids, *derived])
        held = redact(core, viewpoint, texts)
        return Forgotten(ids=tuple(ids), pinned=tuple(pinned), erased=True, lingers=lingers, crystals=held)
    # Taking a consolidation back changed the lives of its sources.
    left = core.store.get(sight, [one.id for one in records]) if made else records
    move = _hidden(core, sight, [record for record in left if not record.vitals.pinned], why)
    return Forgotten(ids=tuple(ids), pinned=tuple(pinned), move=move)


def _felled(core: Core, sight: Sight, ids: Sequence[str], *, hard: bool) -> Forgotten:
    """Forget records and all below them; what is erased leaves the crystals that hold it, too."""
    below = [one.id for top in ids for one in core.store.descendants(sight, top, DEEPEST)] if hard else []
    texts = {one: texts_of(core, sight, [one]) for one in dict.fromkeys([*ids, *below])} if hard else {}
    done = core.store.fell(sight, ids, hard=hard, move_id=new_id(sight.now))
    gone = [text for one in done.ids for text in texts.get(one, ())]
    return msgspec.structs.replace(done, crystals=redact(core, sight.viewpoint, gone))


def _hidden(core: Core, sight: Sight, records: Sequence[Record], why: str) -> str | None:
    """Take records out of sight as one move, and give its id, by which it is undone."""
    while records:
        move = forgetting(new_id(sight.now), records, sight.viewpoint.node, sight.now, why)
        if core.store.act(sight, [Act(move=move)], core.encoder):
            return move.id
        # Another forgot some of them meanwhile.
        records = core.store.get(sight, [one.id for one in records])
    return None


def targets(core: Core, sight: Sight, target: str | Sequence[str] | Mapping[str, Any]) -> list[Record]:
    """The records that are meant: `NotFound` for an id that is not seen."""
    if isinstance(target, Mapping):
        where = parsed_filter(target)
        if where is None or not names_something(where):
            raise Invalid("a filter that asks for nothing would forget everything: name what to forget")
        return list(core.store.scan(msgspec.structs.replace(sight, where=where), order=Order.OLDEST))
    ids = [target] if isinstance(target, str) else list(dict.fromkeys(target))
    found = core.store.get(sight, ids)
    seen = {record.id for record in found}
    for missing in (one for one in ids if one not in seen):
        raise NotFound(f"there is no record {missing!r} here", record_id=missing)
    return found


def pin(core: Core, sight: Sight, record_id: str, *, pinned: bool) -> Record:
    """Pin a record, or unpin it."""
    return core.store.revise(
        sight, [record_id], lambda record: msgspec.structs.replace(record.vitals, pinned=pinned)
    )[0]


def mute(core: Core, sight: Sight, record_id: str, *, muted: bool) -> Record:
    """Mute a record, or unmute it. What is muted does not speak through a fact it was consolidated into."""
    if muted:
        dissolve(core, sight, core.store.get(sight, [record_id]))
    return core.store.revise(
        sight, [record_id], lambda record: msgspec.structs.replace(record.vitals, muted=muted)
    )[0]


def reinforce(core: Core, sight: Sight, record_id: str, factor: float | None) -> Record:
    """Let the importance of a record grow, and count it as used now."""
    if factor is not None and (not isinstance(factor, int | float) or not factor > 0):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("factor must be a number above 0")

    def stronger(record: Record) -> Vitals:
        return msgspec.structs.replace(
            record.vitals,
            importance=reinforced(record.vitals.importance, factor or core.config.kind(record.kind).reinforcement),
            used_at=sight.now,
        )

    return core.store.revise(sight, [record_id], stronger)[0]


def group(core: Core, sight: Sight, name: str, ids: Sequence[str], description: str) -> Group:
    """The group of this name, made if need be, with these records added."""
    found = _named_group(core, sight, name)
    if found is None:
        made = Group(id=new_id(sight.now), name=name, description=description, created_at=sight.now)
        try:
            found = core.store.put_group(sight.viewpoint, made)
        except Conflict:
            # Another process made it meanwhile.
            found = _named_group(core, sight, name)
            if found is None:
                raise
    if description and description != found.description:
        found = core.store.put_group(sight.viewpoint, msgspec.structs.replace(found, description=description))
    core.store.join(sight, found.id, ids)
    return found


def _named_group(core: Core, sight: Sight, name: str) -> Group | None:
    return next((one for one in core.store.groups(sight.viewpoint) if one.name == name), None)
