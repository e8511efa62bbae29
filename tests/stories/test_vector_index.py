"""With vectors in ChromaDB the answers are the same, what is erased is gone from it, and it may be away."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chromadb
import msgspec
import pytest
from chromadb.config import Settings as Chroma

from foveal import FractalMemory, Memory, Settings
from foveal.backends.chroma import ChromaVectorStore
from foveal.backends.in_process import InMemoryVectorStore
from foveal.doors.service.health import probe_vectors
from foveal.engine.memory import View
from foveal.errors import Invalid, StoreUnavailable
from foveal.model.notice import Kind
from foveal.model.query import Viewpoint
from foveal.model.server import State

PARTS = ("database", "cache", "queue", "gateway", "scheduler", "certificate", "disk", "network")
FAULTS = (
    "ran out of memory",
    "was restarted twice",
    "answered with errors",
    "lost its leader",
    "filled up at night",
)
QUESTIONS = (
    "when did the cache run out of memory",
    "a certificate that had to be restarted",
    "errors of the gateway",
    "who lost leadership",
    "storage that was full after midnight",
    "queue 31",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "chroma"


@pytest.fixture
def index(folder: Path) -> Iterator[ChromaVectorStore]:
    index = ChromaVectorStore(folder)
    yield index
    index.close()


def fill(memory: View, count: int = 400) -> list[str]:
    ids: list[str] = []
    for n in range(count):
        text = f"The {PARTS[n % 8]} {n} {FAULTS[n // 8 % 5]}."
        if n % 2:
            ids.append(memory.longterm.store_incident(text).id)
        else:
            ids.append(memory.longterm.add_knowledge(f"note {n}", text).id)
    return ids


def answers(memory: View) -> list[list[str]]:
    found = [memory.longterm.semantic_search(one, ["incidents", "knowledge"], 5) for one in QUESTIONS]
    return [[result.content for result in results] for results in found]


def raw(folder: Path) -> dict[str, Any]:
    """What another program that opens the folder finds: every row and the record it is of."""
    client: Any = chromadb.PersistentClient(path=str(folder), settings=Chroma(anonymized_telemetry=False))
    found: dict[str, Any] = {}
    for one in client.list_collections():
        got = client.get_collection(one.name, embedding_function=None).get(include=["metadatas"])
        found |= {
            name: (one.metadata["kind"], told["record"])
            for name, told in zip(got["ids"], got["metadatas"], strict=True)
        }
    return found


def records_in(folder: Path) -> set[str]:
    return {record for _, record in raw(folder).values()}


def test_the_answers_are_those_of_the_embedded_default(tmp_path: Path, index: ChromaVectorStore) -> None:
    with Memory(tmp_path / "plain.db") as plain, Memory(tmp_path / "chroma.db", vector_index=index) as other:
        fill(plain.view(actor_id="ada"))
        fill(other.view(actor_id="ada"))
        assert other.admin.reindex().indexed == 16  # the rest went there while it was written
        for one, two in zip(answers(plain.view(actor_id="ada")), answers(other.view(actor_id="ada")), strict=True):
            assert one[0] == two[0]
            assert len(set(one) & set(two)) >= 4


def test_what_was_just_written_is_found_before_the_index_has_it(tmp_path: Path, index: ChromaVectorStore) -> None:
    with Memory(tmp_path / "memory.db", vector_index=index) as memory:
        ada = memory.view(actor_id="ada")
        fill(ada, 200)
        ada.longterm.store_incident("The espresso machine flooded the kitchen.")
        assert "espresso" in ada.longterm.semantic_search("water from the coffee maker")[0].content
        assert memory.runtime.vector_sync.waiting(Viewpoint(actor_id="ada"), memory.runtime.encoder) > 0


def test_each_kind_lies_in_a_collection_of_its_own(tmp_path: Path, folder: Path, index: ChromaVectorStore) -> None:
    with Memory(tmp_path / "memory.db", vector_index=index) as memory:
        ids = fill(memory.view(actor_id="ada"), 10)
        memory.admin.reindex()
    assert {kind for kind, _ in raw(folder).values()} == {"incident", "knowledge"}
    assert records_in(folder) == set(ids)


def test_what_is_erased_is_gone_from_chroma_at_once(tmp_path: Path, folder: Path, index: ChromaVectorStore) -> None:
    with Memory(tmp_path / "memory.db", vector_index=index) as memory:
        ada = memory.view(actor_id="ada")
        ids = fill(ada, 20)
        long = ada.write("\n\n".join(f"Chapter {n}. " + "The sea was calm that day. " * 60 for n in range(9)))
        memory.admin.reindex()
        assert len([one for _, one in raw(folder).values() if one == long.id]) > 1
        gone = ada.forget([ids[3], long.id], hard=True)
        assert (gone.erased, gone.lingers) == (True, False)
        assert records_in(folder) == {*ids} - {ids[3]}
        assert all(
            one.record is None or one.record.id != ids[3]
            for one in ada.longterm.semantic_search("gateway 3", n_results=20)
        )


def test_a_new_version_takes_the_place_of_the_old(tmp_path: Path, folder: Path, index: ChromaVectorStore) -> None:
    with Memory(tmp_path / "memory.db", vector_index=index) as memory:
        ada = memory.view(actor_id="ada")
        fill(ada, 20)
        ada.longterm.add_knowledge("policy", "Passwords have 8 characters. " * 90, knowledge_id="policy")
        memory.admin.reindex()
        ada.longterm.add_knowledge("policy", "Passwords have 12 characters.", knowledge_id="policy")
        memory.admin.reindex()
        assert [one for one, (_, record) in raw(folder).items() if record == "policy"] == ["policy#0"]
        found = ada.longterm.search_knowledge("how long must a password be")
        assert [one.content for one in found if one.record and one.record.id == "policy"] == [
            "Passwords have 12 characters."
        ]


def test_who_may_see_what_is_still_decided_by_the_store(tmp_path: Path, index: ChromaVectorStore) -> None:
    with Memory(tmp_path / "memory.db", vector_index=index) as memory:
        for n in range(300):
            memory.write(f"the secret number {n} of alice", actor_id="team", node="/alice", scope="local")
        memory.write("the secret of bob", actor_id="team", node="/bob", scope="local")
        memory.write("the secret of somebody else", actor_id="other")
        memory.admin.reindex()
        found = memory.search("secret number of alice", k=50, actor_id="team", node="/bob")
        assert [one.text for one in found] == ["the secret of bob"]


FILLING = """
import os, signal, sys
from foveal import Memory, Settings

