"""The physical bounds: what the parts of the work cost when nothing is around them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from foveal.backends.sqlite.connection import Synchronous
from foveal.rules.text import terms

RAREST = 3
CANDIDATES = 100

Row = tuple[str, bytes]


class Commits:
    """A table of text and vector and nothing else, in write-ahead logging."""

    def __init__(self, path: Path, synchronous: Synchronous) -> None:
        self._db = apsw.Connection(str(path))
        self._db.pragma("journal_mode", "wal")
        self._db.execute(f"pragma synchronous = {synchronous}")
        self._db.execute("create table row (number integer primary key, text text, vector blob)")

    def one(self, row: Row) -> None:
        """One row in a transaction of its own."""
        self.many([row])

    def many(self, rows: Iterable[Row]) -> None:
        """Rows in one transaction."""
        self._db.execute("begin immediate")
        for text, vector in rows:
            self._db.execute("insert into row (text, vector) values (?, ?)", (text, vector))
        self._db.execute("commit")

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class Sync:
    """A file that is made to reach the disk, four kilobytes at a time."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY)
        self._sync = getattr(os, "fdatasync", os.fsync)

    def one(self) -> None:
        """Overwrite one page and wait for the disk."""
        os.pwrite(self._file, b"x" * 4096, 0)
        self._sync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class Pass:
    """As many bytes as the compact vectors of an actor take, to be gone over once."""

    def __init__(self, vectors: int, dimension: int) -> None:
        random = np.random.default_rng(0)
        size = vectors * dimension // 8
        self._bytes: NDArray[np.uint64] = random.integers(0, 2**63, size, dtype=np.uint64)

    def one(self) -> int:
        """Touch every byte."""
        return int(np.bitwise_xor.reduce(self._bytes))


class WordIndex:
    """The words of every actor's texts in an FTS5 index of nothing else.

    The actor is a part of every word: of the shapes tried it is the fastest, since one actor's words are then
    found without going over the others'.
    """

    def __init__(self, path: Path, texts: Mapping[str, Sequence[str]]) -> None:
        self._numbers = {actor: number for number, actor in enumerate(texts)}
        self._db = apsw.Connection(str(path))
        self._db.pragma("journal_mode", "wal")
        self._db.execute("create virtual table word using fts5 (body, content = '', tokenize = 'ascii')")
        self._db.execute("create virtual table temp.known using fts5vocab('main', 'word', 'row')")
        with self._db:
            for actor, own in texts.items():
                for text in own:
                    body = " ".join(self._word(actor, term) for term in terms(text))
                    self._db.execute("insert into word (body) values (?)", (body,))

    def rarest(self, actor: str, asked: Sequence[str]) -> list[str]:
        """The words fewest records of an actor have, of those that some have."""
        found = {word: self._holders(word) for word in (self._word(actor, term) for term in asked)}
        return sorted((word for word in found if found[word]), key=lambda word: found[word])[:RAREST]

    def one(self, words: Sequence[str]) -> int:
        """Find the best records with any of these words. Gives how many."""
        query = "select rowid from word where word match ? order by bm25(word) limit ?"
        return sum(1 for _ in self._db.execute(query, (" OR ".join(words), CANDIDATES))) if words else 0

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _word(self, actor: str, term: str) -> str:
        return f"{self._numbers[actor]}x{term}"

    def _holders(self, word: str) -> int:
        return self._db.execute("select doc from known where term = ?", (word,)).get or 0
