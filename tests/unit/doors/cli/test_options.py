from __future__ import annotations

from pathlib import Path

import pytest

from foveal import __version__
from foveal.doors.cli.app import COMMANDS

from .conftest import Run


def test_options_work_before_and_after_the_command(run: Run) -> None:
    run("--actor-id", "ada", "write", "before")
    run("write", "after", "-a", "ada")
    run("-a", "bob", "write", "the later one wins", "--actor-id", "ada")
    assert {one["text"] for one in run("ls", "--json", "-a", "ada").json} == {
        *("before", "after", "the later one wins"),
    }


def test_the_actor_is_me_if_not_said(run: Run) -> None:
    run("write", "mine")
    assert run("ls", "--actor-id", "me", "--json").json[0]["actor_id"] == "me"
    assert run("ls", "--actor-id", "you", "--json").json == []


def test_an_empty_actor_is_refused(run: Run) -> None:
    assert run("write", "x", "--actor-id", "").code == 2


def test_world_node_and_session_are_kept(run: Run) -> None:
    at = ["--world", "lab", "--node", "/planner", "--session-id", "s1"]
    run("write", "x", *at)
    record = run(*at, "ls", "--json").json[0]
    assert (record["node"], record["session_id"]) == ("/planner", "s1")
    assert record["address"].startswith("lab/")


def test_the_path_may_come_from_the_settings(process: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_URL", str(tmp_path / "set.db"))
    shown = {one["setting"]: one for one in process("config", "show", "--json").json}
    assert shown["url"]["origin"] == "--url"


def test_config_says_where_each_setting_came_from(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("FOVEAL_SYNCHRONOUS=FULL\nFOVEAL_TOKENIZER=estimate\n")
    (tmp_path / "memory_config.yaml").write_text(
        "synchronous: NORMAL\nreranker_ms: 150\nmemory: {similarity: 0.9}\n"
    )
    monkeypatch.setenv("FOVEAL_TOKENIZER", "cl100k_base")
    monkeypatch.setenv("FOVEAL_ENCODER_KEY", "hunter2")
    ended = run("config", "show", "--json")
    shown = {one["setting"]: (one["value"], one["origin"]) for one in ended.json}
    assert shown["url"][1] == "--url"
    assert shown["synchronous"] == ("FULL", ".env")
    assert shown["tokenizer"] == ("cl100k_base", "environment")
    assert shown["reranker_ms"] == (150, "memory_config.yaml")
    assert (shown["memory"][0]["similarity"], shown["memory"][1]) == (0.9, "memory_config.yaml")
    assert shown["encoder"] == ("static", "default")
    assert "hunter2" not in ended.out


def test_version_and_help_need_no_memory(run: Run) -> None:
    assert run("--version").out == f"foveal {__version__}\n"
    assert run("--help").out == run().out


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_has_an_example(entry: tuple[str, object, str, str], run: Run) -> None:
    name, _, example, _ = entry
    assert example.startswith(f"foveal {name}")
    told = run(*name.split(), "--help").out
    assert example in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_the_list_of_commands_is_not_cut_off(run: Run) -> None:
    listed = run("--help").out.split("Options:")[0]
    listed = listed[listed.index("Everyday:") :]
    assert "..." not in listed
