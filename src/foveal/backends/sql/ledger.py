"""The ledger: the working state of agents, stored as rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from foveal.backends.sql.rows import struct_of, to_micros, values_of
from foveal.backends.sql.session import Transaction
from foveal.backends.sql.visibility import Part
from foveal.errors import Invalid, NotFound
from foveal.model.ledger import Decision, EventHour, Goal, MetricHour, Pattern, Task, ToolCall
from foveal.model.query import Viewpoint
from foveal.ports.ledger import LOOKED_UP, R, Row

# The columns of the fields that are stored as JSON.
_JSON = {
    **{"given": "input_json", "output": "output_json", "metadata": "metadata_json"},
    **{"options": "options_json", "state": "state_json", "data": "data_json"},
}


def table(kind: type[Row]) -> str:
    """The table of a kind of row.

    >>> table(ToolCall)
    'tool_call'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def selected(kind: type[Row]) -> str:
    """The fields of a kind of row, as a query selects them from the alias `a`.

    >>> from foveal.model.ledger import AgentState
    >>> selected(AgentState)
    'a.agent_name, a.state_json as state, a.updated_at'
    """
    names = kind.__struct_fields__
    return ", ".join(f"a.{_JSON[name]} as {name}" if name in _JSON else f"a.{name}" for name in names)


def has_record(kind: type[Row]) -> bool:
    """Whether rows of this kind may name a record that makes them searchable."""
    return "record_id" in kind.__struct_fields__


def missing(kind: type[Row], key: str) -> NotFound:
    """The error for a row that does not exist."""
    return NotFound(f"there is no {table(kind).replace('_', ' ')} {key!r} here", row_id=key)


def looked_up(kind: type[Row], matching: Mapping[str, str] | None) -> dict[str, str]:
    """The columns to look rows up by, with their values; `Invalid` for a column without an index."""
    wanted = dict(matching or {})
    for name in wanted:
        if name not in LOOKED_UP[kind]:
            raise Invalid(f"a {table(kind)} is not looked up by {name!r}")
    return wanted


Place = dict[str, Any]


