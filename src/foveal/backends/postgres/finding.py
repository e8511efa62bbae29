"""Where a question is answered: in RAM, or for a large organism inside the database."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import NamedTuple

from foveal.backends.postgres.building import Builder, index_names
from foveal.backends.postgres.crowd import INDEXED_RECORDS, Crowding
from foveal.backends.postgres.dialect import PostgresTransaction
from foveal.backends.postgres.gathering import ENOUGH, Gathering
from foveal.backends.postgres.lately import Lately
from foveal.backends.postgres.samples import Samples
from foveal.backends.postgres.searching import Asked, Census, Search
from foveal.backends.sql.search import Search as MirrorSearch
from foveal.backends.sql.search import Standing, key_of
from foveal.backends.sql.session import Organism
from foveal.errors import NotFound, StoreUnavailable
from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Record
from foveal.model.search import Frame, Probe, Setting
from foveal.ports.store import Choose, Encoder

MIRROR_RECORDS = 200_000
# More than this is gathered before a question is answered.
LATE = 4 * ENOUGH


class Inside(NamedTuple):
    """An organism that is searched inside the database, and which vectors of it: their encoder and generation."""

    asked: Asked
    census: Census
    used: tuple[int, int]


class Finding(MirrorSearch, Gathering, Crowding):
    """How records are found without knowing their ids."""

    _mirror_records: int
    _samples: Samples
    _lately: Lately
    _builder: Builder

    def setting(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> Setting:
        """Who speaks in an organism, and in which years."""
        known = self._lately.of(viewpoint.organism) if lately else None
        if known is not None:
            return known
        with self._db.reading(viewpoint) as db:
            standing = self._as_it_stands(db, viewpoint, encoder)
            if standing is None:
                return Setting()
            inside = self._inside(db, standing, encoder)
            if inside is not None:
                return _told(db, inside)
            return self._followed(db, standing, encoder.dimension).image.setting

    def recollect(
        self, sight: Sight, probe: Probe, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[Frame, list[Record]]:
        """The visible candidates for a question, what stands around them, and the records chosen of them."""
        while True:
            with self._db.reading(sight.viewpoint) as db:
                standing = self._as_it_stands(db, sight.viewpoint, encoder)
                inside = None if standing is None else self._inside(db, standing, encoder)
                if inside is None:
                    known = standing and self._followed(db, standing, encoder.dimension)
                    frame = self._frame(db, known, sight, probe, limit, encoder.dimension)
                    if frame.setting is not None:
                        self._lately.keep(sight.viewpoint.organism, frame.setting)
                    return frame, self._get(db, sight, choose(frame))
                since = {**inside.asked.organism, "filed": inside.census.filed, "limit": LATE + 1}
                late = db.run("ungathered", since)
                if len(late) <= LATE:
                    search = Search(db, inside.asked, inside.census, late)
                    spread = (
                        (0.0, 0.0)
                        if probe.vector is None
                        else self._samples.spread(
                            db, inside.asked.organism, inside.used, search.records, probe.vector
                        )
                    )
                    frame = search.frame(sight, probe, limit, spread)
                    records = self._get(db, sight, choose(frame))
                    break
            self.gather(sight.viewpoint)
        if len(late) >= ENOUGH:
            # Whoever writes to the organism goes first: a later question will find time for it.
            with suppress(StoreUnavailable):
                self.gather(sight.viewpoint, wait=False)
        return frame, records

    def index(self, viewpoint: Viewpoint, encoder: Encoder) -> None:
        """Make an organism ready to be searched inside the database, and wait for it."""
        self.gather(viewpoint)
        with self._db.reading(viewpoint) as db:
            used, organism = self._in_use(db, encoder), db.organism(viewpoint)
        if used is None or organism is None:
            raise NotFound("there is no such memory")
        self._builder.build(organism, used[0], encoder.dimension)

    def _inside(self, db: PostgresTransaction, standing: Standing, encoder: Encoder) -> Inside | None:
        """The organism, if it is searched inside the database.

        A large one stays in RAM until it has been made ready, which goes on behind this call.
        """
        organism, used = standing.organism, standing.used
        name = key_of(organism)
        held = self._mirrors.size(name)
        if held is not None and held <= self._mirror_records:
            return None
        [row] = db.run("census", {**organism, **index_names(organism["organism"], used[0])})
        census = Census(*row)
        if census.records <= self._mirror_records and self._small(db, organism, held):
            return None
        inside = Inside(Asked(organism, used[0], encoder.dimension), census, used)
        if census.indexed:
            self._mirrors.drop(name)
            self._lately.drop((organism["world"], organism["actor"]))
            return inside
        # Without a mirror to wait in, a small one does without indexes.
        if self._mirror_records or census.records >= INDEXED_RECORDS:
            viewpoint = Viewpoint(world=organism["world"], actor_id=organism["actor"])
            self._builder.begin(lambda: self.index(viewpoint, encoder))
        return None if self._mirror_records else inside

    def _small(self, db: PostgresTransaction, organism: Organism, held: int | None) -> bool:
        if held is not None or not self._mirror_records:
            return False
        most = self._mirror_records
        return db.value("count_up_to", {**organism, "limit": most + 1}) <= most


def _told(db: PostgresTransaction, inside: Inside) -> Setting:
    census = inside.census
    [(speakers, first, last)] = db.run("told_of", {**inside.asked.organism, "filed": census.filed})
    days = [one for one in (census.first_day, census.last_day, first, last) if one is not None]
    years = (date.fromordinal(min(days)).year, date.fromordinal(max(days)).year) if days else None
    return Setting(speakers=tuple(speakers), years=years)
