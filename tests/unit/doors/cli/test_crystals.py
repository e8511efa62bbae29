from __future__ import annotations

import json
from pathlib import Path

import pytest

from foveal.compose import Memory

from .conftest import Run


@pytest.fixture
def line(path: Path) -> list[str]:
    """The ids of a crystal, of one made from it, and of a branch."""
    with Memory(path) as memory:
        crystals = memory.view(actor_id="me").crystals
        said = [{"role": "user", "content": "Paint gate 7."}, {"role": "assistant", "content": "Looking at it."}]
        first = crystals.crystallize(said, task_state={"task_id": "t", "description": "gates"})
        window = crystals.add(
            crystals.resume(first.crystal_id).window, [{"role": "assistant", "content": "Decision: red."}]
        )
        second = crystals.crystallize(window, working_memory={"gate": 7})
        branch = crystals.branch(first.crystal_id, "try blue")
        return [first.crystal_id, second.crystal_id, branch.crystal_id]


def test_crystals_are_listed_shown_and_drawn_as_a_tree(run: Run, line: list[str]) -> None:
    assert run("crystal", "ls", "-q").out.split() == line
    assert [one["branch_depth"] for one in run("crystal", "ls", "--json").json] == [0, 1, 1]
    shown = run("crystal", "show", line[1]).out
    assert "Decision: red." in shown
    assert "gate  7" in shown
    drawn = run("crystal", "tree").out.splitlines()
    assert [one.split("crystal_")[0] for one in drawn] == ["◇ ", "  ◇ ", "  ◇ "]
    assert drawn[2].endswith("try blue")


def test_the_tree_is_drawn_on_a_terminal(line: list[str], path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    from foveal.doors.cli.output import Printer

    page = Printer()
    page._console = Console(width=60, color_system=None)  # pyright: ignore[reportPrivateUsage]
    page.tree([("◆ a", "kept", [("◇ b", "", [])])])
    assert capsys.readouterr().out.splitlines() == ["◆ a  kept", "└── ◇ b  "]


def test_two_crystals_are_compared(run: Run, line: list[str]) -> None:
    out = run("crystal", "diff", line[0], line[1]).out
    assert out.startswith("1 kept, 1 added, 0 removed")
    assert "+ Decision: red." in out
    assert "~ gate: None -> 7" in out


def test_a_crystal_is_resumed_as_messages(run: Run, line: list[str]) -> None:
    assert "Paint gate 7." in run("crystal", "resume", line[1]).out
    found = run("crystal", "resume", line[1], "--json").json
    assert [one["role"] for one in found["messages"]] == ["system", "user", "assistant"]
    assert found["working_memory"] == {"gate": 7}
    assert run("crystal", "resume", line[1], "--format", "yaml").code == 2
    assert run("crystal", "resume", "crystal_0").code == 3


def test_crystals_are_cherished_composted_and_reaped(run: Run, line: list[str]) -> None:
    assert run("crystal", "cherish", line[0]).out == f"cherished  {line[0]}\n"
    assert run("crystal", "compost", line[0]).code == 4
    assert run("crystal", "cherish", line[0], "--undo").code == 0
    assert run("crystal", "compost", line[0]).out == "reaped 1 crystal\n"
    assert run("crystal", "tree").out.startswith(f"† {line[0]}")
    assert run("crystal", "ls", "-q").out.split() == line[1:]
    assert run("crystal", "ls", "--all", "-q").out.split() == line
    assert run("crystal", "reap").out == "reaped 0 crystals; left 0 cherished, 2 whose time is not over\n"


def test_paths_are_listed_and_invoked(run: Run, tmp_path: Path) -> None:
    assert "self.memory.crystallize" in run("invoke").out
    assert {"path", "help", "needs", "takes"} == set(run("invoke", "--json").json[0])
    file = tmp_path / "messages.json"
    file.write_text(json.dumps([{"role": "user", "content": "hello"}]), encoding="utf-8")
    made = run("invoke", "self.memory.crystallize", f"context=@{file}", "ttl=60", "--json").json
    assert made["preserved_count"] == 1
    resumed = run("invoke", "self.memory.resume", f"crystal_id={made['crystal_id']}", "--json").json
    assert resumed["messages"][1]["content"] == "hello"
    assert "reaped_count" in run("invoke", "void.entropy.pour").out
    assert "self.memory.manifest" in run("invoke").out
    run("invoke", "self.memory.engram", "name=plan", 'state={"step": 3}')
    assert run("invoke", "self.memory.manifest", "name=plan", "--json").json["state"] == {"step": 3}
    wrong = run("invoke", "self.memory.resum", "crystal_id=x")
    assert wrong.code == 3
    assert "did you mean 'self.memory.resume'?" in wrong.err
    assert run("invoke", "self.memory.resume", "crystal").code == 2


@pytest.mark.usefixtures("two")
def test_a_memory_is_compared_and_restored(run: Run) -> None:
    texts = {one["id"]: one["text"] for one in run("ls", "--json").json}
    taken = run("snapshot", "before", "--json").json
    run("supersede", "tea", "Ada prefers coffee")
    run("forget", "ship")
    new = run("write", "new", "--json").json["ids"][0]
    assert run("changes", "before").out.splitlines() == [f"+ {new}", "~ tea", "- ship"]
    assert run("changes", "before", taken["id"], "--json").json["added"] == []
    assert run("restore", "before").out.startswith(
        "put back 1, recovered 1, forgot 1; to undo: foveal restore snap_"
    )
    assert {one["id"]: one["text"] for one in run("ls", "--json").json} == texts
    assert [one["label"] for one in run("snapshots", "--json").json] == ["before", "before restoring before"]
    assert run("restore", "never").code == 3
