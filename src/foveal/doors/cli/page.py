"""Readable output: laid out on a terminal, one thing a line in a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

_WIDEST = 100
# Stored text is not to be trusted with the terminal: without this it could move the cursor or set the title.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    """`text` without characters that a terminal would obey.

    >>> clean("red \\x1b[31m alert")
    'red \ufffd[31m alert'
    """
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def flat(text: str) -> str:
    """`text` on one line.

    >>> flat("one\\n  two")
    'one two'
    """
    return clean(" ".join(text.split()))


Leaf = tuple[str, str, "list[Leaf]"]
"""A name, what is said of it, and what is under it."""


class Page:
    """Where a command writes what people read."""

    def __init__(self) -> None:
        self._console = _console() if sys.stdout.isatty() else None

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """One paragraph; on a terminal it is wrapped and keeps its indent."""
        self._write(" " * indent, clean(text), style)

    def command(self, text: str) -> None:
        """Something to copy: never wrapped, so that it stays one line."""
        if self._console is None:
            typer.echo(f"  {clean(text)}")
            return
        self._console.print(f"  {clean(text)}", style="cyan", soft_wrap=True)

    def card(self, heads: Sequence[str], body: str) -> None:
        """A thing with a body: a line of heads over the text, or all in one line with tabs between."""
        if self._console is None:
            typer.echo("\t".join(flat(one) for one in [*heads, body]))
            return
        first, *rest = (flat(one) for one in heads)
        self._write(f"{first}  ", "  ".join(one for one in rest if one), "dim", mark_style="cyan")
        self.line(body, indent=2)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> None:
        """Rows under heads; in a pipe, only the rows, with tabs between the cells."""
        if self._console is None:
            for row in rows:
                typer.echo("\t".join(flat(cell) for cell in row))
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for head in heads:
            table.add_column(head, justify="right" if head in right else "left", overflow="fold")
        for row in rows:
            table.add_row(*(Text(flat(cell)) for cell in row))
        self._console.print(table)

    def tree(self, leaves: Sequence[Leaf]) -> None:
        """Things under things; in a pipe, one a line, two spaces deeper each."""
        if self._console is None:
            self._indented(leaves, 0)
            return
        from rich.tree import Tree

        for leaf in leaves:
            root = Tree(_label(leaf), guide_style="dim")
            _grow(root, leaf[2])
            self._console.print(root)

    def _indented(self, leaves: Sequence[Leaf], depth: int) -> None:
        for name, text, under in leaves:
            typer.echo(f"{'  ' * depth}{flat(name)}  {flat(text)}".rstrip())
            self._indented(under, depth + 1)

    def facts(self, pairs: Iterable[tuple[str, str]], *, indent: int = 0) -> None:
        """Names and values, one pair a line, the values below each other."""
        listed = [(name, flat(value)) for name, value in pairs]
        width = max((len(name) for name, _ in listed), default=0)
        for name, value in listed:
            self._write(f"{' ' * indent}{name:<{width}}  ", value, mark_style="dim")

    def item(self, mark: str, text: str, style: str = "", indent: int = 0) -> None:
        """A paragraph behind a mark; on a terminal its lines stay behind the mark."""
        self._write(f"{' ' * indent}{mark} ", flat(text), style, mark_style=style)

    def _write(self, mark: str, text: str, style: str = "", *, mark_style: str = "") -> None:
        """`text` after `mark`, and on a terminal wrapped below itself, with nothing behind the line ends."""
        if self._console is None:
            typer.echo(f"{mark}{text}".rstrip())
            return
        from rich.text import Text

        room = max(self._console.width - len(mark), 20)
        for number, part in enumerate(Text(text, style=style).wrap(self._console, room) or [Text()]):
            part.rstrip()
            lead = Text(mark if number == 0 else " " * len(mark), style=mark_style)
            line = lead + part if part else Text(mark.rstrip() if number == 0 else "")
            self._console.print(line, soft_wrap=True)


def _label(leaf: Leaf) -> Text:
    from rich.text import Text

    return Text(f"{flat(leaf[0])}  ", style="cyan") + Text(flat(leaf[1]), style="default")


def _grow(tree: Tree, leaves: Sequence[Leaf]) -> None:
    for leaf in leaves:
        _grow(tree.add(_label(leaf)), leaf[2])


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDEST)
    if not console.no_color:
        return console
    # Without colour rich would still write bold and dim: no escape sequences at all is what is asked for.
    return Console(highlight=False, markup=False, emoji=False, color_system=None, width=console.width)
