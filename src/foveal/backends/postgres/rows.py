"""Between records and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.postgres.query import Organism
from foveal.backends.postgres.vectors import Half
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
    + ["r.world"]
    + ["%(actor)s::text"]
    + ["v.muted"]
)  # fmt: skip
COLUMNS = ", ".join(COLUMN_NAMES)
# The same for records of every world.
COLUMNS_OF_ALL = COLUMNS.replace(
    "%(actor)s::text", "(select o.actor from organism o where (o.world, o.number) = (r.world, r.organism))"
)


def record_of(row: Row) -> Record:
    """The record that a row of `COLUMNS` holds."""
    return Record(
        id=row[0],
        version=row[1],
        node=row[2],
        session_id=row[3],
        kind=row[5],
        scope=Scope(row[6]),
        source=row[7],
        speaker=row[8],
        text=row[9],
        tags=tuple(row[10]),
        metadata=msgspec.json.decode(row[11]),
        parent_id=row[12],
        address=Address(world=row[31], region=row[4], digits=row[13], time_slice=row[14], tape=row[15]),
        linearity=Linearity(row[16]),
        idempotency_key=row[17],
        occurred_at=moment(row[18]),
        valid_from=moment(row[19]),
        valid_to=moment_or_none(row[20]),
        recorded_at=moment(row[21]),
        superseded_at=moment_or_none(row[22]),
        vitals=Vitals(
            tier=Tier(row[23]),
            importance=row[24],
            uses=row[25],
            used_at=moment_or_none(row[26]),
            pinned=row[27],
            expires_at=moment_or_none(row[28]),
            archived_at=moment_or_none(row[29]),
            forgotten_at=moment_or_none(row[30]),
            muted=row[33],
        ),
        actor_id=row[32],
    )


def record_values(organism: Organism, record: Record) -> dict[str, Any]:
    """What `add_record` binds."""
    return {
        **organism,
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
        "tags": list(record.tags),
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


def vitals_values(organism: Organism, record_id: str, vitals: Vitals) -> dict[str, Any]:
    """What `add_vitals` and `change_vitals` bind."""
    return {
        **organism,
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


def link_values(organism: Organism, link: Link) -> dict[str, Any]:
    """What `put_link` and `put_link_if_there` bind."""
    return {
        **organism,
        "source_id": link.source_id,
        "target_id": link.target_id,
        "kind": link.kind,
        "weight": link.weight,
        "created_at": stamp(link.created_at),
    }


def vector_values(own: Mapping[str, Any], encoder: int, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
    """What `add_vector` binds for each chunk of a version."""
    return [{**own, "encoder": encoder, "chunk": chunk, "data": Half(row)} for chunk, row in enumerate(rows)]
