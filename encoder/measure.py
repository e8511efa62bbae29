"""Three systems for the neutral scorer: the table alone, words alone, and both."""

import re
import sqlite3
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from foveal.backends.models.static import StaticEmbedder

EMBEDDER = StaticEmbedder()
WORDS_WEIGHT = 0.5
# Words that stand in most questions: left out, since the ranking of FTS5 gives them some weight.
COMMON = frozenset(
    "a about am an and are as at be been but by can could did do does for from had has have he her him his "
    "how i in is it its me my of on or our she should so that the their them they this to was we were what "
    "when where which who why will with would you your".split()
)


class Turn(TypedDict):
    """One message of a conversation, as the scorer hands it over."""

    id: str
    speaker: str
    text: str
    session: str
    date: str


def written(turn: Turn) -> str:
    """The string that is indexed.

    >>> written({"id": "1", "speaker": "Ann", "text": "Hello", "session": "1", "date": ""})
    'Ann: Hello'
    """
    return f"{turn['speaker']}: {turn['text']}"


class Dense:
    """Cosine of the static vectors."""

    def add(self, turns: list[Turn]) -> None:
        """Index the turns of one case."""
        self._ids = [turn["id"] for turn in turns]
        self._vectors = EMBEDDER.embed([written(turn) for turn in turns])

    def scores(self, query: str) -> NDArray[np.float32]:
        """One score a turn."""
        return self._vectors @ EMBEDDER.embed([query], asking=True)[0]

    def search(self, query: str, k: int) -> list[str]:
        """The ids of the best turns, best first."""
        best = np.argsort(-self.scores(query), kind="stable")[:k]
        return [self._ids[n] for n in best]


class Words(Dense):
    """SQLite's BM25 over Porter stems, the best turn at 1."""

    def add(self, turns: list[Turn]) -> None:
        """Index the turns of one case."""
        super().add(turns)
        self._database = sqlite3.connect(":memory:")
        self._database.execute("create virtual table turn using fts5(body, tokenize='porter unicode61')")
        rows = [(n, written(turn)) for n, turn in enumerate(turns, 1)]
        self._database.executemany("insert into turn(rowid, body) values (?, ?)", rows)

    def scores(self, query: str) -> NDArray[np.float32]:
        """One score a turn, 0 where no word is shared."""
        found = np.zeros(len(self._ids), np.float32)
        words = [word for word in re.findall(r"\w+", query.lower()) if word not in COMMON]
        if words:
            match = " OR ".join(f'"{word}"' for word in words)
            for row, rank in self._database.execute("select rowid, -rank from turn where turn match ?", (match,)):
                found[row - 1] = rank
        return found / max(float(found.max()), 1e-9)


class Fused(Words):
    """Cosine plus half the words' score."""

    def scores(self, query: str) -> NDArray[np.float32]:
        """One score a turn."""
        return Dense.scores(self, query) + WORDS_WEIGHT * Words.scores(self, query)
