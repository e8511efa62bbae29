"""Detecting echoes, resent records and near-duplicate facts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.errors import Conflict
from foveal.model.record import Link, LinkKind, Record
from foveal.rules.text import STOP_WORDS, UNKNOWN, UNSPACED, language, plain_words, stem
from foveal.rules.visibility import gone

ALIKE = 0.98
_SHINGLE = 5
_DETAILS = re.compile(r"[-+±]?\d[\d.,:/%]*|\b[A-Z]\w*|\b\w*n['\u2019]t\b|[#+*=<>€$£¥%&@/\\^~|-]", re.UNICODE)
_NEGATIONS = re.compile(r"\b(?:no|not|never|none|nothing|nor|neither|without|cannot)\b", re.I)


def normal(text: str) -> str:
    """The text in a form for comparison, which ignores white space, case and a final full stop.

    >>> normal("Hello,  Zoë!") == normal("hello, Zoë"), normal("C++") == normal("C#")
    (True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".!")


def words_number(record: Record) -> int:
    """A 64-bit number that is equal for the same words by the same speaker.

    The words are compared as `normal` gives them, without white space, case and a final full stop.
    """
    return _number(record.speaker or record.source, record.text)


@lru_cache(maxsize=1024)
def _number(who: str, text: str) -> int:
    # Cached, because the write path asks before it stores a batch and the store asks again.
    digest = blake2b(f"{who}\n{normal(text)}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def repeating(record: Record, first: str) -> Link:
    """The link from a record to the one in which the same words were said first."""
    return Link(source_id=record.id, target_id=first, kind=LinkKind.REPEATS, created_at=record.recorded_at)


def is_echo(text: str, shown: str) -> bool:
    """Whether `text` repeats `shown`: nearly equal, with the same numbers, symbols, names and negations.

    >>> is_echo("The code is 4711.", "the code is 4711"), is_echo("The code is 4712.", "The code is 4711.")
    (True, False)
    """
    a, b = normal(text), normal(shown)
    if a == b:
        return bool(a)
    if abs(len(a) - len(b)) > (1 - ALIKE) * max(len(a), len(b)) or _details(text) != _details(shown):
        return False
    ours, theirs = _shingles(a), _shingles(b)
    return len(ours & theirs) >= ALIKE * len(ours | theirs) > 0


def _shingles(text: str) -> set[str]:
    return {text[start : start + _SHINGLE] for start in range(len(text) - _SHINGLE + 1)}


def _details(text: str) -> tuple[list[str], list[str]]:
    return _DETAILS.findall(text), [word.lower() for word in _NEGATIONS.findall(text)]


_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d[\d.,:/]*\d|\d")
_DENIAL = re.compile(r"\b(?:no|not|never|none|nothing|neither|without|cannot)\b|n['\u2019]t\b", re.I)

# The largest cluster: a summary of too many facts would lose most of them.
LARGEST = 10


def compatible(one: str, other: str) -> bool:
    """Whether two texts could mean the same: the numbers and names of one include those of the other, and both or
    neither have a negation.

    >>> compatible("The code is 4711.", "The code is 4711 now."), compatible("The code is 4711.", "It is 4712.")
    (True, False)
    >>> compatible("Ines plays chess.", "Hugo plays chess."), compatible("It is open.", "It is not open.")
    (False, False)
    """
    ours, theirs = _names_and_numbers(one, other), _names_and_numbers(other, one)
    nested = ours <= theirs or theirs <= ours
    return nested and bool(_DENIAL.search(one)) == bool(_DENIAL.search(other))


def _names_and_numbers(text: str, beside: str) -> set[str]:
    """Numbers and names: capitalised words that never occur in lower case."""
    plain = {word for word in _WORD.findall(f"{text} {beside}") if word[0].islower()}
    capital = {word.lower() for word in _WORD.findall(text) if word[0].isupper()}
    return {*_NUMBER.findall(text), *(capital - plain - STOP_WORDS)}


# Words that must occur in both texts or in neither: those that deny, count, and say when or whether.
_DENYING = frozenset(
    """no not never none nothing nobody nowhere neither nor without hardly barely nicht kein keine keinen
    keinem keiner nie niemals nichts niemand ohne nunca jamas nada nadie ningun ninguna sin pas jamais rien
    personne aucun aucune sans ne n non mai niente nessuno senza nao nem sem niet geen nooit niets inte
    aldrig ingen ikke aldri bez degil yok tidak bukan hindi wala не ни нет никогда ничего без لا ليس لم לא
    नहीं 不 没 沒 無 无 非 未 别 別 안 않 못 없""".split()
)
_DENIED = {
    **{f"{verb}nt": verb for verb in "was were had did would could should might must".split()},
    **{"cant": "can", "cannot": "can", "wont": "will"},
    **dict.fromkeys("aint dont doesnt isnt arent hasnt havent".split(), ""),
}
_COUNTING = frozenset(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
    first second third fourth fifth once twice half zwei drei vier dos tres cuatro deux trois quatre due tre quattro
    dois duas twee drie""".split()
)
_SAYING_WHEN = frozenset(
    """was were had did will shall would could should may might must can ought waren wurde wird werden hatte kann
    muss soll era fue etait sera""".split()
)
_PERSONS = (
    frozenset(
        "i me my mine myself im ive we us our ours ich mir mich mein meine wir uns je j moi mon ma yo".split()
    ),
    frozenset("you your yours yourself du dir dich dein deine tu toi ton ta te vous votre usted".split()),
    frozenset("he him his himself er ihm sein el il".split()),
    frozenset("she her hers herself sie ihr ella elle".split()),
    frozenset("they them their theirs themselves ellos ellas ils elles".split()),
)
_LIMITING = frozenset(
    """all almost already both each every few less many more most much nearly only still yet above after
    against around away back before behind below between down during far from inside near off out outside
    over since under until up via within nur alle einige noch schon mehr weniger vor nach bis aus unter solo
    todos algunos mas menos antes desde hasta seulement tous plus moins avant apres sous""".split()
)
# Words that add nothing to what is said: they hold sentences together, or fill them.
_LIGHT = frozenset(
    """a actually also am an and any anyway are as at basically be been being but by currently definitely do
    does doing for has have having here hey hi honestly in is it its itself just kindly lately let of oh ok
    okay on please really simply so some that the then there these this those to too totally very way well
    with wow yeah yep yes der die das den dem des ein eine einen einem einer ist sind bin und im in am an zu
    le la les l un une du de des est et au aux el los las unos es son y o il lo gli uno e os um uma het een
    en""".split()
)
_ASKING = frozenset("how what when where who whom whose why which".split())
_ASKS = re.compile(
    r"(?:(?:and|but|so|also|hey|ok|by the way),? )?(?:how|what|when|where|who|whom|whose|why|which|do|does|did|is|"
    r"are|am|was|were|can|could|will|would|should|has|have|had|may|might|wo|wer|wann|wie|warum|wieso|welche\w*|quand|"
    r"comment|pourquoi|qui|cuando|donde|como|quien|por que|que|dove|quando|chi|come)\b|.*[?？؟]|.*[吗嗎呢]$",
    re.I | re.S,
)
_PAST = re.compile(r"(?!\w*eed\b)\w{3,}ed")
_SHALL = re.compile(r"['\u2019]ll\b", re.I)
_UNSPACED = re.compile(f"[{UNSPACED}\uac00-\ud7a3]")
_COMPARING = frozenset(("than", "als", "que", "dan"))
# For every so many words a text may say one more than another. It may also begin where the other ends.
_LONG_ENOUGH = 3


def interchangeable(one: str, other: str) -> bool:
    """Whether one text may stand for the other, judged by its words alone.

    Both must say the same words, but for common ones and at most one that only one of them adds. Each may move its
    beginning to the end; any other order is another statement. Names, numbers, negations, persons, tenses and
    questions must agree. What the words mean is for vectors to judge.

    >>> interchangeable("On Fridays I work from home.", "I work from home on Fridays.")
    True
    >>> interchangeable("I am allergic to walnuts.", "I am allergic to shellfish.")
    False
    >>> interchangeable("The dog chased the cat.", "The cat chased the dog.")
    False
    >>> interchangeable("I have two cats.", "She has two cats."), interchangeable("Is it open?", "It is open.")
    (False, False)
    """
    if normal(one) == normal(other):
        return True
    ours, theirs = _told(one), _told(other)
    if ours.strict != theirs.strict or not compatible(one, other):
        return False
    added = min(len(ours.words), len(theirs.words)) // _LONG_ENOUGH
    return _in_order(ours.persons, theirs.persons, added=len(_PERSONS)) and any(
        _in_order(words, theirs.words, added=added) for words in _turned(ours.words)
    )


def translatable(one: str, other: str) -> bool:
    """Whether one text could be a translation of the other: in two languages, with the same numbers and negations.

    >>> translatable("I have 2 cats", "Ich habe 2 Katzen"), translatable("I have 2 cats", "Ich habe 3 Katzen")
    (True, False)
    >>> translatable("I like tea", "Ich mag keinen Tee"), translatable("I like tea", "I like coffee")
    (False, False)
    """
    spoken = {language(one), language(other)}
    ours, theirs = _told(one), _told(other)
    plain = [{word for word in told.words if not word[0].isdigit()} for told in (ours, theirs)]
    shared = 2 * len(plain[0] & plain[1]) >= min(map(len, plain))
    if len(spoken) < 2 or UNKNOWN in spoken or shared or set(_NUMBER.findall(one)) != set(_NUMBER.findall(other)):
        return False
    # Words for numbers cannot be compared either.
    counted = any(not _COUNTING.isdisjoint(told.strict) for told in (ours, theirs))
    return not counted and all((sign in ours.strict) == (sign in theirs.strict) for sign in ("not", "?"))


class _Told(NamedTuple):
    """What a text says: its words in order and the persons in it, each once, and what must be equal."""

    words: tuple[str, ...]
    persons: tuple[str, ...]
    strict: frozenset[str]


@lru_cache(maxsize=4096)
def _told(text: str) -> _Told:
    said = [word for run in plain_words(text) for word in (run if _UNSPACED.match(run) else (run,))]
    bare = [_DENIED.get(word, word) for word in said]
    strict = {word for word in bare if word in _COUNTING or word in _SAYING_WHEN or word in _LIMITING}
    strict |= {"will"} if _SHALL.search(text) else set()
    strict |= {"not"} if bare != said or not _DENYING.isdisjoint(said) else set()
    strict |= {"-ed"} if any(_PAST.fullmatch(word) for word in said) else set()
    strict |= {"?", *_ASKING.intersection(said)} if _ASKS.match(text) else set()
    persons = [str(number) for word in said for number, words in enumerate(_PERSONS) if word in words]
    left_out = _LIGHT.union(strict, _DENYING, *_PERSONS)
    words = [stem(word) for word in bare if word and word not in left_out]
    return _Told(tuple(dict.fromkeys(words or said)), tuple(dict.fromkeys(persons)), frozenset(strict))


def _in_order(one: Sequence[str], other: Sequence[str], *, added: int) -> bool:
    """Whether one of these has all words of the other, in the same order, and at most so many more."""
    longer, shorter = sorted((one, other), key=len, reverse=True)
    kept = tuple(word for word in longer if word in shorter)
    return kept == tuple(shorter) and len(longer) <= len(kept) + added


def _turned(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Words in every order in which their beginning stands at their end; comparisons mean something else then."""
    yield words
    if len(words) >= _LONG_ENOUGH and _COMPARING.isdisjoint(words):
        for turn in range(1, len(words)):
            yield [*words[turn:], *words[:turn]]


def stars(
    fresh: Sequence[str], vectors: Mapping[str, NDArray[np.float32]], similarity: float, smallest: int
) -> list[list[str]]:
    """Groups of near-duplicates around the new ids; each member is similar to the one at the centre.

    No id is in two groups. The centre comes first, then the others, nearest first.

    >>> east, north = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    >>> stars(["c"], {"a": east, "b": east, "c": east, "d": north}, 0.75, 3)
    [['c', 'a', 'b']]
    """
    known = list(vectors)
    centres = [record_id for record_id in fresh if record_id in vectors]
    if len(known) < smallest or not centres:
        return []
    matrix = np.stack([vectors[record_id] for record_id in known])
    cosines = np.stack([vectors[record_id] for record_id in centres]) @ matrix.T
    taken: set[str] = set()
    groups: list[list[str]] = []
    for centre, row in zip(centres, cosines, strict=True):
        if centre in taken:
            continue
        near = np.flatnonzero(row >= similarity)
        order: list[int] = near[np.argsort(-row[near], kind="stable")].tolist()
        members = [known[n] for n in order if known[n] != centre and known[n] not in taken]
        group = [centre, *members[: LARGEST - 1]]
        if len(group) >= smallest:
            taken.update(group)
            groups.append(group)
    return groups


def sent_key(record: Record) -> str:
    """The key that identifies a record when it is sent again. Idempotency keys are per node."""
    return f"{record.node} {record.idempotency_key}"


def resent(records: Sequence[Record], stored: Mapping[str, Sequence[Record]]) -> list[Record | int | None]:
    """For each record of a batch, an earlier one with its key: a stored record, an index in the batch, or None.

    `stored` has the versions that the store holds for each key. A key that was used for another text is `Conflict`;
    a record that was forgotten or has expired may be sent again.

    >>> from datetime import UTC, datetime
    >>> from foveal.model.ids import Address
    >>> place, now = Address(world="earth", region="agent:ada"), datetime(2026, 1, 5, tzinfo=UTC)
    >>> moments = {"recorded_at": now, "occurred_at": now, "valid_from": now}
    >>> record = Record(id="1", actor_id="ada", text="hi", address=place, idempotency_key="k", **moments)
    >>> resent([record, record], {})
    [None, 0]
    """
    here: dict[str, int] = {}
    matches: list[Record | int | None] = []
    for place, record in enumerate(records):
        if record.idempotency_key is None:
            matches.append(None)
            continue
        key = sent_key(record)
        first = here.get(key)
        known = stored.get(key) if first is None else [records[first]]
        if not known or gone(known[-1], record.recorded_at):
            here[key] = place
            matches.append(None)
        elif known[0].text != record.text:
            raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
        else:
            matches.append(known[-1] if first is None else first)
    return matches


def answered(known: Sequence[Record | int | None], filed: Iterator[Record]) -> list[tuple[Record, bool]]:
    """For each record of a batch, the match from `resent` or the newly filed record, and whether it is new."""
    answers: list[tuple[Record, bool]] = []
    for match in known:
        earlier = answers[match][0] if isinstance(match, int) else match
        answers.append((next(filed), True) if earlier is None else (earlier, False))
    return answers
