"""Standing instructions: what is to hold from now on."""

from __future__ import annotations

import re

from foveal.rules.facts.patterns import CHANGED
from foveal.rules.facts.statements import INSTRUCTION, Statement, named_subject, told_sentences
from foveal.rules.text import terms

# The sentences of a turn that belong to its instruction stand in it, up to this length.
WHOLE = 400

# Strong words of a standing instruction: one is enough.
_STANDING = re.compile(
    r"\b(?:from now on|from here on|going forward|(?:in|for) (?:the )?future(?=,| please\b)|"
    r"standing (?:rule|request|order)|"
    r"ground rules?|house rules?|"
    r"golden rule|rule (?:number|no\.?|#)? ?(?:one|two|1|2)\b|one rule|my rule|the rule (?:is|here)|no exceptions|"
    r"if you ever|whenever you|every time you|each time you|any ?time (?:you|i ask)|by default,?|as a rule|"
    r"under no circumstances|(?:every|each|all) (?:of your )?(?:answers?|repl(?:y|ies)|messages?|e?mails?|reports?|"
    r"summar(?:y|ies)|dates?|commits?|letters?) (?:should|must|ha(?:s|ve) to|needs? to)|from today(?= on\b|"
    r",)|(?:please )?(?:remember|keep in mind|note|bear in mind),? (?:that )?(?:i|we|to|always|never|"
    r"not)\b.{0,40}\b(?:always|never|prefer|want|need|only)|"
    r"one (?:thing|wish|request|favou?r)\b.{0,40}[:,.] ?(?:please|no|never|always|don['’]?t|i|only|nobody|"
    r"nothing)|"
    r"ab (?:jetzt|sofort)\b.{0,20}\bimmer|grundsätzlich|merk dir|ein für alle mal|de ahora en adelante|a "
    r"partir de ahora|"
    r"dorénavant|désormais)\b|以后(?:帮我|给我|你|都)|先跟你说好|请记住|记住",
    re.IGNORECASE,
)
# A word of permanence beside an order, a ban or a wish makes a standing instruction.
_PERMANENT = re.compile(
    r"\b(?:always|never|ever|in anything|in everything|for everything|for all|anything (?:you|that|i)|"
    r"everything you|every (?:time|single|reply|answer|message|"
    r"letter|report|email|commit|week)|any (?:report|letter|reply|answer|email|summary|code|list|message)|"
    r"all (?:times|reports|replies|answers|dates|code)|max(?:imum)?|at most|"
    r"no more than|nothing longer|not even|everywhere|only|please|pls|again|off limits|no way|immer|nie|"
    r"niemals|siempre|nunca|toujours|jamais|bitte)\b|不要|别|都按",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:^|[,:;.] ?|\b(?:so|and|but|then|also|yes|please|pls|plz|kindly|ok|just|nest|hey) )"
    r"(?:(?:please|pls|plz|always|never|just|kindly|also|only|do|don['’]?t|do not|dont|ever|nobody) ){0,3}"
    r"(?:use|write|answer|reply|respond|keep|call|address|speak|talk|give|send|show|tell|put|add|make|"
    r"format|sign|start|end|"
    r"avoid|stop|skip|leave|include|exclude|mention|suggest|recommend|ask|remind|refer|translate|"
    r"summari[sz]e|list|book|"
    r"schedule|order|cook|ring|text|email|wake|edit|touch|push|commit|run|merge|deploy|delete|assume|treat|"
    r"convert|round|"
    r"quote|cite|check|confirm|spell|say|explain|pep|hint|go|stick|wait|copy|forward|share|post|print|"
    r"draft|bother|mix|"
    r"schreib\w*|antworte\w*|nenn\w*|sag\w*|nutze?|verwende\w*|escribe\w*|escrib\w*|pases?|responde\w*|usa|"
    r"use[sz]?|écris|réponds|utilise)\b|"
    r"(?:^|[,:;.] ?(?:but|and|so|also)? ?)(?:no|nothing|not|zero|only|kein\w*|keine|nada de|nichts|nix|"
    r"sin) \w+",
    re.IGNORECASE,
)
_BAN = re.compile(
    r"\b(?:no|not|never|without) [\w\"'“”-]{1,30}(?: [\w\"'“”-]{1,30}){0,3}(?:[,.;] ?(?:and )?| (?:and|"
    r"or) )(?:no|not|never|nor|nothing)\b|\bfor (?:any|all|the|my|our)? ?\w+: (?:no|never|always|only|"
    r"use|not)\b|\bnothing (?:with|that|in|before|after|from|longer|on)\b|"
    r"\b(?:not|no) (?:one|a single)\b|\bi don['’]t (?:want|need) (?:you|any|to (?:see|hear|read))\b|\bi "
    r"never want\b|"
    r"\bif i (?:see|hear|read|get|find) .{2,60} i(?:['’]ll| will|['’]m)\b|\bi will never\b|\bi (?:want|"
    r"need|expect|prefer|['’]d like) (?:you|everything|all|my)\b|"
    r"\bin anything (?:you|that|i)\b|\bnobody (?:should|is to|may)?\b|\bhints? first\b|\b(?:two|three|four|"
    r"five|\d+) (?:lines?|points?|words?|sentences?|bullets?) (?:max|at most|tops)\b|"
    r"\b(?:metric|lowercase|uppercase|british|american|celsius|fahrenheit|24-hour|utc|plain english) "
    r"(?:with|for|in|only|always|please|sql|units|spelling)\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\b(?:(?<!from )today|tonight|tomorrow|this (?:morning|afternoon|evening|time|once|one)|right now|"
    r"just now|for "
    r"now|in a (?:minute|sec\w*)|on (?:monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday)\b(?! (?:mornings|evenings))|heute|morgen|hoy|mañana)\b|今天|明天",
    re.IGNORECASE,
)
_NO_ORDER = re.compile(
    r"^\W*(?:never mind|don['’]?t (?:worry|mention it|laugh|ask me why|get me wrong|know|think|have|"
    r"remember|care|bother)|no (?:worries|problem|idea|rush|need|thanks|way|luck|news|one)|"
    r"always (?:an?|the|been|was|is|nice|good|happy|glad|fun|welcome|wanted|thought)|"
    r"not (?:sure|yet|really|bad|much|that)|nothing (?:much|new|else|happened|to)|please (?:help|explain|"
    r"advise) ?$|only (?:kidding|joking))\b",
    re.IGNORECASE,
)
# The rule of somebody else: "The recipe says to always salt the water."
_TOLD_BY = re.compile(
    r"\W{0,3}(?:the|my|his|her|our|their|an?|this) [a-z]{2,20} (?:says?|said|states?|reads?|tells?|told|"
    r"suggests?)\b",
    re.IGNORECASE,
)
_NARRATIVE = re.compile(
    r"^\W*(?:i|we|he|she|they|it|you|that|there|this|my \w+|the \w+) ?(?:['’]\w+)? (?:have |has |had |"
    r"was |were |did |am |is |are )?(?:always|never|only|ever)\b(?!.{0,60}\b(?:you|please|assistant)\b)",
    re.IGNORECASE,
)
# What is so from now on, and asks nothing of anybody: "my dentist is Dr. Osei from now on".
_DECLARES = re.compile(
    r"\W{0,3}(?:my|our|the|his|her|their|this|we|i)\b[^,.;:!?]{1,60}?"
    r"(?:['’](?:s|m|re)|\b(?:is|are|am|have|has|will be|moved|work|works|live|lives|wants?|gets?|costs?|takes?|"
    r"needs?|starts?|ends?|opens?|closes?|charges?|pays?))\b"
    r"(?!.{0,80}\b(?:you|your|please)\b)",
    re.IGNORECASE,
)
# An order for every time that something happens: "If a test is flaky, tell me."
_CONDITIONAL = re.compile(r"\W{0,3}(?:if|when|before|after|unless)\b(?! not\b)[^,.;:!?]{3,80}, ", re.IGNORECASE)
# What is meant once: it speaks of something at hand.
_AT_HAND = re.compile(
    r"\b(?:it|this|that|these|those|here|yet|him|her|them|one|now|again|today)\b|\bthe (?!\w+s\b|\w+ \w+s\b)\w",
    re.IGNORECASE,
)
# How the assistant is to speak: "keep your answers short".
_YOUR_WORDS = re.compile(
    r"\b(?:keep|make|write|start|end|sign|format|leave|give|put)\b[^,.;:!?]{0,30}?\b(?:your|all|the) "
    r"(?:answers|repl(?:y|ies)|responses|messages|e?mails|reports|summaries|explanations|commits)\b",
    re.IGNORECASE,
)
# "They always die on her": what somebody always does is told, not asked for.
_SOMEBODY_ALWAYS = re.compile(
    r"\b(?:i|we|he|she|it|they|people|everyone|everybody|nobody|who|which|that)(?:['’]\w{1,3})?(?: (?:is|are|was|"
    r"were|has|have|had|will|would|can|could))? (?:always|never)\b",
    re.IGNORECASE,
)
_IN_LANGUAGE = re.compile(
    r"\b(?i:answer|reply|respond|speak|talk|write)(?i: to me| me)? in (?:[A-Z][a-z]{2,20}|english|french|"
    r"german|spanish)\b"
)
_USE = re.compile(r"\W{0,3}(?:please )?use [^,.;:!?]{2,40} (?:for|in|with|when|everywhere)\b", re.IGNORECASE)
_DONT = re.compile(r"\W{0,3}(?:please )?(?:don['’]?t|do not) [a-z]", re.IGNORECASE)
# "Commit messages: imperative, at most 60 characters, no emoji."
_LISTED = re.compile(r"\W{0,3}[\w ]{2,30}: .*\b(?:no|never|always|only|max|min|at most|at least)\b", re.IGNORECASE)
# From this score on, a sentence beside an instruction belongs to it.
_BESIDE = 0.8
# The threshold of a sentence's score from which it is an instruction.
_ENOUGH = 1.8


