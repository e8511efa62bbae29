"""Nodes of a tree of agents hold entries, and each reaches exactly as far as its scope says."""

import asyncio
import inspect
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal import AsyncFractalMemory, FractalMemory, Memory, MemoryEntry, MemoryScope
from foveal.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from foveal.rules.drafts import child_wins, merge, merged, parent_wins
from foveal.testing import ManualClock

LOCAL, SHARED, INHERITED, GLOBAL = MemoryScope


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "m.db", clock=clock) as memory:
        yield memory


@pytest.fixture
def planner(memory: Memory) -> FractalMemory:
    return FractalMemory(memory, node="/planner", actor_id="ada")


def _sees(node: FractalMemory, name: str, *scopes: MemoryScope) -> bool:
    try:
        node.read(name, scopes or (LOCAL, SHARED, GLOBAL))
    except NotFound:
        return False
    return True


def test_shared_stops_one_level_out_and_a_sibling_cannot_read_it(planner: FractalMemory) -> None:
    one, other = planner.spawn_child("one"), planner.spawn_child("other")
    below = one.spawn_child("below").spawn_child("deeper")
    root = planner.parent
    assert root is not None
    one.write("plan", "for the family", scope=SHARED)
    parent_of_below = below.parent
    assert parent_of_below is not None
    assert _sees(planner, "plan")
    assert _sees(parent_of_below, "plan")
    assert not any(_sees(node, "plan") for node in (root, other, below))
    assert [hit.text for hit in planner.search("family")] == ["for the family"]
    assert root.search("family") == other.search("family") == below.search("family") == []


def test_local_is_cleared_when_the_task_is_updated_and_nothing_else_is(
    memory: Memory, planner: FractalMemory, clock: ManualClock
) -> None:
    planner.write("sum", {"so far": 3})
    planner.write("goal", "ship it", scope=SHARED)
    planner.write("law", "be kind", scope=GLOBAL)
    child = planner.spawn_child("child")
    child.write("sum", "the child's")
    ordinary = memory.write("an ordinary thought", actor_id="ada", node="/planner").id
    clock.turn(timedelta(minutes=1))
    cleared = planner.update_task("write the report")
    assert len(cleared.ids) == 1
    assert not _sees(planner, "sum")
    assert [_sees(planner, name) for name in ("goal", "law")] == [True, True]
    assert child.read("sum").content == "the child's"
    view = memory.view(actor_id="ada", node="/planner")
    assert view.get(ordinary).vitals.archived_at is None
    assert view.get(cleared.ids[0]).vitals.archived_at == clock.now()
    assert planner.write("sum", {"so far": 0}).version == 1


def test_a_new_task_can_be_taken_back_with_what_it_cleared(planner: FractalMemory, clock: ManualClock) -> None:
    planner.update_task("first")
    kept = planner.write("draft", "half a page")
    clock.turn(timedelta(minutes=1))
    planner.update_task("second")
    planner.write("other", "of the second task")
    clock.turn(timedelta(minutes=1))
    assert planner.reopen_task().task.text == "first"
    assert planner.read("draft") == kept
    assert not _sees(planner, "other")
    planner.update_task("third")
    assert not _sees(planner, "draft")
    assert planner.reopen_task().task.text == "first"
    assert planner.read("draft") == kept


def test_a_pinned_record_of_the_task_is_left_and_reported(memory: Memory, planner: FractalMemory) -> None:
    task = planner.update_task("one").task
    under = memory.write("noted under the task", actor_id="ada", node="/planner", parent_id=task.id).id
    pinned = planner.write("rule", "stays").record_id
    memory.pin(pinned, actor_id="ada", node="/planner")
    cleared = planner.update_task("two")
    assert (cleared.ids, cleared.pinned) == ((under,), (pinned,))


def test_reading_goes_from_local_to_shared_to_the_parent_and_to_global_if_asked(planner: FractalMemory) -> None:
    child = planner.spawn_child("child")
    planner.write("x", "everyone's", scope=GLOBAL)
    with pytest.raises(NotFound):
        child.read("x")
    assert child.read("x", [GLOBAL]).content == "everyone's"
    planner.write("x", "the parent's", scope=SHARED)
    inherited = child.read("x")
    assert (inherited.content, inherited.scope, inherited.node) == ("the parent's", INHERITED, "/planner")
    child.write("x", "shared", scope=SHARED)
    assert child.read("x").content == "shared"
    child.write("x", "own")
    assert child.read("x").content == "own"
    assert child.read("x", ["shared"]).content == "shared"
    assert child.read("x", [INHERITED]).content == "the parent's"
    assert not _sees(planner.spawn_child("other"), "x", LOCAL)


