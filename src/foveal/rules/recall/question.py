"""Analysis of questions and remarks: what a question asks for, and the traits of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from msgspec import Struct

from foveal.model.search import CorpusInfo, Trait
from foveal.rules.dates import Span, asked_spans
from foveal.rules.text import STOP_WORDS, asked_terms, plain_words

# A sentence ends at a mark that is followed by a space, at a full-width mark, or at the end of a line.
_BREAK = re.compile(r"(?<=[.!?…])[\"'”’)\]]?\s+|(?<=[。！？؟])|\n+")
_ASKING = ("?", "？", "؟", "⁇", "՞")
_CLOSING = " \t\"'”’)]*_~…"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_HAS_CJK = re.compile(f"[{_CJK}]")
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DIGIT = re.compile(r"\d")
# A capitalised word inside a sentence is a name.
_NAME = re.compile(r"(?<=[\w,;:] )(?!I\b|I['’])[^\W\d_a-zà-ÿа-яё][\w’'-]{1,40}")


def _any(*alternatives: str) -> re.Pattern[str]:
    """A pattern for any of these words or phrases, as whole words; in scripts without spaces, anywhere."""
    parts = [part for group in alternatives for part in group.split("|")]
    spaced = [part for part in parts if not _HAS_CJK.search(part)]
    whole_words = [rf"\b(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    return re.compile("|".join([*whole_words, *(part for part in parts if _HAS_CJK.search(part))]))


# Beginnings of sentences that ask without a question mark, except those that begin statements in another language.
_OPENS_ASKING = re.compile(
    r"(?:(?:and|but|so|ok|okay|well|oh|hey|hi|also|right|then|now|btw|y|pero|und|aber|et|mais|e|ma|mas|"
    r"en)[, ]+){0,2}(?:(?:what|where|when|who|which|how|why)['’]?(?:s|re|d|ll)\b|(?:what|where|when|who|whom|"
    r"whose|which|how|why)(?: \w+){0,3}? (?:is|are|was|were|do|does|did|has|have|had|can|could|should|would|"
    r"will|shall|am)\b(?! (?:when|that|because))|how (?:many|much|long|often|far|old|big|come)\b|(?:is|are|was|"
    r"were|do|does|did|has|have|had|can|could|should|would|will|shall|am|may) (?:i|you|we|he|she|it|they|there|"
    r"the|this|that|these|those|my|your|our|his|her|their|any\w*|some\w*)\b|(?:don|doesn|didn|isn|aren|won|can|"
    r"wouldn|couldn|shouldn|hasn|haven)['’]?t (?:i|you|we|he|she|it|they|the)\b|any (?:idea|ideas|news|chance|"
    r"word)\b|(?:wo|wann|wer|wen|wem|wie|warum|wieso|weshalb|welche\w?|wieviele?|woher|wohin) \w|was (?:ist|war|"
    r"hat|sind|soll)\b|(?:qué|cuál|cuáles|quién|quiénes|dónde|cuándo|cómo|cuánto|cuánta|cuántos|cuántas|"
    r"por qué) |(?:qui|où|quand|comment|pourquoi|combien|quel|quelle|quels|quelles|est-ce|qu['’]est-ce) |(?:chi|"
    r"dove|quando|perché|quanto|quanti|quale|quali) (?:è|sono|ha|hai|era|si)\b|(?:quem|onde|qual|quais|quanto|"
    r"quantos) |(?:wie|waar|wanneer|waarom|hoe|welke?) \w+ (?:je|we|ik|de|het)\b|(?:кто|что|где|когда|почему|"
    r"зачем|сколько|какой|какая|какие|как) )"
)
_CJK_ASKING = re.compile(
    r"(?:[吗呢]|什么|甚么|多少|几[点个号时岁天次]|哪[里儿个些天]?|谁|怎么|为什么|何时|"
    r"か|かな|何|どこ|いつ|誰|だれ|どう|なぜ|いくつ|いくら|니까|까요|나요|가요|을까|을지|뭐|무엇|어디|언제|누구|얼마|왜)"
    r"[^。.!]{0,12}$"
)
# A question about telling or knowing often contains a statement: "Did I tell you I moved to Bergen?"
_TELLING = re.compile(
    r"\b(?:tell|told|mention\w*|say|said|remember|recall|know|knew|note|write down|heard?|aware|realis\w+|"
    r"realiz\w+|erzählt|gesagt|erwähnt|wusstest|weißt|wissen|merken|merkst|notier\w*|dije|dicho|conté|contado|"
    r"sabes|sabías|recuerdas?|acuérdate|anota|dit|raconté|savais|sais|souviens|détto|detto|raccontato|sai|"
    r"sapevi|ricordi|disse|contei|sabe|sabia|lembra|verteld|gezegd|wist|weet|onthoud\w*|говорил\w*|сказал\w*|"
    r"знаешь|помнишь|запомни)(?: (?:you|me|us|them|dir|euch|ihnen|te|le|os|vous|ti|lhe|тебе|вам))?,? (?:(?:that|"
    r"dass|que|che|dat|что|yet|already|schon|ya) )?(?!(?:what|where|when|who|whom|whose|which|how|why|if|"
    r"whether|about|of|the name|was|wo|wann|wer|wie|ob|qué|cuál|quién|dónde|cuándo|cómo|si|où|quand|qui|comment|"
    r"quel\w*|cosa|dove|quando|come|onde|qual|waar|wanneer|wie|hoe|где|кто|когда|как)\b)\w+ \w+|"
    r"\bremind (?:me|us|him|her|them) (?:that|to) \w+"
)
# A statement, then a comma and a request: "The plumber comes on Friday, can you remind me?" A subordinate clause in
# its place only states the circumstances of the request.
_CLAUSE_END = re.compile(r"[,;–—] ?")
_SUBORDINATE = re.compile(
    r"(?:if|when|whenever|while|after|before|since|as|because|although|though|for|in|on|at|by|with|from|about|of|to|"
    r"wenn|falls|als|nachdem|bevor|weil|für|si|cuando|después|antes|porque|para|quand|après|avant|parce|pour|se|"
    r"quando|dopo|prima|perché|per|toen|omdat|voor|если|когда|после|перед)\b"
)
_REQUESTS = re.compile(
    r"(?:and |so |but |und |also |y |et |e )?(?:(?:can|could|would|will|should|shall|do|does|did|is|are|has|have|"
    r"may|might) (?:you|i|we|he|she|it|they|that|there|the|this|these|my|your|our|his|her|their|any\w*|some\w*)|"
    r"please|any|ok|okay|right|kannst|könntest|sollen|soll|puedes|podrías|peux|pouvez|puoi|potresti|pode|podes|kun|"
    r"можешь|можете)\b"
)

_ACKNOWLEDGES = _any(
    "noted|understood|got it|will do|ok|okay|k|kk|done|sure|sure thing|of course|certainly|absolutely|thanks|"
    "thank you|thx|ta|cheers|great|perfect|good|nice|lovely|cool|fine|right|alright|all right|yes|yep|yeah|aye|"
    "yup|no problem|no worries|you['’]re welcome|my pleasure|glad to|happy to|happy to help|gladly|sounds good|"
    "will remember|i['’]ll remember|i['’]ll keep|i['’]ll note|i['’]ve noted|noting|saved|recorded|added|removed|"
    "changed|updated|haha|ha|lol|hello|hi|hey|bye|good morning|good night|good evening|goodnight|see you|"
    "congratulations|well done|sorry|i['’]m sorry|makes sense|agreed|deal|roger|copy that|on it|"
    "consider it done|it['’]s in|alles klar|verstanden|notiert|danke|gern|gerne|erledigt|ja|gut|mach ich|"
    "wird gemacht|prima|super|vale|entendido|anotado|gracias|claro|hecho|perfecto|listo|de nada|por supuesto|sí|"
    "bien|d['’]accord|compris|noté|merci|parfait|fait|bien sûr|oui|va bene|capito|grazie|perfetto|fatto|certo|"
    "sì|entendi|obrigad[oa]|feito|está bem|combinado|begrepen|bedankt|dank je|goed|oké|genoteerd|prima|хорошо|"
    "понял|поняла|спасибо|готово|ладно|да",
    "好的|收到|明白|知道了|谢谢|没问题|记住了|记下了|好|嗯|行|了解|わかりました|ありがとう|はい|了解です|알겠|감사|네",
)

_UNKNOWING = _any(
    "don['’]t know|do not know|no idea|not sure|haven['’]t (?:told|mentioned|said|given|heard)|"
    "hasn['’]t (?:told|said|mentioned)|didn['’]t (?:say|tell|mention)|can['’]t (?:say|tell|recall|remember)|"
    "couldn['’]t say|never (?:said|told|mentioned)|have to (?:look|check|ask)|nothing about|"
    "not (?:that )?i know|i don['’]t have|no record|i don['’]t,|"
    "you (?:may have |might have |must have |have )?(?:mentioned|told me|said)(?: \\w+){0,2} (?:before|earlier)|"
    "weiß (?:ich )?nicht|keine ahnung|"
    "hast (?:du )?(?:mir )?(?:noch )?nicht|no (?:lo )?sé|ni idea|no me (?:lo )?has|je ne sais pas|aucune idée|"
    "non lo so|não sei|weet ik niet|не знаю",
    "不知道|不清楚|没告诉|没说过|没提|わかりません|知りません|모르",
)

_CHANGES = _any(
    "now|nowadays|these days|instead|no longer|not any ?more|any ?more|moved|moving|moves|changed?|"
    "changes|changing|switch(?:ed|ing|es)?|from now on|from today|from tomorrow|as of|actually|correction|"
    "update[ds]?|replaced?|replaces|replacing|takes over|took over|taking over|"
    "gone (?:up|down|to|across|over)|went (?:up|down)|goes to|put (?:back|off|forward|up)|"
    "pushed (?:back|to)?|bumped|postponed|shifted|shoved|brought forward|rescheduled|cancell?ed|"
    "called off|turns out|scrap|scratch that|forget (?:that|what|the)|swapp?ed|becomes?|became|stopped|"
    "quit|gave up|given up|new|renamed|rather than|back to|raised|lowered|increased|reduced|upgraded?|"
    "downgraded?|migrated|dropped|meanwhile|anew|later than|earlier than|hours? later|hours? earlier|"
    "moved in|resigned|stepp?ed down|step back|retired|sold|got rid|after all|in the end|settled on|"
    "decided|we['’]re going with|going with|extended|extends|shortened|delayed|prolonged|doubled|halved",
    "jetzt|nun|statt|stattdessen|nicht mehr|keine? mehr|ab sofort|ab jetzt|ab heute|ab morgen|neue[rsnm]?|geändert|"
    "verschoben|umgezogen|gewechselt|inzwischen|mittlerweile|doch|seit|verlegt|abgesagt|ersetzt|heißt jetzt|"
    "verlängert|verkürzt|verspätet\\w*",
    "ahora|ya no|en vez de|en lugar|cambi[óoéa]\\w*|nuev[oa]s?|mud[éóa]\\w*|desde|se pasó|se movió|aplaz\\w+|"
    "cancel\\w+|al final|mejor|maintenant|désormais|plus de|au lieu|chang[ée]\\w*|nouve(?:au|lle)s?|déménag\\w+|"
    "report[ée]\\w*|annul\\w+|finalement|dorénavant|adesso|ora|non più|invece|cambiat\\w+|nuov[oaie]|"
    "traslocat\\w+|spostat\\w+|ormai|alla fine|agora|já não|não mais|em vez|mud(?:ou|ei|amos)|nov[oa]s?|"
    "adiad\\w+|nu|niet meer|geen \\w+ meer|in plaats|veranderd|verhuisd|nieuwe?|verzet|verplaatst|voortaan|"
    "теперь|больше не|вместо|измени\\w+|нов[ыоа]\\w+|переехал\\w*|перенес\\w+|сейчас",
    "现在|改成|改到|改为|改|换成|换了|换|不再|不用|搬到|搬|新的|新|以后|从今|取消|推迟|提前|结果|还是|今は|今から|変更|"
    "変わ|代わり|新しい|引っ越|になった|になりました|やめ|もう|이제|바뀌|바꿨|변경|대신|새로운|이사|연기|취소",
)

_RULES = _any(
    "never|always|don['’]?t|do not|please don['’]t|no more|prefer\\w*|hates?|hated|loves?|loved|likes?|enjoys?|"
    "dislikes?|can['’]?t (?:stand|have|eat|take|bear|do|drink)|cannot|allerg\\w+|intoleran\\w+|favou?rite|"
    "rather|must(?:n['’]t)?|should(?:n['’]t)?|only|rules?|avoid\\w*|vegan|vegetarian|from now on|every time|"
    "whenever|stick to|not even|nothing with|without|no exceptions|in future|make sure|keep (?:it|them|that|"
    "everything)|remember to|i want|i need|i['’]d like|i['’]m into|interested in|big fan|not a fan|fan of|"
    "fond of|passionate|hooked|obsessed|terrified|afraid|scared|phobi\\w+|can['’]t handle|use|write|answer|"
    "call me|by default|at most|at least|no \\w+",
    "niemals|nie|immer|bitte (?:keine?|nicht|immer|nur)|lieber|hasse|mag|liebe|kein[es]?[mnr]?|nur|regel|"
    "vermeide|ohne|allergisch|vertrag\\w*|nunca|siempre|prefiero|odio|me gusta|me encanta|no soporto|"
    "alérgic\\w+|solo|sólo|evita\\w*|sin|regla|jamais|toujours|préfère|déteste|aime|adore|seulement|sans|"
    "évite\\w*|règle|mai|sempre|preferisco|odio|amo|solo|senza|evita\\w*|regola|nunca|prefiro|odeio|adoro|gosto|"
    "apenas|sem|nooit|altijd|liever|haat|hou van|alleen|zonder|никогда|всегда|предпочита\\w+|ненавижу|люблю|"
    "нельзя|только|без",
    "从不|不要|别|总是|喜欢|讨厌|不吃|不喝|不能|过敏|只|必须|最好|习惯|决不|いつも|絶対|好き|嫌い|苦手|しないで|アレルギー|"
    "だけ|必ず|항상|절대|좋아|싫어|알레르기|만|하지 마",
)

FIRST_PERSON = _any(
    "i|i['’]m|i['’]ve|i['’]ll|i['’]d|my|mine|me|myself|we|we['’]re|we['’]ve|we['’]ll|our|ours|us|im|ive|ich|"
    "mein\\w*|mir|mich|wir|uns|unser\\w*|yo|mi|mis|mí|nosotros|nuestr\\w+|je|j['’]\\w+|mon|ma|mes|moi|nous|"
    "notre|nos|io|mio|mia|miei|noi|nostr\\w+|eu|meu|minha|meus|nós|nosso|ik|mijn|mij|wij|ons|onze|я|мой|моя|мне|"
    "меня|мы|наш\\w*|нас",
    "我|咱|私|僕|俺|うち|나는|내|저는|제|우리",
)
SECOND_PERSON = _any(
    "you|your|yours|you['’]re|you['’]ve|you['’]ll|you['’]d|yourself|du|dich|dir|dein\\w*|ihr|euch|euer\\w*|tú|"
    "te|ti|tus?|usted|vos|vous|votre|vos|toi|tu|lei|voi|tuo|tua|suo|você|seu|sua|jij|jouw|jullie|je|u|uw|ты|"
    "тебя|тебе|твой|вы|вас|вам|ваш\\w*",
    "你|您|あなた|君|너|당신|네가",
)
_NUMBER_WORDS = _any(
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    "seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|"
    "million|half|dozen|once|twice|double|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|hundert|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|cien|deux|trois|"
    "quatre|cinq|sept|huit|neuf|dix|douze|vingt|cent|due|tre|quattro|cinque|sette|otto|nove|dieci|twee|drie|"
    "vijf|zes|zeven|negen|tien",
)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, roughly: enough to tell which of them are questions."""
    return [sentence for sentence in (part.strip() for part in _BREAK.split(text)) if sentence]


