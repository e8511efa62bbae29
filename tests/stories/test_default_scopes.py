"""What the root writes all agents know, and old records of the root are widened only by a command."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from foveal import FractalMemory, Memory, MemoryScope
from foveal.errors import NotFound


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.db") as memory:
        yield memory


def test_what_the_root_writes_all_agents_know_and_what_an_agent_writes_is_its_own(memory: Memory) -> None:
    root, planner = memory.view(actor_id="ada"), memory.view(actor_id="ada", node="/planner")
    ours = root.write("Ada is allergic to walnuts.").id
    mine = planner.write("Seventeen times three is fifty-one.").id
    assert root.get(ours).scope is MemoryScope.GLOBAL
    assert planner.get(ours).text == "Ada is allergic to walnuts."
    assert planner.get(mine).scope is MemoryScope.LOCAL
    with pytest.raises(NotFound):
        root.get(mine)
    with pytest.raises(NotFound):
        planner.get(root.write("for the root alone", scope="local").id)
    assert root.supersede(ours, "Ada is allergic to nuts.", scope=None).scope is MemoryScope.GLOBAL


def test_old_records_of_the_root_stay_local_until_they_are_widened(memory: Memory) -> None:
    root, planner = memory.view(actor_id="ada"), memory.view(actor_id="ada", node="/planner")
    old = root.write("The boiler is serviced in May.", scope="local", importance=0.4).id
    note = FractalMemory(memory, node="/", actor_id="ada").write("scratch", "17 * 3", scope="local").record_id
    assert planner.lifecycle.widen().moves == 0
    preview = root.lifecycle.widen(dry_run=True)
    assert (preview.moves, preview.counts, root.lifecycle.journal()) == (1, {"widened": 1}, [])
    with pytest.raises(NotFound):
        planner.get(old)
    done = root.lifecycle.widen()
    assert [change.record_id for move in done.examples for change in move.changes] == [old]
    assert planner.get(old).text == "The boiler is serviced in May."
    assert planner.search("when is the boiler serviced?")[0].id == old
    assert root.get(old).vitals.importance == 0.4
    assert root.get(note).scope is MemoryScope.LOCAL
    assert root.lifecycle.widen().moves == 0
    root.lifecycle.undo(root.lifecycle.journal()[0].id)
    with pytest.raises(NotFound):
        planner.get(old)
    assert root.get(old).scope is MemoryScope.LOCAL
    assert root.lifecycle.journal()[0].what == "undone"
