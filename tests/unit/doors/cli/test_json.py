from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.cli.app import COMMANDS
from foveal.doors.service import Keys

from .conftest import Run

Words = Callable[[Path], list[str]]

CALLS: dict[str, Words] = {
    "write": lambda here: ["write", "Cleo likes cake"],
    "add": lambda here: ["add", "Cleo likes cake"],
    "remember": lambda here: ["remember", "I live in Utrecht."],
    "profile": lambda here: ["profile"],
    "facts": lambda here: ["facts", "--status", "any"],
    "correct": lambda here: ["correct", _fact(here), "wrong"],
    "search": lambda here: ["search", "tea"],
    "read": lambda here: ["read", "tea"],
    "context": lambda here: ["context", "tea", "--explain"],
    "recalls": lambda here: ["recalls", "tea"],
    "get": lambda here: ["get", "tea"],
    "ls": lambda here: ["ls"],
    "supersede": lambda here: ["supersede", "tea", "Ada prefers coffee"],
    "forget": lambda here: ["forget", "tea"],
    "pin": lambda here: ["pin", "tea"],
    "unpin": lambda here: ["unpin", "tea"],
    "mute": lambda here: ["mute", "tea"],
    "unmute": lambda here: ["unmute", "tea"],
    "reinforce": lambda here: ["reinforce", "tea"],
    "history": lambda here: ["history", "tea"],
    "link": lambda here: ["link", "tea", "ship"],
    "unlink": lambda here: ["unlink", "tea", "ship"],
    "related": lambda here: ["related", "tea"],
    "children": lambda here: ["children", "tea"],
    "tree": lambda here: ["tree", "tea"],
    "session start": lambda here: ["session", "start"],
    "session ls": lambda here: ["session", "ls"],
    "session end": lambda here: ["session", "end", "talk"],
    "regions": lambda here: ["regions"],
    "nodes": lambda here: ["nodes"],
    "actors": lambda here: ["actors"],
    "addresses": lambda here: ["addresses"],
    "stats": lambda here: ["stats"],
    "init": lambda here: ["init", str(here / "new.db")],
    "watch": lambda here: ["watch", str(here), "--once"],
    "export": lambda here: ["export", str(here / "out.jsonl")],
    "backup": lambda here: ["backup", str(here / "copy.db")],
    "migrate": lambda here: ["migrate", "--from", str(here / "memory.db"), "--to", str(here / "moved.db")],
    "reindex": lambda here: ["reindex"],
    "vacuum": lambda here: ["vacuum"],
    "erase": lambda here: ["erase", "--actor-id", "nobody", "--yes"],
    "repair": lambda here: ["repair", str(here / "repaired.db")],
    "doctor": lambda here: ["doctor"],
    "dump": lambda here: ["dump", "--show-spans"],
    "demo": lambda here: ["demo", "--path", str(here / "demo.db")],
    "assemble": lambda here: ["assemble", "make tea"],
    "events": lambda here: ["events"],
    "config show": lambda here: ["config", "show", "--origin"],
    "key add": lambda here: ["key", "add", "ci"],
    "key ls": lambda here: ["key", "ls"],
    "key revoke": lambda here: ["key", "revoke", _key(here)],
    "policy ls": lambda here: ["policy", "ls"],
    "policy set": lambda here: ["policy", "set", "policy.recent_records=4"],
    "policy reset": lambda here: ["policy", "reset", "policy.recent_records"],
    "crystal crystallize": lambda here: ["crystal", "crystallize", _messages(here)],
    "crystal branch": lambda here: ["crystal", "branch", _crystal(here), "why not"],
    "crystal merge": lambda here: ["crystal", "merge", *_branched(here)],
    "engram": lambda here: ["engram", "plan", '{"step": 3}'],
    "manifest": lambda here: ["manifest", _planned(here)],
    "ghost status": lambda here: ["ghost", "status"],
    "ghost clear": lambda here: ["ghost", "clear"],
    "goal add": lambda here: ["goal", "add", "Drink tea"],
    "goal ls": lambda here: ["goal", "ls"],
    "goal show": lambda here: ["goal", "show", "brew"],
    "goal close": lambda here: ["goal", "close", "brew", "--result", "good"],
    "ledger decisions": lambda here: ["ledger", "decisions", "--like", "which tea"],
    "ledger patterns": lambda here: ["ledger", "patterns"],
    "ledger calls": lambda here: ["ledger", "calls"],
    "ledger metrics": lambda here: ["ledger", "metrics"],
    "knowledge add": lambda here: ["knowledge", "add", str(_page(here))],
    "knowledge ls": lambda here: ["knowledge", "ls"],
    "knowledge search": lambda here: ["knowledge", "search", "tea"],
    "glyph encode": lambda here: ["glyph", "encode", "Ada prefers tea, and more"],
    "glyph decode": lambda here: ["glyph", "decode", "亍⠁"],
    "glyph inspect": lambda here: ["glyph", "inspect", "亍"],
    "glyph find": lambda here: ["glyph", "find", "Ada prefers tea, and more"],
    "glyph near": lambda here: ["glyph", "near", "default/agent:me#012@d2t0~v1"],
    "glyph density": lambda here: ["glyph", "density"],
    "glyph ls": lambda here: ["glyph", "ls"],
    "tape build": lambda here: ["tape", "build"],
    "tape list": lambda here: ["tape", "list"],
    "tape use": lambda here: ["tape", "use", "0"],
    "tape cells": lambda here: ["tape", "cells"],
    "tape drop": lambda here: ["tape", "drop", _beside(here)],
    "tape update": lambda here: ["tape", "update"],
    "metabolism": lambda here: ["metabolism"],
    "widen": lambda here: ["widen"],
    "errors": lambda here: ["errors"],
    "journal": lambda here: ["journal"],
    "undo": lambda here: ["undo", _moved(here)],
    "forecast": lambda here: ["forecast", "tea"],
    "summaries": lambda here: ["summaries"],
    "worker": lambda here: ["worker", "--once"],
    "console": lambda here: ["console", "--dry-run"],
    "serve": lambda here: ["serve", "--dry-run"],
    "snapshot": lambda here: ["snapshot", "now"],
    "snapshots": lambda here: ["snapshots"],
    "changes": lambda here: ["changes", _taken(here)],
    "restore": lambda here: ["restore", _taken(here)],
    "invoke": lambda here: ["invoke", "self.memory.recall", "query=tea"],
    "crystal ls": lambda here: ["crystal", "ls"],
    "crystal show": lambda here: ["crystal", "show", _crystal(here)],
    "crystal tree": lambda here: ["crystal", "tree"],
    "crystal diff": lambda here: ["crystal", "diff", _crystal(here), _crystal(here)],
    "crystal resume": lambda here: ["crystal", "resume", _crystal(here)],
    "crystal cherish": lambda here: ["crystal", "cherish", _crystal(here)],
    "crystal compost": lambda here: ["crystal", "compost", _crystal(here)],
    "crystal reap": lambda here: ["crystal", "reap"],
    "mcp install": lambda here: ["mcp", "install", "cursor", "--project", "--dry-run"],
    "mcp uninstall": lambda here: ["mcp", "uninstall", "gemini", "--project", "--dry-run"],
    "plot decay": lambda here: ["plot", "decay", "--out", str(here / "decay.svg")],
    "plot map": lambda here: ["plot", "map", str(here / "map.svg")],
}
LISTS = (
    *(
        "facts",
        "search",
        "ls",
        "history",
        "related",
        "children",
        "regions",
        "nodes",
        "actors",
        "addresses",
        "dump",
        "config show",
        "events",
    ),
    *("tree", "recalls", "session ls", "key ls", "errors", "ledger metrics"),
    *("policy ls", "policy set", "policy reset"),
    *("goal ls", "ledger decisions", "ledger patterns", "ledger calls", "knowledge ls", "knowledge search"),
    *(
        "glyph find",
        "glyph near",
        "glyph ls",
        "tape list",
        "tape cells",
        "journal",
        "forecast",
        "summaries",
        "snapshots",
        "crystal ls",
        "crystal tree",
    ),
)


