"""The vectors of records: which encoder made them, how it is replaced, and how an external index follows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.sql.rows import NONE, active_of, from_micros, to_micros, used, values_of
from foveal.backends.sql.session import Organism, Transaction
from foveal.backends.sql.visibility import Part
from foveal.model.query import Viewpoint
from foveal.model.record import Record
from foveal.model.search import SyncPoint, VectorBatch, VectorRow
from foveal.ports.store import Encoder


class Vectors(Part):
    """The vectors of records.

    The vectors of a new encoder are stored beside those in use, which are read until all new ones exist. An
    external index follows the vectors in the order of `seq`, which is the order of commits within an organism.
    """

    def encoder(self) -> Encoder | None:
        """The encoder whose vectors are searched, or None if there is none yet."""
        with self._session.reading() as db:
            active = self.active(db)
            return active[1] if active else None

    def active(self, db: Transaction) -> tuple[int, Encoder, int] | None:
        """The number, description and generation of the encoder in use."""
        return active_of(db.run("active_encoder"))

    def require(self, db: Transaction, encoder: Encoder) -> int:
        """The number of the encoder in use, for writing; if there is none yet, this one becomes it."""
        used = self.in_use(db, encoder)
        if used is None:
            # Two transactions that write the first record at once must not both set the encoder.
            db.lock("lock_encoders")
            used = self.in_use(db, encoder)
        return self._number(db, encoder, active=True) if used is None else used[0]

    def in_use(self, db: Transaction, encoder: Encoder) -> tuple[int, int] | None:
        """The number and generation of the encoder in use, or None if there is none yet.

        Raises `EncoderMismatch` if another encoder is in use.
        """
        return used(self.active(db), encoder)

    def _number(self, db: Transaction, encoder: Encoder, *, active: bool) -> int:
        number = db.value("encoder_number", values_of(encoder))
        if number is None:
            number = db.value("add_encoder", values_of(encoder, active=active))
        return int(number)

    def _known_number(self, db: Transaction, encoder: Encoder) -> int:
        number = db.value("encoder_number", values_of(encoder))
        return NONE if number is None else int(number)

    def unencoded(self, encoder: Encoder, limit: int) -> list[Record]:
        """Versions without a vector of this encoder."""
        with self._session.reading() as db:
            values = {"encoder": self._known_number(db, encoder), "limit": limit}
            return self._sound(db.run("unencoded", values, columns=self._dialect.columns_of_any))

    def count_unencoded(self, encoder: Encoder) -> int:
        """How many versions are without a vector of this encoder."""
        with self._session.reading() as db:
            return db.value("count_unencoded", {"encoder": self._known_number(db, encoder)})

    def encode(self, encoder: Encoder, vectors: Sequence[tuple[Record, NDArray[np.float32]]]) -> None:
        """Store vectors beside those in use, and the digits of the records."""
        with self._session.writing(alone=True) as db:
            number = self._number(db, encoder, active=False)
            for viewpoint, own_vectors in _by_organism(vectors).items():
                organism = db.organism(viewpoint)
                if organism is not None:
                    self._encode(db, organism, number, own_vectors)
            db.change("vectors_came_late", {"encoder": number})

    def _encode(
        self,
        db: Transaction,
        organism: Organism,
        number: int,
        vectors: Sequence[tuple[Record, NDArray[np.float32]]],
    ) -> None:
        wanted = {
            "ids": self._dialect.array(record.id for record, _ in vectors),
            "versions": self._dialect.array(record.version for record, _ in vectors),
        }
        seqs = dict[int, int](db.run("seqs_of", {**organism, **wanted}))
        for place, (record, rows) in enumerate(vectors, 1):
            if place not in seqs:  # the record was erased meanwhile
                continue
            own = {**organism, "seq": seqs[place]}
            db.batch(("add_vector", self._dialect.vector_values({**own, "encoder": number}, rows)))
            db.change("place", {**own, "digits": record.address.digits, "tape": record.address.tape})
            db.change("forget_origin", own)

    def adopt(self, encoder: Encoder) -> bool:
        """Make this the encoder in use and drop the vectors of others; False while vectors are missing."""
        with self._session.writing(alone=True) as db:
            values = {"encoder": self._number(db, encoder, active=False)}
            if db.value("count_unencoded", values):
                return False
            for step in ("activate_encoder", "remove_other_vectors", "remove_other_encoders", "leave_other_tapes"):
                db.change(step, values)
            return True

    def after(self, viewpoint: Viewpoint, encoder: Encoder, mark: SyncPoint | None, limit: int) -> VectorBatch:
        """The records whose newest version came after the mark, and the mark that follows them."""
        # A replica may be behind the mark, and would then look like another database.
        with self._session.reading(viewpoint, newest=True) as db:
            organism, number, start = self._from(db, viewpoint, encoder, mark)
            asked = {**organism, "encoder": number, "seq": start.seq, "limit": limit}
            stored = db.rows("shelved_after", asked)
            rows = tuple(
                VectorRow(
                    id=row.id,
                    kind=row.kind,
                    vectors=self._dialect.vectors_of(row.data, encoder.dimension).astype(np.float32),
                )
                for row in stored
            )
            seq = stored[-1].seq if stored else start.seq
            last = db.value("last_shelved", {**organism, "seq": seq})
            reached = msgspec.structs.replace(start, seq=seq, last=last or "")
            return VectorBatch(rows=rows, mark=reached, anew=start is not mark)

    def count_after(self, viewpoint: Viewpoint, encoder: Encoder, mark: SyncPoint | None) -> int:
        """How many records come after the mark."""
        with self._session.reading(viewpoint, newest=True) as db:
            organism, number, start = self._from(db, viewpoint, encoder, mark)
            return db.value("count_shelved", {**organism, "encoder": number, "seq": start.seq})

    def erased_since(self, viewpoint: Viewpoint, since: datetime | None) -> list[tuple[str, datetime]]:
        """The ids erased at or after a moment, or ever, and when each was erased."""
        with self._session.reading(viewpoint) as db:
            asked = {**db.organism_or_nobody(viewpoint), "since": 0 if since is None else to_micros(since)}
            return [(record_id, from_micros(at)) for record_id, at in db.run("erased_since", asked)]

    def _from(
        self, db: Transaction, viewpoint: Viewpoint, encoder: Encoder, mark: SyncPoint | None
    ) -> tuple[Organism, int | None, SyncPoint]:
        """The organism, the number of the encoder, and where to start: at the mark, or anew if it is stale."""
        organism = db.organism_or_nobody(viewpoint)
        number, generation = self.in_use(db, encoder) or (None, 0)
        if mark is not None and (mark.encoder, mark.generation) == (encoder.id, generation):
            if db.value("was_shelved", {**organism, "id": mark.last, "seq": mark.seq}):
                return organism, number, mark
        return organism, number, SyncPoint(encoder=encoder.id, generation=generation)


def _by_organism(
    vectors: Sequence[tuple[Record, NDArray[np.float32]]],
) -> dict[Viewpoint, list[tuple[Record, NDArray[np.float32]]]]:
    grouped: dict[Viewpoint, list[tuple[Record, NDArray[np.float32]]]] = {}
    for record, rows in vectors:
        grouped.setdefault(Viewpoint(world=record.world, actor_id=record.actor_id), []).append((record, rows))
    return grouped
