"""When a learned pattern applies, and how its success is counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from foveal.rules.words import terms

# How many patterns are kept, and how many letters of a trigger make it the same as another.
MOST, SAME = 1_000, 50
ARROW = " → "
_TELLING = re.compile(r"\d[\d.,:/%-]*|(?<=[a-z] )[A-Z]\w+")
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|except|undo|dis(?:able|card|connect|miss)\w*|un(?:install|mount|pin|lock)\w*)\b"
    r"|n['’]t\b",
    re.I,
)


def rate_after(rate: float, uses: int, *, success: bool) -> float:
    """The success rate after one more use.

    >>> rate_after(0.8, 10, success=True), rate_after(0.5, 1, success=False)
    (0.8181818181818182, 0.25)
    """
    return (rate * uses + success) / (uses + 1)


def action_of(tools: Sequence[str]) -> str:
    """The action that a row of tools is.

    >>> action_of(["search", "write"])
    'search → write'
    """
    return ARROW.join(tools)


def tools_of(action: str) -> list[str]:
    """The tools that an action names.

    >>> tools_of("search → write")
    ['search', 'write']
    """
    return [part.strip() for part in action.split(ARROW.strip()) if part.strip()]


def same_trigger(one: str, other: str) -> bool:
    """Whether two triggers count as one: they begin with the same 50 letters."""
    return one[:SAME] == other[:SAME]


def words_meet(trigger: str, asked: str) -> bool:
    """Whether all telling words of the trigger are in what is asked, or the other way round.

    >>> words_meet("restart the web server", "Please restart the web server now"), words_meet("restart", "stop it")
    (True, False)
    """
    ours, theirs = set(terms(trigger)), set(terms(asked))
    return bool(ours and theirs) and (ours <= theirs or theirs <= ours)


def same_words(trigger: str, asked: str) -> bool:
    """Whether the two have the same telling words, and so leave nothing out.

    >>> same_words("Deploy the shop", "deploy our shop"), same_words("Deploy the shop", "Deploy the shop and blog")
    (True, False)
    """
    return set(terms(trigger)) == set(terms(asked))


def differs(trigger: str, asked: str) -> bool:
    """Whether the two speak of other numbers or names, or one of them denies what the other says.

    >>> differs("open port 80", "open port 443"), differs("mount the disk", "do not mount the disk")
    (True, True)
    """
    return _telling(trigger) != _telling(asked)


def _telling(text: str) -> tuple[set[str], bool]:
    return {one.rstrip(".,:") for one in _TELLING.findall(text)}, _NEGATION.search(text) is not None
