"""Something that is written to and searched, to stand beside others in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bench.texts import Texts
from bench.timing import interleaved, median, percentile

BATCH = 500
QUESTIONS = 60
ROUNDS = 3


class Subject(msgspec.Struct):
    """A store of texts, by what it is asked: to take some, and to find some."""

    name: str
    write: Callable[[Sequence[str]], object]
    search: Callable[[str], object]
    batch: int = BATCH
    size: Callable[[], int] | None = None


class Measured(msgspec.Struct, frozen=True):
    """What was measured of one at one size: writes a second in batches and alone, and searches in milliseconds.

    `first` is the first search after the start, `most` what 95 of 100 searches stay under.
    """

    name: str
    records: int
    many: float
    one: float
    first: float
    half: float
    most: float
    bytes: float


def measured(
    subjects: Sequence[Subject], records: int, seed: int, *, rounds: int = ROUNDS, questions: int = QUESTIONS
) -> list[Measured]:
    """The figures of each, measured in turns. The writes add to what they hold."""
    texts = Texts(seed=seed)
    asked = [texts.question(one) for one in texts.take(questions + 2)]
    first = {one.name: interleaved({"": _asks(one, asked)}, 1, warm=0)[""].wall[0] for one in subjects}
    found = interleaved({one.name: _asks(one, asked) for one in subjects}, questions)
    many = interleaved({one.name: _adds(one, texts, one.batch) for one in subjects}, rounds, warm=1)
    single = interleaved({one.name: _adds(one, texts, 1) for one in subjects}, 10 * rounds, warm=1)
    return [
        Measured(
            one.name,
            records,
            one.batch / median(many[one.name].wall),
            1 / median(single[one.name].wall),
            1000 * first[one.name],
            1000 * median(found[one.name].wall),
            1000 * percentile(found[one.name].wall, 95),
            one.size() / records if one.size else 0,
        )
        for one in subjects
    ]


def _asks(one: Subject, asked: Sequence[str]) -> Callable[[int], object]:
    return lambda number: one.search(asked[number])


def _adds(one: Subject, texts: Texts, many: int) -> Callable[[int], object]:
    return lambda _: one.write(texts.take(many))
