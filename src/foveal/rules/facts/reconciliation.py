"""Compares a new statement with what was stated before: new, the same, an update, or a contradiction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from math import log

from msgspec import Struct
from msgspec.structs import replace

from foveal.rules.facts.endings import GONE
from foveal.rules.facts.patterns import COUNTS, NAME
from foveal.rules.facts.statements import FACT, INSTRUCTION, PREFERENCE, Statement
from foveal.rules.facts.values import typed_value, values_by_kind
from foveal.rules.text import STOP_WORDS, terms


class Verdict(StrEnum):
    """What a new statement is to an older one."""

    NEW = "new"
    SAME = "same"
    UPDATE = "update"
    CONTRADICTION = "contradiction"


class Judgement(Struct, frozen=True):
    """A verdict, its reason in words, and how sure it is."""

    verdict: Verdict
    reason: str
    weight: float = 0.0


_NEW = Judgement(Verdict.NEW, "nothing older says this")
Rarity = Callable[[str], float]
# Words that put another value in the place of an earlier one; "now" and "new" alone do not.
_SHIFTED = re.compile(
    r"\b(?:(?:mov|shift|push|bump|slid|slip|shov|postpon|reschedul|delay|swap|switch|replac|rais|lower|reduc|"
    r"increas|"
    r"revis|reshuffl|shuffl|drop)\w*|chang(?:ed?|es|ing) (?:to|the|it|our)|instead|(?:went|gone|goes?|"
    r"going) (?:up|down)|"
    r"(?:up|down|back|forward) to|put (?:it |them |us )?(?:back|up|down|off)|brought forward|no longer|any ?more|"
    r"in the end|after all|as of|from (?:now|today|tomorrow|next|this|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|"
    r"sunday|january|february|march|april|may|june|july|august|september|october|november|december|the \d)|"
    r"statt(?:dessen)?|verschoben|getauscht|en vez|cambi\w+)\b|改|换",
    re.IGNORECASE,
)
# What does not change: two values of these cannot both be true, and the later one need not be the right one.
_FIXED = frozenset({"birthday", "birth", "birthplace", "blood type", "age", NAME})
_ANY = re.compile(r"\b[A-Z][\w’'-]+")
# How much of what two statements are about must be the same if the words announce a change: a word that nothing
# else is about counts 1, and one of the rest of a turn counts less.
ABOUT, BESIDE = 0.9, 0.6


def judged(new: Statement, old: Statement, likeness: float = 0.0) -> Judgement:
    """What `new`, which was said later, is to `old`; `likeness` is the cosine of the two texts, if it is known.

    >>> from foveal.rules.facts.extraction import drawn
    >>> def verdict(later, earlier):
    ...     return str(judged(drawn(later)[0], drawn(earlier)[0]).verdict)
    >>> verdict("My desk is on the third floor now.", "My desk is on the first floor.")
    'update'
    >>> verdict("My sister's desk is on the second floor.", "My desk is on the first floor.")
    'new'
    """
    if _normal(new.text) == _normal(old.text):
        return Judgement(Verdict.SAME, "the same words", 1.0)
    if new.ended:
        return _revoked(new, old) if new.kind == INSTRUCTION else _ended(new, old)
    if _replaces(new, old):
        return Judgement(Verdict.UPDATE, f"the words put it in the place of {new.instead}", 0.95)
    if _is_same_thing(new, old):
        return _attributed(_as_attribute(new, old), _as_attribute(old, new))
    if new.kind != old.kind and PREFERENCE not in (new.kind, old.kind) and INSTRUCTION in (new.kind, old.kind):
        return _NEW
    if new.kind == INSTRUCTION:
        return _instructed(new, old, likeness)
    if new.kind == PREFERENCE or old.kind == PREFERENCE:
        return _preferred(new, old)
    if not new.value_kind and not old.value_kind:
        return _attributed(new, old)
    return _valued(new, old, likeness)


def _replaces(new: Statement, old: Statement) -> bool:
    """Whether the words of a statement name an older one as what it replaces: "from poetry to uv"."""
    words = set(terms(new.instead))
    told = set(terms(f"{old.attribute} {old.value}"))
    return bool(words) and not old.ended and old.kind == new.kind and words <= told


def _is_same_thing(new: Statement, old: Statement) -> bool:
    """Whether one names as a thing what the other has as an attribute: "the stand-up is", "our stand-up is"."""
    if "is" not in (new.attribute, old.attribute) or new.attribute == old.attribute:
        return False
    thing, named = (new, old) if new.attribute == "is" else (old, new)
    if named.kind != FACT or thing.kind != FACT or named.subject not in ("user", thing.subject):
        # Only what is the user's own may be named without an owner.
        return False
    return thing.subject.casefold() == named.attribute.casefold() or (
        named.attribute == "age" and thing.subject.casefold() == named.subject.casefold()
    )


def _as_attribute(one: Statement, other: Statement) -> Statement:
    return (
        one
        if one.attribute != "is"
        else replace(one, subject=other.subject, attribute=other.attribute, single=True)
    )


def _attributed(new: Statement, old: Statement) -> Judgement:
    """Two statements with named attributes."""
    if _owner(new) != _owner(old) or new.attribute != old.attribute:
        return _NEW
    if _same_value(new.value, old.value):
        return Judgement(Verdict.SAME, f"{new.attribute} is {old.value} already", 1.0)
    if _next_version(new.value, old.value):
        return Judgement(Verdict.UPDATE, f"{new.attribute} was {old.value}", 0.9)
    if not (new.single and old.single):
        if new.changed and new.single:
            return Judgement(Verdict.UPDATE, f"{new.attribute} was {old.value}; the words announce a change", 0.8)
        return _NEW
    if not new.changed and new.attribute in _FIXED and not _grows(new, old):
        return Judgement(
            Verdict.CONTRADICTION, f"{new.attribute} was given as {old.value}, which does not change", 0.9
        )
    if _different_kind(new.value, old.value) and not new.changed:
        return _NEW
    reason = "the words announce a change" if new.changed else "only one can be true"
    return Judgement(Verdict.UPDATE, f"{new.attribute} was {old.value}; {reason}", 0.95)


def _next_version(new: str, old: str) -> bool:
    """Whether two values name the same thing with different numbers: "Python 3.11" and "Python 3.12"."""
    ours, theirs = _VERSION.match(new), _VERSION.match(old)
    return bool(ours and theirs and ours[1].lower() == theirs[1].lower() and ours[2] != theirs[2])


_VERSION = re.compile(r"(?:the )?([A-Z][A-Za-z+-]{1,30}(?: [A-Z][A-Za-z+-]{1,30})?) v?(\d[\w.]{0,10})\b")


def _grows(new: Statement, old: Statement) -> bool:
    return new.attribute == "age" and _years(new.value) > _years(old.value) >= 0


def _years(value: str) -> int:
    """The number of an age; -1 if it is none."""
    if value.isdigit():
        return int(value)
    return COUNTS.index(value.lower()) + 1 if value.lower() in COUNTS else -1


def _different_kind(one: str, other: str) -> bool:
    """Whether two values are of different kinds, so that both can be true: "on the third floor" and "oak"."""
    ours, theirs = typed_value(one), typed_value(other)
    return (ours is None) != (theirs is None) or (
        ours is not None and theirs is not None and ours.kind != theirs.kind
    )


def _preferred(new: Statement, old: Statement) -> Judgement:
    """Two statements of which at least one is a preference."""
    if new.kind != old.kind or _owner(new) != _owner(old):
        return _NEW
    if new.attribute == old.attribute and new.single:
        if _same_value(new.value, old.value):
            return Judgement(Verdict.SAME, "the same preference", 1.0)
        return Judgement(Verdict.UPDATE, f"{new.attribute} was {old.value}", 0.9)
    ours, theirs = set(new.topic), set(old.topic)
    common = ours & theirs
    if not common or len(common) < 0.5 * min(len(ours), len(theirs)):
        return _NEW
    if _stance(new) == _stance(old):
        close = len(common) >= 0.8 * max(len(ours), len(theirs))
        return Judgement(Verdict.SAME, "the same preference", 0.9) if close else _NEW
    if 0 in (_stance(new), _stance(old)):
        return _NEW
    # Liking tea and disliking green tea go together, unless the words say that it changed.
    if not new.changed and not ours <= theirs:
        return _NEW
    return Judgement(Verdict.UPDATE, f"before: {old.attribute} {old.value}", 0.9)


def _stance(statement: Statement) -> int:
    return {"likes": 1, "not allergic to": 1, "dislikes": -1, "allergic to": -1}.get(statement.attribute, 0)


def _instructed(new: Statement, old: Statement, likeness: float) -> Judgement:
    """Two standing instructions: the later one replaces the earlier if it is about the same and says so."""
    if new.kind != old.kind:
        return _NEW
    ours, theirs = set(new.topic), set(old.topic)
    share = len(ours & theirs) / max(1, min(len(ours), len(theirs)))
    if (
        share >= 0.8
        and likeness >= 0.85
        and _numbers(new.text) == _numbers(old.text)
        and _denies(new) == _denies(old)
    ):
        return Judgement(Verdict.SAME, "the same instruction", 0.9)
    if _other_language(new.text, old.text) and new.changed:
        return Judgement(Verdict.UPDATE, "another language", 0.8)
    revoked = re.search(
        r"\b(?:no longer|any ?more|from now on|instead|after all|changed my mind|forget (?:the|what)|drop "
        r"the|it['’]s (?:fine|ok|okay) "
        r"(?:to|now)|you (?:can|may) (?:now|again)|not needed)\b",
        new.text,
        re.IGNORECASE,
    )
    if revoked and share >= 0.4 and len(ours & theirs) >= 2:
        return Judgement(Verdict.UPDATE, "the words replace an earlier instruction", 0.7)
    return _NEW


_LANGUAGE = re.compile(
    r"\b(?:answer|reply|respond|write|speak|talk|text|email)\w*\b[^.;!?]{0,40}?\bin (?P<v>[A-Z][a-z]{2,20}|"
    r"english|french|"
    r"german|spanish|dutch|italian|portuguese)\b|\b(?i:in) (?P<w>[A-Z][a-z]{2,20}ish|French|German|Dutch|Italian)\b"
)


def _other_language(new: str, old: str) -> bool:
    """Whether two instructions ask for answers in different languages."""
    ours, theirs = _LANGUAGE.search(new), _LANGUAGE.search(old)
    if ours is None or theirs is None:
        return False
    return (ours["v"] or ours["w"]).lower() != (theirs["v"] or theirs["w"]).lower()


def _ended(new: Statement, old: Statement) -> Judgement:
    """A statement that takes something back."""
    if old.ended or old.kind == INSTRUCTION:
        return _NEW
    value = set(terms(new.value))
    if new.attribute == GONE:
        named = set(terms(f"{old.value} {old.subject if old.attribute == 'is' else old.attribute}")) | {
            *(old.topic if old.value_kind else ())
        }
        if value and value <= named and "'s" not in old.subject:
            return Judgement(Verdict.UPDATE, f"{new.value} is no more", 0.9)
        return _NEW
    ours = {*new.topic, *(terms(new.subject) if new.subject[:1].isupper() else ())}
    if old.value_kind and len(ours) > 1 and ours <= {*old.topic, *terms(old.value)}:
        return Judgement(Verdict.UPDATE, f"{old.value} is taken back", 0.8)
    if _owner(new) != _owner(old):
        return _NEW
    about = set(terms(f"{old.attribute} {old.value}"))
    if value and value <= about | set(new.topic) and value & about:
        return Judgement(Verdict.UPDATE, f"{old.attribute} {old.value} is taken back", 0.9)
    if new.attribute == old.attribute and (not value or value & about):
        return Judgement(Verdict.UPDATE, f"{old.attribute} {old.value} is taken back", 0.9)
    return _NEW


def _revoked(new: Statement, old: Statement) -> Judgement:
    """Words that lift an instruction or a wish."""
    if old.ended or old.kind not in (INSTRUCTION, PREFERENCE):
        return _NEW
    ours = set(new.topic)
    common = ours & {*old.topic, *terms(old.value), *terms(old.text)}
    if len(common) < (0.6 if len(ours) > 1 else 1) * len(ours):
        return _NEW
    return Judgement(Verdict.UPDATE, "the words lift it", 0.6 + 0.3 * len(common) / len(ours))


def _valued(new: Statement, old: Statement, likeness: float) -> Judgement:
    """Two statements of which one has a date, an amount or a number about a topic without a named attribute."""
    if INSTRUCTION in (new.kind, old.kind):
        return _NEW
    ours, theirs = set(new.topic), set(old.topic)
    common = ours & theirs
    if not common:
        return _NEW
    if _same_value(new.value, old.value):
        close = len(common) >= 0.6 * max(len(ours), len(theirs))
        return Judgement(Verdict.SAME, "the same value", 0.6) if close else _NEW
    mine, other = values_by_kind(new.text), values_by_kind(old.text)
    if _others(new, old) or not any(mine[kind].isdisjoint(other[kind]) for kind in mine.keys() & other.keys()):
        return _NEW
    share = len(common) / min(len(ours), len(theirs))
    alike = share >= 0.99 and len(common) >= 2
    if alike and new.attribute == old.attribute and new.kind == old.kind == FACT:
        return Judgement(Verdict.UPDATE, f"it was {old.value}", 0.7 + 0.1 * likeness)
    if new.changed and share >= 0.99 and "is" in (new.attribute, old.attribute):
        return Judgement(Verdict.UPDATE, f"it was {old.value}; the words announce a change", 0.7)
    return _NEW


def _changed_value(new: Statement, old: Statement, rarity: Rarity) -> Judgement:
    """A value that the words announce as changed, against an earlier one of the same kind about the same thing.

    People repeat only a word or two of what they said weeks before ("they've shoved bowls to Thursdays"), so rare
    words decide: those of the statement, and with less weight those of the rest of its turn.
    """
    if not new.value_kind or new.value_kind != old.value_kind or not _SHIFTED.search(new.text):
        return _NEW
    mine, other = (values_by_kind(one.text).get(new.value_kind, frozenset()) for one in (new, old))
    counted = new.value_kind == "number" and not (_numbers(new.value) and _numbers(old.value))
    if counted or not mine.isdisjoint(other):
        return _NEW
    if _possessor(new.text) != _possessor(old.text) and _possessor(new.text) and _possessor(old.text):
        return _NEW
    ours, theirs, near, far = set(new.topic), set(old.topic), set(new.around), set(old.around)
    about = sum(map(rarity, ours & theirs)) + BESIDE * sum(map(rarity, (ours & far) | (near & theirs)))
    about += BESIDE**2 * sum(map(rarity, near & far))
    if about < ABOUT:
        return _NEW
    return Judgement(Verdict.UPDATE, f"it was {old.value}; the words announce a change", min(0.9, 0.3 * about))


def _others(new: Statement, old: Statement) -> bool:
    """Whether the two speak of different people or things, by their names or their owners."""
    ours, theirs = _named(new.text), _named(old.text)
    if ours and theirs and not ours & theirs:
        return True
    ours, theirs = _numbered(new), _numbered(old)
    if ours and theirs and not ours & theirs:
        return True
    return _possessor(new.text) != _possessor(old.text) and bool(_possessor(new.text) and _possessor(old.text))


def _numbered(statement: Statement) -> set[str]:
    """The numbers that say which thing is meant, beside the value: "invoice 1181 is due on 3 May"."""
    return _numbers(re.sub(r"[£$€]?\d[\d.,:]*(?: ?(?:[ap]m|%)\b)?", _but(statement.value), statement.text))


def _but(value: str) -> Callable[[re.Match[str]], str]:
    held = _numbers(value)
    return lambda match: "" if _numbers(match[0]) & held else match[0]


def _named(text: str) -> set[str]:
    rest = re.sub(r"^\W*\w+", "", text)
    return {word.lower().removesuffix("'s").removesuffix("’s") for word in _ANY.findall(rest)} - STOP_WORDS - _DATES


_DATES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays "
    "fridays saturdays sundays january "
    "february march april may june july august september october november december am pm i i'm i've i'll".split()
)
_POSSESSOR = re.compile(r"\b(?:my|our|his|her|their|your)\s+(\w+)['’]s\b", re.IGNORECASE)


def _possessor(text: str) -> str:
    match = _POSSESSOR.search(text)
    return match[1].lower() if match else ""


def _owner(statement: Statement) -> str:
    return " ".join(terms(statement.subject)) or statement.subject.lower()


def _same_value(one: str, other: str) -> bool:
    ours, theirs = set(terms(one)), set(terms(other))
    if bool(_NOT.search(one)) != bool(_NOT.search(other)):
        return False
    if not ours or not theirs:
        return _normal(one) == _normal(other)
    numbers = _numbers(one), _numbers(other)
    if numbers[0] and numbers[1] and numbers[0] != numbers[1]:
        return False
    return ours == theirs or (len(ours & theirs) >= 0.75 * max(len(ours), len(theirs)))


_NOT = re.compile(r"\b(?:no|not|never)\b", re.IGNORECASE)


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.,:]*\d|\d", text))


def _denies(statement: Statement) -> bool:
    return (
        re.search(r"\b(?:no|not|never|without|don['’]?t|stop|avoid)\b", statement.text, re.IGNORECASE) is not None
    )


def _normal(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!")


Likeness = Callable[[int], float]


def _rarity(statements: Sequence[Statement]) -> Rarity:
    """How telling a word is among statements: nearly 1 if only one of them has it, down to 0 if all do."""
    counts = Counter(stem for statement in statements for stem in {*statement.topic, *statement.around})
    scale = log(1 + len(statements))

    def rarity(stem: str) -> float:
        return log((1 + len(statements)) / counts[stem]) / scale if counts[stem] else 1.0

    return rarity


def reconciled(
    new: Statement, older: Sequence[Statement], likeness: Likeness = lambda _place: 0.0
) -> tuple[int | None, Judgement]:
    """The place of the older statement that a new one concerns, and the judgement; None if it is new.

    `older` is in the order of time, and the latest of equally sure ones is taken. `likeness` gives the cosine of
    the new text with that of an older statement.
    """
    best: tuple[int | None, Judgement] = (None, _NEW)
    rarity = _rarity(older)
    for place, old in enumerate(older):
        judgement = judged(new, old, likeness(place))
        if judgement.verdict is Verdict.NEW:
            judgement = _changed_value(new, old, rarity)
        if judgement.verdict is not Verdict.NEW and judgement.weight >= best[1].weight:
            best = (place, judgement)
    return best
