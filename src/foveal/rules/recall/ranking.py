"""How well candidates answer a question: features, weighed by the kind of question, and added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import Struct

from foveal.model.trace import Floats, Frame
from foveal.rules.recall.features import Likeness, Meant, asking_pieces, conditions, features, matched
from foveal.rules.recall.question import Question
from foveal.rules.recall.relevance import Calibration, outlook, signals
from foveal.rules.recall.updates import ABOVE, update

# How many candidates are read for their pieces.
READ = 100

# The parts that a score is told in, and the features each sums up.
PARTS = {
    "words": ("words", "words_alone", "tool_words"),
    "meaning": ("meaning", "cosine", "cosine_before", "cosine_after"),
    "pieces": ("pieces",),
    "answers": ("answers_words", "answers_meaning"),
    "asks": (
        "asks",
        "asks_briefly",
        "asks_meaning",
        "asks_words",
        "asks_pieces",
        "asks_also",
        "asks_also_briefly",
        "ends_asking",
        "assistant_asks",
    ),
    "substance": ("brief", "long", "acknowledges"),
    "role": ("assistant", "tool", "own"),
    "speaker": ("speaks", "speaks_own", "spoken_of", "spoken_of_before"),
    "kind": ("names", "number", "wants_number", "wants_time", "wants_name"),
    "rules": ("rules",),
    "change": ("changes", "changes_recent", "recent"),
    "time": ("span", "span_brief"),
}

Table = Mapping[str, Mapping[str, float]]


class Weights(Struct, frozen=True, kw_only=True):
    """What was learned for one class of encoders: the weights of features under each condition, for a first cut
    without pieces and for the whole; those that tell what replaces an earlier statement; and the calibration."""

    first: Table
    whole: Table
    update: Mapping[str, float]
    update_from: float
    relevance: Calibration


class Ranked(Struct, frozen=True):
    """The score of every candidate with its parts by name, which add up to it, and the outlook of the question.

    `older` is the row of a candidate that a later one, the row `newer`, seems to replace.
    """

    scores: Floats
    parts: Mapping[str, Floats]
    outlook: float
    newer: int | None = None
    older: int | None = None


def ranked(question: Question, meant: Meant, frame: Frame, likeness: Likeness, weights: Weights) -> Ranked:
    """How well every candidate answers."""
    count = len(frame.ids)
    if not count:
        return Ranked(np.zeros(0, np.float32), {}, 0.0)
    given = conditions(question, frame)
    found = features(question, meant, frame)
    first = weighed(found, given, weights.first)
    best = np.argsort(-added(first.values(), count), kind="stable")[:READ]
    match = matched(meant, frame, best, likeness)
    found["pieces"] = np.full(count, match.score.min(), np.float32)
    found["pieces"][best] = match.score
    found["asks_pieces"] = asking_pieces(frame, found)
    parts = told(weighed(found, given, weights.whole))
    scores = added(parts.values(), count)
    newer = older = None
    replaced = update(question, meant, frame, scores, given, weights.update)
    if replaced is not None and replaced.chance >= weights.update_from:
        newer, older = replaced.later, replaced.earlier
        parts["change"][newer] += max(0.0, float(scores[older] + ABOVE - scores[newer]))
        scores[newer] = max(scores[newer], scores[older] + ABOVE)
    prospects = outlook(signals(question, meant, frame, scores, found, match), weights.relevance)
    return Ranked(scores, parts, prospects, newer, older)


def told(features_weighed: Mapping[str, Floats]) -> dict[str, Floats]:
    """The parts that weighed features add up to."""
    parts = {
        part: [features_weighed[name] for name in names if name in features_weighed]
        for part, names in PARTS.items()
    }
    return {part: added(columns, len(columns[0])) for part, columns in parts.items() if columns}


def added(columns: Iterable[Floats], count: int) -> Floats:
    """The sum of columns of numbers."""
    return sum(columns, np.zeros(count, np.float32))


def weighed(found: Mapping[str, Floats], given: Mapping[str, float], weights: Table) -> dict[str, Floats]:
    """Each feature times its weight under the conditions that are given.

    >>> weighed({"words": np.ones(1, np.float32)}, {"always": 1, "task": 1}, {"words": {"always": 2, "task": -0.5}})
    {'words': array([1.5], dtype=float32)}
    """
    return {
        name: (sum(weight * given[condition] for condition, weight in weights[name].items()) * column).astype(
            np.float32
        )
        for name, column in found.items()
        if name in weights
    }
