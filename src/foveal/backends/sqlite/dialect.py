"""The dialect of SQLite: its named queries, how values are bound, and what stands for a list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foveal.backends.sql.rows import listed, moment_or_none, record_columns
from foveal.backends.sql.session import Dialect, Organism, Places, Transaction, Values, named
from foveal.backends.sqlite.sight import COUNTED, REACHES, WAYS, clause
from foveal.model.sight import Sight


@cache
def queries() -> dict[str, str]:
    """Every query by its name; those that depend on who looks have `{sight}` in them."""
    return named("foveal.backends.sqlite")


def text(name: str, **parts: str) -> str:
    """The text of a query, with `parts` put into it."""
    found = queries()[name]
    return found.format(**parts) if parts else found


class SqliteDialect(Dialect):
    """Values are bound by `:name`, and lists are JSON."""

    everyone = {"organism": None}
    # Whose record it is, is looked up once a query, where the organism is bound.
    column_names = record_columns(
        world="(select world from organism where number = :organism)",
        actor="(select actor from organism where number = :organism)",
    )
    columns = ", ".join(column_names)
    # Where records of any organism are asked for, it is looked up for each.
    columns_of_any = columns.replace(":organism", "r.organism")

    record_key = ("organism",)
    ways = WAYS

    def text(self, name: str, **parts: str) -> str:
        """The text of a named query, with `parts` put into it."""
        return text(name, **parts)

    def array(self, values: Iterable[Any]) -> str:
        """A list as a query binds it."""
        return listed(list(values))

    def texts(self, values: Iterable[str]) -> str:
        """A list of texts that may be anything, as a query binds it: what is no character is escaped."""
        return json.dumps(list(values))

    def bound(self, name: str) -> str:
        """A bound value in the text of a query."""
        return f":{name}"

    def vector_values(self, own: Values, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
        """What `add_vector` binds: all vectors of a version are one value."""
        return [{**own, "data": rows.astype(np.float16).tobytes()}]

    def vectors_of(self, data: bytes, dimension: int) -> NDArray[np.float16]:
        """The vectors of a version, as a query gives them."""
        return np.frombuffer(data, np.float16).reshape(-1, dimension)

    def take_places(self, db: Transaction, organism: Organism, regions: Mapping[str, int]) -> Places:
        """Places for so many new versions in each of these regions."""
        slices = {
            region: db.value("take_slices", {**organism, "region": region, "count": count})
            for region, count in regions.items()
        }
        first = db.value("next_seq")
        floor = moment_or_none(db.value("newest_snapshot", organism))
        return Places(range(first, first + sum(regions.values())), slices, floor)

    def clause(
        self, sight: Sight, organism: Organism, *, way: str | None = None, counted: bool = False
    ) -> tuple[str, dict[str, Any]]:
        """The condition on `record r join vitals v` for what `sight` may see, and the values it binds."""
        return clause(sight, organism, way or (COUNTED if counted else REACHES))