class Ledger(Part):
    """Goals, tasks, tool calls, decisions, patterns, states, events and metrics: one ledger for each node."""

    def put_row(self, viewpoint: Viewpoint, row: Row) -> bool:
        """Store a row unless its key is taken. Returns whether it is new."""
        with self._session.writing(viewpoint) as db:
            place = self._place_or_new(db, viewpoint)
            self._require_references(db, place, row)
            return bool(self._write(db, place, row, "put_row"))

    def set_row(self, viewpoint: Viewpoint, row: Row) -> None:
        """Store a row, replacing the one with its key."""
        with self._session.writing(viewpoint) as db:
            place = self._place_or_new(db, viewpoint)
            self._require_references(db, place, row)
            self._write(db, place, row, "set_row")

    def change_row(self, viewpoint: Viewpoint, kind: type[R], key: str, change: Callable[[R], R]) -> R:
        """Replace a row with what `change` returns for it, in one transaction."""
        with self._session.writing(viewpoint) as db:
            place = self._place(db, viewpoint)
            rows = self._by_key(db, place, kind, [key]) if place else []
            if place is None or not rows:
                raise missing(kind, key)
            changed = change(rows[0])
            self._require_references(db, place, changed)
            self._write(db, place, changed, "set_row")
            return changed

    def add_up(self, viewpoint: Viewpoint, hours: Sequence[MetricHour | EventHour]) -> None:
        """Add roll-ups to the stored ones of the same hours, all or none."""
        with self._session.writing(viewpoint) as db:
            place = self._place_or_new(db, viewpoint)
            for hour in hours:
                name = "add_metric_hour" if isinstance(hour, MetricHour) else "add_event_hour"
                db.change(name, values_of(hour, **place))

    def get_rows(self, viewpoint: Viewpoint, kind: type[R], keys: Sequence[str]) -> list[R]:
        """The rows with these keys, in the order of `keys`."""
        with self._session.reading(viewpoint) as db:
            place = self._place(db, viewpoint)
            return self._by_key(db, place, kind, keys) if place else []

    def list_rows(
        self,
        viewpoint: Viewpoint,
        kind: type[R],
        matching: Mapping[str, str] | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        newest: bool = False,
        limit: int | None = None,
    ) -> list[R]:
        """The rows whose columns have the values in `matching`, by time."""
        condition, values = self._matched(kind, matching)
        for name, sign, at in (("since", ">=", since), ("until", "<", until)):
            if at is not None:
                condition += f" and a.{kind.moment} {sign} {self._dialect.bound(name)}"
                values[name] = to_micros(at)
        parts = {"matching": condition, "direction": "desc" if newest else "asc"}
        parts |= {"moment": kind.moment, "key": kind.key}
        return self._listed(viewpoint, kind, "rows_by_time", values | {"limit": limit}, **parts)

    def active_goals(self, viewpoint: Viewpoint, limit: int) -> list[Goal]:
        """The unfinished goals: most urgent first, then oldest."""
        return self._listed(viewpoint, Goal, "active_goals", {"limit": limit})

    def best_patterns(self, viewpoint: Viewpoint, limit: int | None, *, worst: bool = False) -> list[Pattern]:
        """Patterns by success rate, then by uses; the best first, or with `worst` the worst."""
        values = {"limit": limit}
        return self._listed(viewpoint, Pattern, "best_patterns", values, direction="asc" if worst else "desc")

    def ageing(self, viewpoint: Viewpoint, kind: type[R], before: datetime, limit: int) -> list[R]:
        """Goals finished or decisions made before a moment and not archived yet, oldest first."""
        name = "ageing_goals" if issubclass(kind, Goal) else "ageing_decisions"
        return self._listed(viewpoint, kind, name, {"before": to_micros(before), "limit": limit})

    def count_rows(self, viewpoint: Viewpoint, kind: type[Row], matching: Mapping[str, str] | None = None) -> int:
        """How many rows of a kind there are."""
        condition, values = self._matched(kind, matching)
        with self._session.reading(viewpoint) as db:
            place = self._place(db, viewpoint)
            if place is None:
                return 0
            parts = {"table": table(kind), "matching": condition, "seen": self._seen_row(kind)}
            return int(db.value("count_rows", values | place, **parts))

    def remove_rows(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str]) -> int:
        """Remove rows and the rows that depend on them. Returns how many there were."""
        with self._session.writing(viewpoint) as db:
            place = self._place(db, viewpoint)
            if place is None:
                return 0
            values = place | {"keys": self._dialect.texts(keys)}
            return db.change("remove_rows", values, table=table(kind), key=kind.key)

    def ledgers(self) -> list[Viewpoint]:
        """Every viewpoint that has rows."""
        with self._session.reading() as db:
            rows = db.run("ledgers")
            return [Viewpoint(world=world, actor_id=actor, node=node) for world, actor, node in rows]

    def _place(self, db: Transaction, viewpoint: Viewpoint) -> Place | None:
        """The values that name the ledger of a viewpoint and its organism, if it has one."""
        own = db.organism_or_nobody(viewpoint)
        number = db.value("ledger_of", {**own, "node": viewpoint.node})
        return None if number is None else {**own, "ledger": number}

    def _place_or_new(self, db: Transaction, viewpoint: Viewpoint) -> Place:
        place = self._place(db, viewpoint)
        if place is not None:
            return place
        own = db.own_organism(viewpoint)
        return {**own, "ledger": db.value("add_ledger", {**own, "node": viewpoint.node})}

    def _require_references(self, db: Transaction, place: Place, row: Row) -> None:
        """Raise `NotFound` naming what a row refers to, if it does not exist: a foreign key would not name it."""
        if isinstance(row, Task | Decision) and row.goal_id is not None:
            self._require_row(db, place, Goal, row.goal_id)
        if isinstance(row, ToolCall):
            self._require_row(db, place, Task, row.task_id)
        record_id = getattr(row, "record_id", None)
        if record_id is not None and not db.value("has_vitals", place | {"id": record_id}):
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)

    def _require_row(self, db: Transaction, place: Place, kind: type[Goal] | type[Task], key: str) -> None:
        if not self._by_key(db, place, kind, [key]):
            raise missing(kind, key)

    def _write(self, db: Transaction, place: Place, row: Row, name: str) -> int:
        values = values_of(row)
        if has_record(type(row)):
            named = values["record_id"] is not None
            values |= {column: place[column] if named else None for column in self._dialect.record_key}
        columns = [_JSON.get(field, field) for field in values]
        parts = {
            "table": table(type(row)),
            "columns": ", ".join(columns),
            "bound": ", ".join(map(self._dialect.bound, values)),
        }
        if name == "set_row":
            parts["changes"] = ", ".join(f"{column} = excluded.{column}" for column in columns if column != row.key)
            parts["key"] = row.key
        return db.change(name, place | values, **parts)

    def _by_key(self, db: Transaction, place: Place, kind: type[R], keys: Sequence[str]) -> list[R]:
        values = place | {"keys": self._dialect.texts(dict.fromkeys(keys))}
        parts = {
            "table": table(kind),
            "columns": selected(kind),
            "key": kind.key,
            "seen": self._seen_row(kind),
        }
        return [struct_of(kind, row) for row in db.rows("rows_by_key", values, **parts)]

    def _listed(
        self, viewpoint: Viewpoint, kind: type[R], name: str, values: Mapping[str, Any], **parts: str
    ) -> list[R]:
        with self._session.reading(viewpoint) as db:
            place = self._place(db, viewpoint)
            if place is None:
                return []
            parts |= {"table": table(kind), "columns": selected(kind), "seen": self._seen_row(kind)}
            return self._each(kind, db.rows(name, {**values, **place}, **parts))

    def _seen_row(self, kind: type[Row]) -> str:
        return self._dialect.text("seen_row") if has_record(kind) else "true"

    def _matched(self, kind: type[Row], matching: Mapping[str, str] | None) -> tuple[str, dict[str, Any]]:
        wanted = looked_up(kind, matching)
        return " and ".join([f"a.{name} = {self._dialect.bound(name)}" for name in wanted]) or "true", wanted
