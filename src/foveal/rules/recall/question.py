"""What a question asks, before any record is looked at."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from msgspec import Struct

from foveal.model.search import Setting, Trait
from foveal.rules.dates import Span, asked_spans
from foveal.rules.recall.traits import FIRST_PERSON, SECOND_PERSON, asks, sentences_of
from foveal.rules.words import STOP_WORDS, asked_terms, plain_words

# So many words may be a sentence.
SENTENCE = 5
# What people say while they think, how they begin to speak, and the "again" of who has forgotten: about nothing.
_HESITATES = re.compile(
    r"(?<![\w'’-])(?:u+h+m*|umm+|um(?=[,.…])|erm+|hm+|mhm+|ähm*|öhm*|euh+|ehm+|эм+)(?![\w'’-])[,.…]*\s*",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"^\s*(?:(?:so|well|ok|okay|oh|ah|hey|hi|hello|anyway|btw|by the way|also|also gut|sag mal|na|tja|bueno|oye|"
    r"pues|alors|bon|dis|allora|senti|então|nou)[,.!…:]+\s+)+",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"(?<!\band),?\s+(?:again|noch ?mal|nochmals?)(?=\s*[?？.…]*\s*$)", re.IGNORECASE)
# Politeness around a question: "can you remind me" is not about what the one addressed did.
_POLITE = re.compile(
    r"\b(?:can|could|would|will|do|did|please|might) you (?:please |still |happen to |also )?(?:tell|remind|"
    r"remember|recall|know|say|look up|check|list|find|give|show|help|confirm)\w*(?: me| us)?(?: about| of)?\b|"
    r"\b(?:thank you|as you know|you know)\b|\b(?:kannst|könntest|weißt|erinnerst) du (?:mir |dich )?(?:sagen|"
    r"erinnern|noch)?|\b(?:puedes|podrías|me puedes|sabes|recuerdas|te acuerdas)(?: decir\w*| recordar\w*)?|"
    r"\b(?:peux-tu|pouvez-vous|sais-tu|te souviens-tu)(?: me dire| me rappeler)?|"
    r"你(?:还)?(?:记得|知道)|能告诉我|请告诉我"
)
_TELL = re.compile(
    r"^(?:(?:please|ok|okay|hey|hi|so|and|now|can you|could you|would you|will you)[, ]+){0,3}"
    r"(?:remind|tell|list|name|show|find|look up|recall|repeat|read)\b|^(?:erinner\w*|sag|zeig|nenn|liste)\b|"
    r"^(?:dime|recuérdame|dígame|muéstrame|lista)\b|^(?:dis-moi|rappelle-moi|liste)\b|^(?:告诉我|列出|说说)"
)
# What is asked for is made anew, with what is known in mind: tastes, rules, allergies.
_REQUEST = re.compile(
    r"\b(?:suggest\w*|recommend\w*|advice|advise|ideas?|tips?|help me|should i|should we|shall i|shall we|"
    r"what now|any good|some good|good (?:ones?|options?|places?|ways?)|what are some|are there any|how can i|"
    r"how do i|how could i|how might|what would be|what could|(?:can|could|would|will) you|i(?:['’]m|"
    r" am) (?:looking|thinking|planning|trying|considering|going|about|in the mood|feeling|struggling|having)|"
    r"i need|i want|i['’]d like|i would like|i have to|let['’]s|draft|plan a|write (?:me|up|out|a|an|the)|"
    r"make (?:me|a|an|us)|find me|book (?:me|us|a|the)|best way|what(?:['’]s| is) the best|which .{3,40} should|"
    r"schlag\w*|empfiehl\w*|empfehl\w*|soll ich|sollen wir|schreib\w*|mach mir|plan\w* |vorschl\w+|hilf|"
    r"recomienda\w*|sugiere\w*|recomendar\w*|ayúda\w*|escribe\w*|debería\w*|propón\w*|ideas? para|recommande\w*|"
    r"suggère\w*|conseil\w*|aide-moi|écris\w*|dois-je|propose\w*)\b|推荐|建议|帮我|写一?|安排|おすすめ|提案|추천"
)
_BEFORE = re.compile(
    r"\b(?:before|previous(?:ly)?|used to|originally|original|at first|first (?:plan|choice|idea|date|of all|"
    r"have|had|tell|told|said|set|down)|initially|initial|formerly|former|earlier|the old|old (?:one|address|"
    r"number|plan)|prior|back then|until(?! when)|no longer|was .{2,40} supposed|had been|vor(?:her|dem)|früher|"
    r"zuerst|ursprünglich|anfangs|bevor|bisher|antes|al principio|originalmente|anterior\w*|primero|avant|au début|"
    r"à l['’]origine|auparavant|précédent\w*|d['’]abord|prima|all['’]inizio|originariamente|precedente|"
    r"inicialmente|eerst|vroeger|voorheen|oorspronkelijk)\b|以前|之前|原来|原本|最初|一开始|当初|本来|前は|最初|元々|以前|예전|원래|처음"
)
_PAST = re.compile(
    r"\b(?:did|was|were|had|war|waren|hatte|hatten|wurde|wurden|era|eran|fue|fueron|estaba|était|étaient|avait|"
    r"avaient|fut|foi|foram|erano|fu|werd|werden|был|была|были)\b|了|过"
)
_SEVERAL = re.compile(
    r"\b(?:all|altogether|every|each|list|how many|how often|which (?:\w+s|people)\b|what (?:\w+s)\b|everything|"
    r"everyone|who all|so far|in total|both|compare|difference|between|various|alle|sämtliche|insgesamt|"
    r"wie viele|welche|todos|todas|cuántos|cuántas|cuáles|tous|toutes|combien|quels|quelles|tutti|quanti|quali|"
    r"todas|quantos|quais|alle|hoeveel)\b|哪些|所有|一共|都有|全部|多少个|几个|どんな|すべて|全部|모두|몇"
)
_ABOUT_ASKING = re.compile(
    r"\b(?:(?:did|have|had|has|was) (?:i|we|you|he|she|they|anyone|anybody|someone|\w+) (?:ever )?(?:ask|asked|"
    r"asking)|(?:my|your|our|his|her|the|which|what|last|first) questions?|wanted to know|asked (?:you|me|about|"
    r"for)|gefragt|meine frage|wollte \w+ wissen|pregunt\w+|mes? questions?|demand[ée]\w*|domand\w+|chiest\w+|"
    r"pergunt\w+|gevraagd|vraag)\b|问过|问了|问题|聞い|質問|물어|질문"
)
_WANTS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|old|big|tall|long|far|often|large|heavy|high|deep|wide|fast|late|early|soon)|"
    r"(?:what|which|whats|what['’]s)(?: \w+['’]?s?){0,3} (?:number|code|pin|price|cost|size|dose|dosage|score|"
    r"percentage|percent|rate|amount|total|age|weight|height|temperature|version|port|budget|limit|threshold|"
    r"balance|rent|salary|fee|strength|length|distance|speed|date|time|day|year|month|room|gate|seats?|row|"
    r"floor|flight|phone|extension|zip|postcode|password|combination|ref\w*|quota|share|result|grade|odds|"
    r"mileage|reading|lead time|wait|duration|deadline|po)|when|until when|by when|since when|wie ?viele?|"
    r"wie (?:alt|groß|lange|hoch|teuer|weit|spät|oft)|wann|um wie viel uhr|welche nummer|cuánt[oa]s?|cuándo|"
    r"a qué hora|qué (?:día|número|hora|fecha|código)|combien|quand|à quelle heure|quel (?:jour|numéro|âge|prix|"
    r"code)|quant[oaie]|quando|a che ora|quando|hoeveel|wanneer|hoe (?:laat|oud|lang|groot)|сколько|когда)\b|几|"
    r"多少|多大|多久|什么时候|号码|密码|日期|いつ|いくつ|何時|何人|いくら|番号|몇|언제|얼마"
)
_WANTS_TIME = re.compile(
    r"\b(?:when|what (?:date|day|year|month|time)|which (?:date|day|year|month|weekday)|how (?:long|soon|late|"
    r"early)|on which|by when|until when|since when|how many (?:days|weeks|months|years|hours|minutes)|wann|"
    r"um wie viel uhr|wie lange|an welchem tag|cuándo|a qué hora|qué (?:día|fecha)|quand|à quelle heure|"
    r"quel jour|quando|a che ora|wanneer|hoe (?:laat|lang)|когда)\b|"
    r"什么时候|几点|几号|哪天|何时|多久|いつ|何時|何日|언제|몇 ?시"
)
_WANTS_NAME = re.compile(
    r"\b(?:who|whom|whose|where|which|what(?:['’]s| is| was| are| were| do| does|"
    r" did)?(?: \w+['’]?s?){0,5} (?:name[ds]?|call(?:ed|s)?)|from whom|with whom|what (?:town|city|country|"
    r"place|street|restaurant|hotel|school|company|brand|model|book|film|movie|song|band|doctor|team)|wer|wen|"
    r"wem|wessen|wo|wohin|woher|wie hei(?:ß|ss)\w*|welche[rsnm]?|quién|quiénes|dónde|adónde|cómo se llama\w*|"
    r"cuál|qui|où|comment s['’]appelle\w*|quel(?:le)?s?|chi|dove|come si chiama\w*|quale|quem|onde|"
    r"como se chama\w*|qual|wie|waar|hoe heet\w*|welke?|кто|где|куда|как зовут)\b|"
    r"谁|哪里|哪儿|叫什么|哪个|哪家|名字|誰|どこ|名前|"
    r"누구|어디|이름"
)


class Question(Struct, frozen=True, kw_only=True):
    """What a text asks of a memory.

    `text` and `terms` leave out the names of those who speak in the memory: they say who is meant but match too
    much. `named` are those speakers and `names` the terms of all of them; in a `crowd` more than two speak.
    `proper` are the terms that are written like other names, and `spans` the days it asks about. The rest are
    claims: the assistant is addressed, it is about the asker's `own` things, something is to be made and not
    looked up (`task`), it speaks of the `past`, it asks what was so `before`, for `several` things, or for what was
    asked; and the kinds of answer that it wants.
    """

    text: str
    terms: tuple[str, ...]
    named: tuple[str, ...] = ()
    crowd: bool = False
    names: tuple[str, ...] = ()
    proper: frozenset[str] = frozenset()
    spans: tuple[Span, ...] = ()
    addressed: bool = False
    own: bool = False
    task: bool = False
    before: bool = False
    past: bool = False
    several: bool = False
    about_asking: bool = False
    wants: Trait = Trait(0)


def asked(text: str, setting: Setting, today: date | None = None) -> Question:
    """The question that a text asks of a memory with this setting.

    >>> asked("When did Ada visit Oslo?", Setting(speakers=("Ada", "Ben"))).text
    'When did visit Oslo?'
    """
    text = _without_fillers(text)
    named, names = _named(text, setting.speakers)
    kept = [word for word in text.split() if not set(plain_words(word)) & names]
    bare = " ".join(kept) or text
    lower = text.lower()
    blunt = _POLITE.sub(" ", lower)
    told = _TELL.search(lower.strip()) is not None
    parts = sentences_of(text)
    # A few words that are no sentence are looked up as they stand.
    stated = not told and any(not asks(one) and len(plain_words(one)) >= SENTENCE for one in parts)
    wants = Trait(0)
    for trait, pattern in (
        (Trait.NUMBER, _WANTS_NUMBER),
        (Trait.TELLS_TIME, _WANTS_TIME),
        (Trait.NAMES, _WANTS_NAME),
    ):
        if pattern.search(lower):
            wants |= trait
    return Question(
        text=bare,
        terms=tuple(asked_terms(bare)),
        named=tuple(named),
        crowd=len(setting.speakers) > 2,
        names=tuple(dict.fromkeys(term for name in sorted(names) for term in asked_terms(name))),
        proper=_proper(bare),
        spans=tuple(asked_spans(text, setting.years, today)),
        addressed=SECOND_PERSON.search(blunt) is not None,
        own=FIRST_PERSON.search(lower) is not None,
        task=not told and (stated or _REQUEST.search(blunt) is not None),
        past=_PAST.search(lower) is not None,
        before=_BEFORE.search(lower) is not None,
        several=_SEVERAL.search(lower) is not None,
        about_asking=_ABOUT_ASKING.search(lower) is not None,
        wants=wants,
    )


def _proper(text: str) -> frozenset[str]:
    """The terms of the words that are written with a capital inside a sentence.

    >>> sorted(_proper("When does Ada's flight to Oslo leave, and may I come?"))
    ['ada', 'oslo']
    """
    inside = (word for word in text.split()[1:] if word[0].isupper())
    return frozenset(term for word in inside for term in asked_terms(word))


def _without_fillers(text: str) -> str:
    """A question without what is said for the sake of saying it, unless nothing would be left.

    >>> _without_fillers("So, uhm, where was that spare key again?")
    'where was that spare key?'
    """
    bare = _AGAIN.sub("", _BEGINS.sub("", _HESITATES.sub("", text)))
    return bare if plain_words(bare) else text


def _named(text: str, speakers: tuple[str, ...]) -> tuple[list[str], set[str]]:
    """The speakers that a text names, and the words that do: a part of a name, or a short form like Mel."""
    parts = _name_parts(speakers)
    named: dict[str, None] = {}
    names: set[str] = set()
    for number, written in enumerate(text.split()):
        for word in plain_words(written):
            if not written[0].isupper() and len(word) < 3:
                continue
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
            if word not in STOP_WORDS and not word.isdigit():
                parts.setdefault(word, speaker)
    return parts
