"""What a change returns: what happened, and what did not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from foveal.model.address import Address
from foveal.model.link import Link
from foveal.model.record import Record


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
