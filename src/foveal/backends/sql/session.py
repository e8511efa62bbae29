"""What the parts of a SQL store work with: a session, its transactions, and the dialect of the database."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from importlib import resources
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from foveal.errors import NotFound
from foveal.model.journal import Move
from foveal.model.link import Link
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.vitals import Vitals
from foveal.ports.entry import Encoder, Entry

_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)

# What a query binds to say whose rows it is about: the number of the organism, and what else the keys begin with.
Organism = dict[str, Any]
Values = Mapping[str, Any]
Step = tuple[str, Sequence[Values]]


def named(package: str) -> dict[str, str]:
    """Every query of the folder `queries` of a package, by the name that stands above it.

    >>> sorted(named("foveal.backends.sqlite"))[:2]
    ['activate_encoder', 'activate_tape']
    """
    folder = resources.files(package).joinpath("queries")
    files = (file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".sql"))
    parts = [part for text in files for part in _NAME.split(text)[1:]]
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


class Transaction(ABC):
    """One transaction: runs named queries and finds organisms."""

    nobody: Organism

    @abstractmethod
    def run(self, name: str, values: Values | None = None, **parts: str) -> list[Any]:
        """All rows of a query, with `parts` put into its text and `values` bound."""

    def value(self, name: str, values: Values | None = None, **parts: str) -> Any:
        """The first column of the first row of a query, or None."""
        rows = self.run(name, values, **parts)
        return rows[0][0] if rows else None

    def stream(self, name: str, values: Values | None = None) -> Iterator[Any]:
        """The rows of a query one by one, for those that would take much room at once."""
        return iter(self.run(name, values))

    @abstractmethod
    def change(self, name: str, values: Values | None = None, **parts: str) -> int:
        """Run a query that gives no rows. Returns how many rows it changed."""

    @abstractmethod
    def batch(self, *steps: Step) -> None:
        """Run each query once for each of its rows, in order, as cheaply as the database can."""

    @abstractmethod
    def lock(self, name: str, values: Values | None = None) -> None:
        """Run a query that only takes a lock, where several transactions can write at once."""

    @abstractmethod
    def server_time(self) -> datetime | None:
        """The time of the clock that all processes share, if it is not the clock of this machine."""

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
        """The organism of a viewpoint, made if need be, and locked until the transaction ends."""


class Session(Protocol):
    """Where transactions come from."""

    def reading(
        self, viewpoint: Viewpoint | None = None, *, newest: bool = False
    ) -> AbstractContextManager[Transaction]:
        """A transaction that sees one moment of the database; with `newest` never one that a replica lags at."""
        ...

    def writing(
        self, viewpoint: Viewpoint | None = None, *, wait: bool = True, alone: bool = False
    ) -> AbstractContextManager[Transaction]:
        """A transaction that writes: all of it happens, or none.

        Without `wait` it is `StoreUnavailable` when another writes; `alone` keeps everyone from writing vectors.
        """
        ...

    def cut_log(self) -> bool:
        """Clear what was removed from the log, too; False while a reader holds it."""
        ...


class Places(NamedTuple):
    """Where new versions go: a number for each, the first free time slice of each region, the newest snapshot."""

    seqs: Sequence[int]
    slices: dict[str, int]
    floor: datetime | None


class Dialect(ABC):
    """What the databases spell differently."""

    # What a query binds to ask about every organism.
    everyone: Organism
    # The columns of a record whose organism is bound, and of a record of any organism.
    columns: str
    columns_of_any: str
    column_names: Sequence[str]

    # What a row of a ledger binds, beside the id, to name a record, and leaves empty if it names none.
    record_key: Sequence[str] = ()

    @abstractmethod
    def text(self, name: str, **parts: str) -> str:
        """The text of a named query, with `parts` put into it."""

    @abstractmethod
    def array(self, values: Iterable[Any]) -> Any:
        """A list as a query binds it."""

    @abstractmethod
    def texts(self, values: Iterable[str]) -> Any:
        """A list of any texts, as a query binds it; what the database cannot hold as text is left out."""

    @abstractmethod
    def bound(self, name: str) -> str:
        """A bound value in the text of a query."""

    @abstractmethod
    def vector_values(self, own: Values, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
        """What `add_vector` binds for the vectors of a version; `own` names the version and the encoder."""

    @abstractmethod
    def vectors_of(self, data: bytes, dimension: int) -> NDArray[np.float16]:
        """The vectors of a version, as a query gives them."""

    @abstractmethod
    def take_places(self, db: Transaction, organism: Organism, regions: Mapping[str, int]) -> Places:
        """Places for so many new versions in each of these regions."""

    def count_rows(self, db: Transaction, organism: Organism, table: str, written: int) -> None:  # noqa: B027
        """Have the rows of a large batch counted, where the database would else take long ways to them."""

    # The ways in which a record reaches a node. Each has an index of its own, and no record comes on two of them.
    ways: Sequence[str]

    @abstractmethod
    def clause(
        self, sight: Sight, organism: Organism, *, way: str | None = None, counted: bool = False
    ) -> tuple[str, dict[str, Any]]:
        """The condition on `record r join vitals v` for what `sight` may see, and the values it binds.

        With one of `ways`, only for what comes to the node on that way; `counted` is for going through all of it.
        """


class Part(ABC):
    """A part of a store: it has the session and the dialect, and asks the others for what is theirs."""

    _session: Session
    _dialect: Dialect

    def _sight(self, db: Transaction, sight: Sight, *, counted: bool = False) -> tuple[str, dict[str, Any]] | None:
        """The condition for what `sight` may see and what it binds; None if there is no such organism."""
        organism = db.organism(sight.viewpoint)
        return None if organism is None else self._dialect.clause(sight, organism, counted=counted)

    def _each_way(
        self, sight: Sight, organism: Organism, *, columns: str, after: str = "true"
    ) -> tuple[str, dict[str, Any]]:
        """A query for the visible records in which each way is read from its own index, and what it binds.

        So they come in the order of time, and what others hold is not looked at.
        """
        values: dict[str, Any] = {}
        parts: list[str] = []
        for way in self._dialect.ways[:1] if sight.owner else self._dialect.ways:
            condition, bound = self._dialect.clause(sight, organism, way=way)
            values |= bound
            parts.append(self._dialect.text("records_on_one_way", columns=columns, sight=condition, after=after))
        return " union all ".join(parts), values

    @abstractmethod
    def _get(self, db: Transaction, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _visible(self, db: Transaction, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _append(self, db: Transaction, entries: Sequence[Entry], encoder: int) -> list[tuple[Record, bool]]: ...

    @abstractmethod
    def _erase(self, db: Transaction, organism: Organism, ids: Sequence[str], now: datetime) -> None: ...

    @abstractmethod
    def _after_erase(self, organism: Organism) -> bool: ...

    @abstractmethod
    def _in_use(self, db: Transaction, encoder: Encoder) -> tuple[int, int] | None: ...

    @abstractmethod
    def _require(self, db: Transaction, encoder: Encoder) -> int: ...

    @abstractmethod
    def _put_link(self, db: Transaction, organism: Organism, link: Link) -> None: ...

    @abstractmethod
    def _journal(self, db: Transaction, organism: Organism, moves: Sequence[Move]) -> None: ...

    @abstractmethod
    def _floor(self, db: Transaction, organism: Organism) -> datetime | None: ...

    @abstractmethod
    def _dated(
        self, db: Transaction, organism: Organism, record_id: str, before: Vitals, vitals: Vitals, now: datetime
    ) -> Vitals: ...