@lru_cache(maxsize=4096)
def asks(sentence: str) -> bool:
    """Whether a sentence is a question, with or without a question mark.

    >>> asks("what's that one called"), asks("What a day!"), asks("你住在哪里")
    (True, False, True)
    """
    bare = sentence.rstrip(_CLOSING)
    if bare.endswith(_ASKING):
        return True
    lower = bare.lower()
    if _OPENS_ASKING.match(lower) is not None and not bare.endswith("!"):
        return True
    return _HAS_CJK.search(bare) is not None and _CJK_ASKING.search(bare) is not None


def _states(sentence: str) -> bool:
    """Whether a sentence states something. A question may too, by what it takes for granted."""
    lower = sentence.lower()
    if asks(sentence):
        if _HAS_CJK.search(sentence):
            return re.search(
                "[说告诉知道记得](?:过|了|你|吗)?.{0,3}(?:我|他|她|们|的).{4,}", lower
            ) is not None and not re.search("什么|哪|谁|几|多少|怎么", lower)
        if lower.startswith(("what", "where", "when", "who", "which", "how")):
            return False
        return _TELLING.search(lower) is not None or _states_before_asking(lower)
    if acknowledges(sentence):
        return False
    if _HAS_CJK.search(sentence):
        return len(sentence) >= 5
    return len(_WORDS.findall(sentence)) >= 3


