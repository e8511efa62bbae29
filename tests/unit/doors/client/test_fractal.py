"""`FractalMemory` on a memory behind HTTP."""

import asyncio

import pytest

from foveal import AsyncFractalMemory, FractalMemory
from foveal.errors import Forbidden, Invalid, NotFound, PreconditionFailed

from .conftest import Connect


def test_entries_are_shared_along_the_tree_behind_a_server(connected: Connect) -> None:
    planner = FractalMemory(connected(ghost=False), node="/planner", actor_id="ada")
    child, sibling = planner.spawn_child("child"), planner.spawn_child("sibling")
    root = planner.parent
    assert root is not None and root.node == "/"
    planner.write("goal", {"ship": "friday"}, scope="shared")
    assert (child.read("goal").content, str(child.read("goal").scope)) == ({"ship": "friday"}, "inherited")
    assert child.write("goal", {"ship": "monday"}, scope="shared", expected_version=1).version == 2
    assert planner.read("goal").content == {"ship": "monday"}
    with pytest.raises(PreconditionFailed):
        planner.write("goal", {"ship": "never"}, scope="shared", expected_version=1)
    child.write("scratch", "17 * 3 = 51")
    with pytest.raises(NotFound):
        sibling.read("scratch")
    planner.write("law", "be kind", scope="global")
    with pytest.raises(Forbidden, match="/planner"):
        sibling.write("law", "be quick", scope="global")
    assert [entry.id for entry in child.list("local")] == ["scratch"]
    assert [hit.text for hit in child.search("17 times 3", scopes=["local"])] == ["17 * 3 = 51"]
    assert child.finish("child_wins").taken == ("goal",)
    assert child.task is None
    assert len(child.update_task("the next").ids) == 1
    assert child.task is not None and child.task.text == "the next"
    with pytest.raises(NotFound):
        child.read("scratch", ["local"])
    with pytest.raises(Invalid, match="no parent"):
        root.finish()


def test_asynchronous_callers_have_it_too(connected: Connect) -> None:
    planner = AsyncFractalMemory(connected(ghost=False), node="/planner", actor_id="ada")

    async def shared() -> object:
        await planner.write("goal", "ship", scope="shared")
        return (await planner.spawn_child("child").read("goal")).content

    assert asyncio.run(shared()) == "ship"
