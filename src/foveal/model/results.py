"""The results that verbs return, and the entries of the journal and the recall log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from msgspec import Struct, field

from foveal.model.display import brief, table_html
from foveal.model.ids import Address
from foveal.model.record import Link, Record, Rendition, Scope, Tier, Vitals
from foveal.model.server import ActorQuota


class OfRecord:
    """What is about one record shows the most used of its fields without a detour."""

    record: Record

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id

    @property
    def importance(self) -> float:
        """How much the record matters, from 0 to 1, before decay."""
        return self.record.importance

    @property
    def kind(self) -> str:
        """What the record is: "note", "fact", …"""
        return self.record.kind

    @property
    def speaker(self) -> str | None:
        """Who said it, by name."""
        return self.record.speaker

    @property
    def occurred_at(self) -> datetime:
        """When it was said or happened."""
        return self.record.occurred_at

    @property
    def tags(self) -> tuple[str, ...]:
        """The labels of the record."""
        return self.record.tags

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Anything else that was stored with the record."""
        return self.record.metadata

    @property
    def session_id(self) -> str | None:
        """The conversation it was said in."""
        return self.record.session_id

    @property
    def tier(self) -> Tier:
        """How hot the record is."""
        return self.record.tier

    @property
    def pinned(self) -> bool:
        """Whether the record is protected from being forgotten and from decay."""
        return self.record.pinned

    @property
    def archived(self) -> bool:
        """Whether the record was put away: found by a search as before, but not shown unasked."""
        return self.record.archived


class Hit(OfRecord, Struct, frozen=True, kw_only=True):
    """A record that a search found. Its relevance, from 0 to 1, is how likely it is to help with the question.

    With `explain=True`, `parts` break the relevance down; they add up to its log odds. `replaced_by` is the id of a
    later record that seems to replace what this one says.
    """

    record: Record
    relevance: float
    parts: Mapping[str, float] | None = None
    encoder: str | None
    replaced_by: str | None = None

    @property
    def text(self) -> str:
        """The text of the record."""
        return self.record.text

    def __repr__(self) -> str:
        return f"<Hit {self.relevance:.2f} {self.record.line}>"

    def _repr_html_(self) -> str:
        return table_html(f"Hit {self.relevance:.2f}: {self.id}", self.record.rows)


class Item(OfRecord, Struct, frozen=True, kw_only=True):
    """A record as a context shows it: at a depth, for a number of tokens.

    If the memory has a tape, `glyphs` are those of its phrases, and `density` is the share of its text that they
    stand for.
    """

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
    glyphs: tuple[str, ...] = ()
    density: float = 0.0

    @property
    def excerpt(self) -> str | None:
        """The whole text, or None if the record is shown shortened."""
        return self.record.text if self.depth == 2 else None

    def __repr__(self) -> str:
        return f"<Item {self.id} {self.zone}, {self.relevance:.2f}, {self.tokens} tokens: {brief(self.text)}>"


class Cut(Struct, frozen=True, kw_only=True):
    """A record that was considered and left out, and why.

    `reason` is "budget", "duplicate", "irrelevant", "superseded" or "scope". For "superseded", `version` is the
    version that was left out, and `successor` the version that replaced it.
    """

    id: str
    reason: str
    relevance: float
    version: int | None = None
    successor: int | None = None


