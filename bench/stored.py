"""An encoder whose vectors are stored on disk, so that a set is embedded once: `python -m bench.stored`."""

from __future__ import annotations

import argparse
import sqlite3
import threading
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.samples import DATA, SETS, cases
from foveal.backends.models.onnx import shared_minilm
from foveal.ports.models import Embedder
from foveal.rules.addresses import Plane
from foveal.rules.recall.index import fine_texts

FOLDER = Path(__file__).parents[1] / "build"


class StoredVectors:
    """An encoder that looks up each text in a file, and encodes only what is not there."""

    def __init__(self, embedder: Embedder, folder: Path = FOLDER) -> None:
        folder.mkdir(exist_ok=True)
        self._lock = threading.Lock()
        self._embedder = embedder
        name = embedder.id.replace(":", "-").replace("/", "-")
        self._db = sqlite3.connect(folder / f"vectors-{name}.db", check_same_thread=False)
        self._db.execute("pragma synchronous = off")
        self._db.execute("create table if not exists vector (text blob primary key, data blob) without rowid")

    @property
    def id(self) -> str:
        """The id of the encoder."""
        return self._embedder.id

    @property
    def languages(self) -> Sequence[str]:
        """The languages that the encoder reads; none means any."""
        return getattr(self._embedder, "languages", ())

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._embedder.dimension

    @property
    def plane(self) -> Plane:
        """The plane of the encoder."""
        return self._embedder.plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text."""
        return np.stack([self._row(text, asking) for text in texts])

    def _row(self, text: str, asking: bool) -> NDArray[np.float32]:
        key = blake2b(f"{asking} {text}".encode(), digest_size=16).digest()
        with self._lock:
            found = self._db.execute("select data from vector where text = ?", (key,)).fetchone()
            if found is not None:
                return np.frombuffer(found[0], np.float16).astype(np.float32)
            row = self._embedder.embed([text], asking=asking)[0]
            self._db.execute("insert or ignore into vector values (?, ?)", (key, row.astype(np.float16).tobytes()))
            self._db.commit()
            return row


@cache
def stored_minilm() -> StoredVectors:
    """The bundled encoder of the second look, with what it encoded before."""
    return StoredVectors(shared_minilm())


def main() -> None:
    """Embed the passages of the evaluation sets with the bundled encoder of the second look."""
    parser = argparse.ArgumentParser("python -m bench.stored", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set; may be repeated")
    given = parser.parse_args()
    vectors = stored_minilm()
    for name in given.set or SETS:
        texts = {turn["text"] for case in cases(given.data, name) for turn in case["turns"]}
        for text in texts:
            vectors.embed(fine_texts(text))
        print(f"{name}: {len(texts)} texts", flush=True)


if __name__ == "__main__":
    main()