def _states_before_asking(lower: str) -> bool:
    """Whether a question states something first.

    >>> _states_before_asking("the plumber comes on friday, can you remind me?")
    True
    """
    statement, *request = _CLAUSE_END.split(lower, maxsplit=1)
    if not request or _SUBORDINATE.match(statement) or len(_WORDS.findall(statement)) < 4:
        return False
    return _REQUESTS.match(request[0]) is not None


def acknowledges(text: str) -> bool:
    """Whether a text only acknowledges something, or says that something is not known.

    >>> acknowledges("Noted, thank you!"), acknowledges("Noted: the code is 4711."), acknowledges("I have no idea.")
    (True, False, True)
    """
    lower = text.lower()
    if len(text) <= 160 and not _DIGIT.search(text) and _UNKNOWING.search(lower):
        return True
    if len(text) > 80 or _DIGIT.search(text):
        return False
    match = _ACKNOWLEDGES.search(lower)
    if match is None or match.start() > 2:
        return False
    if _HAS_CJK.search(text):
        return len(text) <= 12
    left = [word for word in _WORDS.findall(_ACKNOWLEDGES.sub(" ", lower)) if len(word) > 3]
    return len(left) <= 3 and _NAME.search(text) is None


def traits(text: str, source: str = "user") -> Trait:
    """The traits of a remark, from its wording and its source.

    >>> [Trait.ONLY_ASKS in traits(text) for text in ("Where is my key?", "Did I tell you I moved to Bergen?")]
    [True, False]
    """
    sentences = sentences_of(text[:_READ])
    # A question that contains a statement counts as a statement.
    asking = [sentence for sentence in sentences if asks(sentence) and not _states(sentence)]
    lower = text[:_READ].lower()
    result = Trait(0)
    if asking:
        result |= Trait.ASKS
        if asking[-1] is sentences[-1]:
            result |= Trait.ENDS_ASKING
        if not any(_states(sentence) for sentence in sentences if sentence not in asking):
            result |= Trait.ONLY_ASKS
    elif acknowledges(text):
        result |= Trait.ACKNOWLEDGES
    for trait, pattern in _PATTERNS:
        if pattern.search(lower):
            result |= trait
    if _NAME.search(text[:_READ]):
        result |= Trait.NAMES
    if source == "assistant":
        result |= Trait.ASSISTANT
    elif source in _TOOLS:
        result |= Trait.TOOL
    return result


