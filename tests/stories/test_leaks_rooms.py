"""Crystals are of a node and those above it, and what a node logs as local is its own: nobody else learns of it."""

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.operational import Operational
from foveal.engine.memory import View
from foveal.errors import FovealError, NotFound
from foveal.rules.visibility import oversees
from foveal.testing import ManualClock

NODES = ("/", "/a", "/a/b", "/a/c", "/ab")
Case = Callable[[View, dict[str, str]], object]

# Each is called with the ids of what another node made, as whoever may not see it.
CRYSTALS: dict[str, list[Case]] = {
    # These are about a window that the caller has.
    **dict.fromkeys(("window", "add", "messages", "compress", "pulse", "merge_windows"), []),
    "crystallize": [
        lambda view, ids: view.crystals.crystallize([{"role": "user", "content": "mine"}], parent=ids["crystal"])
    ],
    "resume": [lambda view, ids: view.crystals.resume(ids["crystal"])],
    "get": [lambda view, ids: view.crystals.get(ids["crystal"])],
    "lineages": [lambda view, ids: view.crystals.lineages()],
    "lineage": [lambda view, ids: view.crystals.lineage(ids["crystal"])],
    "duplicate": [lambda view, ids: view.crystals.duplicate(ids["crystal"])],
    "branch": [lambda view, ids: view.crystals.branch(ids["crystal"], "why")],
    "merge": [
        lambda view, ids: view.crystals.merge(ids["crystal"], ids["mine"]),
        lambda view, ids: view.crystals.merge(ids["mine"], ids["crystal"]),
    ],
    "diff": [
        lambda view, ids: view.crystals.diff(ids["crystal"], ids["mine"]),
        lambda view, ids: view.crystals.diff(ids["mine"], ids["crystal"]),
    ],
    "touch": [lambda view, ids: view.crystals.touch(ids["crystal"])],
    "cherish": [lambda view, ids: view.crystals.cherish(ids["crystal"])],
    "uncherish": [lambda view, ids: view.crystals.uncherish(ids["crystal"])],
    "compost": [lambda view, ids: view.crystals.compost(ids["crystal"], hard=True)],
    "reap": [lambda view, ids: view.crystals.reap()],
}
LEDGER: dict[str, list[Case]] = {
    "store_agent_state": [lambda view, ids: view.ledger.store_agent_state("clerk", {"of": "mine"}, scope="local")],
    "get_agent_state": [lambda view, ids: view.ledger.get_agent_state("clerk")],
    "get_agent_states": [lambda view, ids: view.ledger.get_agent_states()],
    "find_relevant": [lambda view, ids: view.ledger.find_relevant("what is told", 99)],
    "migrate_old_entries": [lambda view, ids: view.ledger.migrate_old_entries()],
    "update_goal": [lambda view, ids: view.ledger.update_goal(ids["goal"], status="failed")],
    "get_goal": [lambda view, ids: view.ledger.get_goal(ids["goal"])],
    "get_goals": [lambda view, ids: view.ledger.get_goals()],
    "get_active_goals": [lambda view, ids: view.ledger.get_active_goals()],
    "get_interrupted_goals": [lambda view, ids: view.ledger.get_interrupted_goals()],
    "resume_goal": [lambda view, ids: view.ledger.resume_goal(ids["goal"])],
    "store_task": [lambda view, ids: view.ledger.store_task(ids["goal"], "mine")],
    "vacuum": [lambda view, ids: view.ledger.vacuum()],
    "update_task": [lambda view, ids: view.ledger.update_task(ids["task"], status="failed")],
    "get_task": [lambda view, ids: view.ledger.get_task(ids["task"])],
    "get_tasks_for_goal": [lambda view, ids: view.ledger.get_tasks_for_goal(ids["goal"])],
    "store_tool_call": [lambda view, ids: view.ledger.store_tool_call(ids["task"], "tool")],
    "get_tool_calls": [lambda view, ids: view.ledger.get_tool_calls()],
    "store_decision": [lambda view, ids: view.ledger.store_decision("a?", "b", goal_id=ids["goal"])],
    "update_decision": [lambda view, ids: view.ledger.update_decision(ids["decision"], "bad")],
    "get_decision": [lambda view, ids: view.ledger.get_decision(ids["decision"])],
    "get_decisions": [lambda view, ids: view.ledger.get_decisions()],
    "find_similar_decisions": [lambda view, ids: view.ledger.find_similar_decisions("what is told")],
    "store_pattern": [lambda view, ids: view.ledger.store_pattern("what is told", "mine", scope="local")],
    "find_pattern": [lambda view, ids: view.ledger.find_pattern("what is told")],
    "get_patterns": [lambda view, ids: view.ledger.get_patterns()],
    "update_pattern_stats": [lambda view, ids: view.ledger.update_pattern_stats(ids["pattern"], False)],
    "learn_from_goal": [lambda view, ids: view.ledger.learn_from_goal(ids["goal"])],
    "prune_patterns": [lambda view, ids: view.ledger.prune_patterns(0)],
    # From here on the node has a goal of the same id: that is its own.
    "store_goal": [lambda view, ids: view.ledger.store_goal("mine", goal_id=ids["goal"], scope="local")],
}
OPERATIONAL: dict[str, list[Case]] = {
    "push_event": [lambda view, ids: view.operational.push_event("error", "mine", critical=True, scope="local")],
    "get_recent": [lambda view, ids: view.operational.get_recent()],
    "get_events": [lambda view, ids: view.operational.get_events()],
    "update_metric": [lambda view, ids: view.operational.update_metric("heat", 1, scope="local")],
    "get_metric": [lambda view, ids: view.operational.get_metric("heat")],
    "get_metric_hours": [lambda view, ids: view.operational.get_metric_hours("heat")],
    "get_event_hours": [lambda view, ids: view.operational.get_event_hours()],
    "get_metrics": [lambda view, ids: view.operational.get_metrics()],
    "get_system_snapshot": [lambda view, ids: view.operational.get_system_snapshot()],
    "get_active_tasks": [lambda view, ids: view.operational.get_active_tasks()],
}
ROOMS = {"crystals": (Crystals, CRYSTALS), "ledger": (Ledger, LEDGER), "operational": (Operational, OPERATIONAL)}


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    path = ":memory:" if request.param == "ram" else tmp_path / "m.db"
    with Memory(path, clock=ManualClock()) as memory:
        yield memory


