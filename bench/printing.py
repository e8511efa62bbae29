"""The figures as tables: drawn on a terminal, Markdown in a pipe."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from bench.figure import Figure, shown
from bench.recall import COLUMNS, Outcome

_WIDTH_IN_A_PIPE = 200


class Page:
    """Where a run prints what it finds, part by part."""

    def __init__(self) -> None:
        console = Console(highlight=False)
        self._plain = not console.is_terminal
        self._console = Console(highlight=False, width=_WIDTH_IN_A_PIPE) if self._plain else console

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)

    def figures(self, found: Sequence[Figure]) -> None:
        """Print figures, one table a part."""
        for part in dict.fromkeys(one.part for one in found):
            table = self._table(part, "what", "measured", "at best", "ratio", "n", "at best is", left=(0, 5))
            for one in found:
                if one.part == part:
                    table.add_row(
                        one.name,
                        shown(one.value, one.unit),
                        "" if one.bound is None else shown(one.bound, one.unit),
                        "" if one.ratio is None else f"{one.ratio:.2f}",
                        f"{one.n:,}",
                        one.against,
                    )
            self._print(part, table)

    def recall(self, found: Outcome) -> None:
        """Print what was found again of one set."""
        title = (
            f"recall, {found.data}: {found.turns:,} turns written in {found.write_seconds:.1f} s, "
            f"{found.questions:,} searches of {found.search_seconds * 1000:.1f} ms"
        )
        table = self._table(title, "questions", "n", *COLUMNS, left=(0,))
        for group in found.groups:
            table.add_row(group.name, f"{group.questions:,}", *(f"{group.scores[one]:.3f}" for one in COLUMNS))
        self._print(title, table)

    def _table(self, title: str, *columns: str, left: tuple[int, ...]) -> Table:
        table = Table(
            box=box.MARKDOWN if self._plain else box.ROUNDED,
            title=None if self._plain else title,
            title_justify="left",
        )
        for place, name in enumerate(columns):
            table.add_column(name, justify="left" if place in left else "right", overflow="fold")
        return table

    def _print(self, title: str, table: Table) -> None:
        if self._plain:
            self.say(f"\n**{title}**\n")
        self._console.print(table)


def machine() -> str:
    """What the run ran on."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{_processor()}, {os.cpu_count()} cores{load}; Python {platform.python_version()}, "
        f"numpy {np.__version__}, SQLite {apsw.sqlite_lib_version()}"
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
