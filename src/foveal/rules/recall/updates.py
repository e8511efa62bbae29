"""Which of the candidates says anew what another said before: of two such statements the later one counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.trace import PASSAGE, Floats, Frame, Rows, Trait
from foveal.rules.recall.features import Meant, recency
from foveal.rules.recall.question import Question

# The best so many may be outdated, by one of the best so many.
OUTDATED, LATER = 3, 30
# A piece that weighs less stands in every text.
TELLING = 0.9
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
    rows, found = pairs(question, meant, frame, scores, best, given)
    # Only what says that something changed, of something that both speak of, can replace another statement.
    likely = (found["changes"] > 0) & (found["alike"] > 0)
    rows, found = rows[likely], {name: column[likely] for name, column in found.items()}
    if not len(rows):
        return None
    logit = sum(
        (weights.get(name, 0.0) * column for name, column in found.items()), np.zeros(len(rows), np.float64)
    )
    place = int(np.argmax(logit))
    earlier, later = best[rows[place]].tolist()
    return Update(later, earlier, float(1 / (1 + np.exp(-logit[place]))))


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
    alike, asked, other = (column[old, new].astype(np.float64) for column in _alikeness(meant, frame, best))
    changes = (traits & Trait.CHANGES > 0).astype(np.float64)[new]
    wanted = (traits & int(question.wants) > 0).astype(np.float64)[new] if question.wants else np.ones(len(new))
    ones, past = np.ones(len(new)), float(question.past)
    return rows, {
        "always": ones,
        "alike": alike,
        "alike_asked": asked,
        "alike_else": other,
        "changes": changes,
        "changes_alike": changes * alike,
        "wanted": wanted,
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


def _alikeness(meant: Meant, frame: Frame, best: Rows) -> tuple[Floats, ...]:
    """How much rare wording the best share, pair by pair: in all, of what is asked, and beyond that."""
    every = np.arange(len(frame.ids))
    starts, counts = frame.pieces.at(every)
    places = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
    holders = np.bincount(frame.pieces.flat.take(places), minlength=PASSAGE + 1).astype(np.float32)
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
    asked = np.isin(numbers, meant.numbers)
    shared = (held * rarity) @ held.T
    length = np.sqrt(np.diag(shared)) + 1e-9
    of_question = (held * rarity * asked) @ held.T / max(float(rarity[asked].sum()), 1e-6)
    beyond = np.sqrt((held * rarity * ~asked) @ held.T) / 4
    found = (shared / length[:, None] / length, of_question, beyond)
    return tuple(column.astype(np.float32) for column in found)
