"""The named queries of the folder `queries`, and how they are run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, cast

import apsw

from foveal.backends.relational.naming import named

Values = Mapping[str, Any] | Sequence[Any]


@cache
def queries() -> dict[str, str]:
    """Every query by its name; those that depend on who looks have `{sight}` in them."""
    return named("foveal.backends.sqlite")


def run(db: apsw.Connection, name: str, values: Values = (), **parts: str) -> list[Any]:
    """All rows that a query gives, with `parts` put into its text and `values` bound."""
    return cast(list[Any], db.execute(text(name, **parts), values).fetchall())


def text(name: str, **parts: str) -> str:
    """The text of a query, with `parts` put into it."""
    found = queries()[name]
    return found.format(**parts) if parts else found


def value(db: apsw.Connection, name: str, values: Values = (), **parts: str) -> Any:
    """The first column of the first row that a query gives, or None."""
    found = run(db, name, values, **parts)
    return found[0][0] if found else None


def run_all(db: apsw.Connection, name: str, rows: Iterable[Values]) -> None:
    """Run a query that gives no rows for each of these."""
    db.executemany(text(name), rows)
