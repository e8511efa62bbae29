"""What verbs return: `Written`, `Context`, `Receipt`, `Page`, `Stats`, `Move`, recall log entries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from foveal.model.ids import Address
from foveal.model.record import Link, Record, Rendition, Scope, Vitals


class Hit(Struct, frozen=True, kw_only=True):
    """A record found, and how likely it is to help with the question: its relevance, from 0 to 1.

    With `explain=True`, `parts` say what the relevance is made of; they add up to its log odds. `replaced_by` is
    the id of a later record that seems to say anew what this one says.
    """

    record: Record
    relevance: float
    parts: Mapping[str, float] | None = None
    encoder: str | None
    replaced_by: str | None = None

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id

    @property
    def text(self) -> str:
        """The text of the record."""
        return self.record.text


class Item(Struct, frozen=True, kw_only=True):
    """A record as it is shown in a context: at a depth, for a number of tokens."""

    record: Record
    address: Address
    text: str
    summary: str
    depth: int
    zone: str
    tokens: int
    relevance: float
    parts: Mapping[str, float] | None = None
    replaced_by: str | None = None

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id

    @property
    def excerpt(self) -> str | None:
        """The whole text, if it is shown whole."""
        return self.record.text if self.depth == 2 else None


class Cut(Struct, frozen=True, kw_only=True):
    """A record that was considered and left out, and why.

    `reason` is "budget", "duplicate", "irrelevant", "superseded" or "scope". Of a superseded record it is one
    `version` that was left out, and `successor` is the version that took its place.
    """

    id: str
    reason: str
    relevance: float
    version: int | None = None
    successor: int | None = None


class Receipt(Struct, frozen=True, kw_only=True):
    """What a read did: how much it looked at, what it chose and what it left out.

    `zones` says how many tokens each zone took. `nothing_relevant` is true when nothing was found that is likely to
    help: what a context then holds is there for another reason, such as being recent. `hidden` counts what matched
    and was not a choice: older versions whose successor you see ("superseded"), and what your own filter, tiers or
    kinds left out ("scope").
    """

    query: str
    considered: int
    chosen: int
    cut: tuple[Cut, ...]
    tokens: int
    token_budget: int
    zones: Mapping[str, int]
    counter: str
    encoder: str | None
    policy: str
    nothing_relevant: bool = False
    degraded: tuple[str, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict[str, int])


class Context(Struct, frozen=True, kw_only=True):
    """What to put before the model: items inside a budget, their text, and the receipt.

    `periphery` are the summaries of what is not quoted, which stand before the items in the text.
    """

    items: tuple[Item, ...]
    text: str
    tokens: int
    receipt: Receipt
    periphery: tuple[Rendition, ...] = ()

    @property
    def context(self) -> tuple[Item, ...]:
        """The items, under the name clients know them by."""
        return self.items


class SearchResult(Struct, frozen=True, kw_only=True):
    """A record of a collection, and how likely it is to help, from 0 to 1."""

    record: Record
    collection: str
    relevance: float

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id

    @property
    def content(self) -> str:
        """The text of the record."""
        return self.record.text

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The typed details of the record."""
        return self.record.metadata


class ContextChunk(Struct, frozen=True, kw_only=True):
    """A piece of an assembled context: the tier it comes from, what it says, and why it is there."""

    source: str
    content: str
    relevance: float
    tokens: int
    depth: int = 2
    id: str | None = None
    kind: str = ""


class AssembledContext(Struct, frozen=True, kw_only=True):
    """What a task needs from each tier, inside a budget: the chunks, their text, and what was left out."""

    chunks: tuple[ContextChunk, ...]
    text: str
    total_tokens: int
    max_tokens: int
    tiers: tuple[str, ...]
    cut: tuple[Cut, ...] = ()


class Skipped(Struct, frozen=True, kw_only=True):
    """A file that was not taken, and why."""

    path: str
    reason: str


