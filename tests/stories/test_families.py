"""Records have parents, children, relatives and sessions, and all of them hold together."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid, NotFound, Pinned
from foveal.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["ram", "sqlite"])
def ada(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[View]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "m.db", clock=clock) as memory:
        yield memory.view(actor_id="ada")


def _family(ada: View) -> None:
    """top > left > leaf, top > right; each a record of its name."""
    rows = (("top", None), ("left", "top"), ("right", "top"), ("leaf", "left"))
    for name, parent in rows:
        ada.write(f"about {name}", id=name, parent_id=parent)


def test_forgetting_cascades_only_when_told_to(ada: View) -> None:
    _family(ada)
    assert ada.forget("right").ids == ("right",)
    gone = ada.forget("top", cascade=True)
    assert set(gone.ids) == {"top", "left", "leaf"}
    assert ada.timeline() == []


def test_erasing_cascades_and_pinned_ones_below_stay(ada: View) -> None:
    _family(ada)
    ada.pin("left")
    gone = ada.forget(["top"], hard=True, cascade=True)
    assert (set(gone.ids), gone.pinned, gone.erased) == ({"top", "right", "leaf"}, ("left",), True)
    assert [one.id for one in ada.timeline()] == ["left"]
    with pytest.raises(Pinned):
        ada.forget("left", cascade=True)


def test_a_tree_lists_each_record_after_its_parent(ada: View) -> None:
    _family(ada)
    listed = [(one.record.id, one.depth, one.children) for one in ada.links.tree("top")]
    assert listed == [("top", 0, 2), ("left", 1, 1), ("leaf", 2, 0), ("right", 1, 0)]
    assert [one.record.id for one in ada.links.tree("top", depth=1)] == ["top", "left", "right"]
    assert [one.record.id for one in ada.links.tree("top", limit=2)] == ["top", "left"]
    assert [(one.record.id, one.children) for one in ada.links.tree("left", depth=0)] == [("left", 1)]
    with pytest.raises(NotFound):
        ada.links.tree("nobody")


def test_no_record_becomes_its_own_ancestor(ada: View) -> None:
    _family(ada)
    for child in ("top", "left", "leaf"):
        with pytest.raises(Invalid, match="cannot be its parent"):
            ada.supersede("top", "moved", parent_id=child)
    with pytest.raises(NotFound):
        ada.supersede("top", "moved", parent_id="nobody")
    ada.supersede("leaf", "moved", parent_id="right")
    assert [one.id for one in ada.links.children("right")] == ["leaf"]
    assert ada.links.children("left") == []
    ada.supersede("leaf", "moved out", parent_id=None)
    assert ada.links.children("right") == []


def test_children_come_in_the_order_that_is_asked_for(ada: View) -> None:
    ada.write("top", id="top")
    for name, weight in (("a", 0.5), ("b", 0.1), ("c", 0.9)):
        ada.write(name, id=name, parent_id="top", importance=weight)
    ranked = ada.links.children("top", sort_field="importance", sort_order="desc", limit=2)
    assert [one.id for one in ranked] == ["c", "a"]
    with pytest.raises(Invalid, match="asc or desc"):
        ada.links.children("top", sort_order="up")


def test_edges_are_followed_to_a_depth_and_each_record_is_met_once(ada: View) -> None:
    for name in "abcde":
        ada.write(f"about {name}", id=name)
    for source, target, weight in (
        ("a", "b", 0.5),
        ("b", "c", 0.5),
        ("a", "d", 0.9),
        ("d", "c", 0.8),
        ("c", "a", 0.1),
    ):
        ada.links.add(source, target, weight=weight)
    ada.links.add("c", "e", kind="causes", weight=0.5)
    found = [(one.record.id, one.distance, round(one.strength, 3)) for one in ada.links.related("a", depth=9)]
    assert found == [("d", 1, 0.9), ("b", 1, 0.5), ("c", 1, 0.1), ("e", 2, 0.05)]
    assert [one.record.id for one in ada.links.related("a", kind="relates", depth=9)] == ["d", "b", "c"]
    assert [one.record.id for one in ada.links.related("e", kind="causes")] == ["c"]
    ada.links.remove("c", "a")
    two = {one.record.id: (one.distance, round(one.strength, 3)) for one in ada.links.related("a", depth=2)}
    assert two == {"d": (1, 0.9), "b": (1, 0.5), "c": (2, 0.72)}


def test_a_family_can_be_written_in_one_batch(ada: View) -> None:
    items = [{"text": f"step {n}", "id": f"s{n}", "parent_id": f"s{n - 1}" if n else None} for n in range(5)]
    written = ada.write_many([*items, {"text": "orphan", "parent_id": "nobody"}])
    assert len(written.ids) == 5
    assert [(one.index, one.code) for one in written.rejected] == [(5, "not_found")]
    assert [one.depth for one in ada.links.tree("s0", depth=9)] == [0, 1, 2, 3, 4]


def test_a_session_is_begun_counted_and_ended(ada: View, clock: ManualClock) -> None:
    session = ada.sessions.start(kind="call", metadata={"topic": "tea"})
    talk = ada.view(session_id=session.id)
    first = clock.turn(timedelta(minutes=1))
    talk.write("hello")
    last = clock.turn(timedelta(minutes=1))
    talk.write("goodbye")
    ended = ada.sessions.end(session.id)
    assert (ended.records, ended.first_at, ended.last_at, ended.ended_at) == (2, first, last, last)
    clock.turn(timedelta(hours=1))
    assert ada.sessions.end(session.id).ended_at == last
    assert ada.sessions.get(session.id) == ended
    assert (ended.kind, ended.metadata, ended.actor_id) == ("call", {"topic": "tea"}, "ada")


def test_a_session_that_nobody_created_is_listed_all_the_same(ada: View, clock: ManualClock) -> None:
    ada.view(session_id="loose").write("just so")
    clock.turn(timedelta(minutes=1))
    ada.sessions.start(session_id="begun")
    assert [(one.id, one.records, one.started_at is None) for one in ada.sessions.list()] == [
        ("begun", 0, False),
        ("loose", 1, True),
    ]
    assert [one.id for one in ada.sessions.list(limit=1)] == ["begun"]
    assert ada.sessions.end("loose").started_at == ada.sessions.get("loose").first_at
    assert ada.sessions.start(session_id="another").id == "another"
    with pytest.raises(Conflict):
        ada.sessions.start(session_id="begun")
    for call in (ada.sessions.get, ada.sessions.end):
        with pytest.raises(NotFound):
            call("nobody")


def test_sessions_and_group_numbers_move_with_the_memory(ada: View, tmp_path: Path) -> None:
    ada.sessions.start(session_id="s", metadata={"n": 1})
    ada.view(session_id="s").write("said", id="said")
    ada.groups.add("first", ["said"])
    path = tmp_path / "out.jsonl"
    ada.admin.export(path)
    with Memory(":memory:") as other:
        eve = other.view(actor_id="eve")
        eve.write("hers", id="hers")
        own = eve.groups.add("first", ["hers"])
        assert eve.admin.import_(path).sessions == 1
        assert (eve.sessions.get("s").metadata, eve.sessions.get("s").records) == ({"n": 1}, 1)
        assert [one.id for one in eve.groups.list()] == [own.id]
        assert {one.id for one in eve.groups.members(own.id)} == {"hers", "said"}
        assert eve.admin.import_(path).sessions == 0
