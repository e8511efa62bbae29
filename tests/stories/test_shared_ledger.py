"""What one agent logs, the other agents of that user see; who wrote it and who changed it is kept."""

from datetime import timedelta
from pathlib import Path

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import Forbidden, Invalid, NotFound
from foveal.model.ledger import Goal, Status
from foveal.model.query import Viewpoint
from foveal.model.record import Scope
from foveal.testing import ManualClock


@pytest.fixture
def planner(memory: Memory) -> View:
    return memory.view(actor_id="ada", node="/planner")


@pytest.fixture
def coder(memory: Memory) -> View:
    return memory.view(actor_id="ada", node="/coder")


def test_what_one_agent_logs_the_others_of_that_user_see(planner: View, coder: View) -> None:
    goal = planner.ledger.store_goal("Move the shop to Frankfurt")
    task = planner.ledger.store_task(goal.id, "Copy the database")
    call = planner.ledger.store_tool_call(task.id, "pg_dump")
    decision = planner.ledger.store_decision("Which city?", "Frankfurt", reasoning="cheapest", goal_id=goal.id)
    pattern = planner.ledger.store_pattern("rotate the logs", "logrotate", success_rate=1.0)
    state = planner.ledger.store_agent_state("planner", {"step": 2})
    planner.operational.update_metric("load", 0.5)
    event = planner.operational.push_event("error", {"disk": "full"}, critical=True)
    procedure = planner.longterm.store_procedure("Restore", "Load the dump")
    knowledge = planner.longterm.add_knowledge("Tides", "High water is at noon.")
    assert coder.ledger.get_goal(goal.id) == goal
    assert coder.ledger.get_active_goals() == [goal]
    assert coder.ledger.get_tasks_for_goal(goal.id) == [task]
    assert [found.id for found in coder.ledger.get_tool_calls()] == [call.id]
    assert coder.ledger.find_similar_decisions("Which city was chosen?") == [decision]
    assert coder.ledger.find_pattern("rotate the logs") == pattern
    assert coder.ledger.get_agent_state("planner") == state
    assert coder.operational.get_metric("load").value == 0.5
    assert coder.operational.get_recent() == coder.operational.get_events() == [event]
    assert [task.id for task in coder.operational.get_system_snapshot().active_tasks] == []
    found = coder.longterm.semantic_search("how is the dump loaded?", ["procedures", "knowledge"])
    assert {result.id for result in found} >= {procedure.id}
    assert [piece.id for piece in coder.longterm.list_knowledge()] == [knowledge.id]
    for row in (goal, task, decision, pattern, state, event):
        assert row.node == "/planner"
    assert (procedure.node, procedure.scope) == ("/planner", Scope.GLOBAL)


def test_an_entry_can_be_kept_private(planner: View, coder: View) -> None:
    goal = planner.ledger.store_goal("Plan the surprise", scope="local")
    task = planner.ledger.store_task(goal.id, "Buy a cake")
    planner.ledger.store_decision("Which cake?", "walnut", goal_id=goal.id)
    planner.ledger.store_pattern("buy a cake", "order", scope="local", success_rate=1.0)
    planner.ledger.store_agent_state("planner", {"cake": 1}, scope="local")
    planner.operational.push_event("cake", scope="local")
    planner.operational.update_metric("cakes", 1, scope="local")
    planner.longterm.store_incident("The cake fell", scope="local")
    assert [row.id for row in planner.ledger.get_goals()] == [goal.id]
    assert [event.category for event in planner.operational.get_recent()] == ["cake"]
    assert (coder.ledger.get_goals(), coder.ledger.get_decisions(), coder.ledger.get_patterns()) == ([], [], [])
    assert (coder.operational.get_recent(), coder.operational.get_metrics()) == ([], [])
    assert coder.longterm.semantic_search("the cake fell") == []
    for call in (
        lambda: coder.ledger.get_task(task.id),
        lambda: coder.ledger.update_goal(goal.id, "completed"),
        lambda: coder.ledger.get_agent_state("planner"),
    ):
        with pytest.raises(NotFound):
            call()
    with pytest.raises(Invalid, match="global, or local"):
        planner.ledger.store_goal("Half a secret", scope="shared")
    with pytest.raises(Invalid, match="is local"):
        planner.ledger.store_decision("Which cake?", "nut", goal_id=goal.id, scope="global")


