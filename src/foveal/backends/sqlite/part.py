"""What the parts of the SQLite store share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw

from foveal.backends.sqlite.connection import Connections
from foveal.model.journal import Move
from foveal.model.link import Link
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.vitals import Vitals
from foveal.ports.entry import Encoder, Entry


class Part(ABC):
    """The connections of the store, and how it looks things up on one of them."""

    _db: Connections

    @abstractmethod
    def _organism(self, db: apsw.Connection, world: str, actor: str) -> int | None: ...

    @abstractmethod
    def _seen_organism(self, db: apsw.Connection, sight: Sight) -> int: ...

    @abstractmethod
    def _sight(
        self, db: apsw.Connection, sight: Sight, *, counted: bool = False
    ) -> tuple[str, dict[str, Any]] | None: ...

    @abstractmethod
    def _get(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _visible(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _own_organism(self, db: apsw.Connection, viewpoint: Viewpoint) -> int: ...

    @abstractmethod
    def _erase(self, db: apsw.Connection, organism: int, ids: Sequence[str], now: datetime) -> None: ...

    @abstractmethod
    def _cut_log(self, organism: int) -> bool: ...

    @abstractmethod
    def _in_use(self, db: apsw.Connection, encoder: Encoder) -> tuple[int, int] | None: ...

    @abstractmethod
    def _require(self, db: apsw.Connection, encoder: Encoder) -> int: ...

    @abstractmethod
    def _append(self, db: apsw.Connection, entries: Sequence[Entry], encoder: int) -> list[tuple[Record, bool]]: ...

    @abstractmethod
    def _put_link(self, db: apsw.Connection, organism: int, link: Link) -> None: ...

    @abstractmethod
    def _journal(self, db: apsw.Connection, organism: int, moves: Sequence[Move]) -> None: ...

    @abstractmethod
    def _floor(self, db: apsw.Connection, organism: int) -> datetime | None: ...

    @abstractmethod
    def _dated(
        self, db: apsw.Connection, organism: int, record_id: str, before: Vitals, vitals: Vitals, now: datetime
    ) -> Vitals: ...