def instruction_score(sentence: str) -> float:
    """How surely a sentence asks for something that is to hold from now on; 1.8 and more is an instruction.

    >>> instruction_score("From now on always answer in French.") >= 2, instruction_score("I never saw it.") >= 2
    (True, False)
    """
    if _NO_ORDER.match(sentence) or _TOLD_BY.match(sentence):
        return 0.0
    score = 2.0 * bool(_STANDING.search(sentence))
    order, ban = bool(_ORDER.search(sentence)), bool(_BAN.search(sentence))
    permanent = len(_PERMANENT.findall(sentence))
    if order or ban:
        score += 0.8 + 0.4 * (order and ban) + 0.6 * ban + min(1.4, 0.7 * permanent)
    elif permanent and re.search(r"\b(?:always|never|everywhere)\b", sentence, re.I) and len(sentence.split()) <= 9:
        narrative = _NARRATIVE.match(sentence) or _SOMEBODY_ALWAYS.search(sentence)
        score += 1.4 + (0.7 if not narrative else -1.4)
    if re.search(r"\b(?:always|never|ever|don['’]?t|from now on)\b", sentence, re.I) and (order or ban):
        score += 0.7
    score += _standing_form(sentence, order=order, ban=ban)
    if _NARRATIVE.match(sentence):
        score -= 1.2
    if _ONE_OFF.search(sentence) or (not order and not ban and _DECLARES.match(sentence)):
        score -= 1.2
    return score


