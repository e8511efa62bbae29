"""Every verb, on every store, does what it says."""

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import exp
from pathlib import Path

import pytest

from foveal import AsyncMemory, Memory, MemoryClient, Scope, create_memory_service
from foveal.engine.admin import Admin
from foveal.engine.async_memory import (
    AsyncAdmin,
    AsyncBrowse,
    AsyncCrystals,
    AsyncFork,
    AsyncGroups,
    AsyncLedger,
    AsyncLifecycle,
    AsyncLinks,
    AsyncLongTerm,
    AsyncNodes,
    AsyncOperational,
    AsyncPast,
    AsyncSessions,
    AsyncSnapshots,
    AsyncTape,
    AsyncView,
)
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.entries import Nodes
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle.lifecycle import Lifecycle
from foveal.engine.memory import View
from foveal.engine.past import Fork, Past, Snapshots
from foveal.engine.records.relations import Groups, Links, Sessions
from foveal.engine.records.verbs import Browse
from foveal.engine.tape.tape import TapeVerbs
from foveal.errors import Conflict, NotFound
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(MONDAY)


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db", clock=clock) as memory:
        yield memory


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def test_a_write_is_readable_at_once(ada: View) -> None:
    written = ada.write("The door code is 4711.", speaker="Ada", tags=["home"])
    assert ada.search("what is the door code?")[0].id == written.id
    assert ada.search("home")[0].id == written.id
    assert ada.get(written.id).address == written.address
    assert str(written.address).startswith("default/agent:ada#")
    assert len(written.address.digits) == 9


def test_hits_explain_themselves_and_name_their_encoder(ada: View) -> None:
    ada.write("The door code is 4711.")
    [hit] = ada.search("door code", explain=True)
    assert hit.parts is not None
    assert set(hit.parts) >= {"words", "meaning"}
    relevance = 1 / (1 + exp(-sum(hit.parts.values())))
    assert hit.relevance == pytest.approx(relevance, abs=1e-4)  # pyright: ignore[reportUnknownMemberType]
    assert hit.encoder == "foveal-static-1"
    assert ada.search("door code")[0].parts is None


def test_the_viewpoint_goes_with_every_call_or_is_bound_once(memory: Memory) -> None:
    planner = memory.view(actor_id="ada", node="/planner", session_id="s1")
    record = planner.get(planner.write("a local thought").id, touch=False)
    assert (record.node, record.session_id, record.scope) == ("/planner", "s1", Scope.LOCAL)
    with pytest.raises(NotFound):
        memory.get(record.id, actor_id="ada")
    assert memory.get(record.id, actor_id="ada", node="/planner") == record
    shared = planner.write("for all", scope="global", session_id="s2")
    assert memory.view(actor_id="ada").get(shared.id).session_id == "s2"


def test_superseding_keeps_history_and_both_clocks(ada: View, clock: ManualClock) -> None:
    first = ada.write("Ada lives in Oslo.", tags=["home"], importance=0.8)
    clock.turn(timedelta(days=7))
    second = ada.supersede(first.id, "Ada lives in Bergen.")
    assert (second.id, second.version, second.tags) == (first.id, 2, ("home",))
    assert second.vitals.importance == 0.8
    assert [one.text for one in ada.history(first.id)] == ["Ada lives in Oslo.", "Ada lives in Bergen."]
    assert [hit.text for hit in ada.search("where does Ada live?")] == ["Ada lives in Bergen."]
    then = MONDAY + timedelta(days=1)
    assert ada.get(first.id, as_of=then).text == "Ada lives in Oslo."
    assert ada.search("where does Ada live?", as_of=then)[0].text == "Ada lives in Oslo."
    assert ada.search("where does Ada live?", valid_at=then)[0].text == "Ada lives in Oslo."


def test_forgetting_hides_and_erasing_removes(ada: View) -> None:
    soft, hard = ada.write("a soft secret"), ada.write("a hard secret")
    assert ada.forget(soft.id).ids == (soft.id,)
    with pytest.raises(NotFound):
        ada.get(soft.id)
    assert ada.forget([hard.id, soft.id], hard=True).erased
    assert ada.search("secret") == []
    assert ada.stats().records == 0


