"""The part of a text that a question points at."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
from msgspec import Struct

from foveal.model.search import Floats, Rows
from foveal.rules.splitting import gist, sentences
from foveal.rules.words import asked_terms, plain_words, terms

SHORT = 240
# A line up to this long is one part; a longer one is cut into its sentences.
LINE = 90
# How long the mark is that stands for what is missing.
MARK = 3
# How much of the terms of the lines beside it, and of its heading, counts for a part.
BESIDE, HEADING = 0.25, 0.3
# What a part counts for terms that are shown already.
AGAIN = 0.5
# How much of the worth of a part that is shown counts for the next one and for its heading; for the head of its
# table more, without which a row says little.
DRAWN, DRAWN_HEAD = 0.1, 0.4
# Two words whose cosine is below this have nothing in common; one that is only alike counts less than the same.
FLOOR, ALIKE = 0.2, 0.5
# What it counts that a part holds the kind of answer wanted, beside a term of the question.
KIND = 0.7
# Words that frame a question to a memory and rarely stand in its answer count half.
_FRAMING = """chat conversation current currently describe discuss earlier last latest look mention previous
    previously recall recent recently recommend remember remind say suggest talk tell thing think want wonder"""
FRAMING, FRAMING_FACTOR = frozenset(asked_terms(_FRAMING)), 0.5

# Every ASCII character, with blanks in place of those that make no word.
_SIGNS = "".join(sign if sign.isalnum() else " " for sign in map(chr, range(128)))
_WORD = re.compile(r"[^\W_]+")
# Scripts in which a word has signs that are no letters.
_MARKED = re.compile("[\u0300-\u036f\u0590-\u0dff]")
_BREAK = re.compile(r"[\s,;:|\"'(){}\[\]<>]")
_BLANKS = re.compile(r"[ \t]{3,}")
# What no sentence ends with: the number or the title of what follows, or an abbreviation.
_NUMBERED = re.compile(r":(?=\s+\d{1,2}[.)]$)")
_TITLE = re.compile(r"(?:\d{1,3}[.)]\s+)?\S{1,16}")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Prof|No|no|Nr|Sc|vs|ca|approx|e\.g|i\.e|z\.B)\.$")
_HEADED = re.compile(r"#{1,6}\s|Subject:\s")

_ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:time|date|day|month|year)\b|\bdeadline\b|\bwann\b|\bcu[áa]ndo\b|\bquand\b|"
    r"什么时候|什麼時候|何时|何時|几点|幾點|いつ",
    re.I,
)
_ASKS_HOW_MUCH = re.compile(
    r"\bhow (?!(?:do|does|did|can|could|to|is|are|was|were|will|would|should|come|about|has|have|had)\b)\w|"
    r"\b(?:number|price|cost|rate|fee|amount|total|percentage|phone|pin|code|version)\b|"
    r"\bwie ?viel|\bwie (?:lange|hoch|oft|alt|warm|weit|teuer)\b|\bcu[áa]nt|\bcombien\b|多少|几|幾|いくつ|いくら",
    re.I,
)
# What stands before the words of a line: a time stamp, or the number of a list.
_STAMP = re.compile(r"\A\W{0,4}\d{1,4}[-/:.)]\S*(?:\s+\d[\d:.,+Z]*)?")
_TIME = re.compile(
    r"\d[:.]\d\d|\d{4}-\d\d|\d[/.]\d|\d[年月日点點]|[一二三四五六七八九十][月日点點]|"
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b",
    re.I,
)
_AMOUNT = re.compile(r"\d|[一二三四五六七八九十百千万两]")

# How near passages (rows) come to the asked terms (columns), as cosines.
Nearness = Callable[[Sequence[str], Sequence[str]], Floats]


class _Part(Struct, frozen=True, gc=False):
    """A line of a text, or a sentence of a long line; `lead` is what stands before it on its line.

    What is `torn` is a piece of something very long without blanks, which says nothing.
    """

    line: int
    indent: int
    text: str
    lead: str = ""
    torn: bool = False


def excerpt(
    text: str,
    asked: Collection[str],
    limit: int = SHORT,
    *,
    question: str = "",
    nearness: Nearness | None = None,
) -> str:
    """The lines and sentences that say most about the asked terms, in their order, marked where others are missing.

    Never longer than `limit`. Terms that are rare in the text count most. A part counts for something, too, if
    those beside it or its heading have the terms, and if it holds the kind of answer that the `question` wants: a
    time or an amount. With `nearness`, words that are only alike count as well.

    >>> excerpt("We ate. The key is under the mat. Then we left.", ["key", "mat"], limit=30)
    '… The key is under the mat. …'
    """
    if len(text) <= limit:
        return text
    wanted = list(dict.fromkeys(asked))
    parts = _parts(text, max(1, limit * 2 // 3, min(limit - MARK - 1, LINE)))
    shares = _shares(parts, wanted, nearness)
    if not shares.any():
        return gist(text, limit)
    factors = [FRAMING_FACTOR if term in FRAMING else 1.0 for term in wanted]
    kind = _kind(question)
    if kind is not None:
        held = [kind.search(_STAMP.sub("", part.text)) is not None for part in parts]
        shares = np.column_stack((shares, np.array(held, np.float32)))
        factors.append(KIND)
    total = shares.sum(axis=0)
    weights = np.array(factors, np.float32) * np.log1p(len(parts) / np.maximum(total, 1)) * (total > 0)
    kept = _kept(parts, shares, weights, limit - 1)
    return _shown(parts, kept) if kept else gist(text, limit)


def nearness_to(
    question: str, pieces: Callable[[str], list[int]], likeness: Callable[[Rows, Rows], Floats]
) -> Nearness:
    """A measure of how near passages come to the terms of a question, by a table of word pieces and its cosines."""
    spelled = {found[0]: word for word in plain_words(question) if len(found := asked_terms(word)) == 1}

    def near(passages: Sequence[str], asked: Sequence[str]) -> Floats:
        # The first piece of a table stands for no word: what has no pieces is like nothing.
        theirs = [pieces(spelled.get(term, term)) or [0] for term in asked]
        ours = [pieces(passage) or [0] for passage in passages]
        best = np.maximum.reduceat(likeness(_joined(ours), _joined(theirs)), _starts(ours), axis=0)
        counts = np.array([len(one) for one in theirs], np.float32)
        return (np.add.reduceat(best, _starts(theirs), axis=1) / counts).astype(np.float32)

    return near


def _joined(rows: Sequence[Sequence[int]]) -> Rows:
    return np.array(list(chain.from_iterable(rows)), np.int64)


def _starts(rows: Sequence[Sequence[int]]) -> Rows:
    return np.cumsum([0, *(len(row) for row in rows[:-1])], dtype=np.int64)


@lru_cache(maxsize=256)
def _kind(question: str) -> re.Pattern[str] | None:
    """What an answer to a question holds, if the question tells."""
    if _ASKS_WHEN.search(question):
        return _TIME
    return _AMOUNT if _ASKS_HOW_MUCH.search(question) else None


def _parts(text: str, longest: int) -> list[_Part]:
    """The lines of a text that have words; long ones sentence by sentence, none longer than told."""
    found: list[_Part] = []
    number = 0
    for whole in text.split("\n"):
        line = whole.strip()
        if line and not _WORD.search(line):
            # A rule parts the head of a table from its rows, and belongs to both.
            continue
        number += 1
        if not line:
            continue
        indent = len(whole) - len(whole.lstrip())
        line = _BLANKS.sub("  ", line)
        if len(line) <= min(LINE, longest):
            found.append(_Part(number, indent, line))
            continue
        place = 0
        for sentence in _sentences(line):
            for piece in filter(None, _cut(sentence, longest)):
                start = line.index(piece, place)
                torn = len(sentence) > longest and _BREAK.search(piece) is None and piece.isascii()
                found.append(_Part(number, indent, piece, line[place:start], torn))
                place = start + len(piece)
    return found


def _sentences(line: str) -> Iterator[str]:
    """The sentences of a line: none ends with an abbreviation or with the number of the next one."""
    start = place = 0
    for sentence in sentences(line):
        place = line.index(sentence, place) + len(sentence)
        held = line[start:place].lstrip()
        numbered = _NUMBERED.search(held, max(0, len(held) - 8))
        if numbered is not None:
            yield held[: numbered.end()]
            start = place - len(held) + numbered.end()
        # However many abbreviations follow each other, the text is gone through once.
        elif len(held) > 3 * LINE or not (_TITLE.fullmatch(held) or _ABBREVIATED.search(held, len(held) - 10)):
            yield held
            start = place
    if line[start:].strip():
        yield line[start:].strip()


def _cut(sentence: str, longest: int) -> Iterator[str]:
    """A sentence in pieces of about the same length, between words where it can be."""
    size = len(sentence) // -(-len(sentence) // longest) + 1
    start = 0
    while len(sentence) - start > longest:
        last = start + min(longest, size + size // 8)
        end = 1 + max(sentence.rfind(mark, start + size // 2, last) for mark in " ,;") or last
        yield sentence[start:end].strip()
        start = end
    yield sentence[start:].strip()


def _headings(parts: Sequence[_Part]) -> list[int]:
    """For each part the one it stands under: the last one indented less, the head of its paragraph, or itself."""
    found: list[int] = []
    above: list[int] = []
    first, head = 0, None
    for number, part in enumerate(parts):
        while above and parts[above[-1]].indent >= part.indent:
            above.pop()
        if number and part.line > parts[number - 1].line + 1:
            first = number
        over = above[-1] if above else first
        found.append(over if parts[over].line < part.line else number if head is None else head)
        above.append(number)
        if _HEADED.match(part.text):
            head = number
    return found


def _shares(parts: Sequence[_Part], wanted: Sequence[str], nearness: Nearness | None) -> Floats:
    """How much of each term (a column) is in each part (a row): 1 if it stands there, less if one alike does."""
    words = [_words(part.text) for part in parts]
    held = [set(chain.from_iterable(map(_terms_of_word, row))) for row in words]
    shares = np.array([[term in row for term in wanted] for row in held], np.float32).reshape(
        len(parts), len(wanted)
    )
    if nearness is not None and shares.size:
        near = nearness([" ".join(filter(_terms_of_word, row)) for row in words], wanted)
        np.maximum(shares, ALIKE * (np.maximum(near, FLOOR) - FLOOR) / (1 - FLOOR), out=shares)
    return shares


def _words(text: str) -> list[str]:
    """The words of a text as they are written, found the quick way if it is plain."""
    if text.isascii():
        return text.translate(_SIGNS).split()
    return [text] if _MARKED.search(text) else _WORD.findall(text)


@lru_cache(maxsize=16_384)
def _terms_of_word(word: str) -> tuple[str, ...]:
    return tuple(terms(word))


def _kept(parts: Sequence[_Part], shares: Floats, weights: Floats, room: int) -> list[int]:
    """The numbers of the parts to show, in order: one by one the part that adds most, while there is room."""
    above = _headings(parts)
    wide = shares.copy()
    np.maximum(wide[1:], BESIDE * shares[:-1], out=wide[1:])
    np.maximum(wide[:-1], BESIDE * shares[1:], out=wide[:-1])
    np.maximum(wide, HEADING * shares[above], out=wide)
    worth = wide @ weights
    costs = np.array([room + 1 if part.torn else MARK + len(part.text) for part in parts])
    base, shown = AGAIN * worth, np.zeros(len(weights), np.float32)
    kept: list[int] = []
    while True:
        gains = np.where(costs <= room, np.maximum(wide - shown, 0) @ weights + base, 0)
        best = int(gains.argmax())
        if gains[best] <= 0:
            return sorted(kept)
        kept.append(best)
        room -= int(costs[best])
        costs[best] = np.iinfo(costs.dtype).max
        np.maximum(shown, shares[best], out=shown)
        over = above[best]
        base[over] += (DRAWN_HEAD if _in_columns(parts[best], parts[over]) else DRAWN) * worth[best]
        if best + 1 < len(parts):
            base[best + 1] += DRAWN * worth[best]


def _in_columns(row: _Part, head: _Part) -> bool:
    """Whether a line and the one it stands under look like a row of a table and its head."""
    return any(min(row.text.count(sign), head.text.count(sign)) >= 2 for sign in ("|", "  ", "\t")) or (
        row.text.count(",") == head.text.count(",") >= 2 and ", " not in head.text
    )


def _shown(parts: Sequence[_Part], kept: Sequence[int]) -> str:
    """The parts that are kept, with marks where others are missing."""
    shown = ["… "] if kept[0] else []
    for before, number in zip((None, *kept), kept, strict=False):
        part = parts[number]
        if before is not None:
            mark, gap = ("", part.lead) if number == before + 1 else (" …", " ")
            shown.append(mark + ("\n" if part.line > parts[before].line else gap))
        shown.append(part.text)
    return "".join(shown if kept[-1] == len(parts) - 1 else [*shown, " …"])


def shares_more(text: str, other: str, asked: Collection[str]) -> bool:
    """Whether `text` has more of the asked terms than `other`.

    >>> shares_more("I live in Oslo", "I live in Bergen", ["oslo"])
    True
    """
    wanted = set(asked)
    return len(set(terms(text)) & wanted) > len(set(terms(other)) & wanted)
