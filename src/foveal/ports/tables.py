"""A store as tables, to be copied whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

Row = tuple[object, ...]


class Table(msgspec.Struct, frozen=True):
    """A table of every durable store.

    Its rows belong to whom their column `by` says: an organism, or a ledger or crystal of one; to nobody if it is
    empty. What is `kept` by the store itself, as other rows come and go, is made once more when those are copied.
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
    """How many rows a table has, and their checksum, in whatever order they come."""

    rows: int
    checksum: str


# Vectors refer to them, so they come first.
ENCODERS = (Table("encoder", by=""),)
OWNED = (
    *(Table("region"), Table("vitals"), Table("record")),
    *(Table(name, kept=True) for name in ("standing", "arrival", "unsummarised", "seen_until")),
    *(Table(name) for name in ("sent", "tombstone", "link", "context_group", "member", "session")),
    *(Table(name) for name in ("vector", "trace", "journal", "rendition", "rendition_source")),
    *(Table(name) for name in ("recollection", "recollected")),
    *(Table(name) for name in ("tape", "dropped_tape", "family", "phrase", "mention", "place")),
    *(Table(name) for name in ("phrase_point", "version_point", "ledger")),
    *(Table(name, by="ledger") for name in ("goal", "task", "tool_call", "decision", "pattern")),
    *(Table(name, by="ledger") for name in ("agent_state", "event", "event_hour", "metric", "metric_hour")),
    *(Table("crystal_blob"), Table("crystal"), Table("crystal_fragment", by="crystal")),
    *(Table("snapshot"), Table("oblivion")),
)
SHARED = (Table("job", by=""), Table("api_key", by=""), Table("errand", by=""), Table("override", by=""))
# Who does a job now: that ends with the process that does it.
LEFT = frozenset({"lease"})
# What a database gathers of large actors, to search them. It is gathered anew when they are first searched.
GATHERED = frozenset({"segment", "posting", "speaker"})


class Copied(msgspec.Struct, frozen=True, kw_only=True):
    """What was copied from one store to another, and found to be the same there.

    `known` of the actors were there already. `tables` says how many rows each table has.
    """

    source: str
    target: str
    actors: int
    known: int
    rows: int
    tables: dict[str, int]


Sums = Mapping[str, Sum]


class Reading(Protocol):
    """One moment of a store."""

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns of the rows of a table, in order: not the world and the organism, which are known."""
        ...

    def organisms(self) -> list[Organism]:
        """Everyone in the store, by number."""
        ...

    def rows(self, table: Table, organism: Organism | None) -> Iterator[Row]:
        """The rows of an organism, or those of nobody, in a form that is the same for every store."""
        ...

    def count(self, table: Table) -> int:
        """How many rows a table has, of everyone."""
        ...

    def marks(self) -> dict[str, int]:
        """For each table that numbers its rows, the highest number that it ever gave."""
        ...


class Writing(Reading, Protocol):
    """A transaction that writes to a store, and sees what it wrote."""

    def journal(self) -> dict[int, tuple[str, Sums]]:
        """What was copied into this store before: for each part where it came from, and its sums."""
        ...

    def note(self, part: int, source: str, sums: Sums) -> None:
        """Note that a part was copied."""
        ...

    def add(self, organism: Organism) -> None:
        """Make an organism, if it is not there."""
        ...

    def put(self, table: Table, organism: Organism | None, rows: Iterable[Row]) -> None:
        """Add rows as they are."""
        ...

    def clear(self, tables: Iterable[Table], organism: Organism | None) -> None:
        """Remove the rows of an organism, or those of nobody, from these tables."""
        ...

    def set_marks(self, marks: Mapping[str, int]) -> None:
        """Number new rows after these."""
        ...


class Tables(Protocol):
    """A durable store, opened to be copied from or to."""

    @property
    def where(self) -> str:
        """Which store it is, without passwords."""
        ...

    def reading(self) -> AbstractContextManager[Reading]:
        """One moment of the store, held until the end; nothing is changed by it."""
        ...

    def writing(self) -> AbstractContextManager[Writing]:
        """A transaction: all of it happens, or none."""
        ...

    def settle(self) -> None:
        """Make ready for use what was filled."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...
