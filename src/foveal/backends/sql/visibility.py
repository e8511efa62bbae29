"""Visibility as SQL conditions: the same rules as in `rules.visibility`, applied by the database.

`Part`, the base of the parts of a store, runs queries with these conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

import msgspec

from foveal.backends.sql.rows import readable_row, record_of, struct_of, to_micros, to_micros_or_none
from foveal.backends.sql.session import SIGNS, Dialect, Organism, Session, Transaction, Values
from foveal.errors import Corrupt
from foveal.model.query import Access, AllOf, AnyOf, Compare, Filter, Negation, Op
from foveal.model.record import Record
from foveal.rules.filters import MOMENTS
from foveal.rules.visibility import OWNED, parent_node

_IN_VITALS = ("tier", "importance", "uses", "pinned", "muted")
_NUMBERS = {"tier", "importance", "uses", "linearity", "tape", *MOMENTS}
_TRUTHS = {"pinned", "muted", "archived"}
_METADATA = "metadata."

S = TypeVar("S", bound=msgspec.Struct)


class Part:
    """A part of a SQL store: a session, a dialect, and the condition for the records that an `Access` may see."""

    def __init__(self, session: Session, dialect: Dialect) -> None:
        self._session, self._dialect = session, dialect

    def _condition(
        self, db: Transaction, access: Access, *, counted: bool = False
    ) -> tuple[str, dict[str, Any]] | None:
        """The condition for what `access` may see, and the values it binds; None if there is no such organism."""
        organism = db.organism(access.viewpoint)
        return None if organism is None else clause(self._dialect, access, organism, counted=counted)

    def _seen(self, db: Transaction, access: Access, name: str, values: Values, **parts: str) -> list[Any]:
        """The named rows of a query about the records that `access` may see; none without such an organism."""
        condition = self._condition(db, access)
        if condition is None:
            return []
        visible, bound = condition
        return db.rows(name, {**bound, **values}, visible=visible, **parts)

    def _sound(self, rows: Iterable[Sequence[Any]], *, whole: bool = False) -> list[Record]:
        """The records in these rows. Damaged ones are left out and reported, or `Corrupt` with `whole`."""
        records: list[Record] = []
        for row in rows:
            try:
                records.append(record_of(row))
            except Corrupt as error:
                if whole:
                    raise
                self._session.damage.report(error)
        return records

    def _each(self, kind: type[S], rows: Iterable[Any], convert: Callable[[Any], S] | None = None) -> list[S]:
        """The structs in rows, made by `struct_of` or `convert`. Damaged ones are left out and reported."""
        structs: list[S] = []
        for row in rows:
            try:
                with readable_row(kind, row):
                    structs.append(struct_of(kind, row) if convert is None else convert(row))
            except Corrupt as error:
                self._session.damage.report(error)
        return structs

    def _seen_records(
        self, db: Transaction, access: Access, name: str, values: Values, *, whole: bool = False, **parts: str
    ) -> list[Record]:
        """The records in the rows of such a query, which need no names; `whole` as in `_sound`."""
        condition = self._condition(db, access)
        if condition is None:
            return []
        visible, bound = condition
        parts |= {"visible": visible, "columns": self._dialect.columns}
        return self._sound(db.run(name, {**bound, **values}, **parts), whole=whole)

    def _counted(self, db: Transaction, access: Access, name: str, values: Values, **parts: str) -> list[Any]:
        """The named rows of a query that reads everything that `access` may see."""
        condition = self._condition(db, access, counted=True)
        if condition is None:
            return []
        visible, bound = condition
        return db.rows(name, {**bound, **values}, visible=visible, **parts)

    def _each_way(
        self, access: Access, organism: Organism, *, columns: str, after: str = "true"
    ) -> tuple[str, dict[str, Any]]:
        """A query for the visible records that reads each way from its own index, and the values it binds.

        The rows of each way come in the order of time, and records of other nodes are not read.
        """
        values: dict[str, Any] = {}
        parts: list[str] = []
        for way in ways(self._dialect, access):
            condition, bound = clause(self._dialect, access, organism, way=way)
            values |= bound
            parts.append(self._dialect.text("records_on_one_way", columns=columns, visible=condition, after=after))
        return " union all ".join(parts), values


def ways(dialect: Dialect, access: Access) -> Sequence[str]:
    """Conditions for the ways in which records reach a node, for `clause`; an owner needs only the first."""
    conditions = _Conditions.of(dialect).ways
    return conditions[:1] if access.as_owner else conditions


def clause(
    dialect: Dialect, access: Access, organism: Organism, *, way: str | None = None, counted: bool = False
) -> tuple[str, dict[str, Any]]:
    """The condition on `record r join vitals v` for what `access` may see, and the values it binds.

    With `way`, one of `ways`, it covers only the records that reach the node that way. `counted` suits queries
    that read all visible records.
    """
    conditions = _Conditions.of(dialect)
    values: dict[str, Any] = {
        **organism,
        "node": access.viewpoint.node,
        "node_up": parent_node(access.viewpoint.node),
        "moment": to_micros(access.as_of or access.now),
        "as_of": to_micros_or_none(access.as_of),
        "valid_at": to_micros_or_none(access.valid_at),
    }
    if access.as_owner:
        parts = [dialect.of_organism]
    elif counted and conditions.counted:
        parts = [*conditions.counted]
    else:
        parts = [dialect.of_organism, way or conditions.reaches]
    if not access.include_hidden:
        parts += conditions.not_gone
    if access.for_recall:
        parts.append("not v.muted")
    if access.as_of is not None:
        parts.append(conditions.known_then)
    if access.valid_at is not None:
        parts.append(conditions.true_then if access.as_of is None else conditions.both_then)
    elif access.as_of is not None:
        parts.append(conditions.newest_then)
    else:
        parts.append("r.superseded_at is null")
    if access.where is not None:
        parts.append(_Filters(dialect, values).condition(access.where))
    return " and ".join(parts), values


def known_to(dialect: Dialect, node: str, column: str) -> tuple[str, dict[str, Any]]:
    """The condition that a node may know of a stored name, as in `rules.visibility.may_know`, and its values."""
    values: dict[str, Any] = {}

    def bind(value: Any) -> str:
        name = f"known{len(values)}"
        values[name] = value
        return dialect.bound(name)

    owned = dialect.of_text(column, Op.CONTAINS, OWNED, bind)
    own = dialect.of_text(column, Op.PREFIX, f"{node}{OWNED}", bind)
    below = dialect.of_text(column, Op.PREFIX, node.rstrip("/") + "/", bind)
    return f"(not ({owned}) or {own} or {below})", values


class _Conditions:
    """The parts of a clause in one dialect, built once and combined for every read."""

    def __init__(self, dialect: Dialect) -> None:
        node, up, moment, as_of, valid_at = map(dialect.bound, ("node", "node_up", "moment", "as_of", "valid_at"))
        # Each way has an index of its own, and no record matches two of them.
        self.ways = (
            f"r.node = {node}",
            f"(r.scope = 'shared' and r.node = {up})",
            f"(r.scope = 'shared' and r.up = {node})",
            f"(r.scope = 'global' and r.node != {node})",
        )
        self.reaches = f"({' or '.join(self.ways)})"
        self.counted = dialect.counted(self.ways)
        self.not_gone = ("v.forgotten_at is null", f"(v.expires_at is null or v.expires_at > {moment})")
        self.known_then = f"{dialect.unindexed('r.recorded_at')} <= {as_of}"
        self.newest_then = f"(r.superseded_at is null or r.superseded_at > {as_of})"
        later = f"""r.valid_from <= {valid_at} and (r.valid_to is null or r.valid_to > {valid_at}) and not exists (
    select 1 from record later where {dialect.same_record("later", "r")}
    and later.version > r.version and later.valid_from <= {valid_at}"""
        self.true_then = f"{later})"
        self.both_then = f"{later} and later.recorded_at <= {as_of})"

    @staticmethod
    @cache
    def of(dialect: Dialect) -> _Conditions:
        return _Conditions(dialect)


class _Filters:
    """Writes filters as SQL conditions, and binds the values they compare with."""

    def __init__(self, dialect: Dialect, values: dict[str, Any]) -> None:
        self._dialect, self._values = dialect, values

    def condition(self, where: Filter) -> str:
        match where:
            case AllOf(parts):
                return f"({' and '.join(map(self.condition, parts)) or 'true'})"
            case AnyOf(parts):
                return f"({' or '.join(map(self.condition, parts)) or 'false'})"
            case Negation(part):
                return f"(not {self.condition(part)})"
            # Written so that an index can serve them; they are never null either.
            case Compare("digits", Op.PREFIX, str(prefix)):
                return self._dialect.under(prefix, self._bind(prefix))
            case Compare("session_id" | "parent_id" as field, Op.EQ, str(value)):
                return f"(r.{field} is not null and r.{field} = {self._bind(value)})"
            case Compare("occurred_at", op, datetime() as at) if op in SIGNS:
                return self._dialect.of_number("r.occurred_at", op, to_micros(at), self._bind)
            # Every other comparison must not be null, so that `not` inverts it.
            case Compare(field, op, value):
                return f"coalesce({self._comparison(field, op, value)}, false)"

    def _comparison(self, field: str, op: Op, value: Any) -> str:
        if op is Op.NE:
            return f"not coalesce({self._comparison(field, Op.EQ, value)}, false)"
        if op is Op.IN:
            return f"({' or '.join(self._among(field, value)) or 'false'})"
        if field == "tags":
            return self._dialect.has_tag(self._bind(value))
        value = _plain(value)
        if field.startswith(_METADATA):
            return self._dialect.in_metadata(_path(field), op, value, self._bind)
        column = self._column(field)
        if value is None:
            return f"{column} is null"
        # Values of different types are never equal or ordered.
        if isinstance(value, str) == (field in _NUMBERS | _TRUTHS):
            return "false"
        if isinstance(value, str):
            return self._dialect.of_text(column, op, value, self._bind)
        return self._dialect.of_number(column, op, value, self._bind)

    def _among(self, field: str, wanted: Sequence[Any]) -> list[str]:
        """Conditions that a field has one of these values; one of them must hold."""
        values = [_plain(value) for value in wanted]
        texts = [value for value in values if isinstance(value, str)]
        numbers = [value for value in values if isinstance(value, int | float)]
        parts = [self._comparison(field, Op.EQ, None)] if None in values else []
        if field.startswith(_METADATA):
            path = _path(field)
            return parts + [
                self._dialect.among_metadata(path, group, self._bind) for group in (texts, numbers) if group
            ]
        group = numbers if field in _NUMBERS | _TRUTHS else texts
        return parts + ([self._dialect.among(self._column(field), group, self._bind)] if group else [])

    def _column(self, field: str) -> str:
        if field in _TRUTHS:
            return self._dialect.truth("(v.archived_at is not null)" if field == "archived" else f"v.{field}")
        return f"v.{field}" if field in _IN_VITALS else f"r.{field}"

    def _bind(self, value: Any) -> str:
        name = f"f{len(self._values)}"
        self._values[name] = value
        return self._dialect.bound(name)


def _plain(value: Any) -> Any:
    return to_micros(value) if isinstance(value, datetime) else value


def _path(field: str) -> list[str]:
    return field.split(".")[1:]
