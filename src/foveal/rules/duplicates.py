"""Echoes, resent records, and facts that say nearly the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from foveal.errors import Conflict
from foveal.model.record import Link, LinkKind, Record
from foveal.rules.text import STOP_WORDS
from foveal.rules.visibility import gone

ALIKE = 0.98
_SHINGLE = 5
_TELLING = re.compile(r"[-+±]?\d[\d.,:/%]*|\b[A-Z]\w*|\b\w*n['\u2019]t\b|[#+*=<>€$£¥%&@/\\^~|-]", re.UNICODE)
_NEGATIONS = re.compile(r"\b(?:no|not|never|none|nothing|nor|neither|without|cannot)\b", re.I)


def normal(text: str) -> str:
    """A text as it counts for comparing: white space, case and the last full stop do not.

    >>> normal("Hello,  Zoë!") == normal("hello, Zoë"), normal("C++") == normal("C#")
    (True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".!")


def words_number(record: Record) -> int:
    """The 64 bits by which it is known that the same speaker said the same words before.

    They come from `normal`, so white space, case and the last full stop do not matter.
    """
    return _number(record.speaker or record.source, record.text)


@lru_cache(maxsize=1024)
def _number(who: str, text: str) -> int:
    # Remembered, for the flow asks before a batch is stored and the store when it is.
    digest = blake2b(f"{who}\n{normal(text)}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def repeating(record: Record, first: str) -> Link:
    """The edge from a record to the one that said the same words first."""
    return Link(source_id=record.id, target_id=first, kind=LinkKind.REPEATS, created_at=record.recorded_at)


def is_echo(text: str, shown: str) -> bool:
    """Whether `text` repeats `shown`: equal, or nearly, with the same numbers, signs, names and negations.

    >>> is_echo("The code is 4711.", "the code is 4711"), is_echo("The code is 4712.", "The code is 4711.")
    (True, False)
    """
    a, b = normal(text), normal(shown)
    if a == b:
        return bool(a)
    if abs(len(a) - len(b)) > (1 - ALIKE) * max(len(a), len(b)) or _telling(text) != _telling(shown):
        return False
    ours, theirs = _shingles(a), _shingles(b)
    return len(ours & theirs) >= ALIKE * len(ours | theirs) > 0


def _shingles(text: str) -> set[str]:
    return {text[start : start + _SHINGLE] for start in range(len(text) - _SHINGLE + 1)}


def _telling(text: str) -> tuple[list[str], list[str]]:
    return _TELLING.findall(text), [word.lower() for word in _NEGATIONS.findall(text)]


_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d[\d.,:/]*\d|\d")
_DENIAL = re.compile(r"\b(?:no|not|never|none|nothing|neither|without|cannot)\b|n['\u2019]t\b", re.I)

# A cluster grows no larger: many facts in one summary would lose most of what they say.
LARGEST = 10


def compatible(one: str, other: str) -> bool:
    """Whether two texts could say the same: the numbers and names of the one are among those of the other, and both
    deny or neither does.

    >>> compatible("The code is 4711.", "The code is 4711 now."), compatible("The code is 4711.", "It is 4712.")
    (True, False)
    >>> compatible("Ines plays chess.", "Hugo plays chess."), compatible("It is open.", "It is not open.")
    (False, False)
    """
    ours, theirs = _names_and_numbers(one, other), _names_and_numbers(other, one)
    nested = ours <= theirs or theirs <= ours
    return nested and bool(_DENIAL.search(one)) == bool(_DENIAL.search(other))


def _names_and_numbers(text: str, beside: str) -> set[str]:
    """Numbers and names: words with a capital that nowhere stand without one."""
    plain = {word for word in _WORD.findall(f"{text} {beside}") if word[0].islower()}
    capital = {word.lower() for word in _WORD.findall(text) if word[0].isupper()}
    return {*_NUMBER.findall(text), *(capital - plain - STOP_WORDS)}


def stars(
    fresh: Sequence[str], vectors: Mapping[str, NDArray[np.float32]], similarity: float, smallest: int
) -> list[list[str]]:
    """Groups of near-duplicates around the fresh ones: each member is near the one in the middle.

    Nothing is in two groups. The middle comes first, then the others, nearest first.

    >>> east, north = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    >>> stars(["c"], {"a": east, "b": east, "c": east, "d": north}, 0.75, 3)
    [['c', 'a', 'b']]
    """
    known = list(vectors)
    middles = [one for one in fresh if one in vectors]
    if len(known) < smallest or not middles:
        return []
    matrix = np.stack([vectors[one] for one in known])
    cosines = np.stack([vectors[one] for one in middles]) @ matrix.T
    taken: set[str] = set()
    found: list[list[str]] = []
    for middle, row in zip(middles, cosines, strict=True):
        if middle in taken:
            continue
        near = np.flatnonzero(row >= similarity)
        order: list[int] = near[np.argsort(-row[near], kind="stable")].tolist()
        members = [known[n] for n in order if known[n] != middle and known[n] not in taken]
        group = [middle, *members[: LARGEST - 1]]
        if len(group) >= smallest:
            taken.update(group)
            found.append(group)
    return found


def sent_key(record: Record) -> str:
    """What a record is known by when it is sent again: a key is its node's own."""
    return f"{record.node} {record.idempotency_key}"


def resent(records: Sequence[Record], stored: Mapping[str, Sequence[Record]]) -> list[Record | int | None]:
    """For each record of a batch, what stands under its key: a stored one, the place of one before it, or None.

    `stored` has the versions that the store holds under each key. A key that was used for another text is
    `Conflict`; what is gone by now may be sent anew.

    >>> from datetime import UTC, datetime
    >>> from foveal.model.ids import Address
    >>> place, now = Address(world="earth", region="agent:ada"), datetime(2026, 1, 5, tzinfo=UTC)
    >>> moments = {"recorded_at": now, "occurred_at": now, "valid_from": now}
    >>> one = Record(id="1", actor_id="ada", text="hi", address=place, idempotency_key="k", **moments)
    >>> resent([one, one], {})
    [None, 0]
    """
    here: dict[str, int] = {}
    found: list[Record | int | None] = []
    for place, record in enumerate(records):
        if record.idempotency_key is None:
            found.append(None)
            continue
        key = sent_key(record)
        first = here.get(key)
        known = stored.get(key) if first is None else [records[first]]
        if not known or gone(known[-1], record.recorded_at):
            here[key] = place
            found.append(None)
        elif known[0].text != record.text:
            raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
        else:
            found.append(known[-1] if first is None else first)
    return found


def answered(known: Sequence[Record | int | None], filed: Iterator[Record]) -> list[tuple[Record, bool]]:
    """What to say of each record of a batch: what `resent` found or what was filed, and if it is new."""
    said: list[tuple[Record, bool]] = []
    for one in known:
        earlier = said[one][0] if isinstance(one, int) else one
        said.append((next(filed), True) if earlier is None else (earlier, False))
    return said
