"""What kind of remark a text is: whether it asks, states, acknowledges, changes something or sets a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from foveal.model.search import Trait

# A sentence ends at a mark that is followed by a space, at a full-width mark, or at the end of a line.
_BREAK = re.compile(r"(?<=[.!?…])[\"'”’)\]]?\s+|(?<=[。！？؟])|\n+")
_ASKING = ("?", "？", "؟", "⁇", "՞")
_CLOSING = " \t\"'”’)]*_~…"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_HAS_CJK = re.compile(f"[{_CJK}]")
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DIGIT = re.compile(r"\d")
# A capital inside a sentence names somebody or something.
_NAME = re.compile(r"(?<=[\w,;:] )(?!I\b|I['’])[^\W\d_a-zà-ÿа-яё][\w’'-]{1,40}")


def _any(*alternatives: str) -> re.Pattern[str]:
    """One of some words or phrases, each standing alone; those in scripts without spaces stand anywhere."""
    parts = [part for group in alternatives for part in group.split("|")]
    spaced = [part for part in parts if not _HAS_CJK.search(part)]
    found = [rf"\b(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
    return re.compile("|".join([*found, *(part for part in parts if _HAS_CJK.search(part))]))


# How sentences begin that ask without a question mark. What begins statements in another language is left out.
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
# A question about telling or knowing often carries what it is about: "Did I tell you I moved to Bergen?"
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
# A statement, then a comma and a request: "The plumber comes on Friday, can you remind me?" What begins like this
# only says under which conditions something is asked.
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
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|"
    "sixty|hundred|thousand|million|half|dozen|once|twice|double|zwei|drei|vier|fünf|sechs|sieben|acht|neun|"
    "zehn|zwölf|zwanzig|hundert|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|cien|deux|trois|"
    "quatre|cinq|sept|huit|neuf|dix|douze|vingt|cent|due|tre|quattro|cinque|sette|otto|nove|dieci|twee|drie|"
    "vijf|zes|zeven|negen|tien",
)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, roughly: enough to tell which of them ask."""
    return [part for part in (found.strip() for found in _BREAK.split(text)) if part]


@lru_cache(maxsize=4096)
def asks(sentence: str) -> bool:
    """Whether a sentence asks something, with or without a question mark.

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
    """Whether a sentence says something: one that asks may, too, by what it takes for granted."""
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
    """Whether a sentence that asks says something first.

    >>> _states_before_asking("the plumber comes on friday, can you remind me?")
    True
    """
    said, *asked = _CLAUSE_END.split(lower, maxsplit=1)
    if not asked or _SUBORDINATE.match(said) or len(_WORDS.findall(said)) < 4:
        return False
    return _REQUESTS.match(asked[0]) is not None


def acknowledges(text: str) -> bool:
    """Whether a text only says that something was heard, or that it is not known.

    >>> acknowledges("Noted, thank you!"), acknowledges("Noted: the code is 4711."), acknowledges("I have no idea.")
    (True, False, True)
    """
    lower = text.lower()
    if len(text) <= 160 and not _DIGIT.search(text) and _UNKNOWING.search(lower):
        return True
    if len(text) > 80 or _DIGIT.search(text):
        return False
    found = _ACKNOWLEDGES.search(lower)
    if found is None or found.start() > 2:
        return False
    if _HAS_CJK.search(text):
        return len(text) <= 12
    left = [word for word in _WORDS.findall(_ACKNOWLEDGES.sub(" ", lower)) if len(word) > 3]
    return len(left) <= 3 and _NAME.search(text) is None


def traits(text: str, source: str = "user") -> Trait:
    """What recall knows of a remark by its wording, and by who it comes from.

    >>> [Trait.ONLY_ASKS in traits(text) for text in ("Where is my key?", "Did I tell you I moved to Bergen?")]
    [True, False]
    """
    sentences = sentences_of(text[:_READ])
    # A question that carries a statement is taken for what it states.
    asking = [one for one in sentences if asks(one) and not _states(one)]
    lower = text[:_READ].lower()
    found = Trait(0)
    if asking:
        found |= Trait.ASKS
        if asking[-1] is sentences[-1]:
            found |= Trait.ENDS_ASKING
        if not any(_states(one) for one in sentences if one not in asking):
            found |= Trait.ONLY_ASKS
    elif acknowledges(text):
        found |= Trait.ACKNOWLEDGES
    for trait, pattern in _PATTERNS:
        if pattern.search(lower):
            found |= trait
    if _NAME.search(text[:_READ]):
        found |= Trait.NAMES
    if source == "assistant":
        found |= Trait.ASSISTANT
    elif source in _TOOLS:
        found |= Trait.TOOL
    return found


# Longer texts are told by their beginning.
_READ = 2000
# The sources that are nobody: what they write is output.
_TOOLS = frozenset({"tool", "function", "system", "log"})
_PATTERNS: Iterable[tuple[Trait, re.Pattern[str]]] = (
    (Trait.NUMBER, re.compile(rf"\d|{_NUMBER_WORDS.pattern}")),
    (Trait.CHANGES, _CHANGES),
    (Trait.RULES, _RULES),
    (Trait.FIRST_PERSON, FIRST_PERSON),
)