# Longer texts are judged by their beginning.
_READ = 2000
# Sources that are not persons, whose texts are output.
_TOOLS = frozenset({"tool", "function", "system", "log"})
_PATTERNS: Iterable[tuple[Trait, re.Pattern[str]]] = (
    (Trait.NUMBER, re.compile(rf"\d|{_NUMBER_WORDS.pattern}")),
    (Trait.CHANGES, _CHANGES),
    (Trait.RULES, _RULES),
    (Trait.FIRST_PERSON, FIRST_PERSON),
)


# The fewest words that can be a sentence.
SENTENCE = 5
# Hesitations, openers, and the "again" of somebody who forgot: they say nothing about the question.
_HESITATES = re.compile(
    r"(?<![\w'’-])(?:u+h+m*|umm+|um(?=[,.…])|erm+|hm+|mhm+|ähm*|öhm*|euh+|ehm+|эм+)(?![\w'’-])[,.…]*\s*",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"^\s*(?:(?:so|well|ok|okay|oh|ah|hey|hi|hello|anyway|btw|by the way|also|also gut|sag mal|na|tja|bueno|oye|"
    r"pues|alors|bon|dis|allora|senti|então|nou)[,.!…:]+\s+)+",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"(?<!\band)(?:,|(?<!\s))\s++(?:again|noch ?mal|nochmals?)(?=\s*+[?？.…]*+\s*+$)", re.IGNORECASE
)
# Politeness around a question: "can you remind me" is not about the assistant.
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
# Requests for something new, for which known tastes, rules and allergies matter.
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
    r"mileage|reading|lead time|wait|duration|deadline|po)|wie ?viele?|"
    r"wie (?:alt|groß|lange|hoch|teuer|weit|spät|oft)|wann|um wie viel uhr|welche nummer|cuánt[oa]s?|cuándo|"
    r"a qué hora|qué (?:día|número|hora|fecha|código)|combien|quand|à quelle heure|quel (?:jour|numéro|âge|prix|"
    r"code)|quant[oaie]|quando|a che ora|quando|hoeveel|wanneer|hoe (?:laat|oud|lang|groot)|сколько|когда)\b|几|"
    r"多少|多大|多久|什么时候|号码|密码|日期|いつ|いくつ|何時|何人|いくら|番号|몇|언제|얼마"
)
_WANTS_TIME = re.compile(
    r"\b(?:what (?:date|day|year|month|time|week|weekday|night|evening)|which (?:date|day|year|month|week|weekday|"
    r"weekend|night|evening|morning|afternoon)|how (?:long|soon|late|early|often)|on which|how many (?:days|weeks|"
    r"months|years|hours|minutes)|wann|um wie viel uhr|wie lange|an welchem tag|cuándo|a qué hora|"
    r"qué (?:día|fecha)|quand|à quelle heure|quel jour|quando|a che ora|wanneer|hoe (?:laat|lang)|когда)\b|"
    r"什么时候|几点|几号|哪天|何时|多久|いつ|何時|何日|언제|몇 ?시"
)
_WANTS_NAME = re.compile(
    r"\b(?:whom|whose|which(?! (?:date|day|year|month|week|night|evening|morning|afternoon))|"
    r"what(?:['’]s| is| was| are| were| do| does|"
    r" did)?(?: \w+['’]?s?){0,5} (?:name[ds]?|call(?:ed|s)?)|from whom|with whom|what (?:town|city|country|"
    r"place|street|restaurant|hotel|school|company|brand|model|book|film|movie|song|band|doctor|team)|wer|wen|"
    r"wem|wessen|wo|wohin|woher|wie hei(?:ß|ss)\w*|welche[rsnm]?|quién|quiénes|dónde|adónde|cómo se llama\w*|"
    r"cuál|qui|où|comment s['’]appelle\w*|quel(?:le)?s?|chi|dove|come si chiama\w*|quale|quem|onde|"
    r"como se chama\w*|qual|wie|waar|hoe heet\w*|welke?|кто|где|куда|как зовут)\b|"
    r"谁|哪里|哪儿|叫什么|哪个|哪家|名字|誰|どこ|名前|"
    r"누구|어디|이름"
)
# These words ask at the beginning, before a verb, and after a word that leads up to a question. Elsewhere they
# begin a clause: "the day when we met".
_ASKS_FOR = re.compile(
    r"(?:^\W{0,3}|[,;:?!.–—-] ?|\b(?:and|or|but|so|know|remember|recall|tell|say|said|me|us|exactly|by|until|"
    r"since|from|to|for|with) )(when|who|where)\b|\b(when|who|where)(?:['’](?:s|re|d|ll)| (?:is|are|was|were|am|"
    r"do|does|did|has|have|had|can|could|should|would|will|shall|must))\b"
)
_ASKED_FOR = {
    "when": Trait.TELLS_TIME | Trait.NUMBER,
    "who": Trait.NAMES,
    "where": Trait.NAMES,
}


