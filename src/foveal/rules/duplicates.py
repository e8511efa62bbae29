"""Detecting echoes, resent records and near-duplicate facts."""

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
_DETAILS = re.compile(r"[-+±]?\d[\d.,:/%]*|\b[A-Z]\w*|\b\w*n['\u2019]t\b|[#+*=<>€$£¥%&@/\\^~|-]", re.UNICODE)
_NEGATIONS = re.compile(r"\b(?:no|not|never|none|nothing|nor|neither|without|cannot)\b", re.I)


def normal(text: str) -> str:
    """The text in a form for comparison, which ignores white space, case and a final full stop.

    >>> normal("Hello,  Zoë!") == normal("hello, Zoë"), normal("C++") == normal("C#")
    (True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".!")


def words_number(record: Record) -> int:
    """A 64-bit number that is equal for the same words by the same speaker.

    The words are compared as `normal` gives them, without white space, case and a final full stop.
    """
    return _number(record.speaker or record.source, record.text)


@lru_cache(maxsize=1024)
def _number(who: str, text: str) -> int:
    # Cached, because the write path asks before it stores a batch and the store asks again.
    digest = blake2b(f"{who}\n{normal(text)}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def repeating(record: Record, first: str) -> Link:
    """The link from a record to the one in which the same words were said first."""
    return Link(source_id=record.id, target_id=first, kind=LinkKind.REPEATS, created_at=record.recorded_at)


def is_echo(text: str, shown: str) -> bool:
    """Whether `text` repeats `shown`: nearly equal, with the same numbers, symbols, names and negations.

    >>> is_echo("The code is 4711.", "the code is 4711"), is_echo("The code is 4712.", "The code is 4711.")
    (True, False)
    """
    a, b = normal(text), normal(shown)
    if a == b:
        return bool(a)
    if abs(len(a) - len(b)) > (1 - ALIKE) * max(len(a), len(b)) or _details(text) != _details(shown):
        return False
    ours, theirs = _shingles(a), _shingles(b)
    return len(ours & theirs) >= ALIKE * len(ours | theirs) > 0


def _shingles(text: str) -> set[str]:
    return {text[start : start + _SHINGLE] for start in range(len(text) - _SHINGLE + 1)}


def _details(text: str) -> tuple[list[str], list[str]]:
    return _DETAILS.findall(text), [word.lower() for word in _NEGATIONS.findall(text)]


_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d[\d.,:/]*\d|\d")
_DENIAL = re.compile(r"\b(?:no|not|never|none|nothing|neither|without|cannot)\b|n['\u2019]t\b", re.I)

# The largest cluster: a summary of too many facts would lose most of them.
LARGEST = 10


def compatible(one: str, other: str) -> bool:
    """Whether two texts could mean the same: the numbers and names of one include those of the other, and both or
    neither have a negation.

    >>> compatible("The code is 4711.", "The code is 4711 now."), compatible("The code is 4711.", "It is 4712.")
    (True, False)
    >>> compatible("Ines plays chess.", "Hugo plays chess."), compatible("It is open.", "It is not open.")
    (False, False)
    """
    ours, theirs = _names_and_numbers(one, other), _names_and_numbers(other, one)
    nested = ours <= theirs or theirs <= ours
    return nested and bool(_DENIAL.search(one)) == bool(_DENIAL.search(other))


def _names_and_numbers(text: str, beside: str) -> set[str]:
    """Numbers and names: capitalised words that never occur in lower case."""
    plain = {word for word in _WORD.findall(f"{text} {beside}") if word[0].islower()}
    capital = {word.lower() for word in _WORD.findall(text) if word[0].isupper()}
    return {*_NUMBER.findall(text), *(capital - plain - STOP_WORDS)}


def stars(
    fresh: Sequence[str], vectors: Mapping[str, NDArray[np.float32]], similarity: float, smallest: int
) -> list[list[str]]:
    """Groups of near-duplicates around the new ids; each member is similar to the one at the centre.

    No id is in two groups. The centre comes first, then the others, nearest first.

    >>> east, north = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    >>> stars(["c"], {"a": east, "b": east, "c": east, "d": north}, 0.75, 3)
    [['c', 'a', 'b']]
    """
    known = list(vectors)
    centres = [record_id for record_id in fresh if record_id in vectors]
    if len(known) < smallest or not centres:
        return []
    matrix = np.stack([vectors[record_id] for record_id in known])
    cosines = np.stack([vectors[record_id] for record_id in centres]) @ matrix.T
    taken: set[str] = set()
    groups: list[list[str]] = []
    for centre, row in zip(centres, cosines, strict=True):
        if centre in taken:
            continue
        near = np.flatnonzero(row >= similarity)
        order: list[int] = near[np.argsort(-row[near], kind="stable")].tolist()
        members = [known[n] for n in order if known[n] != centre and known[n] not in taken]
        group = [centre, *members[: LARGEST - 1]]
        if len(group) >= smallest:
            taken.update(group)
            groups.append(group)
    return groups


def sent_key(record: Record) -> str:
    """The key that identifies a record when it is sent again. Idempotency keys are per node."""
    return f"{record.node} {record.idempotency_key}"


def resent(records: Sequence[Record], stored: Mapping[str, Sequence[Record]]) -> list[Record | int | None]:
    """For each record of a batch, an earlier one with its key: a stored record, an index in the batch, or None.

    `stored` has the versions that the store holds for each key. A key that was used for another text is `Conflict`;
    a record that was forgotten or has expired may be sent again.

    >>> from datetime import UTC, datetime
    >>> from foveal.model.ids import Address
    >>> place, now = Address(world="earth", region="agent:ada"), datetime(2026, 1, 5, tzinfo=UTC)
    >>> moments = {"recorded_at": now, "occurred_at": now, "valid_from": now}
    >>> record = Record(id="1", actor_id="ada", text="hi", address=place, idempotency_key="k", **moments)
    >>> resent([record, record], {})
    [None, 0]
    """
    here: dict[str, int] = {}
    matches: list[Record | int | None] = []
    for place, record in enumerate(records):
        if record.idempotency_key is None:
            matches.append(None)
            continue
        key = sent_key(record)
        first = here.get(key)
        known = stored.get(key) if first is None else [records[first]]
        if not known or gone(known[-1], record.recorded_at):
            here[key] = place
            matches.append(None)
        elif known[0].text != record.text:
            raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
        else:
            matches.append(known[-1] if first is None else first)
    return matches


def answered(known: Sequence[Record | int | None], filed: Iterator[Record]) -> list[tuple[Record, bool]]:
    """For each record of a batch, the match from `resent` or the newly filed record, and whether it is new."""
    answers: list[tuple[Record, bool]] = []
    for match in known:
        earlier = answers[match][0] if isinstance(match, int) else match
        answers.append((next(filed), True) if earlier is None else (earlier, False))
    return answers
