"""Text processing: sentences, chunks to embed, terms, excerpts, and the language of a text."""

from __future__ import annotations

import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import cast

import numpy as np
import Stemmer
from msgspec import Struct

from foveal.model.search import Floats, Rows

# Where a sentence may end. Each run of marks is matched once: a pattern for whole sentences would rescan a long run
# from each of its characters.
_END = re.compile(r"(?P<marks>[.!?…。！？।]+)[\"'”’)\]]*|\n+")
_FULL_STOPS = re.compile("[。！？।]+")
_WORD = re.compile(r"\S+\s*")


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; only white space at their ends is lost.

    >>> sentences("It rained. We stayed in! Why not?")
    ['It rained.', 'We stayed in!', 'Why not?']
    """
    parts: list[str] = []
    start = 0
    for end in _ends(text):
        parts.append(text[start:end].strip())
        start = end
    return [part for part in (*parts, text[start:].strip()) if part]


def _ends(text: str) -> Iterator[int]:
    """Where sentences end: at marks before white space, at the full stops of unspaced scripts, and at line ends."""
    start = 0
    for match in _END.finditer(text):
        # A mark at the beginning of a sentence does not end it.
        first, last = max(match.start(), start + 1), match.end("marks") if match["marks"] else match.end()
        if first >= last:
            continue
        if match["marks"] and not text[match.end() : match.end() + 1].isspace() and match.end() < len(text):
            for stop in _FULL_STOPS.finditer(text, first, last):
                yield (start := stop.end())
        else:
            yield (start := match.end())


def chunks(text: str, size: int = 600) -> list[str]:
    """The text in chunks of at most about `size` characters, cut between sentences where possible.

    A text that is short enough is one chunk, unchanged.

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
    """The beginning of a text, cut at a sentence or a word, with a mark if something is missing.

    >>> gist("We chose SQLite. It needs no server.", limit=20)
    'We chose SQLite. …'
    """
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    room = flat[: limit - 2]
    end = max(room.rfind(mark) for mark in (". ", "! ", "? ", "。"))
    beginning = room[: end + 1] if end >= limit // 3 else room.rpartition(" ")[0] or room
    return beginning.rstrip() + " …"