def wanted(question: str) -> Trait:
    """The kinds of answer that a question asks for.

    >>> wanted("When did we move?") == wanted("what year, and when?") == Trait.TELLS_TIME | Trait.NUMBER
    True
    >>> Trait.TELLS_TIME in wanted("What did it cost when you first worked it out?")
    False
    """
    lower = question.lower()
    found = Trait(0)
    for trait, pattern in (
        (Trait.NUMBER, _WANTS_NUMBER),
        (Trait.TELLS_TIME, _WANTS_TIME),
        (Trait.NAMES, _WANTS_NAME),
    ):
        if pattern.search(lower):
            found |= trait
    for first, second in _ASKS_FOR.findall(lower):
        found |= _ASKED_FOR[first or second]
    return found


class Question(Struct, frozen=True, kw_only=True):
    """What a text asks of a memory.

    `text` and `terms` leave out the names of speakers in the memory, which say who is meant but match too much;
    `asked` has them. `spoken` is how the one who is named would put it: people rarely say their own name.
    `named` has those speakers and `names` the terms of their names; in a `crowd` more than two speak. `proper` has
    the terms that are written like other names, and `spans` the days it asks about. The flags say that the
    assistant is `addressed`, that it is about the asker's `own` things, that something is to be made rather than
    looked up (`task`), that it is in the `past` tense, asks about an earlier state (`before`), about `several`
    things, or about what was asked (`about_asking`). `wants` has the kinds of answer it asks for.
    """

    text: str
    terms: tuple[str, ...]
    asked: str = ""
    spoken: str = ""
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


