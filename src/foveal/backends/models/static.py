"""The bundled encoder: word pieces and a table of their vectors."""

import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import chain

import numpy as np
import simsimd
from numpy.typing import NDArray

from foveal.rules.addresses import Plane

LONGEST_WORD = 100
CACHED_WORDS = 200_000

# The blocks that BERT calls Chinese: only ideographs, so kana and hangul form words.
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
    """Whether a code point is an ideograph, which is a word of its own.

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
    # BERT treats every ASCII sign as punctuation, including those that Unicode calls symbols, such as $ and +.
    if category[0] == "P" or (code < 128 and not char.isalnum()) or is_ideograph(code):
        return f" {char} "
    return char.lower()


class _Folding(dict[int, str]):
    """A table for `str.translate` that is filled as characters occur."""

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
    """The ids of the longest pieces, from the left, that make up a word; None if no pieces do.

    >>> pieces("unseen", {"un": 0, "##seen": 1, "##s": 2})
    (0, 1)
    >>> pieces("unsung", {"un": 0, "##seen": 1, "##s": 2}) is None
    True
    """
    if len(word) > LONGEST_WORD:
        return None
    ids: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = vocabulary.get(prefix + word[start:end])
            if piece is not None:
                ids.append(piece)
                start = end
                break
        else:
            return None
    return tuple(ids)


# Number words of the vocabulary.
AMOUNTS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
    + "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand".split()
    + ["million", "half", "dozen"]
)


class WordPiece:
    """Turns text into piece ids, with a cache of words.

    `unknown` gives the id of a word that no pieces make up. Safe to share between threads.
    """

    def __init__(self, vocabulary: Iterable[str], *, unknown: Callable[[str], int]) -> None:
        self._vocabulary = {piece: n for n, piece in enumerate(vocabulary)}
        self._unknown = unknown
        self._known: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str) -> list[int]:
        """The piece ids of a text, in order."""
        known_words = self._known
        ids: list[int] = []
        for word in words(text):
            known = known_words.get(word)
            ids += self._learn(word) if known is None else known
        return ids

    def _learn(self, word: str) -> tuple[int, ...]:
        ids = pieces(word, self._vocabulary)
        if ids is None:
            ids = (self._unknown(word),)
        # Words follow Zipf's law, so clearing the cache now and then costs less than tracking their use.
        if len(self._known) >= CACHED_WORDS:
            self._known = {}
        if len(word) <= LONGEST_WORD:
            self._known[word] = ids
        return ids


PACKAGE = "foveal.backends.models"
DATA = "static.npz"
# So many rows fit into the processor's cache until they are summed; more at once are several times slower.
PIECES_AT_ONCE = 512
# How often a piece must be used to become familiar, how many can be (8 MB), and how many are counted.
FAMILIAR_AFTER, FAMILIAR_ROOM, FAMILIAR_COUNTED = 8, 64, 4096


@dataclass(frozen=True)
class _Table:
    """The content of the data file."""

    rows: NDArray[np.int8]
    lengths: NDArray[np.float32]
    scale: NDArray[np.float32]
    wordpiece: WordPiece
    plane: Plane
    fallback: int
    amounts: NDArray[np.bool_]

    def vectors(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        return self.rows[ids] * self.scale[ids, None]

    def cosines(
        self, ids: NDArray[np.int64], rows: NDArray[np.int8], lengths: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        dots = simsimd.cdist(self.rows[ids], rows, "dot", threads=1)
        return (np.asarray(dots) / (self.lengths[ids, None] * lengths)).astype(np.float32)


class _Familiar:
    """The cosines of the most used pieces, such as "what" and "the", with the whole table, computed once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: Counter[int] = Counter()
        self._rows: dict[int, NDArray[np.float32]] = {}

    def row(self, table: _Table, piece: int) -> NDArray[np.float32] | None:
        """The cosines of a familiar piece with every piece; None for a piece that is not familiar."""
        with self._lock:
            self._asked[piece] += 1
            if piece not in self._rows and self._admitted(piece):
                self._rows[piece] = table.cosines(np.array([piece]), table.rows, table.lengths)[0]
            if len(self._asked) > FAMILIAR_COUNTED:
                self._asked = Counter({piece: times // 2 for piece, times in self._asked.items() if times > 1})
            return self._rows.get(piece)

    def _admitted(self, piece: int) -> bool:
        """Whether to make a piece familiar, in place of another one if there is no room.

        A row costs as much as several questions, so it must be used more than twice as often as one it replaces.
        """
        times = self._asked[piece]
        if times < FAMILIAR_AFTER:
            return False
        if len(self._rows) == FAMILIAR_ROOM:
            least = min(self._rows, key=self._asked.__getitem__)
            if times <= 2 * self._asked[least]:
                return False
            del self._rows[least]
        return True


def _load() -> _Table:
    with (
        resources.files(PACKAGE).joinpath(DATA).open("rb") as file,
        np.load(file, allow_pickle=False) as data,
    ):
        pieces: list[str] = data["vocabulary"].tobytes().decode().split("\n")
        rows: NDArray[np.int8] = data["rows"]
        # The rows after the vocabulary are random directions, so that an unknown word still equals itself.
        spare = len(rows) - len(pieces)
        return _Table(
            rows=rows,
            lengths=np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32)), 1e-9),
            scale=data["scale"],
            wordpiece=WordPiece(pieces, unknown=lambda word: len(pieces) + zlib.crc32(word.encode()) % spare),
            plane=_plane(data["axes"], data["mean"], data["deviation"]),
            fallback=len(pieces),
            amounts=np.array([_is_amount(piece) for piece in pieces] + [False] * spare),
        )


