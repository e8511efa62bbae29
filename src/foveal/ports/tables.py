"""A store as plain tables, for copying it whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

Row = tuple[object, ...]


class Table(msgspec.Struct, frozen=True):
    """A table that every durable store has.

    `by` is the column that says whom a row belongs to: an organism, or one of its ledgers or crystals; if it is
    empty, rows belong to nobody. A table that is `kept` is derived by the store from other rows, and is derived
    again when those are copied.
    """

    name: str
    by: str = "organism"
    kept: bool = False


class Organism(msgspec.Struct, frozen=True):
    """One actor of a world, and the number that stands for both in the tables."""

    number: int
    world: str
    actor: str


class Sum(msgspec.Struct, frozen=True):
    """The number of rows of a table, and a checksum that does not depend on their order."""

    rows: int
    checksum: str


# Vectors refer to encoders, so encoders are copied first.
ENCODERS = (Table("encoder", by=""),)
OWNED = (
    *(Table("region"), Table("vitals"), Table("record")),
    *(Table(name, kept=True) for name in ("standing", "arrival", "unsummarised", "seen_until")),
    *(Table(name) for name in ("sent", "tombstone", "link", "context_group", "member", "session")),
    *(Table(name) for name in ("vector", "fine_vector", "trace", "journal", "rendition", "rendition_source")),
    *(Table(name) for name in ("recollection", "recollected")),
    *(Table(name) for name in ("tape", "dropped_tape", "family", "phrase", "mention", "place")),
    *(Table(name) for name in ("phrase_point", "version_point", "ledger")),
    *(Table(name, by="ledger") for name in ("goal", "task", "tool_call", "decision", "pattern")),
    *(
        Table(name, by="ledger")
        for name in ("agent_state", "engram", "event", "event_hour", "metric", "metric_hour")
    ),
    *(Table("crystal_blob"), Table("crystal"), Table("crystal_fragment", by="crystal")),
    *(Table("snapshot"), Table("oblivion")),
)
SHARED = (Table("job", by=""), Table("api_key", by=""), Table("errand", by=""), Table("override", by=""))
# Not copied: a lease ends with the process that holds it.
LEFT = frozenset({"lease"})
# Not copied: the search tables of large actors, which a database rebuilds when such an actor is first searched.
GATHERED = frozenset({"segment", "posting", "speaker"})


class Copied(msgspec.Struct, frozen=True, kw_only=True):
    """What was copied from one store to another and verified there.

    `known` counts the actors that were already there. `tables` has the number of rows of each table.
    """

    source: str
    target: str
    actors: int
    known: int
    rows: int
    tables: dict[str, int]


Sums = Mapping[str, Sum]


class Reading(Protocol):
    """A consistent view of a store at one moment."""

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns of a table's rows, in order, without the world and the organism, which are known."""
        ...

    def organisms(self) -> list[Organism]:
        """All organisms in the store, by number."""
        ...

    def rows(self, table: Table, organism: Organism | None) -> Iterator[Row]:
        """The rows of an organism, or those that belong to nobody, in a form that is the same for every store."""
        ...

    def count(self, table: Table) -> int:
        """How many rows a table has in all."""
        ...

    def marks(self) -> dict[str, int]:
        """For each table that numbers its rows, the highest number it ever assigned."""
        ...


class Writing(Reading, Protocol):
    """A write transaction, which sees its own writes."""

    def journal(self) -> dict[int, tuple[str, Sums]]:
        """The parts copied into this store so far: for each, its source and its sums."""
        ...

    def note(self, part: int, source: str, sums: Sums) -> None:
        """Record that a part was copied."""
        ...

    def add(self, organism: Organism) -> None:
        """Create an organism if it does not exist."""
        ...

    def put(self, table: Table, organism: Organism | None, rows: Iterable[Row]) -> None:
        """Insert rows unchanged."""
        ...

    def clear(self, tables: Iterable[Table], organism: Organism | None) -> None:
        """Delete the rows of an organism, or those that belong to nobody, from these tables."""
        ...

    def set_marks(self, marks: Mapping[str, int]) -> None:
        """Number new rows from after these marks."""
        ...


class Tables(Protocol):
    """A durable store, opened as the source or the target of a copy."""

    @property
    def where(self) -> str:
        """The location of the store, without passwords."""
        ...

    def reading(self) -> AbstractContextManager[Reading]:
        """A consistent view of one moment for the whole block; it changes nothing."""
        ...

    def writing(self) -> AbstractContextManager[Writing]:
        """A write transaction: everything in the block happens, or nothing."""
        ...

    def settle(self) -> None:
        """Prepare the filled store for use."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...
