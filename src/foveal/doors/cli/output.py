"""What a command prints: answers, the printer of readable text, records, progress bars."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    from foveal.model.record import Record

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """What a command prints: with --json the value, with --quiet the ids, otherwise the text.

    The text is a line, several lines, or a function that prints it. Notes go to standard error; `empty` is another
    note, for an empty value. `code` is the exit code.
    """

    value: object
    text: str | Sequence[str] | Callable[[Printer], None]
    ids: Sequence[str] = ()
    empty: str = ""
    notes: Sequence[str] = ()
    code: int = 0


def table(
    values: Sequence[T],
    heads: Sequence[str],
    row: Callable[[T], Sequence[object]],
    *,
    ids: Sequence[str] | None = None,
    empty: str = "",
) -> Answer:
    """An answer with a row for each value; its first cell is the id, unless `ids` are given."""
    rows = [row(value) for value in values]
    first = [str(cells[0]) for cells in rows]
    return Answer(values, lambda page: page.table(heads, rows), first if ids is None else ids, empty)


def cards(
    values: Sequence[T],
    card: Callable[[T], Sequence[object]],
    *,
    ids: Sequence[str] | None = None,
    empty: str = "",
) -> Answer:
    """An answer with a card for each value: heads and a text. The first head is the id, unless `ids` are given."""

    def tell(page: Printer) -> None:
        for *heads, body in shown:
            page.card(heads, body)

    shown = [[cell(part) for part in card(value)] for value in values]
    return Answer(values, tell, [heads[0] for heads in shown] if ids is None else ids, empty)


def record_cards(records: Sequence[Record], *, empty: str = "") -> Answer:
    """An answer with a card for each record."""
    return cards(records, lambda record: [*format_heads(record), record.text], empty=empty)


class Bar:
    """A progress bar that appears with the first step and ends with the last."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True))
        self._task = self._progress.add_task(title, total=None)

    def show(self, done: int, total: int) -> None:
        """Move the bar."""
        self._progress.start()
        self._progress.update(self._task, completed=done, total=total)
        if done >= total:
            self._progress.stop()


_WIDEST = 100
# Stored text is untrusted: its control characters could move the cursor or set the title of the terminal, overrides
# of the direction of writing could make it read otherwise, and tags hide a text.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e01ef]")


def clean(text: str) -> str:
    """`text` without what a terminal acts on or hides.

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
"""A name, its description, and its children."""


class Printer:
    """Prints the readable output of a command: styled on a terminal, plain in a pipe."""

    def __init__(self) -> None:
        self._console = _console() if sys.stdout.isatty() else None

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """Print a paragraph; on a terminal it is wrapped and keeps its indent."""
        self._write(" " * indent, clean(text), style)

    def command(self, text: str) -> None:
        """Print something to copy: it is never wrapped, so that it stays one line."""
        if self._console is None:
            typer.echo(f"  {clean(text)}")
            return
        self._console.print(f"  {clean(text)}", style="cyan", soft_wrap=True)

    def card(self, heads: Sequence[str], body: str) -> None:
        """Print a line of heads above a text; in a pipe, all on one line, separated by tabs."""
        if self._console is None:
            typer.echo("\t".join(flat(part) for part in [*heads, body]))
            return
        first, *rest = (flat(head) for head in heads)
        self._write(f"{first}  ", "  ".join(head for head in rest if head), "dim", mark_style="cyan")
        self.line(body, indent=2)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print rows below heads; in a pipe, only the rows, with tabs between the cells.

        A head that begins with `>` aligns its column to the right.
        """
        texts = [[flat(cell(value)) for value in row] for row in rows]
        if self._console is None:
            for row in texts:
                typer.echo("\t".join(row))
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for head in heads:
            side = "right" if head.startswith(">") else "left"
            table.add_column(head.removeprefix(">"), justify=side, overflow="fold")
        for row in texts:
            table.add_row(*map(Text, row))
        self._console.print(table)

    def tree(self, leaves: Sequence[Leaf]) -> None:
        """Print a tree; in a pipe, one leaf per line, indented by two spaces per level."""
        if self._console is None:
            self._indented(leaves, 0)
            return
        from rich.tree import Tree

        for leaf in leaves:
            root = Tree(_label(leaf), guide_style="dim")
            _grow(root, leaf[2])
            self._console.print(root)

    def _indented(self, leaves: Sequence[Leaf], depth: int) -> None:
        for name, text, children in leaves:
            typer.echo(f"{'  ' * depth}{flat(name)}  {flat(text)}".rstrip())
            self._indented(children, depth + 1)

    def facts(self, pairs: Iterable[tuple[str, str]], *, indent: int = 0) -> None:
        """Print names and values, one pair per line, with the values aligned."""
        flattened = [(name, flat(value)) for name, value in pairs]
        width = max((len(name) for name, _ in flattened), default=0)
        for name, value in flattened:
            self._write(f"{' ' * indent}{name:<{width}}  ", value, mark_style="dim")

    def item(self, mark: str, text: str, style: str = "", indent: int = 0) -> None:
        """Print a paragraph after a mark; on a terminal its lines are indented to the mark."""
        self._write(f"{' ' * indent}{mark} ", flat(text), style, mark_style=style)

    def _write(self, mark: str, text: str, style: str = "", *, mark_style: str = "") -> None:
        """Print `text` after `mark`; on a terminal it is wrapped and aligned, without trailing blanks."""
        if self._console is None:
            typer.echo(f"{mark}{text}".rstrip())
            return
        from rich.text import Text

        width = max(self._console.width - len(mark), 20)
        for number, part in enumerate(Text(text, style=style).wrap(self._console, width) or [Text()]):
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
    # Without colour, rich would still write bold and dim; NO_COLOR users want no escape sequences at all.
    return Console(highlight=False, markup=False, emoji=False, color_system=None, width=console.width)