class Receipt(Struct, frozen=True, kw_only=True):
    """What a read did: how many records it considered, what it chose and what it left out.

    `zones` says how many tokens each zone took. `nothing_relevant` is true when no record is likely to help: what
    the context contains is then there for another reason, such as being recent. `hidden` counts matches that could
    not be chosen: older versions whose successor you see ("superseded"), and records that your own filter, tiers or
    kinds excluded ("scope"). `degraded` names the parts that did not answer, and "tape" if glyphs were asked for
    and there is none. `first_look_only` counts the candidates that the second look had no vector of yet.
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
    first_look_only: int = 0


class Context(Struct, frozen=True, kw_only=True):
    """The context for a model: items within a token budget, their text, and the receipt.

    `periphery` has summaries of what is not quoted; in the text they come before the items.
    """

    items: tuple[Item, ...]
    text: str
    tokens: int
    receipt: Receipt
    periphery: tuple[Rendition, ...] = ()

    @property
    def context(self) -> tuple[Item, ...]:
        """An alias of `items`, for clients that know them by this name."""
        return self.items

    def __repr__(self) -> str:
        size = f"{len(self.items)} items, {self.tokens} of {self.receipt.token_budget} tokens"
        return f"<Context {size}: {brief(self.receipt.query)}>"

    def _repr_html_(self) -> str:
        title = f"{len(self.items)} items, {self.tokens} of {self.receipt.token_budget} tokens"
        return table_html(title, [(f"{item.relevance:.2f}", item.excerpt or item.summary) for item in self.items])


class SearchResult(Struct, frozen=True, kw_only=True):
    """What a collection holds that answers, with its relevance from 0 to 1.

    A search also gives the record that it found, and its gist in one line.
    """

    always: ClassVar[tuple[str, ...]] = ("record", "summary")

    content: str
    metadata: Mapping[str, Any] = {}
    relevance: float
    collection: str
    record: Record | None = None
    summary: str = ""

    @property
    def id(self) -> str:
        """The id of the record, or else the one in the metadata."""
        return str(self.metadata.get("id", "")) if self.record is None else self.record.id


class ContextChunk(Struct, frozen=True, kw_only=True):
    """A part of an assembled context: its content, the tier it comes from, and its relevance."""

    always: ClassVar[tuple[str, ...]] = ("tokens",)

    source: str
    content: str
    relevance: float
    tokens: int = 0
    depth: int = 2
    id: str | None = None
    kind: str = ""


class AssembledContext(Struct, frozen=True, kw_only=True):
    """What a task needs from each tier, within a budget: the chunks, their text, and what was left out."""

    always: ClassVar[tuple[str, ...]] = ("text", "max_tokens", "tiers")

    chunks: tuple[ContextChunk, ...]
    text: str = ""
    total_tokens: int
    max_tokens: int = 0
    tiers: tuple[str, ...] = ()
    cut: tuple[Cut, ...] = ()


class Skipped(Struct, frozen=True, kw_only=True):
    """A file that was skipped, and why."""

    path: str
    reason: str


class Ingested(Struct, frozen=True, kw_only=True):
    """What happened to the chunks of files: how many are new, changed, unchanged and gone.

    `withheld` counts chunks that were forgotten or erased before. They stay so, although their file still has them.
    `archived` counts chunks of removed files that were archived instead of forgotten.
    """

    files: int
    added: int
    changed: int
    unchanged: int
    forgotten: int
    skipped: tuple[Skipped, ...] = ()
    withheld: int = 0
    archived: int = 0


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
    """Content that a node holds under a name, and its version.

    `content` is text or a JSON value, and `node` holds it. `scope` is relative to the node that asked: what a
    parent shares is INHERITED below. `record_id` is the record that stores it, through all versions.
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
    """The effect of a new task: the record of the task, the archived records, and the pinned ones that stayed."""

    task: Record
    ids: tuple[str, ...]
    pinned: tuple[str, ...] = ()


class Synced(Struct, frozen=True, kw_only=True):
    """The result of a sync between two nodes: the names that were copied, and the conflicts that were resolved."""

    taken: tuple[str, ...]
    resolved: tuple[str, ...] = ()


class What(StrEnum):
    """The kinds of moves."""

    PROMOTED = "promoted"
    DIGESTED = "digested"
    SEDIMENTED = "sedimented"
    ARCHIVED = "archived"
    RETURNED = "returned"
    CONSOLIDATED = "consolidated"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"
    SUPERSEDED = "superseded"
    LEARNED = "learned"
    CORRECTED = "corrected"
    CLEARED = "cleared"
    RESTORED = "restored"
    WIDENED = "widened"
    TAPED = "taped"
    UNDONE = "undone"


class Change(Struct, frozen=True, kw_only=True):
    """What a move did to the vitals of one record.

    Only the fields that differ are applied, so that a use counted in the meantime is not lost.
    """

    record_id: str
    before: Vitals
    after: Vitals


class Move(Struct, frozen=True, kw_only=True):
    """One move: who made it, its kind, the reason, and what it changed. It is undone as a whole.

    `made` lists the ids of records that the move wrote; `version` is the version that a superseding move wrote, or
    the number of a tape that was built unasked. Such a tape changes no record: it is filed under the newest one.
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
        """The id of the first record that the move changed, or "" if there is none."""
        return self.changes[0].record_id if self.changes else ""


class Metabolised(Struct, frozen=True, kw_only=True):
    """What a run of the metabolism did, or would do: how many moves of each kind, and some examples."""

    moves: int
    counts: dict[str, int]
    examples: tuple[Move, ...]
    summaries: int = 0
    dry_run: bool = False


class Forecast(Struct, frozen=True, kw_only=True):
    """A future move of a record: when, what and why."""

    at: datetime
    what: What
    tier: str
    why: str


class Rejected(Struct, frozen=True, kw_only=True):
    """One input that was rejected: its position, and the error that it would have raised alone."""

    index: int
    code: str
    message: str


class Written(Struct, frozen=True, kw_only=True):
    """What a write stored.

    `duplicates` were already stored: the same text by the same speaker at the same time. `echoes` are recalled
    records whose text was written back: they are reinforced, not stored again. `repeats` are the records in which
    the same speaker first said the same words: the new records are linked to them. `pending` records are stored and
    found by their words, but have no vector yet because the encoder was unavailable. `queued` writes are not stored
    yet: the server was unreachable, and they wait on the client. `glyphs` are, for each id, the glyphs of what the
    text repeats, and `density` how much of it that is; without a tape nothing is known.
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
    glyphs: tuple[tuple[str, ...], ...] = ()
    density: tuple[float, ...] = ()

    @property
    def id(self) -> str:
        """The id of the one record written."""
        return self.ids[0]

    @property
    def fresh(self) -> tuple[str, ...]:
        """The ids of the records that were not stored before, each once."""
        return _fresh(self)

    @property
    def address(self) -> Address:
        """The address of the one record written; a queued write has none yet."""
        return self.addresses[0]

    def __iter__(self) -> Iterator[str]:
        """The ids, in the order of what was written."""
        return iter(self.ids)

    def __repr__(self) -> str:
        notes = ("duplicates", "echoes", "pending", "rejected", "queued")
        told = "".join(f", {len(found)} {name}" for name in notes if (found := getattr(self, name)))
        return f"<Written {', '.join(self.ids[:3])}{'…' if len(self.ids) > 3 else ''} ({len(self.ids)}{told})>"