class Ingested(Struct, frozen=True, kw_only=True):
    """What became of the chunks of files: new, changed, the same as before, and gone.

    `withheld` were forgotten or erased before and stay so, though their file still says them.
    """

    files: int
    added: int
    changed: int
    unchanged: int
    forgotten: int
    skipped: tuple[Skipped, ...] = ()
    withheld: int = 0


class Migrated(Struct, frozen=True, kw_only=True):
    """What moved from working to long-term memory."""

    goals: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    metric_hours: int = 0
    event_hours: int = 0

    @property
    def count(self) -> int:
        """How many rows moved."""
        return len(self.goals) + len(self.decisions)


class MemoryEntry(Struct, frozen=True, kw_only=True):
    """A named content of a node, and its version.

    `content` is text or a JSON value. `node` holds it. `scope` is how it is seen from where it was asked for: what
    a parent shares is INHERITED below. `record_id` names the record that keeps it, through all versions.
    """

    id: str
    content: Any
    scope: Scope
    version: int = 1
    created_by: str
    updated_by: str
    parent_version: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    node: str = "/"
    record_id: str = ""


class Cleared(Struct, frozen=True, kw_only=True):
    """What a new task of a node did: the record of the task, what it archived, and the pinned records it left."""

    task: Record
    ids: tuple[str, ...]
    pinned: tuple[str, ...] = ()


class Synced(Struct, frozen=True, kw_only=True):
    """What passed between two nodes: the names that were taken over, and those that both held."""

    taken: tuple[str, ...]
    resolved: tuple[str, ...] = ()


class What(StrEnum):
    """The kinds of moves."""

    PROMOTED = "promoted"
    DIGESTED = "digested"
    SEDIMENTED = "sedimented"
    ARCHIVED = "archived"
    CONSOLIDATED = "consolidated"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"
    SUPERSEDED = "superseded"
    CLEARED = "cleared"
    RESTORED = "restored"
    UNDONE = "undone"


class Change(Struct, frozen=True, kw_only=True):
    """What a move did to the life of one record.

    Only the fields that differ are the change, so that a use counted meanwhile is not lost by it.
    """

    record_id: str
    before: Vitals
    after: Vitals


class Move(Struct, frozen=True, kw_only=True):
    """One move: who made it, of what kind, why, and what it changed. It is undone as a whole.

    `made` are records that the move wrote; `version` is the version that a superseding move made.
    """

    id: str
    at: datetime
    who: str
    what: What
    why: str
    changes: tuple[Change, ...]
    made: tuple[str, ...] = ()
    version: int | None = None
    undone_at: datetime | None = None

    @property
    def record_id(self) -> str:
        """The first record it touched."""
        return self.changes[0].record_id if self.changes else ""


class Metabolised(Struct, frozen=True, kw_only=True):
    """What a metabolism did, or would do: how many moves of each kind, and some of them."""

    moves: int
    counts: dict[str, int]
    examples: tuple[Move, ...]
    summaries: int = 0
    dry_run: bool = False


class Forecast(Struct, frozen=True, kw_only=True):
    """When a record will move by itself, what will become of it, and why."""

    at: datetime
    what: What
    tier: str
    why: str


class Rejected(Struct, frozen=True, kw_only=True):
    """One input that was not taken: its position, and the error it would have raised."""

    index: int
    code: str
    message: str


