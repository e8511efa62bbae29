"""Which records leave their tier, where they go, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from foveal.model.policy import MemoryConfig, Strategy
from foveal.model.record import Linearity, Record, Tier, Vitals
from foveal.model.results import Change, What

# How full L2 or L3 is when some have to leave, and which part of them does.
FULL, LEAVING = 0.9, 0.2

_LAST = {Tier.WORKING: What.PROMOTED, Tier.SESSION: What.DIGESTED, Tier.EPISODIC: What.SEDIMENTED}
_TOLD = {
    Strategy.IMPORTANCE_BASED: "importance {importance:.2f} is above {threshold:g}",
    Strategy.SIMPLE: "used {uses} times",
    Strategy.TIME_BASED: "it has come of age",
}


class Shift(Struct, frozen=True, kw_only=True):
    """One record that moves: what it becomes, and why."""

    record: Record
    vitals: Vitals
    what: What
    why: str

    @property
    def change(self) -> Change:
        """The move as a change of its life."""
        return Change(record_id=self.record.id, before=self.record.vitals, after=self.vitals)


def shown(hours: float) -> str:
    """A span of hours for people.

    >>> shown(1), shown(168), shown(0.5)
    ('1 h', '7 d', '0.5 h')
    """
    return f"{hours / 24:g} d" if hours > 24 and hours % 24 == 0 else f"{hours:g} h"


def deserves(record: Record, config: MemoryConfig) -> str | None:
    """Why a record has earned the next tier, or None if it has not.

    What is pinned, or may not be dropped, always has.
    """
    vitals, layer = record.vitals, config.layer(record.vitals.tier)
    if vitals.pinned:
        return "it is pinned"
    if record.linearity > Linearity.DROPPABLE:
        return f"it is {record.linearity.name.lower()}"
    uses = vitals.uses >= layer.promote_threshold
    if config.strategy is Strategy.SIMPLE or vitals.tier is not Tier.WORKING:
        if uses and layer.promote_threshold:
            return _TOLD[Strategy.SIMPLE].format(uses=vitals.uses)
        if config.strategy is Strategy.SIMPLE:
            return None
    if config.strategy is Strategy.TIME_BASED:
        return _TOLD[Strategy.TIME_BASED]
    if vitals.importance > config.importance_threshold:
        return _TOLD[Strategy.IMPORTANCE_BASED].format(
            importance=vitals.importance, threshold=config.importance_threshold
        )
    return None


def overdue(record: Record, config: MemoryConfig, now: datetime) -> bool:
    """Whether a record has been in its tier for as long as the tier keeps one."""
    hours = config.layer(record.vitals.tier).retention_hours
    return hours is not None and now - record.recorded_at >= timedelta(hours=hours)


def digested(
    newest_first: Sequence[Record], config: MemoryConfig, now: datetime, newer: int = 0
) -> Iterator[Shift]:
    """Which records of one session leave L1, when `newer` others came after them.

    What has earned it goes to L2, at once. The rest is archived when it is older than L1 keeps, or when newer ones
    fill the room.
    """
    room, kept = config.l1.capacity, newer
    for record in newest_first:
        late = overdue(record, config, now)
        why = deserves(record, config)
        if why and (late or config.strategy is not Strategy.TIME_BASED):
            yield promoted(record, why)
        elif late:
            yield archived(record, f"L1 keeps {shown(config.l1.retention_hours or 0)}", now)
        elif room is not None and kept >= room:
            yield archived(record, f"L1 holds {room} a session", now)
        else:
            kept += 1


def leaving(held: Sequence[Record], config: MemoryConfig, now: datetime) -> Iterator[Shift]:
    """Which records leave L2, of one session, or L3, of one actor.

    What is overdue leaves. When the tier is nearly full, a fifth of it leaves: from L2 the least important, from L3
    what was used most, then the oldest. Who leaves goes to the next tier if it has earned it, else to the archive.
    """
    if not held:
        return
    tier = held[0].vitals.tier
    layer = config.layer(tier)
    late = [record for record in held if overdue(record, config, now)]
    gone = {record.id for record in late}
    for record in late:
        yield _onward(record, config, f"{_name(tier)} keeps {shown(layer.retention_hours or 0)}", now)
    staying = [record for record in held if record.id not in gone]
    if layer.capacity is None or len(staying) < FULL * layer.capacity:
        return
    if tier is Tier.SESSION:
        staying.sort(key=lambda one: (one.vitals.importance, one.recorded_at, one.id))
    else:
        staying.sort(key=lambda one: (one.vitals.uses < layer.promote_threshold, one.recorded_at, one.id))
    for record in staying[: max(1, int(LEAVING * len(staying)), len(staying) - layer.capacity)]:
        yield _onward(record, config, f"{_name(tier)} holds {layer.capacity}", now)


def pruned(oldest_first: Sequence[Record], count: int, config: MemoryConfig, now: datetime) -> Iterator[Shift]:
    """Which of the oldest records of L4 go to the archive, when it holds `count`."""
    capacity = config.l4.capacity
    over = 0 if capacity is None else count - capacity
    for record in oldest_first:
        if record.vitals.pinned or record.linearity is Linearity.PRESERVED:
            continue
        if overdue(record, config, now):
            yield archived(record, f"L4 keeps {shown(config.l4.retention_hours or 0)}", now)
            over -= 1
        elif over > 0:
            yield archived(record, f"L4 holds {capacity}", now)
            over -= 1


def promoted(record: Record, why: str) -> Shift:
    """The record one tier further."""
    tier = Tier(record.vitals.tier + 1)
    vitals = msgspec.structs.replace(record.vitals, tier=tier)
    return Shift(record=record, vitals=vitals, what=_LAST[record.vitals.tier], why=why)


def archived(record: Record, why: str, now: datetime) -> Shift:
    """The record in the archive: still found, but no longer held by its tier."""
    vitals = msgspec.structs.replace(record.vitals, archived_at=now)
    return Shift(record=record, vitals=vitals, what=What.ARCHIVED, why=why)


def _onward(record: Record, config: MemoryConfig, reason: str, now: datetime) -> Shift:
    layer = config.layer(record.vitals.tier)
    why = deserves(record, config) if config.enable_compression and layer.auto_compress else None
    return promoted(record, f"{reason}; {why}") if why else archived(record, reason, now)


def _name(tier: Tier) -> str:
    return f"L{int(tier)}"
