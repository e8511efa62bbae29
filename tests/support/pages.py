"""Runs the examples of a page of the documentation; needs nothing but Python, so that any environment can."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECKED = "<!-- checked -->"
# Commands that are shown and not run: they install, or run everything, the tests of the pages included.
NOT_RUN = ("make", "pip", "npm", "git", "cd")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, the line it starts at, and whether its output is compared."""

    language: str
    line: int
    text: str
    checked: bool


def name_of(path: Path) -> str:
    """The path of a page inside the repository."""
    return str(path.relative_to(ROOT))


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines = path.read_text(encoding="utf-8").split("\n")
    start: int | None = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
            continue
        before = [one for one in lines[:start] if one.strip()][-1:]
        text = "\n".join(lines[start + 1 : number])
        yield Block(lines[start][3:].strip(), start + 1, text, before == [CHECKED])
        start = None
    assert start is None, f"{name_of(path)}: the block at line {start} does not end"


def run(page: Path, folder: Path) -> None:
    """Run the examples of a page in their order, in one namespace, and compare what they print."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for block in blocks(page):
        where = f"{name_of(page)}, line {block.line}"
        if block.language == "python":
            said = io.StringIO()
            # The empty lines before it make a traceback name the line of the page.
            code = compile("\n" * block.line + block.text, str(page), "exec")
            with contextlib.redirect_stdout(said):
                exec(code, names)
            printed = said.getvalue()
        elif block.language in ("console", "sh"):
            printed = _in_shell(block, where, folder)
        elif block.checked:
            assert block.text.strip() == printed.strip(), f"{where}: {printed}"


def _in_shell(block: Block, where: str, folder: Path) -> str:
    prompted = [line.removeprefix("$ ") for line in block.text.split("\n") if line.startswith("$ ")]
    assert prompted, f"{where}: no line begins with a prompt"
    commands = [line for line in prompted if line.split()[0] not in NOT_RUN]
    script = "\n".join(["set -euo pipefail", *commands])
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{where}: {done.stderr or done.stdout}"
    if block.checked:
        shown = [line for line in block.text.split("\n") if not line.startswith("$ ")]
        assert "\n".join(shown).strip() == done.stdout.strip(), where
    return done.stdout


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path.cwd())
