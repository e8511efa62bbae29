"""Between what reads leave behind and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foveal.backends.relational.stamps import moment, stamp
from foveal.model.recollection import Recalled, Recollection, Use
from foveal.rules.decay import room_after

Own = Mapping[str, Any]


def use_values(own: Own, use: Use) -> dict[str, Any]:
    """What `count_uses` binds."""
    return {**own, "id": use.id, "times": use.times, "at": stamp(use.at), "room": room_after(use.times)}


def read_values(own: Own, read: Recollection) -> dict[str, Any]:
    """What `add_recollection` binds."""
    return {
        **own,
        "at": stamp(read.at),
        "node": read.node,
        "session_id": read.session_id,
        "query": read.query,
        "policy": read.policy,
    }


def item_values(own: Own, number: int, item: Recalled) -> dict[str, Any]:
    """What `add_recollected` binds."""
    return {
        **own,
        "id": item.id,
        "number": number,
        "rank": item.rank,
        "score": item.relevance,
        "parts": None if item.parts is None else msgspec.json.encode(item.parts).decode(),
        "zone": item.zone,
        "depth": item.depth,
    }


def reads_of(reads: Sequence[Sequence[Any]], items: Sequence[Sequence[Any]]) -> list[Recollection]:
    """The reads that rows hold, each with those of the items that are its own."""
    shown: dict[int, list[Recalled]] = {row[0]: [] for row in reads}
    for row in items:
        shown[row[0]].append(_item_of(row))
    return [
        Recollection(
            at=moment(row[1]),
            node=row[2],
            session_id=row[3],
            query=row[4],
            policy=row[5],
            items=tuple(shown[row[0]]),
        )
        for row in reads
    ]


def _item_of(row: Sequence[Any]) -> Recalled:
    return Recalled(
        id=row[1],
        rank=row[2],
        # Logs of older releases have a score here, which has no bounds.
        relevance=min(1.0, row[3]),
        parts=None if row[4] is None else msgspec.json.decode(row[4], type=dict[str, float]),
        zone=row[5],
        depth=row[6],
    )
