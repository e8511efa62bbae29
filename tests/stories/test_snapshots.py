"""A memory can be read as it was, compared with what it is, and brought back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from foveal import AsyncMemory, Memory
from foveal.engine.memory import View
from foveal.errors import NotFound
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(MONDAY)


@pytest.fixture(params=["ram", "sqlite"])
def ada(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[View]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db", clock=clock) as memory:
        yield memory.view(actor_id="ada")


def _all(memory: View) -> set[str]:
    return {one.text for one in memory.timeline()}


def test_a_snapshot_is_read_as_it_was_even_if_the_clock_stands_still(ada: View) -> None:
    home = ada.write("Ada lives in Oslo.")
    taken = ada.snapshots.take("before the move")
    ada.supersede(home.id, "Ada lives in Bergen.")
    ada.write("The ferry sails at nine.")
    then = ada.snapshots.at("before the move")
    assert then.get(home.id).text == "Ada lives in Oslo."
    assert [hit.text for hit in then.search("where does Ada live")] == ["Ada lives in Oslo."]
    assert "Oslo" in then.read("where does Ada live").text
    assert [one.text for one in then.timeline()] == ["Ada lives in Oslo."]
    assert [one.version for one in then.history(home.id)] == [1]
    assert then.stats().records == 1
    assert ada.snapshots.list() == [taken]
    assert not hasattr(then, "write")
    with pytest.raises(NotFound):
        ada.snapshots.at("no such snapshot")


def test_what_was_forgotten_since_stays_hidden_in_a_snapshot(ada: View) -> None:
    secret = ada.write("a secret")
    taken = ada.snapshots.take("then")
    ada.forget(secret.id)
    assert ada.snapshots.at(taken).timeline() == []
    assert ada.snapshots.changes(taken).forgotten == (secret.id,)


def test_changes_say_what_happened_between_two_snapshots(ada: View, clock: ManualClock) -> None:
    edited, dropped = (ada.write(text).id for text in ("edited", "dropped"))
    first = ada.snapshots.take("first")
    clock.turn(timedelta(days=1))
    added = ada.write("added").id
    second = ada.snapshots.take("second")
    clock.turn(timedelta(days=1))
    ada.supersede(edited, "edited again")
    ada.forget(dropped)
    assert ada.snapshots.changes(first, second).added == (added,)
    assert ada.snapshots.changes("second").superseded == (edited,)
    assert ada.snapshots.changes(MONDAY + timedelta(days=2) - timedelta(seconds=1)).forgotten == (dropped,)
    whole = ada.snapshots.changes(first)
    assert (whole.added, whole.superseded, whole.forgotten) == ((added,), (edited,), (dropped,))


def test_restoring_brings_back_what_was_known_and_can_be_undone(ada: View, clock: ManualClock) -> None:
    edited = ada.write("edited", tags=["old"]).id
    dropped, both, erased = (ada.write(text).id for text in ("dropped", "both", "erased"))
    hidden = ada.write("hidden").id
    ada.forget(hidden)
    before = _all(ada)
    taken = ada.snapshots.take("good")
    ada.supersede(edited, "edited again", tags=["new"])
    ada.forget(dropped)
    ada.supersede(both, "both again")
    ada.forget(both)
    late = ada.write("late").id
    pinned = ada.write("late and pinned", pin=True).id
    ada.forget(erased, hard=True)
    changed = _all(ada)
    clock.turn(timedelta(hours=1))
    done = ada.snapshots.restore("good")
    assert _all(ada) == before - {"erased"} | {"late and pinned"}
    assert ada.get(edited).tags == ("old",)
    assert set(done.superseded) == {edited, both}
    assert set(done.recovered) == {dropped, both}
    assert (done.forgotten, done.pinned, done.erased) == ((late,), (pinned,), (erased,))
    assert [one.text for one in ada.history(edited)] == ["edited", "edited again", "edited"]
    again = ada.snapshots.restore(taken)
    assert (again.superseded, again.recovered, again.forgotten) == ((), (), ())
    undone = ada.snapshots.restore(done.before)
    assert _all(ada) == changed
    assert set(undone.forgotten) == {dropped, both}
    assert undone.recovered == (late,)


def test_a_node_restores_only_what_is_its_own(ada: View) -> None:
    planner = ada.view(node="/planner")
    mine = planner.write("mine").id
    shared = ada.write("from above", scope="global").id
    taken = planner.snapshots.take("then")
    ada.supersede(shared, "from above, changed")
    planner.supersede(mine, "mine, changed")
    assert set(planner.snapshots.changes(taken).superseded) == {mine, shared}
    assert planner.snapshots.restore(taken).superseded == (mine,)
    assert planner.get(shared).text == "from above, changed"


def test_comparing_costs_as_much_as_changed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many([f"note {n}" for n in range(300)])
        ada.snapshots.take("then")
    db = apsw.Connection(str(path))
    from foveal.backends.sqlite.connection import queries

    values = {"organism": 1, "since": 0, "until": 1}
    plan = [row[3] for row in db.execute(f"explain query plan {queries()['changed_between']}", values)]
    assert not [step for step in plan if step.startswith("SCAN") and "SUBQUERY" not in step]
    assert sum("recorded_at>? AND recorded_at<?" in step for step in plan) == 1
    assert sum("forgotten_at>? AND forgotten_at<?" in step for step in plan) == 1
    db.close()


def test_the_asynchronous_memory_goes_back_too(tmp_path: Path) -> None:
    async def story() -> str:
        async with AsyncMemory(tmp_path / "m.db") as memory:
            ada = memory.view(actor_id="ada")
            written = await ada.write("first")
            taken = await ada.snapshots.take("then")
            await ada.supersede(written.id, "second")
            return (await (await ada.snapshots.at(taken)).get(written.id)).text

    assert asyncio.run(story()) == "first"


def test_a_restore_is_a_move_that_can_be_undone(ada: View) -> None:
    stays = ada.write("The lamp is green.")
    ada.snapshots.take("before")
    later = ada.write("The lamp is on the shelf.")
    ada.forget(stays.id)
    done = ada.snapshots.restore("before")
    assert done.move is not None
    assert [one.id for one in ada.timeline()] == [stays.id]
    [row] = [one for one in ada.lifecycle.journal() if one.id == done.move]
    assert (row.what, row.why) == ("restored", "restored before")
    ada.lifecycle.undo(done.move)
    assert [one.id for one in ada.timeline()] == [later.id]


def test_snapshots_travel_with_an_export(ada: View, tmp_path: Path) -> None:
    kept = ada.write("The lamp is green.")
    taken = ada.snapshots.take("green")
    ada.supersede(kept.id, "The lamp is blue.")
    ada.admin.export(tmp_path / "all.jsonl")
    eve = ada.view(actor_id="eve")
    assert eve.admin.import_(tmp_path / "all.jsonl").snapshots == 1
    assert eve.snapshots.list() == [taken]
    assert eve.snapshots.at("green").get(kept.id).text == "The lamp is green."
    assert eve.get(kept.id).text == "The lamp is blue."
    assert eve.admin.import_(tmp_path / "all.jsonl").snapshots == 0
