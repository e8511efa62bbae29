"""How long text is cut into the pieces that are embedded one by one."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r".+?(?:[.!?…。！？।]+[\"'”’)\]]*(?=\s|$)|[。！？।]+|\n+|$)", re.DOTALL)
_WORD = re.compile(r"\S+\s*")


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; joined by nothing lost but white space at their ends.

    >>> sentences("It rained. We stayed in! Why not?")
    ['It rained.', 'We stayed in!', 'Why not?']
    """
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()]


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
