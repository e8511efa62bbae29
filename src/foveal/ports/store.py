"""Where memory is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Group, Link, Record, Vitals
from foveal.model.results import Region, Stats
from foveal.model.search import Frame, Probe, Setting
from foveal.ports.crystals import Crystals
from foveal.ports.entry import Encoder, Entry
from foveal.ports.errands import Errands
from foveal.ports.families import Families
from foveal.ports.keys import Keys
from foveal.ports.ledger import Ledger
from foveal.ports.life import Lives
from foveal.ports.moments import Moments
from foveal.ports.naming import Naming
from foveal.ports.overrides import Overrides
from foveal.ports.recollections import Recollections
from foveal.ports.sessions import Sessions
from foveal.ports.shelving import Shelving
from foveal.ports.tapes import Tapes

__all__ = ["Capability", "Choose", "Encoder", "Entry", "Order", "Store"]

Choose = Callable[[Frame], Sequence[str]]


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
    Errands,
    Overrides,
    Shelving,
    Protocol,
):
    """One place for everything that is remembered.

    Whatever takes a `Sight` answers only with what that sight may see; an id outside it is `NotFound`,
    as if it were not there. What a call has acknowledged, the next call sees. A store without a
    capability raises `Unsupported` for it.
    """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What this store can do beyond the rest."""
        ...

    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records, all or none. Gives each record as stored, and whether it is new.

        The store hands out the time slices. An idempotency key that was used before gives the record
        stored then; with another text it is `Conflict`, as is an id that is taken. Of one that was erased
        the error says when, as `erased_at`.
        """
        ...

    def supersede(self, sight: Sight, entry: Entry, encoder: Encoder) -> Record:
        """Add the next version of a record: `PreconditionFailed` unless it is one above the newest."""
        ...

    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        ...

    def history(self, sight: Sight, record_id: str) -> list[Record]:
        """The versions of a record that is visible now, oldest first: those whose own scope reaches the node."""
        ...

    def previous(self, sight: Sight, records: Sequence[Record]) -> dict[str, Record]:
        """The version before each of these records, by id, where the sight sees the record and that version's scope
        reaches it."""
        ...

    def said_before(self, sight: Sight, records: Sequence[Record]) -> dict[str, str]:
        """For each of these records that are not written yet, the id of the first visible record in which the same
        speaker said the same words, if there is one."""
        ...

    def scan(
        self, sight: Sight, *, order: Order, limit: int | None = None, after: Record | None = None
    ) -> Iterator[Record]:
        """The visible records in the order of the time they speak of, from `after` on."""
        ...

    def setting(self, viewpoint: Viewpoint, encoder: Encoder, *, lately: bool = False) -> Setting:
        """Who speaks in an organism, and in which years. `lately` will do with what was so a while ago: the frame
        of `recollect` says what is."""
        ...

    def recollect(
        self, sight: Sight, probe: Probe, limit: int, encoder: Encoder, choose: Choose
    ) -> tuple[Frame, list[Record]]:
        """The visible candidates for a question: at least the best `limit` by words and the best by vector,
        if there are as many, and what stands around them. With them come the records that `choose` names of them,
        as they are at the same moment; it may be called more than once."""
        ...

    def revise(self, sight: Sight, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        """Change the vitals of records, all or none, against concurrent changes. `NotFound` names the first
        id that is not visible."""
        ...

    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good, with all versions and indexes; a tombstone keeps the id taken.

        False when a reader still keeps the bytes in the store's files from being overwritten."""
        ...

    def link(self, sight: Sight, link: Link) -> None:
        """Draw an edge between two visible records; drawn again, it takes the new weight."""
        ...

    def unlink(self, sight: Sight, source_id: str, target_id: str, kind: str | None) -> int:
        """Take edges away. Gives how many there were."""
        ...

    def links(self, sight: Sight, record_id: str) -> list[Link]:
        """The edges of a visible record to and from visible records."""
        ...

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Make a group, or rename it; the store hands out its number. A name that is taken is `Conflict`."""
        ...

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups of an organism, by name."""
        ...

    def join(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Put visible records into a group."""
        ...

    def leave(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Take records out of a group."""
        ...

    def members(self, sight: Sight, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        ...

    def regions(self, sight: Sight) -> list[Region]:
        """The regions with visible records, by name."""
        ...

    def stats(self, sight: Sight) -> Stats:
        """How much of it is visible."""
        ...

    def marks(self, sight: Sight, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` gives, and the place, time and id of each `every`th of them."""
        ...

    def nodes(self, sight: Sight) -> list[tuple[str, str, int]]:
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
