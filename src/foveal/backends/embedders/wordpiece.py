"""Split text into the word pieces of an uncased BERT vocabulary."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping

LONGEST_WORD = 100
CACHED_WORDS = 200_000

# The blocks BERT calls Chinese: ideographs only, so kana and hangul keep their words.
IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def is_ideograph(code: int) -> bool:
    """Whether a code point stands as a word of its own.

    >>> is_ideograph(ord("猫")), is_ideograph(ord("ね"))
    (True, False)
    """
    return any(first <= code <= last for first, last in IDEOGRAPHS)


def folded(code: int) -> str:
    """What one code point of decomposed text becomes: lower case, nothing, or a word of its own.

    >>> folded(ord("A")), folded(ord("!")), folded(0x0301), folded(ord("\\t"))
    ('a', ' ! ', '', ' ')
    """
    char = chr(code)
    if char in "\t\n\r":
        return " "
    category = unicodedata.category(char)
    # Unassigned code points stay: an older Unicode table must not lose a newer emoji.
    if category in {"Mn", "Cc", "Cf", "Co", "Cs"} or code == 0xFFFD:
        return ""
    if category[0] == "Z":
        return " "
    # BERT takes every ASCII sign for punctuation, also those Unicode calls symbols, such as $ and +.
    if category[0] == "P" or (code < 128 and not char.isalnum()) or is_ideograph(code):
        return f" {char} "
    return char.lower()


class _Folding(dict[int, str]):
    """A table for `str.translate` that fills itself as characters turn up."""

    def __missing__(self, code: int) -> str:
        return self.setdefault(code, folded(code))


_folding = _Folding()


def words(text: str) -> list[str]:
    """The words and signs of a text, without case or accents.

    >>> words("Café au lait, s'il vous plaît!")
    ['cafe', 'au', 'lait', ',', 's', "'", 'il', 'vous', 'plait', '!']
    """
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text.translate(_folding).split()


def pieces(word: str, vocabulary: Mapping[str, int]) -> tuple[int, ...] | None:
    """The ids of the longest pieces, from the left, that make up a word; None if it cannot be made.

    >>> pieces("unseen", {"un": 0, "##seen": 1, "##s": 2})
    (0, 1)
    >>> pieces("unsung", {"un": 0, "##seen": 1, "##s": 2}) is None
    True
    """
    if len(word) > LONGEST_WORD:
        return None
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = vocabulary.get(prefix + word[start:end])
            if piece is not None:
                found.append(piece)
                start = end
                break
        else:
            return None
    return tuple(found)


class WordPiece:
    """Text to piece ids, remembering the words it has met.

    `unknown` gives the id of a word the vocabulary cannot make. Safe to share between threads.
    """

    def __init__(self, vocabulary: Iterable[str], *, unknown: Callable[[str], int]) -> None:
        self._vocabulary = {piece: n for n, piece in enumerate(vocabulary)}
        self._unknown = unknown
        self._met: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str) -> list[int]:
        """The piece ids of a text, in order."""
        met = self._met
        found: list[int] = []
        for word in words(text):
            known = met.get(word)
            found += self._learn(word) if known is None else known
        return found

    def _learn(self, word: str) -> tuple[int, ...]:
        ids = pieces(word, self._vocabulary)
        if ids is None:
            ids = (self._unknown(word),)
        # Words follow Zipf's law: starting afresh now and then costs less than ordering them by use.
        if len(self._met) >= CACHED_WORDS:
            self._met = {}
        self._met[word] = ids
        return ids
