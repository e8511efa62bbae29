"""What takes an earlier statement back: it ended, it was a mistake, or an instruction no longer holds."""

from __future__ import annotations

import re

from foveal.rules.facts.patterns import ENDED, TRAIL, VERB_OF, WORK
from foveal.rules.facts.statements import FACT, INSTRUCTION, Statement, named_subject
from foveal.rules.text import terms

_TAKEN_BACK = re.compile(
    r"(?<![\w’'-])(?P<s>i|we|my [a-z]{1,20}|[A-Z][\w’'-]{1,30}) ?(?:no longer|(?:do|does)n['’]?t|do not|"
    r"does not|(?:['’]m|"
    r"am|is|['’]s) not|isn['’]t|aren['’]t|stopped|quit|gave up|left|sold|dropped|ditched|cancell?ed|"
    r"(?:have|has|['’]ve) (?:quit|left|"
    r"stopped|sold|given up|dropped|ditched|cancell?ed)|resigned from|broke up with) "
    r"(?P<v>[^,.;!?]{2,80}?)(?P<m> any ?more)?(?=[,.;!?]|$)",
    re.IGNORECASE,
)
_PARTED = re.compile(r"\b(?:left|sold|dropped|ditched)\b", re.IGNORECASE)
# Without "I": "Sold the Corsa".
_SOLD = re.compile(
    r"\W{0,3}(?:sold|dropped|ditched|cancell?ed|quit) (?P<v>[^,.;!?]{2,60}?)(?= and\b|[,.;!?]|$)", re.I
)
# The attribute of what is no more.
GONE = "gone"
# Somebody or something that is no more: "Bruno died", "my appointment was cancelled", "Ines and I broke up".
_GONE = re.compile(
    r"(?<![\w’'-])(?P<s>(?:[Mm]y|[Oo]ur|[Tt]he) [a-z]{1,20}(?: [a-z]{1,20})?|[A-Z][\w’'-]{1,30}) "
    r"(?i:(?:has |have |was |is |got |had to be |has been )?(?:died|passed away|retired|put down|left|cancell?ed|"
    r"called off|scrapped|broke up|split up)|and (?:i|me) (?:have )?(?:broke|broken|split) up|(?:is|"
    r"are) off(?=[,.;!]|$)|"
    r"fell through)(?=\W|$)"
)
# An instruction or a wish that no longer holds.
_REVOKED = re.compile(
    r"\b(?:forget|scrap|drop|scratch|lift|never ?mind) (?:(?:about )?what i (?:said|asked|"
    r"told you) (?:about|on|for|with) |"
    r"that (?:rule |thing |bit |instruction )?about |the (?:rule |thing |bit )?(?:about )?)(?P<v>[^,.;!?]{2,60})|"
    r"\byou (?:can|may|don['’]t (?:have|need) to|do not (?:have|need) to|needn['’]t|no longer (?:have|need) to)"
    r"(?: (?:now|again|also))* (?:stop |quit )?(?P<v2>[^,.;!?]{2,60})|"
    r"\bno (?:more )?need to (?P<v3>[^,.;!?]{2,60})|"
    r"(?P<v4>[^,.;!?:]{2,60}) (?:is|are) (?:fine|ok|okay|allowed) (?=(?:again|now|after all|for|in|with)\b)|"
    r"['’]s (?:fine|ok|okay) with (?P<v5>[^,.;!?]{2,40}?) (?:after all|again|now)\b",
    re.IGNORECASE,
)
_PERMITS = re.compile(r"\b(?:now|again|after all|no longer|any ?more|stop|second thought|changed|switched)\b", re.I)
_WEAK = frozenset(terms("use using rule limit thing bit please always never again now anymore you me my make made"))


def taken_back(clause: str, sentence: str, speaker: str | None) -> Statement | None:
    """The statement of a clause that something is no longer so; None if it takes nothing back.

    >>> back = taken_back("I no longer live in Leeds", "I no longer live in Leeds.", None)
    >>> back.attribute, back.value, back.ended
    ('home', 'Leeds', True)
    >>> taken_back("Bruno died last week", "Bruno died last week.", None).value
    'Bruno'
    >>> taken_back("forget what I said about semicolons", "", None).kind
    'instruction'
    """
    match = _TAKEN_BACK.search(clause)
    if match is not None and (match["m"] or ENDED.search(clause) or _PARTED.search(match[0])):
        return _ended(match["s"], match["v"].strip(), clause, speaker)
    match = _REVOKED.search(clause)
    if match is not None and (match["v"] or match["v3"] or match["v5"] or _PERMITS.search(sentence or clause)):
        return _revoked(next(words for words in match.groups() if words), clause, speaker)
    match = _SOLD.match(clause)
    if match is not None:
        return _ended("I", match["v"].strip(), clause, speaker)
    match = _GONE.search(clause)
    if match is not None:
        value = re.sub(r"^(?:my|our|the) ", "", match["s"], flags=re.IGNORECASE)
        return _ended("I", value, clause, speaker, attribute=GONE)
    return None


def _ended(subject: str, value: str, clause: str, speaker: str | None, attribute: str = "") -> Statement:
    topic = tuple(dict.fromkeys(terms(value)))
    for verb, name in VERB_OF:
        if not attribute and verb.match(value):
            attribute, value = name, verb.sub("", value).strip()
            break
    if not attribute and re.search(r"\b(?:left|quit|resigned from)\b", clause, re.I):
        attribute = WORK
    return Statement(
        kind=FACT,
        text=clause,
        subject=named_subject(subject, speaker),
        attribute=attribute or "no longer",
        value=value,
        changed=True,
        ended=True,
        topic=topic,
        confidence=0.7,
        importance=0.65,
    )


def _revoked(value: str, clause: str, speaker: str | None) -> Statement | None:
    value = re.sub(r"^\W*(?:on second thoughts?|actually|ok(?:ay)?|and|so|also),? ", "", value, flags=re.IGNORECASE)
    value = TRAIL.sub("", value.strip())
    topic = tuple(stem for stem in dict.fromkeys(terms(value)) if stem not in _WEAK)
    if not topic:
        return None
    return Statement(
        kind=INSTRUCTION,
        text=clause,
        subject=named_subject("I", speaker),
        attribute="no longer",
        value=value,
        changed=True,
        ended=True,
        topic=topic,
        confidence=0.7,
        importance=0.65,
    )