class Written(Struct, frozen=True, kw_only=True):
    """What a write stored.

    `duplicates` are ids that were there already: the same text by the same speaker at the same time. `echoes`
    are recalled records whose text came back: they are strengthened, not stored again. `repeats` are the records in
    which the same speaker said the same words first: what was written is linked to them. `pending` are stored and
    found by their words, but have no vector yet because the encoder was away. `queued` are not stored yet: the
    server was away, and they wait where the client is.
    """

    ids: tuple[str, ...]
    addresses: tuple[Address, ...]
    encoder: str
    duplicates: tuple[str, ...] = ()
    echoes: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    queued: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id of the one record written."""
        return self.ids[0]

    @property
    def address(self) -> Address:
        """The address of the one record written; one that is queued has none yet."""
        return self.addresses[0]


class Forgotten(Struct, frozen=True, kw_only=True):
    """What a forget took out of sight, and the pinned records it left.

    `move` is the id to `undo` it by. `lingers` says that a reader still holds the log of the file, or that an
    index of vectors is away: what was erased goes when they are done. `crystals` held what was erased, and hold a
    mark in its place now.
    """

    ids: tuple[str, ...]
    pinned: tuple[str, ...] = ()
    erased: bool = False
    lingers: bool = False
    move: str | None = None
    crystals: tuple[str, ...] = ()


class Page(Struct, frozen=True, kw_only=True):
    """Some records of a list, and the cursor to ask for the next ones with; without one, that was all."""

    records: tuple[Record, ...]
    cursor: str | None = None


class Region(Struct, frozen=True, kw_only=True):
    """A region of a world, how much lies there, and from when to when."""

    region: str
    records: int
    first_at: datetime
    last_at: datetime


class Mark(Struct, frozen=True, kw_only=True):
    """A place in a list: how many records stand before it, when the last happened, and where a page goes on."""

    place: int
    at: datetime
    cursor: str


class Outline(Struct, frozen=True, kw_only=True):
    """How long a list is, and marks at even distances in it, so that any page can be asked for at once."""

    records: int
    marks: tuple[Mark, ...]


class Node(Struct, frozen=True, kw_only=True):
    """A node that wrote: how many records, by their scope, and how many of them you see."""

    node: str
    records: int
    scopes: Mapping[str, int]
    seen: int


class Actor(Struct, frozen=True, kw_only=True):
    """Somebody whose memory the store holds, and the world they are in."""

    world: str
    actor_id: str


class Stats(Struct, frozen=True, kw_only=True):
    """How much an organism holds. `tiers` counts everything; `held` leaves out what is archived."""

    records: int
    versions: int
    links: int
    pinned: int
    archived: int
    pending: int
    tiers: Mapping[str, int]
    held: Mapping[str, int]
    kinds: Mapping[str, int]
    scopes: Mapping[str, int]
    regions: int
    sessions: int
    first_at: datetime | None
    last_at: datetime | None
    bytes: int
    encoder: str | None


class Related(Struct, frozen=True, kw_only=True):
    """A record that edges lead to: how many, how strong they are together, and the last of them."""

    record: Record
    link: Link
    distance: int = 1
    strength: float = 1.0


class Branch(Struct, frozen=True, kw_only=True):
    """A record in its family: how far below the one asked for, and how many lie right below it."""

    record: Record
    depth: int
    children: int


class Imported(Struct, frozen=True, kw_only=True):
    """What an import brought: new records, later versions, links, groups, sessions, crystals, snapshots, rows of
    ledgers, and what was there already."""

    records: int
    versions: int
    links: int
    groups: int
    sessions: int
    known: int
    crystals: int = 0
    rows: int = 0
    snapshots: int = 0
    rejected: tuple[Rejected, ...] = ()


class Reindexed(Struct, frozen=True, kw_only=True):
    """What a reindex did: how many versions it embedded, and the encoder now in use.

    `indexed` is how many records the index of vectors took in, None if there is no index.
    """

    versions: int
    encoder: str
    indexed: int | None = None


class Recalled(Struct, frozen=True, kw_only=True):
    """A record that a read showed: where and how sharp.

    `rank` is its place in the ranking, from 1, and `parts` are what its relevance is made of; both are None for
    what came for another reason than relevance.
    """

    id: str
    rank: int | None
    relevance: float
    parts: Mapping[str, float] | None
    zone: str
    depth: int


class Recollection(Struct, frozen=True, kw_only=True):
    """One read, as the log keeps it: who asked what, when, and what came back."""

    query: str
    at: datetime
    node: str
    session_id: str | None
    policy: str
    items: tuple[Recalled, ...]


class Use(Struct, frozen=True, kw_only=True):
    """That a record was used: how often, and when last."""

    id: str
    times: int
    at: datetime
