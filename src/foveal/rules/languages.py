"""Which language a text is in, told by its script and by its commonest words."""

from __future__ import annotations

import re
from collections import Counter

from foveal.rules.words import STOP_WORDS, plain_words

UNKNOWN = "und"

# Scripts written without spaces between words.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)

# The commonest words of languages in Latin script, without accents.
COMMON = {
    "en": STOP_WORDS,
    "de": frozenset(
        """aber als am an auch auf aus bei bin bis das dass dem den der des die doch du ein eine einem einen einer
        er es fur habe haben hat hatte ich ihr im in ist ja kann mein meine mich mir mit nach nicht noch nur oder
        schon sehr sein seine sich sie sind so uber um und uns unser vom von vor war waren was wenn werden wie wir
        wird zu zum zur""".split()
    ),
    "fr": frozenset(
        """ai alors as au aux avec avez c ce ces cette d dans de des deux du elle elles en est et etait ete etre
        eux il ils j je l la le les leur lui m ma mais me mes moi mon n ne nous on ont ou par pas plus pour qu que
        qui s sa sans se ses son sont sur t te toi tout tres tu un une vous y""".split()
    ),
    "es": frozenset(
        """a al algo con como cuando de del desde donde el ella ellos en era es esa ese eso esta este esto fue ha
        han hay he la las le les lo los mas me mi mis muy no nos nuestra nuestro o para pero por porque que quien se
        ser si sin sobre son soy su sus tambien te tengo tiene todo tu un una unos y ya yo""".split()
    ),
    "it": frozenset(
        """a ai al alla anche che chi ci come con cosa da dal dalla dei del della delle di e era gli ha hanno ho i
        il in io l la le lei lo loro lui ma mi mia mio molto ne nei nel nella noi non o per perche piu quando quello
        questa questo sei si sono su sua suo ti tra tu un una uno""".split()
    ),
    "pt": frozenset(
        """a ao aos as com como da das de dela dele do dos e ela ele eles em entao era essa esse esta este eu foi ha
        isso ja lhe mais mas me meu minha muito na nao nas nem no nos nossa o os ou para pela pelo por porque quando
        que quem se sem ser seu sua tambem te tem tenho um uma voce voces""".split()
    ),
    "nl": frozenset(
        """aan al als bij dan dat de deze die dit doch door een en er geen had heb hebben heeft het hier hij hoe ik
        in is je kan maar me met mijn moet naar niet nog nu of om omdat onder ons ook op over te toen tot uit van
        veel voor was wat we wel wij wordt zal ze zich zij zijn zo""".split()
    ),
    "tl": frozenset(
        """ako akin ang ano at ay ba dahil din ito iyon ka kami kang kanya kasi kay ko kung lang mga mo na namin
        nang nasa ng ni nila nito niya o pa para po rin sa saan si siya sila tayo tungkol upang wala yung""".split()
    ),
    "sv": frozenset(
        """att av bara blev de dem den det dig din du en ett efter eller fran for har hade han hon i inte jag kan
        man med men mig min mot nar nu och om oss pa sa sig sin ska som till upp ut var vad vi vid ar""".split()
    ),
    "pl": frozenset(
        """ale bo by byc byl byla co czy dla do go ich ja jak jest jestem juz ktory lub ma mam mi mnie moj moze na
        nie o od on ona oni po przez sie sa tak tam ten to tylko tym w we z za ze""".split()
    ),
    "tr": frozenset(
        """ama ben bana bir biz bu cok da daha de degil diye en gibi hem icin ile ise kadar ki mi ne o olan olarak
        oldu sen siz su var ve veya ya yok""".split()
    ),
    "id": frozenset(
        """ada adalah akan aku anda apa atau bahwa bisa dalam dan dari dengan di dia ini itu juga kami karena ke
        kita kamu lebih mereka oleh pada para saya sangat sebagai sudah telah tidak untuk yang""".split()
    ),
}

_SCRIPTS = {
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "kana": re.compile(r"[\u3040-\u30ff\u31f0-\u31ff]"),
    "han": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "ko": re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]"),
    "cyrillic": re.compile(r"[\u0400-\u052f]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff\u0750-\u077f]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "bn": re.compile(r"[\u0980-\u09ff]"),
    "ta": re.compile(r"[\u0b80-\u0bff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "lo": re.compile(r"[\u0e80-\u0eff]"),
    "my": re.compile(r"[\u1000-\u109f]"),
    "km": re.compile(r"[\u1780-\u17ff]"),
    "ka": re.compile(r"[\u10a0-\u10ff]"),
    "hy": re.compile(r"[\u0530-\u058f]"),
}


def language(text: str) -> str:
    """The code of the language a text is most likely in, or "und".

    >>> language("Where is the station?"), language("Wo ist der Bahnhof?"), language("駅はどこですか")
    ('en', 'de', 'ja')
    """
    if text.isascii():
        return _by_words(text)
    counts = Counter({name: len(found.findall(text)) for name, found in _SCRIPTS.items()})
    script, most = counts.most_common(1)[0]
    if not most:
        return UNKNOWN
    if counts["kana"] and script in ("han", "kana"):
        return "ja"
    match script:
        case "latin":
            return _by_words(text)
        case "han":
            return "zh"
        case "cyrillic":
            return "uk" if re.search("[іїєґІЇЄҐ]", text) else "ru"
        case "arabic":
            return "fa" if re.search("[پچژگ]", text) else "ar"
        case _:
            return script


def _by_words(text: str) -> str:
    words = plain_words(text)
    best, most = UNKNOWN, 0
    for name, common in COMMON.items():
        count = sum(word in common for word in words)
        if count > most:
            best, most = name, count
    return best
