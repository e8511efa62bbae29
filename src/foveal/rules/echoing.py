"""Whether a text only says again what was recalled."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

from foveal.model.record import Link, LinkKind, Record

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


def echoes(text: str, shown: str) -> bool:
    """Whether `text` repeats `shown`: equal, or nearly, with the same numbers, signs, names and negations.

    >>> echoes("The code is 4711.", "the code is 4711"), echoes("The code is 4712.", "The code is 4711.")
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
