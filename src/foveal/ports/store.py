"""`Store` and its parts: records, links, lifecycle, sessions, crystals, snapshots, recall log, vectors, keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from numpy.typing import NDArray

from foveal.model.crystal import Changes, Lineage, Reaped, Snapshot, StateCrystal
from foveal.model.policy import Override
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Group, Link, Record, Rendition, Session, Subject, Tier, Vitals
from foveal.model.results import Forgotten, Move, Recollection, Region, Stats, Use
from foveal.model.search import CandidateTable, CorpusInfo, IndexEntry, IndexQuery, SyncPoint, VectorBatch
from foveal.model.server import IdempotentRequest, Key
from foveal.ports.ledger import Ledger
from foveal.ports.tapes import Tapes
from foveal.rules.trees import Sort


class Crystals(Protocol):
    """The part of a store that keeps crystals.

    A node sees the crystals of its own and of the nodes below it; any other id is `NotFound`. Texts are kept once
    in an organism, however many crystals hold them.
    """

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal, *, instead: bool = False) -> None:
        """Store a crystal, all of it or nothing; `Conflict` if its id is taken.

        With `instead`, it takes the place of the one with its id, and nothing is left of that one.
        """
        ...

    def crystal(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        """A whole crystal; of one that was reaped there is only the summary."""
        ...

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        """Every crystal without its content, oldest first, tombstones included."""
        ...

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        """A crystal and those it comes from, nearest first, tombstones included."""
        ...

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        """Pin a crystal or unpin it, or count a use of it; one that was reaped is `NotFound`."""
        ...

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        """Leave of a crystal its tombstone and summary, or with `hard` the tombstone; `Pinned` if it is pinned."""
        ...

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        """Compost every crystal whose time is over and that is not pinned."""
        ...


class NewRecord(Struct, frozen=True, kw_only=True):
    """A record on its way into the store, with what it is found by.

    `vectors` has one row for each chunk of the text, or is None when the encoder was away. `repeats` is the id of
    the record that said the same words first: if it is there, an edge to it is drawn. With `dated`, its moments are
    those of another memory and stay, also if a snapshot was taken since. `was` is the life of the version that it
    supersedes, as its writer knew it: what changed about it meanwhile stays changed.
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


