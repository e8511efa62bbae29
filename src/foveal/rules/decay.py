"""The strength of a record, and the moves that time will bring."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from foveal.model.policy import MemoryConfig, Strategy
from foveal.model.record import Record, Tier, Vitals
from foveal.model.results import Forecast, What
from foveal.rules.lifecycle import deserves, kept_since, promoted, shown, unfinished

# What an archived record loses of its factor. Most records are archived, so this must not outweigh relevance.
ARCHIVED = 0.02
RATE_A_DAY = {Tier.WORKING: 0.1, Tier.SESSION: 0.1, Tier.EPISODIC: 0.05, Tier.SEMANTIC: 0.01}


def rates(config: MemoryConfig) -> dict[Tier, float]:
    """The configured daily loss of each tier.

    >>> rates(MemoryConfig(decay={"L2": 0.2}))[Tier.SESSION]
    0.2
    """
    return RATE_A_DAY | {Tier.named(name): rate for name, rate in config.decay.items()}


def strength(vitals: Vitals, since: datetime, now: datetime, rates: Mapping[Tier, float] = RATE_A_DAY) -> float:
    """The importance that remains at `now`, after decay since the last use, or since `since` if it was never used.

    It is computed on reading and never stored, so frequent reads do not change it.

    >>> from datetime import UTC
    >>> monday = datetime(2026, 1, 5, tzinfo=UTC)
    >>> round(strength(Vitals(importance=1.0), monday, monday + timedelta(days=1)), 3)
    0.9
    """
    if vitals.pinned:
        return vitals.importance
    idle = max(timedelta(0), now - (vitals.used_at or since))
    return vitals.importance * (1 - rates[vitals.tier]) ** (idle / timedelta(days=1))


def reinforced(importance: float, factor: float) -> float:
    """The importance after a reinforcement, at most 1.

    >>> reinforced(0.5, 1.2), reinforced(0.9, 1.2)
    (0.6, 1.0)
    """
    return min(1.0, importance * factor)


def used(vitals: Vitals, now: datetime, times: int = 1, reads: int | None = None) -> Vitals:
    """The vitals after one or more uses; each read closes a tenth of the importance's remaining distance to 1.

    All uses are reads unless `reads` says how many were.

    >>> from datetime import UTC
    >>> used(Vitals(importance=0.5), datetime(2026, 1, 5, tzinfo=UTC)).importance
    0.55
    >>> used(Vitals(importance=0.5), datetime(2026, 1, 5, tzinfo=UTC), 3, 0).importance
    0.5
    """
    return msgspec.structs.replace(
        vitals,
        importance=1 - (1 - vitals.importance) * room_after(times if reads is None else reads),
        uses=vitals.uses + times,
        used_at=max(now, vitals.used_at or now),
    )


def room_after(times: int) -> float:
    """The share of the distance to 1 that remains after so many uses.

    >>> room_after(1)
    0.9
    """
    return 0.9**times


def endurance(vitals: Vitals, since: datetime, now: datetime, rates: Mapping[Tier, float] = RATE_A_DAY) -> float:
    """The factor that vitals put on relevance, from 0.88 to 1.1, so that they never hide a relevant record.

    An archived record counts a little less; a pinned record loses nothing.

    >>> from datetime import UTC
    >>> monday = datetime(2026, 1, 5, tzinfo=UTC)
    >>> endurance(Vitals(importance=0.5), monday, monday), endurance(Vitals(importance=1.0), monday, monday)
    (1.0, 1.1)
    """
    if vitals.pinned:
        return max(1.0, 0.9 + 0.2 * vitals.importance)
    return 0.9 + 0.2 * strength(vitals, since, now, rates) - (ARCHIVED if vitals.archived_at else 0.0)


def forecast(record: Record, config: MemoryConfig) -> list[Forecast]:
    """The moves that time will bring, in order. A full tier may bring them earlier.

    >>> from datetime import UTC, datetime
    >>> from foveal.model.ids import Address
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> record = Record(id="r", actor_id="ada", text="x", address=Address(world="w", region="r"),
    ...               recorded_at=noon, occurred_at=noon, valid_from=noon)
    >>> [(f"{move.at:%H:%M}", str(move.what), move.why) for move in forecast(record, MemoryConfig())]
    [('13:00', 'archived', 'L1 keeps 1 h')]
    """
    moves: list[Forecast] = []
    if record.vitals.archived_at is None and config.enable_auto_migration:
        moves = _moves(record, config)
    expires = record.vitals.expires_at
    if expires is not None:
        moves = [move for move in moves if move.at < expires]
        why = f"its time runs out at {expires:%Y-%m-%d %H:%M}"
        moves.append(Forecast(at=expires, what=What.EXPIRED, tier=_name(record.vitals.tier), why=why))
    return moves


def _moves(record: Record, config: MemoryConfig) -> list[Forecast]:
    moves: list[Forecast] = []
    current = record
    while True:
        tier, layer = current.vitals.tier, config.layer(current.vitals.tier)
        if tier is not Tier.WORKING and unfinished(current):
            return moves
        why = deserves(current, config) if tier is not Tier.SEMANTIC else None
        at_once = (
            why and tier is Tier.WORKING and layer.auto_compress and config.strategy is not Strategy.TIME_BASED
        )
        if not at_once and layer.retention_hours is None:
            return moves
        at = kept_since(current) + timedelta(hours=0 if at_once else layer.retention_hours or 0)
        keeps = f"L{int(tier)} keeps {shown(layer.retention_hours or 0)}"
        open_gate = layer.auto_compress and (tier is Tier.WORKING or config.enable_compression)
        if not why or not open_gate:
            if not (tier is Tier.SEMANTIC and current.vitals.pinned):
                moves.append(Forecast(at=at, what=What.ARCHIVED, tier=_name(tier), why=keeps))
            return moves
        shift = promoted(current, why if at_once else f"{keeps}; {why}")
        current = msgspec.structs.replace(current, vitals=shift.vitals)
        moves.append(Forecast(at=at, what=shift.what, tier=_name(shift.vitals.tier), why=shift.why))


def _name(tier: Tier) -> str:
    return tier.name.lower()
