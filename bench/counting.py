"""Measure what counting tokens costs a read: of long texts and of ordinary ones, for the first time and again."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from string import ascii_lowercase

from bench.figure import MILLISECONDS, Figure
from bench.printing import Page, machine
from bench.texts import Texts
from foveal import Memory, Settings
from foveal.backends.models.tokens import NAMES, BpeCounter

RECORDS, ROUNDS = 400, 5


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser("python -m bench.counting", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of which the best counts (default {ROUNDS})")
    rounds = parser.parse_args(arguments).rounds
    page = Page()
    page.say(f"{machine()}\nprocessor time, the best of {rounds}")
    page.figures([*_counts(rounds), *_reads(rounds)])


def _long_texts() -> dict[str, str]:
    chance = Random(7)
    return {
        "60,000 letters without a space": "".join(chance.choices(ascii_lowercase, k=60_000)),
        "4,000 Han characters": "".join(chr(0x4E00 + chance.randrange(20_000)) for _ in range(4_000)),
        "60,000 characters of prose": " ".join(Texts(seed=5).take(440))[:60_000],
    }


def _counts(rounds: int) -> list[Figure]:
    found: list[Figure] = []
    for name, text in _long_texts().items():
        BpeCounter(NAMES[0]).count("the vocabulary is read once")
        counters = [BpeCounter(NAMES[0]) for _ in range(rounds)]
        cold = min(_spent(partial(counter.count, text)) for counter in counters)
        warm = min(_spent(partial(counter.count, text)) for counter in counters)
        found.append(Figure("counting", f"{name}, first", cold, MILLISECONDS, n=rounds))
        found.append(Figure("counting", f"{name}, again", warm, MILLISECONDS, n=rounds))
    return found


def _reads(rounds: int) -> list[Figure]:
    texts = Texts(seed=3)
    said = texts.take(RECORDS)
    with Memory(":memory:", settings=Settings(second_look="off", metabolism="off")) as memory:
        memory.write_many(said, actor_id="ada")
        memory.write(_long_texts()["60,000 letters without a space"], actor_id="ben")
        ordinary = [_read(memory, "ada", texts.question(said[number])) for number in range(rounds)]
        long = _read(memory, "ben", "letters"), min(_read(memory, "ben", "letters") for _ in range(rounds))
    return [
        Figure("reads", f"of {RECORDS} ordinary records, cold", ordinary[0], MILLISECONDS),
        Figure("reads", "of them, other questions", min(ordinary[1:]), MILLISECONDS, n=rounds - 1),
        Figure("reads", "of 60,000 letters, cold", long[0], MILLISECONDS),
        Figure("reads", "of 60,000 letters, again", long[1], MILLISECONDS, n=rounds),
    ]


def _read(memory: Memory, actor: str, question: str) -> float:
    return _spent(lambda: memory.read(question, actor_id=actor, token_budget=100_000, policy="recent", touch=False))


def _spent(work: Callable[[], object]) -> float:
    """The processor time of some work, in milliseconds."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


if __name__ == "__main__":
    main()
