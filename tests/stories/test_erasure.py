"""Erasing reaches everything that was derived from a record, and says what it looked at."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest
from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.doors.grpc import GrpcRemote, GrpcServer
from foveal.doors.http import create_app
from foveal.doors.service import Caller
from foveal.doors.service.observed import open_observed_service
from foveal.errors import Forbidden, NotFound
from foveal.model.server import Logging, Right, Serving
from foveal.wire.problems import raised

SECRET = "The vault of Quillon opens with 4711 and nothing else."
NAMES = ("quillon-vault", "quillon-call", "quillon-room", "Quillon is a client")


def written(path: Path) -> tuple[Memory, str]:
    memory = Memory(path)
    ada = memory.view(actor_id="ada")
    ada.write("The office opens at eight.")
    secret = ada.write(SECRET, region="quillon-room", session_id="quillon-call").id
    ada.groups.add("quillon-vault", [secret])
    ada.sessions.start(session_id="quillon-call", metadata={"about": "Quillon is a client"})
    ada.crystals.crystallize([{"role": "user", "content": SECRET.replace(" ", "  ")}])
    # Questions that the log keeps, although their reads do not show the record.
    ada.mute(secret)
    ada.read(f"Is it true: {SECRET.lower()}")
    ada.read("The vault of Quillon", session_id="quillon-call")
    ada.read("When does the office open?")
    return memory, secret


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()).lower()


def test_nothing_of_an_erased_record_is_left_in_the_files(tmp_path: Path) -> None:
    memory, secret = written(tmp_path / "memory.db")
    ada = memory.view(actor_id="ada")
    ada.browse.recalls()
    assert b"quillon" in bytes_of(tmp_path)
    gone = ada.forget(secret, hard=True)
    assert (gone.erased, gone.lingers) == (True, False)
    left = bytes_of(tmp_path)
    assert b"quillon" not in left and b"4711" not in left
    assert [read.query for read in ada.browse.recalls()] == ["When does the office open?"]
    removed = gone.removed
    assert (removed["versions"], removed["groups"], removed["sessions"], removed["regions"]) == (1, 1, 1, 1)
    assert (removed["reads"], removed["crystals"]) == (2, 1)
    assert {"vectors", "links", "memberships", "summaries", "answers", "index_entries"} <= removed.keys()
    memory.close()


def test_nothing_of_an_erased_turn_is_left_in_the_facts_that_came_after_it(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        told = ada.remember(["I live in Quillon.", "My dentist is Dr. Quillon."])
        again = ada.remember("As you know, I live in Quillon.")
        ada.remember("We moved to Oslo.")
        ada.remember("My new dentist is Dr. Klein.")
        ada.profile(about="Quillon")
        for turn in (*told.ids, *again.ids):
            ada.forget(turn, hard=True)
        assert [fact.value for fact in ada.profile().items if fact.attribute == "home"] == ["Oslo"]
        assert not any("quillon" in move.why.lower() for move in ada.lifecycle.journal())
        assert b"quillon" not in bytes_of(tmp_path)


def test_what_others_still_use_stays(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        first = ada.write("The first one.", region="shelf", session_id="call").id
        second = ada.write("The second one.", region="shelf", session_id="call").id
        ada.groups.add("both", [first, second])
        ada.sessions.start(session_id="call", metadata={"with": "Ben"})
        removed = ada.forget(first, hard=True).removed
        assert (removed["groups"], removed["sessions"], removed["regions"]) == (0, 0, 0)
        assert ada.sessions.get("call").metadata == {"with": "Ben"}
        assert [group.name for group in ada.groups.list()] == ["both"]


def test_the_log_is_cut_when_the_last_reader_leaves(tmp_path: Path) -> None:
    memory, secret = written(tmp_path / "memory.db")
    ada = memory.view(actor_id="ada")
    reader = apsw.Connection(str(tmp_path / "memory.db"))
    with reader:
        reader.execute("select count(*) from record").fetchall()
        assert ada.forget(secret, hard=True).lingers
        assert b"4711" in bytes_of(tmp_path)
    # The next call of any kind finds that the log is free.
    ada.stats()
    assert b"4711" not in bytes_of(tmp_path)
    memory.close()


def test_a_whole_actor_is_erased_with_a_receipt(tmp_path: Path) -> None:
    memory, _ = written(tmp_path / "memory.db")
    ada, ben = memory.view(actor_id="ada"), memory.view(actor_id="ben")
    kept = ben.write("Ben's own note.").id
    ada.ledger.store_goal("Open the vault of Quillon")
    ada.operational.push_event("call", {"who": "Quillon"})
    ada.snapshots.take("before Quillon")
    with pytest.raises(Forbidden):
        memory.admin.erase_actor(actor_id="ada", node="/below")
    done = memory.admin.erase_actor(actor_id="ada")
    assert (done.actors, done.lingers) == (1, False)
    assert done.removed["record"] >= 3 and done.removed["goal"] == 1 and done.removed["crystal"] == 1
    assert [actor.actor_id for actor in memory.admin.actors()] == ["ben"]
    assert memory.admin.check() == []
    assert ben.get(kept).text == "Ben's own note."
    memory.close()
    assert b"quillon" not in bytes_of(tmp_path)
    with Memory(tmp_path / "memory.db") as again:
        assert again.timeline(actor_id="ada") == []
        again.write("A new beginning.", actor_id="ada")
        assert len(again.search("office vault", actor_id="ada", min_relevance=0)) <= 1


def test_a_whole_world_is_erased_with_a_receipt(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        for world, actor in (("lab", "ada"), ("lab", "ben"), ("home", "ada")):
            memory.write(f"A note of {actor} in the {world}.", actor_id=actor, world=world)
        done = memory.admin.erase_world("lab")
        assert (done.world, done.actors, done.removed["record"]) == ("lab", 2, 2)
        assert [(actor.world, actor.actor_id) for actor in memory.admin.actors()] == [("home", "ada")]
        assert memory.admin.erase_world("lab").actors == 0
        with pytest.raises(NotFound):
            memory.get("x", actor_id="ada", world="lab")


@pytest.mark.parametrize("door", ["http", "grpc"])
def test_a_world_is_erased_over_a_network_by_an_administrator_of_everything(tmp_path: Path, door: str) -> None:
    audit = tmp_path / "audit.jsonl"
    settings = Settings(logging=Logging(audit=str(audit)))
    with Memory(tmp_path / "memory.db") as memory, ExitStack() as closing:
        for world, actor in (("lab", "ada"), ("lab", "ben"), ("home", "ada")):
            memory.write(f"A note of {actor} in the {world}.", actor_id=actor, world=world)
        station = open_observed_service(memory, settings, url=str(tmp_path / "memory.db"))
        closing.callback(station.close)
        callers = {
            f"Bearer {name}": Caller(name=name, subject=name, worlds=worlds, rights=rights)
            for name, worlds, rights in (
                ("reader", None, (Right.READ, Right.WRITE)),
                ("of the lab", ("lab",), tuple(Right)),
                ("admin", None, tuple(Right)),
            )
        }

        def authenticate(authorization: str | None) -> Caller:
            return callers[authorization or ""]

        def erase(key: str) -> dict[str, Any]:
            if door == "grpc":
                with GrpcRemote(server.address, key=key) as remote:
                    return msgspec.to_builtins(remote.call("erase_world", {"world": "lab"}))
            headers = {"Authorization": f"Bearer {key}"}
            answer = http.post("/v1/worlds:erase", json={"world": "lab"}, headers=headers)
            if not answer.is_success:
                raise raised(answer.json())
            return answer.json()

        serving = Serving(hosts=("testserver",))
        http = closing.enter_context(
            TestClient(create_app(station.service, authenticate=authenticate, serving=serving))
        )
        server = closing.enter_context(GrpcServer(station.service, port=0, authenticate=authenticate))
        for key in ("reader", "of the lab"):
            with pytest.raises(Forbidden):
                erase(key)
        assert len(memory.admin.actors()) == 3
        done = erase("admin")
        assert (done["world"], done["actors"], done["removed"]["record"], done["lingers"]) == ("lab", 2, 2, False)
        assert [(actor.world, actor.actor_id) for actor in memory.admin.actors()] == [("home", "ada")]
    kept = [json.loads(line) for line in audit.read_text().splitlines()]
    assert [(line["key"], line["verb"], line["code"], line["door"]) for line in kept] == [
        ("reader", "erase_world", "forbidden", door),
        ("of the lab", "erase_world", "forbidden", door),
        ("admin", "erase_world", "ok", door),
    ]
    assert kept[-1]["world"] == "lab"
