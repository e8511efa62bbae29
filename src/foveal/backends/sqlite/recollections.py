"""The recall log and the uses of records, in a SQLite file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from foveal.backends.relational.recollection_rows import item_values, read_values, reads_of, use_values
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, run_all, value
from foveal.model.recollection import Recollection, Use
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.recollections import MOST_READS


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
            own = {"organism": values["organism"]}
            ids = {one.id for one in uses} | {item.id for read in reads for item in read.items}
            wanted = values | {"ids": json.dumps(sorted(ids))}
            seen = {row[0] for row in run(db, "ids_seen", wanted, sight=condition)}
            counted = [use_values(own, one) for one in uses if one.id in seen]
            run_all(db, "count_uses", counted)
            shown: list[dict[str, Any]] = []
            for read in reads:
                number = value(db, "add_recollection", read_values(own, read))
                shown += [item_values(own, number, one) for one in read.items if one.id in seen]
            run_all(db, "add_recollected", shown)
            if reads:
                run(db, "trim_recollections", own | {"most": MOST_READS})

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
            return reads_of(rows, run(db, "recollected_seen", numbers, sight=condition))

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
