"""Ranking candidates: weighted features, second opinions, updates of older statements, and calibrated relevance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.search import PASSAGE, CandidateTable, Floats, Rows, Trait
from foveal.rules.recall.features import (
    AFTER,
    BEFORE,
    SECOND_BEFORE,
    Fine,
    Likeness,
    Matched,
    Meant,
    conditions,
    features,
    matched,
    of_fine,
    of_pieces,
    piece_weights,
    recency,
)
from foveal.rules.recall.question import Question

WEIGHT = 1.5


def second_opinions(scores: Sequence[float], opinions: Sequence[float]) -> list[float]:
    """What opinions on any scale add to scores: from 0 to 1.5 times the range of the scores.

    So the second opinion weighs more than the first. No addition is negative, so that a candidate with an opinion
    never falls behind one without.

    >>> second_opinions([5.0, 4.0, 3.0], [-9.0, 1.0, 11.0])
    [0.0, 1.5, 3.0]
    """
    low, high = min(opinions, default=0.0), max(opinions, default=0.0)
    span = WEIGHT * (max(scores) - min(scores)) if scores else 0.0
    return [span * (opinion - low) / (high - low) if high > low else 0.0 for opinion in opinions]


def log_odds(chance: float) -> float:
    """The log odds of a probability, to which parts can add up.

    >>> log_odds(0.5), log_odds(0.9) > 2
    (0.0, True)
    """
    chance = min(max(chance, 1e-9), 1 - 1e-9)
    return math.log(chance / (1 - chance))


def usable(opinions: Sequence[float], wanted: int) -> bool:
    """Whether these are as many finite numbers as were asked for.

    >>> usable([0.5, 1.0], 2), usable([0.5], 2), usable([math.nan], 1)
    (True, False, False)
    """
    return len(opinions) == wanted and all(math.isfinite(opinion) for opinion in opinions)


# A candidate with less relevance than this almost certainly does not help. A read, which spends tokens on what it
# shows, asks for more than a search.
LEAST, LEAST_READ = 0.002, 0.0055
# Log odds beyond this are as good as certain.
FARTHEST = 30.0
# The log odds that a question is about this memory are capped here: more certainty says nothing about its hits.
SURE = 1.0
# How much more the first steps behind the best count than steps far behind it.
STEEP = 3.0
# How many of the best candidates are checked for what they cover of the question.
LOOKED_AT = 10
# A piece of the question with at least this weight is informative; a piece matched less than this is not covered.
TELLING_PIECE, COVERED = 0.75, 0.4


class Calibration(Struct, frozen=True, kw_only=True):
    """The learned numbers for whether a question is about this memory, whether it can be answered, and for a hit.

    Each signal has a mean, a deviation, and a weight in `about`, in `answered`, or in both.
    """

    signals: Mapping[str, tuple[float, float]]
    about: Mapping[str, float]
    answered: Mapping[str, float]
    hit: Mapping[str, float]


def relevances(scores: Floats, outlook: float, calibration: Calibration) -> Floats:
    """The probability that each candidate helps, from its distance to the best and the outlook of the question.

    >>> hit = {"always": 0, "behind": 1, "about": 1, "answered": 1, "bend": 0, "from": 0}
    >>> calibration = Calibration(signals={}, about={}, answered={}, hit=hit)
    >>> best, other = relevances(np.array([3, 1], np.float32), -0.7, calibration).tolist()
    >>> best > 0.3 > other > 0
    True
    """
    return (1 / (1 + np.exp(-_log_odds(scores, outlook, calibration)))).astype(np.float32)


def explained(
    parts: Mapping[str, Floats], scores: Floats, outlook: float, calibration: Calibration
) -> dict[str, Floats]:
    """The parts of each relevance, which add up to its log odds. The part `question` depends on all candidates, not
    on the hit alone."""
    own = sum(parts.values(), np.zeros(len(scores), np.float32))
    return {"question": _log_odds(scores, outlook, calibration) - own, **parts}


def _log_odds(scores: Floats, outlook: float, calibration: Calibration) -> Floats:
    hit = calibration.hit
    logit = hit["always"] + outlook + hit["behind"] * behind(scores)
    bent = logit + hit["bend"] * np.maximum(0, logit - hit["from"])
    return np.clip(bent, -FARTHEST, FARTHEST).astype(np.float32)


def behind(scores: Floats) -> Floats:
    """How far each candidate is behind the best, as a number up to 0; the further, the less each step counts.

    >>> behind(np.array([5, 4, 1], np.float32)).astype(float).round(1).tolist()
    [-0.0, -1.4, -2.6]
    """
    best = float(scores.max()) if len(scores) else 0.0
    return -np.log1p(STEEP * (best - scores))


def outlook(signals: Mapping[str, float], calibration: Calibration) -> float:
    """How promising a question is: whether it is about this memory, whether the memory can answer it, and whether
    the best candidate stands out.

    The first two differ: a question far from everything is not about this memory, and one that is near to something
    that lacks exactly what is asked for cannot be answered.
    """
    about, answered = prospects(signals, calibration)
    hit = calibration.hit
    return hit["about"] * about + hit["answered"] * answered + hit["certainty"] * signals["certainty"]


def prospects(signals: Mapping[str, float], calibration: Calibration) -> tuple[float, float]:
    """The log odds that a question is about this memory, and the log probability that it can be answered."""
    about = _logit(signals, calibration.signals, calibration.about)
    answered = _logit(signals, calibration.signals, calibration.answered)
    return min(about, SURE), -float(np.logaddexp(0, -answered))


def _logit(
    signals: Mapping[str, float], scales: Mapping[str, tuple[float, float]], weights: Mapping[str, float]
) -> float:
    return weights["always"] + sum(
        weight * (signals[name] - scales[name][0]) / scales[name][1]
        for name, weight in weights.items()
        if name != "always"
    )


def signals(
    question: Question,
    meant: Meant,
    frame: CandidateTable,
    scores: Floats,
    found: Mapping[str, Floats],
    match: Matched,
) -> dict[str, float]:
    """The signals for whether a memory can answer: how its best candidates cover the question and stand out."""
    best = np.argsort(-scores, kind="stable")[:LOOKED_AT]
    top = int(best[0])
    of_names = np.array([term in question.proper for term in question.terms], bool)
    weights = piece_weights(meant, frame)
    telling = meant.piece_factors >= min(TELLING_PIECE, float(meant.piece_factors.max(initial=0)))
    informative = meant.piece_factors * telling
    alone, beside = match.pieces[top], match.around[top]
    any_of, all_of = match.pieces[best].max(axis=0), match.pieces.max(axis=0)
    chances = np.exp(scores - scores[top])
    chances = chances / chances.sum()
    terms = len(meant.factors) - meant.names
    missing = np.ones(terms, np.float32)
    missing[frame.looked[frame.looked < terms]] = 0
    factors = meant.factors[:terms]
    person = sum(float(found[name][top]) for name in ("speaks", "spoken_of") if name in found)
    fine = found.get("fine_cosine")
    second = {} if fine is None else {"fine_top": float(fine[top]), "fine_best": float(fine.max())}
    return second | {
        "cosine_top": float(found["cosine"][top]),
        "cosine_best": float(found["cosine"].max()),
        "pieces_top": float(found["pieces"][top]),
        "pieces_best": float(found["pieces"].max()),
        "words_top": float(found["words"][top]),
        "words_best": float(found["words_alone"].max()),
        "absent": float(factors @ missing / max(float(factors.sum()), 1e-9)) if terms else 0.0,
        "least_covered": _least(alone[telling], 0),
        "next_covered": _least(alone[telling], 1),
        "mean_covered": float(alone[telling].mean()) if telling.any() else 0.0,
        "beside_covered": float(beside @ weights),
        "any_covered": float(any_of @ weights),
        "any_next_covered": _least(any_of[telling], 1),
        "any_mean_covered": float(any_of[telling].mean()) if telling.any() else 0.0,
        "any_uncovered": float((any_of[telling] < COVERED).mean()) if telling.any() else 0.0,
        "store_covered": float(np.average(all_of, weights=informative)) if telling.any() else 0.0,
        "names_absent": float(missing[of_names].sum()),
        "names_present": float((1 - missing[of_names]).sum()),
        "certainty": float(np.log(chances[top])),
        "entropy": float(-(chances * np.log(chances + 1e-12)).sum()),
        "lead": float(scores[top] - scores[best[-1]]),
        "terms": terms / 5,
        "task": float(question.task),
        "named": float(bool(question.named)),
        "person": person,
        "wants_number": float(Trait.NUMBER in question.wants),
        "wants_time": float(Trait.TELLS_TIME in question.wants),
    }


def _least(values: Floats, place: int) -> float:
    """The smallest value, or the next smallest for place 1."""
    return float(np.sort(values)[min(place, len(values) - 1)]) if len(values) else 0.0


# How many of the best may be outdated, and among how many of the best the update may be.
OUTDATED, LATER = 3, 30
# The rarity of a piece is counted among this many of the best candidates.
COUNTED = 100
# A piece with a lower weight occurs in every text.
TELLING_TEXT = 0.9
# Two candidates at least this similar are about the same thing.
ALIKE = 0.1
# So are two with fine vectors at least this near to each other.
FINELY_ALIKE = 0.4
# How far a later statement is ranked above the one it replaces.
ABOVE = 0.01


class Update(Struct, frozen=True):
    """A candidate that replaces another: the rows of both, and the probability."""

    later: int
    earlier: int
    chance: float


def update(
    question: Question,
    meant: Meant,
    frame: CandidateTable,
    scores: Floats,
    given: Mapping[str, float],
    weights: Mapping[str, float],
    fine: Fine | None = None,
) -> Update | None:
    """The likeliest update among the best candidates; None if the question asks about the earlier state."""
    if question.before or len(scores) < 2:
        return None
    best = np.argsort(-scores, kind="stable")[:LATER]
    # Only a statement that something changed, about the same thing, can replace another.
    if not (frame.traits[best] & Trait.CHANGES.value).any():
        return None
    rows, found = pairs(question, meant, frame, scores, best, given, fine)
    likely = (found["changes"] > 0) & ((found["alike"] >= ALIKE) | (found["alike_fine"] >= FINELY_ALIKE))
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
    question: Question,
    meant: Meant,
    frame: CandidateTable,
    scores: Floats,
    best: Rows,
    given: Mapping[str, float],
    fine: Fine | None = None,
) -> tuple[Rows, dict[str, NDArray[np.float64]]]:
    """Pairs among the best of an earlier statement and a later one that ranks below it, with their features."""
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
    # For each candidate that may be outdated, the time of the newest one about the same thing.
    newest = np.zeros(OUTDATED)
    np.maximum.at(newest, old[alike > ALIKE], moment[new][alike > ALIKE])
    ones, past = np.ones(len(new)), float(question.past)
    return rows, {
        "always": ones,
        "alike": alike,
        "alike_asked": asked,
        "alike_else": other,
        "alike_fine": _fine_likeness(frame, best, fine)[old, new],
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


def _fine_likeness(frame: CandidateTable, best: Rows, fine: Fine | None) -> NDArray[np.float64]:
    """The cosines of the fine vectors of the first of the best with those of each; 0 where there is none."""
    if fine is None:
        return np.zeros((min(OUTDATED, len(best)), len(best)))
    place = np.full(len(frame.lengths), -1)
    place[fine.rows] = np.arange(len(fine.rows))
    places = place[best]
    vectors = fine.vectors.at(places).vectors * (places >= 0)[:, None]
    return (vectors[:OUTDATED] @ vectors.T).astype(np.float64)


def _alikeness(meant: Meant, frame: CandidateTable, scores: Floats, best: Rows) -> tuple[Floats, ...]:
    """How much rare wording the first of the best share with each: in all, within the question, and beyond it."""
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
    # In a small memory common words can be rare too, but they are no more informative there.
    worded = numbers != PASSAGE
    rarity[worded] *= meant.telling(numbers[worded].astype(np.int64)) >= TELLING_TEXT
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
    columns = (shared, of_asked / max(float(rarity[asked].sum()), 1e-6), np.sqrt(other) / 4)
    return tuple(column.astype(np.float32) for column in columns)


# How many candidates have their pieces read, and how many the second look is for.
READ, LOOKED = 100, 200
# With no more candidates than this, nearly everything stands out, so standing out says little.
FEW = 20

# The parts that explain a score, and the features that each sums up.
PARTS = {
    "words": ("words", "words_alone", "tool_words"),
    "meaning": ("meaning", "cosine", "cosine_before", "cosine_after"),
    "pieces": ("pieces",),
    "second_look": (
        "fine",
        "fine_cosine",
        "fine_whole",
        "fine_before",
        "fine_after",
        "answers_fine",
        "answers_fine_later",
        "asks_fine",
        "leans",
        "leans_own",
        "leans_later",
        "leans_itself",
    ),
    "answers": ("answers_words", "answers_meaning", "answers_later", "answers_late"),
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
    "time": ("span", "span_brief", "span_words", "span_fine", "span_exact", "span_assistant"),
}

_PART_OF = {name: place for place, names in enumerate(PARTS.values()) for name in names}

Table = Mapping[str, Mapping[str, float]]


class Weights(Struct, frozen=True, kw_only=True):
    """The weights learned for one class of encoders: those of features under each condition, for a first pass
    without pieces and for the whole; those that detect updates of earlier statements; and the calibration of
    relevance, with a separate one for `FEW` candidates or fewer. `second` has the weights for rankings with a
    second look, if any were learned."""

    first: Table
    whole: Table
    update: Mapping[str, float]
    update_from: float
    relevance: Calibration
    relevance_of_few: Calibration
    second: Weights | None = None

    def calibration(self, candidates: int) -> Calibration:
        """The calibration of relevance for this number of candidates."""
        return self.relevance_of_few if candidates <= FEW else self.relevance


class Ranked(Struct, frozen=True):
    """The score of every candidate, its parts by name, which add up to it, and the outlook of the question.

    `older` is the row of a candidate that a later one, in row `newer`, seems to replace. `lacking` counts the
    candidates that the second look was for and that had no fine vector; it is None without a second look.
    """

    scores: Floats
    parts: Mapping[str, Floats]
    outlook: float
    newer: int | None = None
    older: int | None = None
    lacking: int | None = None


LookAgain = Callable[[Rows], Fine | None]


def ranked(
    question: Question,
    meant: Meant,
    frame: CandidateTable,
    likeness: Likeness,
    weights: Weights,
    look: LookAgain | None = None,
) -> Ranked:
    """How well each candidate answers the question.

    `look` returns what a second look at rows of the table finds, or None if it finds nothing at all.
    """
    count = len(frame.ids)
    if not count:
        return Ranked(np.zeros(0, np.float32), {}, 0.0)
    # A matrix product may set the invalid flag for padding that it computes besides the result.
    with np.errstate(invalid="ignore"):
        return _ranked(question, meant, frame, likeness, weights, look)


def looked_at(frame: CandidateTable, order: Rows) -> Rows:
    """The rows that the second look is for: the best candidates, and what was said around the very best."""
    wanted = np.zeros(len(frame.lengths), np.bool_)
    wanted[order[:LOOKED]] = True
    wanted[frame.near[order[:READ]][:, [SECOND_BEFORE, BEFORE, AFTER]]] = True
    # The last row is "no record".
    return np.flatnonzero(wanted[:-1])


def _ranked(
    question: Question,
    meant: Meant,
    frame: CandidateTable,
    likeness: Likeness,
    weights: Weights,
    look: LookAgain | None,
) -> Ranked:
    count = len(frame.ids)
    given = conditions(question, frame)
    found = features(question, meant, frame)
    order = np.argsort(-scored(found, given, weights.first), kind="stable")
    best = order[:READ]
    fine = look(looked_at(frame, order)) if look is not None and weights.second is not None else None
    lacking = None if fine is None else fine.lacking
    if fine is not None and not len(fine.rows):
        # The encoder reads none of these texts.
        fine = None
    if fine is not None and weights.second is not None:
        weights = weights.second
        found |= of_fine(question, frame, fine)
    match = matched(meant, frame, best, likeness)
    pieces = np.full(count, match.score.min(), np.float32)
    pieces[best] = match.score
    found |= of_pieces(frame, pieces)
    parts = told(found, given, weights.whole)
    scores = sum(parts.values(), np.zeros(count, np.float32))
    newer = older = None
    replaced = update(question, meant, frame, scores, given, weights.update, fine)
    if replaced is not None and replaced.chance >= weights.update_from:
        newer, older = replaced.later, replaced.earlier
        parts["change"][newer] += max(0.0, float(scores[older] + ABOVE - scores[newer]))
        scores[newer] = max(scores[newer], scores[older] + ABOVE)
    calibration = weights.calibration(count)
    prospects = outlook(signals(question, meant, frame, scores, found, match), calibration)
    return Ranked(scores, parts, prospects, newer, older, lacking)


def told(found: Mapping[str, Floats], given: Mapping[str, float], weights: Table) -> dict[str, Floats]:
    """The parts that add up to the score, for every candidate."""
    names, worth, columns = _weighed(found, given, weights)
    part_of = [_PART_OF[name] for name in names]
    shares = np.zeros((len(PARTS), len(names)), np.float32)
    shares[part_of, np.arange(len(names))] = worth
    sums = shares @ columns
    return {part: sums[place] for place, part in enumerate(PARTS) if place in part_of}


def scored(found: Mapping[str, Floats], given: Mapping[str, float], weights: Table) -> Floats:
    """The score of every candidate: the sum of its features, weighted under the given conditions.

    >>> weights = {"words": {"always": 2, "task": -0.5}}
    >>> scored({"words": np.ones(1, np.float32)}, {"always": 1, "task": 1}, weights)
    array([1.5], dtype=float32)
    """
    _, worth, columns = _weighed(found, given, weights)
    return worth @ columns


def _weighed(
    found: Mapping[str, Floats], given: Mapping[str, float], weights: Table
) -> tuple[list[str], Floats, Floats]:
    """The features with a weight: their names, their weights, and their columns as rows of one array."""
    names = [name for name in found if name in weights]
    worth = [sum(weight * given[condition] for condition, weight in weights[name].items()) for name in names]
    return names, np.array(worth, np.float32), np.array([found[name] for name in names], np.float32)