def _standing_form(sentence: str, *, order: bool, ban: bool) -> float:
    """How much the form of an order says that it is meant for good."""
    if not order and not ban:
        return 0.0
    if _LISTED.match(sentence):
        return 0.6
    if _YOUR_WORDS.search(sentence):
        return 1.0
    condition = _CONDITIONAL.match(sentence)
    if condition is not None and order:
        return 1.1 if _ORDER.match(sentence[condition.end() :]) else 0.0
    if order and re.search(r"\b(?:when|whenever|if) (?:you|i|we)\b(?! are\b)", sentence, re.IGNORECASE):
        return 1.1
    if re.search(r"\b(?:rather than|instead of)\b", sentence, re.IGNORECASE):
        return 0.5
    if _AT_HAND.search(sentence):
        return 0.0
    if _IN_LANGUAGE.search(sentence):
        return 0.6
    return 1.0 if _USE.match(sentence) else 0.4 if _DONT.match(sentence) else 0.0


def instruction(text: str, speaker: str | None) -> Statement | None:
    """What a turn asks to be done from now on, with the sentences beside it that belong to it."""
    told = list(told_sentences(text))
    scores = [instruction_score(sentence) for sentence in told]
    best = max(scores, default=0.0)
    # Several sentences that each sound like an instruction support each other.
    support = 0.5 * sum(score for score in scores if score > 0.8) - 0.5 * best if best else 0.0
    if best < 1.3 or best + min(0.7, support) < _ENOUGH:
        return None
    kept = [sentence for sentence, score in zip(told, scores, strict=True) if score >= _BESIDE]
    flat = " ".join(kept)
    if len(flat) > WHOLE:
        flat = told[scores.index(best)]
    return Statement(
        kind=INSTRUCTION,
        text=flat,
        subject=named_subject("I", speaker),
        attribute="instruction",
        value=told[scores.index(best)],
        changed=bool(CHANGED.search(flat)),
        topic=tuple(dict.fromkeys(terms(told[scores.index(best)])))[:12],
        confidence=min(0.9, 0.5 + 0.1 * best),
        importance=0.8,
    )
