"""Between errands and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foveal.backends.relational.stamps import moment, stamp
from foveal.model.errand import Errand


def errand_values(errand: Errand) -> dict[str, Any]:
    """What `begin_errand` binds."""
    return {
        "place": errand.place,
        "content": errand.content,
        "holder": errand.holder,
        "begun_at": stamp(errand.begun_at),
        "until": stamp(errand.until),
        "world": errand.world,
        "actor": errand.actor_id,
        "answer": errand.answer,
    }


def errand_of(row: Sequence[Any]) -> Errand:
    """The errand that a row of `errand_at` holds."""
    place, content, holder, begun_at, until, world, actor, answer = row
    return Errand(
        place=place,
        content=content,
        holder=holder,
        begun_at=moment(begun_at),
        until=moment(until),
        world=world,
        actor_id=actor,
        answer=answer,
    )
