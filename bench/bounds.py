"""The physical bounds: what the parts of the work cost when nothing is around them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw
import numpy as np
from numpy.typing import NDArray

from foveal.backends.sqlite.connection import Synchronous

RAREST = 3
CANDIDATES = 100

Row = tuple[str, bytes]


class Commits:
    """A table of text and vector and nothing else, in write-ahead logging."""

    def __init__(self, path: Path, synchronous: Synchronous, *, words: bool = False) -> None:
        self._db = apsw.Connection(str(path))
        self._db.pragma("journal_mode", "wal")
        self._db.execute(f"pragma synchronous = {synchronous}")
        self._db.execute("create table row (number integer primary key, text text, vector blob)")
        self._words = words
        if words:
            self._db.execute("create virtual table word using fts5 (body, content = '', tokenize = 'ascii')")

    def one(self, row: Row) -> None:
        """One row in a transaction of its own."""
        self.many([row])

    def many(self, rows: Iterable[Row]) -> None:
        """Rows in one transaction."""
        self._db.execute("begin immediate")
        for text, vector in rows:
            self._db.execute("insert into row (text, vector) values (?, ?)", (text, vector))
            if self._words:
                self._db.execute("insert into word (rowid, body) values (last_insert_rowid(), ?)", (text,))
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


class WordQuery:
    """The word index of a memory file, asked by itself."""

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        self._db.execute("create virtual table temp.known using fts5vocab('main', 'word', 'row')")

    def rarest(self, terms: Sequence[str]) -> list[str]:
        """The terms fewest records have, of those that some have."""
        found = {term: self._records_with(term) for term in terms}
        return sorted((term for term in terms if found[term]), key=lambda term: found[term])[:RAREST]

    def _records_with(self, term: str) -> int:
        return self._db.execute("select doc from known where term = ?", (term,)).get or 0

    def one(self, actor: str, terms: Sequence[str]) -> int:
        """How many of the best records of an actor have these terms."""
        if not terms:
            return 0
        match = f"organism : {self._organism(actor)} AND body : ({' OR '.join(terms)})"
        query = "select rowid from word where word match ? order by bm25(word, 0.0, 1.0) limit ?"
        return sum(1 for _ in self._db.execute(query, (match, CANDIDATES)))

    def _organism(self, actor: str) -> str:
        return f"o{self._db.execute('select number from organism where actor = ?', (actor,)).get}"

    def close(self) -> None:
        """Close the file."""
        self._db.close()