# Runs of scripts without spaces, and of Korean, whose particles attach to the word, are cut into overlapping pairs
# of characters. Vowel signs of the Indic scripts are not letters to `\w`, so they are listed.
_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"([{_PAIRED}]+)|((?:[^\W_{_PAIRED}]+|[\u0900-\u0963\u0966-\u0dff]+)+)")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_CONTRACTION = re.compile(r"['\u2019](?:(?<=n.)(?=t\b)|(?:s|m|re|ve|ll|d)\b)")
_LONGEST = 64
# How many terms of a question are looked up.
MOST_TERMS = 64

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are arent as at be because been before
    being below between both but by can cannot cant could couldnt did didnt do does doesnt doing
    dont down during each few for from further had has hasnt have havent having he her here hers
    herself him himself his how i if in into is isnt it its itself just let me more most my myself
    no nor not of off on once only or other ought our ours ourselves out over own same she should so
    some such than that the their theirs them themselves then there these they this those through to
    too under until up very was wasnt we were werent what when where which while who whom why will
    with wont would wouldnt you your yours yourself yourselves
    """.split()
)

_english_stem = cast(Callable[[str], str], Stemmer.Stemmer("english", 0).stemWord)
_stemmer_lock = threading.Lock()


def stem(word: str) -> str:
    """The stem of a word in lower case; a word that is not English stays nearly as it is.

    >>> stem("doors"), stem("größe")
    ('door', 'größe')
    """
    # Cut before the cache, which would otherwise hold words of any length.
    return _stemmed(word[:_LONGEST]) if word.isascii() else word[:_LONGEST]


@lru_cache(maxsize=65_536)
def _stemmed(word: str) -> str:
    with _stemmer_lock:  # the stemmer is not thread-safe
        return _english_stem(word)


def _runs(text: str) -> Sequence[tuple[str, str]]:
    return _runs_of_word(text) if len(text) <= _LONGEST else _cut(text)


@lru_cache(maxsize=16_384)
def _runs_of_word(text: str) -> tuple[tuple[str, str], ...]:
    """`_cut` with a cache, because a question is analysed word by word several times."""
    return tuple(_cut(text))


def _cut(text: str) -> list[tuple[str, str]]:
    # Accents and vowel points are removed: either the question or the record often omits them.
    plain = _MARKS.sub("", unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold()))
    return _RUN.findall(_CONTRACTION.sub("", unicodedata.normalize("NFC", plain)))


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, without accents, before they are stemmed.

    >>> plain_words("Zoë's dog")
    ['zoe', 'dog']
    """
    return [paired or word for paired, word in _runs(text)]


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, with repeats and without stop words.

    >>> terms("Caroline's cats aren't sleeping")
    ['carolin', 'cat', 'sleep']
    >>> terms("東京へ")
    ['東京', '京へ', '東', '京', 'へ']
    """
    stems: list[str] = []
    for paired, word in _runs(text):
        if paired:
            stems += [*_pairs(paired), *paired]
        elif word not in STOP_WORDS:
            stems.append(stem(word))
    return stems


def asked_terms(question: str) -> list[str]:
    """The terms to search for, each once. Single characters are used only where there is no pair.

    >>> asked_terms("What did the cats do in 東京?")
    ['cat', '東京']
    """
    wanted: dict[str, None] = {}
    for paired, word in _runs(question):
        if paired:
            wanted.update(dict.fromkeys(_pairs(paired) or [paired]))
        elif word not in STOP_WORDS:
            wanted[stem(word)] = None
    return list(wanted)


SHORT = 240
# A line up to this long is one part; a longer one is cut into its sentences.
LINE = 90
# The length of the mark for missing text.
MARK = 3
# How much the terms of the neighbouring lines, and of the heading, count for a part.
BESIDE, HEADING = 0.25, 0.3
# How much a part counts for terms that are already shown.
AGAIN = 0.5
# How much the worth of a shown part adds to the next part and to its heading; it adds more to the head of its
# table, without which a row says little.
DRAWN, DRAWN_HEAD = 0.1, 0.4
# Words with a cosine below FLOOR have nothing in common; a similar word counts at most ALIKE times the same word.
FLOOR, ALIKE = 0.2, 0.5
# The weight of a part containing the wanted kind of answer, relative to a term of the question.
KIND = 0.7
# Words that frame a question to a memory and rarely occur in the answer count half.
_FRAMING = """chat conversation current currently describe discuss earlier last latest look mention previous
    previously recall recent recently recommend remember remind say suggest talk tell thing think want wonder"""
FRAMING, FRAMING_FACTOR = frozenset(asked_terms(_FRAMING)), 0.5

# Every ASCII character, with spaces in place of those that are not part of a word.
_SIGNS = "".join(sign if sign.isalnum() else " " for sign in map(chr, range(128)))
_LETTERS = re.compile(r"[^\W_]+")
# Scripts in which words contain signs that are not letters.
_MARKED = re.compile("[\u0300-\u036f\u0590-\u0dff]")
_BREAK = re.compile(r"[\s,;:|\"'(){}\[\]<>]")
_BLANKS = re.compile(r"[ \t]{3,}")
# No sentence ends with the number or title of the next one, or with an abbreviation.
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
# The prefix of a line: a time stamp, or a list number.
_STAMP = re.compile(r"\A\W{0,4}\d{1,4}[-/:.)]\S*(?:\s+\d[\d:.,+Z]*)?")
_TIME = re.compile(
    r"\d[:.]\d\d|\d{4}-\d\d|\d[/.]\d|\d[年月日点點]|[一二三四五六七八九十][月日点點]|"
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b",
    re.I,
)
_AMOUNT = re.compile(r"\d|[一二三四五六七八九十百千万两]")

# The similarity of passages (rows) to the asked terms (columns), as cosines.
Nearness = Callable[[Sequence[str], Sequence[str]], Floats]


class _Part(Struct, frozen=True, gc=False):
    """A line of a text, or a sentence of a long line; `lead` is the text between it and the part before it.

    A `torn` part is a meaningless piece of a very long string without spaces.
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
    """The lines and sentences that say most about the asked terms, in order, with marks where others are missing.

    It is never longer than `limit`. Terms that are rare in the text count most. A part also gains if its neighbours
    or its heading contain the terms, and if it contains the kind of answer that the `question` wants: a time or an
    amount. With `nearness`, similar words count as well.

    >>> excerpt("We ate. The key is under the mat. Then we left.", ["key", "mat"], limit=30)
    '… The key is under the mat. …'
    """
    if len(text) <= limit:
        return text
    wanted = _looked_up(text, asked)
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
    chosen = _chosen(parts, shares, weights, limit - 1)
    return _shown(parts, chosen) if chosen else gist(text, limit)


