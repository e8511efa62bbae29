"""What worked once is found when it is asked for again, and only then."""

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import Invalid, NotFound


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def test_success_is_counted_by_the_rule(ada: View) -> None:
    pattern = ada.ledger.store_pattern("restart the web server", "drain → restart", success_rate=0.8, uses=10)
    better = ada.ledger.update_pattern_stats(pattern.id, True)
    assert (better.uses, better.success_rate) == (11, pytest.approx(9 / 11))  # pyright: ignore[reportUnknownMemberType]
    worse = ada.ledger.update_pattern_stats(pattern.id, False)
    assert (worse.uses, worse.success_rate) == (12, pytest.approx(9 / 12))  # pyright: ignore[reportUnknownMemberType]
    assert worse.last_used is not None
    with pytest.raises(NotFound):
        ada.ledger.update_pattern_stats("nothing", True)


def test_a_pattern_is_found_by_its_words_and_by_its_meaning(ada: View) -> None:
    server = ada.ledger.store_pattern("Restart the web server", "drain → restart", success_rate=0.9)
    ada.ledger.store_pattern("Create an account for a new colleague", "ask → create", success_rate=0.9)
    ada.ledger.store_pattern("Rotate the application logs", "rotate", success_rate=0.9)
    for asked in ("please restart the web server now", "reboot the http server"):
        found = ada.ledger.find_pattern(asked)
        assert found is not None
        assert found.id == server.id
    assert ada.ledger.find_pattern("restart the web server", 0.95) is None
    assert ada.ledger.find_pattern("write a poem about spring") is None


@pytest.mark.parametrize(
    "asked", ["Open port 443 of the firewall", "Do not open port 80 of the firewall", "Open port 80 for Berlin"]
)
def test_a_pattern_with_other_numbers_names_or_sense_does_not_apply(ada: View, asked: str) -> None:
    ada.ledger.store_pattern("Open port 80 of the firewall", "open", success_rate=1.0)
    assert ada.ledger.find_pattern("open port 80 of the firewall") is not None
    assert ada.ledger.find_pattern(asked) is None


def test_of_several_patterns_the_most_successful_is_found(ada: View) -> None:
    ada.ledger.store_pattern("deploy the shop", "copy", success_rate=0.5, uses=9)
    best = ada.ledger.store_pattern("deploy the shop", "build → push", success_rate=0.9, uses=3)
    found = ada.ledger.find_pattern("deploy the shop")
    assert found is not None
    assert found.id == best.id


def test_a_finished_goal_teaches_a_pattern_once(ada: View) -> None:
    def reached(text: str) -> str:
        goal = ada.ledger.store_goal(text)
        task = ada.ledger.store_task(goal.id, "do it")
        for name, success in (("search", True), ("broken", False), ("write", True)):
            ada.ledger.store_tool_call(task.id, name, success=success)
        with pytest.raises(Invalid):
            ada.ledger.learn_from_goal(goal.id)
        ada.ledger.update_goal(goal.id, "completed")
        assert ada.ledger.learn_from_goal(goal.id) is None, "a task was never done"
        ada.ledger.update_task(task.id, "completed", output="done")
        return goal.id

    first = ada.ledger.learn_from_goal(reached("Write the weekly report"))
    assert first is not None
    assert (first.trigger, first.action, first.success_rate, first.uses) == (
        *("Write the weekly report", "search → write"),
        *(1.0, 1),
    )
    second = ada.ledger.learn_from_goal(reached("Write the weekly report"))
    assert second is not None
    assert (second.id, second.uses) == (first.id, 2)
    assert len(ada.ledger.get_patterns()) == 1
    idle = ada.ledger.store_goal("Rest", status="completed")
    assert ada.ledger.learn_from_goal(idle.id) is None
    with pytest.raises(NotFound):
        ada.ledger.learn_from_goal("nothing")


def test_pruning_removes_the_least_successful_and_least_used(ada: View) -> None:
    for number in range(15):
        ada.ledger.store_pattern(f"trigger {number}", "act", success_rate=number / 20, uses=number)
    assert ada.ledger.prune_patterns(10) == 5
    assert {one.trigger for one in ada.ledger.get_patterns()} == {f"trigger {number}" for number in range(5, 15)}
    assert ada.search("trigger 0", filters={"kind": "pattern", "text": "trigger 0"}) == []
    assert ada.ledger.prune_patterns() == 0
