"""How likely a hit is to help, as a number from 0 to 1 that means the same for every question."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from foveal.model.search import Floats, Frame, Trait
from foveal.rules.recall.features import Matched, Meant, piece_weights
from foveal.rules.recall.question import Question

# What is less relevant than this is almost surely of no help.
LEAST = 0.0055
# Log odds beyond this are as good as certain.
FARTHEST = 30.0
# That a question is still surer to be about this memory than by these log odds says nothing more of its hits.
SURE = 1.0
# How fast the first steps behind the best count more than those far behind it.
STEEP = 3.0
# Of so many of the best it is asked what of the question they cover.
LOOKED_AT = 10
# A piece of the question that counts at least this much tells something; one that is matched less is not covered.
TELLING, COVERED = 0.75, 0.4


class Calibration(Struct, frozen=True, kw_only=True):
    """The learned numbers: of a question that is about this memory at all, of one that it can answer, and of a hit.

    Each signal has a mean, a deviation, and a weight in one or both of the first two.
    """

    signals: Mapping[str, tuple[float, float]]
    about: Mapping[str, float]
    answered: Mapping[str, float]
    hit: Mapping[str, float]


def relevances(scores: Floats, outlook: float, calibration: Calibration) -> Floats:
    """The chance that each candidate helps, by how far it is behind the best and by the outlook of the question.

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
    """What the relevance is made of: parts that add up to its log odds. `question` is what depends on all that was
    found, not on the hit alone."""
    own = sum(parts.values(), np.zeros(len(scores), np.float32))
    return {"question": _log_odds(scores, outlook, calibration) - own, **parts}


def _log_odds(scores: Floats, outlook: float, calibration: Calibration) -> Floats:
    hit = calibration.hit
    logit = hit["always"] + outlook + hit["behind"] * behind(scores)
    bent = logit + hit["bend"] * np.maximum(0, logit - hit["from"])
    return np.clip(bent, -FARTHEST, FARTHEST).astype(np.float32)


def behind(scores: Floats) -> Floats:
    """How far each candidate is behind the best, at most 0: the further, the less each step counts.

    >>> behind(np.array([5, 4, 1], np.float32)).astype(float).round(1).tolist()
    [-0.0, -1.4, -2.6]
    """
    best = float(scores.max()) if len(scores) else 0.0
    return -np.log1p(STEEP * (best - scores))


def outlook(signals: Mapping[str, float], calibration: Calibration) -> float:
    """How good the prospects of a question are: is it about what this memory holds, can that answer it, and does
    the best candidate stand out?

    The two are different: what is far from everything is not about this memory, and what is near to something that
    leaves out just what is asked for cannot be answered.
    """
    about, answered = prospects(signals, calibration)
    hit = calibration.hit
    return hit["about"] * about + hit["answered"] * answered + hit["certainty"] * signals["certainty"]


def prospects(signals: Mapping[str, float], calibration: Calibration) -> tuple[float, float]:
    """The log odds that a question is about this memory, and the logarithm of the chance that it is answered."""
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
    question: Question, meant: Meant, frame: Frame, scores: Floats, found: Mapping[str, Floats], match: Matched
) -> dict[str, float]:
    """What tells whether a memory can answer a question: how well its best candidates cover it, and stand out."""
    best = np.argsort(-scores, kind="stable")[:LOOKED_AT]
    top = int(best[0])
    of_names = np.array([term in question.proper for term in question.terms], bool)
    weights = piece_weights(meant, frame)
    telling = meant.piece_factors >= min(TELLING, float(meant.piece_factors.max(initial=0)))
    told = meant.piece_factors * telling
    alone, beside = match.pieces[top], match.around[top]
    any_of, all_of = match.pieces[best].max(axis=0), match.pieces.max(axis=0)
    chances = np.exp(scores - scores[top])
    chances = chances / chances.sum()
    terms = len(meant.factors) - meant.names
    missing = np.ones(terms, np.float32)
    missing[frame.looked[frame.looked < terms]] = 0
    factors = meant.factors[:terms]
    person = sum(float(found[name][top]) for name in ("speaks", "spoken_of") if name in found)
    return {
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
        "store_covered": float(np.average(all_of, weights=told)) if telling.any() else 0.0,
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
    """The least of some values, or the one after it."""
    return float(np.sort(values)[min(place, len(values) - 1)]) if len(values) else 0.0