def _messages(here: Path) -> str:
    """A file of messages."""
    path = here / "messages.json"
    path.write_text('[{"role": "user", "content": "We sail on Tuesday."}]')
    return str(path)


def _branched(here: Path) -> tuple[str, str]:
    """The ids of a branch with a turn of its own, and of the crystal it comes from."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        ada = memory.view(actor_id="me").crystals
        trunk = ada.crystallize([{"role": "user", "content": "We sail on Tuesday."}])
        window = ada.resume(ada.branch(trunk.crystal_id, "why not").crystal_id).window
        branch = ada.crystallize(ada.add(window, [{"role": "user", "content": "Take the red boat."}]))
        return branch.crystal_id, trunk.crystal_id


def _planned(here: Path) -> str:
    """The name of an engram."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        memory.engram("plan", {"step": 3}, actor_id="me")
    return "plan"


def _page(here: Path) -> Path:
    page = here / "tea.md"
    page.write_text("# Tea\n\nGreen tea takes 70 degrees.")
    return page


def _fact(here: Path) -> str:
    """The id of a fact."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        return memory.remember("I live in Utrecht.", actor_id="me").facts[0].id


def _moved(here: Path) -> str:
    """The id of a move that can be undone."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        memory.forget("ship", actor_id="me")
        return memory.lifecycle.journal(actor_id="me")[0].id


