"""`PostgresStore`: its options and checks, and the choice between searching in RAM and in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, NamedTuple

from psycopg import sql

from foveal.backends.postgres.connection import WAIT_SECONDS, Connections, opened, retry_public_methods
from foveal.backends.postgres.dialect import DIALECT, PostgresTransaction, text
from foveal.backends.postgres.schema import PARTITIONS
from foveal.backends.postgres.search import Asked, Census, DatabaseSearch, RecentCorpusInfo, Samples
from foveal.backends.postgres.segments import ENOUGH, Builder, gather, index_names
from foveal.backends.sql.caches import Caches, key_of
from foveal.backends.sql.records import Counts, Records
from foveal.backends.sql.rows import NONE, from_micros_or_none, tier_of
from foveal.backends.sql.search import Search, Standing
from foveal.backends.sql.session import Organism
from foveal.backends.sql.store import SqlStore
from foveal.backends.sql.vectors import Vectors
from foveal.backends.sql.visibility import Part
from foveal.errors import Invalid, NotFound, StoreUnavailable, Unsupported
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Stats
from foveal.model.search import CandidateTable, CorpusInfo, IndexQuery
from foveal.model.server import ActorQuota
from foveal.ports.store import Capability, Choose, Encoder

_COUNTED = ("totals_seen", "counts_by_tier", "counts_by_kind", "counts_by_scope", "links_between_seen")


class PostgresCounts(Counts):
    """Counts what is visible, by queries on the server."""

    def _visible_stats(self, access: Access) -> Stats:
        with self._session.reading(access.viewpoint) as db:
            active = self._vectors.active(db)
            counted = {name: self._counted(db, access, name, {}) for name in _COUNTED}
            number = active[0] if active else NONE
            counted["versions_of_seen"] = self._counted(db, access, "versions_of_seen", {"encoder": number})
            return _stats_of(counted, active[1].id if active else None)


def _stats_of(counted: Mapping[str, Sequence[Sequence[Any]]], encoder: str | None) -> Stats:
    """The counts, from the rows of each query."""
    [(records, pinned, archived, regions, sessions, first_at, last_at)] = counted["totals_seen"] or [
        (0, 0, 0, 0, 0, None, None)
    ]
    versions, size, pending = (counted["versions_of_seen"] or [(0, 0, 0)])[0]
    tiers = [(tier_of(tier).name.lower(), count, held) for tier, count, held in counted["counts_by_tier"]]
    return Stats(
        records=records,
        versions=versions,
        links=(counted["links_between_seen"] or [(0,)])[0][0],
        pinned=int(pinned),
        archived=int(archived),
        pending=int(pending),
        tiers=dict(sorted((name, count) for name, count, _ in tiers)),
        held=dict(sorted((name, int(held)) for name, _, held in tiers if held)),
        kinds={kind: count for kind, count in counted["counts_by_kind"]},
        scopes={scope: count for scope, count in counted["counts_by_scope"]},
        regions=regions,
        sessions=sessions,
        first_at=from_micros_or_none(first_at),
        last_at=from_micros_or_none(last_at),
        bytes=int(size),
        encoder=encoder,
    )


# With at least this many records, an organism is searched faster with indexes of its own.
INDEXED_RECORDS = 10_000


class Sized(NamedTuple):
    """An organism, how many indexed records it has, and whether it has indexes of its own."""

    world: str
    actor: str
    records: int
    indexed: bool

    def wants_indexes(self, mirror_records: int) -> bool:
        """Whether it is searched inside the database and is large enough to need indexes.

        >>> Sized("default", "ada", 300, indexed=False).wants_indexes(200)
        True
        """
        return self.records > mirror_records and (mirror_records > 0 or self.records >= INDEXED_RECORDS)


class OrganismSizes(NamedTuple):
    """The largest organisms, largest first; how many are searched in the database; the records of the others."""

    largest: tuple[Sized, ...]
    inside: int
    mirrored: int


MIRROR_RECORDS = 200_000
# If more versions than this are in no segment, they are gathered before a question is answered.
LATE = 4 * ENOUGH


class Inside(NamedTuple):
    """An organism that is searched inside the database, and the encoder and generation of its vectors."""

    asked: Asked
    census: Census
    used: tuple[int, int]


class PostgresCaches(Caches):
    """What this process keeps in memory of organisms."""

    def __init__(self) -> None:
        super().__init__()
        self.samples = Samples()
        self.corpus_info = RecentCorpusInfo()

    def drop(self, organism: Organism) -> None:
        """Forget an organism of which something was erased; the server clears its bytes when it vacuums."""
        self.samples.drop(organism)
        self.corpus_info.drop((organism["world"], organism["actor"]))
        super().drop(organism)


class PostgresSearch(Search):
    """Finds records for a question: small organisms in RAM, large ones inside the database."""

    def __init__(
        self, db: Connections, vectors: Vectors, records: Records, caches: PostgresCaches, mirror_records: int
    ) -> None:
        super().__init__(db, DIALECT, records, caches)
        self._db, self._vectors = db, vectors
        self._mirror_records = mirror_records
        self._samples, self._recent = caches.samples, caches.corpus_info
        self.builder = Builder(db)

    def corpus_info(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> CorpusInfo:
        """The speakers in an organism, and the years it covers."""
        known = self._recent.of(viewpoint.organism) if lately else None
        if known is not None:
            return known
        with self._db.reading(viewpoint) as db:
            standing = self._read_standing(db, viewpoint, encoder)
            if standing is None:
                return CorpusInfo()
            inside = self._inside(db, standing, encoder)
            if inside is not None:
                return _corpus_info(db, inside)
            return self._updated(db, standing, encoder.dimension).reader.corpus_info

    def find(
        self, access: Access, probe: IndexQuery, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[CandidateTable, list[Record]]:
        """The visible candidates for a question with their neighbours, and the records that `choose` picks."""
        while True:
            with self._db.reading(access.viewpoint) as db:
                standing = self._read_standing(db, access.viewpoint, encoder)
                inside = None if standing is None else self._inside(db, standing, encoder)
                if inside is None:
                    known = standing and self._updated(db, standing, encoder.dimension)
                    candidates = self._candidates(db, known, access, probe, limit, encoder.dimension)
                    if candidates.corpus_info is not None:
                        self._recent.keep(access.viewpoint.organism, candidates.corpus_info)
                    look = self._looking(db, known and known.organism, probe, candidates)
                    return candidates, self._records.get_in(db, access, choose(candidates, look))
                since = {**inside.asked.organism, "filed": inside.census.filed, "limit": LATE + 1}
                late = db.run("ungathered", since)
                if len(late) <= LATE:
                    search = DatabaseSearch(db, inside.asked, inside.census, late)
                    spread = (
                        (0.0, 0.0)
                        if probe.vector is None
                        else self._samples.spread(
                            db, inside.asked.organism, inside.used, search.records, probe.vector
                        )
                    )
                    candidates = search.frame(access, probe, limit, spread)
                    look = self._looking(db, inside.asked.organism, probe, candidates)
                    records = self._records.get_in(db, access, choose(candidates, look))
                    break
            self.gather(access.viewpoint)
        if len(late) >= ENOUGH:
            # Writers of the organism come first; a later question can gather these.
            with suppress(StoreUnavailable):
                self.gather(access.viewpoint, wait=False)
        return candidates, records

    def gather(self, viewpoint: Viewpoint, *, wait: bool = True) -> int:
        """Add the versions that are in no segment yet to segments. Returns how many there were."""
        return gather(self._db, viewpoint, wait=wait)

    def sizes(self, limit: int) -> OrganismSizes:
        """The largest organisms and totals of all. It counts everything, so it is slow."""
        with self._db.reading() as db:
            rows = db.run("largest_organisms", {"most": self._mirror_records, "limit": limit})
        if not rows:
            return OrganismSizes((), 0, 0)
        *_, inside, mirrored = rows[0]
        return OrganismSizes(tuple(Sized(*row[:4]) for row in rows), inside, mirrored)

    def index(self, viewpoint: Viewpoint, encoder: Encoder) -> None:
        """Build what is needed to search an organism inside the database, and wait until it is done."""
        self.gather(viewpoint)
        with self._db.reading(viewpoint) as db:
            used, organism = self._vectors.in_use(db, encoder), db.organism(viewpoint)
        if used is None or organism is None:
            raise NotFound("there is no such memory")
        self.builder.build(organism, used[0], encoder.dimension)

    def _inside(self, db: PostgresTransaction, standing: Standing, encoder: Encoder) -> Inside | None:
        """The organism, if it is searched inside the database.

        A large one is searched in RAM until its indexes exist; a background thread builds them.
        """
        organism, used = standing.organism, standing.used
        name = key_of(organism)
        held = self._indexes.size(name)
        if held is not None and held <= self._mirror_records:
            return None
        [row] = db.run("census", {**organism, **index_names(organism["organism"], used[0])})
        census = Census(*row)
        if census.records <= self._mirror_records and self._small(db, organism, held):
            return None
        inside = Inside(Asked(organism, used[0], encoder.dimension), census, used)
        if census.indexed:
            self._indexes.drop(name)
            self._recent.drop((organism["world"], organism["actor"]))
            return inside
        # If nothing is searched in RAM, a small organism does without indexes.
        if self._mirror_records or census.records >= INDEXED_RECORDS:
            viewpoint = Viewpoint(world=organism["world"], actor_id=organism["actor"])
            self.builder.begin(lambda: self.index(viewpoint, encoder))
        return None if self._mirror_records else inside

    def _small(self, db: PostgresTransaction, organism: Organism, held: int | None) -> bool:
        if held is not None or not self._mirror_records:
            return False
        most = self._mirror_records
        return db.value("count_up_to", {**organism, "limit": most + 1}) <= most


def _corpus_info(db: PostgresTransaction, inside: Inside) -> CorpusInfo:
    census = inside.census
    [(speakers, first, last)] = db.run("told_of", {**inside.asked.organism, "filed": census.filed})
    days = [day for day in (census.first_day, census.last_day, first, last) if day is not None]
    years = (date.fromordinal(min(days)).year, date.fromordinal(max(days)).year) if days else None
    return CorpusInfo(speakers=tuple(speakers), years=years)


class PostgresStore(SqlStore):
    """A store in a PostgreSQL database with pgvector, for any number of servers.

    One transaction at a time writes to an organism, so every call sees what earlier calls have acknowledged.
    """

    capabilities = frozenset({Capability.DURABLE, Capability.MANY_PROCESSES, Capability.REMOTE})

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        partitions: int = PARTITIONS,
        replica: str | None = None,
        staleness: timedelta = timedelta(seconds=5),
        wait_seconds: float = WAIT_SECONDS,
        mirror_records: int = MIRROR_RECORDS,
        quota: ActorQuota | None = None,
    ) -> None:
        if mirror_records < 0:
            raise Invalid("mirror_records must not be negative")
        self._db = opened(
            url,
            pool_size=pool_size,
            partitions=partitions,
            replica=replica,
            staleness=staleness,
            wait=wait_seconds,
        )
        caches = PostgresCaches()
        super().__init__(self._db, DIALECT, caches, quota)
        self.counts = PostgresCounts(self._db, DIALECT, self.vectors, self.usage)
        self.search = PostgresSearch(self._db, self.vectors, self.records, caches, mirror_records)
        for part in (self, *[part for part in vars(self).values() if isinstance(part, Part)]):
            retry_public_methods(part)

    def backup(self, path: str) -> None:
        """Always raises `Unsupported`: a database is copied by `Memory.backup`, into a memory file."""
        raise Unsupported(f"this store makes no copy at {path}: use `Memory.backup`, or `foveal backup`")

    def vacuum(self) -> int:
        """Vacuum the tables without blocking others, and renew statistics. Returns how many bytes were freed."""
        with self._db.apart() as connection:
            size = text("size_of_tables").encode()
            [(before, names)] = connection.execute(size).fetchall()
            connection.execute(
                sql.SQL("vacuum (analyze) {}").format(sql.SQL(", ").join(map(sql.Identifier, names)))
            )
            return max(0, before - connection.execute(size).fetchall()[0][0])

    def check(self) -> list[str]:
        """Descriptions of what is wrong with the database; empty if nothing is."""
        with self._db.reading() as db:
            invalid = [
                f"the index {row[0]} is not valid: run `reindex index {row[0]}`" for row in db.run("bad_indexes")
            ]
            orphans = [f"{row[0]} has {row[1]} rows without {row[2]}" for row in db.run("orphans")]
            return invalid + orphans

    def close(self) -> None:
        """Close the connections."""
        self.search.builder.close()
        self._db.close()
