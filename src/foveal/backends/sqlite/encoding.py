"""Which encoder made the vectors of a SQLite file, and how another takes its place."""

from __future__ import annotations

from collections.abc import Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from foveal.backends.relational.encoder_rows import NONE, active_of, used
from foveal.backends.relational.record_rows import record_of
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, value
from foveal.backends.sqlite.rows import COLUMNS_OF_ANY
from foveal.model.record import Record
from foveal.ports.store import Encoder


class Encoding(Part):
    """Vectors are made beside those in use, so that reads go on until all are there."""

    def encoder(self) -> Encoder | None:
        """The encoder whose vectors are searched, or None before the first."""
        with self._db.reading() as db:
            active = self._active(db)
            return active[1] if active else None

    def _active(self, db: apsw.Connection) -> tuple[int, Encoder, int] | None:
        return active_of(run(db, "active_encoder"))

    def _require(self, db: apsw.Connection, encoder: Encoder) -> int:
        """The number of the encoder in use, for writing: the first to come is taken."""
        found = self._in_use(db, encoder)
        return self._number(db, encoder, active=True) if found is None else found[0]

    def _in_use(self, db: apsw.Connection, encoder: Encoder) -> tuple[int, int] | None:
        """The number and generation of the encoder in use, None before the first; else `EncoderMismatch`."""
        return used(self._active(db), encoder)

    def _number(self, db: apsw.Connection, encoder: Encoder, *, active: bool) -> int:
        number = value(db, "encoder_number", (encoder.id, encoder.dimension))
        if number is None:
            number = value(db, "add_encoder", (encoder.id, encoder.dimension, int(active)))
        return int(number)

    def _known_number(self, db: apsw.Connection, encoder: Encoder) -> int:
        number = value(db, "encoder_number", (encoder.id, encoder.dimension))
        return NONE if number is None else int(number)

    def unencoded(self, encoder: Encoder, limit: int) -> list[Record]:
        """Versions that have no vector of this encoder yet."""
        with self._db.reading() as db:
            values = {"encoder": self._known_number(db, encoder), "limit": limit}
            return [record_of(row) for row in run(db, "unencoded", values, columns=COLUMNS_OF_ANY)]

    def count_unencoded(self, encoder: Encoder) -> int:
        """How many versions have no vector of this encoder yet."""
        with self._db.reading() as db:
            return value(db, "count_unencoded", {"encoder": self._known_number(db, encoder)})

    def encode(self, encoder: Encoder, vectors: Sequence[tuple[Record, NDArray[np.float32]]]) -> None:
        """Store vectors beside those in use, and the digits that the records come with."""
        with self._db.writing() as db:
            number = self._number(db, encoder, active=False)
            for record, rows in vectors:
                organism = self._organism(db, record.world, record.actor_id)
                values = {"organism": organism, "id": record.id, "version": record.version}
                seq = value(db, "seq_of", values)
                if seq is not None:  # it may have been erased meanwhile
                    data = rows.astype(np.float16).tobytes()
                    run(db, "add_vector", (number, organism, seq, data))
                    run(db, "place", (record.address.digits, record.address.tape, seq))
                    run(db, "forget_origin", {"organism": organism, "seq": seq})
            run(db, "vectors_came_late", (number,))

    def adopt(self, encoder: Encoder) -> bool:
        """Search this encoder's vectors from now on and drop the others; False while some are missing."""
        with self._db.writing() as db:
            values = {"encoder": self._number(db, encoder, active=False)}
            if value(db, "count_unencoded", values):
                return False
            for step in ("activate_encoder", "remove_other_vectors", "remove_other_encoders", "leave_other_tapes"):
                run(db, step, values)
            return True