def test_what_is_inherited_is_read_only(memory: Memory, planner: FractalMemory) -> None:
    child = planner.spawn_child("child")
    goal = planner.write("goal", "ship", scope=SHARED)
    with pytest.raises(Forbidden):
        child.write("goal", "sink", scope=INHERITED)
    with pytest.raises(Forbidden):
        memory.supersede(goal.record_id, "sink", actor_id="ada", node=child.node)
    assert child.read("goal").content == "ship"


def test_versions_count_up_and_a_stale_one_is_a_conflict(planner: FractalMemory) -> None:
    assert planner.write("n", {"value": 1}, expected_version=0).version == 1
    second = planner.write("n", {"value": 2}, expected_version=1, metadata={"why": "counted"})
    assert (second.version, second.parent_version, second.metadata) == (2, 1, {"why": "counted"})
    for stale in (0, 1, 7):
        with pytest.raises(Conflict) as told:
            planner.write("n", {"value": 9}, expected_version=stale)
        assert isinstance(told.value, PreconditionFailed)
        assert told.value.data["version"] == 2
    assert planner.read("n").content == {"value": 2}


def test_a_text_alone_gets_a_name_and_lists_show_each_scope(planner: FractalMemory) -> None:
    child = planner.spawn_child("child")
    thought = planner.write("a thought in passing")
    assert planner.read(thought.id).content == "a thought in passing"
    planner.write("goal", "ship", scope=SHARED)
    planner.write("law", "be kind", scope=GLOBAL)
    child.write("found", [1, 2], scope=SHARED)
    named = {one.id: one.scope for one in planner.list()}
    assert named == {thought.id: LOCAL, "goal": SHARED, "law": GLOBAL, "found": SHARED}
    assert {one.id: one.scope for one in child.list()} == {"goal": INHERITED, "law": GLOBAL, "found": SHARED}
    assert [one.id for one in child.list("inherited")] == ["goal"]
    assert [one.id for one in child.list(SHARED)] == ["found"]


def test_when_a_child_finishes_what_it_shares_becomes_the_parents_own(planner: FractalMemory) -> None:
    child = planner.spawn_child("child")
    child.write("result", {"answer": 42}, scope=SHARED)
    child.write("scratch", "not for others")
    done = child.finish()
    assert done.taken == ("result",)
    result = planner.read("result", [LOCAL])
    assert (result.content, result.created_by, result.node) == ({"answer": 42}, "/planner/child", "/planner")
    root = planner.parent
    assert root is not None
    assert not _sees(root, "result")
    planner.write("result", result.content, scope=SHARED)
    assert root.read("result").content == {"answer": 42}
    assert child.finish().taken == ()
    child.write("result", {"answer": 43}, scope=SHARED)
    assert child.finish().taken == ("result",)
    assert planner.read("result", [LOCAL]).content == {"answer": 43}


@pytest.mark.parametrize(
    ("resolver", "content"),
    [("parent_wins", {"a": 1, "b": {"x": 1}}), ("child_wins", {"b": {"y": 2}}), ("merge", None)],
)
def test_finishing_resolves_what_both_hold(planner: FractalMemory, resolver: str, content: Any) -> None:
    child = planner.spawn_child("child")
    planner.write("state", {"a": 1, "b": {"x": 1}})
    for _ in range(3):
        child.write("state", {"b": {"y": 2}}, scope=SHARED)
    assert child.finish(resolver).resolved == ("state",)
    found = planner.read("state", [LOCAL])
    assert found.content == (content or {"a": 1, "b": {"x": 1, "y": 2}})
    assert found.version == (1 if resolver == "parent_wins" else 4)
    if resolver == "merge":
        assert found.updated_by == "/planner+/planner/child"
    planner.write("state", "changed since", expected_version=found.version)
    if resolver != "parent_wins":
        assert child.finish(resolver).resolved == ()
        assert planner.read("state", [LOCAL]).content == "changed since"


def test_reconciling_leaves_both_with_the_same(planner: FractalMemory) -> None:
    child = planner.spawn_child("child")
    planner.write("state", {"a": 1}, scope=SHARED)
    child.write("state", {"b": 2}, scope=SHARED)
    child.write("mine", "alone", scope=SHARED)
    assert child.reconcile().resolved == ("state",)
    assert planner.read("state").content == child.read("state").content == {"a": 1, "b": 2}
    assert child.reconcile().resolved == ()
    with pytest.raises(Invalid, match="parent_wins"):
        child.write("state", "x", scope=SHARED)
        child.reconcile("coin_toss")


def test_a_parent_has_to_lie_one_step_above(memory: Memory, planner: FractalMemory) -> None:
    with pytest.raises(Invalid):
        FractalMemory(memory, node="/elsewhere/child", parent=planner)
    with pytest.raises(Invalid):
        planner.spawn_child("a/b")
    with pytest.raises(Invalid):
        FractalMemory(memory, node="/", actor_id="ada").finish()