class Idempotency(Protocol):
    """What a store keeps of requests that came under a key: which are under way, and what those that are done gave.

    Errands belong to the whole store. What a call has acknowledged, every process that opens the store sees at its
    next call. Whenever something of an organism is erased, the answers about that organism become empty.
    """

    def begin_errand(self, errand: IdempotentRequest, since: datetime) -> IdempotentRequest:
        """Keep an errand, unless there is one of this place. Gives the one that is kept.

        Those that were begun before `since` are removed, and count as not there.
        """
        ...

    def prolong_errands(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Say that holders are still at their errands, by place; what is not theirs any more is passed over."""
        ...

    def end_errand(self, place: bytes, holder: str, answer: bytes) -> None:
        """Keep the answer of an errand. One of another holder, or that is gone, stays as it is."""
        ...

    def drop_errand(self, place: bytes, holder: str) -> None:
        """Remove an errand that came to nothing. One of another holder, or that is done, stays as it is."""
        ...


class Families(Protocol):
    """Parents, children and what lies below them.

    A child is a record whose newest version names the parent. A way down that leads through a record outside
    the sight is not taken.
    """

    def children(
        self, access: Access, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible records right below one, sorted; what is equal by that, by time and id."""
        ...

    def descendants(self, access: Access, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` steps below one, each once, oldest first."""
        ...

    def ancestors(self, access: Access, record_id: str) -> list[str]:
        """The ids above a record, nearest first. It ends where a record names no parent, or one seen before."""
        ...

    def forget_tree(
        self, access: Access, ids: Sequence[str], *, hard: bool, move_id: str | None = None
    ) -> Forgotten:
        """Forget records and all that lies below them, or erase them: all that may go, or none.

        Pinned ones stay and are reported, and what lies below them goes. `NotFound` for an id that is not
        visible, `Forbidden` when one of the family may not be changed.
        """
        ...

    def edges(self, access: Access, ids: Sequence[str]) -> list[Link]:
        """The edges between visible records that begin or end at one of these."""
        ...


class Keys(Protocol):
    """What a store keeps of keys: the hash of a token, never the token.

    Keys belong to the whole store, to no world and no actor. They are never removed, so that a revoked key can be
    told from an unknown one and its id is not handed out twice. What a call has acknowledged, every process that
    opens the store sees at its next call. Moments come back to the microsecond; None and an empty tuple differ.
    """

    def put_key(self, key: Key, digest: bytes) -> None:
        """Keep a new key and the hash of its token. `Conflict` if the id is taken, also by a revoked key."""
        ...

    def key(self, key_id: str) -> tuple[Key, bytes]:
        """A key and its hash, revoked and expired ones too; `NotFound` if there is none of this id."""
        ...

    def keys(self) -> list[Key]:
        """Every key, revoked and expired ones too, by the moment it was made, then by id."""
        ...

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        """Revoke a key for good, and give it as it is now. The moment of a first revocation stays.

        `NotFound` if there is none of this id.
        """
        ...

    def use_keys(self, used: Mapping[str, datetime], *, wait: bool = True) -> None:
        """Say when keys were last used, all in one transaction.

        A moment before the known one changes nothing; an unknown id is passed over. Without `wait` it is
        `StoreUnavailable` when another writes just now.
        """
        ...


class TierSession(Struct, frozen=True, kw_only=True):
    """What one session of an actor holds in a tier: how much, and since when."""

    world: str
    actor_id: str
    session_id: str | None
    records: int
    oldest: datetime


class PlannedMove(Struct, frozen=True, kw_only=True):
    """A move, with what it writes: new records and links, and the move that it undoes."""

    move: Move
    entries: tuple[NewRecord, ...] = ()
    links: tuple[Link, ...] = ()
    undoes: str | None = None


class Lives(Protocol):
    """How records age in a store. A tier holds what is neither archived nor forgotten."""

    def tier_sessions(
        self, tier: Tier, viewpoint: Viewpoint | None = None, *, before: datetime | None = None
    ) -> list[TierSession]:
        """What each session holds in a tier, of one organism or of all: all of it, or what was recorded before."""
        ...

    def in_tier(
        self, access: Access, tier: Tier, *, session_id: str | UnsetType | None = UNSET, limit: int
    ) -> list[Record]:
        """What a tier holds, oldest first: of one session (None for what has none), or of all."""
        ...

    def apply(self, access: Access, acts: Sequence[PlannedMove], encoder: Encoder) -> list[Move]:
        """Make moves, all in one transaction, with their rows in the journal. Gives those that were made.

        A move is left out as a whole when one of the fields it changes was changed meanwhile. `Forbidden` when the
        sight may not change a record.
        """
        ...

    def journal(
        self, access: Access, *, record_id: str | None = None, move_id: str | None = None, limit: int
    ) -> list[Move]:
        """Moves of records that may be seen, or could before they were forgotten: newest first."""
        ...

    def counted_moves(self, access: Access) -> Mapping[tuple[str, Tier], tuple[int, datetime]]:
        """How many moves of each kind left each tier, and when the last did."""
        ...

    def forget_moves(self, before: datetime, limit: int) -> int:
        """Drop the oldest rows of the journal. Gives how many went."""
        ...

    def uncompared(self, access: Access, limit: int) -> list[Record]:
        """What came to L4 and was not yet compared with the rest, oldest first."""
        ...

    def mark_compared(self, viewpoint: Viewpoint, ids: Sequence[str]) -> None:
        """Say that arrivals were compared."""
        ...

    def facts(self, viewpoint: Viewpoint, encoder: Encoder, limit: int) -> Mapping[str, NDArray[np.float32]]:
        """The newest of what L4 holds and nothing was consolidated into: id and vector.

        The vector is the middle of those of its chunks, of unit length.
        """
        ...

    def faded(self, now: datetime, idle: timedelta, *, rate: float, below: float, limit: int) -> list[Record]:
        """Records of L4, of any actor, unused for that long, not pinned, whose strength is below that."""
        ...

    def expired(self, now: datetime, viewpoint: Viewpoint | None, limit: int) -> list[Record]:
        """Records of one organism, or of all, whose time has run out and that are not forgotten yet."""
        ...

    def unsummarised(
        self, kind: Subject, viewpoint: Viewpoint | None, before: datetime, limit: int
    ) -> list[tuple[Viewpoint, str]]:
        """Sessions or regions, of one organism or of all, that have grown since they were last summed up.

        Of sessions, those that were last written to before that moment; of regions, those that were last summed up
        before it.
        """
        ...

    def summarise(self, viewpoint: Viewpoint, kind: Subject, subject: str, made: Sequence[Rendition]) -> None:
        """Put these renditions in the place of those a session or region had."""
        ...

    def renditions(
        self, access: Access, kind: Subject, *, subjects: Sequence[str] | None = None, limit: int
    ) -> list[Rendition]:
        """The renditions that may be seen, of some sessions or regions or of all, latest first."""
        ...

    def lease(self, name: str, holder: str, now: datetime, span: timedelta) -> bool:
        """Take or prolong a lease: false while another holds it."""
        ...

    def release(self, name: str, holder: str) -> None:
        """Give a lease back."""
        ...

    def ran_at(self, name: str) -> datetime | None:
        """When a job was last done."""
        ...

    def ran(self, name: str, at: datetime) -> None:
        """Note that a job was done."""
        ...


class Moments(Protocol):
    """The part of a store that keeps snapshots.

    What is stored, superseded, forgotten or erased after a snapshot was taken is dated after it, whatever the
    clock of its writer says.
    """

    def put_snapshot(self, viewpoint: Viewpoint, snapshot: Snapshot, *, dated: bool = False) -> Snapshot:
        """Take a snapshot: its moment is not before anything that is stored. `Conflict` if the id is taken.

        One that is `dated` was taken elsewhere, and keeps its moment.
        """
        ...

    def snapshots(self, viewpoint: Viewpoint) -> list[Snapshot]:
        """The snapshots of an organism, oldest first."""
        ...

    def changes(self, access: Access, since: datetime, until: datetime) -> Changes:
        """What changed after `since` and up to `until`, as far as `access` sees it. Costs as much as changed."""
        ...


class Naming(Protocol):
    """Records by the keys they were written under, and several changed at once."""

    def keyed(self, access: Access, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored under these idempotency keys, by key."""
        ...

    def write_batch(
        self, access: Access, fresh: Sequence[NewRecord], later: Sequence[NewRecord], encoder: Encoder
    ) -> list[Record]:
        """Store new records and next versions of others together, all or none.

        The errors are those of `append` and `supersede`; a key that was used before is `Conflict`.
        """
        ...


class Overrides(Protocol):
    """What a store keeps of settings, for every process that opens it.

    They belong to the whole store, to no world and no actor. What a call has acknowledged, every process sees at
    its next call. Moments come back to the microsecond.
    """

    def overrides(self) -> dict[str, Override]:
        """What is kept, by name."""
        ...

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        """Keep what `change` makes of what is kept, all or none, against concurrent changes. Gives it."""
        ...


# How many reads of an organism the log keeps.
MOST_READS = 1000


class Recollections(Protocol):
    """The recall log of each organism, and the uses of its records."""

    def log_reads(
        self, access: Access, reads: Sequence[Recollection], uses: Sequence[Use], *, wait: bool = True
    ) -> None:
        """Log reads and count uses, all or none. What the sight no longer sees is passed over.

        The log keeps the newest `MOST_READS` of an organism. Without `wait` it is `StoreUnavailable` when another
        writer is at work.
        """
        ...

    def recall_log(self, access: Access, record_id: str | None, limit: int) -> list[Recollection]:
        """The reads of this node and those below it, newest first, with the items that the sight sees.

        With a `record_id`, only those that showed that record: `NotFound` if it is not visible.
        """
        ...

    def recently_shown(self, viewpoint: Viewpoint, after: int, limit: int) -> tuple[int, list[str]]:
        """The ids that reads of this very conversation showed since the read of the number `after`, the newest
        reads first, and the number of the last of them."""
        ...


class Sessions(Protocol):
    """Sessions belong to an organism; what is counted of them is what the sight may see."""

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Keep a session, or what has changed about it."""
        ...

    def sessions(self, access: Access, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """Those that were created and those that visible records name, the latest first; or the one of this id."""
        ...


class Shelving(Protocol):
    """The vectors of an organism in the order they came, and the ids that were erased."""

    def vectors_after(
        self, viewpoint: Viewpoint, encoder: Encoder, mark: SyncPoint | None, limit: int
    ) -> VectorBatch:
        """The records whose newest version came after the mark, oldest first, with the mark behind them.

        From the beginning if there is no mark, or one of another encoder, another store, or from before vectors
        came late.
        """
        ...

    def count_shelved(self, viewpoint: Viewpoint, encoder: Encoder, mark: SyncPoint | None) -> int:
        """How many records are yet to come."""
        ...

    def erased_since(self, viewpoint: Viewpoint, since: datetime | None) -> list[tuple[str, datetime]]:
        """The ids that were erased at or after a moment, or ever, and when."""
        ...


Choose = Callable[[CandidateTable], Sequence[str]]


class Capability(StrEnum):
    """What a store may or may not be able to do. A `remote` one is waited for: others can compute meanwhile."""

    DURABLE = "durable"
    BACKUP = "backup"
    MANY_PROCESSES = "many_processes"
    REMOTE = "remote"


class Order(StrEnum):
    """In which order records are listed."""

    OLDEST = "oldest"
    NEWEST = "newest"


class Store(
    Families,
    Sessions,
    Naming,
    Lives,
    Recollections,
    Crystals,
    Moments,
    Ledger,
    Tapes,
    Keys,
    Idempotency,
    Overrides,
    Shelving,
    Protocol,
):
    """One place for everything that is remembered.

    Whatever takes a `Access` answers only with what that access may see; an id outside it is `NotFound`,
    as if it were not there. What a call has acknowledged, the next call sees. A store without a
    capability raises `Unsupported` for it.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this store can do beyond the rest."""
        ...

    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none. Gives each record as stored, and whether it is new.

        The store hands out the time slices. An idempotency key that was used before gives the record
        stored then; with another text it is `Conflict`, as is an id that is taken. Of one that was erased
        the error says when, as `erased_at`.
        """
        ...

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        """Add the next version of a record: `PreconditionFailed` unless it is one above the newest."""
        ...

    def get(self, access: Access, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        ...

    def history(self, access: Access, record_id: str) -> list[Record]:
        """The versions of a record that is visible now, oldest first: those whose own scope reaches the node."""
        ...

    def previous(self, access: Access, records: Sequence[Record]) -> dict[str, Record]:
        """The version before each of these records, by id, where the sight sees the record and that version's scope
        reaches it."""
        ...

    def said_before(self, access: Access, records: Sequence[Record]) -> dict[str, str]:
        """For each of these records that are not written yet, the id of the first visible record in which the same
        speaker said the same words, if there is one."""
        ...

    def scan(
        self, access: Access, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records in the order of the time they speak of, from `after` on."""
        ...

    def corpus_info(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> CorpusInfo:
        """Who speaks in an organism, and in which years. `lately` will do with what was so a while ago: the frame
        of `search` says what is."""
        ...

    def search(
        self, access: Access, probe: IndexQuery, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[CandidateTable, list[Record]]:
        """The visible candidates for a question: at least the best `limit` by words and the best by vector,
        if there are as many, and what stands around them. With them come the records that `choose` names of them,
        as they are at the same moment; it may be called more than once."""
        ...

    def revise(self, access: Access, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none, against concurrent changes. `NotFound` names the first
        id that is not visible."""
        ...

    def erase(self, access: Access, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes; a tombstone keeps the id taken.

        False when a reader still keeps the bytes in the store's files from being overwritten."""
        ...

    def link(self, access: Access, link: Link) -> None:
        """Draw an edge between two visible records; drawn again, it takes the new weight."""
        ...

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        """Take edges away. Gives how many there were."""
        ...

    def links(self, access: Access, record_id: str) -> list[Link]:
        """The edges of a visible record to and from visible records."""
        ...

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Make a group, or rename it; the store hands out its number. A name that is taken is `Conflict`."""
        ...

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups of an organism, by name."""
        ...

    def join(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Put visible records into a group."""
        ...

    def leave(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        """Take records out of a group."""
        ...

    def members(self, access: Access, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        ...

    def regions(self, access: Access) -> list[Region]:
        """The regions with visible records, by name."""
        ...

    def stats(self, access: Access) -> Stats:
        """How much of it is visible."""
        ...

    def marks(self, access: Access, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` gives, and the place, time and id of each `every`th of them."""
        ...

    def nodes(self, access: Access) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote at each scope."""
        ...

    def organisms(self) -> list[tuple[str, str]]:
        """Every (world, actor) that has records."""
        ...

    def encoder(self) -> Encoder | None:
        """The encoder whose vectors are searched, or None before the first."""
        ...

    def unencoded(self, encoder: Encoder, limit: int) -> list[Record]:
        """Versions that have no vector of this encoder yet."""
        ...

    def encode(self, encoder: Encoder, vectors: Sequence[tuple[Record, NDArray[np.float32]]]) -> None:
        """Store vectors beside those in use, and the digits that the records come with."""
        ...

    def adopt(self, encoder: Encoder) -> bool:
        """Search this encoder's vectors from now on and drop the others; False while some are missing."""
        ...

    def count_unencoded(self, encoder: Encoder) -> int:
        """How many versions have no vector of this encoder yet."""
        ...

    def backup(self, path: str) -> None:
        """A consistent copy of everything, made while others go on."""
        ...

    def vacuum(self) -> int:
        """Give room that nothing needs any more back to the machine. Gives how many bytes."""
        ...

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""
        ...

    def close(self) -> None:
        """Release everything; the store cannot be used afterwards."""
        ...
