"""Preferences: what somebody likes, avoids or cannot have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foveal.rules.facts.patterns import CHANGED, TRAIL
from foveal.rules.facts.statements import PREFERENCE, Statement, named_subject
from foveal.rules.text import terms

_LIKES = re.compile(
    r"\b(?P<s>i|we|my [a-z]{1,20}|(?!I['’])[A-Z][\w’'-]{1,30}) (?:(?:really|actually|now|absolutely|still|"
    r"just|totally|do|"
    r"both|all|"
    r"always|much|personally|generally|definitely|secretly|quite|kind of|sort of) )*"
    r"(?P<verb>loves?|likes?|enjoys?|adores?|prefers?|hates?|dislikes?|detests?|loathes?|despises?|"
    r"favou?rs?|avoids?|"
    r"can['’]?t (?:stand|bear|eat|have|drink|tolerate|handle|do|take|abide)|cannot (?:stand|bear|eat|have|"
    r"drink|tolerate)|"
    r"(?:do|does)n['’]?t (?:like|eat|drink|enjoy|do|take|want|use|care for|touch|wear|trust)|do(?:es)? not "
    r"(?:like|eat|drink|enjoy|do)|"
    r"never (?:eats?|drinks?|uses?|wears?|touch(?:es)?)|"
    r"swears? by|lives? on|runs? on|(?:have|has) a (?:soft spot|weakness) for) (?P<v>[^.;!?]{2,100})",
    re.IGNORECASE,
)
_IS_LIKING = re.compile(
    r"\b(?P<s>i|we|my [a-z]{1,20}|[A-Z][\w’'-]{1,30}) ?(?:['’]m|['’]s|['’]re|am|is|are) (?:(?:really|now|also|"
    r"actually|a|an|strictly|"
    r"severely|quite|very|mostly|lifelong|big|huge|not|no longer|no|deathly|terribly|slightly|mildly|still|highly|"
    r"currently|trying to be|going) )*"
    r"(?P<verb>allergic to|intolerant (?:to|of)|fan of|fond of|into|obsessed with|hooked on|partial to|"
    r"scared of|afraid of|terrified of|"
    r"vegan|vegetarian|pescatarian|teetotal|coeliac|celiac|diabetic|gluten[- ]free|lactose[- ]intolerant|"
    r"dairy[- ]free|"
    r"kosher|halal|colou?r[- ]?blind|left-handed)\b ?(?P<v>[^.;!?]{0,80})",
    re.IGNORECASE,
)
_OFF_LIKING = re.compile(
    r"\b(?P<s>i|we) ?(?:['’]m|['’]re|am|are) (?:not eating|not drinking|off|done with|over|sick of|"
    r"giving up|cutting out|avoiding|skipping|"
    r"staying off|staying away from) (?P<v>[^.;!?]{2,60})|"
    r"\b(?P<s2>i|we) ?(?:['’]ve|have)? ?(?:gone off |"
    r"went off (?!(?:to|on|and|with|at|in|the (?:rails|road|grid))\b)|gave up |given up |"
    r"stopped (?:eating|drinking|using) |"
    r"quit (?=(?-i:[a-z])|[^,.;!?]{0,20}ing\b)(?!my |the |work|that|this|"
    # Who starts somewhere else has quit a job.
    r"[^.;!?]{1,40}\b(?:starting (?:at|as)|joining)\b)|cut out) ?(?P<v2>[^.;!?]{2,60})",
    re.IGNORECASE,
)
_HARMS = re.compile(
    r"(?P<v>[a-z][^,.;!?]{1,60}?) (?:gives? me|makes? me (?:sick|ill|sneeze|itch|anxious|queasy)|upsets? "
    r"my stomach|brings? me out in|"
    r"(?:does|do)n['’]t agree with me|triggers? my)\b",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"\b(?P<s>my|our|[A-Z][\w-]{1,30}['’]s|(?:my|our) [a-z]{1,20}['’]s) (?:all[- ]time |new |current |absolute "
    r")*(?:favou?rite|fave|go-to|preferred|least favou?rite|usual) "
    r"(?P<a>[a-z][a-z -]{1,30}?) ?(?:['’]s| (?:is|are|has become|became|will always be)) (?:now |"
    r"actually |still |definitely )*(?P<v>[^,.;!?]{2,80})",
    re.IGNORECASE,
)
_RATHER = re.compile(
    r"\b(?P<s>i|we)['’]d (?:(?:much|always|honestly) )*(?:rather|sooner)(?: (?:have|eat|drink|use|get))? "
    r"(?P<v>[^,.;!?]{2,60} than [^,.;!?]{2,60})|"
    r"\b(?P<s2>i|we) ?(?:['’]m|['’]re|am|are) (?:(?:more of|definitely|very much|really|such|mostly) )*an? "
    r"(?P<v2>(?:[a-z-]{2,20} ){1,2}person)\b|"
    r"^\W{0,3}(?P<v3>[\w-]{2,20}(?: [\w-]{2,20})? over [\w-]{2,20}(?: [\w-]{2,20})?), (?:any day|"
    r"every time|always)\b|"
    r"\bnothing beats (?P<v4>[^,.;!?]{2,60})",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"hate|dislike|detest|loathe|despise|avoid|can['’]?t|cannot|n['’]t|not|never|allergic|intolerant|"
    r"scared|afraid|terrified",
    re.I,
)


_NOBODY = frozenset(
    "you it that this there he she they what who that's here hope would something everything nothing".split()
)
_ALREADY_SAID = re.compile(
    r"(?:to|that|it|this|these|those|how|when|being|the (?:idea|fact|way|sound|look)|your|you|for you|what)\b|"
    r"(?:her|him|them|us|me|(?:the )?(?:first|second|third|last|other|latter|former|next)|(?:so )?(?:do|"
    r"does)n['’]t)$|"
    r"the (?:[a-z]{2,20} ){0,2}(?:one|option|version|approach)s?$",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"to (?:eat|drink|sleep|work|travel|cook|read|walk|run|swim|be (?:called|contacted|addressed)|get up|sit|fly|"
    r"drive)",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"\bnot\b|\bno longer\b", re.IGNORECASE)
_OWN = re.compile(r"['’]s?$")


def preferences(clause: str, sentence: str, speaker: str | None) -> Iterator[Statement]:
    """What a clause says that somebody likes, avoids or cannot have; at most one preference.

    >>> [(one.attribute, one.value) for one in preferences("I can't stand olives", "I can't stand olives", None)]
    [('dislikes', 'olives')]
    """
    for expression in (_FAVOURITE, _RATHER, _LIKES, _IS_LIKING, _OFF_LIKING, _HARMS):
        match = expression.search(clause)
        if match is None:
            continue
        groups = match.groupdict()
        subject = _OWN.sub("", groups.get("s") or groups.get("s2") or "I")
        words = next((groups[name] for name in ("v", "v2", "v3", "v4") if groups.get(name)), "")
        value = TRAIL.sub("", " ".join(words.split())).strip(" ,'\"’")
        if expression is _FAVOURITE:
            stated = _favourite(match)
        elif expression is _RATHER:
            stated = "likes", ""
        else:
            stated = _liking(match, value, against=expression in _AGAINST)
        if subject.lower() in _NOBODY or stated is None:
            continue
        attribute, value = stated if stated[1] else (stated[0], value)
        yield Statement(
            kind=PREFERENCE,
            text=clause,
            subject=named_subject(subject, speaker),
            attribute=attribute,
            value=value,
            single=attribute.startswith(("favourite", "least", "diet")),
            changed=bool(CHANGED.search(sentence)),
            topic=tuple(dict.fromkeys(terms(value)))[:8],
            confidence=0.75,
            importance=0.75,
        )
        return


def _favourite(match: re.Match[str]) -> tuple[str, str]:
    least = "least " if re.search(r"least favou?rite", match[0], re.IGNORECASE) else ""
    return f"{least}favourite {' '.join(match['a'].lower().split())}", ""


def _liking(match: re.Match[str], value: str, *, against: bool) -> tuple[str, str] | None:
    """The attribute of a liking, and its value if that differs; None if the words say nothing that lasts."""
    verb = (match.groupdict().get("verb") or "").lower()
    if not value and not verb:
        return None
    if _ALREADY_SAID.match(value) and verb not in _DIETS and not _HABIT.match(value) and "allergic" not in verb:
        return None
    if verb in _DIETS or (verb and not value):
        return "diet", f"{'not ' if _NO_MORE.search(match[0]) else ''}{verb} {value}".strip()
    if verb.startswith(("allergic", "intolerant")):
        return ("not allergic to" if _NO_MORE.search(match[0]) else "allergic to"), ""
    before = match[0][: match.start("v") - match.start()] if match.groupdict().get("v") else match[0]
    return ("dislikes" if against or _NEGATIVE.search(before) else "likes"), ""


# Patterns that are always about what somebody avoids.
_AGAINST = (_OFF_LIKING, _HARMS)
_DIETS = frozenset(
    (
        "vegan",
        "vegetarian",
        "pescatarian",
        "teetotal",
        "coeliac",
        "celiac",
        "diabetic",
        "gluten-free",
        "gluten free",
        "lactose-intolerant",
        "lactose intolerant",
        "dairy-free",
        "dairy free",
        "kosher",
        "halal",
    )
)