def _key(here: Path) -> str:
    """The id of a key."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        return Keys(memory.keys).add("ci").key.id


def _taken(here: Path) -> str:
    """The id of a snapshot that something was changed after."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        taken = memory.snapshots.take("before", actor_id="me")
        memory.supersede("tea", "Ada prefers coffee", actor_id="me")
        return taken.id


def _beside(here: Path) -> str:
    """The number of a tape that is not in use."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        return str(memory.tape.build(use=False, actor_id="me").number)


def _crystal(here: Path) -> str:
    """The id of a new crystal."""
    with Memory(here / "memory.db", settings=Settings(second_look="off")) as memory:
        said = [{"role": "user", "content": "Paint gate 7."}]
        return memory.crystals.crystallize(said, actor_id="me").crystal_id


def test_every_command_is_called_here() -> None:
    named = {name for entry in COMMANDS for name in (entry.name, entry.alias) if name}
    assert named - set(CALLS) == {"import", "mcp", "mcp hook"}


@pytest.mark.parametrize("name", CALLS)
def test_with_json_standard_output_is_one_document(name: str, run: Run, two: None, tmp_path: Path) -> None:
    ended = run(*CALLS[name](tmp_path), "--json")
    assert ended.code == 0, ended.err
    assert isinstance(ended.json, list if name in LISTS else dict)
    assert ended.err == ""


@pytest.mark.parametrize("name", CALLS)
def test_in_a_pipe_there_is_no_escape_and_no_box(name: str, run: Run, two: None, tmp_path: Path) -> None:
    ended = run(*CALLS[name](tmp_path))
    assert ended.code == 0, ended.err
    assert not set(ended.out) & set("\x1b│┃─━╭╮╰╯┏┓|")


@pytest.mark.parametrize("name", CALLS)
def test_quiet_says_at_most_ids(name: str, run: Run, two: None, tmp_path: Path) -> None:
    ended = run(*CALLS[name](tmp_path), "--quiet")
    assert ended.code == 0, ended.err
    assert all(" " not in line for line in ended.out.splitlines())
    assert ended.err == ""


def test_an_export_is_imported_again(run: Run, tea: str, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    assert run("export", str(file), "--json").json["records"] == 1
    elsewhere = ("--url", str(tmp_path / "other.db"), "--actor-id", "ada")
    done = run("import", str(file), "--json", *elsewhere)
    assert done.json["records"] == 1
    assert done.err == ""
    assert run("get", tea, *elsewhere, "--json").json["text"] == "Ada prefers tea"


def test_a_list_has_one_element_a_line(run: Run, tea: str, ship: str) -> None:
    lines = run("ls", "--json").out.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("[", "]", 4)


def test_names_and_addresses_are_text(run: Run, tea: str) -> None:
    record = run("get", tea, "--json").json
    assert record["address"].startswith("default/agent:me#")
    assert record["vitals"]["tier"] == "working"
    assert record["linearity"] == "droppable"


def test_an_error_is_an_object_on_standard_error(run: Run, tea: str) -> None:
    ended = run("get", "nobody", "--json")
    assert ended.out == ""
    assert (ended.error["code"], ended.error["data"]) == ("not_found", {"record_id": "nobody"})


def test_a_command_that_cannot_be_parsed_answers_in_json_too(run: Run) -> None:
    for words in (["search", "--json"], ["--json", "serch"], ["--json", "ls", "--limit", "many"]):
        ended = run(*words)
        assert (ended.code, ended.out, ended.error["code"]) == (2, "", "usage")


def test_a_fault_of_ours_is_an_object_too(run: Run, two: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*words: object, **more: object) -> None:
        raise ZeroDivisionError("one by nothing")

    monkeypatch.setattr("foveal.engine.memory.View.stats", broken)
    ended = run("stats", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert (ended.error["code"], ended.error["message"]) == ("internal", "ZeroDivisionError: one by nothing")
    assert "broken" in ended.error["data"]["traceback"]


def test_json_after_two_dashes_is_not_an_option(run: Run) -> None:
    assert run("write", "--", "--json").out.startswith("wrote")
