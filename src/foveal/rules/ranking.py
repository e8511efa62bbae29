"""How well candidates answer a question: a few features, weighed and added."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.trace import Floats, Frame, Rows
from foveal.rules.asking import ROLES, Question
from foveal.rules.dates import Span, closeness
from foveal.rules.weighing import rarities

# How much of a neighbour's words, and of its pieces, counts for a record: 3, 2, 1 before it and 1, 2, 3 after.
WORD_REACH = (0.2, 0.4, 0.6, 0.5, 0.3, 0.15)
PIECE_REACH = (0.2, 0.5, 0.9, 0.7, 0.4, 0.2)
BEFORE = 2
# A neighbour of this many terms counts half: in long messages the neighbours say other things.
SHORT = 30
# A neighbour that counts less than this is not read for its pieces.
LEAST_SHARE = 0.25
# Two pieces whose cosine is below this have nothing in common.
FLOOR = 0.2
# How many candidates are read for their pieces.
READ = 100
# How many pieces of each are compared in one step.
AT_ONCE = 8

WEIGHTS = {
    "words": 2.83,
    "answers": 2.70,
    "asks": -0.54,
    "meaning": 1.60,
    "speaker": 0.96,
    "role": 2.26,
    "time": 6.81,
    "when": 1.80,
    "pieces": 9.41,
}
# The weights for the first cut, before pieces are read.
FIRST = {
    "words": 5.54,
    "answers": 2.54,
    "asks": -0.55,
    "meaning": 2.58,
    "speaker": 0.96,
    "role": 2.32,
    "time": 7.46,
    "when": 1.88,
}

Likeness = Callable[[NDArray[np.int64], NDArray[np.int64]], Floats]


class Meant(Struct, frozen=True, kw_only=True):
    """The distinct word pieces of a question, by number, and how much each counts."""

    numbers: NDArray[np.int64]
    factors: Floats


def ranked(
    question: Question,
    meant: Meant,
    frame: Frame,
    likeness: Likeness,
) -> tuple[Floats, dict[str, Floats]]:
    """The score of every candidate, and its weighted parts by name, which add up to it."""
    if not frame.ids:
        return np.zeros(0, np.float32), {}
    found = features(question, frame)
    first = sum((FIRST[name] * column for name, column in found.items()), np.zeros(len(frame.ids), np.float32))
    best = np.argsort(-first, kind="stable")[:READ]
    read = piece_likeness(meant, frame, best, likeness)
    found["pieces"] = np.full(len(frame.ids), read.min(), np.float32)
    found["pieces"][best] = read
    parts = {name: (WEIGHTS[name] * column).astype(np.float32) for name, column in found.items()}
    return np.sum(list(parts.values()), axis=0), parts


def features(question: Question, frame: Frame) -> dict[str, Floats]:
    """What can be said of each candidate without reading its pieces."""
    rows, before = np.arange(len(frame.ids)), frame.near[:, BEFORE]
    gate = _gate(frame)
    found = {
        "words": _window(frame, gate),
        # The answer to a question often stands in the turn after it, in other words.
        "answers": frame.words[before] * gate[before] * frame.asks[before],
        "asks": frame.ends_asking[rows],
        "meaning": (frame.cosine - frame.cosine_mean) / (5 * max(1e-6, frame.cosine_spread)),
    }
    if question.named:
        certainty = 1.0 if len(question.named) == 1 else 0.5
        match = np.array([speaker == question.named[0] for speaker in frame.speakers])[frame.speaker]
        found["speaker"] = np.where(match, certainty, -certainty).astype(np.float32)
    if question.own_role:
        side = np.array([_side(speaker) for speaker in frame.speakers], np.float32)
        found["role"] = side[frame.speaker]
    if question.spans:
        found["time"] = _closeness(frame, rows, question.spans)
    if question.asks_when:
        found["when"] = frame.tells_time[rows]
    return found


def _closeness(frame: Frame, rows: Rows, asked: Sequence[Span]) -> Floats:
    """How well the days that each candidate tells of meet those asked for."""
    starts, counts = frame.spans.at(rows)
    told = frame.spans.flat[np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
    best = np.maximum.reduceat(closeness(told, asked), np.cumsum(counts) - counts)
    return best.astype(np.float32)


def _side(speaker: str) -> float:
    user, assistant = ROLES
    return {user: 1.0, assistant: -1.0}.get(speaker.lower(), 0.0)


def _gate(frame: Frame) -> Floats:
    gate = (SHORT / (SHORT + frame.lengths)).astype(np.float32)
    gate[-1] = 0.0
    return gate


def _window(frame: Frame, gate: Floats) -> Floats:
    """BM25 of each candidate with its neighbours, whose words count less the further and the longer they are."""
    count = len(frame.ids)
    if not len(frame.factors):
        return np.zeros(count, np.float32)
    wide, length = frame.times[:, :count].copy(), frame.lengths[:count].copy()
    for place, reach in enumerate(WORD_REACH):
        rows = frame.near[:, place]
        share = reach * gate.take(rows)
        wide += frame.times.take(rows, axis=1) * share
        length += share * frame.lengths.take(rows)
    weights = rarities(frame.term_holders, frame.records) * frame.factors
    score = weights @ (wide * 2 / (wide + 0.4 + 0.6 * length / max(float(length.mean()), 1.0)))
    return (score / max(float(score.max()), 1e-9)).astype(np.float32)


def piece_likeness(meant: Meant, frame: Frame, rows: NDArray[np.int64], likeness: Likeness) -> Floats:
    """Late interaction: for each piece of the question, the best cosine among a candidate's pieces.

    Those of its neighbours count too, damped; rare pieces of the question count most; a record of very many
    pieces meets anything by chance, so it counts less.
    """
    gate = _gate(frame)
    near = frame.near[rows]
    share = np.array(PIECE_REACH, np.float32) * gate.take(near)
    read = np.zeros(len(gate), np.bool_)
    read[rows] = True
    read[near[share >= LEAST_SHARE]] = True
    weights = rarities(frame.piece_holders, frame.records) ** 2 * meant.factors
    best = _best_likeness(meant.numbers, frame, np.flatnonzero(read), likeness)
    wide = best.take(rows, axis=0)
    for place in range(near.shape[1]):
        np.maximum(wide, best.take(near[:, place], axis=0) * share[:, place, None], out=wide)
    _, sizes = frame.pieces.at(rows)
    return (wide @ (weights / max(float(weights.sum()), 1e-9)) / (1 + np.log1p(sizes / 20) / 3)).astype(np.float32)


def _best_likeness(asked: Rows, frame: Frame, rows: Rows, likeness: Likeness) -> Floats:
    """For every row of the frame and every piece asked for, the likeness of the row's best piece; 0 where not read.

    Rows are gone through side by side, a few pieces of each at once, the longest first: so every step is one
    operation on a block, and what has fewer pieces drops out of the later ones.
    """
    best = np.zeros((len(frame.lengths), len(asked)), np.float32)
    starts, counts = frame.pieces.at(rows)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    if not len(order) or not len(asked):
        return best
    rows, starts, counts = rows[order], starts[order], counts[order]
    steps: list[NDArray[np.uint16]] = []
    present = np.zeros(1 << 16, np.bool_)
    for first in range(0, int(counts[0]), AT_ONCE):
        left = int(np.searchsorted(-counts, -first))
        # A row that ends within the step repeats its last piece, which changes no maximum.
        places = starts[:left] + np.minimum(np.arange(first, first + AT_ONCE)[:, None], counts[:left] - 1)
        steps.append(frame.pieces.flat.take(places))
        present[steps[-1]] = True
    numbers = np.flatnonzero(present)
    place = np.empty(1 << 16, np.int64)
    place[numbers] = np.arange(len(numbers))
    cosine = likeness(numbers, asked)
    found = np.full((len(rows), len(asked)), FLOOR, np.float32)
    for pieces in steps:
        some = found[: pieces.shape[1]]
        np.maximum(some, cosine.take(place.take(pieces), axis=0).max(axis=0), out=some)
    best[rows] = (found - np.float32(FLOOR)) / np.float32(1 - FLOOR)
    return best
