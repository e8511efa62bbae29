"""What an index of vectors follows a SQLite file by."""

from __future__ import annotations

from datetime import datetime

import apsw
import msgspec
import numpy as np

from foveal.backends.relational.stamps import moment, stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, value
from foveal.model.shelf import Mark, Shelf, Shelved
from foveal.model.sight import Viewpoint
from foveal.ports.entry import Encoder


class Shelving(Part):
    """Vectors in the order of `seq`, which counts up and is never used again."""

    def shelved_after(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None, limit: int) -> Shelf:
        """The records whose newest version came after the mark, with the mark behind them."""
        with self._db.reading() as db:
            organism, number, known = self._from(db, viewpoint, encoder, mark)
            asked = {"organism": organism, "encoder": number, "seq": known.seq, "limit": limit}
            found = run(db, "shelved_after", asked)
            rows = tuple(
                Shelved(
                    id=one,
                    kind=kind,
                    vectors=np.frombuffer(data, np.float16).reshape(-1, encoder.dimension).astype(np.float32),
                )
                for _, one, kind, data in found
            )
            seq = found[-1][0] if found else known.seq
            last = value(db, "last_shelved", {"organism": organism, "seq": seq})
            reached = msgspec.structs.replace(known, seq=seq, last=last or "")
            return Shelf(rows=rows, mark=reached, anew=known is not mark)

    def count_shelved(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None) -> int:
        """How many records are yet to come."""
        with self._db.reading() as db:
            organism, number, known = self._from(db, viewpoint, encoder, mark)
            return value(db, "count_shelved", {"organism": organism, "encoder": number, "seq": known.seq})

    def erased_since(self, viewpoint: Viewpoint, since: datetime | None) -> list[tuple[str, datetime]]:
        """The ids that were erased at or after a moment, or ever, and when."""
        with self._db.reading() as db:
            organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
            asked = {"organism": organism, "since": 0 if since is None else stamp(since)}
            return [(one, moment(at)) for one, at in run(db, "erased_since", asked)]

    def _from(
        self, db: apsw.Connection, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None
    ) -> tuple[int | None, int | None, Mark]:
        """The organism, the encoder, and the mark if it is of this file and encoder; else one at the beginning."""
        organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
        number, generation = self._in_use(db, encoder) or (None, 0)
        if mark is not None and (mark.encoder, mark.generation) == (encoder.id, generation):
            if value(db, "was_shelved", {"organism": organism, "id": mark.last, "seq": mark.seq}):
                return organism, number, mark
        return organism, number, Mark(encoder=encoder.id, generation=generation)
