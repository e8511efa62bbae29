"""While the server is away its last answers are shown, with their age, until they are too old."""

import asyncio
import re
import stat
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import httpx2
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal import Memory, MemoryClient
from foveal.config import Settings
from foveal.doors.client.ghosts import GhostCache, Place, labelled, steadied, threshold
from foveal.doors.client.memory import RemoteMemory
from foveal.errors import CircuitOpen, Invalid, NotFound, StoreUnavailable, TooStale
from foveal.model.query import At
from foveal.model.server import Ghost, GhostKind, Level
from foveal.testing import ManualClock

from .conftest import Connect, Line

BASE = timedelta(seconds=120)
TICK = timedelta(microseconds=1)


@pytest.fixture
def ada(connected: Connect) -> RemoteMemory:
    memory = connected().view(actor_id="ada")
    memory.write("Ada drinks tea in the morning.")
    return memory


def _limit(calls: int, base: timedelta = BASE) -> timedelta:
    """The threshold after so many answers and one failure."""
    stability = 0.0
    for _ in range(calls):
        stability = steadied(stability, True)
    return threshold(base, steadied(stability, False))


def test_a_read_is_shown_as_new_then_with_its_age_then_no_more(
    ada: RemoteMemory, line: Line, clock: ManualClock
) -> None:
    """D7, through the client."""
    live = ada.read("what does Ada drink?", token_budget=200)
    line.cut = True
    limit = _limit(1)
    fresh = ada.read("what does Ada drink?", token_budget=200)
    assert fresh.text == live.text
    assert fresh.receipt.degraded == ("ghost: 0s old",)
    ada.connection.breaker.reset()
    ada.connection.ghosts.cache.note(ada.connection.ghosts.server, True)  # pyright: ignore[reportOptionalMemberAccess]
    clock.turn(timedelta(seconds=200))
    stale = ada.read("what does Ada drink?", token_budget=200)
    assert stale.text.startswith("[GHOST] the memory is away; this is from 3m ago\n<memory")
    assert stale.receipt.degraded == ("ghost: 3m old",)
    assert live.text in stale.text and stale.tokens <= 200
    clock.turn(2 * limit)
    with pytest.raises(TooStale, match="too old to show") as caught:
        ada.read("what does Ada drink?", token_budget=200)
    assert isinstance(caught.value.__cause__, StoreUnavailable)


@pytest.mark.parametrize("past", [-TICK, timedelta(0)])
@pytest.mark.parametrize("times", [1, 2])
def test_the_edges_are_at_the_threshold_and_at_twice_it(
    ada: RemoteMemory, line: Line, clock: ManualClock, past: timedelta, times: int
) -> None:
    ada.search("tea")
    line.cut = True
    clock.turn(times * _limit(1) + past)
    ghosts = ada.connection.ghosts
    assert ghosts is not None
    if times == 2 and not past:
        with pytest.raises(TooStale):
            ada.search("tea")
        return
    assert ada.search("tea")
    assert ghosts.last is not None
    assert ghosts.last[1] is (Level.FRESH if times == 1 and past else Level.STALE)


def test_a_ghost_that_another_version_kept_is_none(ada: RemoteMemory, line: Line, tmp_path: Path) -> None:
    ada.search("tea")
    [kept] = (tmp_path / "ghost" / "reads").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b'"relevance"', b'"score"'))
    line.cut = True
    with pytest.raises(StoreUnavailable):
        ada.search("tea")


def test_dictionaries_say_that_they_are_ghosts(ada: RemoteMemory, line: Line, clock: ManualClock) -> None:
    client = MemoryClient(ada)
    assert "is_ghost" not in client.search_memory("tea")
    line.cut = True
    clock.turn(timedelta(seconds=5))
    found = client.search_memory("tea")
    assert (found.get("is_ghost"), found.get("ghost_age_seconds")) == (True, 5.0)
    assert found["memories"][0]["content"] == "Ada drinks tea in the morning."
    line.cut = False
    assert "is_ghost" not in client.search_memory("tea")


def test_ghosts_are_shown_while_the_circuit_is_open(ada: RemoteMemory, line: Line) -> None:
    ada.search("tea")
    line.cut = True
    for _ in range(5):
        assert ada.search("tea")
    with pytest.raises(CircuitOpen):
        ada.search("something never asked")


