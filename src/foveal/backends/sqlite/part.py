"""What the parts of the SQLite store share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import apsw

from foveal.backends.sqlite.connection import Connections
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.ports.store import Encoder


class Part(ABC):
    """The connections of the store, and how it looks things up on one of them."""

    _db: Connections

    @abstractmethod
    def _organism(self, db: apsw.Connection, world: str, actor: str) -> int | None: ...

    @abstractmethod
    def _any_organism(self, db: apsw.Connection, world: str, actor: str) -> int: ...

    @abstractmethod
    def _seen_organism(self, db: apsw.Connection, sight: Sight) -> int: ...

    @abstractmethod
    def _sight(self, db: apsw.Connection, sight: Sight) -> tuple[str, dict[str, Any]] | None: ...

    @abstractmethod
    def _get(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _visible(self, db: apsw.Connection, sight: Sight, ids: Sequence[str]) -> list[Record]: ...

    @abstractmethod
    def _in_use(self, db: apsw.Connection, encoder: Encoder) -> tuple[int, int] | None: ...
