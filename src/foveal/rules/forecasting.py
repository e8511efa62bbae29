"""What will become of a record, if nobody touches it."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from foveal.model.policy import MemoryConfig, Strategy
from foveal.model.record import Record, Tier
from foveal.model.results import Forecast, What
from foveal.rules.ageing import deserves, promoted, shown


def forecast(record: Record, config: MemoryConfig) -> list[Forecast]:
    """The moves that time will bring, in their order. A full tier may bring them earlier.

    >>> from datetime import UTC, datetime
    >>> from foveal.model.ids import Address
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> said = Record(id="r", actor_id="ada", text="x", address=Address(world="w", region="r"),
    ...               recorded_at=noon, occurred_at=noon, valid_from=noon)
    >>> [(f"{one.at:%H:%M}", str(one.what), one.why) for one in forecast(said, MemoryConfig())]
    [('13:00', 'archived', 'L1 keeps 1 h')]
    """
    found: list[Forecast] = []
    if record.vitals.archived_at is None and config.enable_auto_migration:
        found = _moves(record, config)
    expires = record.vitals.expires_at
    if expires is not None:
        found = [one for one in found if one.at < expires]
        why = f"its time runs out at {expires:%Y-%m-%d %H:%M}"
        found.append(Forecast(at=expires, what=What.EXPIRED, tier=_name(record.vitals.tier), why=why))
    return found


def _moves(record: Record, config: MemoryConfig) -> list[Forecast]:
    found: list[Forecast] = []
    current = record
    while True:
        tier, layer = current.vitals.tier, config.layer(current.vitals.tier)
        why = deserves(current, config) if tier is not Tier.SEMANTIC else None
        at_once = why and tier is Tier.WORKING and config.strategy is not Strategy.TIME_BASED
        if not at_once and layer.retention_hours is None:
            return found
        at = record.recorded_at + timedelta(hours=0 if at_once else layer.retention_hours or 0)
        keeps = f"L{int(tier)} keeps {shown(layer.retention_hours or 0)}"
        open_gate = tier is Tier.WORKING or (config.enable_compression and layer.auto_compress)
        if not why or not open_gate:
            if not (tier is Tier.SEMANTIC and current.vitals.pinned):
                found.append(Forecast(at=at, what=What.ARCHIVED, tier=_name(tier), why=keeps))
            return found
        shift = promoted(current, why if at_once else f"{keeps}; {why}")
        current = msgspec.structs.replace(current, vitals=shift.vitals)
        found.append(Forecast(at=at, what=shift.what, tier=_name(shift.vitals.tier), why=shift.why))


def _name(tier: Tier) -> str:
    return tier.name.lower()