def cell(value: object) -> str:
    """A value as it stands in a table: a readable moment, a number with its thousands apart, nothing for None.

    >>> cell(1234), cell(None), cell("tea")
    ('1,234', '', 'tea')
    """
    if isinstance(value, datetime):
        return moment(value)
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)


def moment(at: datetime | None) -> str:
    """A readable moment, in local time, with its zone.

    >>> moment(datetime(2026, 3, 2, 9, 14).astimezone())[:16]
    '2026-03-02 09:14'
    """
    return "" if at is None else f"{at.astimezone():%Y-%m-%d %H:%M %Z}"


def size(count: int) -> str:
    """A readable number of bytes.

    >>> size(1536), size(12)
    ('1.5 KB', '12 bytes')
    """
    if count < 1024:
        return f"{count} bytes"
    amount, units = count / 1024, ["KB", "MB", "GB", "TB"]
    while amount >= 1024 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.1f} {units[0]}"


def counted(count: int, thing: str, things: str = "") -> str:
    """A number and its noun, in singular or plural.

    >>> counted(1, "record"), counted(2, "record")
    ('1 record', '2 records')
    """
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def format_heads(record: Record, relevance: float | None = None, replaced_by: str | None = None) -> list[str]:
    """The line above the text of a record: id, time, speaker, relevance, and anything unusual."""
    unusual = [
        record.kind if record.kind != "note" else "",
        f"v{record.version}" if record.version > 1 else "",
        "pinned" if record.pinned else "",
        "muted" if record.vitals.muted else "",
        f"replaced by {replaced_by}" if replaced_by else "",
    ]
    heads = [record.id, moment(record.occurred_at), record.speaker or record.source]
    if relevance is not None:
        heads.append(f"{relevance:.2f}")
    return [*heads, " ".join(word for word in unusual if word)]


# What being archived means, wherever it is shown.
ARCHIVED = "found by search and read as before, but not shown unasked"


def format_record(page: Printer, record: Record) -> None:
    """Print everything about one record."""
    vitals = record.vitals
    pairs = [
        ("id", record.id),
        ("address", str(record.address)),
        ("occurred", moment(record.occurred_at)),
        ("recorded", moment(record.recorded_at)),
        ("valid", f"{moment(record.valid_from)} to {moment(record.valid_to) or 'now'}"),
        ("version", str(record.version)),
        ("kind", record.kind),
        ("speaker", record.speaker or ""),
        ("source", record.source),
        ("session", record.session_id or ""),
        ("node", record.node),
        ("scope", record.scope.value),
        ("tags", ", ".join(record.tags)),
        ("metadata", json.dumps(record.metadata, ensure_ascii=False) if record.metadata else ""),
        ("parent", record.parent_id or ""),
        ("tier", vitals.tier.name.lower()),
        ("archived", f"{moment(vitals.archived_at)}; {ARCHIVED}" if record.archived else ""),
        ("importance", f"{vitals.importance:.2f}"),
        ("pinned", "yes" if vitals.pinned else ""),
        ("muted", "yes" if vitals.muted else ""),
        ("uses", f"{vitals.uses}, last {moment(vitals.used_at)}" if vitals.uses else ""),
        ("expires", moment(vitals.expires_at)),
        ("linearity", record.linearity.name.lower()),
    ]
    page.facts((name, value) for name, value in pairs if value)
    page.line()
    page.line(record.text)
