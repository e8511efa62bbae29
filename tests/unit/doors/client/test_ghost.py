"""While the server is away its last answers are shown, with their age, until they are too old."""

import asyncio
import re
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal import MemoryClient
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
    ada.connection.engrams.cache.note(ada.connection.ghosts.server, True)  # pyright: ignore[reportOptionalMemberAccess]
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
    ada.close()
    folder = tmp_path / "ghost"
    assert {one.name for one in folder.iterdir()} == {"status.json", "agents", "reads", "crystals", "_meta"}
    assert {one.name for one in (folder / "_meta").iterdir()} == {"last_sync.txt", "stability_score.json"}
    for path in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_a_key_encrypts_all_of_it(connected: Connect, line: Line, tmp_path: Path) -> None:
    sealed = Settings(second_look="off", ghost_key="a long passphrase")
    ada = connected(settings=sealed).view(actor_id="ada")
    ada.write("Ada drinks tea in the morning.")
    ada.search("tea")
    ada.stats()
    ada.engram("plan", {"step": "tea"})
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
    assert cache.status().ghosts == {"status": 0, "agents": 0, "reads": 0, "crystals": 0}


def test_an_engram_is_manifest_until_it_is_too_old(ada: RemoteMemory, clock: ManualClock, tmp_path: Path) -> None:
    kept = ada.engram("plan", {"step": 3, "open": ["tests"]})
    assert Path(kept.path).parent == tmp_path / "ghost" / "agents"
    found = ada.manifest("plan")
    assert (found.state, found.level) == ({"step": 3, "open": ["tests"]}, Level.FRESH)
    with pytest.raises(NotFound, match="no engram 'plan'"):
        ada.view(actor_id="ben").manifest("plan")
    ada.forget({"kind": "note"})
    clock.turn(timedelta(seconds=90))
    assert ada.manifest("plan").level is Level.STALE
    clock.turn(timedelta(minutes=10))
    with pytest.raises(TooStale):
        ada.manifest("plan")


def test_the_paths_of_the_client_are_invoked_where_it_is(ada: RemoteMemory) -> None:
    assert {"self.memory.engram", "self.memory.manifest", "self.memory.recall"} <= {one.path for one in ada.paths()}
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