def told(done, total):
    print(done, total, flush=True)
    if done >= 512:
        os.kill(os.getpid(), signal.SIGKILL)

with Memory(sys.argv[1], settings=Settings(second_look="off", vector_index="chroma:///" + sys.argv[2])) as memory:
    memory.admin.reindex(progress=told)
"""


def test_a_fill_of_an_old_file_that_was_killed_goes_on_where_it_stopped(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "old.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        ids = [one for batch in range(2) for one in ada.write_many([f"note {batch} {n}" for n in range(500)]).ids]
        asked = [hit.text for hit in ada.search("note 1 77")]
    done = subprocess.run(
        [sys.executable, "-c", FILLING, str(path), str(folder)], check=False, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL
    assert done.stdout.split() == ["256", "1000", "512", "1000"]
    seen: list[tuple[int, int]] = []
    with Memory(path, settings=Settings(second_look="off", vector_index=f"chroma:///{folder}")) as memory:
        assert memory.admin.reindex(progress=lambda done, total: seen.append((done, total))).indexed == 488
        assert seen == [(256, 488), (488, 488)]
        assert memory.admin.reindex().indexed == 0
        assert [hit.text for hit in memory.search("note 1 77", actor_id="ada")] == asked
    assert records_in(folder) == set(ids)


def test_while_the_index_is_away_the_store_answers_and_says_so(
    tmp_path: Path, folder: Path, index: ChromaVectorStore
) -> None:
    with Memory(tmp_path / "memory.db", vector_index=index) as memory:
        ada = memory.view(actor_id="ada")
        ids = fill(ada, 40)
        memory.admin.reindex()
        before = answers(ada)
        assert ada.read("gateway 3").receipt.degraded == ()
        heard = memory.bus.subscribe()
        index.close()
        assert answers(ada) == before
        assert ada.read("gateway 3").receipt.degraded == ("vectors",)
        told = iter(heard.take, None)
        assert [one.fault.component for one in told if one.kind is Kind.ERROR and one.fault] == ["vectors"]
        with pytest.raises(StoreUnavailable):
            probe_vectors(memory.runtime)
        # Nothing is refused; what could not be erased there is made up for.
        assert ada.forget(ids[3], hard=True).lingers is True
        late = ada.longterm.store_incident("The lift stood still.").id
        back = ChromaVectorStore(folder)
        memory.set_vector_store(back)
        assert ids[3] in records_in(folder)
        memory.admin.reindex()
        assert records_in(folder) == {*ids, late} - {ids[3]}
        assert probe_vectors(memory.runtime).state is State.OK
        back.close()


def test_an_index_far_behind_is_not_asked_and_health_says_so(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        memory.write_many([f"note {n}" for n in range(4200)], actor_id="ada")
        assert probe_vectors(memory.runtime).reason == "are in the store"
        memory.set_vector_store(InMemoryVectorStore())
        found = probe_vectors(memory.runtime)
        assert (found.state, found.figure) == (State.DEGRADED, 4200)
        assert memory.search("note 4", actor_id="ada")


def test_another_encoder_fills_the_index_anew(tmp_path: Path, folder: Path, index: ChromaVectorStore) -> None:
    def letters(texts: Any) -> list[list[float]]:
        return [[text.count(one) + 0.1 for one in "abcdefgh"] for text in texts]

    path = tmp_path / "memory.db"
    with Memory(path, vector_index=index) as memory:
        ids = fill(memory.view(actor_id="ada"), 10)
        memory.admin.reindex()
    with Memory(path, vector_index=index, embedder=letters) as memory:
        assert memory.admin.reindex().indexed == 10
        assert memory.search("gateway", actor_id="ada")
    assert records_in(folder) == set(ids)


def test_two_memories_do_not_take_each_others_vectors_for_their_own(
    tmp_path: Path, folder: Path, index: ChromaVectorStore
) -> None:
    for name in ("one", "two"):
        with Memory(tmp_path / f"{name}.db", vector_index=index) as memory:
            ids = fill(memory.view(actor_id="ada"), 12)
            memory.admin.reindex()
            assert memory.search("gateway 3", actor_id="ada")[0].text == "The gateway 3 ran out of memory."
        assert records_in(folder) == set(ids)


def test_a_node_sets_the_vector_store_of_its_memory() -> None:
    index = InMemoryVectorStore()
    with Memory(":memory:") as memory:
        node = FractalMemory(memory, node="/planner", actor_id="ada")
        node.set_vector_store(index)
        node.write("plan", "Sail to the harbour on Tuesday.")
        memory.admin.reindex()
        assert index.mark(("default", "ada")) is not None
        assert node.search("when do we sail")[0].text == "Sail to the harbour on Tuesday."


def test_a_wrong_name_of_an_index_is_refused(tmp_path: Path) -> None:
    for name in ("chroma", "chroma://", "chroma:///", "pinecone:///x"):
        with pytest.raises(Invalid, match="chroma:///path"):
            Memory(
                tmp_path / "memory.db",
                settings=msgspec.structs.replace(Settings(second_look="off"), vector_index=name),
            )
