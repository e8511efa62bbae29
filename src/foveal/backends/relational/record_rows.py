"""Between records and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foveal.backends.relational.lists import names
from foveal.backends.relational.stamps import moment, moment_or_none, stamp, stamp_or_none
from foveal.model.address import Address
from foveal.model.linearity import Linearity
from foveal.model.record import Record
from foveal.model.scope import Scope
from foveal.model.tier import Tier
from foveal.model.vitals import Vitals
from foveal.rules.branching import Sort
from foveal.rules.echoing import words_number
from foveal.rules.visibility import parent_node

Own = Mapping[str, Any]

SORTED_BY = {
    Sort.OCCURRED_AT: "r.occurred_at",
    Sort.RECORDED_AT: "r.recorded_at",
    Sort.IMPORTANCE: "v.importance",
    Sort.USES: "v.uses",
    Sort.USED_AT: "v.used_at",
    Sort.TIER: "v.tier",
    Sort.KIND: "r.kind",
}

# Looked up rather than made anew: a read builds a hundred records.
_SCOPES = {one.value: one for one in Scope}
_LINEARITIES = {one.value: one for one in Linearity}
_TIERS = {one.value: one for one in Tier}


def record_columns(world: str, actor: str) -> list[str]:
    """What `record_of` wants of `record r join vitals v`, with the SQL that gives the world and the actor."""
    return [
        *("r.id", "r.version", "r.node", "r.session_id", "r.region", "r.kind", "r.scope", "r.source", "r.speaker"),
        *("r.text", "r.tags", "r.metadata", "r.parent_id", "r.digits", "r.slice", "r.tape", "r.linearity"),
        *("r.idempotency_key", "r.occurred_at", "r.valid_from", "r.valid_to", "r.recorded_at", "r.superseded_at"),
        *("v.tier", "v.importance", "v.uses", "v.used_at", "v.pinned", "v.expires_at", "v.archived_at"),
        *("v.forgotten_at", world, actor, "v.muted"),
    ]


def record_of(row: Sequence[Any]) -> Record:
    """The record that a row of `record_columns` holds."""
    return Record(
        id=row[0],
        version=row[1],
        node=row[2],
        session_id=row[3],
        kind=row[5],
        scope=_SCOPES[row[6]],
        source=row[7],
        speaker=row[8],
        text=row[9],
        tags=names(row[10]),
        metadata={} if row[11] == "{}" else msgspec.json.decode(row[11]),
        parent_id=row[12],
        address=Address(world=row[31], region=row[4], digits=row[13], time_slice=row[14], tape=row[15]),
        linearity=_LINEARITIES[row[16]],
        idempotency_key=row[17],
        occurred_at=moment(row[18]),
        valid_from=moment(row[19]),
        valid_to=moment_or_none(row[20]),
        recorded_at=moment(row[21]),
        superseded_at=moment_or_none(row[22]),
        vitals=Vitals(
            tier=_TIERS[row[23]],
            importance=row[24],
            uses=row[25],
            used_at=moment_or_none(row[26]),
            pinned=bool(row[27]),
            expires_at=moment_or_none(row[28]),
            archived_at=moment_or_none(row[29]),
            forgotten_at=moment_or_none(row[30]),
            muted=bool(row[33]),
        ),
        actor_id=row[32],
    )


def record_values(own: Own, record: Record) -> dict[str, Any]:
    """What `add_record` binds beside the tags, which each database keeps in its way."""
    return {
        **own,
        "id": record.id,
        "version": record.version,
        "node": record.node,
        "up": parent_node(record.node),
        "session_id": record.session_id,
        "region": record.region,
        "kind": record.kind,
        "scope": record.scope.value,
        "source": record.source,
        "speaker": record.speaker,
        "text": record.text,
        "metadata": msgspec.json.encode(record.metadata).decode(),
        "parent_id": record.parent_id,
        "digits": record.address.digits,
        "slice": record.address.time_slice,
        "tape": record.address.tape,
        "linearity": int(record.linearity),
        "idempotency_key": record.idempotency_key,
        "occurred_at": stamp(record.occurred_at),
        "valid_from": stamp(record.valid_from),
        "valid_to": stamp_or_none(record.valid_to),
        "recorded_at": stamp(record.recorded_at),
        "superseded_at": stamp_or_none(record.superseded_at),
        "words": words_number(record),
    }


def vitals_values(own: Own, record_id: str, vitals: Vitals) -> dict[str, Any]:
    """What `add_vitals` and `change_vitals` bind."""
    return {
        **own,
        "id": record_id,
        "tier": int(vitals.tier),
        "importance": vitals.importance,
        "uses": vitals.uses,
        "used_at": stamp_or_none(vitals.used_at),
        "pinned": vitals.pinned,
        "expires_at": stamp_or_none(vitals.expires_at),
        "archived_at": stamp_or_none(vitals.archived_at),
        "forgotten_at": stamp_or_none(vitals.forgotten_at),
        "muted": vitals.muted,
    }