def _grown(view: View, word: str) -> dict[str, str]:
    """The ids of what a node made, all of which says its word."""
    said = [{"role": "user", "content": f"{word} is told"}]
    ledger = view.ledger
    goal = ledger.store_goal(f"{word} is told", scope="local")
    task = ledger.store_task(goal.id, f"{word} is told", status="in_progress")
    ledger.store_tool_call(task.id, "tool", given={"of": word})
    ledger.store_agent_state("clerk", {"of": word}, scope="local")
    view.operational.push_event("error", {"of": word}, critical=True, scope="local")
    view.operational.update_metric(f"{word}-heat", 9, scope="local")
    return {
        "crystal": view.crystals.crystallize(said, working_memory={"of": word}).crystal_id,
        "goal": goal.id,
        "task": task.id,
        "decision": ledger.store_decision(f"what of {word}?", f"{word} is told", goal_id=goal.id).id,
        "pattern": ledger.store_pattern(f"what of {word}", f"{word} is told", success_rate=1.0, scope="local").id,
    }


def _state(view: View, ids: dict[str, str]) -> list[Any]:
    ledger = view.ledger
    rows = [ledger.get_goal(ids["goal"]), ledger.get_task(ids["task"]), ledger.get_decision(ids["decision"])]
    kept = view.crystals.get(ids["crystal"]), view.crystals.lineage(ids["crystal"])
    lists = (
        ledger.get_patterns(),
        ledger.get_tool_calls(),
        ledger.get_agent_states(),
        ledger.get_tasks_for_goal(ids["goal"]),
    )
    return [*rows, *kept, *lists, view.operational.get_events(), view.operational.get_recent()]


def test_every_verb_of_every_room_has_a_case() -> None:
    for room, cases in ROOMS.values():
        verbs = {
            function.__name__
            for name, function in inspect.getmembers(room, inspect.isfunction)
            if not name.startswith("_")
        }
        assert verbs == set(cases)


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_tells_or_changes_what_is_of_another_node(room: str, memory: Memory) -> None:
    views = {node: memory.view(actor_id="ada", node=node) for node in NODES}
    words = {node: f"secret{number}word" for number, node in enumerate(NODES)}
    ids = {node: _grown(view, words[node]) for node, view in views.items()}
    for (verb, cases), node, other in product(ROOMS[room][1].items(), NODES, NODES):
        if other == node or (room == "crystals" and oversees(node, other)):
            continue
        before = _state(views[other], ids[other])
        for case in cases:
            error = None
            try:
                told = repr(case(views[node], {**ids[other], "mine": ids[node]["crystal"]}))
            except FovealError as raised:
                told, error = f"{raised.message} {raised.data}", raised
            assert words[other] not in told, (verb, node, other)
            assert error is None or isinstance(error, NotFound), (verb, node, other, error)
        assert _state(views[other], ids[other]) == before, (verb, node, other)
