"""Moves between tiers, changes between snapshots, overrides of settings, and when jobs are due."""

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
from foveal.model.ledger import Status
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

# L2 and L3 shed records when they are this full, and shed this share of them.
FULL, LEAVING = 0.9, 0.2
# A record this far above the threshold of importance leaves L1 at once; one just above it when L1 lets go of it,
# so that what was said a moment ago is still at hand.
FAR_ABOVE = 0.1

_LAST = {Tier.WORKING: What.PROMOTED, Tier.SESSION: What.DIGESTED, Tier.EPISODIC: What.SEDIMENTED}
_REASONS = {
    Strategy.IMPORTANCE_BASED: "importance {importance:.2f} is above {threshold:g}",
    Strategy.SIMPLE: "used {uses} times",
    Strategy.TIME_BASED: "it has come of age",
}


class Shift(Struct, frozen=True, kw_only=True):
    """One record that moves: its new vitals, the kind of move, and the reason."""

    record: Record
    vitals: Vitals
    what: What
    why: str

    @property
    def change(self) -> Change:
        """The move as a change of vitals."""
        return Change(record_id=self.record.id, before=self.record.vitals, after=self.vitals)


def shown(hours: float) -> str:
    """A number of hours in readable form.

    >>> shown(1), shown(168), shown(0.5)
    ('1 h', '7 d', '0.5 h')
    """
    return f"{hours / 24:g} d" if hours > 24 and hours % 24 == 0 else f"{hours:g} h"


def unfinished(record: Record) -> bool:
    """Whether a record is that of a goal on which work remains. Such a record is never archived."""
    status = record.metadata.get("status")
    return record.kind == "goal" and any(status == open_.value for open_ in Status if not open_.finished)


def deserves(record: Record, config: MemoryConfig) -> str | None:
    """Why a record has earned the next tier, or None if it has not.

    A pinned record, and one that may not be dropped, always has. Enough uses earn it under every strategy.
    """
    vitals, layer = record.vitals, config.layer(record.vitals.tier)
    if vitals.pinned:
        return "it is pinned"
    if record.linearity > Linearity.DROPPABLE:
        return f"it is {record.linearity.name.lower()}"
    if unfinished(record):
        return "the goal is not finished"
    if layer.promote_threshold and vitals.uses >= layer.promote_threshold:
        return _REASONS[Strategy.SIMPLE].format(uses=vitals.uses)
    if config.strategy is Strategy.SIMPLE:
        return None
    if config.strategy is Strategy.TIME_BASED:
        return _REASONS[Strategy.TIME_BASED]
    if vitals.importance > config.importance_threshold:
        return _REASONS[Strategy.IMPORTANCE_BASED].format(
            importance=vitals.importance, threshold=config.importance_threshold
        )
    return None


def _moves_at_once(record: Record, config: MemoryConfig) -> bool:
    """Whether a record that has earned L2 goes there before L1 lets go of it."""
    if config.strategy is not Strategy.IMPORTANCE_BASED:
        return config.strategy is not Strategy.TIME_BASED
    plain = replace(record, vitals=replace(record.vitals, importance=0.0))
    far = record.vitals.importance >= config.importance_threshold + FAR_ABOVE
    return far or deserves(plain, config) is not None


def kept_since(record: Record) -> datetime:
    """The moment from which its tier keeps a record: when it was written or, after L1, last used."""
    used = record.vitals.used_at
    if record.vitals.tier is Tier.WORKING or used is None:
        return record.recorded_at
    return max(record.recorded_at, used)


def overdue(record: Record, config: MemoryConfig, now: datetime) -> bool:
    """Whether a record has been in its tier for as long as the tier keeps one."""
    hours = config.layer(record.vitals.tier).retention_hours
    return hours is not None and now - kept_since(record) >= timedelta(hours=hours)


