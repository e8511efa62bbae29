"""A durable store as the tables it is made of, to be copied whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from foveal.model.tables import Organism, Row, Sum, Table

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
