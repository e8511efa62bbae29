"""How values show themselves in a shell and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

SHOWN = 72


def brief(text: str, most: int = SHOWN) -> str:
    """A text in one line, quoted, and cut if it is long.

    >>> brief("Ada sails\\nevery Sunday.", 20)
    "'Ada sails every S…'"
    """
    line = " ".join(text[: most * 4].split())
    return repr(line if len(line) + 2 <= most else line[: most - 3] + "…")


def table_html(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """A small table for a notebook. All texts are escaped.

    >>> table_html("Record", [("text", "a < b")])
    '<table><caption>Record</caption><tr><th>text</th><td>a &lt; b</td></tr></table>'
    """
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"
