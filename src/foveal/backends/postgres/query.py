"""The named queries of the folder `queries`, and how they are run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any, TypedDict

import psycopg

from foveal.backends.relational.naming import named
from foveal.model.sight import Viewpoint

_NAMED = re.compile(r"%\((\w+)\)s")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_INSERT = re.compile(
    r"(?P<head>insert into .*\svalues) (?P<row>\(.*?\))(?P<tail>|\s+on conflict do nothing)", re.DOTALL
)
# So many rows are one statement: starting one costs the server more than a row.
_ROWS = 32

Link = psycopg.Connection[Any]
Values = Mapping[str, Any]
Step = tuple[str, Sequence[Values]]


class Organism(TypedDict):
    """What every query about an organism binds: its world, by which tables are spread, its number, its actor."""

    world: str
    organism: int
    actor: str


class Db:
    """A transaction: its connection, whom it is about, and the organism that was found for that."""

    __slots__ = ("connection", "organism", "viewpoint")

    def __init__(self, connection: Link, viewpoint: Viewpoint | None, organism: Organism | None) -> None:
        self.connection, self.viewpoint, self.organism = connection, viewpoint, organism

    def look_at(self, viewpoint: Viewpoint) -> None:
        """Go on with another organism."""
        if self.viewpoint is None or self.viewpoint.world != viewpoint.world:
            self.connection.execute("select set_config('foveal.world', %s, true)", (viewpoint.world,))
        self.viewpoint, self.organism = viewpoint, None


@cache
def queries() -> dict[str, str]:
    """Every query by its name; those that depend on who looks have `{sight}` in them."""
    return named("foveal.backends.postgres")


def text(name: str, **parts: str) -> str:
    """The text of a query, with `parts` put into it."""
    found = queries()[name]
    return found.format(**parts) if parts else found


def run(db: Db, name: str, values: Values | None = None, **parts: str) -> list[Any]:
    """All rows that a query gives, with `parts` put into its text and `values` bound."""
    return db.connection.execute(text(name, **parts).encode(), values or {}, binary=True).fetchall()


def value(db: Db, name: str, values: Values | None = None, **parts: str) -> Any:
    """The first column of the first row that a query gives, or None."""
    found = run(db, name, values, **parts)
    return found[0][0] if found else None


def change(db: Db, name: str, values: Values, **parts: str) -> int:
    """Run a query that gives no rows. Says how many it changed."""
    return db.connection.execute(text(name, **parts).encode(), values).rowcount


def texts(given: Iterable[str]) -> list[str]:
    """Those that text can be at all: what is no character, or is the end of a string in C, names nothing here."""
    return [one for one in given if not _NO_TEXT.search(one)]


def change_all(db: Db, name: str, rows: Iterable[Values]) -> None:
    """Run a query for each of these, in one go."""
    change_in_turn(db, [(name, list(rows))])


def change_in_turn(db: Db, steps: Iterable[Step]) -> None:
    """Run queries one after the other, each for all of its rows, without waiting in between."""
    needed = [(name, rows) for name, rows in steps if rows]
    if not needed:
        return
    with db.connection.pipeline():
        for name, rows in needed:
            statement, names = _together(name)
            whole = len(rows) // _ROWS * _ROWS if statement else 0
            for start in range(0, whole, _ROWS):
                values = [row[one] for row in rows[start : start + _ROWS] for one in names]
                psycopg.RawCursor(db.connection).execute(statement, values)
            if rows[whole:]:
                db.connection.cursor().executemany(text(name).encode(), rows[whole:])


@cache
def _together(name: str) -> tuple[bytes, list[str]]:
    """A query that inserts values, for `_ROWS` rows at once, and what each row binds; nothing for other queries."""
    found = _INSERT.fullmatch(text(name))
    if found is None:
        return b"", []
    names = _NAMED.findall(found["row"])
    numbers = count(1)
    lists = (_NAMED.sub(lambda _: f"${next(numbers)}", found["row"]) for _ in range(_ROWS))
    return f"{found['head']} {', '.join(lists)} {found['tail']}".encode(), names
