"""The lexicon of words about days, in nine languages, and turning a text into tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from foveal.rules.dates.calendar import HOLIDAYS, MONTHS, WeightedSpan, days_of
from foveal.rules.text import STOP_WORDS


class Token(NamedTuple):
    """A word, a number or a phrase: its kind, its value, how it is written, and its days once they are known."""

    kind: str
    value: int = 0
    word: str = ""
    spans: Sequence[WeightedSpan] = ()


def first_of(tokens: Iterable[Token], kinds: str) -> Token | None:
    """The first token of these kinds."""
    return next((token for token in tokens if token.kind in kinds), None)


def value_of(tokens: Iterable[Token], kinds: str, default: int = 0) -> int:
    """The value of the first token of these kinds."""
    return next((token.value for token in tokens if token.kind in kinds), default)


# Each entry is a kind, the value of its first group, and groups of words: "|" begins the next group, whose value is
# one higher, and "_" joins the words of a phrase. The kinds that are not listed here:
# .  any other word          x  a holiday, by its number in HOLIDAYS
# n  a number                o  a number with an ending, as in "19th"
# y  a year                  d  a day and a month in digits: 100 * month + day
# t  a time or a count       S  a day, C several days, D a long holiday: phrases whose days are known
_LEXICON = """
# M: a month; m: one that counts only beside a number or a word such as "in".
M1 january januar jänner januari enero janvier gennaio janeiro | february februar feber februari febrero février
 febbraio fevereiro | march märz maerz maart marzo março | april abril avril aprile | may maggio maio | june
 juni junio juin giugno junho | july juli julio juillet luglio julho | august agosto août augustus | september
 septiembre setiembre septembre settembre setembro | october oktober octubre octobre ottobre outubro | november
 noviembre novembre | december dezember diciembre décembre dicembre dezembro
m1 jan | feb | mar mars | apr | mai mayo mei | jun | jul | aug | sep | oct okt | nov | dec dez
# W: a weekday; w: one that counts only beside a number or a word such as "on".
w0 mon | tue tues | wed | thu thur thurs | fri | sat | sun
W0 monday montag lunes lundi lunedì maandag segunda_feira | tuesday dienstag martes mardi martedì dinsdag
 terça_feira | wednesday mittwoch miércoles mercredi mercoledì woensdag quarta_feira | thursday donnerstag
 jueves jeudi giovedì donderdag quinta_feira | friday freitag viernes vendredi venerdì vrijdag sexta_feira |
 saturday samstag sonnabend sábado samedi sabato zaterdag | sunday sonntag domingo dimanche domenica zondag
# s: a season.
s0 spring frühling frühjahr primavera printemps lente voorjaar | summer sommer verano été estate verão zomer |
 autumn fall herbst otoño automne autunno outono herfst najaar | winter invierno hiver inverno
# U: a unit, by its days; u: several of it; Y: a month or a year; E: a weekend; H: a part of a day, -1 the night.
U1 day tag día jour giorno dia dag
U7 week woche semana semaine settimana
U14 fortnight
u1 days tage tagen días jours giorni dias dagen
u7 weeks wochen semanas semaines settimane weken
u14 fortnights
u30 months monate monaten meses mesi maanden
u365 years jahre jahren años ans anni anos
Y30 month monat mes mês mois mese maand
Y365 year jahr año année anno ano jaar
E5 weekend weekends wochenende wochenenden fin_de_semana fim_de_semana week_end fine_settimana
H-1 night abend nacht noche soir nuit sera notte noite avond | morning afternoon evening nachmittag vormittag
 früh tarde matin après_midi mattina pomeriggio manhã ochtend middag
# R: a day counted from today.
R-2 vorgestern anteayer antier avant_hier altro_ieri anteontem eergisteren | yesterday gestern ayer anoche hier
 ieri ontem gisteren gisteravond | today tonight heute hoy aujourd_hui oggi hoje vandaag vanavond vanmorgen
 vanmiddag vannacht stasera stamattina | tomorrow morgen mañana demain domani amanhã | übermorgen pasado_mañana
 après_demain dopodomani depois_de_amanhã overmorgen
