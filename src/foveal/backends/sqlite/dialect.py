"""The dialect of SQLite: its named queries, how values are bound, and what stands for a list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foveal.backends.sql.rows import listed, moment_or_none, record_columns
from foveal.backends.sql.session import SIGNS, Bind, Dialect, Organism, Places, Transaction, Values, named
from foveal.model.query import Op

# Few records share a prefix of so many digits.
_RARE = 6


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
    of_organism = "r.organism = :organism"

    def text(self, name: str, **parts: str) -> str:
        """The text of a named query, with `parts` put into it."""
        return text(name, **parts)

    def array(self, values: Iterable[Any]) -> str:
        """A list as a bound value."""
        return listed(list(values))

    def texts(self, values: Iterable[str]) -> str:
        """A list of arbitrary strings as a bound value: lone surrogates are escaped."""
        return json.dumps(list(values))

    def bound(self, name: str) -> str:
        """The placeholder of a bound value."""
        return f":{name}"

    def vector_values(self, own: Values, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
        """What `add_vector` binds: all vectors of a version are one value."""
        return [{**own, "data": rows.astype(np.float16).tobytes()}]

    def vectors_of(self, data: bytes, dimension: int) -> NDArray[np.float16]:
        """The vectors of a version, from the bytes that a query returns."""
        return np.frombuffer(data, np.float16).reshape(-1, dimension)

    def numbers(self, values: NDArray[np.int64]) -> str:
        """A long list of integers as a bound value."""
        return listed(values.tolist())

    def take_places(self, db: Transaction, organism: Organism, regions: Mapping[str, int]) -> Places:
        """Reserve numbers and time slices for so many new versions in each region."""
        slices = {
            region: db.value("take_slices", {**organism, "region": region, "count": count})
            for region, count in regions.items()
        }
        first = db.value("next_seq")
        floor = moment_or_none(db.value("newest_snapshot", organism))
        return Places(range(first, first + sum(regions.values())), slices, floor)

    def same_record(self, one: str, other: str) -> str:
        """The condition that two aliases are versions of the same record."""
        return f"{one}.organism = {other}.organism and {one}.id = {other}.id"

    def unindexed(self, column: str) -> str:
        """A column that the planner should not look up in an index: the plus rules that out."""
        return f"+{column}"

    def counted(self, ways: Sequence[str]) -> Sequence[str]:
        """Conditions that start from the indexes of the ways, not from the whole organism."""
        each = " union all ".join(f"select r.seq from record r where {self.of_organism} and {way}" for way in ways)
        return f"+{self.of_organism}", f"r.seq in ({each})"

    def under(self, prefix: str, bound: str) -> str:
        """The condition that the digits of a record begin with a prefix, as a range.

        A long one is rare: the index of cells should answer then, and for a short one that of time.
        """
        if len(prefix) < _RARE:
            return f"(+r.digits >= {bound} and +r.digits < {bound} || '3')"
        return f"(likelihood(r.digits >= {bound}, 0.001) and likelihood(r.digits < {bound} || '3', 0.001))"

    def has_tag(self, bound: str) -> str:
        """The condition that a record has a tag."""
        return f"exists (select 1 from json_each(r.tags) where value = {bound})"

    def truth(self, column: str) -> str:
        """A boolean as a number, which it already is."""
        return column

    def of_text(self, column: str, op: Op, value: str, bind: Bind) -> str:
        """The comparison of a text with a value."""
        wanted = bind(value)
        if op is Op.CONTAINS:
            return f"instr({column}, {wanted}) > 0"
        if op is Op.PREFIX:
            return f"substr({column}, 1, length({wanted})) = {wanted}"
        return f"{column} {SIGNS[op]} {wanted}"

    def of_number(self, column: str, op: Op, value: float, bind: Bind) -> str:
        """The comparison of a number with a value."""
        return f"{column} {SIGNS[op]} {bind(value)}"

    def among(self, column: str, values: Sequence[str | float], bind: Bind) -> str:
        """The condition that a column has one of these values."""
        return f"{column} in (select value from json_each({bind(json.dumps(values))}))"

    def in_metadata(self, path: Sequence[str], op: Op, value: str | float | None, bind: Bind) -> str:
        """The comparison of the metadata at a path with a value."""
        place = bind(_json_path(path))
        found = f"json_extract(r.metadata, {place})"
        if value is None:
            return f"{found} is null"
        if not isinstance(value, str):
            return f"({_has_type(place, value)} and {self.of_number(found, op, value, bind)})"
        text = f"({_has_type(place, value)} and {self.of_text(found, op, value, bind)})"
        if op is not Op.CONTAINS:
            return text
        items = f"json_each(r.metadata, {place}) where type = 'text' and value = {bind(value)}"
        return (
            f"case json_type(r.metadata, {place}) when 'array' then exists (select 1 from {items}) "
            f"when 'text' then {text} else false end"
        )

    def among_metadata(self, path: Sequence[str], values: Sequence[str | float], bind: Bind) -> str:
        """The condition that the metadata at a path has one of these values."""
        place = bind(_json_path(path))
        found = self.among(f"json_extract(r.metadata, {place})", values, bind)
        return f"({_has_type(place, values[0])} and {found})"


DIALECT = SqliteDialect()


def _json_path(path: Sequence[str]) -> str:
    return "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in path)


def _has_type(place: str, value: str | float) -> str:
    types = "('text')" if isinstance(value, str) else "('integer', 'real', 'true', 'false')"
    return f"json_type(r.metadata, {place}) in {types}"