def _fresh(written: Written | Remembered) -> tuple[str, ...]:
    known = {*written.duplicates, *written.echoes}
    return tuple(record_id for record_id in dict.fromkeys(written.ids) if record_id not in known)


class Learned(Struct, frozen=True, kw_only=True):
    """A fact that a turn stated, and what it was to the facts known before.

    `verdict` is "new", "same", "update" or "contradiction", or "corrected" for a statement that a person has
    corrected since it was said, which is not stored; `reason` says why. `replaces` is the id of the fact that it
    updates, contradicts or repeats. `sources` are the turns it comes from.
    """

    id: str
    kind: str
    text: str
    subject: str
    attribute: str
    value: str
    verdict: str
    reason: str
    confidence: float
    sources: tuple[str, ...]
    replaces: str | None = None


class Remembered(Struct, frozen=True, kw_only=True):
    """What `remember` stored: the ids of the turns, and the facts drawn from them.

    `echoes`, `duplicates`, `pending` and `rejected` are as in `Written`. `skipped` lists the positions of messages
    without a text, such as empty tool results. `moves` are the ids to undo them with: one for each turn that facts
    were drawn from. With `dry_run`, nothing was stored and the ids are those of no record.
    """

    ids: tuple[str, ...]
    facts: tuple[Learned, ...] = ()
    moves: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    echoes: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    skipped: tuple[int, ...] = ()
    dry_run: bool = False

    @property
    def fresh(self) -> tuple[str, ...]:
        """The ids of the turns that were not stored before, each once."""
        return _fresh(self)


class Evidence(Struct, frozen=True, kw_only=True):
    """A turn that a fact comes from: who said it, when, and the beginning of the words."""

    id: str
    said_at: datetime
    speaker: str
    text: str


class KnownFact(Struct, frozen=True, kw_only=True):
    """A fact: what it says, since when, from which turns, how sure it is, and why it is believed.

    `before` is what it replaced, with the id `replaces`, and `until` the end of that. `disputed` lists the facts
    that contradict it. `by` says who drew it: "rules", "model", or "person" for one that a person gave. `status` is
    "current", "unsure" (too unsure for a profile), "ended" (`ended` says when), "wrong" or "merged". `evidence` has
    the turns; a profile leaves it out.
    """

    id: str
    kind: str
    text: str
    subject: str
    attribute: str
    value: str
    since: datetime
    sources: tuple[str, ...]
    confidence: float
    line: str
    before: str | None = None
    until: datetime | None = None
    disputed: tuple[str, ...] = ()
    status: str = "current"
    by: str = "rules"
    why: str = ""
    ended: datetime | None = None
    replaces: str | None = None
    merged_into: str | None = None
    evidence: tuple[Evidence, ...] = ()


class CorrectedFact(Struct, frozen=True, kw_only=True):
    """What a correction did: the fact that was corrected, the one that holds in its place, and the facts that it
    reopened. `move` is the id to `undo` it with; with `dry_run` there is none, and nothing was changed.
    """

    fact: KnownFact
    instead: KnownFact | None = None
    reopened: tuple[KnownFact, ...] = ()
    move: str | None = None
    dry_run: bool = False


class Profile(Struct, frozen=True, kw_only=True):
    """What is known now: `text` to put before a model, within the budget, and the facts it states.

    While no fact changes, the text stays the same byte for byte. `left_out` counts the facts that did not fit.
    """

    text: str
    tokens: int
    items: tuple[KnownFact, ...]
    token_budget: int
    left_out: int = 0