def test_nobody_is_shown_the_ghost_of_another(connected: Connect, line: Line) -> None:
    memory = connected()
    memory.write("Ada's secret", actor_id="ada", world="w")
    assert memory.search("secret", actor_id="ada", world="w")
    line.cut = True
    others: tuple[At, ...] = (
        {"actor_id": "ben", "world": "w"},
        {"actor_id": "ada"},
        {"actor_id": "ada", "world": "w", "node": "/x"},
        {"actor_id": "ada", "world": "w", "session_id": "s"},
    )
    for said in others:
        with pytest.raises(StoreUnavailable):
            memory.search("secret", **said)
        memory.connection.breaker.reset()
    with pytest.raises(StoreUnavailable):
        connected(key="another").search("secret", actor_id="ada", world="w")
    assert memory.search("secret", actor_id="ada", world="w")


def test_what_is_forgotten_is_not_shown_again(ada: RemoteMemory, line: Line) -> None:
    [hit] = ada.search("tea")
    ada.read("tea")
    ada.stats()
    other = ada.view(actor_id="ben")
    other.stats()
    ada.forget(hit.id)
    line.cut = True
    for ask in (lambda: ada.search("tea"), lambda: ada.read("tea"), lambda: ada.stats()):
        with pytest.raises(StoreUnavailable):
            ask()
        ada.connection.breaker.reset()
    assert other.stats().records == 0


def test_what_is_to_be_forgotten_is_not_shown_even_if_the_server_did_not_hear(
    ada: RemoteMemory, line: Line
) -> None:
    [hit] = ada.search("tea")
    line.cut = True
    with pytest.raises(StoreUnavailable):
        ada.forget(hit.id)
    with pytest.raises(StoreUnavailable):
        ada.search("tea")


def test_what_the_server_says_is_gone_is_gone(ada: RemoteMemory, connected: Connect, line: Line) -> None:
    [hit] = ada.search("tea")
    ada.get(hit.id)
    connected(ghost=False).forget(hit.id, actor_id="ada")
    with pytest.raises(NotFound):
        ada.get(hit.id)
    line.cut = True
    with pytest.raises(StoreUnavailable):
        ada.get(hit.id)


def test_writes_are_never_answered_by_a_ghost(ada: RemoteMemory, line: Line) -> None:
    ada.write("the same words", idempotency_key="k")
    line.cut = True
    with pytest.raises(StoreUnavailable):
        ada.write("the same words", idempotency_key="k")


def test_the_folder_is_laid_out_as_promised_and_for_its_owner_only(ada: RemoteMemory, tmp_path: Path) -> None:
    ada.search("tea")
    ada.stats()
    ada.ledger.store_agent_state("planner", {"step": 1})
    ada.ledger.get_agent_state("planner")
    ada.crystals.lineages()
    ada.tape.build()
    ada.tape.map()
    ada.close()
    folder = tmp_path / "ghost"
    rooms = {"status.json", "map.json", "agents", "reads", "crystals", "_meta"}
    assert {one.name for one in folder.iterdir()} == rooms
    [index] = [one for one in (folder / "agents").iterdir() if one.name == "_index.json"]
    [[name, entry]] = msgspec.json.decode(index.read_bytes()).items()
    assert (folder / "agents" / name).exists() and entry["verb"] == "ledger.get_agent_state"
    assert {one.name for one in (folder / "_meta").iterdir()} == {"last_sync.txt", "stability_score.json"}
    for path in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_a_key_encrypts_all_of_it(connected: Connect, line: Line, tmp_path: Path) -> None:
    sealed = Settings(second_look="off", ghost_after=60, ghost_key="a long passphrase")
    ada = connected(settings=sealed).view(actor_id="ada")
    ada.write("Ada drinks tea in the morning.")
    ada.search("tea")
    ada.stats()
    ada.engram("plan", {"step": "tea"})
    ada.manifest("plan")
    for path in (tmp_path / "ghost").rglob("*.json"):
        if path.parent.name != "_meta":
            assert b"tea" not in path.read_bytes() and b"records" not in path.read_bytes()
    line.cut = True
    assert connected(settings=sealed).view(actor_id="ada").search("tea")
    for other in (Settings(second_look="off"), Settings(second_look="off", ghost_key="another")):
        with pytest.raises(StoreUnavailable):
            connected(settings=other).view(actor_id="ada").search("tea")


def _cut(data: bytes) -> bytes:
    return data[:-7]


def _not_text(data: bytes) -> bytes:
    return data[:4] + b"\xff" + data[5:]


