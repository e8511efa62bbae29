"""The help begins with what everybody needs, and an option means the same in every command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from foveal.doors.cli.app import COMMANDS, PANELS, app

from .conftest import Run


def _commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for word, inner in getattr(command, "commands", {}).items():
        yield f"{name} {word}".strip(), inner
        yield from _commands(inner, f"{name} {word}".strip())


def test_every_command_is_in_one_panel() -> None:
    listed = [name for names in PANELS.values() for name in names.split()]
    assert sorted(listed) == sorted({entry.name.split()[0] for entry in COMMANDS})


def test_the_help_begins_with_the_everyday_commands(run: Run) -> None:
    shown = run("--help").out
    places = [shown.index(f"\n{panel}:\n") for panel in (*PANELS, "Options")]
    assert places == sorted(places)
    everyday = shown[places[0] : places[1]].split("\n")[2:8]
    assert [line.split()[0] for line in everyday] == ["write", "remember", "search", "read", "supersede", "forget"]


def test_no_help_speaks_of_theory(run: Run) -> None:
    pages = [run(*entry.name.split(), "--help").out for entry in COMMANDS]
    said = "\n".join([run("--help").out, *pages]).lower()
    assert "comonad" not in said
    assert "organism" not in said


def test_an_option_means_the_same_in_every_command() -> None:
    meanings: dict[str, dict[tuple[Any, ...], list[str]]] = {}
    for name, command in _commands(get_command(app)):
        for option in (one for one in command.params if one.param_type_name == "option"):
            # A hidden option is one of `foveal --help`, which every command has.
            meaning = (tuple(sorted(option.opts)), option.metavar, option.is_flag)
            for spelling in option.opts:
                meanings.setdefault(spelling, {}).setdefault(meaning, []).append(name)
    assert {option: found for option, found in meanings.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("words", "found"), [("foveal se", {"search", "serve", "session"}), ("foveal cr", {"crystal"})]
)
def test_the_shell_completes_commands(
    process: Run, monkeypatch: pytest.MonkeyPatch, words: str, found: set[str]
) -> None:
    monkeypatch.setenv("_FOVEAL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", "1")
    assert set(process().out.split()) == found