# Q: which one, before what it counts; -9 are the days up to now; q: on either side of it, as in Romance languages.
Q-2 vorletzte vorletzten vorletzter vorletztes | last previous letzte letzten letzter letztes letztem vergangene
 vergangenen vergangenes vorige vorigen voriges derniers dernières afgelopen laatste | this current diese diesen
 dieser dieses diesem este esta ce cet cette questo questa quest neste nesta deze dit | next coming upcoming
 nächste nächsten nächster nächstes nächstem kommende kommenden kommendes volgende komende aanstaande |
 übernächste übernächsten übernächstes
Q-9 past
q-2 antepasado antepasada | pasado pasada pasados pasadas último última últimos últimas dernier dernière passé
 passée scorso scorsa scorsi scorse ultimo ultima ultimi ultime passado passada | | próximo próxima próximos
 próximas que_viene prochain prochaine prochains prochaines prossimo prossima que_vem
# O: an English ordinal; 0: one elsewhere, where the month follows at once; N: a number; 1: one, or an article.
O1 first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth | eleventh | twelfth |
 thirteenth | fourteenth | fifteenth | sixteenth | seventeenth | eighteenth | nineteenth | twentieth
01 erste ersten erster erstes primer primero primera premier première primo prima primeiro primeira eerste |
 zweite zweiten zweiter zweites segundo segunda deuxième secondo seconda tweede | dritte dritten dritter drittes
 tercer tercero tercera troisième terzo terza terceiro terceira derde | vierte vierten cuarto cuarta quatrième
 quarto quarta
N2 two couple zwei dos deux due dois duas twee | three few several drei tres trois tre três drie paar einige
 algunos quelques alcuni alcune alguns algumas unos | four vier cuatro quatre quattro quatro | five fünf cinco
 cinq cinque vijf | six sechs seis sei zes | seven sieben siete sept sette sete zeven | eight acht ocho huit
 otto oito | nine neun nueve neuf nove negen | ten zehn diez dix dieci dez tien | eleven | twelve
11 a an one ein eine einem einen einer un una une uno um uma een
# _: an article, or an "of" that may be one, too; f: "of"; i: on; j: in; r: for.
_0 the der die das dem den des el la las los le les l il lo gli de del d du di della dell dello do da o os het
 van von vom
f0 of
i0 on at over during im am nel nella no na op au aux à al zum zur zu während pendant durante
j0 in en em dans
r0 for by from für para pour per
# B: before; V: "vor", which is "ago", too; A: after; X: since; Z: until; J: between; K: and; -: a dash; ~: about.
B0 before antes avant voor prima_di prima_del prima_della
V0 vor
A0 after following nach después depois dopo après
X0 since seit desde depuis sinds ab
Z0 to until till til through bis hasta jusqu fino até tot
J0 between zwischen entre tra fra tussen
K0 and und y et e
-0 - – —
~0 around circa hacia vers rond rund
# g: ago; G: an "ago" that comes first; >: from now; v: every; h: half.
g0 ago geleden fa atrás
G0 hace há il_y_a
>0 from_now from_today
v0 every each jeden jede jedes jeder cada todo todos todas tous toutes chaque ogni elke iedere any most
h0 half hälfte mitad moitié metade helft
# P: the beginning, the middle or the end; p: words for it that are verbs, too, and need an "of" behind.
P0 early anfang principios comienzos inicios principio début inizio início começo begin | mid mitte mediados
 milieu mi metà meados midden halverwege | late ende finales fines fin fine fim eind einde
