"""Generated conversations with one fact planted in each, to see whether a read still shows it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from msgspec import Struct

POSITIONS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9)
BUDGETS = (64, 128, 256, 512)

_NAMES = ("Alva", "Bruno", "Chiara", "Dov", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jun")
_ITEMS = ("kettle", "printer", "bicycle", "router", "piano", "drill", "tent", "camera", "toaster", "lamp")
_PLACES = ("attic", "cellar", "garage", "hallway", "office", "shed", "balcony", "pantry", "studio", "loft")
_DISHES = ("lentil soup", "plum cake", "ramen", "paella", "dumplings", "risotto", "borscht", "falafel")

# What is said, what is asked, in other words where that can be, and what the answer is.
_FACTS = (
    (
        "The spare key for the {item} is in the {place}, behind the blue box.",
        "Where do we keep the {item} key?",
        "{place}",
    ),
    ("{name} turns {number} this year, hard to believe.", "How old will {name} be?", "{number}"),
    (
        "My sister's flight lands at gate {number} in the evening.",
        "Which gate does my sister arrive at?",
        "{number}",
    ),
    ("{name} can't eat {dish} since the hospital stay.", "What food must {name} avoid?", "{dish}"),
    (
        "We agreed on {number} crowns for the {item}, not a coin more.",
        "What price did we settle on for the {item}?",
        "{number}",
    ),
    ("The alarm code of the {place} is {number} now.", "What is the code for the {place} alarm?", "{number}"),
    ("{name} will repair the {item} on Thursday, she promised.", "Who is going to fix the {item}?", "{name}"),
    (
        "I decided to paint the {place} in ochre, the grey was too cold.",
        "Which colour did I choose for the {place}?",
        "ochre",
    ),
)
_TALK = (
    "Did you see the weather report for the weekend?",
    "It rained again and the {place} smells of wet wool.",
    "{name} sends greetings and asks about the {item}.",
    "I had {dish} for lunch and it was fine.",
    "Let's talk about the schedule for next month later.",
    "The meeting with {name} went on for {number} minutes.",
    "I should really clean the {place} one of these days.",
    "That reminds me of the old {item} we used to have.",
    "Good morning, how did you sleep?",
    "The train was late by {number} minutes, as usual.",
    "Could you note that {name} called this morning?",
    "There were {number} people in the queue, I gave up.",
    "I read a long article about gardens and forgot most of it.",
    "Thanks, that is all for now.",
)


class Episode(Struct, frozen=True, kw_only=True):
    """A conversation, the question about it, and the answer that one turn gives."""

    turns: tuple[str, ...]
    question: str
    answer: str


def episode(seed: int, position: float, turns: int = 90) -> Episode:
    """The conversation of this seed, with its fact at `position` from 0 (the beginning) to 1."""
    dice = random.Random(seed)
    values = {
        "name": dice.choice(_NAMES),
        "item": dice.choice(_ITEMS),
        "place": dice.choice(_PLACES),
        "dish": dice.choice(_DISHES),
        "number": str(dice.randint(1000, 9999)),
    }
    fact, question, answer = (text.format(**values) for text in _FACTS[seed % len(_FACTS)])
    said: list[str] = []
    while len(said) < turns - 1:
        other = {
            "name": dice.choice(_NAMES),
            "item": dice.choice(_ITEMS),
            "place": dice.choice(_PLACES),
            "dish": dice.choice(_DISHES),
            "number": str(dice.randint(2, 99)),
        }
        line = dice.choice(_TALK).format(**other)
        if not answered(line, answer):
            said.append(line)
    said.insert(round(position * (turns - 1)), fact)
    return Episode(turns=tuple(said), question=question, answer=answer)


def answered(text: str, answer: str) -> bool:
    """Whether a text gives the answer, word for word, whatever its punctuation."""
    words = f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "
    return f" {answer.lower()} " in words


def truncated(turns: tuple[str, ...], budget: int, count: Callable[[str], int]) -> str:
    """The newest turns that fit a budget: what plain truncation keeps."""
    kept: list[str] = []
    for turn in reversed(turns):
        if count("\n".join([turn, *kept])) > budget:
            break
        kept.insert(0, turn)
    return "\n".join(kept)


def moments(count: int) -> list[datetime]:
    """When the turns of an episode were said: a minute apart, in sittings of thirty."""
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return [start + timedelta(days=number // 30, minutes=number % 30) for number in range(count)]