def test_an_erased_text_is_nowhere_in_the_files(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many([f"harmless note {n}" for n in range(50)])
        secret = ada.write("the launch word is xylophonistic", tags=["quasarish"])
        ada.supersede(secret.id, "the launch word is zymurgical")
        ada.forget(secret.id, hard=True)
        found = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for word in (b"xylophonist", b"quasarish", b"zymurg"):
        assert word not in found


def test_pins_reinforcement_and_decay_need_no_rewriting(ada: View, clock: ManualClock) -> None:
    record = ada.write("matters", importance=0.5)
    assert ada.pin(record.id).vitals.pinned
    assert not ada.unpin(record.id).vitals.pinned
    clock.turn(timedelta(days=1))
    assert ada.lifecycle.reinforce(record.id).vitals.importance == pytest.approx(0.6)  # pyright: ignore[reportUnknownMemberType]
    assert ada.lifecycle.reinforce(record.id, 5).vitals.importance == 1
    assert ada.get(record.id).vitals.used_at == clock.now()


def test_links_children_and_groups(ada: View) -> None:
    root = ada.write("the trip").id
    a, b = (ada.write(text, parent_id=root).id for text in ("book the train", "pack the tent"))
    ada.links.add(a, b, kind="before", weight=0.4)
    ada.links.add(root, b)
    assert [one.id for one in ada.links.children(root)] == [a, b]
    assert [(one.record.id, one.link.kind) for one in ada.links.related(b)] == [(root, "relates"), (a, "before")]
    assert [one.record.id for one in ada.links.related(b, kind="before")] == [a]
    assert ada.links.remove(a, b) == 1
    group = ada.groups.add("summer", [b, a])
    assert ada.groups.add("summer").id == group.id
    assert [one.id for one in ada.groups.members(group.id)] == [a, b]
    ada.groups.remove(group.id, [a])
    assert [one.id for one in ada.groups.members(group.id)] == [b]
    assert ada.groups.list() == [group]


def test_timeline_regions_and_addresses(ada: View) -> None:
    for day in range(5):
        ada.write(f"day {day}", occurred_at=MONDAY + timedelta(days=day), region=f"r{day % 2}")
    texts = [one.text for one in ada.timeline(since=MONDAY + timedelta(days=1), until=MONDAY + timedelta(days=4))]
    assert texts == ["day 3", "day 2", "day 1"]
    assert [one.text for one in ada.timeline(newest_first=False, limit=2)] == ["day 0", "day 1"]
    assert [(one.region, one.records) for one in ada.browse.regions()] == [("r0", 3), ("r1", 2)]
    places = ada.browse.addresses(region="r0")
    assert [one.time_slice for one in places] == [2, 1, 0]
    assert ada.browse.addresses(prefix=places[0].digits)[0].digits == places[0].digits


def test_an_export_imports_into_an_equal_memory(ada: View, memory: Memory, tmp_path: Path) -> None:
    a = ada.write("alpha", metadata={"n": 1}, pin=True, scope="shared").id
    b = ada.view(node="/x").write("beta").id
    ada.supersede(a, "alpha two")
    ada.groups.add("g", [a])
    ada.links.add(a, ada.write("gamma").id)
    path = tmp_path / "out.jsonl"
    assert ada.admin.export(path) == 3
    with Memory(":memory:") as other:
        eve = other.view(actor_id="eve")
        done = eve.admin.import_(path)
        assert (done.records, done.versions, done.links, done.rejected) == (3, 1, 1, ())
        assert [one.text for one in eve.history(a)] == ["alpha", "alpha two"]
        assert eve.get(a).vitals.pinned
        assert eve.view(node="/x").get(b).text == "beta"
        assert [one.text for one in eve.groups.members(eve.groups.list()[0].id)] == ["alpha two"]
        assert eve.search("alpha two")[0].id == a
        again = eve.admin.import_(path)
        assert (again.records, again.versions, again.links, again.rejected) == (0, 0, 0, ())


def test_a_backup_opens_as_a_memory(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        memory.write("kept twice", actor_id="ada")
        memory.admin.backup(tmp_path / "copy.db")
        with pytest.raises(Conflict):
            memory.admin.backup(tmp_path / "copy.db")
    with Memory(tmp_path / "copy.db") as copy:
        assert copy.search("kept", actor_id="ada")[0].text == "kept twice"
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


def test_the_file_and_its_folder_are_private(tmp_path: Path) -> None:
    with Memory(tmp_path / "deep" / "folder" / "m.db"):
        assert (tmp_path / "deep" / "folder").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "deep" / "folder" / "m.db").stat().st_mode & 0o777 == 0o600


def test_any_function_may_encode(tmp_path: Path) -> None:
    def lengths(texts: list[str]) -> list[list[float]]:
        return [[len(text), text.count("e") + 1.0, 1.0] for text in texts]

    with Memory(tmp_path / "m.db", embedder=lengths) as memory:  # pyright: ignore[reportArgumentType]
        written = memory.write("hello", actor_id="ada")
        assert memory.search("hallo", actor_id="ada")[0].id == written.id
        assert "lengths" in written.encoder


async def _async_story(path: Path) -> None:
    async with AsyncMemory(path) as memory:
        ada = memory.view(actor_id="ada")
        written = await ada.write("the kettle is in the attic")
        assert (await ada.search("kettle"))[0].id == written.id
        assert (await memory.read("kettle", actor_id="ada", token_budget=200)).items[0].id == written.id


def test_the_asynchronous_memory_is_the_same_memory(tmp_path: Path) -> None:
    import asyncio

    asyncio.run(_async_story(tmp_path / "m.db"))
    with Memory(tmp_path / "m.db") as memory:
        assert [one.text for one in memory.timeline(actor_id="ada")] == ["the kettle is in the attic"]


def test_both_memories_have_the_same_verbs_and_signatures() -> None:
    verbs = {name for name in dir(View) if not name.startswith("_")}
    assert verbs == {name for name in dir(AsyncView) if not name.startswith("_")} - {"sync"}
    parts = {name for name in verbs if isinstance(getattr(View, name), property)}
    _same_signatures(View, AsyncView, verbs - parts - {"view"})


@pytest.mark.parametrize(
    "pair",
    [
        (Operational, AsyncOperational),
        (Ledger, AsyncLedger),
        (LongTerm, AsyncLongTerm),
        (Crystals, AsyncCrystals),
        (Browse, AsyncBrowse),
        (Links, AsyncLinks),
        (Groups, AsyncGroups),
        (Sessions, AsyncSessions),
        (Snapshots, AsyncSnapshots),
        (Lifecycle, AsyncLifecycle),
        (Nodes, AsyncNodes),
        (Admin, AsyncAdmin),
        (Past, AsyncPast),
        (Fork, AsyncFork),
        (TapeVerbs, AsyncTape),
    ],
)
def test_the_parts_of_both_memories_have_the_same_verbs_and_signatures(pair: tuple[type, type]) -> None:
    verbs = {name for name in dir(pair[0]) if not name.startswith("_")}
    assert verbs == {name for name in dir(pair[1]) if not name.startswith("_")} - {"sync"}
    _same_signatures(*pair, verbs - {"at", "fork", "browse"})


def _same_signatures(plain: type, awaited: type, verbs: set[str]) -> None:
    for name in verbs:
        assert inspect.signature(getattr(plain, name)) == inspect.signature(getattr(awaited, name))
        assert inspect.iscoroutinefunction(getattr(awaited, name))


async def _seed_story(path: Path) -> list[str]:
    service = create_memory_service(path)
    client = MemoryClient(service)
    await client.write(actor_id="hayden", text="I want to build an agent with memory", tags=["task"])
    response = await client.read(actor_id="hayden", query="What did I want to build?", token_budget=2048)
    lines = [f"{item.address}: {item.summary}" for item in response.context]
    service.close()
    return lines


def test_the_client_writes_and_reads_as_described(tmp_path: Path) -> None:
    import asyncio

    [line] = asyncio.run(_seed_story(tmp_path / "m.db"))
    assert line.startswith("default/agent:hayden#")
    assert line.endswith("@d2t0: I want to build an agent with memory")


def test_a_long_text_is_found_by_what_stands_in_its_middle(ada: View) -> None:
    filler = "The committee discussed the agenda and the minutes of the last meeting at length. " * 40
    long = ada.write(f"{filler}The spare key hangs behind the blue boiler. {filler}")
    ada.write_many([f"Where we keep things, part {n}" for n in range(30)])
    assert ada.search("where is the spare key?")[0].id == long.id


def test_the_same_text_has_the_same_digits_everywhere(ada: View, tmp_path: Path) -> None:
    text, moment = "The tape is the map.", MONDAY
    with Memory(tmp_path / "other.db") as other:
        there = other.write(text, actor_id="eve", world="mars", occurred_at=moment)
    assert ada.write(text, occurred_at=moment).address.digits == there.address.digits


def _meanings(texts: list[str]) -> list[list[float]]:
    """A tiny encoder that knows three things in three languages."""
    words = [("flight", "vuelo", "飞"), ("kitchen", "cocina", "厨房"), ("doctor", "médico", "医生")]
    rows = [[float(any(word in text.lower() for word in one)) for one in words] for text in texts]
    return [[*row, 0.1] for row in rows]


def test_a_question_in_another_language_finds_its_record_with_such_an_encoder(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", embedder=_meanings) as memory:  # pyright: ignore[reportArgumentType]
        ada = memory.view(actor_id="ada")
        ids = ada.write_many(["My flight leaves at nine.", "Pintamos la cocina de azul.", "我明天去看医生"]).ids
        asked = ["¿Cuándo sale mi vuelo?", "What colour is the kitchen?", "When do I see the doctor?"]
        assert [ada.search(question)[0].id for question in asked] == list(ids)


def test_a_vacuum_gives_room_back_and_loses_nothing(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        kept = ada.write("The lamp is green.")
        gone = ada.write_many(f"{n} " + "filler words " * 200 for n in range(300)).ids
        ada.forget(list(gone), hard=True)
        assert ada.admin.vacuum() > 100_000
        assert ada.search("lamp")[0].id == kept.id
        assert ada.admin.check() == []
    with Memory(":memory:") as memory:
        assert memory.admin.vacuum() == 0
