"""Which of the candidates says anew what another said before: of two such statements the later one counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.search import PASSAGE, Floats, Frame, Rows, Trait
from foveal.rules.recall.features import Meant, recency
from foveal.rules.recall.question import Question

# The best so many may be outdated, by one of the best so many.
OUTDATED, LATER = 3, 30
# How rare a piece is, is counted in so many of the best candidates.
COUNTED = 100
# A piece that weighs less stands in every text.
TELLING = 0.9
# Two candidates that are at least so much alike speak of the same.
ALIKE = 0.1
# How much above what it replaces a later statement is put.
ABOVE = 0.01


class Update(Struct, frozen=True):
    """A candidate that replaces another, by the rows of both, and how likely it does."""

    later: int
    earlier: int
    chance: float


def update(
    question: Question,
    meant: Meant,
    frame: Frame,
    scores: Floats,
    given: Mapping[str, float],
    weights: Mapping[str, float],
) -> Update | None:
    """The likeliest update among the best candidates; none where the question asks what was so before."""
    if question.before or len(scores) < 2:
        return None
    best = np.argsort(-scores, kind="stable")[:LATER]
    # Only what says that something changed, of something that both speak of, can replace another statement.
    if not (frame.traits[best] & Trait.CHANGES.value).any():
        return None
    rows, found = pairs(question, meant, frame, scores, best, given)
    likely = (found["changes"] > 0) & (found["alike"] >= ALIKE) & _of_the_kind(question, frame, best, rows)
    rows, found = rows[likely], {name: column[likely] for name, column in found.items()}
    if not len(rows):
        return None
    logit = sum(
        (weights.get(name, 0.0) * column for name, column in found.items()), np.zeros(len(rows), np.float64)
    )
    place = int(np.argmax(logit))
    earlier, later = best[rows[place]].tolist()
    return Update(later, earlier, float(1 / (1 + np.exp(-logit[place]))))


def _of_the_kind(question: Question, frame: Frame, best: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Whether the later of each pair has the kinds of answer that are wanted, as far as the earlier has them."""
    traits = frame.traits[best] & int(question.wants)
    earlier, later = traits[rows[:, 0]], traits[rows[:, 1]]
    return (earlier & ~later) == 0


def pairs(
    question: Question, meant: Meant, frame: Frame, scores: Floats, best: Rows, given: Mapping[str, float]
) -> tuple[Rows, dict[str, NDArray[np.float64]]]:
    """Pairs of places among the best, an earlier statement and a later one that ranks below it, with features."""
    moment, traits = recency(frame)[best], frame.traits[best]
    size = len(best)
    first, second = np.meshgrid(np.arange(min(OUTDATED, size)), np.arange(size), indexing="ij")
    chosen = (second > first) & (moment[second] > moment[first])
    rows = np.stack([first[chosen], second[chosen]], axis=1)
    old, new = rows[:, 0], rows[:, 1]
    alike, asked, other = (column[old, new].astype(np.float64) for column in _alikeness(meant, frame, scores, best))
    changes = (traits & Trait.CHANGES > 0).astype(np.float64)[new]
    wanted = (traits & int(question.wants) > 0).astype(np.float64)[new] if question.wants else np.ones(len(new))
    numbers, named = (
        ((traits[old] & traits[new] & trait.value) > 0).astype(np.float64) for trait in (Trait.NUMBER, Trait.NAMES)
    )
    # Of those that speak of the same, the moment of the newest, for each that may be outdated.
    newest = np.zeros(OUTDATED)
    np.maximum.at(newest, old[alike > ALIKE], moment[new][alike > ALIKE])
    ones, past = np.ones(len(new)), float(question.past)
    return rows, {
        "always": ones,
        "alike": alike,
        "alike_asked": asked,
        "alike_else": other,
        "changes": changes,
        "changes_alike": changes * alike,
        "wanted": wanted,
        "numbers": numbers,
        "numbers_wanted": numbers * (Trait.NUMBER in question.wants),
        "names_wanted": named * (Trait.NAMES in question.wants),
        "gap": (moment[new] - moment[old]).astype(np.float64),
        "newest": (moment[new] >= newest[old]).astype(np.float64),
        "after_question": (traits & Trait.ASKS > 0).astype(np.float64)[old],
        "behind": np.minimum((scores[best[old]] - scores[best[new]]) / 4, 2).astype(np.float64),
        "same_speaker": (frame.speaker[best[old]] == frame.speaker[best[new]]).astype(np.float64),
        "asks": (traits & Trait.ONLY_ASKS > 0).astype(np.float64)[new],
        "assistant": (traits & Trait.ASSISTANT > 0).astype(np.float64)[new],
        "tool": (traits & Trait.TOOL > 0).astype(np.float64)[new],
        "rank": old / 4,
        "brief": np.minimum(np.log1p(frame.lengths[best[new]]), 2.5).astype(np.float64),
        "past": past * ones,
        "past_changes": past * changes,
        "past_alike": past * alike,
        "task": given["task"] * ones,
        "named": given["named"] * ones,
        "long": given["long"] * ones,
        "several": float(question.several) * ones,
    }


def _alikeness(meant: Meant, frame: Frame, scores: Floats, best: Rows) -> tuple[Floats, ...]:
    """How much rare wording the first of the best share with each: in all, of what is asked, and beyond that."""
    every = np.argsort(-scores, kind="stable")[:COUNTED]
    starts, counts = frame.pieces.at(every)
    places = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
    holders = np.bincount(frame.pieces.flat.take(places), minlength=PASSAGE + 1)
    starts, counts = frame.pieces.at(best)
    places = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
    numbers, columns = np.unique(frame.pieces.flat.take(places), return_inverse=True)
    held = np.zeros((len(best), len(numbers)), np.float32)
    held[np.repeat(np.arange(len(best)), counts), columns] = 1
    rarity = np.maximum(np.log((len(every) + 1) / (holders[numbers] + 0.5)), 0) ** 2
    # Words of every text are rare in a small memory, too, but tell nothing there either.
    worded = numbers != PASSAGE
    rarity[worded] *= meant.telling(numbers[worded].astype(np.int64)) >= TELLING
    rarity[~worded] = 0
    asked = np.zeros(PASSAGE + 1, np.bool_)
    asked[meant.numbers] = True
    asked = asked.take(numbers)
    rarity = rarity.astype(np.float32)
    length = np.sqrt(held @ rarity) + 1e-9
    first = held[:OUTDATED] * rarity
    of_asked = (first * asked) @ held.T
    other = (first * ~asked) @ held.T
    shared = (of_asked + other) / length[:OUTDATED, None] / length
    found = (shared, of_asked / max(float(rarity[asked].sum()), 1e-6), np.sqrt(other) / 4)
    return tuple(column.astype(np.float32) for column in found)
