"""Patterns of sentences that state a fact, and the names of its attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from foveal.rules.facts.statements import FACT, KIN

# Words that say that something is different from before.
CHANGED = re.compile(
    r"\b(?:actually|now|nowadays|no longer|any ?more|instead|moved|moving|changed?|changes|changing|"
    r"switch\w*|swapp?ed|"
    r"new|newest|latest|from (?:now|today|tomorrow|next|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|the \d+\w*|"
    r"this)\b|as of|"
    r"effective|starting|correction|scratch that|update:?|turns out|turned out|became|become|went (?:up|"
    r"down)|gone "
    r"(?:up|down|to|across)|going (?:up|down)|goes (?:up|down)|"
    r"drop\w*|raised?|increas\w+|lower\w*|reduc\w+|bump\w*|push\w*|postpon\w+|delay\w*|reschedul\w+|"
    r"shift\w*|brought "
    r"forward|replac\w+|take[sn]? over|took over|back (?:to|down|up|in)|relocat\w+|renamed|upgrad\w+|"
    r"migrat\w+|not \w+ "
    r"but|rather than|after all|in the end|until now|promoted|transferred|left|quit|resign\w*|retired|sold|"
    r"cancel\w*|"
    r"called off|gave up|given up|stopped|broke up|divorced|cured|recovered|shuffl\w+|later than|earlier "
    r"than|one day "
    r"(?:later|earlier)|days? later|called in|stepp?(?:ed|ing)? (?:down|back)|changed my mind|since "
    r"(?:yesterday|monday|"
    r"tuesday|wednesday|thursday|friday|saturday|sunday|last|the weekend)|"
    r"jetzt|nun|statt\w*|nicht mehr|keine? mehr|ab (?:sofort|jetzt|heute|morgen)|neue?[rsnm]?|verschoben|"
    r"umgezogen|"
    r"gewechselt|getauscht|inzwischen|mittlerweile|ahora|ya no|en vez|cambi\w+|nuev[oa]s?|mud[éóa]\w*|desde esta|"
    r"maintenant|désormais|déménag\w+|nouve(?:au|lle)s?)\b|现在|改|换|不再|搬|新的|以后",
    re.IGNORECASE,
)
ENDED = re.compile(
    r"\b(?:no longer|not \w+(?: \w+){0,4} any ?more|n['’]t \w+(?: \w+){0,4} any ?more|quit|stopped|gave up|"
    r"given up|"
    r"cancell?ed|called off|sold|got rid of|broke up|split up|resigned|retired from|outgrown|grew out of|"
    r"nicht mehr|ya no|dejé de)\b|不再",
    re.IGNORECASE,
)


class Pattern(NamedTuple):
    """A pattern with the groups `s` (whose), `a` (which attribute) and `v` (the value), and what it states."""

    expression: re.Pattern[str]
    attribute: str | None
    single: bool
    kind: str = FACT
    confidence: float = 0.8


_I = (
    r"(?P<s>i|we) ?(?:['’]?(?:ve|m|re)|have|am|are)? (?:(?:just|now|actually|currently|finally|recently|"
    r"officially|both|all|already|really|also|still|mostly|usually|only|been) )*"
)
_WHO = (
    rf"(?<![\w’'])(?P<s>(?:{'|'.join(KIN)})\b|"
    r"(?:[Mm]y|[Oo]ur) [a-z]{1,20}(?:[ -][a-z]{1,20})?(?: [A-Z][\w’'-]{1,30})?|(?!(?:The|This|That|It|"
    r"There|They|He|She|"
    r"You|And|But|So|If|When|"
    r"Also|New|What|Who|Here|His|Her|Their|Your|These|Those|No|Not|Yes|Ok|Now|Then|Just|All|My|Our|Someone|"
    r"Everyone|Nobody|Never|Always|Please|Do|Don['’]t|Use|Make|Keep)\b)[A-Z][\w’'-]{1,30}(?: [A-Z][\w’'-]{1,30})?)"
)
_V = r"(?P<v>(?:[^,.;!?]|\.(?=[\w@])|(?<=\bDr)\.|(?<=\bMr)\.|(?<=\bSt)\.|(?<=Mrs)\.|(?<=Prof)\.){2,90})"


def _p(
    source: str, attribute: str | None, *, single: bool = True, kind: str = FACT, confidence: float = 0.8
) -> Pattern:
    # Names are told by their capitals, so only the rest of a pattern ignores case.
    return Pattern(re.compile(source), attribute, single, kind, confidence)


def _i(
    verb: str, attribute: str, *, single: bool = True, kind: str = FACT, confidence: float = 0.8, value: str = _V
) -> list[Pattern]:
    """A pattern for what "I" do, and one for what somebody else does."""
    options = {"single": single, "kind": kind, "confidence": confidence}
    return [
        _p(rf"(?i:\b{_I}{verb} ){value}", attribute, **options),  # type: ignore[arg-type]
        _p(
            rf"{_WHO}(?i:(?: (?:has|is|just|now|also|still|finally|recently|already)|"
            rf"['’]s)* {verb} ){value}",
            attribute,
            **options,  # type: ignore[arg-type]
        ),
    ]


_PLACE = (
    r"(?P<v>(?:the |a |an )?[^,;!?]{2,60}?)(?=[,.;!?]| (?i:last|this|next|in (?:january|february|march|"
    r"april|may|june|july|august|september|october|november|december|\d{4})|on (?:the|mon|tue|wed|thu|fri|sat|"
    r"sun)|at the weekend|with|for|since|because|now|again|and|but|so|these|from|yesterday|today|tomorrow|"
    r"a (?:week|month|"
    r"year))\b|$)"
)

# A name with a version or a kind: "Postgres 14", "Premium plan".
_NAMED_THING = r"[A-Z][\w.+-]{0,30}(?: (?:[A-Z][\w.+-]{0,30}|\d[\w.]{0,10}|plan|tier)){0,3}"
COUNTS: Sequence[str] = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
HOME, WORK, OCCUPATION, NAME, AGE = "home", "work", "occupation", "name", "age"
PATTERNS: Sequence[Pattern] = (
    *_i(
        r"(?:lives?|living|resides?|based|staying)(?: with [^,.;!?]{2,40}?)? (?:in|at|on|near|out (?:in|by))",
        HOME,
        value=_PLACE,
    ),
    *_i(
        r"(?:moved|moving|relocat(?:ed|ing)|settled)(?: (?:house|flat|back|over|"
        r"in))?(?: from \S{1,30}(?: \S{1,30})?)? (?:to|into)",
        HOME,
        value=_PLACE,
    ),
    *_i(r"(?:works?|working|employed|(?<=ve )worked) (?:at|for|with)", WORK, value=_PLACE),
    *_i(
        r"(?:(?:(?:started|starting|start|got|landed|found|took|accepted|have|has|begin|began) (?:an?|my|his|her|"
        r"the|that) (?:new )?(?:[a-z-]{1,20} )?(?:job|position|role|post|offer))|started|starting|start|joined|"
        r"joining|got hired|hired|changed jobs?) ?(?:work(?:ing)? )?(?:to|at|by|with|from|for)",
        WORK,
        value=_PLACE,
    ),
    _p(
        r"(?i:\b(?P<s>i|we) (?:just |recently )?joined )(?P<v>[A-Z][\w&’'-]{0,30}(?: [A-Z][\w&’'-]{0,30}){0,3})",
        WORK,
        single=True,
    ),
    *_i(r"(?:works?|working|employed|retrain(?:ed|ing)|trained) as", OCCUPATION, value=_PLACE),
    _p(
        r"(?i:\b(?P<s>i) ?(?:['’]m|am) (?:now |actually |also )?(?:an?|"
        r"the) )(?P<v>(?i:(?:[a-z-]{1,20} ){0,3}(?:nurse|doctor|teacher|engineer|developer|programmer|"
        r"designer|student|lawyer|solicitor|accountant|chef|cook|baker|writer|journalist|electrician|"
        r"plumber|carpenter|mechanic|driver|pilot|farmer|gardener|artist|musician|photographer|architect|"
        r"scientist|researcher|manager|director|consultant|translator|librarian|pharmacist|vet|dentist|"
        r"midwife|paramedic|firefighter|officer|sailor|soldier|waiter|waitress|barista|hairdresser|cleaner|"
        r"secretary|analyst|therapist|psychologist|physio\w*|professor|lecturer|tutor|founder|freelancer|"
        r"contractor|builder|plasterer|welder|potter|tailor|butcher|salesperson|banker|broker|editor|"
        r"producer|actor|actress|dancer|coach|trainer|carer|receptionist|technician|surveyor|postman|"
        r"teaching assistant|stay-at-home \w+)))\b",
        OCCUPATION,
    ),
    _p(
        r"(?i:\bmy name(?:['’]s| is| was) (?:now |"
        r"actually )?)(?P<v>[A-Z][\w’'-]{1,30}(?: [A-Z][\w’'-]{1,30}){0,2})",
        NAME,
    ),
    _p(
        r"(?i:\b(?:(?:please )?call me|i(?:['’]m| am) called|i go by|everyone calls me|address me as) )"
        r"(?P<v>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w’'-]{1,30})",
        NAME,
    ),
    _p(
        r"(?i:\b(?P<s>i) ?(?:['’]m|am|(?:just |have "
        r")?turned) (?:now )?)(?P<v>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|"
        r"seventy)(?:-[a-z]{3,5})?)(?i:(?: (?:years? old|today|yesterday|now|last \w+|this "
        r"\w+))|[.!,]|$)",
        AGE,
    ),
    _p(
        rf"(?:{_WHO}|(?:[Tt]he )(?=[a-z]{{2,20}} (?:just )?turned )(?P<s2>[a-z]{{2,20}}))"
        rf"(?i:(?:['’]s| is| (?:just )?turned) (?:now )?)(?P<v>\d{{1,2}}|"
        rf"(?i:{'|'.join(COUNTS)}))(?i:(?: (?:years? old|"
        rf"today|yesterday|now|last \w+|this \w+))|[.!,]|$)",
        AGE,
        confidence=0.7,
    ),
    # "We replaced Jira with Linear", "traded the Golf in for a Leaf"
    _p(
        r"(?i:^\W{0,3}(?:(?:i|we)(?:['’]ve| have)? )?(?:just )?(?:replaced|swapped|traded|"
        r"exchanged) [^,.;!?]{2,40}? "
        r"(?:in )?(?:with|for|by) (?:an? )?)(?P<v>[A-Z][\w.+-]{1,30}(?: [A-Z\d][\w.+-]{0,30}){0,3})",
        "uses",
        single=False,
        confidence=0.6,
    ),
    # "We're on Postgres 14", "upgraded to Python 3.12", "switched from poetry to uv", "back on Basic"
    _p(
        r"(?i:\b(?P<s>i|we) ?(?:['’](?:m|re)|am|are) (?:(?:now|back|still|already) )?on (?:the )?)(?P<v>"
        + _NAMED_THING
        + r")",
        "uses",
        single=False,
        confidence=0.6,
    ),
    _p(
        r"(?i:^\W{0,3}(?:(?:i|we)(?:['’]ve| have)? )?(?:just |finally |now )?(?:upgrad|migrat|switch|updat|"
        r"convert)ed "
        r"(?!to (?:be|the (?:other|new)|an?)\b)(?:[^,.;!?]{1,40}? )?(?:over )?to (?:the )?)"
        r"(?P<v>(?:[^,.;!? ]|\.(?=\w)){1,30}(?: (?:[A-Z][\w-]{0,30}|\d[\w.]{0,10})){0,3})",
        "uses",
        single=False,
        confidence=0.6,
    ),
    _p(
        r"(?i:(?:^|, )(?:(?:and|now) )?back on (?:the )?)(?P<v>" + _NAMED_THING + r")",
        "uses",
        single=False,
        confidence=0.6,
    ),
    *_i(r"(?:drives?|driving|commutes? (?:by|in))", "car", value=r"(?P<v>(?:an?|the|my) [^,.;!?]{2,40})"),
    *_i(r"(?:uses?|using)", "uses", single=False, confidence=0.6),
    _p(
        rf"(?i:\b{_I}(?P<a>works?|working|play(?:s|ing)?|practi[sc](?:e|es|ing)|teach(?:es|ing)?|train(?:s|"
        rf"ing)?|volunteer(?:s|ing)?|keeps?|hosts?|parks?|supports?|smok(?:e|es|ing)|swims?|swimming|cycl(?:e|es|ing)|sing(?:s|ing)?|"
        rf"coach(?:es|ing)?|run(?:s|ning)?|tak(?:e|es|ing)) ){_V}",
        "does",
        single=False,
        confidence=0.6,
    ),
    *_i(r"(?:speaks?|fluent in)", "languages", single=False),
    *_i(
        r"(?:stud(?:y|ies|ying)|major(?:s|ing)?(?: in)?|doing (?:a|an|my) (?:degree|phd|masters?|"
        r"apprenticeship) (?:in|on))",
        "studies",
        value=r"(?!(?:at|in|on|with|every|from|hard|a lot|for) )" + _PLACE,
    ),
    _p(
        r"(?i:\b(?P<s>i|we) ?(?:['’](?:m|re)|am|are|got|just got|have gotten) (?:now |recently |"
        r"just |happily |officially |finally )*)(?P<v>(?i:married|engaged|divorced|separated|"
        r"widowed|single|pregnant))\b",
        "relationship",
    ),
    _p(
        rf"{_WHO}(?i:(?:['’]s| is| got) (?:now |recently |just |officially )*)(?P<v>(?i:married|"
        rf"engaged|divorced|separated|widowed|single|pregnant|retired))\b",
        "relationship",
    ),
    _p(r"(?i:\b(?P<s>i) (?:was born) (?:on|in|at) )(?P<v>[^,.;!?]{2,60})", "birth"),
    # "I have a cat called Mochi", "we got two dogs"
    _p(
        r"(?i:\b(?P<s>i|we) ?(?:['’]ve got|have got|have|got|adopted|['’]ve adopted|"
        r"own) )(?P<v>(?i:(?:an?|two|three|four|five|\d+) (?:[a-z-]{1,20} ){0,3}(?P<a>cats?|dogs?|kittens?|"
        r"pupp(?:y|ies)|rabbits?|horses?|hens|chickens|parrots?|budgies?|hamsters?|tortoises?|goats?|kids?|"
        r"children|sons?|daughters?|brothers?|sisters?|siblings?|grandchildren|grandsons?|"
        r"granddaughters?))(?:(?i: ?,? ?(?:called|named)|[.!,] ?(?:he|she|it)['’]s (?:called|"
        r"named)) [A-Z][\w’'-]{1,30}(?:(?i: ?(?:,|"
        r"and) ?)[A-Z][\w’'-]{1,30})*)?)",
        None,
        single=False,
    ),
    # "My dentist is Dr. Klein", "my sister's desk is on the second floor", "our wifi password is now …"
    _p(
        r"(?i:\b(?P<s>(?:my|our)(?: [a-z-]{1,20}){1,2}['’]s|my|our) (?:new |current |latest |"
        r"actual )*)(?P<a>(?i:[a-z0-9][a-z0-9/&-]{0,30}(?: [a-z0-9][a-z0-9/&-]{0,30}){0,3}?))(?i: ?(?:['’]s|"
        r" (?:is|are|was changed to|has changed(?: to|:)|changed to|has moved to|moved to|moves to|has become|"
        r"became|will be|has been moved to|got moved to|goes by|slipped to)) (?:now |actually |currently |"
        r"still |at the moment |from now on |called |named |changing to |moving to )*)" + _V,
        None,
        confidence=0.75,
    ),
    # "Mira's birthday is on 3 May"
    _p(
        r"(?<![\w’'])(?P<s>[A-Z][\w-]{1,30}(?: [A-Z][\w-]{1,30})?)['’](?i:s? (?:new |"
        r"current )?)(?P<a>(?i:[a-z][a-z0-9/&-]{0,30}(?: [a-z][a-z0-9/&-]{0,30}){0,3}?))(?i: ?(?:['’]s| (?:is|"
        r"are|has moved to|moved to|has changed to|changed to|became|will be)) (?:now |actually |"
        r"currently )*)" + _V,
        None,
        confidence=0.75,
    ),
    # "We switched dentists, it's Dr. Hale now", "got a new phone, a Pixel 9"
    _p(
        r"(?i:\b(?:changed|switched|swapped|replaced|reset|renamed|(?:got|have|bought|found|ordered) (?=an?|"
        r"our|my)) ?"
        r"(?:to )?(?P<s>my |our |the |an? |)(?:new |"
        r"different )?)(?P<a>(?i:[a-z][a-z-]{1,20}?(?: [a-z][a-z-]{1,20}?){0,2}?))(?:(?<!s)s)?"
        r"(?i:(?: today| yesterday| last week| this week| again)?(?:, (?:and )?(?:it|she|he)(?:['’]s|"
        r" is)(?: now| called)? |"
        r", (?=an? (?-i:[A-Z]))))" + _V,
        None,
        confidence=0.7,
    ),
    # "I've got type 1 diabetes"
    _p(
        r"(?i:\b(?P<s>i|we) ?(?:['’]ve|have)(?: got|"
        r" been diagnosed with)? )(?P<v>(?i:(?:[a-z0-9]{1,12} ){0,2}(?:diabetes|"
        r"asthma|epilepsy|migraines?|arthritis|adhd|dyslexia|h(?:igh|ypo) blood pressure|hay ?fever)))\b",
        "condition",
        single=False,
    ),
    # "My passport runs out in June 2029"
    _p(
        r"(?i:\b(?P<s>my|our) )(?P<a>(?i:[a-z][a-z-]{1,20}(?: [a-z][a-z-]{1,20})?)) (?i:runs out|expires|ends|"
        r"starts|"
        r"begins|leaves|opens|closes|arrives) (?=(?:on|in|at|from|every) )" + _V,
        None,
        confidence=0.6,
    ),
    # "Jonas starts in April after all", "my brother retires next year"
    _p(
        rf"{_WHO} (?P<a>starts|begins|finishes|retires|graduates|returns|leaves|moves in) "
        r"(?=(?:on|in|at|from|next|this) )" + _V,
        None,
        confidence=0.6,
    ),
    # "Yuki is our lead now"
    _p(
        r"(?:^|\band |, )(?!(?:This|That|It|He|She|There|What|Here|Who|They|These|Those|Which)\b)"
        r"(?P<v>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w’'-]{1,30}(?: [A-Z][\w’'-]{1,30})?) is (?:now )?(?P<s>my|"
        r"our) (?:new )?"
        r"(?P<a>(?i:[a-z][a-z-]{1,20}(?: [a-z][a-z-]{1,20})??))(?=[,.;!?]| (?:now|too|again|and|since|from)\b|$)",
        None,
        confidence=0.7,
    ),
    # "I have a new number: 0664 9998"
    _p(
        r"(?i:\b(?:an?|our|my|the) new )(?P<s>)(?P<a>(?i:[a-z][a-z-]{1,20}(?: [a-z][a-z-]{1,20})?)): " + _V,
        None,
        confidence=0.7,
    ),
    # "I've got a Yaris now"
    _p(
        r"(?i:\b(?P<s>i|we) ?(?:['’]ve got|have got|have|own|got|bought)(?: now)? an? (?:new )?)"
        r"(?P<v>[A-Z][\w-]{1,30}(?: [A-Z\d][\w-]{0,30}){0,3})",
        "has",
        single=False,
        confidence=0.6,
    ),
    # "Bin day is Thursday", "CI is GitHub Actions", "stand-up is now at 10:15"
    _p(
        r"(?i:^(?:\W{0,3}(?:so|ok|okay|also|btw|by the way|fyi|update|and|actually|well)[,:.!]? )*)(?!(?i:"
        r"it|that|this|there|here|what|who|where|when|why|how|he|she|they|we|you|i|everything|nothing|something|someone|"
        r"everyone|all|most|some|one|his|her|their|its|your|my|our|the|next|if|life|work)\b)"
        r"(?P<a>(?i:[a-z][a-z/&-]{0,30}(?: [a-z][a-z/&-]{0,30}){0,2}?)) (?:is|are|got moved to|moved to|slipped to|"
        r"has moved to|got pushed to|is moving to|has changed to|changed to|was moved to) (?:now |currently |"
        r"actually )*"
        r"(?=(?:on |at |from |by |the |every )?(?:[A-Z\d`]|half|quarter|noon|midnight|http))" + _V,
        None,
        confidence=0.6,
    ),
    # "The wifi password is …", "new address is …", "the standup has moved to 9:30"
    _p(
        r"(?i:^(?:\W{0,3}(?:so|ok|okay|oh|also|btw|by the way|fyi|heads up|update|note|right|and|actually|well|"
        r"yes|no|right then|good news|bad news)[,:.!]? )*(?:the|this|that|"
        r"new) (?:new )?)(?P<a>(?i:[a-z0-9][a-z0-9/&’'-]{0,30}(?: [a-z0-9][a-z0-9/&’'-]{0,30}){0,4}?))(?i: ?"
        r"(?:['’]s| (?:is|are|was changed to|has changed to|changed to|has moved to|moved to|moves to|has "
        r"become|became|will be|has been (?:moved|changed|pushed|shifted|rescheduled) to|got (?:moved|"
        r"changed|pushed|bumped) to|slipped to|was moved to|goes (?:up|down) to|went (?:up|down) to|dropped to|"
        r"comes "
        r"to)) (?:now |actually |currently |officially |back )*)" + _V,
        None,
        confidence=0.6,
    ),
)

VERB_OF = (
    (re.compile(r"^(?:living?|lives?) (?:in|at|on|near) ", re.I), HOME),
    (re.compile(r"^(?:working?|works?) (?:at|for|with|in|as) (?:an? )?", re.I), WORK),
    (re.compile(r"^(?:my|the) (?:job|position|role|post)(?: (?:at|with|as) )?", re.I), WORK),
    (re.compile(r"^(?:driv(?:e|es|ing)|my car|the car|my (?:old )?(?:van|bike|motorbike))\b ?", re.I), "car"),
)

# What an attribute is called in one word, whichever word was used.
_SYNONYMS = {
    **dict.fromkeys(
        ("address", "flat", "apartment", "house", "place", "home address", "home", "postal address", "street"), HOME
    ),
    **dict.fromkeys(("job", "employer", "company", "workplace", "work"), WORK),
    **dict.fromkeys(("profession", "occupation", "trade"), OCCUPATION),
    **dict.fromkeys(
        (
            "phone",
            "phone number",
            "mobile",
            "mobile number",
            "cell",
            "number",
            "cell number",
            "telephone",
            "telephone number",
            "cellphone",
        ),
        "phone",
    ),
    **dict.fromkeys(("mail", "email", "e-mail", "email address", "mail address"), "email"),
    **dict.fromkeys(("birthday", "date of birth", "birthdate", "bday"), "birthday"),
    **dict.fromkeys(
        ("wife", "husband", "partner", "spouse", "boyfriend", "girlfriend", "fiancé", "fiancée"), "partner"
    ),
    **dict.fromkeys(("doctor", "gp", "physician"), "doctor"),
    **dict.fromkeys(("kids", "kid", "children", "son", "sons", "daughter", "daughters"), "children"),
    **dict.fromkeys(("fave", "favorite", "favourite"), "favourite"),
}
# What says nothing as an attribute, or nothing that lasts.
_EMPTY = re.compile(
    r"^(?:point|question|problem|issue|thing|things|guess|bad|plan|idea|fault|mistake|advice|god|goodness|"
    r"word|bet|pleasure|"
    r"turn|day|morning|evening|week|weekend|head|mind|heart|life|brain|feeling|mood|one|other|only|own|"
    r"whole|last|first|"
    r"next|best|worst|main|same|rest|truth|fact|news|story|reason|answer|result|weather|sun|rain|time|way|trick|"
    r"bit|lot|end|opinion|understanding|impression|experience|hope|dream|wish|goal|concern|worry|view|take|"
    r"apologies|thanks|regards|hands|eyes|feet|back|legs|patience|favour|favor|stomach)$",
    re.IGNORECASE,
)
# A day or a time with a name: "bin day", "closing time".
_DAY_OF = re.compile(
    r"(?!(?:other|whole|next|last|first|same|long|busy|good|bad|nice|great|big)\b)[a-z]{3,20} (?:day|time|night)"
)
# In lower case only: Nice is a city.
EMPTY_VALUE = re.compile(
    r"^(?:a bit|so|too|very|really|quite|just|going|getting|being|killing|driving|trying|not sure|fine|"
    r"good|great|ok|okay|"
    r"bad|nice|lovely|tired|awful|terrible|amazing|here|there|gone|done|over|late|early|busy|on the way|coming|"
    r"doing|having|making|asking|saying|telling|that|what|why|how|it|this|nothing|something|about|pretty|such|"
    r"(?:in|out|up|down|off|back|open|shut|closed)$|"
    r"always|never|still|all|like|also|the one|one of|supposed|due to|because|to be|sleeping|"
    r"acting|looking|feeling|broken|dead|empty|full|wet|cold|hot|a mess|a nightmare|a disaster|wrong|right|true|"
    r"sick|ill|sore|hurting|aching|worse|better|ready|worth|able|sure|certain|"
    r"happy|sad|glad|afraid|sorry|excited|nervous|upset|angry|annoyed|worried|stressed|hungry|bored)\b",
)
TRAIL = re.compile(
    r" (?:now|actually|btw|though|anyway|too|as well|again|instead|these days|nowadays|at the moment|for "
    r"now|by the way|"
    r"please|lol|haha|since\b.*|from now on|any ?more|because\b.*|so\b.*|but\b.*|and\b.*|which\b.*|who\b.*|"
    r"if\b.*)$",
    re.IGNORECASE,
)

DATED = re.compile(
    r" (?:on|since|from|until|as of|starting|this|last|next) (?:the )?(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)day$|"
    r" (?:last|this|next) (?:week|month|year|weekend|spring|summer|autumn|fall|winter)$",
    re.IGNORECASE,
)


def is_plural(attribute: str) -> bool:
    """Whether an attribute may have several values at once, by its form.

    >>> is_plural("sisters"), is_plural("address"), is_plural("desk")
    (True, False, False)
    """
    last = attribute.rsplit(" ", 1)[-1]
    return attribute in ("children",) or (
        last.endswith("s") and not last.endswith(("ss", "us", "is")) and last not in ("address",)
    )


def attribute_name(words: str) -> str:
    """The name of an attribute: without articles and adjectives of time, and one word for several.

    >>> attribute_name("new phone number"), attribute_name("point"), attribute_name("desk")
    ('phone', '', 'desk')
    """
    plain = re.sub(
        r"^(?:new|current|old|latest|the|a|an|usual|actual) ", "", " ".join(words.lower().split())
    ).strip(" '’-")
    said = _EMPTY.match(plain.split(" ")[-1]) is None or _DAY_OF.fullmatch(plain) is not None
    if not plain or _EMPTY.match(plain) or not said or len(plain) > 50:
        return ""
    return _SYNONYMS.get(plain, plain)
