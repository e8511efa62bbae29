"""The index entry of a record: terms, traits and passages; unit vectors; and the BM25 weights of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from foveal.errors import Invalid
from foveal.model.record import Record
from foveal.model.search import PASSAGE, Floats, IndexEntry, Trait
from foveal.rules.dates import tells_time, told_spans
from foveal.rules.documents import filed_under
from foveal.rules.recall.question import traits
from foveal.rules.text import MOST_TERMS, chunks, terms

# Kinds of the ledger: such a record stands alone, and what was written around it is unrelated.
ALONE = frozenset({"goal", "task", "decision", "pattern", "incident", "procedure", "config_change"})

# The size of a passage in characters; a long message is ranked by its best passage.
PASSAGE_SIZE = 300

Cutter = Callable[[str], Iterable[int]]


@lru_cache(maxsize=65_536)
def code(term: str) -> int:
    """The 32-bit code of a term, the same in every process.

    >>> code("cat") == code("cat") != code("dog")
    True
    """
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "little")


def codes(found: Iterable[str]) -> NDArray[np.uint32]:
    """The codes of terms, in order."""
    return np.array([code(term) for term in found], np.uint32)


def chain(record: Record) -> int:
    """The conversation of a record, as a number: its session, or else its region on its day; 0 for none.

    Later versions and the kinds of the ledger belong to no conversation; a chunk of a document belongs to its
    document. Only records of one node and one scope are chained, so that whoever sees a record may see its
    neighbours.
    """
    if record.version > 1 or record.kind in ALONE:
        return 0
    place = record.session_id or f"{record.region} {record.occurred_at.date()}"
    if record.kind == "knowledge":
        place = f"{record.metadata.get('root')} {record.metadata.get('source') or record.id}"
    return int.from_bytes(blake2b(f"{record.node} {record.scope} {place}".encode(), digest_size=7).digest()) + 1


def filed_terms(record: Record) -> list[str]:
    """The index terms of a record: those of its text, its tags and the headings above it."""
    return terms(f"{filed_under(record.kind, record.metadata)} {record.text} {' '.join(record.tags)}")


def index_entry(record: Record, pieces: Cutter) -> IndexEntry:
    """The index entry of a record; `pieces` cuts text into the pieces of the bundled table."""
    counts = Counter(map(code, filed_terms(record)))
    return IndexEntry(
        terms=np.array(list(counts), np.uint32),
        times=np.array([min(255, times) for times in counts.values()], np.uint8),
        pieces=_passages(record.text, pieces, filed_under(record.kind, record.metadata)),
        spans=told_spans(record.text, record.occurred_at.date()),
        chain=chain(record),
        speaker=record.speaker or record.source,
        day=record.occurred_at.toordinal(),
        traits=traits_of(record.text, record.source),
    )


def traits_of(text: str, source: str) -> Trait:
    """The traits of a text, including whether it mentions a time."""
    return traits(text, source) | (Trait.TELLS_TIME if tells_time(text) else Trait(0))


# The second look has a vector for every passage of about so many characters, and for at most so many passages.
_FINE_SIZE, _MOST_FINE = 200, 64


def fine_texts(text: str) -> list[str]:
    """What the second look has vectors of: the text, then its passages if there are several.

    >>> fine_texts("We moved."), len(fine_texts("We moved. " * 30)), len(fine_texts("We moved. " * 10_000)) < 70
    (['We moved.'], 3, True)
    """
    passages = chunks(text, max(_FINE_SIZE, len(text) // _MOST_FINE))
    return [text, *passages] if len(passages) > 1 else [text]


def _passages(text: str, pieces: Cutter, above: str) -> NDArray[np.uint16]:
    """The distinct pieces of each passage of a text, with a separator between passages."""
    numbers: list[int] = []
    for passage in chunks(text, PASSAGE_SIZE):
        numbers += [*([PASSAGE] if numbers else []), *sorted(set(pieces(f"{above} {passage}")))]
    return np.array(numbers, np.uint16)


def unit_rows(vectors: Floats, ids: Sequence[str]) -> Floats:
    """One row of length 1 for each id; a row of zeros stays as it is.

    >>> unit_rows(np.array([[3, 4], [0, 0]], np.float32), ["a", "b"]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, np.float32)
    if rows.ndim != 2 or len(rows) != len(ids):
        raise Invalid(f"{len(ids)} ids need as many rows of vectors, not an array of shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise Invalid("vectors must be finite numbers")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1)).astype(np.float32)


def nearest(found: Iterable[tuple[str, float]], k: int) -> list[tuple[str, float]]:
    """The `k` ids with the highest cosines, each with its highest, highest first.

    >>> nearest([("a", 0.1), ("b", 0.5), ("a", 0.9)], 2)
    [('a', 0.9), ('b', 0.5)]
    """
    best: dict[str, float] = {}
    for record_id, cosine in found:
        best[record_id] = max(cosine, best.get(record_id, cosine))
    return sorted(best.items(), key=lambda pair: -pair[1])[:k]


K1, B = 1.2, 0.75


def rarities(holders: Floats, records: int) -> Floats:
    """How informative terms are that `holders` of all `records` contain; never negative.

    >>> rare, common, everywhere = rarities(np.array([1, 100, 1000], np.float32), 1000).tolist()
    >>> rare > common > everywhere > 0
    True
    """
    return np.log1p((records - holders + 0.5) / (holders + 0.5)).astype(np.float32)


def worth(times: Floats, lengths: Floats, mean_length: float) -> Floats:
    """The weight of a term that occurs `times` in a record of this length, at most K1 + 1.

    >>> once, thrice = worth(np.array([1, 3], np.float32), np.array([10, 10], np.float32), 10.0).tolist()
    >>> round(once, 3), round(thrice, 3)
    (1.0, 1.571)
    """
    return (times * (K1 + 1) / (times + K1 * (1 - B + B * lengths / max(mean_length, 1.0)))).astype(np.float32)


def rarest(holders: Floats, most: int = MOST_TERMS) -> NDArray[np.int64]:
    """The indexes of the terms to search for, in order: the `most` rarest of those that some record contains.

    >>> rarest(np.array([5, 0, 900, 2], np.float32), 2).tolist()
    [0, 3]
    """
    held = np.flatnonzero(holders)
    return np.sort(held[np.argsort(holders[held], kind="stable")[:most]])
