"""What the parts of the Postgres store share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from foveal.backends.postgres.connection import Connections
from foveal.backends.postgres.query import Db, Organism
from foveal.model.journal import Move
from foveal.model.link import Link
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.vitals import Vitals
from foveal.ports.entry import Encoder, Entry

# What a query about every world binds in the place of an organism, and one about an organism that is not there.
EVERYONE: dict[str, Any] = {"world": None, "organism": None}
NOBODY: Organism = {"world": "", "organism": -1, "actor": ""}


class Part(ABC):
    """The connections of the store, and how it looks things up on one of them."""

    _db: Connections

    @abstractmethod
    def _organism(self, db: Db, world: str, actor: str) -> Organism | None: ...

    @abstractmethod
    def _some_organism(self, db: Db, viewpoint: Viewpoint) -> Organism: ...

    @abstractmethod
    def _seen_organism(self, db: Db, sight: Sight) -> Organism: ...

    @abstractmethod
    def _sight(self, db: Db, sight: Sight) -> tuple[str, dict[str, Any]] | None: ...

    @abstractmethod
    def _get(self, db: Db, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _visible(self, db: Db, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _own_organism(self, db: Db, viewpoint: Viewpoint) -> Organism: ...

    @abstractmethod
    def _erase(self, db: Db, organism: Organism, ids: Sequence[str], now: datetime) -> None: ...

    @abstractmethod
    def _let_go(self, organism: Organism) -> None: ...

    @abstractmethod
    def _in_use(self, db: Db, encoder: Encoder) -> tuple[int, int] | None: ...

    @abstractmethod
    def _require(self, db: Db, encoder: Encoder) -> int: ...

    @abstractmethod
    def _append(self, db: Db, entries: Sequence[Entry], encoder: int) -> list[tuple[Record, bool]]: ...

    @abstractmethod
    def _put_link(self, db: Db, organism: Organism, link: Link) -> None: ...

    @abstractmethod
    def _journal(self, db: Db, organism: Organism, moves: Sequence[Move]) -> None: ...

    @abstractmethod
    def _floor(self, db: Db, organism: Organism) -> datetime | None: ...

    @abstractmethod
    def _dated(
        self, db: Db, organism: Organism, record_id: str, before: Vitals, vitals: Vitals, now: datetime
    ) -> Vitals: ...
