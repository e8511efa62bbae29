"""What a read leaves behind: uses, and a log that says why something came back."""

from collections.abc import Iterator
from datetime import timedelta
from math import exp
from pathlib import Path

import pytest

from foveal import Memory, Settings
from foveal.engine.memory import View
from foveal.errors import NotFound
from foveal.testing.builders import ManualClock

OTHERS = [f"Small talk number {n} about the garden and the weather." for n in range(60)]


@pytest.fixture(params=["ram", "sqlite"])
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[View]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        yield memory.view(actor_id="ada", session_id="s1")


def test_the_log_says_why_a_record_came_back(ada: View) -> None:
    code = ada.write("The locker code is 4711.").id
    ada.write_many(OTHERS)
    ada.read("What is the locker code?", token_budget=200)
    [read] = ada.browse.recalls(code)
    assert (read.query, read.node, read.session_id, read.policy) == (
        "What is the locker code?",
        "/",
        "s1",
        "foveated",
    )
    [item] = [one for one in read.items if one.id == code]
    assert (item.rank, item.zone, item.depth) == (1, "relevant", 2)
    assert item.parts is not None
    relevance = 1 / (1 + exp(-sum(item.parts.values())))
    assert item.relevance == pytest.approx(relevance, abs=0.01)  # pyright: ignore[reportUnknownMemberType]


def test_a_use_is_what_the_question_points_at(ada: View) -> None:
    code = ada.write("The locker code is 4711.").id
    ids = ada.write_many(OTHERS).ids
    shown = {item.id: item for item in ada.read("What is the locker code?", token_budget=200).items}
    newest = ids[-1]
    assert shown[newest].zone == "working"
    ada.write("and on it goes")
    assert (ada.get(code).vitals.uses, ada.get(newest).vitals.uses) == (1, 0)
    assert ada.get(code).vitals.used_at is not None


def test_a_look_answers_as_a_read_does(ada: View) -> None:
    code = ada.write("The locker code is 4711.").id
    ada.write_many(OTHERS)
    looked = ada.read("What is the locker code?", token_budget=200, touch=False)
    assert ada.browse.recalls() == [] and ada.get(code, touch=False).vitals.uses == 0
    # Relevance fades from one moment to the next; what is shown does not.
    assert ada.read("What is the locker code?", token_budget=200).text == looked.text
    assert len(ada.browse.recalls()) == 1 and ada.get(code).vitals.uses == 1


def test_looking_back_uses_nothing(tmp_path: Path) -> None:
    clock = ManualClock()
    with Memory(tmp_path / "memory.db", clock=clock) as memory:
        ada = memory.view(actor_id="ada")
        code = ada.write("The locker code is 4711.").id
        clock.turn(timedelta(days=1))
        assert ada.read("locker code", as_of=clock.now()).items
        assert ada.browse.recalls(code)
        assert ada.get(code).vitals.uses == 0


def test_touches_are_written_at_close(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        code = memory.write("The locker code is 4711.", actor_id="ada").id
        memory.read("locker code", actor_id="ada")
        with Memory(tmp_path / "memory.db") as other:
            assert other.get(code, actor_id="ada", touch=False).vitals.uses == 0
        assert memory.get(code, actor_id="ada", touch=False).vitals.uses == 1
    with Memory(tmp_path / "memory.db") as memory:
        assert memory.get(code, actor_id="ada").vitals.uses == 1
        assert len(memory.browse.recalls(code, actor_id="ada")) == 1


def test_touches_are_written_when_enough_wait(ada: View) -> None:
    code = ada.write("The locker code is 4711.").id
    for _ in range(256):
        ada.read("locker code")
    assert ada.get(code).vitals.uses == 256


def test_a_read_does_not_wait_for_another_writer(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory, Memory(tmp_path / "memory.db") as other:
        ada = memory.view(actor_id="ada")
        code = ada.write("The locker code is 4711.").id
        store = other._runtime.store  # pyright: ignore[reportPrivateUsage]
        with store._db.writing():  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportUnknownMemberType]
            for _ in range(300):
                ada.read("locker code")
        assert other.get(code, actor_id="ada", touch=False).vitals.uses == 0
        assert len(ada.browse.recalls(code, limit=400)) == 300
        assert other.get(code, actor_id="ada", touch=False).vitals.uses == 300


def test_the_log_can_be_turned_off(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings=Settings(second_look="off", recall_log=False)) as memory:
        ada = memory.view(actor_id="ada")
        code = ada.write("The locker code is 4711.").id
        ada.read("locker code")
        assert ada.browse.recalls() == []
        assert ada.get(code).vitals.uses == 1


def test_a_file_opened_read_only_is_read_and_not_touched(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        code = memory.write("The locker code is 4711.", actor_id="ada").id
    before = (tmp_path / "memory.db").read_bytes()
    with Memory(f"sqlite:///{tmp_path / 'memory.db'}?mode=ro") as memory:
        for _ in range(70):
            assert memory.read("locker code", actor_id="ada").items
        assert memory.browse.recalls(actor_id="ada") == []
        assert memory.get(code, actor_id="ada").vitals.uses == 0
    assert (tmp_path / "memory.db").read_bytes() == before


def test_the_echo_guard_outlives_the_process(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada", session_id="s1")
        code = ada.write("Ada's locker code is 4711, and her gym opens at seven in the morning.").id
        ada.read("locker code")
    with Memory(tmp_path / "memory.db") as memory:
        ada = memory.view(actor_id="ada", session_id="s1")
        other = ada.write("Ada's locker code is 4711, and her gym opens at seven in the morning.", session_id="s2")
        assert other.echoes == ()
        again = ada.write("ada's locker code is 4711, and her gym opens at seven in the morning")
        assert again.echoes == (code,)
        assert ada.write_many(["Ada's locker code is 4711, and her gym opens at eight."]).echoes == ()


def test_two_processes_of_one_conversation_hear_each_other(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as one, Memory(tmp_path / "memory.db") as two:
        ada, same = (memory.view(actor_id="ada", session_id="s1") for memory in (one, two))
        code = ada.write("The locker code is 4711.").id
        same.write("Something else.")
        ada.read("locker code")
        ada.browse.recalls()
        assert same.write("The locker code is 4711.").echoes == (code,)


def test_an_erased_record_is_not_in_the_log(ada: View) -> None:
    code = ada.write("The locker code is 4711.").id
    ada.read("Is 4711 the locker code?")
    assert ada.browse.recalls(code)
    ada.forget(code, hard=True)
    assert ada.browse.recalls() == []
    with pytest.raises(NotFound):
        ada.browse.recalls(code)


def test_a_muted_record_is_found_by_id_only(ada: View) -> None:
    code = ada.write("The locker code is 4711.").id
    other = ada.write("The locker room is cold.").id
    assert ada.mute(code).vitals.muted
    assert [hit.id for hit in ada.search("locker code")] == [other]
    assert [item.id for item in ada.read("locker code").items] == [other]
    assert ada.get(code).text == ada.history(code)[0].text
    assert {record.id for record in ada.timeline()} == {code, other}
    assert [record.id for record in ada.timeline(filters={"muted": True})] == [code]
    assert not ada.unmute(code).vitals.muted
    assert ada.search("locker code")[0].id == code
