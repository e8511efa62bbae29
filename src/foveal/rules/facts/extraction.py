"""Draws statements from a text by rules: instructions, preferences, facts with an attribute, and dated events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from foveal.rules.facts.endings import GONE, taken_back
from foveal.rules.facts.instructions import instruction
from foveal.rules.facts.patterns import (
    CHANGED,
    DATED,
    EMPTY_VALUE,
    HOME,
    PATTERNS,
    TRAIL,
    Pattern,
    attribute_name,
    is_plural,
)
from foveal.rules.facts.preferences import preferences
from foveal.rules.facts.records import SURE
from foveal.rules.facts.statements import EVENT, FACT, PERSONS, Statement, is_unsure, named_subject, told_clauses
from foveal.rules.facts.values import typed_value
from foveal.rules.text import terms

# How many statements one turn may hold: a longer list is a document, which nobody says of themselves.
MOST = 12
# How many words of the rest of a turn say what a statement in it is about.
AROUND = 24


def drawn(text: str, source: str = "user", speaker: str | None = None) -> list[Statement]:
    """The statements of a turn, in order. What only asks, greets or acknowledges states nothing.

    >>> [(one.kind, one.attribute, one.value) for one in drawn("I moved to Lyon. My dentist is Dr. Klein.")]
    [('fact', 'home', 'Lyon'), ('fact', 'dentist', 'Dr. Klein')]
    >>> [one.kind for one in drawn("From now on always answer in French. I can't stand coriander.")]
    ['instruction', 'preference']
    >>> drawn("Ha, thanks! See you tomorrow?")
    []
    """
    if source not in PERSONS:
        return []
    found: list[Statement] = []
    instructed = instruction(text, speaker)
    if instructed is not None:
        found.append(instructed)
    for clause, sentence in told_clauses(text):
        for statement in _of_clause(clause, sentence, speaker, instructed=instructed is not None):
            if not any(_same_thing(statement, other) for other in found):
                found.append(statement)
    if any(statement.value_kind for statement in found):
        around, changed = _topic(text), CHANGED.search(text) is not None
        found = [_in_turn(statement, around, changed=changed) for statement in found]
    return found[:MOST]


def _in_turn(statement: Statement, around: Sequence[str], *, changed: bool) -> Statement:
    """A statement without a named attribute, with what the rest of its turn is about."""
    if not statement.value_kind:
        return statement
    rest = tuple(stem for stem in around if stem not in statement.topic)[:AROUND]
    return replace(statement, around=rest, changed=statement.changed or changed)


def _same_thing(one: Statement, other: Statement) -> bool:
    return (one.kind, one.subject.lower(), one.attribute, one.value.lower()) == (
        other.kind,
        other.subject.lower(),
        other.attribute,
        other.value.lower(),
    )


def _of_clause(clause: str, sentence: str, speaker: str | None, *, instructed: bool) -> Iterator[Statement]:
    unsure = is_unsure(clause)
    liked = list(preferences(clause, sentence, speaker))
    if not unsure:
        yield from liked
    if liked or unsure:
        return
    ended = taken_back(clause, sentence, speaker)
    if ended is not None and ended.attribute != GONE:
        yield ended
        return
    stated = list(_facts(clause, sentence, speaker))
    related = [one for one in _related(clause, speaker) if all(one.value not in other.value for other in stated)]
    stated += related
    yield from stated
    if ended is not None:
        yield ended
    elif not stated and not instructed:
        yield from _valued(clause, sentence, speaker)


def _facts(clause: str, sentence: str, speaker: str | None) -> Iterator[Statement]:
    for pattern in PATTERNS:
        match = pattern.expression.search(clause)
        if match is None:
            continue
        groups = match.groupdict()
        value = TRAIL.sub("", " ".join((groups.get("v") or "").split())).strip(" ,.'\"’")
        value = _CALLED.sub(" called ", value)
        if not value or EMPTY_VALUE.match(value):
            continue
        attribute = pattern.attribute or attribute_name(groups.get("a") or "")
        if attribute == HOME and not _may_be_a_place(value):
            continue
        if pattern.attribute == "does":
            value = f"{groups['a']} {value}".lower()
        elif pattern.attribute:
            value = DATED.sub("", value)
        elif "@" in value:
            value = value.split()[0]
        if not attribute:
            continue
        yield _fact(match, attribute, value, pattern, (clause, sentence), speaker)
        return


_CALLED = re.compile(r"[.!,] ?(?:he|she|it)['’]s (?:called|named) ", re.IGNORECASE)
# What stands where a place could, and is none: "live in fear", "the judo moved to Thursdays".
_NO_PLACE = re.compile(r"(?:fear|hope|peace|harmony|denial|sin|the (?:moment|past|future|present|hope|dark))\b")
_ARTICLES = frozenset({"the", "a", "an"})
# What something replaces: "from poetry to uv", "instead of taking the train".
_INSTEAD = re.compile(
    r"\bfrom (?P<one>[^,.;!?]{1,40}?) (?:over )?to\b|\b(?:instead of|rather than|"
    r"in place of) (?P<two>[^,.;!?]{2,40})|"
    r"\b(?:replaced|swapped|traded|exchanged) (?P<three>[^,.;!?]{2,40}?) (?:in )?(?:with|for|by) ",
    re.IGNORECASE,
)


def _may_be_a_place(value: str) -> bool:
    typed = typed_value(value)
    return _NO_PLACE.match(value) is None and (typed is None or typed.kind == "number" or len(value.split()) > 2)


# People by what they are to somebody: "my husband Joris", "our plumber Henk".
_RELATED = re.compile(
    r"(?<![\w’'-])(?P<s>(?i:my|our)) (?P<a>husband|wife|partner|boyfriend|girlfriend|fiancée?|boss|manager|"
    r"landlord|"
    r"landlady|dentist|doctor|gp|vet|son|daughter|brother|sister|mother|father|mum|mom|dad|neighbour|neighbor|flatmate|"
    r"roommate|plumber|teacher|dog|cat)(?: is called|,)? (?P<v>[A-Z][a-zà-ÿ-]{1,30})(?![\w’'])"
)
_OF_SEVERAL = frozenset("son daughter brother sister neighbour neighbor dog cat teacher flatmate roommate".split())


def _related(clause: str, speaker: str | None) -> Iterator[Statement]:
    for match in list(_RELATED.finditer(clause))[:3]:
        attribute, subject = attribute_name(match["a"]), named_subject(match["s"], speaker)
        yield Statement(
            kind=FACT,
            text=clause,
            subject=subject,
            attribute=attribute,
            value=match["v"],
            single=match["a"] not in _OF_SEVERAL,
            changed=re.search(rf"\bnew {match['a']}\b", clause) is not None,
            topic=tuple(dict.fromkeys(terms(f"{subject} {attribute}"))),
            confidence=0.7,
            importance=0.7,
        )


def _fact(
    match: re.Match[str], attribute: str, value: str, pattern: Pattern, told: tuple[str, str], speaker: str | None
) -> Statement:
    clause, sentence = told
    groups = match.groupdict()
    owner = re.sub(r"['’]s?$", "", (groups.get("s") or "").strip() or groups.get("s2") or "")
    if owner.lower() in _ARTICLES or groups.get("s") == "":
        # "Got a new phone", "we switched dentists": it is the speaker's.
        owner = "my"
    # "The rent is 850": without an owner, the attribute is the thing itself.
    thing = pattern.attribute is None and not owner
    typed = typed_value(value) if thing else None
    subject = attribute if thing else named_subject(owner, speaker)
    counted = re.match(r"(?:an?|two|three|four|five|six|seven|eight|\d+)\s", value, re.IGNORECASE) is not None
    replaced = _INSTEAD.search(clause)
    instead = next((words for words in replaced.groups() if words), "").strip() if replaced else ""
    several = pattern.attribute is None and is_plural(attribute)
    return Statement(
        kind=pattern.kind,
        text=clause,
        subject=subject,
        attribute="is" if thing else attribute,
        value=value,
        # "We have two cats" gives their number; "my sisters are Ann and Bea" may be one statement of several.
        single=(pattern.single and not several) or (not pattern.single and several and counted),
        changed=bool(CHANGED.search(sentence)),
        instead=instead,
        topic=tuple(dict.fromkeys(terms(f"{subject} {attribute}"))),
        value_kind=typed.kind if typed else "",
        confidence=pattern.confidence,
        importance=0.7,
    )


_EVENT_WORDS = re.compile(
    r"\b(?:appointment|meeting|flight|exam|interview|wedding|birthday|party|holiday|trip|surgery|operation|"
    r"visit|concert|"
    r"conference|deadline|hearing|viewing|match|game|race|marathon|lesson|class|training|rehearsal|"
    r"delivery|release|launch|"
    r"demo|defen[cs]e|show|fair|funeral|christening|graduation|move|moving|interview|check-?up|scan|"
    r"went|visited|met|finished|passed|bought|ran|saw|attended|completed|broke|lost|won|started|graduated|flew)\b",
    re.IGNORECASE,
)


def _valued(clause: str, sentence: str, speaker: str | None) -> Iterator[Statement]:
    """A statement with a date, a time, an amount or a number, about what its other words name."""
    value = typed_value(clause)
    if value is None or len(clause.split()) < 3:
        return
    topic = _topic(value.without)
    if not topic or len(topic) > 14:
        return
    kind = EVENT if value.kind == "when" and _EVENT_WORDS.search(clause) else FACT
    yield Statement(
        kind=kind,
        text=sentence,
        subject=" ".join(topic[:3]),
        attribute=value.kind,
        value=value.text,
        changed=bool(CHANGED.search(sentence)),
        topic=tuple(topic),
        value_kind=value.kind,
        # What holds every week, or for every hour, is a fact of today too.
        confidence=SURE if kind == FACT and _lasts(clause) else 0.4,
        importance=0.65,
    )


_LASTING = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\bevery\b|\beach\b|\bper\b|"
    r"\ban? (?:hour|day|night|week|month|year)\b|\bday is\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|went|got|took|paid|came|ran|saw|bought|spent|cost me|ago|yesterday|last|once|this)\b|"
    r"(?<!\bget )(?<!\bgets )(?<!\bis )(?<!\bare )\b[a-z]{3,20}ed\b",
    re.IGNORECASE,
)


def _lasts(clause: str) -> bool:
    """Whether a clause says what is so again and again: "Lena has violin on Wednesdays"."""
    return len(clause.split()) <= 16 and _LASTING.search(clause) is not None and _PAST.search(clause) is None


def _topic(text: str) -> list[str]:
    """The stems that a text is about, without those of values and of changes."""
    return [
        stem for stem in dict.fromkeys(terms(text)) if stem not in _WEAK and not stem[0].isdigit() and len(stem) > 1
    ]


_WEAK = frozenset(
    terms(
        "now instead moved move change changed switch new from today tomorrow actually go goes going get "
        "got gone put back "
        "down up said say says thing things okay yes yeah please take took make made come came let want "
        "need know think look "
        "day week month year time date morning evening night monday tuesday wednesday thursday friday "
        "saturday sunday first "
        "second last next still also really just later earlier start end around about per every each one two three"
    )
)
