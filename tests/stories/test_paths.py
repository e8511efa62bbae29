"""What a memory does has one name at every door, and the names list themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from foveal import AsyncMemory, Memory
from foveal.engine.memory import View
from foveal.errors import Invalid, NotFound

SAID = [
    {"role": "user", "content": "Paint gate 7."},
    {"role": "assistant", "content": "Decision: red, because of fog."},
]


@pytest.fixture(params=["ram", "sqlite"])
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[View]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        yield memory.view(actor_id="ada")


def test_a_crystal_is_made_resumed_cherished_and_composted_by_paths(ada: View) -> None:
    made = ada.invoke("self.memory.crystallize", context=SAID, working_memory={"gate": 7}, ttl=0)
    assert (made["preserved_count"], made["required_count"], made["pinned"]) == (1, 1, False)
    cherished = ada.invoke("self.memory.cherish", crystal_id=made["crystal_id"])
    assert (cherished["pinned"], cherished["expires_at"]) == (True, None)
    resumed = ada.invoke("self.memory.resume", crystal_id=made["crystal_id"])
    assert (resumed["restored_fragments"], resumed["working_memory"]) == (2, {"gate": 7})
    assert (resumed["task_status"], resumed["window_turn_count"]) == ("active", 3)
    assert [one["content"] for one in resumed["messages"]][1:] == [one["content"] for one in SAID]
    assert ada.invoke("void.entropy.pour")["skipped_pinned"] == 1
    assert not ada.invoke("self.memory.cherish", crystal_id=made["crystal_id"], uncherish=True)["pinned"]
    other = ada.invoke("self.memory.crystallize", context=SAID)["crystal_id"]
    assert ada.invoke("self.memory.compost", crystal_id=other)["ids"] == (other,)


def test_records_are_recalled_and_forgotten_by_paths(ada: View) -> None:
    written = ada.write("The door code is 4711.")
    recalled = ada.invoke("self.memory.recall", query="door code", token_budget=100)
    assert recalled["ids"] == [written.id]
    assert "4711" in recalled["text"]
    assert ada.invoke("self.memory.forget", target=written.id)["ids"] == (written.id,)
    with pytest.raises(NotFound):
        ada.get(written.id)


def test_the_viewpoint_goes_with_a_path_as_with_a_verb(ada: View) -> None:
    made = ada.invoke("self.memory.crystallize", context=SAID, actor_id="eve", node="/planner")
    assert ada.crystals.lineages() == []
    assert ada.crystals.get(made["crystal_id"], actor_id="eve").agent == "/planner"


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("self.memory.cristallize", "self.memory.crystallize"),
        ("self.memory.resumed", "self.memory.resume"),
        ("memory.recall", "self.memory.recall"),
        ("void.entropy.pore", "void.entropy.pour"),
    ],
)
def test_an_unknown_path_suggests_the_nearest(ada: View, path: str, meant: str) -> None:
    with pytest.raises(NotFound, match=f"did you mean '{meant}'"):
        ada.invoke(path)


def test_wrong_arguments_are_named(ada: View) -> None:
    with pytest.raises(NotFound, match="there are self.memory.crystallize"):
        ada.invoke("zzz")
    with pytest.raises(Invalid, match="needs crystal_id"):
        ada.invoke("self.memory.resume")
    with pytest.raises(Invalid, match="did you mean 'crystal_id'"):
        ada.invoke("self.memory.resume", cristal_id="x")


def test_the_paths_list_themselves_with_help(ada: View) -> None:
    listed = {one.path: one for one in ada.admin.paths()}
    assert {"self.memory.crystallize", "self.memory.recall", "void.entropy.pour"} <= set(listed)
    assert all(one.help for one in listed.values())
    assert listed["self.memory.cherish"].needs == ("crystal_id",)
    assert listed["self.memory.cherish"].takes == ("uncherish",)


def test_paths_are_awaited_by_the_asynchronous_memory(tmp_path: Path) -> None:
    async def story() -> int:
        async with AsyncMemory(tmp_path / "m.db") as memory:
            return (await memory.view(actor_id="ada").invoke("void.entropy.pour"))["reaped_count"]

    assert asyncio.run(story()) == 0
