"""The recall log, and how often records were used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foveal.backends.sql.records import Records
from foveal.backends.sql.rows import struct_of, values_of
from foveal.backends.sql.session import Dialect, Session
from foveal.backends.sql.visibility import Part
from foveal.model.query import Access, Viewpoint
from foveal.model.results import Recalled, Recollection, Use
from foveal.ports.store import MOST_READS
from foveal.rules.decay import room_after


def _recalled(row: Any) -> Recalled:
    # Logs written by older releases contain an unbounded score here.
    return struct_of(Recalled, row, relevance=min(1.0, row.relevance))


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
                number = db.value("add_recollection", values_of(read, **organism))
                shown += [values_of(item, **organism, number=number) for item in read.items if item.id in seen]
            counted = [values_of(use, **organism, room=room_after(use.reads)) for use in uses if use.id in seen]
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
                rows = db.rows("recollections_of", asked)
            else:
                rows = db.rows("recollections_of_record", asked | {"id": record_id})
            shown: dict[int, list[Recalled]] = {row.number: [] for row in rows}
            for item in self._seen(db, access, "recollected_seen", {"numbers": self._dialect.array(shown)}):
                for recalled in self._each(Recalled, [item], _recalled):
                    shown[item.recollection].append(recalled)

            def read(row: Any) -> Recollection:
                return struct_of(Recollection, row, items=tuple(shown[row.number]))

            return self._each(Recollection, rows, read)

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
            rows = db.rows("heard_since", values)
            return (rows[0].number if rows else after), list(dict.fromkeys(row.id for row in rows))
