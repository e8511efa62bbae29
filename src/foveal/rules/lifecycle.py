"""Which records change tier, how vitals change and change back; when a job is due; which settings may be
overridden.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from types import NoneType
from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from foveal.errors import Invalid
from foveal.model.crystal import Changes
from foveal.model.policy import (
    MemoryConfig,
    MemoryLayerConfig,
    MemoryPolicyConfig,
    Origin,
    Override,
    PolicyValue,
    Strategy,
)
from foveal.model.record import Linearity, Record, Tier, Vitals
from foveal.model.results import Change, Move, What

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


# From when to when a record was forgotten, if it is not any more.
Span = tuple[datetime, datetime]

_TICK = timedelta(microseconds=1)


def after(moment: datetime, floor: datetime | None) -> datetime:
    """The moment, or the first one after the newest snapshot: what comes later must be dated later.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> after(noon, None) == noon, after(noon, noon) > noon
    (True, True)
    """
    return moment if floor is None or moment > floor else floor + _TICK


def change_of(versions: Sequence[Record], spans: Iterable[Span], since: datetime, until: datetime) -> str | None:
    """Whether a record was added, superseded, forgotten or recovered in between, or none of it."""
    held = list(spans)
    before, now = _known(versions, held, since), _known(versions, held, until)
    if before == now:
        return None
    if now is None:
        return "forgotten"
    if before is None:
        return "recovered" if versions[0].recorded_at <= since else "added"
    return "superseded"


def changes_of(
    candidates: Iterable[tuple[Sequence[Record], Iterable[Span]]],
    erased: Iterable[str],
    since: datetime,
    until: datetime,
) -> Changes:
    """The candidates by what became of them, in the order of their ids."""
    found: dict[str, list[str]] = {"added": [], "superseded": [], "forgotten": [], "recovered": []}
    for versions, spans in candidates:
        change = change_of(versions, spans, since, until)
        if change:
            found[change].append(versions[0].id)
    return Changes(
        **{name: tuple(sorted(ids)) for name, ids in found.items()},
        erased=tuple(sorted(erased)),
    )


def _known(versions: Sequence[Record], spans: Sequence[Span], moment: datetime) -> int | None:
    """The version that was known at a moment; None if there was none, or it was forgotten then."""
    forgotten = versions[-1].vitals.forgotten_at
    if forgotten is not None and forgotten <= moment:
        return None
    if any(begin <= moment < end for begin, end in spans):
        return None
    return max((one.version for one in versions if one.recorded_at <= moment), default=None)


_LAYERS = ("l1", "l2", "l3", "l4")
# A process is bound to its world when it starts.
_LEFT_OUT = "default_world"
# Values that make sense together only. They are kept and given up together: another process may have been started
# with others, which need not fit to some of them.
_TOGETHER = (
    ("policy.shallow_budget_ratio", "policy.deep_budget_ratio"),
    ("policy.early_ratio", "policy.relevant_ratio", "policy.recent_ratio", "policy.earlier_sessions_ratio"),
)
_TYPES: dict[str, Any] = {
    **{f"policy.{one.name}": one.type for one in msgspec.structs.fields(MemoryPolicyConfig)},
    **{f"memory.{at}.{one.name}": one.type for at in _LAYERS for one in msgspec.structs.fields(MemoryLayerConfig)},
}
_SAID = {bool: "true or false", int: "a whole number", float: "a number", NoneType: "nothing for no bound"}


def flat(policy: MemoryPolicyConfig, config: MemoryConfig) -> dict[str, Any]:
    """Every value that a store may keep another for, by the name it has in the settings.

    >>> flat(MemoryPolicyConfig(), MemoryConfig())["memory.l2.capacity"]
    50
    """
    own = {f"policy.{name}": getattr(policy, name) for name in policy.__struct_fields__ if name != _LEFT_OUT}
    for at in _LAYERS:
        layer: MemoryLayerConfig = getattr(config, at)
        own |= {f"memory.{at}.{name}": getattr(layer, name) for name in layer.__struct_fields__}
    return own


def governed(
    policy: MemoryPolicyConfig, config: MemoryConfig, kept: Mapping[str, Any]
) -> tuple[MemoryPolicyConfig, MemoryConfig]:
    """The policy and the configuration with the values that are kept. A name of another release is passed over.

    >>> governed(MemoryPolicyConfig(), MemoryConfig(), {"memory.l1.capacity": 3})[1].l1.capacity
    3
    """
    known = {name: value for name, value in kept.items() if name in _TYPES}
    layers = {
        at: replace(getattr(config, at), **said) for at in _LAYERS if (said := _under(f"memory.{at}.", known))
    }
    said = _under("policy.", known)
    return (replace(policy, **said) if said else policy), (replace(config, **layers) if layers else config)


def _under(before: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(before): value for name, value in kept.items() if name.startswith(before)}


def amended(
    kept: Mapping[str, Any],
    values: Mapping[str, Any],
    reset: Collection[str],
    policy: MemoryPolicyConfig,
    config: MemoryConfig,
) -> dict[str, Any]:
    """What is kept after a change: `reset` is given up, `values` are taken. `Invalid` if they cannot hold together.

    >>> amended({}, {"policy.recent_records": 4}, (), MemoryPolicyConfig(), MemoryConfig())
    {'policy.recent_records': 4}
    """
    known = flat(policy, config)
    for name in (*values, *reset):
        if name not in known:
            raise Invalid(f"there is no value {name!r} to set: policies lists those there are", name=name)
    twice = sorted(set(values) & set(reset))
    if twice:
        raise Invalid(f"{', '.join(twice)}: either set it or reset it")
    gone = {one for name in reset for one in _with(name)}
    left = {name: value for name, value in kept.items() if name not in gone}
    left |= {name: _fit(name, value) for name, value in values.items()}
    held = flat(*governed(policy, config, left))
    return left | {one: held[one] for name in left for one in _with(name) if one in held}


def _with(name: str) -> tuple[str, ...]:
    """A value and those that go with it."""
    return next((names for names in _TOGETHER if name in names), (name,))


def _fit(name: str, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid(f"{name} must be a finite number, not {value}", name=name)
    try:
        return msgspec.convert(value, _TYPES[name])
    except msgspec.ValidationError:
        wanted = " or ".join(_SAID[one] for one in get_args(_TYPES[name]) or (_TYPES[name],))
        raise Invalid(f"{name} must be {wanted}, not {value!r}", name=name) from None


def told(policy: MemoryPolicyConfig, config: MemoryConfig, kept: Iterable[Override]) -> list[PolicyValue]:
    """Every value with where it comes from: `policy` and `config` are what the process was started with.

    >>> every = told(MemoryPolicyConfig(early_records=2), MemoryConfig(), [])
    >>> [one.name for one in every if one.origin is Origin.SETTINGS]
    ['policy.early_records']
    """
    found = {one.name: one for one in kept}
    started, default = flat(policy, config), flat(MemoryPolicyConfig(), MemoryConfig())
    return [
        PolicyValue(
            name=name,
            value=found[name].value if name in found else value,
            origin=Origin.STORE if name in found else Origin.DEFAULT if value == default[name] else Origin.SETTINGS,
            otherwise=value,
            changed_at=found[name].changed_at if name in found else None,
        )
        for name, value in started.items()
    ]


def due_every(last: datetime | None, hours: float, now: datetime) -> bool:
    """Whether so many hours have gone by since a job was last done; never when they are 0.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> due_every(noon, 1, noon + timedelta(hours=1)), due_every(None, 1, noon), due_every(noon, 0, noon)
    (True, True, False)
    """
    return hours > 0 and (last is None or now - last >= timedelta(hours=hours))


def due_daily(last: datetime | None, hour: float | None, now: datetime) -> bool:
    """Whether an hour of the day has come since a job was last done.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> due_daily(noon - timedelta(hours=10), 3, noon), due_daily(noon - timedelta(hours=1), 3, noon)
    (True, False)
    """
    if hour is None:
        return False
    turn = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)
    if turn > now:
        turn -= timedelta(days=1)
    return last is None or last < turn
