"""The page on the documents names only calls that exist."""

import re
from operator import attrgetter
from pathlib import Path

import foveal
from foveal import FractalMemory, Memory, MemoryClient, MemoryConfig

PAGE = Path(__file__).parents[2] / "docs/reference/seeds.md"
# Names of the documents' own, and endings of files.
THEIRS, FILES = ("knowledge_base.", "agent.", "self.", "void."), (".json", ".yaml")


def test_every_call_that_the_page_names_exists(memory: Memory) -> None:
    text = re.sub(r"```.*?```", "", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = {call for row in text.splitlines() if row.startswith("| ") for call in _calls(row.split(" | ")[-1])}
    assert len(named) > 30
    view = memory.view(actor_id="me")
    places = (memory, view, view.crystals, foveal, FractalMemory, MemoryClient, MemoryConfig)
    assert {name for name in named if not any(_has(place, name) for place in places)} == set()


def _calls(cell: str) -> list[str]:
    """What is dotted or called in a cell, without its arguments; neither commands nor files."""
    calls: list[str] = []
    for code in re.findall(r"`([^`]+)`", cell):
        name = re.sub(r"\(.*", "()", code)
        dotted = re.fullmatch(r"([A-Za-z_]\w*(?:\.\w+)*)(?:\(\))?", name)
        if dotted and ("." in name or "(" in name) and not code.endswith(FILES) and not code.startswith(THEIRS):
            calls.append(re.sub(r"^(?:memory|foveal)\.", "", dotted[1]))
    return calls


def _has(place: object, name: str) -> bool:
    try:
        attrgetter(name)(place)
    except AttributeError:
        return False
    return True
