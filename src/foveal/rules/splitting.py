"""How long text is cut into the pieces that are embedded one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Where a sentence may end. Each run of marks is read once: a pattern for whole sentences would read a long run anew
# at every character of it.
_END = re.compile(r"(?P<marks>[.!?…。！？।]+)[\"'”’)\]]*|\n+")
_FULL_STOPS = re.compile("[。！？।]+")
_WORD = re.compile(r"\S+\s*")


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; joined by nothing lost but white space at their ends.

    >>> sentences("It rained. We stayed in! Why not?")
    ['It rained.', 'We stayed in!', 'Why not?']
    """
    found: list[str] = []
    start = 0
    for end in _ends(text):
        found.append(text[start:end].strip())
        start = end
    return [one for one in (*found, text[start:].strip()) if one]


def _ends(text: str) -> Iterator[int]:
    """Where sentences end: at marks before white space, at full stops of scripts that have none, at line ends."""
    start = 0
    for match in _END.finditer(text):
        # What begins a sentence does not end it.
        first, last = max(match.start(), start + 1), match.end("marks") if match["marks"] else match.end()
        if first >= last:
            continue
        if match["marks"] and not text[match.end() : match.end() + 1].isspace() and match.end() < len(text):
            for stop in _FULL_STOPS.finditer(text, first, last):
                yield (start := stop.end())
        else:
            yield (start := match.end())


def chunks(text: str, size: int = 600) -> list[str]:
    """The text in pieces of at most about `size` characters, cut between sentences where it can be.

    A text that is short enough is one piece, unchanged.

    >>> chunks("One. Two. Three.", size=10)
    ['One. Two.', 'Three.']
    """
    if len(text) <= size:
        return [text]
    pieces: list[str] = []
    for sentence in sentences(text):
        for part in _fitting(sentence, size):
            if pieces and len(pieces[-1]) + 1 + len(part) <= size:
                pieces[-1] += " " + part
            else:
                pieces.append(part)
    return pieces


def _fitting(sentence: str, size: int) -> list[str]:
    if len(sentence) <= size:
        return [sentence]
    parts = [""]
    for word in _WORD.findall(sentence):
        for start in range(0, len(word), size):
            piece = word[start : start + size]
            if parts[-1] and len(parts[-1]) + len(piece) > size:
                parts.append("")
            parts[-1] += piece
    return [part.strip() for part in parts if part.strip()]


def gist(text: str, limit: int = 160) -> str:
    """The beginning of a text, cut at a sentence or a word, marked when something is missing.

    >>> gist("We chose SQLite. It needs no server.", limit=20)
    'We chose SQLite. …'
    """
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    room = flat[: limit - 2]
    end = max(room.rfind(mark) for mark in (". ", "! ", "? ", "。"))
    kept = room[: end + 1] if end >= limit // 3 else room.rpartition(" ")[0] or room
    return kept.rstrip() + " …"
