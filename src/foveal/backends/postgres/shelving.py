"""What an index of vectors follows a Postgres database by."""

from __future__ import annotations

from datetime import datetime

import msgspec
import numpy as np

from foveal.backends.postgres.part import NOBODY, Part
from foveal.backends.postgres.query import Db, Organism, run, value
from foveal.backends.relational.stamps import moment, stamp
from foveal.model.shelf import Mark, Shelf, Shelved
from foveal.model.sight import Viewpoint
from foveal.ports.entry import Encoder


class Shelving(Part):
    """Vectors in the order of `seq`, in which the writers of an organism commit."""

    def shelved_after(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None, limit: int) -> Shelf:
        """The records whose newest version came after the mark, with the mark behind them."""
        # A replica may be behind the mark, and would seem to be another database.
        with self._db.writing(viewpoint) as db:
            organism, number, known = self._from(db, encoder, mark)
            asked = {**organism, "encoder": number, "seq": known.seq, "limit": limit}
            found = run(db, "shelved_after", asked)
            rows = tuple(
                Shelved(
                    id=one,
                    kind=kind,
                    vectors=np.frombuffer(data, ">f2").reshape(-1, encoder.dimension).astype(np.float32),
                )
                for _, one, kind, data in found
            )
            seq = found[-1][0] if found else known.seq
            last = value(db, "last_shelved", {**organism, "seq": seq})
            reached = msgspec.structs.replace(known, seq=seq, last=last or "")
            return Shelf(rows=rows, mark=reached, anew=known is not mark)

    def count_shelved(self, viewpoint: Viewpoint, encoder: Encoder, mark: Mark | None) -> int:
        """How many records are yet to come."""
        with self._db.writing(viewpoint) as db:
            organism, number, known = self._from(db, encoder, mark)
            return value(db, "count_shelved", {**organism, "encoder": number, "seq": known.seq})

    def erased_since(self, viewpoint: Viewpoint, since: datetime | None) -> list[tuple[str, datetime]]:
        """The ids that were erased at or after a moment, or ever, and when."""
        with self._db.reading(viewpoint) as db:
            asked = {**(db.organism or NOBODY), "since": 0 if since is None else stamp(since)}
            return [(one, moment(at)) for one, at in run(db, "erased_since", asked)]

    def _from(self, db: Db, encoder: Encoder, mark: Mark | None) -> tuple[Organism, int | None, Mark]:
        """The organism, the encoder, and the mark if it is of these; else one at the beginning."""
        organism = db.organism or NOBODY
        number, generation = self._in_use(db, encoder) or (None, 0)
        if mark is not None and (mark.encoder, mark.generation) == (encoder.id, generation):
            if value(db, "was_shelved", {**organism, "id": mark.last, "seq": mark.seq}):
                return organism, number, mark
        return organism, number, Mark(encoder=encoder.id, generation=generation)
