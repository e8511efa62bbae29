"""Between records and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from foveal.backends.relational.stamps import moment, moment_or_none, stamp, stamp_or_none
from foveal.model.address import Address
from foveal.model.linearity import Linearity
from foveal.model.link import Link
from foveal.model.record import Record
from foveal.model.scope import Scope
from foveal.model.tier import Tier
from foveal.model.vitals import Vitals
from foveal.rules.echoing import words_number
from foveal.rules.visibility import parent_node

Row = Sequence[Any]


COLUMN_NAMES = (
    [f"r.{name}" for name in (
        *("id", "version", "node", "session_id", "region", "kind", "scope", "source", "speaker", "text"),
        *("tags", "metadata", "parent_id", "digits", "slice", "tape", "linearity", "idempotency_key"),
        *("occurred_at", "valid_from", "valid_to", "recorded_at", "superseded_at"),
    )]
    + [f"v.{name}" for name in (
        *("tier", "importance", "uses", "used_at", "pinned", "expires_at", "archived_at", "forgotten_at"),
    )]
    + ["(select world from organism where number = r.organism)"]
    + ["(select actor from organism where number = r.organism)"]
    + ["v.muted"]
)  # fmt: skip
COLUMNS = ", ".join(COLUMN_NAMES)

# Looked up rather than made anew: a read builds a hundred records.
_SCOPES = {one.value: one for one in Scope}
_LINEARITIES = {one.value: one for one in Linearity}
_TIERS = {one.value: one for one in Tier}


def record_of(row: Row) -> Record:
    """The record that a row of `COLUMNS` holds."""
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
        tags=() if row[10] == "[]" else tuple(msgspec.json.decode(row[10])),
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


def record_values(organism: int, seq: int, record: Record) -> dict[str, Any]:
    """What `add_record` binds."""
    return {
        "seq": seq,
        "organism": organism,
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
        "tags": msgspec.json.encode(record.tags).decode(),
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


def vitals_values(organism: int, record_id: str, vitals: Vitals) -> dict[str, Any]:
    """What `add_vitals` and `change_vitals` bind."""
    return {
        "organism": organism,
        "id": record_id,
        "tier": int(vitals.tier),
        "importance": vitals.importance,
        "uses": vitals.uses,
        "used_at": stamp_or_none(vitals.used_at),
        "pinned": int(vitals.pinned),
        "expires_at": stamp_or_none(vitals.expires_at),
        "archived_at": stamp_or_none(vitals.archived_at),
        "forgotten_at": stamp_or_none(vitals.forgotten_at),
        "muted": int(vitals.muted),
    }


def link_values(organism: int, link: Link) -> dict[str, Any]:
    """What `put_link` and `put_link_if_there` bind."""
    return {
        "organism": organism,
        "source_id": link.source_id,
        "target_id": link.target_id,
        "kind": link.kind,
        "weight": link.weight,
        "created_at": stamp(link.created_at),
    }
