"""The recall log and the uses of records, in a SQLite file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from foveal.backends.relational.stamps import moment, stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import queries, run, value
from foveal.model.recollection import Recalled, Recollection, Use
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.recollections import MOST_READS
from foveal.rules.decay import room_after


class Recollections(Part):
    """What reads leave behind."""

    def remember(
        self, sight: Sight, reads: Sequence[Recollection], uses: Sequence[Use], *, wait: bool = True
    ) -> None:
        """Log reads and count uses, in one transaction."""
        with self._db.writing(wait=wait) as db:
            found = self._sight(db, sight)
            if found is None:
                return
            condition, values = found
            organism = values["organism"]
            ids = {one.id for one in uses} | {item.id for read in reads for item in read.items}
            wanted = values | {"ids": json.dumps(sorted(ids))}
            seen = {row[0] for row in run(db, "ids_seen", wanted, sight=condition)}
            counted = [_use_values(organism, one) for one in uses if one.id in seen]
            db.executemany(queries()["count_uses"], counted)
            shown: list[dict[str, Any]] = []
            for read in reads:
                number = value(db, "add_recollection", _read_values(organism, read))
                shown += [_item_values(organism, number, one) for one in read.items if one.id in seen]
            db.executemany(queries()["add_recollected"], shown)
            if reads:
                run(db, "trim_recollections", {"organism": organism, "most": MOST_READS})

    def recollections(self, sight: Sight, record_id: str | None, limit: int) -> list[Recollection]:
        """The reads of this node and those below it, newest first, with the items that the sight sees."""
        with self._db.reading() as db:
            if record_id is not None:
                self._visible(db, sight, [record_id])
            found = self._sight(db, sight)
            if found is None:
                return []
            condition, values = found
            node = sight.viewpoint.node
            asked = {
                "organism": values["organism"],
                "owner": int(sight.owner),
                "node": node,
                "below": node.rstrip("/") + "/",
                "limit": limit,
            }
            if record_id is None:
                rows = run(db, "recollections_of", asked)
            else:
                rows = run(db, "recollections_of_record", asked | {"id": record_id})
            numbers = values | {"numbers": json.dumps([row[0] for row in rows])}
            items: dict[int, list[Recalled]] = {row[0]: [] for row in rows}
            for row in run(db, "recollected_seen", numbers, sight=condition):
                items[row[0]].append(_item(row))
            return [_read(row, tuple(items[row[0]])) for row in rows]

    def heard(self, viewpoint: Viewpoint, after: int, limit: int) -> tuple[int, list[str]]:
        """The ids that reads of this very conversation showed since the read `after`."""
        with self._db.reading() as db:
            values = {
                "organism": self._organism(db, viewpoint.world, viewpoint.actor_id),
                "node": viewpoint.node,
                "session_id": viewpoint.session_id,
                "after": after,
                "limit": limit,
            }
            rows = run(db, "heard_since", values)
            return (rows[0][0] if rows else after), list(dict.fromkeys(row[1] for row in rows))


def _use_values(organism: int, use: Use) -> dict[str, Any]:
    return {
        "organism": organism,
        "id": use.id,
        "times": use.times,
        "at": stamp(use.at),
        "room": room_after(use.times),
    }


def _read_values(organism: int, read: Recollection) -> dict[str, Any]:
    return {
        "organism": organism,
        "at": stamp(read.at),
        "node": read.node,
        "session_id": read.session_id,
        "query": read.query,
        "policy": read.policy,
    }


def _item_values(organism: int, number: int, item: Recalled) -> dict[str, Any]:
    return {
        "organism": organism,
        "id": item.id,
        "number": number,
        "rank": item.rank,
        "score": item.score,
        "parts": None if item.parts is None else msgspec.json.encode(item.parts).decode(),
        "zone": item.zone,
        "depth": item.depth,
    }


def _item(row: Sequence[Any]) -> Recalled:
    return Recalled(
        id=row[1],
        rank=row[2],
        score=row[3],
        parts=None if row[4] is None else msgspec.json.decode(row[4], type=dict[str, float]),
        zone=row[5],
        depth=row[6],
    )


def _read(row: Sequence[Any], items: tuple[Recalled, ...]) -> Recollection:
    return Recollection(at=moment(row[1]), node=row[2], session_id=row[3], query=row[4], policy=row[5], items=items)
