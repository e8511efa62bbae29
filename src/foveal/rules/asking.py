"""What a question says before any record is looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from foveal.model.trace import Setting
from foveal.rules.dates import Span, asked_spans
from foveal.rules.words import asked_terms, plain_words

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

    `named` are the positions, among the speakers, of those it names; `own_role` is true when it is about what
    the user said, not the assistant; `spans` are the days it asks about.
    """

    text: str
    terms: tuple[str, ...]
    named: tuple[int, ...]
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


def _named(text: str, speakers: Sequence[str]) -> tuple[list[int], set[str]]:
    """The speakers that a text names, by a part of their name or its beginning, and the words that do."""
    parts: list[set[str]] = [set(plain_words(one)) - set(ROLES) for one in speakers]
    named: list[int] = []
    names = {one.lower() for one in speakers if one.lower() in ROLES}
    for word in plain_words(text):
        for number, own in enumerate(parts):
            if word in own or (len(word) >= 3 and any(part.startswith(word) for part in own)):
                names.add(word)
                if number not in named:
                    named.append(number)
    return named, names
