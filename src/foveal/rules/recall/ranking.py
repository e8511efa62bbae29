"""How well candidates answer a question: features, weighed by the kind of question, and added."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from foveal.model.search import Floats, Frame
from foveal.rules.recall.features import Likeness, Meant, conditions, features, matched, of_pieces
from foveal.rules.recall.question import Question
from foveal.rules.recall.relevance import Calibration, outlook, signals
from foveal.rules.recall.updates import ABOVE, update

# How many candidates are read for their pieces.
READ = 100
# Where somebody may see so many records at most, nearly everything stands out, so that this tells little.
FEW = 20

# The parts that a score is told in, and the features each sums up.
PARTS = {
    "words": ("words", "words_alone", "tool_words"),
    "meaning": ("meaning", "cosine", "cosine_before", "cosine_after"),
    "pieces": ("pieces",),
    "answers": ("answers_words", "answers_meaning", "answers_later"),
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

_PART_OF = {name: place for place, names in enumerate(PARTS.values()) for name in names}

Table = Mapping[str, Mapping[str, float]]


class Weights(Struct, frozen=True, kw_only=True):
    """What was learned for one class of encoders: the weights of features under each condition, for a first cut
    without pieces and for the whole; those that tell what replaces an earlier statement; and the calibration of
    relevance, another one where there are `FEW` candidates or less."""

    first: Table
    whole: Table
    update: Mapping[str, float]
    update_from: float
    relevance: Calibration
    relevance_of_few: Calibration

    def calibration(self, candidates: int) -> Calibration:
        """How relevance is told of so many candidates."""
        return self.relevance_of_few if candidates <= FEW else self.relevance


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
    # A product of matrices may raise the flag of an invalid number by what it computes beside the result.
    with np.errstate(invalid="ignore"):
        return _ranked(question, meant, frame, likeness, weights)


def _ranked(question: Question, meant: Meant, frame: Frame, likeness: Likeness, weights: Weights) -> Ranked:
    count = len(frame.ids)
    given = conditions(question, frame)
    found = features(question, meant, frame)
    best = np.argsort(-scored(found, given, weights.first), kind="stable")[:READ]
    match = matched(meant, frame, best, likeness)
    pieces = np.full(count, match.score.min(), np.float32)
    pieces[best] = match.score
    found |= of_pieces(frame, pieces)
    parts = told(found, given, weights.whole)
    scores = sum(parts.values(), np.zeros(count, np.float32))
    newer = older = None
    replaced = update(question, meant, frame, scores, given, weights.update)
    if replaced is not None and replaced.chance >= weights.update_from:
        newer, older = replaced.later, replaced.earlier
        parts["change"][newer] += max(0.0, float(scores[older] + ABOVE - scores[newer]))
        scores[newer] = max(scores[newer], scores[older] + ABOVE)
    calibration = weights.calibration(count)
    prospects = outlook(signals(question, meant, frame, scores, found, match), calibration)
    return Ranked(scores, parts, prospects, newer, older)


def told(found: Mapping[str, Floats], given: Mapping[str, float], weights: Table) -> dict[str, Floats]:
    """The parts that a score is the sum of, for every candidate."""
    names, worth, columns = _weighed(found, given, weights)
    part_of = [_PART_OF[name] for name in names]
    shares = np.zeros((len(PARTS), len(names)), np.float32)
    shares[part_of, np.arange(len(names))] = worth
    sums = shares @ columns
    return {part: sums[place] for place, part in enumerate(PARTS) if place in part_of}


def scored(found: Mapping[str, Floats], given: Mapping[str, float], weights: Table) -> Floats:
    """The score of every candidate: its features, each times its weight under the conditions that are given.

    >>> weights = {"words": {"always": 2, "task": -0.5}}
    >>> scored({"words": np.ones(1, np.float32)}, {"always": 1, "task": 1}, weights)
    array([1.5], dtype=float32)
    """
    _, worth, columns = _weighed(found, given, weights)
    return worth @ columns


def _weighed(
    found: Mapping[str, Floats], given: Mapping[str, float], weights: Table
) -> tuple[list[str], Floats, Floats]:
    """The features that have a weight: their names, what each weighs, and their columns as rows of one array."""
    names = [name for name in found if name in weights]
    worth = [sum(weight * given[condition] for condition, weight in weights[name].items()) for name in names]
    return names, np.array(worth, np.float32), np.array([found[name] for name in names], np.float32)