def parse_question(text: str, setting: CorpusInfo, today: date | None = None) -> Question:
    """Parse a question to a memory with these speakers and years.

    >>> parse_question("When did Ada visit Oslo?", CorpusInfo(speakers=("Ada", "Ben"))).text
    'When did visit Oslo?'
    """
    text = _without_fillers(text)
    named, names = _named(text, setting.speakers)
    words = [word for word in text.split() if not set(plain_words(word)) & names]
    bare = " ".join(words) or text
    spoken = " ".join(_as_oneself(word) if set(plain_words(word)) & names else word for word in text.split())
    lower = text.lower()
    blunt = _POLITE.sub(" ", lower)
    recall = _TELL.search(lower.strip()) is not None
    # Too few words for a sentence are searched as they are.
    stated = not recall and any(
        not asks(sentence) and len(plain_words(sentence)) >= SENTENCE for sentence in sentences_of(text)
    )
    return Question(
        text=bare,
        terms=tuple(asked_terms(bare)),
        asked=text,
        spoken=spoken if names else text,
        named=tuple(named),
        crowd=len(setting.speakers) > 2,
        names=tuple(dict.fromkeys(term for name in sorted(names) for term in asked_terms(name))),
        proper=_proper(bare),
        spans=tuple(asked_spans(text, setting.years, today)),
        addressed=SECOND_PERSON.search(blunt) is not None,
        own=FIRST_PERSON.search(lower) is not None,
        task=not recall and (stated or _REQUEST.search(blunt) is not None),
        past=_PAST.search(lower) is not None,
        before=_BEFORE.search(lower) is not None,
        several=_SEVERAL.search(lower) is not None,
        about_asking=_ABOUT_ASKING.search(lower) is not None,
        wants=wanted(text),
    )