def _looked_up(text: str, asked: Collection[str]) -> list[str]:
    """The asked terms, each once; if there are too many, those that the text holds come first."""
    distinct = list(dict.fromkeys(asked))
    if len(distinct) > MOST_TERMS:
        held = set(terms(text))
        distinct.sort(key=lambda term: term not in held)
    return distinct[:MOST_TERMS]


def nearness_to(
    question: str, pieces: Callable[[str], list[int]], likeness: Callable[[Rows, Rows], Floats]
) -> Nearness:
    """A measure of the similarity of passages to the terms of a question, from a table of word pieces."""
    words = (word for word in plain_words(question) if len(word) <= _LONGEST)
    spelled = {stems[0]: word for word in words if len(stems := asked_terms(word)) == 1}

    def near(passages: Sequence[str], asked: Sequence[str]) -> Floats:
        # Piece 0 stands for no word, so a text without pieces is similar to nothing.
        theirs = [pieces(spelled.get(term, term)) or [0] for term in asked]
        ours = [pieces(passage) or [0] for passage in passages]
        best = np.maximum.reduceat(likeness(_joined(ours), _joined(theirs)), _starts(ours), axis=0)
        counts = np.array([len(numbers) for numbers in theirs], np.float32)
        return (np.add.reduceat(best, _starts(theirs), axis=1) / counts).astype(np.float32)

    return near


def _joined(rows: Sequence[Sequence[int]]) -> Rows:
    return np.array(list(chain.from_iterable(rows)), np.int64)


def _starts(rows: Sequence[Sequence[int]]) -> Rows:
    return np.cumsum([0, *(len(row) for row in rows[:-1])], dtype=np.int64)


@lru_cache(maxsize=256)
def _kind(question: str) -> re.Pattern[str] | None:
    """The pattern that an answer must contain, if the question asks for a time or an amount."""
    if _ASKS_WHEN.search(question):
        return _TIME
    return _AMOUNT if _ASKS_HOW_MUCH.search(question) else None


def _parts(text: str, longest: int) -> list[_Part]:
    """The lines of a text that contain words; long ones sentence by sentence, no part longer than `longest`."""
    parts: list[_Part] = []
    number = 0
    for whole in text.split("\n"):
        line = whole.strip()
        if line and not _LETTERS.search(line):
            # A rule between the head and the rows of a table does not separate them.
            continue
        number += 1
        if not line:
            continue
        indent = len(whole) - len(whole.lstrip())
        line = _BLANKS.sub("  ", line)
        if len(line) <= min(LINE, longest):
            parts.append(_Part(number, indent, line))
            continue
        place = 0
        for sentence in _sentences(line):
            for piece in filter(None, _cut_sentence(sentence, longest)):
                start = line.index(piece, place)
                torn = len(sentence) > longest and _BREAK.search(piece) is None and piece.isascii()
                parts.append(_Part(number, indent, piece, line[place:start], torn))
                place = start + len(piece)
    return parts


def _sentences(line: str) -> Iterator[str]:
    """The sentences of a line; none ends with an abbreviation or with the number of the next one."""
    start = place = 0
    for sentence in sentences(line):
        place = line.index(sentence, place) + len(sentence)
        held = line[start:place].lstrip()
        numbered = _NUMBERED.search(held, max(0, len(held) - 8))
        if numbered is not None:
            yield held[: numbered.end()]
            start = place - len(held) + numbered.end()
        # However many abbreviations follow each other, the text is scanned once.
        elif len(held) > 3 * LINE or not (_TITLE.fullmatch(held) or _ABBREVIATED.search(held, len(held) - 10)):
            yield held
            start = place
    if line[start:].strip():
        yield line[start:].strip()