def digested(
    newest_first: Sequence[Record], config: MemoryConfig, now: datetime, newer: int = 0
) -> Iterator[Shift]:
    """The records of one session that leave L1, when `newer` other records came after them.

    A record that has earned L2 moves there at once, or if it is hardly important enough, when it is older than L1
    keeps or newer ones fill its capacity. Others are archived then.
    """
    room, held = config.l1.capacity, newer
    for record in newest_first:
        late, full = overdue(record, config, now), room is not None and held >= room
        why = deserves(record, config) if config.l1.auto_compress else None
        if why and (late or full or _moves_at_once(record, config)):
            yield promoted(record, why)
        elif late:
            yield archived(record, f"L1 keeps {shown(config.l1.retention_hours or 0)}", now)
        elif full:
            yield archived(record, f"L1 holds {room} a session", now)
        else:
            held += 1


def leaving(held: Sequence[Record], config: MemoryConfig, now: datetime) -> Iterator[Shift]:
    """The records that leave L2, of one session, or L3, of one actor.

    Overdue records leave. When the tier is nearly full, a fifth of it leaves: from L2 the least important records,
    from L3 the well used ones first, then the oldest. A leaving record goes to the next tier if it has earned it,
    or else to the archive. Unfinished goals stay.
    """
    held = [record for record in held if not unfinished(record)]
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
        staying.sort(key=lambda record: (record.vitals.importance, record.recorded_at, record.id))
    else:
        staying.sort(
            key=lambda record: (record.vitals.uses < layer.promote_threshold, record.recorded_at, record.id)
        )
    for record in staying[: max(1, int(LEAVING * len(staying)), len(staying) - layer.capacity)]:
        yield _onward(record, config, f"{_name(tier)} holds {layer.capacity}", now)


def pruned(oldest_first: Sequence[Record], count: int, config: MemoryConfig, now: datetime) -> Iterator[Shift]:
    """The records among the oldest of L4 that go to the archive, when L4 holds `count`."""
    capacity = config.l4.capacity
    over = 0 if capacity is None else count - capacity
    for record in oldest_first:
        if record.vitals.pinned or record.linearity is Linearity.PRESERVED or unfinished(record):
            continue
        if overdue(record, config, now):
            yield archived(record, f"L4 keeps {shown(config.l4.retention_hours or 0)}", now)
            over -= 1
        elif over > 0:
            yield archived(record, f"L4 holds {capacity}", now)
            over -= 1


def promoted(record: Record, why: str) -> Shift:
    """The move of a record to the next tier."""
    tier = Tier(record.vitals.tier + 1)
    vitals = msgspec.structs.replace(record.vitals, tier=tier)
    return Shift(record=record, vitals=vitals, what=_LAST[record.vitals.tier], why=why)


def returned(record: Record, config: MemoryConfig) -> Shift | None:
    """The move of an archived record that was used again back into a tier, or None if it has not earned one.

    It goes on to the next tier by the rules by which others do; in L4, and while the way to the next tier is
    closed, to its own.
    """
    why = deserves(record, config)
    if why is None:
        return None
    here = msgspec.structs.replace(record.vitals, archived_at=None)
    tier, layer = record.vitals.tier, config.layer(record.vitals.tier)
    onward = layer.auto_compress and (tier is Tier.WORKING or config.enable_compression)
    if onward and tier is not Tier.SEMANTIC:
        here = msgspec.structs.replace(here, tier=Tier(tier + 1))
    return Shift(record=record, vitals=here, what=What.RETURNED, why=f"it was used again; {why}")


