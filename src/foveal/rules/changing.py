"""How the life of a record is changed, and changed back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from foveal.model.record import Record, Vitals
from foveal.model.results import Change, Move, What

ASKED = "it was asked for"


def altered(change: Change) -> dict[str, Any]:
    """The fields that a change alters, with their new values.

    >>> from foveal.model.record import Tier
    >>> altered(Change(record_id="r", before=Vitals(uses=3), after=Vitals(uses=3, tier=Tier.SESSION)))
    {'tier': <Tier.SESSION: 2>}
    """
    return {
        name: getattr(change.after, name)
        for name in Vitals.__struct_fields__
        if getattr(change.after, name) != getattr(change.before, name)
    }


def changed(current: Vitals, change: Change) -> Vitals | None:
    """The vitals after a change, or None when one of its fields has been changed by another meanwhile.

    >>> once = Change(record_id="r", before=Vitals(), after=Vitals(importance=0.9))
    >>> changed(Vitals(uses=2), once) == Vitals(uses=2, importance=0.9), changed(Vitals(importance=0.9), once)
    (True, None)
    """
    if current == change.before:
        return change.after
    new = altered(change)
    if any(getattr(current, name) != getattr(change.before, name) for name in new):
        return None
    return msgspec.structs.replace(current, **new)


def carried(current: Vitals, was: Vitals | None, new: Vitals) -> Vitals:
    """The life of a new version: what its writer changed, on top of what became of the record meanwhile.

    >>> carried(Vitals(pinned=True), Vitals(), Vitals(importance=0.9)) == Vitals(pinned=True, importance=0.9)
    True
    """
    if was is None:
        return new
    return msgspec.structs.replace(current, **altered(Change(record_id="", before=was, after=new)))


def lives_after(move: Move, lives: Mapping[str, Vitals]) -> dict[str, Vitals] | None:
    """What a move makes of the lives of its records; None if it cannot be made any more.

    >>> once = Change(record_id="r", before=Vitals(), after=Vitals(uses=1))
    >>> move = Move(id="m", at=datetime.min, who="/", what=What.FORGOTTEN, why=ASKED, changes=(once,))
    >>> lives_after(move, {"r": Vitals()}) == {"r": Vitals(uses=1)}, lives_after(move, {})
    (True, None)
    """
    new: dict[str, Vitals] = {}
    for one in move.changes:
        current = lives.get(one.record_id)  # None when it was erased meanwhile
        vitals = current and changed(current, one)
        if vitals is None:
            return None
        new[one.record_id] = vitals
    return new


def as_made(move: Move, lives: Mapping[str, Vitals]) -> Move:
    """The move with the moments of forgetting as the store dated them: a snapshot may lie at that moment."""
    changes = tuple(
        msgspec.structs.replace(
            one,
            after=msgspec.structs.replace(one.after, forgotten_at=lives[one.record_id].forgotten_at)
            if one.after.forgotten_at != one.before.forgotten_at
            else one.after,
        )
        for one in move.changes
    )
    return msgspec.structs.replace(move, changes=changes)


def forgetting(move_id: str, records: Sequence[Record], who: str, now: datetime, why: str = ASKED) -> Move:
    """The move that takes records out of sight."""
    return Move(
        id=move_id,
        at=now,
        who=who,
        what=What.FORGOTTEN,
        why=why,
        changes=tuple(
            Change(
                record_id=one.id,
                before=one.vitals,
                after=msgspec.structs.replace(one.vitals, forgotten_at=now),
            )
            for one in records
        ),
    )


def turned_back(change: Change) -> Change:
    """The change that undoes a change."""
    return Change(record_id=change.record_id, before=change.after, after=change.before)