@pytest.mark.parametrize("damage", [_cut, _not_text])
def test_a_half_written_or_damaged_ghost_is_none(
    ada: RemoteMemory, line: Line, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    ada.search("tea")
    ada.stats()
    for path in (tmp_path / "ghost").rglob("*.json"):
        path.write_bytes(damage(path.read_bytes()))
    line.cut = True
    for ask in (lambda: ada.search("tea"), lambda: ada.stats()):
        with pytest.raises(StoreUnavailable):
            ask()
    line.cut = False
    ada.connection.breaker.reset()
    assert ada.search("tea") and ada.stats()


def test_a_folder_that_cannot_be_written_stops_nothing(
    connected: Connect, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    ada = connected(ghost=tmp_path / "file" / "ghost").view(actor_id="ada")
    assert ada.search("tea") == []
    assert "a ghost could not be kept" in caplog.text


def test_the_oldest_go_when_there_is_too_much(tmp_path: Path, clock: ManualClock) -> None:
    cache = GhostCache(tmp_path / "ghost", most_bytes=20_000, clock=clock)

    def place(number: int) -> Place:
        return Place(server="s", actor="a", room=GhostKind.READS, question=str(number))

    for number in range(40):
        path = cache.keep(place(number), Ghost(verb="read", at=clock.now(), answer="x" * 1000))
        # Files of one instant have no order: let each be a second younger.
        path.touch()
    status = cache.status()
    assert status.bytes <= 20_000 and 10 <= status.ghosts["reads"] <= 19
    assert cache.find(place(39)) is not None
    assert cache.find(place(0)) is None
    assert cache.clear() == status.ghosts["reads"]
    assert cache.status().ghosts == {"status": 0, "map": 0, "agents": 0, "reads": 0, "crystals": 0}


def test_an_engram_is_kept_where_the_memory_is_until_it_is_overwritten(
    ada: RemoteMemory, line: Line, served: Memory, clock: ManualClock
) -> None:
    ada.engram("plan", {"step": 2})
    ada.engram("plan", {"step": 3, "open": ["tests"]})
    clock.turn(timedelta(days=400))
    shown = served.manifest("plan", actor_id="ada")
    assert (shown.state, shown.age, shown.node) == ({"step": 3, "open": ["tests"]}, timedelta(days=400), "/")
    assert ada.manifest("plan") == shown
    with pytest.raises(NotFound, match="no engram 'plan'"):
        ada.view(actor_id="ben").manifest("plan")
    line.cut = True
    clock.turn(timedelta(seconds=30))
    assert ada.manifest("plan").age == timedelta(days=400, seconds=30), "a ghost is as old as what it shows"


def test_engrams_of_a_node_are_its_own_and_those_of_the_root_are_everyones(served: Memory) -> None:
    root, planner = served.view(actor_id="ada"), served.view(actor_id="ada", node="/planner")
    root.engram("plan", "for all")
    planner.engram("draft", "mine")
    assert planner.manifest("plan").state == "for all"
    with pytest.raises(NotFound):
        root.manifest("draft")
    planner.engram("told", "to all", scope="global")
    assert root.manifest("told").node == "/planner"


class Slow:
    """A line on which answers wait until they are let through."""

    def __init__(self, line: Line) -> None:
        self.go = threading.Event()
        line.instead = self._wait

    def _wait(self, request: httpx2.Request) -> None:
        assert self.go.wait(60)


def test_a_slow_server_is_answered_by_the_ghost_which_the_live_call_refreshes(
    connected: Connect, line: Line, clock: ManualClock
) -> None:
    ada = connected(settings=Settings(second_look="off", ghost_after=0.01)).view(actor_id="ada")
    ghosts, breaker = ada.connection.ghosts, ada.connection.breaker
    assert ghosts is not None
    first = ada.stats()
    ada.write("Ada drinks tea in the morning.")
    clock.turn(timedelta(seconds=5))
    slow = Slow(line)
    for _ in range(5):
        assert ada.stats() == first
        assert ghosts.last is not None and ghosts.last[0] == timedelta(seconds=5)
    assert len([request for request in line.requests if "/stats" in str(request.url)]) == 2, "one call is under way"
    assert breaker.circuit.state == "CLOSED"
    under_way = list(ghosts._under_way.values())  # pyright: ignore[reportPrivateUsage]
    slow.go.set()
    [live] = [future.result(60) for future in under_way]
    assert live.records == 1
    line.cut = True
    assert ada.stats().records == 1, "the ghost was refreshed"


def test_a_write_waits_for_its_answer(connected: Connect, line: Line) -> None:
    ada = connected(settings=Settings(second_look="off", ghost_after=0.0)).view(actor_id="ada")
    slow = Slow(line)
    threading.Timer(0.1, slow.go.set).start()
    assert ada.write("Ada drinks tea.").id


def test_an_answer_from_before_an_erasure_is_not_kept(connected: Connect, line: Line) -> None:
    ada = connected(settings=Settings(second_look="off", ghost_after=0.0)).view(actor_id="ada")
    note = ada.write("The gate code is 4711.")
    ada.search("gate code")
    ghosts = ada.connection.ghosts
    assert ghosts is not None
    slow = Slow(line)
    ada.search("gate code")
    under_way = list(ghosts._under_way.values())  # pyright: ignore[reportPrivateUsage]
    line.instead = None
    ada.forget(note.id, hard=True)
    slow.go.set()
    for future in under_way:
        future.result(60)
    line.cut = True
    with pytest.raises(StoreUnavailable):
        ada.search("gate code")


def test_a_resumed_crystal_is_shown_while_the_server_is_away(ada: RemoteMemory, line: Line) -> None:
    crystal = ada.crystals.crystallize([{"role": "user", "content": "We sail on Tuesday."}])
    live = ada.crystals.resume(crystal.crystal_id)
    line.cut = True
    assert ada.crystals.resume(crystal.crystal_id).window == live.window


def test_the_last_sync_moves_only_when_the_server_answers(
    ada: RemoteMemory, line: Line, clock: ManualClock, tmp_path: Path
) -> None:
    ada.stats()
    answered = clock.now()
    line.cut = True
    for _ in range(3):
        clock.turn(timedelta(seconds=10))
        ada.stats()
    ada.close()
    assert (tmp_path / "ghost" / "_meta" / "last_sync.txt").read_text() == answered.isoformat()


def test_the_paths_are_invoked_where_the_memory_is(ada: RemoteMemory) -> None:
    assert {"self.memory.engram", "self.memory.manifest", "self.memory.recall"} <= {
        one.path for one in ada.admin.paths()
    }
    ada.invoke("self.memory.engram", name="plan", state={"step": 1})
    assert ada.invoke("self.memory.manifest", name="plan")["state"] == {"step": 1}
    assert "tea" in ada.invoke("self.memory.recall", query="what does Ada drink?")["text"]


def test_a_client_invokes_every_path_here_and_where_the_memory_is(ada: RemoteMemory) -> None:
    client = MemoryClient(ada)
    client.set_user_id("ada")

    async def story() -> None:
        await client.invoke("self.memory.engram", name="plan", state={"step": 2})
        assert (await client.invoke("self.memory.manifest", name="plan"))["state"] == {"step": 2}
        said = [{"role": "user", "content": "We sail on Tuesday."}]
        made = await client.invoke("self.memory.crystallize", context=said)
        assert (await client.invoke("self.memory.cherish", crystal_id=made["crystal_id"]))["pinned"] is True
        await client.invoke("self.memory.cherish", crystal_id=made["crystal_id"], uncherish=True)
        assert (await client.invoke("self.memory.compost", crystal_id=made["crystal_id"]))["reaped_count"] == 1
        with pytest.raises(NotFound, match="did you mean"):
            await client.invoke("self.memory.cherisch", crystal_id="x")
        with pytest.raises(Invalid, match="needs name"):
            await client.invoke("self.memory.manifest")

    asyncio.run(story())


@given(budget=st.integers(60, 400), texts=st.lists(st.text("ab \n[]<", min_size=1, max_size=60), max_size=8))
def test_the_mark_never_makes_a_context_longer_than_its_budget(budget: int, texts: list[str]) -> None:
    from foveal import Memory
    from foveal.backends.models.tokens import BpeCounter

    count = BpeCounter("o200k_base").count
    with Memory(":memory:", settings=Settings(second_look="off", metabolism="off")) as memory:
        memory.write_many([{"text": one or "x"} for one in texts if one.strip()], actor_id="ada")
        live = memory.read("ab", token_budget=budget, actor_id="ada")
    shown = labelled(live, timedelta(minutes=7), Level.STALE, lambda name: count)
    assert count(shown.text) == shown.tokens <= budget
    assert shown.text.startswith("[GHOST]") or shown.text == ""
    assert shown.text.count("</memory>") == shown.text.count("<memory")
    cut = {one.id for one in shown.receipt.cut} - {one.id for one in live.receipt.cut}
    assert {one.id for one in live.items} == {one.id for one in shown.items} | cut
    assert shown.receipt.chosen == len(shown.items) == len(re.findall(r"user(?: \(older\))?: ", shown.text))