def test_what_global_costs_is_in_the_statistics(memory: Memory, planner: FractalMemory) -> None:
    for n in range(3):
        planner.write(f"law {n}", "be kind", scope=GLOBAL)
    planner.write("goal", "ship", scope=SHARED)
    planner.write("scratch", "…?")
    assert memory.stats(actor_id="ada", node="/planner").scopes == {"global": 3, "local": 1, "shared": 1}
    assert memory.stats(actor_id="ada", node="/planner/child").scopes == {"global": 3, "shared": 1}


def test_entries_and_their_task_are_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path) as first:
        node = FractalMemory(first, node="/planner", actor_id="ada")
        node.update_task("long work")
        written = node.write("plan", {"step": 2})
    with Memory(path) as again:
        node = FractalMemory(again, node="/planner", actor_id="ada")
        assert node.read("plan") == written
        assert node.task is not None
        assert node.task.text == "long work"


def test_a_record_that_only_looks_like_an_entry_is_none(memory: Memory, planner: FractalMemory) -> None:
    for metadata in ({}, {"entry": "x"}, {"entry": {"name": "x"}}):
        memory.write("an impostor", kind="entry", metadata=metadata, actor_id="ada", node="/planner")
    assert planner.list() == []
    with pytest.raises(Invalid):
        planner.write("x", "y", metadata={"entry": 1})


async def _asynchronous(memory: Memory) -> None:
    node = AsyncFractalMemory(memory, node="/planner", actor_id="ada")
    child = node.spawn_child("child")
    await node.write("goal", "ship", scope=SHARED)
    assert (await child.read("goal")).scope is INHERITED


def test_the_asynchronous_node_has_the_same_verbs(memory: Memory) -> None:
    asyncio.run(_asynchronous(memory))
    verbs = {name for name, one in vars(FractalMemory).items() if inspect.isfunction(one) and name[0] != "_"}
    assert verbs == {name for name in vars(AsyncFractalMemory) if name[0] != "_"}


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)


@given(parent=_JSON, child=_JSON, versions=st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_resolvers_keep_their_laws(parent: Any, child: Any, versions: tuple[int, int]) -> None:
    mine = MemoryEntry(id="x", content=parent, scope=SHARED, version=versions[0], created_by="p", updated_by="p")
    theirs = MemoryEntry(id="x", content=child, scope=SHARED, version=versions[1], created_by="c", updated_by="c")
    assert parent_wins(mine, theirs) == mine
    assert child_wins(mine, theirs).content == child
    both = merge(mine, theirs)
    assert (both.version, both.updated_by) == (max(versions) + 1, "p+c")
    assert merged(both.content, child) == both.content
    assert merged(parent, parent) == parent
    if isinstance(parent, dict) and isinstance(child, dict):
        assert set(both.content) == {*parent, *child}


def test_a_change_of_a_shared_entry_is_seen_one_level_up_and_down_at_once(planner: FractalMemory) -> None:
    child, root = planner.spawn_child("child"), planner.parent
    assert root is not None
    planner.write("goal", {"ship": "friday"}, scope=SHARED)
    assert (child.read("goal").content, child.read("goal").scope) == ({"ship": "friday"}, INHERITED)
    changed = child.write("goal", {"ship": "monday"}, scope=SHARED, expected_version=1)
    assert (changed.version, changed.parent_version, changed.created_by, changed.updated_by) == (
        *(2, 1),
        *("/planner", "/planner/child"),
    )
    assert planner.read("goal").content == child.read("goal").content == {"ship": "monday"}
    with pytest.raises(PreconditionFailed):
        planner.write("goal", {"ship": "never"}, scope=SHARED, expected_version=1)
    planner.write("goal", {"ship": "tuesday"}, scope=SHARED, expected_version=2)
    assert planner.read("goal").content == child.read("goal").content == {"ship": "tuesday"}
    # The child's own words never climb further than one level.
    child.write("goal", {"ship": "sunday"}, scope=SHARED)
    assert root.read("goal").content == {"ship": "tuesday"}


def test_a_global_entry_is_changed_by_its_author_or_from_above_and_by_nobody_else(
    memory: Memory, planner: FractalMemory
) -> None:
    child, root = planner.spawn_child("child"), planner.parent
    assert root is not None
    planner.write("law", "be kind", scope=GLOBAL)
    for other in (child, FractalMemory(memory, node="/writer", actor_id="ada")):
        with pytest.raises(Forbidden, match="/planner") as refused:
            other.write("law", "be quick", scope=GLOBAL)
        assert refused.value.data["node"] == "/planner"
        assert other.read("law", [GLOBAL]).content == "be kind"
    assert root.write("law", "be kind and quick", scope=GLOBAL).version == 2
    assert planner.write("law", "be brave", scope=GLOBAL, expected_version=2).version == 3
    assert [(entry.id, entry.content, entry.node) for entry in child.list(GLOBAL)] == [
        ("law", "be brave", "/planner")
    ]
