"""The working state of agents in a SQLite file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from foveal.backends.relational.ledger_rows import layout, looked_up, missing, row_of, values_of
from foveal.backends.relational.stamps import stamp
from foveal.backends.sqlite.part import Part
from foveal.backends.sqlite.query import run, value
from foveal.errors import NotFound
from foveal.model.events import EventHour, MetricHour
from foveal.model.ledger import Decision, Goal, Pattern, Task, ToolCall
from foveal.model.sight import Viewpoint
from foveal.ports.ledger import R, Row

# A row is out of sight when its record is forgotten.
_SEEN = """(a.record_id is null or exists (select 1 from vitals v
    where v.organism = a.organism and v.id = a.record_id and v.forgotten_at is null))"""

Place = tuple[int, int]


class Ledger(Part):
    """Goals, tasks, tool calls, decisions, patterns, states, events and metrics, a ledger a node."""

    def put_row(self, viewpoint: Viewpoint, row: Row) -> bool:
        """Store a row, unless its key is taken. Says whether it is new."""
        with self._db.writing() as db:
            place = self._made(db, viewpoint)
            self._require_ties(db, place, row)
            self._write(db, place, row, "put_row")
            return bool(db.changes())

    def set_row(self, viewpoint: Viewpoint, row: Row) -> None:
        """Store a row in place of the one with its key."""
        with self._db.writing() as db:
            place = self._made(db, viewpoint)
            self._require_ties(db, place, row)
            self._write(db, place, row, "set_row")

    def change_row(self, viewpoint: Viewpoint, kind: type[R], key: str, change: Callable[[R], R]) -> R:
        """Change a row against concurrent changes."""
        with self._db.writing() as db:
            place = self._place(db, viewpoint)
            found = self._by_key(db, place, kind, [key]) if place else []
            if place is None or not found:
                raise missing(kind, key)
            changed = change(found[0])
            self._require_ties(db, place, changed)
            self._write(db, place, changed, "set_row")
            return changed

    def add_up(self, viewpoint: Viewpoint, hours: Sequence[MetricHour | EventHour]) -> None:
        """Add roll-ups to what their hours hold already, all or none."""
        with self._db.writing() as db:
            ledger, _ = self._made(db, viewpoint)
            for one in hours:
                name = "add_metric_hour" if isinstance(one, MetricHour) else "add_event_hour"
                run(db, name, values_of(one) | {"ledger": ledger})

    def get_rows(self, viewpoint: Viewpoint, kind: type[R], keys: Sequence[str]) -> list[R]:
        """The rows with these keys, in the order asked."""
        with self._db.reading() as db:
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
        """The rows whose looked-up columns have these values, by time."""
        condition, values = _matched(kind, matching)
        for name, sign, at in (("since", ">=", since), ("until", "<", until)):
            if at is not None:
                condition += f" and a.{kind.moment} {sign} :{name}"
                values[name] = stamp(at)
        parts = {"matching": condition, "direction": "desc" if newest else "asc"}
        parts |= {"moment": kind.moment, "key": kind.key}
        return self._listed(viewpoint, kind, "rows_by_time", values | {"limit": _most(limit)}, **parts)

    def active_goals(self, viewpoint: Viewpoint, limit: int) -> list[Goal]:
        """The goals that are not finished: the most urgent first, then the oldest."""
        return self._listed(viewpoint, Goal, "active_goals", {"limit": limit})

    def best_patterns(self, viewpoint: Viewpoint, limit: int | None, *, worst: bool = False) -> list[Pattern]:
        """Patterns by success rate, then by uses."""
        values = {"limit": _most(limit)}
        return self._listed(viewpoint, Pattern, "best_patterns", values, direction="asc" if worst else "desc")

    def ageing(self, viewpoint: Viewpoint, kind: type[R], before: datetime, limit: int) -> list[R]:
        """Goals finished, or decisions made, before a moment and not archived yet, oldest first."""
        name = "ageing_goals" if issubclass(kind, Goal) else "ageing_decisions"
        return self._listed(viewpoint, kind, name, {"before": stamp(before), "limit": limit})

    def count_rows(self, viewpoint: Viewpoint, kind: type[Row], matching: Mapping[str, str] | None = None) -> int:
        """How many rows there are."""
        condition, values = _matched(kind, matching)
        with self._db.reading() as db:
            place = self._place(db, viewpoint)
            if place is None:
                return 0
            parts = {"table": layout(kind).table, "matching": condition, "seen": _seen(kind)}
            return int(value(db, "count_rows", values | {"ledger": place[0]}, **parts))

    def remove_rows(self, viewpoint: Viewpoint, kind: type[Row], keys: Sequence[str]) -> int:
        """Remove rows, and what hangs on them. Gives how many there were."""
        with self._db.writing() as db:
            place = self._place(db, viewpoint)
            gone = 0
            for key in keys if place else ():
                run(db, "remove_row", {"ledger": place[0], "key": key}, table=layout(kind).table, key=kind.key)  # pyright: ignore[reportOptionalSubscript]
                gone += db.changes()
            return gone

    def ledgers(self) -> list[Viewpoint]:
        """Every viewpoint that has rows."""
        with self._db.reading() as db:
            return [Viewpoint(world=row[0], actor_id=row[1], node=row[2]) for row in run(db, "ledgers")]

    def _place(self, db: apsw.Connection, viewpoint: Viewpoint) -> Place | None:
        """The ledger of a viewpoint and its organism, if it has one."""
        values = {"world": viewpoint.world, "actor": viewpoint.actor_id, "node": viewpoint.node}
        found = run(db, "ledger_of", values)
        return (found[0][0], found[0][1]) if found and found[0][0] is not None else None

    def _made(self, db: apsw.Connection, viewpoint: Viewpoint) -> Place:
        place = self._place(db, viewpoint)
        if place is not None:
            return place
        organism = self._organism(db, viewpoint.world, viewpoint.actor_id)
        if organism is None:
            organism = int(value(db, "add_organism", {"world": viewpoint.world, "actor": viewpoint.actor_id}))
        return int(value(db, "add_ledger", {"organism": organism, "node": viewpoint.node})), organism

    def _require_ties(self, db: apsw.Connection, place: Place, row: Row) -> None:
        """Name what a row hangs on and is not there; the foreign keys would only refuse."""
        if isinstance(row, Task | Decision) and row.goal_id is not None:
            self._require_row(db, place, Goal, row.goal_id)
        if isinstance(row, ToolCall):
            self._require_row(db, place, Task, row.task_id)
        record_id = getattr(row, "record_id", None)
        if record_id is not None and not value(db, "has_vitals", {"organism": place[1], "id": record_id}):
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)

    def _require_row(self, db: apsw.Connection, place: Place, kind: type[Goal] | type[Task], key: str) -> None:
        if not self._by_key(db, place, kind, [key]):
            raise missing(kind, key)

    def _write(self, db: apsw.Connection, place: Place, row: Row, name: str) -> None:
        lying = layout(type(row))
        values = values_of(row)
        if lying.found:
            values["organism"] = place[1] if values["record_id"] is not None else None
        parts = {
            "table": lying.table,
            "columns": ", ".join(values),
            "bound": ", ".join(f":{one}" for one in values),
        }
        if name == "set_row":
            parts["changes"] = ", ".join(f"{one} = excluded.{one}" for one in values if one != row.key)
        run(db, name, values | {"ledger": place[0]}, **parts)

    def _by_key(self, db: apsw.Connection, place: Place, kind: type[R], keys: Sequence[str]) -> list[R]:
        values = {"ledger": place[0], "keys": json.dumps(list(dict.fromkeys(keys)))}
        parts = {
            "table": layout(kind).table,
            "columns": layout(kind).selected,
            "key": kind.key,
            "seen": _seen(kind),
        }
        return [row_of(kind, row) for row in run(db, "rows_by_key", values, **parts)]

    def _listed(
        self, viewpoint: Viewpoint, kind: type[R], name: str, values: Mapping[str, Any], **parts: str
    ) -> list[R]:
        with self._db.reading() as db:
            place = self._place(db, viewpoint)
            if place is None:
                return []
            parts |= {"table": layout(kind).table, "columns": layout(kind).selected, "seen": _seen(kind)}
            return [row_of(kind, row) for row in run(db, name, {**values, "ledger": place[0]}, **parts)]


def _seen(kind: type[Row]) -> str:
    return _SEEN if layout(kind).found else "true"


def _most(limit: int | None) -> int:
    return -1 if limit is None else limit


def _matched(kind: type[Row], matching: Mapping[str, str] | None) -> tuple[str, dict[str, Any]]:
    wanted = looked_up(kind, matching)
    return " and ".join([f"a.{name} = :{name}" for name in wanted]) or "true", wanted