class Forgotten(Struct, frozen=True, kw_only=True):
    """The records that a forget hid or erased, and the pinned ones that stayed.

    `move` is the id to undo it with. `lingers` says that erased data is not gone yet, because a reader still
    holds the log of the file or a vector index is unavailable; it goes when they are done. `crystals` contained
    erased text and now have a marker in its place. `removed` is the receipt of an erasure: everything that was
    looked at, and how much of it was removed.
    """

    ids: tuple[str, ...]
    pinned: tuple[str, ...] = ()
    erased: bool = False
    lingers: bool = False
    move: str | None = None
    crystals: tuple[str, ...] = ()
    removed: Mapping[str, int] = field(default_factory=dict[str, int])


class EraseReceipt(Struct, frozen=True, kw_only=True):
    """What the erasure of a whole actor or world removed.

    `removed` has everything that was looked at, and how much of it was removed. `lingers` is as in `Forgotten`.
    """

    world: str
    actors: int
    removed: Mapping[str, int]
    lingers: bool = False


class Page(Struct, frozen=True, kw_only=True):
    """One page of a list, and the cursor for the next page; the last page has none."""

    records: tuple[Record, ...]
    cursor: str | None = None


class Region(Struct, frozen=True, kw_only=True):
    """A region of a world: how many records it has, and the times of the first and the last."""

    region: str
    records: int
    first_at: datetime
    last_at: datetime


class Mark(Struct, frozen=True, kw_only=True):
    """A place in a list: how many records come before it, when the last of them happened, and the cursor for it."""

    place: int
    at: datetime
    cursor: str


class Outline(Struct, frozen=True, kw_only=True):
    """The length of a list, and marks at even distances in it, so that any page can be requested directly."""

    records: int
    marks: tuple[Mark, ...]


class Node(Struct, frozen=True, kw_only=True):
    """A node that wrote records: how many, by scope, and how many of them you see."""

    node: str
    records: int
    scopes: Mapping[str, int]
    seen: int


class Actor(Struct, frozen=True, kw_only=True):
    """An actor whose memory the store holds, and the actor's world."""

    world: str
    actor_id: str


class Usage(Struct, frozen=True, kw_only=True):
    """How many records an actor has stored, and how many bytes their texts and metadata have in all versions."""

    records: int = 0
    bytes: int = 0


class ModelUse(Struct, frozen=True, kw_only=True):
    """What a language model read for an actor today (UTC): calls, of so many a day, turns, facts, refusals, tokens.

    A statement is refused if a name, number or date of it does not stand in the turns, or if it is malformed.
    """

    model: str
    calls: int
    calls_a_day: int
    turns: int
    facts: int
    refused: int
    tokens_in: int
    tokens_out: int


class Stats(Struct, frozen=True, kw_only=True):
    """How much an actor's memory holds. `tiers` counts all records; `held` leaves out archived ones.

    `quota` is what the actor may store, if there is a limit, and `used` what counts towards it: all that the actor
    stored, also what is hidden. Only the root node sees that.

    `second_look` is the encoder of the second look, if there is one; `second_look_waiting` counts the records that
    it has no vector of yet. `model` is what a language model read today, if one draws facts; only the root node
    sees that too.
    """

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
    second_look: str | None = None
    second_look_waiting: int = 0
    quota: ActorQuota | None = None
    used: Usage | None = None
    model: ModelUse | None = None


class Related(Struct, frozen=True, kw_only=True):
    """A record reached over links: how many steps, the strength of the path, and its last link."""

    record: Record
    link: Link
    distance: int = 1
    strength: float = 1.0


class Branch(Struct, frozen=True, kw_only=True):
    """A record in a tree: how many levels below the root, and how many children it has."""

    record: Record
    depth: int
    children: int


class Imported(Struct, frozen=True, kw_only=True):
    """What an import added: new records, later versions, links, groups, sessions, crystals, snapshots and ledger
    rows. `known` counts what was already there."""

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

    `indexed` is how many records the vector index added, or None if there is no such index. `looked_at` is how many
    versions got vectors for the second look, or None if there is no second look.
    """

    versions: int
    encoder: str
    indexed: int | None = None
    looked_at: int | None = None


class Repaired(Struct, frozen=True, kw_only=True):
    """What a repair copied out of a damaged file, and what it could not save.

    `rebuilt` counts the index entries that were computed again, `encoded` the vectors. `mended` names what lost
    some of its content, and `lost` what is not in the copy.
    """

    source: str
    target: str
    records: int
    rows: int
    rebuilt: int
    encoded: int
    mended: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class Recalled(Struct, frozen=True, kw_only=True):
    """A record that a read showed, with its zone and depth.

    `rank` is its place in the ranking, from 1, and `parts` break its relevance down; both are None for a record
    that was shown for a reason other than relevance.
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
    """The uses of a record: how many, how many of them were reads, and when the last was.

    Reads raise the importance of a record; fetching or finding it only counts.
    """

    id: str
    times: int
    reads: int
    at: datetime
