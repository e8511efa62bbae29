"""A fork goes on from a snapshot, apart from the memory it came from."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foveal import AsyncMemory, Memory, Settings
from foveal.engine.memory import View
from foveal.errors import Forbidden, Invalid, NotFound, Pinned, Unsupported
from foveal.model.server import Database
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = [f"word{n}" for n in range(60)]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(MONDAY)


@pytest.fixture(
    params=["ram", "sqlite", *(pytest.param(one, marks=pytest.mark.server) for one in ("pg", "inside"))]
)
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    if request.param in ("ram", "sqlite"):
        url, settings = (
            ":memory:" if request.param == "ram" else tmp_path / "memory.db",
            Settings(second_look="off"),
        )
    else:
        url = request.getfixturevalue("database")
        settings = (
            Settings(second_look="off", postgres=Database(mirror_records=0))
            if request.param == "inside"
            else Settings(second_look="off")
        )
    with Memory(url, clock=clock, settings=settings) as memory:
        yield memory


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def test_a_fork_reads_the_snapshot_and_writes_apart(ada: View) -> None:
    home = ada.write("Ada lives in Oslo.").id
    boat = ada.write("The boat is red.").id
    tea = ada.write("Ada drinks green tea.").id
    ada.snapshots.take("monday")
    ada.write("Ada bought a bicycle.")
    before = [*ada.timeline(), ada.stats()]
    fork = ada.snapshots.fork("monday")
    fork.supersede(home, "Ada lives in Bergen.")
    fork.forget(boat)
    new = fork.write("Ada sings in a choir.").id
    assert {one.text for one in fork.timeline()} == {
        "Ada lives in Bergen.",
        "Ada drinks green tea.",
        "Ada sings in a choir.",
    }
    assert fork.get(home).text == "Ada lives in Bergen."
    assert [one.text for one in fork.history(home)] == ["Ada lives in Oslo.", "Ada lives in Bergen."]
    assert [hit.text for hit in fork.search("where does Ada live", k=1)] == ["Ada lives in Bergen."]
    assert not [
        hit for hit in fork.search("the red boat, a bicycle", k=9) if hit.id == boat or "bicycle" in hit.text
    ]
    with pytest.raises(NotFound):
        fork.get(boat)
    changed = fork.changes()
    assert (changed.added, changed.superseded, changed.forgotten) == ((new,), (home,), (boat,))
    assert fork.stats().records == 3
    assert sum(one.records for one in fork.browse.regions()) == 3
    assert [one.id for one in fork.get_many([tea, boat, new])] == [tea, new]
    assert [*ada.timeline(), ada.stats()] == before
    assert ada.lifecycle.journal() == []


def test_a_fork_is_taken_up_again_by_its_name_and_dropped_for_good(ada: View) -> None:
    ada.write("Ada lives in Oslo.")
    taken = ada.snapshots.take("monday")
    ada.snapshots.fork(taken, "plan a").write("We take the train.")
    ada.snapshots.fork(taken, "plan b").write("We take the ferry.")
    assert {one.text for one in ada.snapshots.fork("monday", "plan a").timeline()} == {
        "Ada lives in Oslo.",
        "We take the train.",
    }
    assert ada.snapshots.fork(taken, "plan a").drop() == 1
    assert [one.text for one in ada.snapshots.fork(taken, "plan a").timeline()] == ["Ada lives in Oslo."]
    assert len(ada.snapshots.fork(taken, "plan b").timeline()) == 2
    assert len(ada.timeline()) == 1


def test_what_the_original_forgets_or_erases_is_gone_from_its_forks(ada: View) -> None:
    secret, other = ada.write("a secret").id, ada.write("another secret").id
    fork = ada.snapshots.fork(ada.snapshots.take("then"))
    assert len(fork.timeline()) == 2
    ada.forget(secret)
    ada.forget(other, hard=True)
    assert fork.timeline() == []
    assert fork.search("secret") == []


def test_what_is_forgotten_in_a_fork_leaves_no_copy_of_its_text(ada: View, memory: Memory) -> None:
    secret = ada.write("a secret about the vault", metadata={"code": 4521}).id
    fork = ada.snapshots.fork(ada.snapshots.take("then"))
    fork.forget(secret)
    world = fork.write("x").addresses[0].world
    own = memory.view(actor_id="ada", world=world)._runtime.store  # pyright: ignore[reportPrivateUsage]
    access = memory._runtime.access(fork._viewpoint({}), as_owner=True, include_hidden=True)  # pyright: ignore[reportPrivateUsage]
    [copy] = own.records.get(access, [secret])
    assert "vault" not in copy.text
    assert copy.metadata == {}


def test_a_fork_and_its_origin_are_ranked_together_as_one_memory_is(memory: Memory) -> None:
    rng = random.Random(3)
    texts = [" ".join(rng.choices(WORDS, k=8)) for _ in range(240)]
    whole, parted = memory.view(actor_id="whole"), memory.view(actor_id="parted")
    whole.write_many(texts)
    parted.write_many(texts[:200])
    fork = parted.snapshots.fork(parted.snapshots.take("then"))
    fork.write_many(texts[200:])
    for _ in range(20):
        question = " ".join(rng.choices(WORDS, k=3))
        alone = [hit.text for hit in whole.search(question, k=10)]
        forked = [hit.text for hit in fork.search(question, k=10)]
        # Records of both are of different age in their own memories, which decides between near ties.
        assert forked[0] in alone[:3]
        assert len(set(forked) & set(alone)) >= 9


def test_a_fork_never_exceeds_a_budget(ada: View) -> None:
    rng = random.Random(5)
    ada.write_many([" ".join(rng.choices(WORDS, k=20)) for _ in range(40)])
    fork = ada.snapshots.fork(ada.snapshots.take("then"))
    fork.write_many([" ".join(rng.choices(WORDS, k=20)) for _ in range(40)])
    own = {one.id for one in fork.timeline() if one.id in fork.changes().added}
    for budget in (80, 200, 700, 3000):
        context = fork.read("word1 word2 word3", token_budget=budget)
        assert 0 < context.tokens <= budget
    assert own & {item.id for item in context.items}
    assert {item.id for item in context.items} - own
    # What was just read and comes back is an echo, also of a record below.
    heard = [item.record for item in context.items]
    for one in (next(one for one in heard if one.id in own), next(one for one in heard if one.id not in own)):
        assert fork.write(one.text).echoes == (one.id,)
    assert ada.browse.recalls() == []


def test_pages_of_a_fork_go_through_both_once(ada: View, clock: ManualClock) -> None:
    fork_ids: list[str] = []
    for n in range(6):
        ada.write(f"below {n}")
        clock.turn(timedelta(seconds=n % 2))
    fork = ada.snapshots.fork(ada.snapshots.take("then"))
    fork_ids = [fork.write(f"above {n}").id for n in range(5)]
    for newest in (True, False):
        seen: list[str] = []
        cursor = None
        while True:
            page = fork.browse.page(limit=2, cursor=cursor, newest_first=newest)
            seen += [one.id for one in page.records]
            cursor = page.cursor
            if cursor is None:
                break
        assert len(seen) == len(set(seen)) == 11
        assert set(fork_ids) <= set(seen)
        assert seen == [one.id for one in fork.timeline(newest_first=newest)]


def test_nobody_sees_the_fork_of_another(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    ada.write("Ada lives in Oslo.", scope="local")
    taken = ada.snapshots.take("then")
    fork = ada.snapshots.fork(taken)
    fork.write("Ada will move to Bergen.", node="/planner")
    bob = memory.view(actor_id="bob").snapshots.fork(taken)
    assert bob.timeline() == []
    assert bob.search("Bergen Oslo") == []
    # Scopes hold inside a fork: what a node wrote for itself does not reach the root.
    assert fork.search("Bergen", node="/other") == []
    assert [hit.text for hit in fork.search("Bergen", node="/planner", k=1)] == ["Ada will move to Bergen."]
    for elsewhere in ({"actor_id": "bob"}, {"world": "default"}):
        for call in (fork.search, fork.write, fork.get, fork.forget, fork.history):
            with pytest.raises(Invalid):
                call("x", **elsewhere)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownArgumentType]


def test_a_fork_refuses_what_it_cannot_do(ada: View) -> None:
    pinned = ada.write("keep this", pin=True).id
    shared = ada.write("from above", scope="shared").id
    fork = ada.snapshots.fork(ada.snapshots.take("then"))
    with pytest.raises(Pinned):
        fork.forget(pinned)
    with pytest.raises(Unsupported):
        fork.forget(shared, hard=True)
    with pytest.raises(Forbidden):
        fork.supersede(shared, "from below", node="/a")
    with pytest.raises(Forbidden):
        fork.forget(shared, node="/a")
    assert len(fork.timeline()) == 2


def test_a_fork_costs_what_is_written_in_it(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many([f"note {n} about the garden" for n in range(2_000)])
        taken = ada.snapshots.take("then")
        before = ada.stats().versions
        fork = ada.snapshots.fork(taken)
        fork.write("one more")
        store = memory._runtime.store  # pyright: ignore[reportPrivateUsage]
        own = memory._runtime.access(fork._viewpoint({}), as_owner=True, include_hidden=True)  # pyright: ignore[reportPrivateUsage]
        assert store.counts.stats(own).versions == 1
        assert ada.stats().versions == before


def test_a_fork_can_be_awaited(tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncMemory(tmp_path / "m.db") as memory:
            ada = memory.view(actor_id="ada")
            await ada.write("Ada lives in Oslo.")
            await ada.snapshots.take("then")
            fork = await ada.snapshots.fork("then", "plan")
            await fork.write("Ada sings.")
            assert len(await fork.timeline()) == 2
            assert len((await fork.changes()).added) == 1

    asyncio.run(story())
