"""What an agent did is kept, found again, and never lost by growing old."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid, NotFound, Pinned
from foveal.model.ledger import Status
from foveal.model.record import Tier
from foveal.testing import ManualClock

MONTH = timedelta(days=31)


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def _finished(ada: View) -> str:
    goal = ada.ledger.store_goal("Move the shop to the new data centre", metadata={"ticket": 7})
    task = ada.ledger.store_task(goal.id, "Copy the customer database", agent="dba", status="in_progress")
    ada.ledger.store_tool_call(task.id, "pg_dump", agent="dba", given={"db": "shop"}, output="ok", reason="copy it")
    ada.ledger.update_task(task.id, "completed", output="Copied 40 GB in two hours.")
    ada.ledger.update_goal(goal.id, "completed", result="The shop runs in Frankfurt.")
    return goal.id


def test_e1_a_migrated_goal_is_readable_in_long_term_memory_with_its_tasks(ada: View, clock: ManualClock) -> None:
    goal_id = _finished(ada)
    assert ada.ledger.migrate_old_entries().goals == ()
    clock.turn(MONTH)
    assert ada.ledger.migrate_old_entries().goals == (goal_id,)
    [found] = ada.longterm.semantic_search("where does the shop run now?", ["goals"])
    assert "Copy the customer database: Copied 40 GB" in found.content
    assert "Frankfurt" in found.content
    assert found.metadata["ticket"] == 7
    assert found.metadata["tasks"][0]["description"] == "Copy the customer database"
    assert found.record and found.record.vitals.tier is Tier.SEMANTIC
    assert [one.description for one in ada.ledger.get_tasks_for_goal(goal_id)] == ["Copy the customer database"]
    chunks = ada.assemble_context("where does the shop run now?", tiers=["longterm"]).chunks
    assert found.id in {one.id for one in chunks}
    # What was said before the summary is still there.
    assert len(ada.history(found.id)) == 3
    assert ada.ledger.migrate_old_entries().count == 0


def test_e2_completing_a_goal_stamps_it(ada: View, clock: ManualClock) -> None:
    goal = ada.ledger.store_goal("Water the plants")
    assert (goal.status, goal.priority, goal.completed_at) == (Status.PENDING, 2, None)
    done = ada.ledger.update_goal(goal.id, "completed", result="watered")
    assert done.completed_at == clock.now()
    clock.turn(timedelta(hours=1))
    assert ada.ledger.update_goal(goal.id, priority=1).completed_at == done.completed_at
    assert ada.ledger.get_active_goals() == []
    assert ada.ledger.update_goal(goal.id, "in_progress").completed_at is None


def test_e3_a_critical_event_is_in_the_ledger_at_once_and_once(
    ada: View, reopened: Callable[[], Memory], clock: ManualClock
) -> None:
    ada.operational.push_event("login", source="web")
    for _ in range(3):
        ada.operational.push_event("error", {"disk": "full"}, source="web", critical=True, event_id="e1")
    assert [one.id for one in ada.operational.get_events()] == ["e1"]
    for _ in range(10_500):
        ada.operational.push_event("noise")
    assert ada.operational.get_recent(1, category="error") == []
    assert [one.id for one in ada.operational.get_events(category="error")] == ["e1"]
    again = reopened().view(actor_id="ada").operational
    again.push_event("error", {"disk": "full"}, source="web", critical=True, event_id="e1")
    assert [one.id for one in again.get_events()] == ["e1"]


@pytest.mark.parametrize("name", ["longterm", "long_term", "LONG_TERM", "semantic", "L4"])
def test_e4_every_name_of_the_long_term_tier_works(ada: View, name: str) -> None:
    ada.longterm.store_incident("The disk of web-1 was full", resolution="rotate the logs")
    [chunk] = ada.assemble_context("the disk is full", tiers=[name]).chunks
    assert (chunk.source, "rotate the logs" in chunk.content) == ("longterm", True)


def test_e4_an_unknown_tier_is_an_error_that_lists_the_names(ada: View) -> None:
    with pytest.raises(Invalid, match="operational, working, longterm, knowledge, long_term"):
        ada.assemble_context("anything", tiers=["cold"])
    with pytest.raises(Invalid, match="tiers must be a list"):
        ada.assemble_context("anything", tiers="working")


def test_e5_the_oldest_of_many_is_found_by_meaning(ada: View, clock: ManualClock) -> None:
    oldest = ada.ledger.store_decision("Which vault keeps the signing keys?", "the hardware module in Oslo")
    items = [{"text": f"Which colour has the header of page {n}?\nDecided: blue {n}"} for n in range(3_000)]
    clock.turn(timedelta(days=1))
    ada.write_many(items, kind="decision", source="assistant")
    [found] = ada.longterm.semantic_search("where are our signing keys stored?", n_results=1)
    assert found.metadata["decision_id"] == oldest.id
    assert [one.id for one in ada.ledger.find_similar_decisions("where to store keys for signing?", 1)] == [
        oldest.id
    ]


def test_e6_decisions_are_found_by_meaning_with_who_what_and_why(ada: View, reopened: Callable[[], Memory]) -> None:
    for context, chosen in (("Which fruit for the party?", "apples"), ("Which venue for the party?", "the barn")):
        ada.ledger.store_decision(context, chosen)
    made = ada.ledger.store_decision(
        "Where do we keep web sessions?",
        "redis",
        options=["redis", "postgres"],
        reasoning="sessions expire, and it expires them for us",
        agent="architect",
        intelligence_level="tactical",
        model_used="tiny-1",
    )
    ada.ledger.update_decision(made.id, "held up well under load")
    again = reopened().view(actor_id="ada")
    [found] = again.ledger.find_similar_decisions("what stores the sessions of users?", 1)
    assert (found.chosen, found.options, found.agent) == ("redis", ("redis", "postgres"), "architect")
    assert (found.outcome, found.model_used) == ("held up well under load", "tiny-1")
    assert "expires them" in again.longterm.semantic_search("session storage")[0].content
    assert again.ledger.find_similar_decisions("quantum chromodynamics", min_relevance=0.5) == []


def test_e7_knowledge_persists(ada: View, reopened: Callable[[], Memory]) -> None:
    kept = ada.longterm.add_knowledge(
        "Handbook", "Passwords have at least 12 characters.", source="wiki", tags=["it"]
    )
    [found] = reopened().view(actor_id="ada").longterm.search_knowledge("how long must a password be?")
    assert found.record and (found.id, found.metadata["title"], found.record.tags) == (kept.id, "Handbook", ("it",))
    assert 0 < found.relevance <= 1


def test_e8_assembly_skips_what_is_too_big_and_goes_on(ada: View) -> None:
    ada.longterm.store_incident("The mail queue is stuck. " + "0x" + "ab" * 4000, incident_id="huge")
    ada.longterm.store_incident("The mail queue is stuck because of a full disk", incident_id="small")
    for budget in (150, 200, 400, 4000):
        context = ada.assemble_context("the mail queue is stuck", budget)
        assert context.total_tokens <= budget
        assert context.total_tokens == ada._runtime.counter.count(context.text)  # pyright: ignore[reportPrivateUsage]
        assert "small" in {one.id for one in context.chunks}
        whole = {one.id for one in context.chunks if one.depth == 2}
        assert "huge" not in whole or budget == 4000


def test_e9_tool_calls_outlive_every_migration(ada: View, clock: ManualClock) -> None:
    goal_id = _finished(ada)
    for _ in range(14):
        clock.turn(MONTH)
        ada.ledger.migrate_old_entries()
    [task] = ada.ledger.get_tasks_for_goal(goal_id)
    [call] = ada.ledger.get_tool_calls(task_id=task.id)
    assert (call.tool_name, call.given, call.success, call.reason) == ("pg_dump", {"db": "shop"}, True, "copy it")


WORKER = """
import sys
from foveal import Memory
ledger = Memory(sys.argv[1]).view(actor_id="ada").ledger
goal = ledger.store_goal("Rebuild the index", goal_id="g")
ledger.store_task(goal.id, "read everything", task_id="t1", status="in_progress")
ledger.store_goal("Not begun", goal_id="later")
print("ready", flush=True)
sys.stdin.read()
"""


def test_e10_interrupted_goals_are_listed_after_a_crash_and_can_be_resumed_or_closed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    command = [sys.executable, "-c", WORKER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"ready\n"
        with Memory(path) as memory:
            ledger = memory.view(actor_id="ada").ledger
            assert ledger.get_interrupted_goals() == []
            with pytest.raises(Conflict):
                ledger.resume_goal("g")
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            assert [one.id for one in ledger.get_interrupted_goals()] == ["g"]
            assert ledger.resume_goal("g").status is Status.IN_PROGRESS
            assert [one.status for one in ledger.get_tasks_for_goal("g")] == [Status.PENDING]
            assert ledger.get_interrupted_goals() == []
            assert ledger.update_goal("g", "cancelled").completed_at is not None
            with pytest.raises(Conflict):
                ledger.resume_goal("g")


def test_nobody_sees_the_ledger_of_another(memory: Memory, ada: View) -> None:
    goal_id = _finished(ada)
    ada.ledger.store_decision("Which vault?", "the blue one", decision_id="d")
    ada.ledger.store_pattern("open the vault", "turn → pull", success_rate=1.0)
    ada.ledger.store_agent_state("dba", {"step": 1})
    ada.operational.push_event("error", critical=True)
    ada.operational.update_metric("load", 0.5)
    for other in (memory.view(actor_id="eve"), memory.view(actor_id="ada", world="mars")):
        assert other.ledger.get_goals() == other.ledger.get_decisions() == other.ledger.get_patterns() == []
        assert other.ledger.find_similar_decisions("Which vault?") == other.operational.get_recent() == []
        assert other.ledger.find_pattern("open the vault") is None
        assert (
            other.operational.get_events() == other.longterm.semantic_search("vault", ["decisions", "goals"]) == []
        )
        for call in (
            lambda it=other: it.ledger.get_goal(goal_id),
            lambda it=other: it.ledger.update_goal(goal_id, "failed"),
            lambda it=other: it.ledger.get_tasks_for_goal(goal_id),
            lambda it=other: it.ledger.store_task(goal_id, "sneak in"),
            lambda it=other: it.ledger.get_decision("d"),
            lambda it=other: it.ledger.get_agent_state("dba"),
            lambda it=other: it.operational.get_metric("load"),
        ):
            with pytest.raises(NotFound):
                call()
        assert "vault" not in other.assemble_context("open the vault").text


def test_a_goal_sent_twice_is_stored_once_and_its_id_keeps_its_meaning(ada: View) -> None:
    first = ada.ledger.store_goal("Paint the fence", goal_id="g")
    assert ada.ledger.store_goal("Paint the fence", goal_id="g") == first
    with pytest.raises(Conflict):
        ada.ledger.store_goal("Burn the fence", goal_id="g")
    ada.ledger.store_task("g", "buy paint", task_id="t")
    assert ada.ledger.store_task("g", "buy paint", task_id="t").id == "t"
    with pytest.raises(Conflict):
        ada.ledger.store_task("g", "buy petrol", task_id="t")
    assert len(ada.search("fence", filters={"kind": "goal"})) == 1


def test_erasing_the_record_of_a_goal_erases_the_goal(ada: View) -> None:
    goal = ada.ledger.store_goal("Find the secret treasure", goal_id="g")
    ada.ledger.store_task("g", "dig")
    assert goal.record_id is not None
    ada.forget(goal.record_id)
    assert ada.ledger.get_goals() == []
    ada.forget(goal.record_id, hard=True)
    with pytest.raises(NotFound):
        ada.ledger.get_goal("g")
    other = ada.ledger.store_goal("Keep this", goal_id="h")
    ada.pin(other.record_id or "")
    with pytest.raises(Pinned):
        ada.forget(other.record_id or "")


def test_agent_states_are_kept_one_an_agent(ada: View, reopened: Callable[[], Memory]) -> None:
    ada.ledger.store_agent_state("planner", {"step": 1})
    ada.ledger.store_agent_state("planner", {"step": 2, "open": ["a", "b"]})
    again = reopened().view(actor_id="ada").ledger
    assert again.get_agent_state("planner").state == {"step": 2, "open": ["a", "b"]}
    assert len(again.get_agent_states()) == 1


def test_what_cannot_be_stored_is_refused_by_name(ada: View) -> None:
    for call in (
        lambda: ada.ledger.store_goal(""),
        lambda: ada.ledger.store_goal("x", status="paused"),
        lambda: ada.ledger.store_goal("x", priority=-1),
        lambda: ada.ledger.store_decision("x", "y", intelligence_level="galactic"),
        lambda: ada.ledger.store_agent_state("a", {1, 2}),
        lambda: ada.operational.push_event("x", float("nan")),
        lambda: ada.operational.update_metric("x", float("inf")),
        lambda: ada.longterm.semantic_search("x", ["poems"]),
        lambda: ada.longterm.semantic_search("x", "decisions"),
        lambda: ada.assemble_context("x", 0),
    ):
        with pytest.raises(Invalid):
            call()


def test_an_id_that_belongs_to_something_else_is_not_taken_over(ada: View) -> None:
    note = ada.write("A plain note.", id="n1")
    with pytest.raises(Conflict):
        ada.longterm.store_incident("Checkout was down", incident_id=note.id)
    assert ada.get("n1").text == "A plain note."


def test_an_export_takes_the_ledger_along(ada: View, memory: Memory, tmp_path: Path) -> None:
    goal_id = _finished(ada)
    made = ada.ledger.store_decision("Where do we keep web sessions?", "redis", options=["redis", "file"])
    memory.view(actor_id="ada", node="/helper").ledger.store_agent_state("helper", {"step": 1})
    ada.operational.push_event("error", critical=True, event_id="e1")
    ada.admin.export(tmp_path / "out.jsonl")
    eve = memory.view(actor_id="eve")
    done = eve.admin.import_(tmp_path / "out.jsonl")
    assert done.rejected == ()
    assert done.rows == 6
    assert eve.ledger.find_similar_decisions("session storage", 1)[0].id == made.id
    assert eve.ledger.get_goal(goal_id).result == "The shop runs in Frankfurt."
    assert len(eve.ledger.get_tasks_for_goal(goal_id)) == 1
    assert memory.view(actor_id="eve", node="/helper").ledger.get_agent_state("helper").state == {"step": 1}
    assert eve.admin.import_(tmp_path / "out.jsonl").rows == 0
