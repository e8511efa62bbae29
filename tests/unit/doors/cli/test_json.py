from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from foveal.doors.cli.app import COMMANDS, CONFIG

from .conftest import Run

Words = Callable[[str, str, Path], list[str]]

CALLS: dict[str, Words] = {
    "write": lambda tea, ship, here: ["write", "Cleo likes cake"],
    "add": lambda tea, ship, here: ["add", "Cleo likes cake"],
    "search": lambda tea, ship, here: ["search", "tea"],
    "read": lambda tea, ship, here: ["read", "tea"],
    "context": lambda tea, ship, here: ["context", "tea", "--explain"],
    "get": lambda tea, ship, here: ["get", tea],
    "ls": lambda tea, ship, here: ["ls"],
    "supersede": lambda tea, ship, here: ["supersede", tea, "Ada prefers coffee"],
    "forget": lambda tea, ship, here: ["forget", tea],
    "pin": lambda tea, ship, here: ["pin", tea],
    "unpin": lambda tea, ship, here: ["unpin", tea],
    "reinforce": lambda tea, ship, here: ["reinforce", tea],
    "history": lambda tea, ship, here: ["history", tea],
    "link": lambda tea, ship, here: ["link", tea, ship],
    "unlink": lambda tea, ship, here: ["unlink", tea, ship],
    "related": lambda tea, ship, here: ["related", tea],
    "children": lambda tea, ship, here: ["children", tea],
    "regions": lambda tea, ship, here: ["regions"],
    "addresses": lambda tea, ship, here: ["addresses"],
    "stats": lambda tea, ship, here: ["stats"],
    "export": lambda tea, ship, here: ["export", str(here / "out.jsonl")],
    "backup": lambda tea, ship, here: ["backup", str(here / "copy.db")],
    "reindex": lambda tea, ship, here: ["reindex"],
    "doctor": lambda tea, ship, here: ["doctor"],
    "dump": lambda tea, ship, here: ["dump", "--show-spans"],
    "demo": lambda tea, ship, here: ["demo", "--path", str(here / "demo.db")],
    "show": lambda tea, ship, here: ["config", "show"],
}
LISTS = ("search", "ls", "history", "related", "children", "regions", "addresses", "dump", "show")


def test_every_command_is_called_here() -> None:
    named = {name for entry in (*COMMANDS, *CONFIG) for name in (entry.name, entry.alias) if name}
    assert named - set(CALLS) == {"import"}


@pytest.mark.parametrize("name", CALLS)
def test_with_json_standard_output_is_one_document(
    name: str, run: Run, tea: str, ship: str, tmp_path: Path
) -> None:
    ended = run(*CALLS[name](tea, ship, tmp_path), "--json")
    assert ended.code == 0, ended.err
    assert isinstance(ended.json, list if name in LISTS else dict)
    assert ended.err == ""


@pytest.mark.parametrize("name", CALLS)
def test_in_a_pipe_there_is_no_escape_and_no_box(
    name: str, run: Run, tea: str, ship: str, tmp_path: Path
) -> None:
    ended = run(*CALLS[name](tea, ship, tmp_path))
    assert ended.code == 0, ended.err
    assert not set(ended.out) & set("\x1b│┃─━╭╮╰╯┏┓|")


@pytest.mark.parametrize("name", CALLS)
def test_quiet_says_at_most_ids(name: str, run: Run, tea: str, ship: str, tmp_path: Path) -> None:
    ended = run(*CALLS[name](tea, ship, tmp_path), "--quiet")
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


def test_json_after_two_dashes_is_not_an_option(run: Run) -> None:
    assert run("write", "--", "--json").out.startswith("wrote")