def _as_oneself(name: str) -> str:
    """The word by which somebody replaces their own name.

    >>> _as_oneself("Ada"), _as_oneself("Ada's"), _as_oneself("Ada?")
    ('I', 'my', 'I?')
    """
    bare = name.rstrip("?!.,;:")
    return ("my" if bare.endswith(("'s", "’s", "'", "’")) else "I") + name[len(bare) :]


def _proper(text: str) -> frozenset[str]:
    """The terms of words that are capitalised inside a sentence.

    >>> sorted(_proper("When does Ada's flight to Oslo leave, and may I come?"))
    ['ada', 'oslo']
    """
    inside = (word for word in text.split()[1:] if word[0].isupper())
    return frozenset(term for word in inside for term in asked_terms(word))


def _without_fillers(text: str) -> str:
    """A question without filler words, unless nothing would be left.

    >>> _without_fillers("So, uhm, where was that spare key again?")
    'where was that spare key?'
    """
    bare = _AGAIN.sub("", _BEGINS.sub("", _HESITATES.sub("", text)))
    return bare if plain_words(bare) else text


def _named(text: str, speakers: tuple[str, ...]) -> tuple[list[str], set[str]]:
    """The speakers that a text names, and the words that name them: a part of a name, or a short form like Mel."""
    parts = _name_parts(speakers)
    named: dict[str, None] = {}
    names: set[str] = set()
    for number, written in enumerate(text.split()):
        for word in plain_words(written):
            if not written[0].isupper() and len(word) < 3:
                continue
            speaker = parts.get(word)
            if speaker is None and number and written[0].isupper() and len(word) >= 3 and word not in STOP_WORDS:
                speaker = next((who for part, who in parts.items() if part.startswith(word)), None)
            if speaker is not None:
                names.add(word)
                named[speaker] = None
    return list(named), names


@lru_cache(maxsize=64)
def _name_parts(speakers: tuple[str, ...]) -> dict[str, str]:
    """The words of all names, each with its speaker; the first one if several share a word."""
    parts: dict[str, str] = {}
    for speaker in speakers:
        for word in plain_words(speaker):
            if word not in STOP_WORDS and not word.isdigit():
                parts.setdefault(word, speaker)
    return parts
