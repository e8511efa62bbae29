"""The interfaces that the parts of a SQL store share: session, transaction and dialect."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from importlib import resources
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from foveal.errors import Corrupt, NotFound
from foveal.model.query import Op, Viewpoint

_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)

# The values that name an organism in a query: its number, and what else the keys of its rows begin with.
Organism = dict[str, Any]
Values = Mapping[str, Any]
Step = tuple[str, Sequence[Values]]
# Binds a value and returns its placeholder for the text of a query.
Bind = Callable[[Any], str]

SIGNS = {Op.LT: "<", Op.LTE: "<=", Op.GT: ">", Op.GTE: ">=", Op.EQ: "="}


def named(package: str) -> dict[str, str]:
    """Every query in the folder `queries` of a package, by the name in the comment above it.

    >>> sorted(named("foveal.backends.sqlite"))[:2]
    ['activate_encoder', 'activate_tape']
    """
    folder = resources.files(package).joinpath("queries")
    files = (file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".sql"))
    parts = [part for text in files for part in _NAME.split(text)[1:]]
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


class LastCommit(NamedTuple):
    """A connection, and a number that changes when another connection commits."""

    connection: Hashable
    number: int


class Transaction(ABC):
    """One transaction: runs named queries and finds organisms."""

    nobody: Organism

    @abstractmethod
    def run(self, name: str, values: Values | None = None, **parts: str) -> list[Any]:
        """All rows of a query, with `parts` put into its text and `values` bound."""

    @abstractmethod
    def rows(self, name: str, values: Values | None = None, **parts: str) -> list[Any]:
        """All rows of a query, with their columns as attributes."""

    def value(self, name: str, values: Values | None = None, **parts: str) -> Any:
        """The first column of the first row of a query, or None."""
        rows = self.run(name, values, **parts)
        return rows[0][0] if rows else None

    def stream(self, name: str, values: Values | None = None) -> Iterator[Any]:
        """The rows of a query one by one, for results that are too large to fetch at once."""
        return iter(self.run(name, values))

    @abstractmethod
    def change(self, name: str, values: Values | None = None, **parts: str) -> int:
        """Run a query that returns no rows. Returns how many rows it changed."""

    @abstractmethod
    def batch(self, *steps: Step) -> None:
        """Run each query once for each of its rows, in order, in the cheapest way the database has."""

    @abstractmethod
    def lock(self, name: str, values: Values | None = None) -> None:
        """Run a query that only takes a lock, where several transactions can write at once."""

    @abstractmethod
    def server_time(self) -> datetime | None:
        """The time of the clock that all processes share, if it is not the clock of this machine."""

    def last_commit(self) -> LastCommit | None:
        """A number that changes with commits of other connections; None if it is expensive to know."""
        return None

    @abstractmethod
    def organism(self, viewpoint: Viewpoint) -> Organism | None:
        """The organism of a viewpoint, if it has one."""

    def organism_or_nobody(self, viewpoint: Viewpoint) -> Organism:
        """The organism of a viewpoint, or one that has no rows."""
        return self.organism(viewpoint) or self.nobody

    def existing_organism(self, viewpoint: Viewpoint) -> Organism:
        """The organism of a viewpoint; `NotFound` if it has none."""
        organism = self.organism(viewpoint)
        if organism is None:
            raise NotFound("there is no such memory")
        return organism

    @abstractmethod
    def own_organism(self, viewpoint: Viewpoint) -> Organism:
        """The organism of a viewpoint, created if necessary, and locked until the transaction ends."""


class Damage:
    """Reports damaged records and other rows to a listener, each once."""

    def __init__(self) -> None:
        self._listener: Callable[[Corrupt], None] = lambda _: None
        self._reported: set[object] = set()

    def listen(self, listener: Callable[[Corrupt], None]) -> None:
        """Report to this listener from now on."""
        self._listener = listener

    def report(self, error: Corrupt) -> None:
        """Report a record or another row that is left out of an answer."""
        name = tuple(error.data.get(part) for part in ("record_id", "table", "key"))
        if name not in self._reported:
            self._reported.add(name)
            self._listener(error)


class Session(Protocol):
    """The source of transactions."""

    damage: Damage

    def reading(
        self, viewpoint: Viewpoint | None = None, *, newest: bool = False
    ) -> AbstractContextManager[Transaction]:
        """A read transaction on one snapshot of the database; `newest` rules out a replica, which may lag."""
        ...

    def writing(
        self, viewpoint: Viewpoint | None = None, *, wait: bool = True, alone: bool = False
    ) -> AbstractContextManager[Transaction]:
        """A write transaction: all of it happens, or none.

        Without `wait` it raises `StoreUnavailable` if another transaction writes; `alone` keeps all others from
        writing vectors.
        """
        ...

    def cut_log(self) -> bool:
        """Truncate the log, which may still contain erased data; False while a reader needs it."""
        ...

    def stored(self, count: int) -> None:
        """Called after records were appended, for a database that needs statistics of new tables early."""
        ...


class Places(NamedTuple):
    """Reserved places for new versions.

    A number for each version, the first free time slice of each region, and the time of the newest snapshot.
    """

    seqs: Sequence[int]
    slices: dict[str, int]
    floor: datetime | None


class Dialect(ABC):
    """How one database expresses parameters, lists, vectors and filters."""

    # Bound in place of an organism by a query about all organisms.
    everyone: Organism
    # The columns of a record whose organism is bound, and of a record of any organism.
    columns: str
    columns_of_any: str
    column_names: Sequence[str]

    # What a row of a ledger binds, besides the id, to name a record; null if it names none.
    record_key: Sequence[str] = ()

    @abstractmethod
    def text(self, name: str, **parts: str) -> str:
        """The text of a named query, with `parts` put into it."""

    @abstractmethod
    def array(self, values: Iterable[Any]) -> Any:
        """A list as a bound value."""

    @abstractmethod
    def texts(self, values: Iterable[str]) -> Any:
        """A list of arbitrary strings as a bound value; strings that the database cannot store are left out."""

    @abstractmethod
    def bound(self, name: str) -> str:
        """The placeholder of a bound value."""

    # The queries that remove what is left of an organism whose tables are cleared, its name included.
    forget_organism: Sequence[str] = ("forget_organism",)

    def table(self, name: str) -> str:
        """The name of a table of `ports.tables` in this database."""
        return name

    @abstractmethod
    def owned(self, by: str) -> str:
        """The condition for the rows of the bound organism in a table whose rows belong to it by this column."""

    @abstractmethod
    def vector_values(self, own: Values, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
        """The values that `add_vector` binds for a version; `own` names the version and the encoder."""

    @abstractmethod
    def vectors_of(self, data: bytes, dimension: int) -> NDArray[np.float16]:
        """The vectors of a version, from the bytes that a query returns."""

    def halves(self, data: bytes) -> bytes:
        """The bytes that a query returns for vectors, in the byte order of this machine."""
        return data

    @abstractmethod
    def numbers(self, values: NDArray[np.int64]) -> Any:
        """A long list of integers as a bound value."""

    @abstractmethod
    def take_places(self, db: Transaction, organism: Organism, regions: Mapping[str, int]) -> Places:
        """Reserve numbers and time slices for new versions; `regions` says how many go into each region."""

    def count_rows(self, db: Transaction, organism: Organism, table: str, written: int) -> None:  # noqa: B027
        """Update the statistics after a large batch, where the planner needs them at once."""

    # The condition that a record belongs to the bound organism.
    of_organism: str

    @abstractmethod
    def same_record(self, one: str, other: str) -> str:
        """The condition that two aliases are versions of the same record."""

    def unindexed(self, column: str) -> str:
        """A column, written so that the planner does not use an index for it."""
        return column

    def counted(self, ways: Sequence[str]) -> Sequence[str]:
        """Visibility conditions for reading all visible records, if the database has faster ones for that."""
        return ()

    @abstractmethod
    def under(self, prefix: str, bound: str) -> str:
        """The condition that the digits of a record begin with a prefix, as a range."""

    @abstractmethod
    def has_tag(self, bound: str) -> str:
        """The condition that a record has a tag."""

    @abstractmethod
    def truth(self, column: str) -> str:
        """A boolean as a number."""

    @abstractmethod
    def of_text(self, column: str, op: Op, value: str, bind: Bind) -> str:
        """The comparison of a text with a value."""

    @abstractmethod
    def of_number(self, column: str, op: Op, value: float, bind: Bind) -> str:
        """The comparison of a number with a value."""

    @abstractmethod
    def among(self, column: str, values: Sequence[str | float], bind: Bind) -> str:
        """The condition that a column has one of these values, all of its type."""

    @abstractmethod
    def in_metadata(self, path: Sequence[str], op: Op, value: str | float | None, bind: Bind) -> str:
        """The comparison of the metadata at a path with a value; values of different types are never equal."""

    @abstractmethod
    def among_metadata(self, path: Sequence[str], values: Sequence[str | float], bind: Bind) -> str:
        """The condition that the metadata at a path has one of these values, all of one type."""
