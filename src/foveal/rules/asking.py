"""What a question says before any record is looked at."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from foveal.model.trace import Setting
from foveal.rules.dates import Span, asked_spans
from foveal.rules.words import STOP_WORDS, asked_terms, plain_words

# Words that frame a question to a memory and rarely stand in what is remembered: they count half.
_FRAMING = """ago amount call chat check confirm conversation current currently day describe discuss earlier
    first follow frequency go happen hour kind last latest long look many mention minute month much name
    number often order pass please previous previously recall recent recently recommend remember
    remind say sort suggest suggestion take talk tell thing think time today total type want week wonder year"""
FRAMING = frozenset(asked_terms(_FRAMING))
FRAMING_FACTOR = 0.5

ROLES = ("user", "assistant")
_ASKS_OTHER = re.compile(
    r"\b(?:remind me|our (?:previous|last|earlier)|(?:previous|last|earlier) (?:chat|conversation|discussion)|"
    r"we (?:talked|discussed|decided)|"
    r"you (?:\w+ )?(?:\w+ed|gave|told|said|say|wrote|made|sent|found|came|thought))\b",
    re.I,
)
_ASKS_WHEN = re.compile(
    r"\bwhen (?:did|was|were|is|are|will|does|do|has|have)\b|\bwhat (?:date|day|year|month|time)\b|\bhow long\b|"
    r"\bhow many (?:days|weeks|months|years)\b|\bwhich (?:year|month|day)\b",
    re.I,
)


class Question(Struct, frozen=True, kw_only=True):
    """A question without the names of who speaks, which say who is meant but match too much.

    `named` are the speakers it names, first the first; `own_role` is true when it is about what
    the user said, not the assistant; `spans` are the days it asks about.
    """

    text: str
    terms: tuple[str, ...]
    named: tuple[str, ...]
    own_role: bool
    spans: tuple[Span, ...]
    asks_when: bool


def asked(text: str, setting: Setting) -> Question:
    """The question that a text asks of a memory with this setting.

    >>> asked("When did Ada visit Oslo?", Setting(speakers=("Ada", "Ben"))).text
    'When did visit Oslo?'
    """
    named, names = _named(text, setting.speakers)
    kept = [word for word in text.split() if not set(plain_words(word)) & names]
    bare = " ".join(kept) or text
    roles = {speaker.lower() for speaker in setting.speakers}
    return Question(
        text=bare,
        terms=tuple(asked_terms(bare)),
        named=tuple(named),
        own_role=not named and roles >= set(ROLES) and not _ASKS_OTHER.search(text),
        spans=tuple(asked_spans(text, setting.years)),
        asks_when=_ASKS_WHEN.search(text) is not None,
    )


def framing_factor(term: str) -> float:
    """How much a term of a question counts."""
    return FRAMING_FACTOR if term in FRAMING else 1.0


def _named(text: str, speakers: tuple[str, ...]) -> tuple[list[str], set[str]]:
    """The speakers that a text names, and the words that do: a part of a name, or a short form like Mel."""
    parts = _name_parts(speakers)
    named: dict[str, None] = {}
    names = {one.lower() for one in speakers if one.lower() in ROLES}
    for number, written in enumerate(text.split()):
        for word in plain_words(written):
            found = parts.get(word)
            if found is None and number and written[0].isupper() and len(word) >= 3 and word not in STOP_WORDS:
                found = next((who for part, who in parts.items() if part.startswith(word)), None)
            if found is not None:
                names.add(word)
                named[found] = None
    return list(named), names


@lru_cache(maxsize=64)
def _name_parts(speakers: tuple[str, ...]) -> dict[str, str]:
    """The words of all names, and whose they are: the first speaker's, if several share one."""
    parts: dict[str, str] = {}
    for speaker in speakers:
        for word in plain_words(speaker):
            if speaker.lower() not in ROLES and word not in STOP_WORDS:
                parts.setdefault(word, speaker)
    return parts
