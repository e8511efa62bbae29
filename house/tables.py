"""The tables that drive the move, read from the TSV files beside this one."""

from __future__ import annotations

import csv
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
STEPS = ("model", "ports", "rules", "root", "backends", "engine", "doors", "testing", "style", "names", "members", "words")
SUBJECTS = {
    "model": "Merge the modules of model into eleven",
    "ports": "Merge the modules of ports into six",
    "rules": "Merge the modules of rules into nineteen, with rooms for recall and dates",
    "root": "Merge the modules of wire, agents and the root",
    "backends": "Merge the index and the small backends into a few modules",
    "engine": "Cut the cycle of the engine and merge its modules into six packages",
    "doors": "Merge the modules behind the doors",
    "testing": "Merge the conformance suites by what they examine",
    "names": "Rename classes and functions to words that a reader would guess",
    "members": "Rename methods and fields to words that a reader would guess",
    "words": "Rename parameters and locals that stand for access and runtime",
    "style": "Collapse the tests of style, and give them the rooms and limits of the new tree",
}


def rows(name: str) -> list[list[str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as lines:
        found = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in found[1:] if row and not row[0].startswith("#")]


def wrapped(text: str) -> str:
    """A docstring that fits the lines of the project."""
    if len(text) <= 110:
        return text
    return "\n".join([*textwrap.wrap(text, 106), ""])


@dataclass
class Tables:
    """What goes where, in the steps that were asked for."""

    places: dict[str, str] = field(default_factory=dict)  # old module -> new module, or delete
    order: list[str] = field(default_factory=list)
    symbols: dict[tuple[str, str], str] = field(default_factory=dict)
    moved: list[tuple[str, str, str]] = field(default_factory=list)
    docs: dict[str, str] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    lazy: set[str] = field(default_factory=set)  # parts whose heavy imports go into their functions


def read(steps: tuple[str, ...]) -> Tables:
    found = Tables()
    for old, new, step, *_ in rows("map.tsv"):
        found.order.append(old)
        if step in steps:
            found.places[old] = new
    for module, name, new, *_ in rows("symbols.tsv"):
        if module in found.places:
            found.symbols[module, name] = new
    for module, name, new, step, *_ in rows("moved.tsv"):
        if step in steps:
            found.moved.append((module, name, new))
    found.docs = {module: wrapped(text) for module, text, *_ in rows("docstrings.tsv")}
    found.lazy = {module for module, *_ in rows("lazy.tsv")}
    found.data = {old: new for old, new, step, *_ in rows("data.tsv") if step in steps}
    return found
