"""Every verb of the ledger, of crystals and of moments refuses a wrong argument with a named error."""

import inspect
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import FovealError, Invalid

NAIVE = datetime(2026, 5, 1)  # noqa: DTZ001 - a date without a zone is the point
WRONG: tuple[Any, ...] = (
    *(None, True, 3, 2**70, float("nan"), "", "abc", "a\ud800b", b"abc"),
    *([3], ["a\ud800b"], {3: 4}, {"a": object()}, {"x"}, object(), NAIVE, timedelta(days=-1)),
)
MESSAGES = [{"role": "user", "content": "Keep it short."}, {"role": "assistant", "content": "decision: blue"}]
CHILD = [*MESSAGES, {"role": "user", "content": "And now?"}]


def _given(ada: View, folder: Path) -> dict[str, Any]:
    """A right value for each parameter that a verb needs."""
    goal = ada.ledger.store_goal("Water the plants")
    task = ada.ledger.store_task(goal.id, "Fetch water")
    ada.ledger.update_goal(goal.id, "completed")
    crystal = ada.crystals.crystallize(MESSAGES, pin=True)
    window = ada.crystals.window(MESSAGES)
    (folder / "one.md").write_text("# One\n\nText.\n")
    ada.operational.update_metric("load", 1.0)
    ada.ledger.store_agent_state("planner", {})
    return {
        "goal_id": goal.id,
        "task_id": task.id,
        "decision_id": ada.ledger.store_decision("Which?", "this").id,
        "pattern_id": ada.ledger.store_pattern("water", "fetch → pour").id,
        "crystal_id": ada.crystals.branch(crystal.crystal_id, "why").crystal_id,
        "snapshot": ada.snapshots.take("now").id,
        "since": "now",
        "into": crystal.crystal_id,
        "first": crystal.crystal_id,
        "second": crystal.crystal_id,
        "window": window,
        "parent": window,
        "base": window,
        "child": ada.crystals.window(CHILD),
        "context": "Which?",
        "messages": MESSAGES,
        "path": folder,
        "value": 1.0,
        "success": True,
        "state": {},
        "key": "load",
        "agent_name": "planner",
    }


ROOMS: dict[str, Callable[[View], Any]] = {
    "operational": lambda view: view.operational,
    "ledger": lambda view: view.ledger,
    "longterm": lambda view: view.longterm,
    "crystals": lambda view: view.crystals,
    "snapshots": lambda view: view.snapshots,
    "memory": lambda view: view,
}


def _verbs() -> list[tuple[str, str]]:
    with Memory(":memory:") as memory:
        view = memory.view(actor_id="ada")
        rooms = {name: [one for one in dir(room(view)) if one[0] != "_"] for name, room in ROOMS.items()}
    rooms["memory"] = ["assemble_context"]
    return [(name, verb) for name, verbs in rooms.items() for verb in verbs]


@pytest.mark.parametrize(("room", "verb"), _verbs())
def test_a_wrong_argument_is_refused_by_name(room: str, verb: str, memory: Memory, tmp_path: Path) -> None:
    ada = memory.view(actor_id="ada")
    folder = tmp_path / "folder"
    folder.mkdir()
    given = _given(ada, folder)
    call = getattr(ROOMS[room](ada), verb)
    parameters = [one for one in inspect.signature(call).parameters.values() if one.kind is not one.VAR_KEYWORD]
    if verb == "crystallize":
        given["context"] = MESSAGES
    needed = {one.name: given.get(one.name, "something") for one in parameters if one.default is one.empty}
    parted: list[str] = []
    for one in [one.name for one in parameters]:
        for wrong in WRONG:
            try:
                call(**{**needed, one: wrong})
            except FovealError as error:
                assert len(error.message) < 400
            except Exception as error:  # noqa: BLE001 - what is not ours is the failure
                parted.append(f"{one}={wrong!r}: {error!r}")
    assert parted == []


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("who", ["actor_id", "world", "node", "session_id"])
def test_a_wrong_viewpoint_is_refused_by_name(memory: Memory, who: str, wrong: Any) -> None:
    if wrong == "abc" or (who == "session_id" and wrong is None):
        return
    with pytest.raises(Invalid):
        memory.ledger.get_goals(**cast(Any, {"actor_id": "ada", who: wrong}))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("crystallize", {"context": MESSAGES, "task_state": "abc"}),
        ("crystallize", {"context": MESSAGES, "focus_hints": 3}),
        ("crystallize", {"context": 3}),
        ("resume", {"crystal_id": 3}),
        ("forget", {"target": 5}),
        ("recall", {"query": 5}),
        ("consolidate", {"dry_run": "no"}),
    ],
)
def test_a_path_refuses_a_wrong_argument_by_name(memory: Memory, path: str, said: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        memory.invoke(f"self.memory.{path}", actor_id="ada", **said)
