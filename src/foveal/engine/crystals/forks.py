"""Forks of a memory, and the store as a fork sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.engine.records import changes as record_changes
from foveal.engine.records.write import entries
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid, NotFound, Pinned, Unsupported
from foveal.model.crystal import Changes, Snapshot
from foveal.model.query import Access, AllOf, Compare, Filter, Negation, Op, Viewpoint
from foveal.model.record import Record, Vitals
from foveal.model.results import Forgotten, Region, Stats
from foveal.model.search import CandidateTable, CorpusInfo, FineRows, Floats, IndexQuery, Ragged, Rows
from foveal.ports.store import Choose, Counts, Encoder, Erasure, Look, NewRecord, Order, Records, Search, Store
from foveal.rules.filters import beyond, cursor_of, parsed_filter
from foveal.rules.recall.index import rarities, worth
from foveal.rules.visibility import require_own

Number = TypeVar("Number", bound=np.generic)


def joined(first: CandidateTable, second: CandidateTable) -> CandidateTable:
    """The candidates of two tables, weighed by the contents of both memories.

    Records of different memories are never neighbours. The rarity of terms and the mean length of records are
    computed over both memories.
    """
    if not second.ids or not first.ids:
        return first if first.ids else second
    parts = _Parts(first, second)
    looked = np.union1d(first.looked, second.looked)
    factors, holders = np.zeros(len(looked), np.float32), np.zeros(len(looked), np.float32)
    times = np.zeros((len(looked), parts.size + 1), np.float32)
    for frame, places in parts.both:
        rows = np.searchsorted(looked, frame.looked)
        factors[rows] = frame.factors
        holders[rows] += frame.term_holders
        times[np.ix_(rows, places)] = frame.times
    records = first.records + second.records
    share = first.records / records
    lengths = parts.column([first.lengths, second.lengths])
    mean_length = share * first.mean_length + (1 - share) * second.mean_length
    words = (rarities(holders, records) * factors) @ worth(times, lengths, mean_length)
    mean = share * first.cosine_mean + (1 - share) * second.cosine_mean
    square = sum(
        part * (table.cosine_spread**2 + table.cosine_mean**2)
        for part, table in ((share, first), (1 - share, second))
    )
    speakers = tuple(dict.fromkeys([*first.speakers, *second.speakers]))
    return CandidateTable(
        ids=[*first.ids, *second.ids],
        keys=parts.column([first.keys, second.keys]),
        near=np.concatenate([places.take(frame.near) for frame, places in parts.both]),
        looked=looked,
        factors=factors,
        term_holders=holders,
        piece_holders=first.piece_holders + second.piece_holders,
        records=records,
        mean_length=mean_length,
        times=times,
        lengths=lengths,
        words=words.astype(np.float32),
        traits=parts.column([first.traits, second.traits]),
        cosine=parts.column([first.cosine, second.cosine]),
        cosine_mean=mean,
        cosine_spread=max(0.0, square - mean * mean) ** 0.5,
        speaker=parts.column([_named(frame, speakers) for frame in (first, second)]),
        speakers=speakers,
        spans=_runs([first.spans, second.spans], np.arange(len(first.ids) + len(second.ids))),
        pieces=_runs([first.pieces, second.pieces], parts.order),
    )


def _joined_rows(
    first: CandidateTable, second: CandidateTable, of_first: FineRows, of_second: FineRows
) -> FineRows:
    """The fine vectors of two tables, as rows of the joined one."""
    if not second.ids or not first.ids:
        return of_first if first.ids else of_second
    (_, here), (_, there) = _Parts(first, second).both
    both = [(places, fine) for places, fine in ((here, of_first), (there, of_second)) if len(fine.rows)]
    if not both:
        return FineRows.none()
    return FineRows(
        rows=np.concatenate([places.take(fine.rows) for places, fine in both]),
        codes=np.concatenate([fine.codes for _, fine in both]),
        scales=np.concatenate([fine.scales for _, fine in both]),
    )


def together(first: CorpusInfo, second: CorpusInfo) -> CorpusInfo:
    """The speakers and years of two memories.

    >>> ada = CorpusInfo(speakers=("Ada",), years=(2024, 2025))
    >>> together(ada, CorpusInfo(speakers=("Bo",), years=(2026, 2026)))
    CorpusInfo(speakers=('Ada', 'Bo'), years=(2024, 2026))
    """
    years = [year for corpus in (first, second) for year in corpus.years or ()]
    return CorpusInfo(
        speakers=tuple(dict.fromkeys([*first.speakers, *second.speakers])),
        years=(min(years), max(years)) if years else None,
    )


class _Parts:
    """Maps the rows of two tables to the joined one: candidates, then neighbours, then the row for "no record"."""

    def __init__(self, first: CandidateTable, second: CandidateTable) -> None:
        own, other = len(first.ids), len(second.ids)
        around, beside = len(first.lengths) - 1, len(second.lengths) - 1
        self.size = around + beside
        here, there = np.arange(around + 1), np.arange(beside + 1)
        here = np.where(here < own, here, here + other)
        here[-1] = self.size
        there = np.where(there < other, there + own, there + around)
        self.both = ((first, here), (second, there))
        # For each row of the joined table, its row in the concatenation of the two.
        self.order = np.empty(self.size + 1, np.int64)
        self.order[here] = np.arange(around + 1)
        self.order[there] = around + 1 + np.arange(beside + 1)

    def column(self, columns: Sequence[NDArray[Number]]) -> NDArray[Number]:
        """A column of the joined table."""
        return np.concatenate(columns).take(self.order)


def _named(frame: CandidateTable, speakers: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    numbers = np.array([*(speakers.index(speaker) for speaker in frame.speakers), len(speakers)], np.int32)
    return numbers.take(frame.speaker)


def _runs(both: Sequence[Ragged], order: Rows) -> Ragged:
    """The numbers of the rows of both tables, without those of other rows of their memories."""
    counts: list[Rows] = []
    flats: list[Floats] = []
    for runs in both:
        starts, sizes = runs.at(np.arange(len(runs.rows)))
        counts.append(sizes)
        flats.append(runs.flat[np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())])
    return Ragged(flat=np.concatenate(flats), ends=np.cumsum(np.concatenate(counts)), rows=order)


_COUNTED = ("tiers", "held", "kinds", "scopes")
_ADDED = ("records", "versions", "links", "pinned", "archived", "pending", "sessions", "bytes")


class Layers:
    """The origin of a fork as it was at `moment`, never changed, and the world of the fork on top of it.

    A record of the fork shadows the one of the same id below it, even when it is forgotten.
    """

    def __init__(self, records: Records, origin: Viewpoint, world: str, moment: datetime) -> None:
        self.records, self.origin, self.moment = records, origin.world, moment
        self._world, self._actor = world, origin.actor_id

    def require(self, world: str, actor_id: str) -> None:
        """Refuse access to any world or actor other than those of this fork."""
        if (world, actor_id) != (self._world, self._actor):
            raise Invalid("a fork is of one world and one actor: ask the memory itself for others")

    def shadows(self, access: Access) -> list[Record]:
        """The records of the fork that shadow records of the origin, forgotten ones too."""
        everything = Access(
            viewpoint=access.viewpoint, now=access.now, as_of=access.as_of, as_owner=True, include_hidden=True
        )
        # Only a later version of a record can shadow it.
        return [record for record in self.records.scan(everything, order=Order.OLDEST) if record.version > 1]

    def below(self, access: Access, *, whole: bool = False) -> Access:
        """Access to the origin as it was known then, without (unless `whole`) the shadowed records."""
        self.require(*access.viewpoint.organism)
        shadowed = [] if whole else [record.id for record in self.shadows(access)]
        parts: list[Filter] = [] if access.where is None else [access.where]
        if shadowed:
            parts.append(Negation(Compare("id", Op.IN, tuple(shadowed))))
        return msgspec.structs.replace(
            access,
            viewpoint=msgspec.structs.replace(access.viewpoint, world=self.origin),
            as_of=min(self.moment, access.as_of or self.moment),
            where=AllOf(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None,
        )

    def lifted(self, record: Record) -> Record:
        """A record of the origin as one of the fork."""
        address = msgspec.structs.replace(record.address, world=self._world)
        return msgspec.structs.replace(record, address=address)


class ForkRecords:
    """The records of both layers; what is written goes into the fork."""

    def __init__(self, layers: Layers) -> None:
        self._layers, self._own = layers, layers.records

    def get(self, access: Access, ids: Sequence[str]) -> list[Record]:
        """Those of the records that are visible, in the order asked for."""
        own = {record.id: record for record in self._own.get(access, ids)}
        missing = [record_id for record_id in ids if record_id not in own]
        records = own | {record.id: self._layers.lifted(record) for record in self._below(access, missing)}
        return [records[record_id] for record_id in dict.fromkeys(ids) if record_id in records]

    def history(self, access: Access, record_id: str) -> list[Record]:
        """The versions of a record, oldest first: those of the origin, then those of the fork."""
        if not self.get(access, [record_id]):
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
        own = self._own.history(access, record_id) if self._own.get(access, [record_id]) else []
        under = self._layers.below(access, whole=True)
        lower = self._own.history(under, record_id) if self._own.get(under, [record_id]) else []
        kept = [version for version in lower if version.recorded_at <= self._layers.moment]
        return [*map(self._layers.lifted, kept), *own]

    def previous(self, access: Access, records: Sequence[Record]) -> dict[str, Record]:
        """The version before each of these records, by id."""
        own = {record.id for record in self._own.get(access, [record.id for record in records])}
        in_fork = self._own.previous(access, [record for record in records if record.id in own])
        under = self._layers.below(access, whole=True)
        replaced = [record_id for record_id in own if record_id not in in_fork]
        lower = {record.id: record for record in self._own.get(under, replaced)} if replaced else {}
        lower |= self._own.previous(under, [record for record in records if record.id not in own])
        return {**{record_id: self._layers.lifted(record) for record_id, record in lower.items()}, **in_fork}

    def keyed(self, access: Access, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The records of the fork that a node stored with these idempotency keys, by key."""
        return self._own.keyed(access, node, keys)

    def said_before(self, access: Access, records: Sequence[Record]) -> dict[str, str]:
        """The records of the fork in which the same words were said first."""
        return self._own.said_before(access, records)

    def scan(
        self, access: Access, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records in the order of the time they speak of, starting after `after`."""
        newest = order is Order.NEWEST
        if after is not None:
            further = parsed_filter(beyond(cursor_of(after.occurred_at, after.id), newest_first=newest))
            parts = [part for part in (access.where, further) if part is not None]
            access = msgspec.structs.replace(access, where=AllOf(tuple(parts)))
        own = self._own.scan(access, order=order, limit=limit)
        lower = map(self._layers.lifted, self._own.scan(self._layers.below(access), order=order, limit=limit))
        return islice(merge(own, lower, key=_place, reverse=newest), limit)

    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records in the fork."""
        for entry in entries:
            self._layers.require(entry.record.world, entry.record.actor_id)
        return self._own.append(entries, encoder)

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        """Add the next version of a record in the fork."""
        if self._own.get(access, [entry.record.id]):
            return self._own.supersede(access, entry, encoder)
        self.require_below(access, [entry])
        return self._own.append([entry], encoder)[0][0]

    def write_batch(
        self, access: Access, fresh: Sequence[NewRecord], later: Sequence[NewRecord], encoder: Encoder
    ) -> list[Record]:
        """Store new records in the fork, and next versions of its own ones, all or none."""
        for entry in (*fresh, *later):
            self._layers.require(entry.record.world, entry.record.actor_id)
        return self._own.write_batch(access, fresh, later, encoder)

    def require_below(self, access: Access, entries: Sequence[NewRecord]) -> None:
        """Refuse next versions of records of the origin, which would shadow them, unless these may be changed."""
        lower = self._below(access, [entry.record.id for entry in entries])
        require_own(lower, access)
        if len(lower) < len(entries):
            raise Conflict("another call changed one of these records in the fork meanwhile")

    def revise(self, access: Access, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records of the fork; records of the origin keep theirs."""
        own = {record.id for record in self._own.get(access, ids)}
        if own:
            self._own.revise(access, [record_id for record_id in ids if record_id in own], change)
        return self.get(access, ids)

    def erase(self, access: Access, ids: Sequence[str]) -> Erasure:
        """Delete records of the fork for good."""
        return self._own.erase(access, ids)

    def erase_all(self, viewpoint: Viewpoint) -> Erasure:
        """Refused: a fork is discarded as a whole."""
        raise Unsupported("a fork is not erased: discard it")

    def _below(self, access: Access, ids: Sequence[str]) -> list[Record]:
        return self._own.get(self._layers.below(access), ids) if ids else []


class ForkSearch:
    """Finds candidates in both layers."""

    def __init__(self, search: Search, layers: Layers, records: ForkRecords) -> None:
        self._search, self._layers, self._records = search, layers, records

    def corpus_info(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> CorpusInfo:
        """The speakers and years of both memories."""
        lower = msgspec.structs.replace(viewpoint, world=self._layers.origin)
        return together(self._search.corpus_info(lower, encoder), self._search.corpus_info(viewpoint, encoder))

    def find(
        self, access: Access, probe: IndexQuery, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[CandidateTable, list[Record]]:
        """The visible candidates of both memories, weighed together, and the records chosen from them."""
        lower, below = self._looked(self._layers.below(access), probe, limit, encoder)
        own, fine = self._looked(access, probe, limit, encoder)
        table = joined(lower, own)
        rows = _joined_rows(lower, own, below, fine)

        def look(wanted: Rows) -> FineRows:
            return rows.at(np.isin(rows.rows, wanted))

        return table, self._records.get(access, choose(table, look))

    def _looked(
        self, access: Access, probe: IndexQuery, limit: int, encoder: Encoder
    ) -> tuple[CandidateTable, FineRows]:
        """The candidates of one layer, and all the fine vectors that they and their neighbours have."""
        seen: list[FineRows] = []

        def choose(table: CandidateTable, look: Look) -> Sequence[str]:
            seen.append(look(np.arange(len(table.lengths) - 1)))
            return ()

        table, _ = self._search.find(access, probe, limit, encoder, choose)
        return table, seen[-1]


class ForkCounts:
    """Sums over both layers."""

    def __init__(self, counts: Counts, layers: Layers, records: ForkRecords) -> None:
        self._counts, self._layers, self._records = counts, layers, records

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        return self._counts.organisms()

    def regions(self, access: Access) -> list[Region]:
        """The regions of both memories, with counts and dates."""
        regions: dict[str, Region] = {}
        for region in (*self._counts.regions(self._layers.below(access)), *self._counts.regions(access)):
            known = regions.get(region.region, region)
            regions[region.region] = Region(
                region=region.region,
                records=region.records + (0 if known is region else known.records),
                first_at=min(region.first_at, known.first_at),
                last_at=max(region.last_at, known.last_at),
            )
        return sorted(regions.values(), key=lambda region: region.region)

    def stats(self, access: Access) -> Stats:
        """The sums over both memories; a session that both have counts twice."""
        lower, own = self._counts.stats(self._layers.below(access)), self._counts.stats(access)
        counts: dict[str, Mapping[str, int]] = {
            name: Counter(getattr(lower, name)) + Counter(getattr(own, name)) for name in _COUNTED
        }
        sums = {name: getattr(lower, name) + getattr(own, name) for name in _ADDED}
        ends = (lower.first_at, lower.last_at, own.first_at, own.last_at)
        moments = [moment for moment in ends if moment is not None]
        return msgspec.structs.replace(
            lower,
            **counts,
            **sums,
            regions=len(self.regions(access)),
            first_at=min(moments, default=None),
            last_at=max(moments, default=None),
        )

    def marks(self, access: Access, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records both memories hold, and the position, time and id of every `every`th of them."""
        places = [_place(record) for record in self._records.scan(access, order=order)]
        return len(places), [(n, *places[n - 1]) for n in range(every, len(places) + 1, every)]

    def nodes(self, access: Access) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote at each scope, in both memories."""
        counts: Counter[tuple[str, str]] = Counter()
        for node, scope, count in (*self._counts.nodes(self._layers.below(access)), *self._counts.nodes(access)):
            counts[node, scope] += count
        return [(node, scope, count) for (node, scope), count in sorted(counts.items())]


class ForkStore:
    """The store of a fork: records, counts and search over both layers, and the world of the fork for the rest."""

    def __init__(self, store: Store, origin: Viewpoint, world: str, moment: datetime) -> None:
        self.layers = Layers(store.records, origin, world, moment)
        self.records = ForkRecords(self.layers)
        self.search = ForkSearch(store.search, self.layers, self.records)
        self.counts = ForkCounts(store.counts, self.layers, self.records)
        self.vectors, self.fine_vectors = store.vectors, store.fine_vectors
        self.links, self.trees = store.links, store.trees
        self.lifecycle, self.recall_log, self.ledger = store.lifecycle, store.recall_log, store.ledger
        self.crystals, self.snapshots, self.tapes = store.crystals, store.snapshots, store.tapes
        self.server, self.capabilities = store.server, store.capabilities
        self.backup, self.vacuum, self.check, self.close = store.backup, store.vacuum, store.check, store.close


def _place(record: Record) -> tuple[datetime, str]:
    return record.occurred_at, record.id


# The text of a record forgotten in a fork. The fork need not keep the original text, because the origin has it.
FORGOTTEN = "Forgotten in this fork."


def world_of(origin: str, snapshot: Snapshot, name: str) -> str:
    """The world that holds the records of a fork."""
    return f"{origin}~{snapshot.id}~{name}"


def forked(runtime: Runtime, origin: Viewpoint, world: str, snapshot: Snapshot) -> tuple[Runtime, ForkStore]:
    """The runtime of a fork, which differs only in its store, and that store."""
    store = ForkStore(runtime.store, origin, world, snapshot.taken_at)
    return replace(runtime, store=store), store


def forget(
    runtime: Runtime,
    plain: Runtime,
    fork: ForkStore,
    viewpoint: Viewpoint,
    target: str | Sequence[str] | Mapping[str, Any],
) -> Forgotten:
    """Hide records in the fork only."""
    access = runtime.access(viewpoint)
    records = record_changes.targets(runtime, access, target)
    require_own(records, access)
    pinned = [record.id for record in records if record.vitals.pinned]
    if pinned and isinstance(target, str):
        raise Pinned(f"{target} is pinned", record_id=target)
    ids = [record.id for record in records if not record.vitals.pinned]
    own = [record.id for record in plain.store.records.get(access, ids)]
    lower = [record for record in records if record.id in ids and record.id not in own]
    if lower:
        tombstones = entries(runtime, [_tombstone(record, access) for record in lower])
        fork.records.require_below(access, tombstones)
        plain.writes.shadow(access, tombstones, runtime.encoder)
    done = record_changes.forget(plain, viewpoint, own, hard=False) if own else None
    return Forgotten(ids=tuple(ids), pinned=tuple(pinned), move=done.move if done else None)


def _tombstone(record: Record, access: Access) -> Record:
    return msgspec.structs.replace(
        record,
        text=FORGOTTEN,
        version=record.version + 1,
        recorded_at=access.now,
        superseded_at=None,
        speaker=None,
        tags=(),
        metadata={},
        parent_id=None,
        idempotency_key=None,
        vitals=Vitals(tier=record.vitals.tier, forgotten_at=access.now),
    )


def changes(runtime: Runtime, fork: ForkStore, viewpoint: Viewpoint) -> Changes:
    """What differs in the fork from the snapshot, as far as this viewpoint can see it."""
    access = runtime.access(viewpoint)
    shadows = [record.id for record in fork.layers.shadows(access)]
    lower = {record.id for record in runtime.store.records.get(fork.layers.below(access, whole=True), shadows)}
    visible = {record.id for record in fork.records.get(access, shadows)}
    own = [record.id for record in runtime.store.records.scan(access, order=Order.OLDEST)]
    return Changes(
        added=tuple(record_id for record_id in own if record_id not in lower),
        superseded=tuple(record_id for record_id in own if record_id in lower),
        forgotten=tuple(record_id for record_id in shadows if record_id in lower and record_id not in visible),
    )


def drop(runtime: Runtime, viewpoint: Viewpoint) -> int:
    """Erase the records written in the fork. Returns how many there were."""
    access = runtime.access(viewpoint, as_owner=viewpoint.node == "/", include_hidden=True)
    records = list(runtime.store.records.scan(access, order=Order.OLDEST))
    require_own(records, access)
    if records:
        runtime.writes.erase(access, [record.id for record in records])
    return len(records)
