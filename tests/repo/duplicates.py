"""Count the pairs of places in `src` that share six or more lines of the same shape.

`python -m tests.repo.duplicates --list` names them. The shape of a line is its tokens with every name, string and
number the same; blank lines, comments, docstrings, imports, punctuation and lines of values alone do not count.
Each run that two places share is one pair.
"""

from __future__ import annotations

import ast
import io
import keyword
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "foveal"
# The mark of a module that `make api` writes.
GENERATED = "# [[[cog"
FEWEST_LINES = 6
# A shape that stands in more places than this is how the language is written, not something written twice.
MOST_PLACES = 8

Place = tuple[int, int]


def shapes(text: str) -> list[tuple[int, str]]:
    """The lines of a module that count, each with its number and its shape."""
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and (isinstance(node, ast.Import | ast.ImportFrom) or is_text):
            skipped |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: dict[int, list[str]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            lines[token.start[0]].append(token.string if keyword.iskeyword(token.string) else "name")
        elif token.type == tokenize.NUMBER or "STRING" in tokenize.tok_name[token.type]:
            lines[token.start[0]].append("value")
        elif token.type == tokenize.OP:
            lines[token.start[0]].append(token.string)
    return [
        (number, " ".join(found))
        for number, found in sorted(lines.items())
        if number not in skipped and any(word[0].isalpha() and word != "value" for word in found)
    ]


def pairs(texts: dict[str, str]) -> list[str]:
    """The pairs of places, longest first, one line each."""
    names = sorted(texts)
    lines = [shapes(texts[name]) for name in names]
    places: dict[tuple[str, ...], list[Place]] = defaultdict(list)
    for number, found in enumerate(lines):
        for start in range(len(found) - FEWEST_LINES + 1):
            window = tuple(shape for _, shape in found[start : start + FEWEST_LINES])
            places[window].append((number, start))
    shared: set[tuple[Place, Place]] = set()
    for found in places.values():
        if len(found) <= MOST_PLACES:
            shared |= {(one, other) for one in found for other in found if one < other}
    rows: list[tuple[int, str]] = []
    for (one, start), (other, begin) in sorted(shared):
        if ((one, start - 1), (other, begin - 1)) in shared:
            continue
        length = FEWEST_LINES
        while ((one, start + length - FEWEST_LINES + 1), (other, begin + length - FEWEST_LINES + 1)) in shared:
            length += 1
        if one == other and begin < start + length:
            continue
        where = [
            f"{names[file]}:{lines[file][at][0]}-{lines[file][at + length - 1][0]}"
            for file, at in ((one, start), (other, begin))
        ]
        rows.append((length, " ~ ".join(where)))
    return [f"{length:>4} {where}" for length, where in sorted(rows, key=lambda row: (-row[0], row[1]))]


def main() -> None:
    """Print how many pairs there are, and with `--list` each of them."""
    found = pairs(
        {
            str(path.relative_to(SOURCE)): text
            for path in SOURCE.rglob("*.py")
            if "_pb2" not in path.name and GENERATED not in (text := path.read_text(encoding="utf-8"))
        }
    )
    print(f"{len(found)} pairs of places share {FEWEST_LINES} or more lines of the same shape")
    if "--list" in sys.argv[1:]:
        print(*found, sep="\n")


if __name__ == "__main__":
    main()