p0 beginning start | middle | end
# l: what one does on a day: "Friday after lunch" is that Friday, "the Friday after the trip" is not known.
l0 lunch dinner breakfast work school noon midnight tea class practice church mittag feierabend
# c: punctuation within a sentence.
c0 , : ( )
"""
# These mean something else without their accents.
_ACCENTED = frozenset("março noël été até há à".split())


def _without_accents(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def _read_lexicon() -> tuple[dict[str, Token], dict[str, list[tuple[list[str], Token]]]]:
    """The token of each word; and, by their first word, the phrases, the longest first."""
    entries = [
        (kind, int(value) + number, group.split())
        for kind, value, groups in re.findall(r"^([^#\s])(-?\d+) (.+(?:\n .+)*)", _LEXICON, re.M)
        for number, group in enumerate(groups.split("|"))
    ]
    entries += [("x", number, list(holiday.names)) for number, holiday in enumerate(HOLIDAYS)]
    words: dict[str, Token] = {}
    phrases: dict[str, list[tuple[list[str], Token]]] = {}
    for kind, value, names in entries:
        for name in names:
            for form in {name, name if name in _ACCENTED else _without_accents(name)}:
                first, *rest = form.split("_")
                if rest:
                    phrases.setdefault(first, []).append(([first, *rest], Token(kind, value, first)))
                else:
                    words[form] = Token(kind, value, form)
    for alternatives in phrases.values():
        alternatives.sort(key=lambda phrase: -len(phrase[0]))
    return words, phrases


WORDS, PHRASES = _read_lexicon()
_SINGLE_TIME_WORDS = frozenset(word for word, token in WORDS.items() if token.kind in "MmWwsUuYEHRx")
# A text without digits and without any of these refers to no day. Phrases are recognised by their longest word.
TIME_WORDS = _SINGLE_TIME_WORDS.union(["sept"]).union(
    max(words, key=len)
    for alternatives in PHRASES.values()
    for words, token in alternatives
    if token.kind in "WERx" and _SINGLE_TIME_WORDS.isdisjoint(words)
)
_DAY_NUMBER = re.compile(r"(\d{1,2})(st|nd|rd|th|er|re|ste|de|e|º|ª|\.)", re.I)
_DAY_AND_MONTH = re.compile(r"(\d{1,2})(?:/(\d{1,2})|\.(\d{1,2})\.)/?(\d{4}|\d\d)?")


@lru_cache(maxsize=4096)
def token_of(written: str) -> Token:
    """What a word or a number is by itself.

    >>> token_of("Monday").kind, token_of("19th").kind, token_of("hello").kind
    ('W', 'o', '.')
    """
    if written[0].isdecimal():
        return _number(written)
    if written == "Sept":
        return Token("m", 9, written)
    known = WORDS.get(written) or WORDS.get(written.lower())
    return Token(known.kind, known.value, written) if known else Token(".", 0, written)


def _number(written: str) -> Token:
    if written.isdecimal() and len(written) <= 4:
        kind = "n" if len(written) <= 3 else "y" if 1900 <= int(written) < 2100 else "t"
        return Token(kind, int(written), written)
    if day := _DAY_NUMBER.fullmatch(written):
        return Token("n" if day[2] == "." else "o", int(day[1]), written)
    if written[4:5] == "-":
        return _iso_date(written)
    if not (digits := _DAY_AND_MONTH.fullmatch(written)):
        return Token("t", 0, written)
    month, day = _month_and_day(int(digits[1]), int(digits[2] or 0), int(digits[3] or 0))
    if not month:
        return Token("t", 0, written)
    if not digits[4]:
        return Token("d", 100 * month + day, written)
    year = int(digits[4]) + (2000 if len(digits[4]) == 2 else 0)
    return Token("S", 0, written, [WeightedSpan(*days_of(year, month, day))])


def _iso_date(written: str) -> Token:
    year, month, *days = map(int, written.split("-"))
    if not year or not 1 <= month <= 12:
        return Token("t")
    span = days_of(year, month, days[0] if days else None)
    return Token("S" if days else "C", 0, written, [WeightedSpan(*span)])


def _month_and_day(first: int, slashed: int, dotted: int) -> tuple[int, int]:
    """The month and the day of "14/4", "4/14" or "14.4.", or zeros if that is not certain to be a date."""
    if first > 31 or slashed > 31 or (first, slashed) == (24, 7):
        return 0, 0
    if dotted or first > 12:
        month = dotted or slashed
        return (month, first) if 1 <= month <= 12 else (0, 0)
    return (first, slashed) if first and slashed > 12 else (0, 0)


# Chinese and Japanese do not set words apart: their phrases are translated into words of the lexicon.
_CJK_LIST = """
大前天=3 days ago|前天=vorgestern|一昨日=vorgestern|おととい=vorgestern|昨天=gestern|昨日=gestern|昨晚=gestern
昨夜=gestern|きのう=gestern|今天=heute|今日=heute|今晚=heute|今早=heute|今夜=heute|今朝=heute|明天=demain|明日=demain
明晚=demain|大后天=3 days from now|后天=übermorgen|後天=übermorgen|明後日=übermorgen|あさって=übermorgen
平安夜=heiligabend|クリスマスイブ=heiligabend|圣诞=weihnachten|聖誕=weihnachten|クリスマス=weihnachten|复活节=ostern
イースター=ostern|元旦=neujahr|元日=neujahr|大晦日=silvester|情人节=valentinstag|バレンタイン=valentinstag
万圣节=halloween|ハロウィン=halloween|劳动节=1 maggio|儿童节=ertongjie|国庆=guoqing|清明=qingming
前年=vorletzte jahr|去年=last year|昨年=last year|今年=this year|明年=next year|来年=next year
这几天=past 3 days|前几天=past 5 days|最近几天=past 3 days
"""
_CJK_PHRASES = {entry.split("=")[0]: entry.split("=")[1] for entry in re.split(r"[|\n]", _CJK_LIST.strip())}
_CJK_DIGITS = {char: number for number, char in enumerate("一二三四五六七八九", 1)} | {"两": 2, "几": 3, "数": 3}
_CJK_WHICH = {
    **dict.fromkeys(("上上", "先々"), "vorletzte"),
    **dict.fromkeys(("下下", "再来"), "übernächste"),
    **dict.fromkeys("上先", "last"),
    **dict.fromkeys("这這本今", "this"),
    **dict.fromkeys("下来", "next"),
}
_CJK_UNITS = {"天": "days", "日": "days", "月": "months", "年": "years"}
_CJK_SEASONS = {"春": "primavera", "夏": "verano", "秋": "otoño", "冬": "inverno"}
# Names of months and weekdays that mean nothing else, unlike "may" and "march".
_MONTH_WORDS = (
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split()
)
_WEEKDAY_WORDS = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
_CJK_CHARACTER = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_CJK = re.compile(
    rf"(?P<phrase>{'|'.join(sorted(_CJK_PHRASES, key=len, reverse=True))})の?"
    r"|(?P<count>\d{1,3}|[一二三四五六七八九十两几数]{1,3})(?:个|個|か|ヶ|カ)?"
    r"(?P<unit>天|日|周|週間?|星期|礼拜|月|年)(?:之|以)?(?P<side>前|后|後)"
    rf"|(?P<which>{'|'.join(_CJK_WHICH)})(?:个|個)?(?:(?P<month>月)|(?:周|週|星期|礼拜)の?"
    r"(?P<on>[一二三四五六日天末]|[月火水木金土日](?=曜))?)"
    r"|(?P<year>\d{4})年|(?<!\d)(?P<named>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
    r"(?:(?P<date>\d{1,2}|[一二三四五六七八九十]{1,3})[日号號]|(?P<part>初|上旬|中旬|下旬|底|末))?"
    r"|(?P<season>[春夏秋冬])天?|(?<![每毎一二两三几\d])(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])"
    r"|(?<![毎週])(?P<ja>[月火水木金土日])曜日?"
)


def translate_cjk(text: str) -> str:
    """The text with its Chinese and Japanese time phrases translated into words of the lexicon.

    >>> translate_cjk("我昨天到的")
    '我 gestern 到的'
    """
    return _CJK.sub(_translation, text) if _CJK_CHARACTER.search(text) else text


def _translation(match: re.Match[str]) -> str:
    if match["phrase"]:
        words = _CJK_PHRASES[match["phrase"]]
    elif match["count"]:
        side = "ago" if match["side"] == "前" else "from now"
        words = f"{_cjk_number(match['count'])} {_CJK_UNITS.get(match['unit'], 'weeks')} {side}"
    elif match["which"] and match["on"] == "末":
        words = f"{_CJK_WHICH[match['which']]} weekend"
    elif match["which"]:
        weekday = _cjk_weekday(match["on"]) if match["on"] else ""
        words = f"{weekday} {_CJK_WHICH[match['which']]} {'month' if match['month'] else 'week'}"
    elif match["named"]:
        part = {None: "", "初": "early", "上旬": "early", "中旬": "mid"}.get(match["part"], "late")
        day = _cjk_number(match["date"]) if match["date"] else ""
        words = f"{part} {_MONTH_WORDS[_cjk_number(match['named']) - 1]} {day}"
    elif match["season"]:
        words = _CJK_SEASONS[match["season"]]
    else:
        words = match["year"] or _cjk_weekday(match["zh"] or match["ja"])
    return f" {words} "


def _cjk_number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (10 * _CJK_DIGITS.get(tens, 1) if ten else 0) + _CJK_DIGITS.get(ones[:1], 0)


def _cjk_weekday(char: str) -> str:
    weekdays = "一二三四五六日" if char in "一二三四五六日天" else "月火水木金土日"
    return _WEEKDAY_WORDS[weekdays.index(char.replace("天", "日"))]


_TOKEN = re.compile(
    # A hyphen within a word joins parts that are looked at one by one: "mid-April", "segunda-feira".
    r"[^\W\d_]\w*"
    r"|\d{4}-\d\d(?:-\d\d)?(?!-?\d)"
    r"|\d{1,2}(?:/\d{1,2}/|\.\d{1,2}\.)(?:\d{4}|\d\d)(?!\.?\d)"
    r"|\d{1,2}/\d{1,2}(?![\d/])"
    r"|\d{1,2}\.\d{1,2}\.(?!\d)"
    r"|\d{1,2}\.(?=\s(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))"
    r"|[$€£¥]\s?\d[\d.,]*|\d+(?:[.,:](?!(?:19|20)\d\d\b)\d+)+|\d+[^\W\d_]*"
    r"|(?<![^\W\d_])-|[–—,:()]|[.!?;\n。！？…]"
)
_SENTENCE_ENDS = frozenset(".!?;\n。！？…")
_WORD = re.compile(r"\w+")
# Digits that may be a date: "3rd", "4/7", "3.4.", "2026-", "2026", "am 3".
_DATE_IN_DIGITS = re.compile(
    r"\d(?:(?:st|nd|rd|th|ST|ND|RD|TH)\b|/\d|\.\d{1,2}\.|\d{3}-|(?<=[12])(?<!\d\d)[09]\d\d(?!\d)"
    r"|(?<=\b(?:am|el|le|il|en|de) .))"
)
_TELLING = frozenset(
    (
        *("yesterday", "today", "tomorrow", "tonight", "ago", "last", "next", "since", "recently", "days"),
        *("week", "weeks", "weekend", "month", "months", "year", "years", "summer", "spring", "autumn", "winter"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", *MONTHS),
        *("mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"),
        *("tues", "weds", "thurs", "noon", "midnight", "fortnight"),
    )
)
# A day of the month without its name, unless it counts something else; and a time of day. An hour without a sign of
# the clock is one only where nothing follows that it could count: "at six", not "at six pounds".
_DAY_OR_HOUR = re.compile(
    r"\b(?:the|on|by|from|until|till|before|after|since) \d{1,2}(?:st|nd|rd|th)\b"
    r"(?! (?:floor|grade|place|time|one|edition|row|street|st|avenue|ave|birthday|anniversary|century|level)\b)"
    r"|(?<![\d:.])(?:[01]?\d|2[0-3])(?::[0-5]\d(?![\d:])|\.[0-5]\d ?(?:[ap]\.?m|uhr|h)\b)"
    r"|\b(?:1[0-2]|0?[1-9]) ?[ap]\.?m\b|\bo['’]clock\b|\bhalf past\b|\bquarter (?:past|to)\b|\b\d{1,2} uhr\b"
    r"|\b(?:(?:at|by|before|until|till|from) (?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve)|(?:um|ab|bis|vor) (?:1?\d|2[0-4]|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf"
    r"|zwölf)|a las? (?:1?\d|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce))"
    r"(?=\s*(?:[,;!?)\n]|\.(?!\d)|$)| (?:on|in the|sharp|today|tomorrow|tonight|every|each|this|next|instead|but|so"
    r"|because|if|when|with|am|jeden|morgen|heute|de la|hoy|mañana)\b)"
)


def tells_time(text: str) -> bool:
    """Whether a text says when something was.

    >>> tells_time("We met last summer"), tells_time("We met")
    (True, False)
    >>> tells_time("It moved to the 19th"), tells_time("Be there at half past two"), tells_time("on the 5th floor")
    (True, True, False)
    >>> tells_time("They are coming at six"), tells_time("Sold at six pounds each")
    (True, False)
    """
    lower = text.casefold()
    return not _TELLING.isdisjoint(_WORD.findall(lower)) or _DAY_OR_HOUR.search(lower) is not None


def sentences(text: str) -> Iterator[list[Token]]:
    """The tokens of each sentence that may refer to a time.

    >>> [[token.kind for token in sentence] for sentence in sentences("Hi! We met last Monday.")]
    [['.', '.', 'Q', 'W']]
    """
    if TIME_WORDS.isdisjoint(_WORD.findall(text.lower())) and not _DATE_IN_DIGITS.search(text):
        return
    written: list[str] = [*_TOKEN.findall(text), "\n"]
    start = 0
    for at, ending in enumerate(written):
        if ending not in _SENTENCE_ENDS or (ending == "." and at and _abbreviates(written[at - 1])):
            continue
        sentence = written[start:at]
        start = at + 1
        if _may_speak_of_time(sentence):
            yield [token_of(word) for word in sentence if word != "."]


def _may_speak_of_time(sentence: list[str]) -> bool:
    """Whether there is a word of time, a number that may be a date, or any number beside words such as "am"."""
    if not TIME_WORDS.isdisjoint(map(str.lower, sentence)):
        return True
    kinds = {token_of(word).kind for word in sentence if word[0].isdecimal()}
    return not kinds.isdisjoint("oydSC") or ("n" in kinds and not _BEFORE_DAY.isdisjoint(map(str.lower, sentence)))


def _abbreviates(word: str) -> bool:
    """Whether a dot behind a word belongs to it, as in "Sept." and "Mon."."""
    return token_of(word).kind in "mw" and word.istitle()


def resolved(sentence: list[Token]) -> list[Token]:
    """The tokens with phrases joined, ambiguous words resolved, and runs of other words joined."""
    tokens = _joined(sentence)
    joined: list[Token] = []
    for at, token in enumerate(tokens):
        decide = _DECISIONS.get(token.kind)
        kind = decide(_Place(tokens, at)) if decide else token.kind
        if kind != "." or not joined or joined[-1].kind != ".":
            joined.append(token if kind == token.kind else token._replace(kind=kind))
    return joined


def _joined(tokens: list[Token]) -> list[Token]:
    words = [token.word.lower() for token in tokens]
    if PHRASES.keys().isdisjoint(words):
        return tokens
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        for phrase, token in PHRASES.get(words[at], ()):
            if words[at : at + len(phrase)] == phrase:
                joined.append(token._replace(word=tokens[at].word))
                at += len(phrase)
                break
        else:
            joined.append(tokens[at])
            at += 1
    return joined


_OUTSIDE = Token("c")
_MONTHS_AND_NAMES = frozenset("april may june august".split())
_BEFORE_NAME = frozenset("do does did has with told asked says said is".split())
_AFTER_MODAL = frozenset(
    "i we you he she it they the this that my your our his her their there anyone be have not also".split()
)
_AFTER_MARCH = frozenset("on to into up off down back over forth straight".split())
_BEFORE_MONTH = frozenset(
    """in of since until till before after early mid late between from im seit bis nach vor anfang mitte ende
    letzten nächsten zwischen en de desde hasta entre d du depuis avant après début mi fin em tra fra van sinds tot
    begin eind half tussen""".split()
)
_BEFORE_WEEKDAY = frozenset("on last next this by until till since before after from".split())
_BEFORE_DAY = frozenset("am vom zum ab den dem el le il dia día".split())
_ENGLISH_HOLIDAYS = frozenset(
    "christmas xmas easter halloween thanksgiving valentine valentines new boxing memorial".split()
)
_FRENCH = frozenset(
    "je j nous vous tu elle ai avons avez ont qu que qui quoi est était soir avec les une c ce".split()
)


class _Place(NamedTuple):
    """A token among its neighbours."""

    tokens: list[Token]
    at: int

    @property
    def word(self) -> str:
        return self.tokens[self.at].word

    def neighbour(self, by: int) -> Token:
        at = self.at + by
        return self.tokens[at] if 0 <= at < len(self.tokens) else _OUTSIDE

    def near(self, by: int) -> str:
        """The word of a neighbour, in lower case."""
        return self.neighbour(by).word.lower()

    def before(self) -> Token:
        """The token before, articles and "of" left out."""
        return self.neighbour(-2) if self.neighbour(-1).kind in "_f" else self.neighbour(-1)

    def expects_month(self) -> bool:
        """Whether a month may be expected here: "in", "March and"."""
        listed = self.neighbour(-1).kind in "KZ" and self.neighbour(-2).kind in "Mm"
        return listed or self.near(-1) in _BEFORE_MONTH

    def describes(self) -> bool:
        """Whether a noun follows, as in "the Christmas party"."""
        after = self.neighbour(1)
        return after.kind == "." and after.word.islower() and after.word not in STOP_WORDS


def _month(place: _Place) -> str:
    """A month, or a name or verb with the same spelling."""
    word, after = place.word, place.neighbour(1)
    may_be_verb = word in ("may", "march")
    if after.kind in "noy" or place.before().kind in "noO0":
        modal = after.kind in ".pPlUuYMNRW" or place.near(1) in _AFTER_MODAL
        return "." if may_be_verb and modal else "M"
    if may_be_verb:
        return "M" if place.expects_month() else "."
    asking = place.near(1) in _AFTER_MODAL and place.neighbour(2).kind not in "Oo"
    if word == "May" and asking and place.neighbour(-1).kind not in "ijf":
        return "."
    if word == "March" and not place.at and place.near(1) in _AFTER_MARCH and place.neighbour(2).kind not in "Mm":
        return "."
    if word[0].islower() or word.lower() not in _MONTHS_AND_NAMES:
        return "M"
    surname = place.at > 1 and place.neighbour(-1).kind == "." and place.neighbour(-1).word[0].isupper()
    return "." if surname or place.near(-1) in _BEFORE_NAME else "M"


def _short_month(place: _Place) -> str:
    """A short or doubtful name of a month, which needs a number or a word such as "in" beside it."""
    # "Mars" is a planet, "Mayo" a sauce, "Mei" a name; and "mar" in lower case is a sea.
    doubtful = place.word in ("Mars", "Mayo", "Mei") or (place.word.islower() and len(place.word) == 3)
    if doubtful and place.word not in ("mai", "mei"):
        return "."
    numbered = place.neighbour(1).kind in "noy" or place.before().kind in "no0N"
    return "M" if numbered or place.expects_month() else "."


def _weekday(place: _Place) -> str:
    """A weekday, unless it only says which meeting: "the Friday meeting" may be that of any week."""
    before = place.near(-1)
    described = before in ("the", "my", "our", "your") and place.describes()
    return "." if described or before in ("los", "les") else "W"


def _short_weekday(place: _Place) -> str:
    return "W" if place.near(-1) in _BEFORE_WEEKDAY or place.neighbour(1).kind in "notMm" else "."


def _season(place: _Place) -> str:
    before, after = place.before(), place.neighbour(1)
    # Summer in Italian.
    if place.word == "estate" and place.near(-1) not in ("l", "quest", "d", "dell", "nell"):
        return "."
    named = after.kind == "." and after.word[0].isupper() and place.word[0].isupper()
    cued = (before.kind in "ijXBAVPpQqZJfrO0Y" and before.word) or after.kind in "yqQf"
    return "s" if cued and not named else "."


def _ordinal(place: _Place) -> str:
    """A day of the month, as in "on the 19th", not "the 19th floor"."""
    after, before = place.neighbour(1), place.neighbour(-1)
    if place.near(1) in ("one", "ones"):
        return "t"
    if after.kind in "WUuYEHhMmfOo0_1Z-" or before.kind in "Mm":
        return "o"
    article = before.kind == "_"
    cue = place.neighbour(-2) if article else before
    cued = cue.word and (cue.kind in "irXBAVZ~JKW" or cue.word.lower() in ("is", "was", "are", "be", "s", "from"))
    is_day = (cued or (article and not cue.word)) and after.kind != "N" and not place.describes()
    return "o" if is_day else "t"


def _number_or_day(place: _Place) -> str:
    """A bare number, which is a day in languages that say "am 19." or "el 19"."""
    cued = place.near(-1) in _BEFORE_DAY and place.tokens[place.at].value <= 31
    return "o" if cued and place.neighbour(1).kind in "c.Kijr" and not place.describes() else "n"


def _date_or_score(place: _Place) -> str:
    cued = place.neighbour(-1).word and place.neighbour(-1).kind in "irXBAVZWw~"
    return "d" if cued or place.near(-1) in ("the", "from", *_BEFORE_DAY) else "t"


def _holiday(place: _Place) -> str:
    """A holiday, unless it only says which party or present: "the Christmas party" is not on Christmas."""
    owned = place.near(-1) in ("of", "de", "di", "da", "del", "do", "van") and place.neighbour(-2).kind == "."
    noun = place.word.lower() in _ENGLISH_HOLIDAYS and place.describes()
    return "." if owned or noun or place.word in ("natal", "natale") else "x"


def _relative_day(place: _Place) -> str:
    """A day such as yesterday, or a morning that is written like tomorrow."""
    word = place.word.lower()
    if (word == "mañana" and place.near(-1) in ("la", "esta", "cada", "una")) or (
        place.word == "Morgen" and place.at
    ):
        return "H"
    # "Hier" is yesterday in French and "here" in German.
    return "R" if word != "hier" or any(token.word.lower() in _FRENCH for token in place.tokens) else "."


def _number_word(place: _Place) -> str:
    """A number, or the English "due", which is two in Italian."""
    return "r" if place.word.lower() == "due" and place.neighbour(1).kind not in "Uu" else "N"


def _year(place: _Place) -> str:
    """A year, not a number of something: "2000 euros"."""
    before, after = place.neighbour(-1), place.neighbour(1)
    if after.kind == "-" and place.neighbour(2).kind in "nt":
        return "t"
    counted = after.kind == "." and after.word.lower() not in STOP_WORDS
    return "y" if (before.word and before.kind in "ijXBAVZJfr~MmsxPKc") or not counted else "t"


# By the kind of a token: what gives its kind at a place.
_DECISIONS: dict[str, Callable[[_Place], str]] = {
    **{"M": _month, "m": _short_month, "W": _weekday, "w": _short_weekday, "s": _season, "x": _holiday},
    **{"o": _ordinal, "n": _number_or_day, "N": _number_word, "d": _date_or_score, "y": _year, "R": _relative_day},
}
