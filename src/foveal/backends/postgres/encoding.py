"""Which encoder made the vectors of a Postgres database, and how another takes its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import Db, Organism, change, change_all, run, value
from foveal.backends.postgres.rows import COLUMNS_OF_ALL, vector_values
from foveal.backends.relational.encoder_rows import NONE, active_of, used
from foveal.backends.relational.record_rows import record_of
from foveal.model.record import Record
from foveal.ports.store import Encoder

Vectors = tuple[Record, NDArray[np.float32]]


class Encoding(Part):
    """Vectors are made beside those in use, so that reads go on until all are there."""

    def encoder(self) -> Encoder | None:
        """The encoder whose vectors are searched, or None before the first."""
        with self._db.reading() as db:
            active = self._active(db)
            return active[1] if active else None

    def _active(self, db: Db) -> tuple[int, Encoder, int] | None:
        return active_of(run(db, "active_encoder"))

    def _require(self, db: Db, encoder: Encoder) -> int:
        """The number of the encoder in use, for writing: the first to come is taken."""
        found = self._in_use(db, encoder)
        if found is None:
            # Two that write the first record at once must not both name the encoder.
            change(db, "lock_encoders", {})
            found = self._in_use(db, encoder)
        return self._number(db, encoder, active=True) if found is None else found[0]

    def _in_use(self, db: Db, encoder: Encoder) -> tuple[int, int] | None:
        """The number and generation of the encoder in use, None before the first; else `EncoderMismatch`."""
        return used(self._active(db), encoder)

    def _number(self, db: Db, encoder: Encoder, *, active: bool) -> int:
        number = value(db, "encoder_number", _named(encoder))
        if number is None:
            number = value(db, "add_encoder", {**_named(encoder), "active": active})
        return int(number)

    def _known_number(self, db: Db, encoder: Encoder) -> int:
        number = value(db, "encoder_number", _named(encoder))
        return NONE if number is None else int(number)

    def unencoded(self, encoder: Encoder, limit: int) -> list[Record]:
        """Versions that have no vector of this encoder yet."""
        with self._db.reading() as db:
            values = {"encoder": self._known_number(db, encoder), "limit": limit}
            return [record_of(row) for row in run(db, "unencoded", values, columns=COLUMNS_OF_ALL)]

    def count_unencoded(self, encoder: Encoder) -> int:
        """How many versions have no vector of this encoder yet."""
        with self._db.reading() as db:
            return value(db, "count_unencoded", {"encoder": self._known_number(db, encoder)})

    def encode(self, encoder: Encoder, vectors: Sequence[Vectors]) -> None:
        """Store vectors beside those in use, and the digits that the records come with."""
        with self._db.writing(alone=True) as db:
            number = self._number(db, encoder, active=False)
            for (world, actor), some in _by_organism(vectors).items():
                organism = self._organism(db, world, actor)
                if organism is not None:
                    self._encode(db, organism, number, some)
            change(db, "vectors_came_late", {"encoder": number})

    def _encode(self, db: Db, organism: Organism, number: int, vectors: Sequence[Vectors]) -> None:
        wanted = {"ids": [one.id for one, _ in vectors], "versions": [one.version for one, _ in vectors]}
        seqs = {place: seq for place, seq in run(db, "seqs_of", {**organism, **wanted})}
        for place, (record, rows) in enumerate(vectors, 1):
            if place not in seqs:  # it was erased meanwhile
                continue
            own = {**organism, "seq": seqs[place]}
            change_all(db, "add_vector", vector_values(own, number, rows))
            change(db, "place", {**own, "digits": record.address.digits, "tape": record.address.tape})
            change(db, "forget_origin", own)

    def adopt(self, encoder: Encoder) -> bool:
        """Search this encoder's vectors from now on and drop the others; False while some are missing."""
        with self._db.writing(alone=True) as db:
            values = {"encoder": self._number(db, encoder, active=False)}
            if value(db, "count_unencoded", values):
                return False
            for step in ("activate_encoder", "remove_other_vectors", "remove_other_encoders", "leave_other_tapes"):
                change(db, step, values)
            return True


def _named(encoder: Encoder) -> dict[str, Any]:
    return {"id": encoder.id, "dimension": encoder.dimension}


def _by_organism(vectors: Sequence[Vectors]) -> dict[tuple[str, str], list[Vectors]]:
    found: dict[tuple[str, str], list[Vectors]] = {}
    for one in vectors:
        found.setdefault((one[0].world, one[0].actor_id), []).append(one)
    return found
