"""The recall log, and how often records were used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from foveal.backends.sql.records import Records
from foveal.backends.sql.rows import from_micros, to_micros
from foveal.backends.sql.session import Dialect, Organism, Session
from foveal.backends.sql.visibility import Part
from foveal.model.query import Access, Viewpoint
from foveal.model.results import Recalled, Recollection, Use
from foveal.ports.store import MOST_READS
from foveal.rules.decay import room_after


class RecallLog(Part):
    """The log of reads, and the counts of uses."""

    def __init__(self, session: Session, dialect: Dialect, records: Records) -> None:
        super().__init__(session, dialect)
        self._records = records

    def add(self, access: Access, reads: Sequence[Recollection], uses: Sequence[Use], *, wait: bool = True) -> None:
        """Log reads and count uses, in one transaction."""
        with self._session.writing(access.viewpoint, wait=wait) as db:
            organism = db.organism(access.viewpoint)
            if organism is None:
                return
            ids = {use.id for use in uses} | {item.id for read in reads for item in read.items}
            wanted = {"ids": self._dialect.texts(sorted(ids))}
            seen = {record_id for (record_id,) in self._seen(db, access, "ids_seen", wanted)}
            shown: list[dict[str, Any]] = []
            for read in reads:
                number = db.value("add_recollection", _read_values(organism, read))
                shown += [_item_values(organism, number, item) for item in read.items if item.id in seen]
            counted = [_use_values(organism, use) for use in uses if use.id in seen]
            db.batch(("count_uses", counted), ("add_recollected", shown))
            if reads:
                db.change("trim_recollections", {**organism, "most": MOST_READS})

    def reads(self, access: Access, record_id: str | None, limit: int) -> list[Recollection]:
        """The reads of this node and the nodes below it, newest first, with the items that are visible."""
        with self._session.reading(access.viewpoint) as db:
            if record_id is not None:
                self._records.visible_in(db, access, [record_id])
            node = access.viewpoint.node
            asked = {
                **db.organism_or_nobody(access.viewpoint),
                "owner": access.as_owner,
                "node": node,
                "below": node.rstrip("/") + "/",
                "limit": limit,
            }
            if record_id is None:
                rows = db.run("recollections_of", asked)
            else:
                rows = db.run("recollections_of_record", asked | {"id": record_id})
            numbers = {"numbers": self._dialect.array(number for number, *_ in rows)}
            return _reads_of(rows, self._seen(db, access, "recollected_seen", numbers))

    def recently_shown(self, viewpoint: Viewpoint, after: int, limit: int) -> tuple[int, list[str]]:
        """The last read of this conversation after the read `after`, and the ids that reads since then showed."""
        with self._session.reading(viewpoint) as db:
            values = {
                **db.organism_or_nobody(viewpoint),
                "node": viewpoint.node,
                "session_id": viewpoint.session_id,
                "after": after,
                "limit": limit,
            }
            rows = db.run("heard_since", values)
            return (rows[0][0] if rows else after), list(dict.fromkeys(record_id for _, record_id in rows))


def _use_values(own: Organism, use: Use) -> dict[str, Any]:
    """The values that `count_uses` binds."""
    return {**own, "id": use.id, "times": use.times, "at": to_micros(use.at), "room": room_after(use.times)}


def _read_values(own: Organism, read: Recollection) -> dict[str, Any]:
    """The values that `add_recollection` binds."""
    return {
        **own,
        "at": to_micros(read.at),
        "node": read.node,
        "session_id": read.session_id,
        "query": read.query,
        "policy": read.policy,
    }


def _item_values(own: Organism, number: int, item: Recalled) -> dict[str, Any]:
    """The values that `add_recollected` binds."""
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


def _reads_of(reads: Sequence[Sequence[Any]], items: Sequence[Sequence[Any]]) -> list[Recollection]:
    """The reads in rows, each with its own items."""
    shown: dict[int, list[Recalled]] = {number: [] for number, *_ in reads}
    for number, *item in items:
        shown[number].append(_item_of(item))
    return [
        Recollection(
            at=from_micros(at),
            node=node,
            session_id=session_id,
            query=query,
            policy=policy,
            items=tuple(shown[number]),
        )
        for number, at, node, session_id, query, policy in reads
    ]


def _item_of(row: Sequence[Any]) -> Recalled:
    record_id, rank, score, parts, zone, depth = row
    return Recalled(
        id=record_id,
        rank=rank,
        # Logs written by older releases contain an unbounded score here.
        relevance=min(1.0, score),
        parts=None if parts is None else msgspec.json.decode(parts, type=dict[str, float]),
        zone=zone,
        depth=depth,
    )