def _cut_sentence(sentence: str, longest: int) -> Iterator[str]:
    """A sentence in pieces of about the same length, cut between words where possible."""
    size = len(sentence) // -(-len(sentence) // longest) + 1
    start = 0
    while len(sentence) - start > longest:
        last = start + min(longest, size + size // 8)
        end = 1 + max(sentence.rfind(mark, start + size // 2, last) for mark in " ,;") or last
        yield sentence[start:end].strip()
        start = end
    yield sentence[start:].strip()


def _headings(parts: Sequence[_Part]) -> list[int]:
    """For each part its heading: the last part with less indent, the head of its paragraph, or itself."""
    headings: list[int] = []
    above: list[int] = []
    first, head = 0, None
    for number, part in enumerate(parts):
        while above and parts[above[-1]].indent >= part.indent:
            above.pop()
        if number and part.line > parts[number - 1].line + 1:
            first = number
        over = above[-1] if above else first
        headings.append(over if parts[over].line < part.line else number if head is None else head)
        above.append(number)
        if _HEADED.match(part.text):
            head = number
    return headings


def _shares(parts: Sequence[_Part], wanted: Sequence[str], nearness: Nearness | None) -> Floats:
    """How much of each term (a column) is in each part (a row): 1 for the term itself, less for a similar word."""
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
    """The words of a text as written; ASCII text takes a faster path."""
    if text.isascii():
        return text.translate(_SIGNS).split()
    return [text] if _MARKED.search(text) else _LETTERS.findall(text)


@lru_cache(maxsize=16_384)
def _terms_of_word(word: str) -> tuple[str, ...]:
    return tuple(terms(word))


def _chosen(parts: Sequence[_Part], shares: Floats, weights: Floats, room: int) -> list[int]:
    """The numbers of the parts to show, in order, chosen greedily by what each adds while there is room."""
    above = _headings(parts)
    wide = shares.copy()
    np.maximum(wide[1:], BESIDE * shares[:-1], out=wide[1:])
    np.maximum(wide[:-1], BESIDE * shares[1:], out=wide[:-1])
    np.maximum(wide, HEADING * shares[above], out=wide)
    worth = wide @ weights
    costs = np.array([room + 1 if part.torn else MARK + len(part.text) for part in parts])
    base, shown = AGAIN * worth, np.zeros(len(weights), np.float32)
    chosen: list[int] = []
    while True:
        gains = np.where(costs <= room, np.maximum(wide - shown, 0) @ weights + base, 0)
        best = int(gains.argmax())
        if gains[best] <= 0:
            return sorted(chosen)
        chosen.append(best)
        room -= int(costs[best])
        costs[best] = np.iinfo(costs.dtype).max
        np.maximum(shown, shares[best], out=shown)
        over = above[best]
        base[over] += (DRAWN_HEAD if _in_columns(parts[best], parts[over]) else DRAWN) * worth[best]
        if best + 1 < len(parts):
            base[best + 1] += DRAWN * worth[best]


def _in_columns(row: _Part, head: _Part) -> bool:
    """Whether a line and its heading look like a row of a table and its head."""
    return any(min(row.text.count(sign), head.text.count(sign)) >= 2 for sign in ("|", "  ", "\t")) or (
        row.text.count(",") == head.text.count(",") >= 2 and ", " not in head.text
    )


def _shown(parts: Sequence[_Part], chosen: Sequence[int]) -> str:
    """The chosen parts, with marks where others are missing."""
    shown = ["… "] if chosen[0] else []
    for before, number in zip((None, *chosen), chosen, strict=False):
        part = parts[number]
        if before is not None:
            mark, gap = ("", part.lead) if number == before + 1 else (" …", " ")
            shown.append(mark + ("\n" if part.line > parts[before].line else gap))
        shown.append(part.text)
    return "".join(shown if chosen[-1] == len(parts) - 1 else [*shown, " …"])


def shares_more(text: str, other: str, asked: Collection[str]) -> bool:
    """Whether `text` contains more of the asked terms than `other`.

    >>> shares_more("I live in Oslo", "I live in Bergen", ["oslo"])
    True
    """
    wanted = set(asked)
    return len(set(terms(text)) & wanted) > len(set(terms(other)) & wanted)


UNKNOWN = "und"

# Scripts written without spaces between words.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)

# The most common words of languages in Latin script, without accents.
COMMON = {
    "en": STOP_WORDS,
    "de": frozenset(
        """aber als am an auch auf aus bei bin bis das dass dem den der des die doch du ein eine einem einen einer
        er es fur habe haben hat hatte ich ihr im in ist ja kann mein meine mich mir mit nach nicht noch nur oder
        schon sehr sein seine sich sie sind so uber um und uns unser vom von vor war waren was wenn werden wie wir
        wird zu zum zur""".split()
    ),
    "fr": frozenset(
        """ai alors as au aux avec avez c ce ces cette d dans de des deux du elle elles en est et etait ete etre
        eux il ils j je l la le les leur lui m ma mais me mes moi mon n ne nous on ont ou par pas plus pour qu que
        qui s sa sans se ses son sont sur t te toi tout tres tu un une vous y""".split()
    ),
    "es": frozenset(
        """a al algo con como cuando de del desde donde el ella ellos en era es esa ese eso esta este esto fue ha
        han hay he la las le les lo los mas me mi mis muy no nos nuestra nuestro o para pero por porque que quien se
        ser si sin sobre son soy su sus tambien te tengo tiene todo tu un una unos y ya yo""".split()
    ),
    "it": frozenset(
        """a ai al alla anche che chi ci come con cosa da dal dalla dei del della delle di e era gli ha hanno ho i
        il in io l la le lei lo loro lui ma mi mia mio molto ne nei nel nella noi non o per perche piu quando quello
        questa questo sei si sono su sua suo ti tra tu un una uno""".split()
    ),
    "pt": frozenset(
        """a ao aos as com como da das de dela dele do dos e ela ele eles em entao era essa esse esta este eu foi ha
        isso ja lhe mais mas me meu minha muito na nao nas nem no nos nossa o os ou para pela pelo por porque quando
        que quem se sem ser seu sua tambem te tem tenho um uma voce voces""".split()
    ),
    "nl": frozenset(
        """aan al als bij dan dat de deze die dit doch door een en er geen had heb hebben heeft het hier hij hoe ik
        in is je kan maar me met mijn moet naar niet nog nu of om omdat onder ons ook op over te toen tot uit van
        veel voor was wat we wel wij wordt zal ze zich zij zijn zo""".split()
    ),
    "tl": frozenset(
        """ako akin ang ano at ay ba dahil din ito iyon ka kami kang kanya kasi kay ko kung lang mga mo na namin
        nang nasa ng ni nila nito niya o pa para po rin sa saan si siya sila tayo tungkol upang wala yung""".split()
    ),
    "sv": frozenset(
        """att av bara blev de dem den det dig din du en ett efter eller fran for har hade han hon i inte jag kan
        man med men mig min mot nar nu och om oss pa sa sig sin ska som till upp ut var vad vi vid ar""".split()
    ),
    "pl": frozenset(
        """ale bo by byc byl byla co czy dla do go ich ja jak jest jestem juz ktory lub ma mam mi mnie moj moze na
        nie o od on ona oni po przez sie sa tak tam ten to tylko tym w we z za ze""".split()
    ),
    "tr": frozenset(
        """ama ben bana bir biz bu cok da daha de degil diye en gibi hem icin ile ise kadar ki mi ne o olan olarak
        oldu sen siz su var ve veya ya yok""".split()
    ),
    "id": frozenset(
        """ada adalah akan aku anda apa atau bahwa bisa dalam dan dari dengan di dia ini itu juga kami karena ke
        kita kamu lebih mereka oleh pada para saya sangat sebagai sudah telah tidak untuk yang""".split()
    ),
}

_SCRIPTS = {
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "kana": re.compile(r"[\u3040-\u30ff\u31f0-\u31ff]"),
    "han": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "ko": re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]"),
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff\u0750-\u077f]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "bn": re.compile(r"[\u0980-\u09ff]"),
    "ta": re.compile(r"[\u0b80-\u0bff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "lo": re.compile(r"[\u0e80-\u0eff]"),
    "my": re.compile(r"[\u1000-\u109f]"),
    "km": re.compile(r"[\u1780-\u17ff]"),
    "ka": re.compile(r"[\u10a0-\u10ff]"),
    "hy": re.compile(r"[\u0530-\u058f]"),
}


def language(text: str, *, common: float = 0) -> str:
    """The code of the language a text is most likely in, or "und".

    At least the share `common` of its words must be common words of a language in Latin letters.

    >>> language("Where is the station?"), language("Wo ist der Bahnhof?"), language("駅はどこですか")
    ('en', 'de', 'ja')
    >>> language("cost=190 rows=100 loops=1 si=0", common=0.2)
    'und'
    """
    if text.isascii():
        return _by_words(text, common)
    counts = Counter({name: len(pattern.findall(text)) for name, pattern in _SCRIPTS.items()})
    script, most = counts.most_common(1)[0]
    if not most:
        return UNKNOWN
    if counts["kana"] and script in ("han", "kana"):
        return "ja"
    match script:
        case "latin":
            return _by_words(text, common)
        case "han":
            return "zh"
        case "cyrillic":
            return "uk" if re.search("[іїєґІЇЄҐ]", text) else "ru"
        case "arabic":
            return "fa" if re.search("[پچژگ]", text) else "ar"
        case _:
            return script


def _by_words(text: str, least: float) -> str:
    words = plain_words(text)
    best, most = UNKNOWN, max(0, math.ceil(least * len(words)) - 1)
    for name, common in COMMON.items():
        count = sum(word in common for word in words)
        if count > most:
            best, most = name, count
    return best
