"""The `Store` protocol and its parts, from records and links to crystals, snapshots and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

import numpy as np
from msgspec import UNSET, Struct, UnsetType, field
from numpy.typing import NDArray

from foveal.errors import Corrupt
from foveal.model.crystal import Changes, Lineage, Reaped, Snapshot, StateCrystal
from foveal.model.policy import Override
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Group, Link, Record, Rendition, Session, Subject, Tier, Vitals
from foveal.model.results import Forgotten, Move, Recollection, Region, Stats, Use
from foveal.model.search import (
    CandidateTable,
    CorpusInfo,
    FineRows,
    IndexEntry,
    IndexQuery,
    Rows,
    SyncPoint,
    VectorBatch,
)
from foveal.model.server import IdempotentRequest, Key
from foveal.ports.ledger import Ledger
from foveal.ports.tapes import Tapes
from foveal.rules.trees import Sort


class NewRecord(Struct, frozen=True, kw_only=True):
    """A record to store, with its index entry and vectors.

    `vectors` has one row for each chunk of the text, or is None if the encoder was unavailable. `repeats` is the id
    of the record in which the same words were said first; if that exists, the new record is linked to it. With
    `dated`, its times come from another memory and are kept even if a snapshot was taken since. `was` has the
    vitals of the version that it supersedes, as its writer knew them: what others changed in the meantime stays
    changed.
    """

    record: Record
    trace: IndexEntry
    vectors: NDArray[np.float32] | None
    repeats: str | None = None
    dated: bool = False
    was: Vitals | None = None


class Encoder(Struct, frozen=True, kw_only=True):
    """The encoder that made the vectors of a store."""

    id: str
    dimension: int


class Erasure(Struct, frozen=True, kw_only=True):
    """What was removed for good: how much of each thing that was looked at.

    `settled` is False while a reader still keeps the erased bytes in the files of the store.
    """

    settled: bool = True
    removed: Mapping[str, int] = field(default_factory=dict[str, int])


class Order(StrEnum):
    """The order in which records are listed."""

    OLDEST = "oldest"
    NEWEST = "newest"


class Records(Protocol):
    """The records of organisms, with all their versions."""

    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none. Returns each record as stored, and whether it is new.

        The store assigns the time slices. For an idempotency key that was used before, it returns the record stored
        then; `Conflict` if the text differs, or if an id is taken. If the record with that id was erased, the error
        says when, as `erased_at`.
        """
        ...

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        """Add the next version of a record; `PreconditionFailed` unless its number is one above the newest."""
        ...

    def write_batch(
        self, access: Access, fresh: Sequence[NewRecord], later: Sequence[NewRecord], encoder: Encoder
    ) -> list[Record]:
        """Store new records and next versions of others together, all or none.

        It raises the errors of `append` and `supersede`; an idempotency key that was used before is `Conflict`.
        """
        ...

    def keyed(self, access: Access, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored with these idempotency keys, by key."""
        ...

    def get(self, access: Access, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are visible, in the order of the ids."""
        ...

    def history(self, access: Access, record_id: str) -> list[Record]:
        """The versions of a visible record whose own scope reaches the node, oldest first."""
        ...

    def previous(self, access: Access, records: Sequence[Record]) -> dict[str, Record]:
        """The version before each of these records, by id, if the record is visible and the scope of that version
        reaches the node."""
        ...

    def said_before(self, access: Access, records: Sequence[Record]) -> dict[str, str]:
        """For each of these unwritten records, the id of the first visible record in which the same speaker said
        the same words, if there is one."""
        ...

    def scan(
        self, access: Access, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records in the order of `occurred_at`, starting after the record `after`."""
        ...

    def revise(self, access: Access, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records atomically, all or none; `NotFound` for the first id that is not visible."""
        ...

    def erase(self, access: Access, ids: Sequence[str]) -> Erasure:
        """Delete records for good, with all versions and index entries; a tombstone keeps the id taken.

        Logged reads that showed a record or quote it go too, and the groups, sessions and regions that it leaves
        empty.
        """
        ...

    def erase_all(self, viewpoint: Viewpoint) -> Erasure:
        """Delete everything of the organism of a viewpoint for good, its name included."""
        ...


Look = Callable[[Rows], FineRows]
"""Reads the vectors that the second look has of some rows of a table; rows that have none are left out."""
Choose = Callable[[CandidateTable, Look], Sequence[str]]


class Search(Protocol):
    """Finds the candidates for a question."""

    def corpus_info(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> CorpusInfo:
        """Who speaks in an organism, and in which years. With `lately`, a slightly old answer is enough, because
        the table from `search` has the current one."""
        ...

    def find(
        self, access: Access, probe: IndexQuery, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[CandidateTable, list[Record]]:
        """The visible candidates for a question and their neighbours: at least the best `limit` by words and by
        vector, if there are as many. Also returns the records whose ids `choose` selects, as of the same moment;
        `choose` may be called more than once."""
        ...


class Vectors(Protocol):
    """The vectors of records: which encoder made them, and how it is replaced.

    An external index follows the vectors of an organism in the order they were stored, and the erased ids.
    """

    def encoder(self) -> Encoder | None:
        """The encoder whose vectors are searched, or None before the first write."""
        ...

    def unencoded(self, encoder: Encoder, limit: int) -> list[Record]:
        """Versions without a vector of this encoder."""
        ...

    def encode(self, encoder: Encoder, vectors: Sequence[tuple[Record, NDArray[np.float32]]]) -> None:
        """Store vectors beside those in use, and the digits of the given records."""
        ...

    def adopt(self, encoder: Encoder) -> bool:
        """Search this encoder's vectors from now on and delete the others; False while some are missing."""
        ...

    def count_unencoded(self, encoder: Encoder) -> int:
        """How many versions have no vector of this encoder."""
        ...

    def after(self, viewpoint: Viewpoint, encoder: Encoder, mark: SyncPoint | None, limit: int) -> VectorBatch:
        """The records whose newest version was stored after the mark, oldest first, and the mark after them.

        It starts from the beginning if there is no mark, if the mark is of another encoder or another store, or if
        vectors were added to older versions since.
        """
        ...

    def count_after(self, viewpoint: Viewpoint, encoder: Encoder, mark: SyncPoint | None) -> int:
        """How many records come after the mark."""
        ...

    def erased_since(self, viewpoint: Viewpoint, since: datetime | None) -> list[tuple[str, datetime]]:
        """The ids that were erased at or after `since`, or ever, and when."""
        ...


class FineVectors(Protocol):
    """The vectors for the second look at a question.

    They are made after records are written, newest first. A version has those of one encoder; those of another
    replace them.
    """

    def missing(
        self, viewpoint: Viewpoint, encoder: str, limit: int, *, above: int = 0, below: int | None = None
    ) -> list[tuple[int, Record]]:
        """Versions of an organism without a vector of this encoder, newest first, each with its number.

        The numbers of versions grow in the order of writes; those at or below `above`, or at or above `below`, are
        left out.
        """
        ...

    def put(self, viewpoint: Viewpoint, encoder: str, vectors: Sequence[tuple[int, NDArray[np.float32]]]) -> None:
        """Store the vectors of versions by their numbers, one row for each passage. Erased versions are ignored."""
        ...

    def waiting(self, access: Access, encoder: str) -> int:
        """How many visible records have no vector of this encoder yet."""
        ...


class Links(Protocol):
    """Links between records, groups and sessions. The counts of a session include only visible records."""

    def link(self, access: Access, link: Link) -> None:
        """Link two visible records; linking them again updates the weight."""
        ...

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        """Remove links. Returns how many there were."""
        ...

    def of(self, access: Access, record_id: str) -> list[Link]:
        """The links of a visible record to and from visible records."""
        ...

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Create or rename a group; the store assigns its number. `Conflict` if the name is taken."""
        ...

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups of an organism, by name."""
        ...

    def join(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Add visible records to a group."""
        ...

    def leave(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Remove records from a group."""
        ...

    def members(self, access: Access, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        ...

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Create or update a session."""
        ...

    def sessions(self, access: Access, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """The created sessions and those that visible records name, latest first; or the one with this id."""
        ...


class Trees(Protocol):
    """Parents, children and their descendants.

    A child is a record whose newest version names the parent. A path down that leads through a record that is not
    visible is not followed.
    """

    def children(
        self, access: Access, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible children of a record, sorted; equal ones are sorted by time and id."""
        ...

    def descendants(self, access: Access, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` steps below a record, each once, oldest first."""
        ...

    def ancestors(self, access: Access, record_id: str) -> list[str]:
        """The ids above a record, nearest first, up to one without a parent or one that was already listed."""
        ...

    def forget(self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None) -> Forgotten:
        """Forget or erase records with all their descendants: all that may go, or none.

        Pinned records stay and are reported; their descendants go. `NotFound` for an id that is not visible,
        `Forbidden` if one of the records may not be changed.
        """
        ...

    def edges(self, access: Access, ids: Sequence[str]) -> list[Link]:
        """The links between visible records that start or end at one of these."""
        ...


class Counts(Protocol):
    """Which organisms there are, and counts of the records that a call may see."""

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        ...

    def stats(self, access: Access) -> Stats:
        """Statistics over the visible records."""
        ...

    def regions(self, access: Access) -> list[Region]:
        """The regions with visible records, by name."""
        ...

    def nodes(self, access: Access) -> list[tuple[str, str, int]]:
        """The number of visible records that each node wrote at each scope."""
        ...

    def marks(self, access: Access, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` returns, and the place, time and id of each `every`th of them."""
        ...


class TierSession(Struct, frozen=True, kw_only=True):
    """How many records one session of an actor has in a tier, and the time of the oldest."""

    world: str
    actor_id: str
    session_id: str | None
    records: int
    oldest: datetime


class PlannedMove(Struct, frozen=True, kw_only=True):
    """A move with what it writes: new records, next versions, links, links that it removes, and the id of the move
    that it undoes. If it is `bounded`, the new records must fit the quota of their actor.
    """

    move: Move
    entries: tuple[NewRecord, ...] = ()
    versions: tuple[NewRecord, ...] = ()
    links: tuple[Link, ...] = ()
    unlinks: tuple[Link, ...] = ()
    undoes: str | None = None
    bounded: bool = False


class Lifecycle(Protocol):
    """How records age in a store. A tier holds the records that are neither archived nor forgotten."""

    def tier_sessions(
        self, tier: Tier, viewpoint: Viewpoint | None = None, *, before: datetime | None = None
    ) -> list[TierSession]:
        """What each session of one organism, or of all, holds in a tier, or the part of it recorded `before`."""
        ...

    def in_tier(
        self, access: Access, tier: Tier, *, session_id: str | UnsetType | None = UNSET, limit: int
    ) -> list[Record]:
        """The records that a tier holds, oldest first: of one session (None for those without one), or of all."""
        ...

    def used_again(
        self, viewpoint: Viewpoint | None, *, uses: int, importance: float, after: Record | None, limit: int
    ) -> list[Record]:
        """Archived records, of one organism or of all, that were used since, by id and behind `after`.

        Only those with so many uses, more than this importance, or a pin; no entries of nodes, and none that was
        consolidated into another record.
        """
        ...

    def apply(self, access: Access, acts: Sequence[PlannedMove], encoder: Encoder) -> list[Move]:
        """Make moves and journal them, all in one transaction. Returns the moves that were made.

        A move is left out as a whole if a field that it changes was changed in the meantime. `Forbidden` if
        `access` may not change a record, `PreconditionFailed` if a version is not the next one any more.
        """
        ...

    def journal(
        self, access: Access, *, record_id: str | None = None, move_id: str | None = None, limit: int
    ) -> list[Move]:
        """Moves of records that are visible, or were before they were forgotten, newest first."""
        ...

    def counted_moves(self, access: Access) -> Mapping[tuple[str, Tier], tuple[int, datetime]]:
        """The number of moves of each kind out of each tier, and the time of the last."""
        ...

    def forget_moves(self, before: datetime, limit: int) -> int:
        """Delete the oldest rows of the journal. Returns how many were deleted."""
        ...

    def uncompared(self, access: Access, limit: int) -> list[Record]:
        """Records that arrived in L4 and were not yet compared with the others, oldest first."""
        ...

    def mark_compared(self, viewpoint: Viewpoint, ids: Sequence[str]) -> None:
        """Mark arrivals as compared."""
        ...

    def facts(self, viewpoint: Viewpoint, encoder: Encoder, limit: int) -> Mapping[str, NDArray[np.float32]]:
        """The newest records in L4 that are not consolidated ones themselves, as id and vector.

        The vector is the mean of the vectors of its chunks, at unit length.
        """
        ...

    def faded(self, now: datetime, idle: timedelta, *, rate: float, below: float, limit: int) -> list[Record]:
        """Records in L4, of any actor, that are not pinned, idle for that long, and of a strength below `below`."""
        ...

    def expired(self, now: datetime, viewpoint: Viewpoint | None, limit: int) -> list[Record]:
        """Expired records of one organism, or of all, that are not forgotten yet."""
        ...

    def unsummarised(
        self, kind: Subject, viewpoint: Viewpoint | None, before: datetime, limit: int
    ) -> list[tuple[Viewpoint, str]]:
        """Sessions or regions, of one organism or of all, that have grown since they were last summarised.

        Sessions must have been last written to before that moment; regions must have been last summarised before
        it.
        """
        ...

    def summarise(self, viewpoint: Viewpoint, kind: Subject, subject: str, made: Sequence[Rendition]) -> None:
        """Replace the renditions of a session or region with these."""
        ...

    def renditions(
        self, access: Access, kind: Subject, *, subjects: Sequence[str] | None = None, limit: int
    ) -> list[Rendition]:
        """The visible renditions of these sessions or regions, or of all, latest first."""
        ...


# How many reads the log keeps for each organism.
MOST_READS = 1000


class RecallLog(Protocol):
    """The recall log of each organism, and the uses of its records."""

    def add(self, access: Access, reads: Sequence[Recollection], uses: Sequence[Use], *, wait: bool = True) -> None:
        """Log reads and count uses, all or none. Records that `access` no longer sees are ignored.

        The log keeps the newest `MOST_READS` reads of an organism. Without `wait` it raises `StoreUnavailable`
        while another writer is at work.
        """
        ...

    def reads(self, access: Access, record_id: str | None, limit: int) -> list[Recollection]:
        """The reads by this node and the nodes below it, newest first, with the items that `access` sees.

        With a `record_id`, only the reads that showed that record; `NotFound` if it is not visible.
        """
        ...

    def recently_shown(self, viewpoint: Viewpoint, after: int, limit: int) -> tuple[int, list[str]]:
        """The number of the last read in this conversation, and the ids that its reads after number `after` showed,
        newest reads first."""
        ...


class Crystals(Protocol):
    """The crystals of an organism.

    A node sees its own crystals and those of the nodes below it; any other id is `NotFound`. An organism stores
    each text once, however many crystals contain it.
    """

    def put(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a whole crystal or nothing; `Conflict` if its id is taken.

        With `instead`, it replaces the crystal with the same id, of which nothing remains.
        """
        ...

    def get(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        """A whole crystal; a reaped one has only its summary."""
        ...

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        """Every crystal without its content, oldest first, tombstones included."""
        ...

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        """A crystal and its ancestors, nearest first, tombstones included."""
        ...

    def mark(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin or unpin a crystal, or count a use of it; a reaped crystal is `NotFound`."""
        ...

    def compost(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Reduce a crystal to its tombstone and summary, or with `hard` to the tombstone alone.

        `Pinned` if it is pinned.
        """
        ...

    def reap(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every expired crystal that is not pinned."""
        ...

    def overdue(self, now: datetime) -> list[Viewpoint]:
        """The organisms that have expired crystals which are not pinned, as their roots see them."""
        ...


class Snapshots(Protocol):
    """The snapshots of an organism, and the changes between two moments.

    Whatever is stored, superseded, forgotten or erased after a snapshot was taken is dated after it, whatever the
    writer's clock says.
    """

    def put(self, viewpoint: Viewpoint, snapshot: Snapshot, *, dated: bool = False) -> Snapshot:
        """Take a snapshot, dated no earlier than anything that is stored. `Conflict` if the id is taken.

        A `dated` snapshot was taken elsewhere and keeps its time.
        """
        ...

    def all(self, viewpoint: Viewpoint) -> list[Snapshot]:
        """The snapshots of an organism, oldest first."""
        ...

    def changes(self, access: Access, since: datetime, until: datetime) -> Changes:
        """The changes after `since` and up to `until` that `access` may see. The cost grows with their number."""
        ...


class Keys(Protocol):
    """The keys of a server, with the hash of each token, never the token.

    Keys are never deleted, so that a revoked key can be told from an unknown one and its id is never reused. Times
    are exact to the microsecond; None and an empty tuple differ.
    """

    def put_key(self, key: Key, digest: bytes) -> None:
        """Store a new key and the hash of its token. `Conflict` if the id is taken, even by a revoked key."""
        ...

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and its hash, even if it is revoked or expired; `NotFound` if there is no key with this id."""
        ...

    def keys(self) -> list[Key]:
        """Every key, revoked and expired ones included, by creation time, then by id."""
        ...

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good and return it. The time of the first revocation is kept.

        `NotFound` if there is no key with this id.
        """
        ...

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Record when keys were last used, all in one transaction.

        A time before the stored one changes nothing; unknown ids are ignored. Without `wait` it raises
        `StoreUnavailable` while another writer is at work.
        """
        ...


class Idempotency(Protocol):
    """Requests with an idempotency key, running or done, and their answers.

    Whenever data of an organism is erased, the answers about that organism become empty.
    """

    def begin_request(self, request: IdempotentRequest, since: datetime) -> IdempotentRequest:
        """Store a request unless there is one with the same place. Returns the stored one.

        Requests begun before `since` are deleted and treated as absent.
        """
        ...

    def prolong_requests(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Extend the requests that these holders still run, by place; requests no longer theirs are ignored."""
        ...

    def end_request(self, place: bytes, holder: str, answer: bytes) -> None:
        """Store the answer of a request. Does nothing if it has another holder or is gone."""
        ...

    def drop_request(self, place: bytes, holder: str) -> None:
        """Delete a request that failed. Does nothing if it has another holder or is done."""
        ...


class Server(Keys, Idempotency, Protocol):
    """What belongs to the whole store, not to a world or an actor: keys, requests, overrides of settings, leases.

    Once a call returns, every process that has the store open sees its effect at the next call.
    """

    def overrides(self) -> dict[str, Override]:
        """All overrides, by name."""
        ...

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        """Atomically replace the overrides with what `change` makes of them, and return the result."""
        ...

    def lease(self, name: str, holder: str, now: datetime, span: timedelta) -> bool:
        """Acquire or extend a lease; False while another holder has it."""
        ...

    def release(self, name: str, holder: str) -> None:
        """Release a lease."""
        ...

    def ran_at(self, name: str) -> datetime | None:
        """When a job last ran."""
        ...

    def ran(self, name: str, at: datetime) -> None:
        """Record that a job ran."""
        ...


class Capability(StrEnum):
    """Optional capabilities of a store. Calls to a REMOTE store wait for I/O, so other threads can run."""

    DURABLE = "durable"
    BACKUP = "backup"
    MANY_PROCESSES = "many_processes"
    REMOTE = "remote"


class Store(Protocol):
    """The storage of everything that is remembered, in parts.

    A method that takes an `Access` returns only what that access may see; any other id is `NotFound`, as if it did
    not exist. Once a call returns, the next call sees its effect. A store without a capability raises `Unsupported`
    for it.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The optional capabilities of this store."""
        ...

    @property
    def records(self) -> Records:
        """The records, with all their versions."""
        ...

    @property
    def search(self) -> Search:
        """Finds the candidates for a question."""
        ...

    @property
    def vectors(self) -> Vectors:
        """The vectors of records."""
        ...

    @property
    def fine_vectors(self) -> FineVectors:
        """The vectors for the second look."""
        ...

    @property
    def links(self) -> Links:
        """Links, groups and sessions."""
        ...

    @property
    def trees(self) -> Trees:
        """Parents and children."""
        ...

    @property
    def counts(self) -> Counts:
        """Counts of what is visible."""
        ...

    @property
    def lifecycle(self) -> Lifecycle:
        """How records age."""
        ...

    @property
    def recall_log(self) -> RecallLog:
        """The reads, and the uses of records."""
        ...

    @property
    def crystals(self) -> Crystals:
        """The crystals."""
        ...

    @property
    def snapshots(self) -> Snapshots:
        """The snapshots."""
        ...

    @property
    def ledger(self) -> Ledger:
        """The ledger of each node."""
        ...

    @property
    def tapes(self) -> Tapes:
        """The tapes."""
        ...

    @property
    def server(self) -> Server:
        """Keys, idempotent requests, overrides and leases."""
        ...

    def on_damage(self, listener: Callable[[Corrupt], None]) -> None:
        """Call this for each damaged record that a call leaves out of its answer; once for each record."""
        ...

    def backup(self, path: str) -> None:
        """Write a consistent copy of everything, while other calls continue."""
        ...

    def vacuum(self) -> int:
        """Return unused space to the file system. Returns how many bytes were freed."""
        ...

    def check(self) -> list[str]:
        """Descriptions of what is wrong with the stored data; empty if nothing is."""
        ...

    def close(self) -> None:
        """Close the store; it cannot be used afterwards."""
        ...
