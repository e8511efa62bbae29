"""The contract of the ledger, which holds the working state of each node."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from foveal.errors import Invalid, NotFound, StoreUnavailable
from foveal.model.ledger import (
    AgentState,
    Decision,
    Event,
    EventHour,
    Goal,
    Level,
    Metric,
    MetricHour,
    Pattern,
    Status,
    Task,
    ToolCall,
)
from foveal.model.query import Viewpoint
from foveal.ports.ledger import Row
from foveal.ports.store import Capability, Store
from foveal.testing.builders import (
    ADA,
    ENCODER,
    START,
    by_vector,
    by_words,
    entry,
    seen_by,
    vector_of,
    version_after,
)

OTHERS = (
    Viewpoint(actor_id="eve"),
    Viewpoint(actor_id="ada", world="mars"),
    Viewpoint(actor_id="ada", node="/planner"),
)


def goal(key: str = "g", **said: Any) -> Goal:
    """A goal as the working memory stores it."""
    return msgspec.structs.replace(Goal(id=key, description=f"reach {key}", created_at=START), **said)


def task(key: str = "t", goal_id: str = "g", **said: Any) -> Task:
    """A task of a goal."""
    return msgspec.structs.replace(Task(id=key, goal_id=goal_id, description="do it", created_at=START), **said)


def every_row() -> list[Row]:
    """A row of each kind, linked to an earlier one where possible, with every field set."""
    late = START + timedelta(hours=1)
    return [
        goal("g", status=Status.FAILED, priority=1, completed_at=late, result="no", metadata={"a": 1}, owner="me"),
        task("t", status=Status.COMPLETED, given={"x": 1}, output=[1, None], started_at=START, duration_ms=1.5),
        ToolCall(id="c", task_id="t", tool_name="ls", success=False, reason="why", timestamp=START, output="…"),
        Decision(
            id="d", context="c", options=("a", "b"), chosen="a", timestamp=START, goal_id="g",
            intelligence_level=Level.TACTICAL, outcome="good", archived_at=late,
        ),
        Pattern(id="p", trigger="when", action="do", success_rate=0.5, uses=2, created_at=START, last_used=late),
        AgentState(agent_name="a", state={"step": 3}, updated_at=START),
        Event(id="e", timestamp=START, category="error", source="disk", data={"free": 0}, critical=True),
        Metric(name="m", value=0.25, updated_at=START),
        MetricHour(id="h", name="m", hour=START, count=2, total=3.0, least=1.0, most=2.0),
        EventHour(id="eh", category="error", source="disk", hour=START, count=3),
    ]  # fmt: skip


class LedgerContract:
    """Ledger rows of every kind."""

    def test_a_row_of_every_kind_comes_back_as_it_went_in(self, store: Store) -> None:
        for row in every_row():
            assert store.ledger.put_row(ADA, row)
            assert store.ledger.get_rows(ADA, type(row), [getattr(row, row.key)]) == [row]
            assert store.ledger.list_rows(ADA, type(row)) == [row]
            assert store.ledger.count_rows(ADA, type(row)) == 1

    def test_a_key_that_is_taken_stores_nothing(self, store: Store) -> None:
        for row in every_row():
            store.ledger.put_row(ADA, row)
        for row in every_row():
            assert not store.ledger.put_row(ADA, row)
            assert store.ledger.count_rows(ADA, type(row)) == 1
        assert not store.ledger.put_row(ADA, goal("g", description="another"))
        assert store.ledger.get_rows(ADA, Goal, ["g"])[0].description == "reach g"
        store.ledger.set_row(ADA, goal("g", description="another"))
        assert store.ledger.get_rows(ADA, Goal, ["g"])[0].description == "another"
        assert store.ledger.count_rows(ADA, Task) == 1

    def test_nobody_sees_or_changes_the_ledger_of_another(self, store: Store) -> None:
        rows = every_row()
        for row in rows:
            store.ledger.put_row(ADA, row)
        for other in OTHERS:
            for row in rows:
                key = getattr(row, row.key)
                assert store.ledger.get_rows(other, type(row), [key]) == []
                assert store.ledger.list_rows(other, type(row)) == []
                assert store.ledger.count_rows(other, type(row)) == 0
                assert store.ledger.remove_rows(other, type(row), [key]) == 0
                with pytest.raises(NotFound):
                    store.ledger.change_row(other, type(row), key, lambda row: row)
            assert store.ledger.active_goals(other, 9) == store.ledger.best_patterns(other, 9) == []
            with pytest.raises(NotFound):
                store.ledger.put_row(other, task())
            assert store.ledger.put_row(other, goal("g", description="their own"))
        assert store.ledger.get_rows(ADA, Goal, ["g"])[0].description == "reach g"
        assert set(store.ledger.ledgers()) == {ADA, *OTHERS}

    def test_what_a_row_hangs_on_must_be_there(self, store: Store) -> None:
        orphans = [
            task(goal_id="nothing"),
            ToolCall(id="c", task_id="nothing", tool_name="ls", timestamp=START),
            Decision(id="d", context="c", chosen="a", timestamp=START, goal_id="nothing"),
            goal(record_id="nothing"),
        ]
        for row in orphans:
            for put in (store.ledger.put_row, store.ledger.set_row):
                with pytest.raises(NotFound):
                    put(ADA, row)
            assert store.ledger.count_rows(ADA, type(row)) == 0

    def test_removing_a_goal_takes_what_hangs_on_it(self, store: Store) -> None:
        for row in every_row():
            store.ledger.put_row(ADA, row)
        assert store.ledger.remove_rows(ADA, Goal, ["g", "nothing"]) == 1
        assert [store.ledger.count_rows(ADA, kind) for kind in (Goal, Task, ToolCall, Decision, Pattern)] == [
            0,
            0,
            0,
            0,
            1,
        ]

    def test_a_row_is_out_of_sight_with_its_record_and_gone_with_it(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("reach g")], ENCODER)
        store.ledger.put_row(ADA, goal(record_id=record.id))
        store.ledger.put_row(ADA, task())
        store.records.revise(
            seen_by(), [record.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        assert (
            store.ledger.get_rows(ADA, Goal, ["g"])
            == store.ledger.list_rows(ADA, Goal)
            == store.ledger.active_goals(ADA, 9)
            == []
        )
        assert store.ledger.count_rows(ADA, Goal) == 0
        with pytest.raises(NotFound):
            store.ledger.change_row(ADA, Goal, "g", lambda row: row)
        store.records.erase(seen_by(include_hidden=True), [record.id])
        assert store.ledger.count_rows(ADA, Task) == 0
        assert store.ledger.put_row(ADA, goal())

    def test_active_goals_come_by_priority_then_age(self, store: Store) -> None:
        later = START + timedelta(minutes=1)
        for row in (
            goal("old", priority=2),
            goal("new", priority=2, created_at=later, status=Status.IN_PROGRESS),
            goal("urgent", priority=1, created_at=later),
            goal("done", priority=0, status=Status.COMPLETED, completed_at=later),
        ):
            store.ledger.put_row(ADA, row)
        assert [goal.id for goal in store.ledger.active_goals(ADA, 9)] == ["urgent", "old", "new"]
        assert [goal.id for goal in store.ledger.active_goals(ADA, 1)] == ["urgent"]

    def test_rows_are_listed_by_time_and_looked_up_by_their_columns(self, store: Store) -> None:
        moments = [START + timedelta(hours=n) for n in range(4)]
        for number, at in enumerate(moments):
            kind = "error" if number % 2 else "login"
            store.ledger.put_row(ADA, Event(id=f"e{number}", timestamp=at, category=kind, source="s"))

        def ids(**said: Any) -> list[str]:
            return [row.id for row in store.ledger.list_rows(ADA, Event, **said)]

        assert ids() == ["e0", "e1", "e2", "e3"]
        assert ids(newest=True, limit=2) == ["e3", "e2"]
        assert ids(matching={"category": "error"}) == ["e1", "e3"]
        assert ids(matching={"category": "error", "source": "t"}) == []
        assert ids(since=moments[1], until=moments[3]) == ["e1", "e2"]
        assert store.ledger.count_rows(ADA, Event, {"category": "login"}) == 2
        with pytest.raises(Invalid):
            ids(matching={"data": "x"})

    def test_patterns_come_by_success_then_uses(self, store: Store) -> None:
        for key, rate, uses in (("a", 0.5, 9), ("b", 0.9, 1), ("c", 0.9, 5)):
            row = Pattern(id=key, trigger="t", action="a", success_rate=rate, uses=uses, created_at=START)
            store.ledger.put_row(ADA, row)
        assert [row.id for row in store.ledger.best_patterns(ADA, None)] == ["c", "b", "a"]
        assert [row.id for row in store.ledger.best_patterns(ADA, 2, worst=True)] == ["a", "b"]

    def test_what_is_finished_long_ago_and_not_archived_is_ageing(self, store: Store) -> None:
        late = START + timedelta(days=1)
        store.ledger.put_row(ADA, goal("open"))
        store.ledger.put_row(ADA, goal("early", status=Status.COMPLETED, completed_at=START))
        store.ledger.put_row(ADA, goal("late", status=Status.COMPLETED, completed_at=late))
        store.ledger.put_row(ADA, goal("kept", status=Status.COMPLETED, completed_at=START, archived_at=late))
        store.ledger.put_row(ADA, Decision(id="d", context="c", chosen="a", timestamp=START))
        assert [row.id for row in store.ledger.ageing(ADA, Goal, late, 9)] == ["early"]
        assert [row.id for row in store.ledger.ageing(ADA, Goal, late + timedelta(1), 9)] == ["early", "late"]
        assert [row.id for row in store.ledger.ageing(ADA, Decision, late, 9)] == ["d"]

    def test_roll_ups_add_up(self, store: Store) -> None:
        hour = MetricHour(id="h", name="m", hour=START, count=1, total=2.0, least=2.0, most=2.0)
        more = msgspec.structs.replace(hour, total=5.0, least=5.0, most=5.0)
        store.ledger.add_up(ADA, [hour, EventHour(id="e", category="c", source="s", hour=START, count=2)])
        store.ledger.add_up(ADA, [more, EventHour(id="e", category="c", source="s", hour=START, count=3)])
        [row] = store.ledger.list_rows(ADA, MetricHour)
        assert (row.count, row.total, row.least, row.most, row.mean) == (2, 7.0, 2.0, 5.0, 3.5)
        assert [rolled.count for rolled in store.ledger.list_rows(ADA, EventHour)] == [5]

    def test_a_change_sees_the_row_as_it_is(self, store: Store) -> None:
        store.ledger.put_row(ADA, goal())
        for _ in range(3):
            store.ledger.change_row(
                ADA, Goal, "g", lambda row: msgspec.structs.replace(row, priority=row.priority + 1)
            )
        assert store.ledger.get_rows(ADA, Goal, ["g"])[0].priority == 5

    def test_a_few_of_one_kind_are_found_among_many(self, store: Store) -> None:
        store.records.append([entry(f"apple {n}") for n in range(300)], ENCODER)
        stored = store.records.append([entry(f"apple decision {n}", kind="decision") for n in range(4)], ENCODER)
        kept, old, forgotten, hers = (record for record, _ in stored)
        newer = store.records.supersede(seen_by(), version_after(old, "apple decision anew", START), ENCODER)
        for gone in (forgotten, hers):
            store.records.revise(
                seen_by(), [gone.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
            )
        for kinds in ("decision", ["decision", "incident"]):
            access = seen_by(filters={"kind": kinds})
            assert set(by_words(store, access, ["appl"], 9)) == {kept.id, newer.id}
            assert set(by_vector(store, access, vector_of("apple decision anew"), 9)) == {kept.id, newer.id}
        assert by_words(store, seen_by(filters={"kind": "incident"}), ["appl"], 9) == {}
        assert len(by_words(store, seen_by(filters={"kind": "note"}), ["appl"], 50)) == 50

    def test_rows_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        for row in every_row():
            store.ledger.put_row(ADA, row)
        again = reopen()
        kept = [row for row in every_row() if again.ledger.list_rows(ADA, type(row)) == [row]]
        assert kept == (every_row() if Capability.DURABLE in again.capabilities else [])
        assert again.check() == []

    def test_a_closed_store_takes_no_row(self, store: Store, open_again: Callable[[], Store]) -> None:
        closed = open_again()
        closed.close()
        with pytest.raises(StoreUnavailable):
            closed.ledger.put_row(ADA, goal())
        with pytest.raises(StoreUnavailable):
            closed.ledger.list_rows(ADA, Goal)