def archived(record: Record, why: str, now: datetime) -> Shift:
    """The move of a record to the archive, where it is still found but no longer held by its tier."""
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
    """The vitals after a change, or None if one of its fields was changed in the meantime.

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
    """The vitals of a new version: its writer's changes, on top of what changed in the meantime.

    >>> carried(Vitals(pinned=True), Vitals(), Vitals(importance=0.9)) == Vitals(pinned=True, importance=0.9)
    True
    """
    if was is None:
        return new
    return msgspec.structs.replace(current, **altered(Change(record_id="", before=was, after=new)))


def lives_after(move: Move, lives: Mapping[str, Vitals]) -> dict[str, Vitals] | None:
    """The vitals of a move's records after it, or None if the move can no longer be made.

    >>> once = Change(record_id="r", before=Vitals(), after=Vitals(uses=1))
    >>> move = Move(id="m", at=datetime.min, who="/", what=What.FORGOTTEN, why=ASKED, changes=(once,))
    >>> lives_after(move, {"r": Vitals()}) == {"r": Vitals(uses=1)}, lives_after(move, {})
    (True, None)
    """
    new: dict[str, Vitals] = {}
    for change in move.changes:
        current = lives.get(change.record_id)  # None if the record was erased in the meantime
        vitals = current and changed(current, change)
        if vitals is None:
            return None
        new[change.record_id] = vitals
    return new


def as_made(move: Move, lives: Mapping[str, Vitals]) -> Move:
    """The move with `forgotten_at` as the store dated it, which may be later because of a snapshot."""
    changes = tuple(
        msgspec.structs.replace(
            change,
            after=msgspec.structs.replace(change.after, forgotten_at=lives[change.record_id].forgotten_at)
            if change.after.forgotten_at != change.before.forgotten_at
            else change.after,
        )
        for change in move.changes
    )
    return msgspec.structs.replace(move, changes=changes)


def forgetting(move_id: str, records: Sequence[Record], who: str, now: datetime, why: str = ASKED) -> Move:
    """The move that forgets records."""
    return Move(
        id=move_id,
        at=now,
        who=who,
        what=What.FORGOTTEN,
        why=why,
        changes=tuple(
            Change(
                record_id=record.id,
                before=record.vitals,
                after=msgspec.structs.replace(record.vitals, forgotten_at=now),
            )
            for record in records
        ),
    )


def turned_back(change: Change) -> Change:
    """The change that undoes a change."""
    return Change(record_id=change.record_id, before=change.after, after=change.before)


# A past period during which a record was forgotten.
Span = tuple[datetime, datetime]

_TICK = timedelta(microseconds=1)


def after(moment: datetime, floor: datetime | None) -> datetime:
    """The moment, or the first one after the newest snapshot, so that later changes have later dates.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> after(noon, None) == noon, after(noon, noon) > noon
    (True, True)
    """
    return moment if floor is None or moment > floor else floor + _TICK


def change_of(versions: Sequence[Record], spans: Iterable[Span], since: datetime, until: datetime) -> str | None:
    """Whether a record was "added", "superseded", "forgotten" or "recovered" between two moments, or None."""
    periods = list(spans)
    before, now = _known(versions, periods, since), _known(versions, periods, until)
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
    """The ids of the candidates by what happened to them, sorted."""
    changes: dict[str, list[str]] = {"added": [], "superseded": [], "forgotten": [], "recovered": []}
    for versions, spans in candidates:
        change = change_of(versions, spans, since, until)
        if change:
            changes[change].append(versions[0].id)
    return Changes(
        **{name: tuple(sorted(ids)) for name, ids in changes.items()},
        erased=tuple(sorted(erased)),
    )


def _known(versions: Sequence[Record], spans: Sequence[Span], moment: datetime) -> int | None:
    """The version that was known at a moment; None if there was none, or it was forgotten then."""
    forgotten = versions[-1].vitals.forgotten_at
    if forgotten is not None and forgotten <= moment:
        return None
    if any(begin <= moment < end for begin, end in spans):
        return None
    return max((version.version for version in versions if version.recorded_at <= moment), default=None)


_LAYERS = ("l1", "l2", "l3", "l4")
# Not overridable: a process is bound to its world when it starts.
_LEFT_OUT = "default_world"
# Values that only make sense together are stored and reset together: another process may have been started with
# values that do not fit some of them.
_TOGETHER = (
    ("policy.shallow_budget_ratio", "policy.deep_budget_ratio"),
    ("policy.early_ratio", "policy.relevant_ratio", "policy.recent_ratio", "policy.earlier_sessions_ratio"),
)
_TYPES: dict[str, Any] = {
    **{f"policy.{field.name}": field.type for field in msgspec.structs.fields(MemoryPolicyConfig)},
    **{
        f"memory.{at}.{field.name}": field.type
        for at in _LAYERS
        for field in msgspec.structs.fields(MemoryLayerConfig)
    },
}
_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", NoneType: "nothing for no bound"}


def flat(policy: MemoryPolicyConfig, config: MemoryConfig) -> dict[str, Any]:
    """Every value that a store may override, by its name in the settings.

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
    """The policy and the configuration with the stored overrides. Names from other releases are ignored.

    >>> governed(MemoryPolicyConfig(), MemoryConfig(), {"memory.l1.capacity": 3})[1].l1.capacity
    3
    """
    known = {name: value for name, value in kept.items() if name in _TYPES}
    layers = {
        at: replace(getattr(config, at), **values) for at in _LAYERS if (values := _under(f"memory.{at}.", known))
    }
    values = _under("policy.", known)
    return (replace(policy, **values) if values else policy), (replace(config, **layers) if layers else config)