def _is_amount(piece: str) -> bool:
    """Whether a piece is a number, or a part of one.

    >>> _is_amount("2019"), _is_amount("##22"), _is_amount("six"), _is_amount("sixth")
    (True, True, True, False)
    """
    return piece.removeprefix("##").isdigit() or piece in AMOUNTS


def _plane(axes: NDArray[np.float32], mean: NDArray[np.float32], deviation: NDArray[np.float32]) -> Plane:
    (x, y), (width, height) = (mean @ axes).tolist(), deviation.tolist()
    return Plane(axes, (x, y), (width, height))


class StaticEmbedder:
    """An encoder whose vector of a text is the weighted sum of the vectors of its word pieces, at unit length.

    The same text gives the same bytes alone, in any batch and in any process. The table is read on first use. Safe
    to share between threads.
    """

    id = "foveal-static-1"
    dimension = 256

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: _Table | None = None
        self._familiar = _Familiar()

    @property
    def plane(self) -> Plane:
        """The plane on which its vectors are placed."""
        return self._table().plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit vector for each text, in order; a text without words gets a fixed one.

        Questions and statements share one space, so `asking` has no effect.
        """
        table = self._table()
        out = np.empty((len(texts), self.dimension), np.float32)
        batch: list[list[int]] = []
        size = 0
        start = 0
        for n, text in enumerate(texts, 1):
            batch.append(table.wordpiece.ids(text) or [table.fallback])
            size += len(batch[-1])
            if size >= PIECES_AT_ONCE or n == len(texts):
                out[start:n] = _summed(table, batch)
                batch, size, start = [], 0, n
        return out

    def pieces(self, text: str) -> list[int]:
        """The numbers of the pieces a text is made of, in order."""
        return self._table().wordpiece.ids(text)

    def weights(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """How much each piece weighs in a sum."""
        table = self._table()
        return table.lengths.take(numbers) * table.scale.take(numbers)

    def telling(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """How much each piece says about what a text is about: its weight, and nothing for a number."""
        return self.weights(numbers) * ~self._table().amounts.take(numbers)

    def likeness(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.float32]:
        """The cosine of each of our pieces (a row) with each of theirs (a column), regardless of their weights.

        It is fast for pieces that often occur in `theirs`.
        """
        table = self._table()
        cosines = np.empty((len(theirs), len(ours)), np.float32)
        known = [self._familiar.row(table, piece) for piece in theirs.tolist()]
        for place, row in enumerate(known):
            if row is not None:
                cosines[place] = row.take(ours)
        new = [place for place, row in enumerate(known) if row is None]
        if new and len(ours):
            cosines[new] = table.cosines(theirs[new], table.rows.take(ours, axis=0), table.lengths.take(ours))
        return np.ascontiguousarray(cosines.T)

    def _table(self) -> _Table:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _load()
        return self._loaded


def _summed(table: _Table, batch: list[list[int]]) -> NDArray[np.float32]:
    ids = np.array(list(chain.from_iterable(batch)), np.int32)
    ends = np.cumsum([len(pieces) for pieces in batch])
    starts = np.concatenate(([0], ends[:-1]))
    sums = np.add.reduceat(table.vectors(ids), starts, axis=0)
    lengths = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
    # Opposite pieces could cancel each other out; the fixed row is never zero.
    void = lengths[:, 0] < 1e-6
    if void.any():
        sums[void] = table.vectors(np.array([table.fallback], np.int32))
        lengths = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
    return sums / lengths


@lru_cache(maxsize=1)
def shared_static() -> StaticEmbedder:
    """The encoder that all memories of this process share, so that its table is read once."""
    return StaticEmbedder()