def test_any_agent_may_change_the_status_and_who_did_is_kept(planner: View, coder: View) -> None:
    goal = planner.ledger.store_goal("Ship it", metadata={"ticket": 7})
    task = planner.ledger.store_task(goal.id, "Build it")
    started = coder.ledger.update_task(task.id, "in_progress")
    assert (started.node, started.changed_by) == ("/planner", "/coder")
    assert planner.ledger.get_goal(goal.id).status is Status.IN_PROGRESS
    done = coder.ledger.update_goal(goal.id, "completed", result="shipped")
    assert (done.node, done.changed_by) == ("/planner", "/coder")
    assert planner.ledger.get_goal(goal.id) == done
    [found] = coder.search("was it shipped?", kinds=["goal"])
    assert "shipped" in found.record.text
    assert found.record.node == "/planner"


def test_texts_change_by_their_author_and_those_above(memory: Memory, planner: View, coder: View) -> None:
    goal = planner.ledger.store_goal("Ship it", metadata={"ticket": 7})
    decision = planner.ledger.store_decision("Which city?", "Frankfurt", reasoning="cheapest")
    procedure = planner.longterm.store_procedure("Restore", "Load the dump", procedure_id="restore")
    with pytest.raises(Forbidden, match="/planner"):
        coder.ledger.update_goal(goal.id, metadata={"ticket": 8})
    with pytest.raises(Forbidden, match="/planner"):
        coder.ledger.update_decision(decision.id, "dear")
    with pytest.raises(Forbidden, match="/planner"):
        coder.longterm.store_procedure("Restore", "Pray", procedure_id=procedure.id)
    assert len(coder.history(procedure.id)) == 1
    root = memory.view(actor_id="ada")
    assert root.ledger.update_goal(goal.id, priority=1).priority == 1
    assert root.ledger.update_decision(decision.id, "it was cheap").outcome == "it was cheap"


def test_rows_of_an_earlier_release_stay_with_their_node(memory: Memory, planner: View, coder: View) -> None:
    runtime = memory._runtime  # pyright: ignore[reportPrivateUsage]
    now = runtime.clock.now()
    for node in ("/", "/planner"):
        old = Goal(id=f"old{node}", description="as before", created_at=now)
        runtime.store.ledger.put_row(Viewpoint(actor_id="ada", node=node), old)
    assert [(goal.id, goal.node) for goal in planner.ledger.get_goals()] == [("old/planner", "/planner")]
    assert coder.ledger.get_goals() == []
    assert planner.ledger.update_goal("old/planner", "completed").completed_at == now
    assert memory.view(actor_id="ada").ledger.get_goal("old/").node == "/"


def test_shared_rows_grow_old_and_travel(tmp_path: Path) -> None:
    clock = ManualClock()
    with Memory(tmp_path / "a.db", clock=clock) as memory:
        planner, root = memory.view(actor_id="ada", node="/planner"), memory.view(actor_id="ada")
        goal = planner.ledger.store_goal("Ship it")
        root.ledger.update_goal(goal.id, "completed", result="shipped to Oslo")
        clock.turn(timedelta(days=31))
        memory.lifecycle.run(actor_id="ada")
        assert root.ledger.get_goal(goal.id).archived_at is not None
        assert planner.admin.export(tmp_path / "planner.jsonl")
        assert root.admin.export(tmp_path / "all.jsonl")
    for name, node in (("planner", "/planner"), ("all", "/")):
        with Memory(tmp_path / f"{name}.db", clock=clock) as memory:
            imported = memory.view(actor_id="ada", node=node).admin.import_(tmp_path / f"{name}.jsonl")
            assert imported.rejected == ()
            assert memory.view(actor_id="ada", node="/coder").ledger.get_goal(goal.id).node == "/planner"


def test_an_unfinished_goal_is_never_archived(memory: Memory, clock: ManualClock) -> None:
    ada = memory.view(actor_id="ada")
    idle = ada.ledger.store_goal("Repaint the garden fence")
    done = ada.ledger.store_goal("Sweep the yard", status="completed")
    for _ in range(40):
        clock.turn(timedelta(days=10))
        ada.write("It rained again.")
        ada.lifecycle.run()
    record = ada.get(idle.record_id or "")
    assert record.vitals.archived_at is None
    assert ada.lifecycle.forecast(record.id) == []
    assert ada.get(done.record_id or "").vitals.tier.name == "SEMANTIC", "done with, it sank to long-term memory"
    clock.turn(timedelta(days=10))
    ada.ledger.update_goal(idle.id, "cancelled")
    clock.turn(timedelta(days=40))
    ada.lifecycle.run()
    assert ada.ledger.get_goal(idle.id).archived_at is not None
