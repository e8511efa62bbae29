"""What a record is found by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from foveal.model.record import Record
from foveal.model.search import PASSAGE, Trace, Trait
from foveal.rules.dates import tells_time, told_spans
from foveal.rules.documents import filed_under
from foveal.rules.recall.traits import traits
from foveal.rules.splitting import chunks
from foveal.rules.words import terms

# Kinds of the ledger: each stands for itself, and what was written beside it says nothing of it.
ALONE = frozenset({"goal", "task", "decision", "pattern", "incident", "procedure", "config_change"})

# A passage has about so many characters: long messages compete by their best one.
PASSAGE_SIZE = 300

Cutter = Callable[[str], Iterable[int]]


@lru_cache(maxsize=65_536)
def code(term: str) -> int:
    """The 32 bits a term is known by, the same in every process.

    >>> code("cat") == code("cat") != code("dog")
    True
    """
    return int.from_bytes(blake2b(term.encode(), digest_size=4).digest(), "little")


def codes(found: Iterable[str]) -> NDArray[np.uint32]:
    """The codes of terms, in their order."""
    return np.array([code(term) for term in found], np.uint32)


def chain(record: Record) -> int:
    """The conversation a record stands in: its session, or else its region on its day. A correction stands in none.

    What is kept by itself stands in none, either; a piece of a document stands among the pieces of that document.

    Only what one node wrote at one scope is chained: who sees a record may see its neighbours.
    """
    if record.version > 1 or record.kind in ALONE:
        return 0
    place = record.session_id or f"{record.region} {record.occurred_at.date()}"
    if record.kind == "knowledge":
        place = f"{record.metadata.get('root')} {record.metadata.get('source') or record.id}"
    return int.from_bytes(blake2b(f"{record.node} {record.scope} {place}".encode(), digest_size=7).digest()) + 1


def filed_terms(record: Record) -> list[str]:
    """The terms a record is filed under: those of its text, its tags and the headings above it."""
    return terms(f"{filed_under(record.kind, record.metadata)} {record.text} {' '.join(record.tags)}")


def traced(record: Record, pieces: Cutter) -> Trace:
    """What recall will know of a record; `pieces` cuts text into the pieces of the bundled table."""
    counts = Counter(map(code, filed_terms(record)))
    return Trace(
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
    """What the wording of a text says of it, and whether it tells a time."""
    return traits(text, source) | (Trait.TELLS_TIME if tells_time(text) else Trait(0))


def _passages(text: str, pieces: Cutter, above: str) -> NDArray[np.uint16]:
    """The pieces of each passage of a text, each once in it, with a mark between passages."""
    numbers: list[int] = []
    for passage in chunks(text, PASSAGE_SIZE):
        numbers += [*([PASSAGE] if numbers else []), *sorted(set(pieces(f"{above} {passage}")))]
    return np.array(numbers, np.uint16)
