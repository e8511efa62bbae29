"""An actor stores no more than its quota, at any door and in many processes; a key does no more than its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.config import load_settings
from foveal.doors.grpc import GrpcRemote, GrpcServer
from foveal.doors.http import create_app
from foveal.doors.mcp import mcp_server
from foveal.doors.mcp.tools import Principal
from foveal.doors.service import ANYONE, Caller, Service
from foveal.engine.records.write import BATCH
from foveal.errors import Invalid, QuotaExceeded, StoreUnavailable
from foveal.model.results import Usage
from foveal.model.server import ActorQuota, KeyQuota, Quotas, Serving
from foveal.testing import ManualClock
from foveal.wire.problems import raised

MOST = 10
KEY = Caller(name="ci", subject="fov_1")


def limited(**actor: int) -> Settings:
    return Settings(metabolism="off", second_look="off", quotas=Quotas(actor=ActorQuota(**actor)))


@pytest.fixture(params=["ram", "sqlite", pytest.param("postgres", marks=pytest.mark.server)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("database")
    return ":memory:" if request.param == "ram" else str(tmp_path / "memory.db")


def test_an_actor_has_no_more_records_than_its_quota_until_some_are_erased(url: str) -> None:
    with Memory(url, settings=limited(records=MOST)) as memory:
        ada = memory.view(actor_id="ada")
        ids = [ada.write(f"Note {number}.").id for number in range(MOST)]
        with pytest.raises(QuotaExceeded, match="may store 10 records") as refused:
            ada.write("One too many.")
        assert refused.value.data == {"quota": "actor.records", "limit": MOST}
        memory.write("Bob has a quota of his own.", actor_id="bob")
        ada.supersede(ids[0], "A new version is no new record.")
        ada.forget(ids[1])
        with pytest.raises(QuotaExceeded):
            ada.write("What is forgotten is still stored.")
        ada.forget(ids[2], hard=True)
        assert ada.write("What is erased is not.").ids
        with pytest.raises(QuotaExceeded):
            ada.write("And that was all.")


def test_the_bytes_of_all_versions_count(url: str) -> None:
    with Memory(url, settings=limited(bytes=1000)) as memory:
        ada = memory.view(actor_id="ada")
        first = ada.write("ä" * 200, metadata={"where": "x" * 100}).id
        assert ada.stats().used == Usage(records=1, bytes=400 + len('{"where":""}') + 100)
        with pytest.raises(QuotaExceeded, match="1,000 bytes"):
            ada.supersede(first, "y" * 600)
        ada.supersede(first, "y" * 300)
        with pytest.raises(QuotaExceeded):
            ada.write("z" * 100)
        assert ada.get(first).version == 2
        ada.forget(first, hard=True)
        assert ada.stats().used == Usage()
        ada.write("z" * 900)


def test_a_batch_is_stored_up_to_the_quota_and_the_rest_is_rejected(url: str) -> None:
    with Memory(url, settings=limited(records=MOST)) as memory:
        ada = memory.view(actor_id="ada")
        items = [{"text": f"Note {number}."} for number in range(MOST + 3)]
        written = ada.write_many([*items, {"text": "Bob's.", "actor_id": "bob"}])
        assert len(written.ids) == MOST + 1
        assert [(item.index, item.code) for item in written.rejected] == [
            (number, "quota_exceeded") for number in range(MOST, MOST + 3)
        ]
        again = ada.write_many([f"Later {number}." for number in range(3)])
        assert again.ids == () and len(again.rejected) == 3


def test_a_value_that_a_person_gives_must_fit_the_quota(url: str) -> None:
    with Memory(url, settings=limited(bytes=4000)) as memory:
        ada = memory.view(actor_id="ada")
        ada.remember("I live in Oslo.")
        with pytest.raises(QuotaExceeded, match="4,000 bytes"):
            for number in range(MOST):
                ada.correct(ada.facts()[0].id, "wrong", value=f"Town{number} {'z' * 200}")
        [fact] = ada.facts()
        ada.correct(fact.id, "wrong")
        assert [known.id for known in ada.facts()] != [fact.id], "without a value there is always room"


def test_a_document_beyond_the_quota_is_refused_by_name(url: str) -> None:
    with Memory(url, settings=limited(records=1)) as memory:
        with pytest.raises(QuotaExceeded, match="may store 1 records"):
            memory.longterm.ingest_document(
                "tides.md", "# Tides\n\nHigh at noon.\n\n# Ebb\n\nLow at six.", actor_id="ada"
            )


def test_an_import_stops_at_the_quota(url: str, tmp_path: Path) -> None:
    with Memory(":memory:", settings=limited()) as memory:
        memory.write_many([f"Note {number}." for number in range(MOST + 2)], actor_id="ada")
        memory.admin.export(tmp_path / "ada.jsonl", actor_id="ada")
    with Memory(url, settings=limited(records=MOST)) as memory:
        done = memory.admin.import_(tmp_path / "ada.jsonl", actor_id="ada")
        assert (done.records, [item.code for item in done.rejected]) == (MOST, ["quota_exceeded"] * 2)


def test_the_statistics_have_a_line_for_the_quota(url: str) -> None:
    with Memory(url, settings=limited(records=MOST)) as memory:
        ada = memory.view(actor_id="ada")
        ada.write("Hidden from the root.", node="/planner")
        stats = ada.stats()
        assert (stats.quota, stats.records) == (ActorQuota(records=MOST), 0)
        assert stats.used == Usage(records=1, bytes=len("Hidden from the root.") + len("{}"))
        assert ada.stats(node="/planner").used is None, "a node does not learn what others stored"
    with Memory(":memory:") as memory:
        assert memory.stats(actor_id="ada").quota is None


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.server)], indirect=True)
def test_many_processes_together_store_no_more_than_the_quota(url: str) -> None:
    """Each memory has its own connections and counts for itself, as a process does."""
    most, refused = 60, list[QuotaExceeded]()
    memories = [Memory(url, settings=limited(records=most)) for _ in range(3)]

    def load(memory: Memory, name: int) -> None:
        for number in range(most):
            try:
                memory.write(f"Note {number} of {name}.", actor_id="ada")
            except QuotaExceeded as error:
                refused.append(error)
                return

    threads = [threading.Thread(target=load, args=(memory, name)) for name, memory in enumerate(memories)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == len(memories)
    assert memories[0].stats(actor_id="ada").records == most
    [gone, *_] = memories[0].timeline(actor_id="ada", limit=1)
    memories[0].forget(gone.id, hard=True, actor_id="ada")
    memories[1].write("Another process finds the room.", actor_id="ada")
    for memory in memories:
        memory.close()


Say = Callable[[str, dict[str, Any]], Any]


@contextmanager
def _http(service: Service, caller: Caller) -> Generator[Say]:
    app = create_app(service, authenticate=lambda _: caller, serving=Serving(hosts=("testserver",)))
    with TestClient(app) as client:

        def say(verb: str, said: dict[str, Any]) -> Any:
            if verb == "stats":
                answer = client.get("/v1/stats", params=said)
            else:
                answer = client.post("/v1/records", json=said)
            if answer.status_code != 200:
                assert answer.status_code == 403
                raise raised(answer.json())
            return answer.json()

        yield say


@contextmanager
def _grpc(service: Service, caller: Caller) -> Generator[Say]:
    with GrpcServer(service, port=0, authenticate=lambda _: caller) as server, GrpcRemote(server.address) as remote:
        yield remote.call


@contextmanager
def _mcp(service: Service, caller: Caller) -> Generator[Say]:
    principal = Principal(caller=caller, at={"actor_id": "ada"})

    async def ask(verb: str, said: dict[str, Any]) -> Any:
        name, given = ("memory_timeline", {}) if verb == "stats" else ("memory_add", {"text": said["text"]})
        async with Client(mcp_server(service, lambda _: principal)) as client:
            answer = await client.call_tool(name, given)
        if answer.is_error:
            assert answer.meta is not None
            raise raised(answer.meta["foveal.dev/problem"])
        return answer

    yield lambda verb, said: anyio.run(ask, verb, said)


@contextmanager
def _python(service: Service, caller: Caller) -> Generator[Say]:
    yield lambda verb, said: service.answer(verb, said, caller)


DOORS = {"python": _python, "http": _http, "grpc": _grpc, "mcp": _mcp}


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> Iterator[Callable[[Service, Caller], Any]]:
    yield DOORS[request.param]


def test_the_quota_of_an_actor_holds_at_every_door(door: Callable[[Service, Caller], Any]) -> None:
    with Memory(":memory:", settings=limited(records=2)) as memory, door(Service(memory), ANYONE) as say:
        for number in range(2):
            say("write", {"actor_id": "ada", "text": f"Note {number}."})
        with pytest.raises(QuotaExceeded, match="may store 2 records"):
            say("write", {"actor_id": "ada", "text": "One too many."})
        memory.admin.erase_actor(actor_id="ada")
        say("write", {"actor_id": "ada", "text": "There is room again."})


def test_the_quota_of_a_key_holds_at_every_door_until_midnight(door: Callable[[Service, Caller], Any]) -> None:
    clock, quotas = ManualClock(), Quotas(key=KeyQuota(calls=4, records=2))
    with Memory(":memory:", clock=clock) as memory, door(Service(memory, quotas=quotas), KEY) as say:
        for number in range(2):
            say("write", {"actor_id": "ada", "text": f"Note {number}."})
        with pytest.raises(QuotaExceeded, match="this key may store 2 records a day") as refused:
            say("write", {"actor_id": "ada", "text": "One too many."})
        assert 0 < int(str(refused.value.data["retry_after"])) <= 86_400
        for _ in range(2):
            say("stats", {"actor_id": "ada"})
        with pytest.raises(QuotaExceeded, match="this key may make 4 calls a day"):
            say("stats", {"actor_id": "ada"})
        clock.turn(timedelta(days=1))
        say("write", {"actor_id": "ada", "text": "The next day."})


def test_the_calls_about_an_actor_and_the_bytes_of_a_key_are_limited() -> None:
    quotas = Quotas(actor=ActorQuota(calls=2), key=KeyQuota(bytes=200))
    with Memory(":memory:") as memory:
        service, other = Service(memory, quotas=quotas), Caller(name="other", subject="fov_2")
        for _ in range(2):
            service.answer("stats", {"actor_id": "ada"}, KEY)
        for caller in (KEY, other, ANYONE):
            with pytest.raises(QuotaExceeded, match="this actor"):
                service.answer("stats", {"actor_id": "ada"}, caller)
        service.answer("write", {"actor_id": "bob", "text": "x" * 300}, KEY)
        with pytest.raises(QuotaExceeded, match="send 200 bytes"):
            service.answer("write", {"actor_id": "cat", "text": "x"}, KEY)
        service.answer("stats", {"actor_id": "cat"}, KEY)
        service.answer("write", {"actor_id": "cat", "text": "x"}, other)


STORING: dict[str, Callable[[int], dict[str, Any]]] = {
    "write": lambda n: {"text": f"Note {n}."},
    "remember": lambda n: {"messages": [f"I like tea number {n}.", f"I moved to Town{n}."]},
    "write_entry": lambda n: {"entry_id": f"plan{n}", "content": n, "scope": "local"},
    "longterm.ingest_document": lambda n: {"name": f"{n}.md", "content": f"# Tides\n\nHigh water is at {n}."},
    "longterm.add_knowledge": lambda n: {"title": f"Tide {n}", "content": f"Water {n}."},
}


@pytest.mark.parametrize("verb", STORING)
def test_the_records_that_any_verb_stores_count_for_its_key(verb: str) -> None:
    with Memory(":memory:", settings=limited()) as memory:
        service = Service(memory, quotas=Quotas(key=KeyQuota(records=2)))
        with pytest.raises(QuotaExceeded, match="this key may store 2 records"):
            for number in range(4):
                service.answer(verb, {"actor_id": "ada", **STORING[verb](number)}, KEY)
        service.answer("stats", {"actor_id": "ada"}, KEY)


CHAT = {"actor_id": "ada", "message": "I moved to Oslo."}


@contextmanager
def _chat(memory: Memory, caller: Caller, quotas: Quotas) -> Generator[TestClient]:
    service = Service(memory, quotas=quotas)
    app = create_app(service, authenticate=lambda _: caller, serving=Serving(hosts=("testserver",)))
    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("quotas", "quota"),
    [
        (Quotas(key=KeyQuota(calls=2)), "key.calls"),
        (Quotas(key=KeyQuota(records=3)), "key.records"),
        (Quotas(key=KeyQuota(bytes=90)), "key.bytes"),
        (Quotas(actor=ActorQuota(calls=2)), "actor.calls"),
    ],
)
def test_the_messages_of_a_chat_count_like_calls(quotas: Quotas, quota: str) -> None:
    with Memory(":memory:", settings=limited()) as memory, _chat(memory, KEY, quotas) as client:
        for number in range(2):
            said = {**CHAT, "message": f"I moved to Town{number}."}
            assert client.post("/api/agent/chat", json=said).status_code == 200
        refused = client.post("/api/agent/chat", json=CHAT)
        assert (refused.status_code, refused.json()["data"]["quota"]) == (403, quota)


def test_a_chat_needs_every_verb_that_its_agent_uses() -> None:
    few = Caller(name="few", subject="fov_3", verbs=("read", "write"))
    with Memory(":memory:", settings=limited()) as memory, _chat(memory, few, Quotas()) as client:
        refused = client.post("/api/agent/chat", json=CHAT)
        assert refused.status_code == 403 and "may not search" in refused.json()["detail"]
        assert memory.stats(actor_id="ada").records == 0


def test_what_a_call_stored_before_it_failed_counts_for_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(":memory:", settings=limited()) as memory:
        service = Service(memory, quotas=Quotas(key=KeyQuota(records=BATCH)))
        append, calls = memory.runtime.store.records.append, list[int]()

        def failing(entries: Any, encoder: Any) -> Any:
            calls.append(len(entries))
            if len(calls) > 1:
                raise StoreUnavailable("the disk went away")
            return append(entries, encoder)

        monkeypatch.setattr(memory.runtime.store.records, "append", failing)
        items = [f"Note {number}." for number in range(BATCH + 1)]
        with pytest.raises(StoreUnavailable):
            service.answer("write_many", {"actor_id": "ada", "items": items}, KEY)
        with pytest.raises(QuotaExceeded, match=f"this key may store {BATCH} records"):
            service.answer("write", {"actor_id": "ada", "text": "One more."}, KEY)


def test_a_key_may_have_a_quota_of_its_own() -> None:
    quotas = Quotas(key=KeyQuota(calls=1), keys={"fov_1": KeyQuota(calls=3, records=1), "fov_9": KeyQuota()})
    with Memory(":memory:") as memory:
        service = Service(memory, quotas=quotas)
        service.answer("write", {"actor_id": "ada", "text": "The first."}, KEY)
        with pytest.raises(QuotaExceeded, match="store 1 records"):
            service.answer("write", {"actor_id": "ada", "text": "The second."}, KEY)
        for _ in range(2):
            service.answer("stats", {"actor_id": "ada"}, KEY)
        with pytest.raises(QuotaExceeded, match="3 calls"):
            service.answer("stats", {"actor_id": "ada"}, KEY)
        other, free = Caller(name="other", subject="fov_2"), Caller(name="free", subject="fov_9")
        service.answer("stats", {"actor_id": "ada"}, other)
        with pytest.raises(QuotaExceeded, match="1 calls"):
            service.answer("stats", {"actor_id": "ada"}, other)
        for _ in range(5):
            service.answer("write", {"actor_id": "ada", "text": "No limit."}, free)


def test_a_quota_is_a_setting() -> None:
    settings = load_settings({"FOVEAL_QUOTAS": '{"actor": {"records": 5}, "key": {"calls": 7}}'})
    assert settings.quotas == Quotas(actor=ActorQuota(records=5), key=KeyQuota(calls=7))
    own = load_settings({"FOVEAL_QUOTAS": '{"keys": {"fov_1a2b": {"calls": 9}}}'}).quotas
    assert (own.of_key("fov_1a2b"), own.of_key("fov_0")) == (KeyQuota(calls=9), KeyQuota())
    with pytest.raises(Invalid, match="callz"):
        load_settings({"FOVEAL_QUOTAS": '{"keys": {"fov_1a2b": {"callz": 9}}}'})
    with pytest.raises(Invalid, match="records of the quota of an actor must be at least 1"):
        ActorQuota(records=0)
    with pytest.raises(Invalid, match="byts"):
        load_settings({"FOVEAL_QUOTAS": '{"actor": {"byts": 5}}'})