def _under(prefix: str, overrides: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in overrides.items() if name.startswith(prefix)}


def amended(
    kept: Mapping[str, Any],
    values: Mapping[str, Any],
    reset: Collection[str],
    policy: MemoryPolicyConfig,
    config: MemoryConfig,
) -> dict[str, Any]:
    """The overrides after removing `reset` and adding `values`; `Invalid` if the result is inconsistent.

    >>> amended({}, {"policy.recent_records": 4}, (), MemoryPolicyConfig(), MemoryConfig())
    {'policy.recent_records': 4}
    """
    known = flat(policy, config)
    for name in (*values, *reset):
        if name not in known:
            raise Invalid(f"there is no value {name!r} to set: `policies` lists the names", name=name)
    twice = sorted(set(values) & set(reset))
    if twice:
        raise Invalid(f"{', '.join(twice)}: either set it or reset it")
    removed = {related for name in reset for related in _with(name)}
    left = {name: value for name, value in kept.items() if name not in removed}
    left |= {name: _converted(name, value) for name, value in values.items()}
    effective = flat(*governed(policy, config, left))
    return left | {related: effective[related] for name in left for related in _with(name) if related in effective}


def _with(name: str) -> tuple[str, ...]:
    """The name of a value and those that go with it."""
    return next((names for names in _TOGETHER if name in names), (name,))


def _converted(name: str, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid(f"{name} must be a finite number, not {value}", name=name)
    try:
        return msgspec.convert(value, _TYPES[name])
    except msgspec.ValidationError:
        wanted = " or ".join(_TYPE_NAMES[part] for part in get_args(_TYPES[name]) or (_TYPES[name],))
        raise Invalid(f"{name} must be {wanted}, not {value!r}", name=name) from None


def told(policy: MemoryPolicyConfig, config: MemoryConfig, kept: Iterable[Override]) -> list[PolicyValue]:
    """Every value and its origin; `policy` and `config` are those that the process was started with.

    >>> values = told(MemoryPolicyConfig(early_records=2), MemoryConfig(), [])
    >>> [value.name for value in values if value.origin is Origin.SETTINGS]
    ['policy.early_records']
    """
    overrides = {override.name: override for override in kept}
    started, default = flat(policy, config), flat(MemoryPolicyConfig(), MemoryConfig())
    return [
        PolicyValue(
            name=name,
            value=overrides[name].value if name in overrides else value,
            origin=Origin.STORE
            if name in overrides
            else Origin.DEFAULT
            if value == default[name]
            else Origin.SETTINGS,
            otherwise=value,
            changed_at=overrides[name].changed_at if name in overrides else None,
        )
        for name, value in started.items()
    ]


def due_every(last: datetime | None, hours: float, now: datetime) -> bool:
    """Whether that many hours have passed since a job last ran; never if `hours` is 0.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> due_every(noon, 1, noon + timedelta(hours=1)), due_every(None, 1, noon), due_every(noon, 0, noon)
    (True, True, False)
    """
    return hours > 0 and (last is None or now - last >= timedelta(hours=hours))


def due_daily(last: datetime | None, hour: float | None, now: datetime) -> bool:
    """Whether an hour of the day has passed since a job last ran.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> due_daily(noon - timedelta(hours=10), 3, noon), due_daily(noon - timedelta(hours=1), 3, noon)
    (True, False)
    """
    if hour is None:
        return False
    due_time = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(hours=hour)
    if due_time > now:
        due_time -= timedelta(days=1)
    return last is None or last < due_time
