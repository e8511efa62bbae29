"""How well candidates answer a question: a few features, weighed and added."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.trace import Floats, Frame
from foveal.rules.asking import ROLES, Question
from foveal.rules.dates import closeness
from foveal.rules.weighing import rarities

# How much of a neighbour's words, and of its pieces, counts for a record: 3, 2, 1 before it and 1, 2, 3 after.
WORD_REACH = (0.2, 0.4, 0.6, 0.5, 0.3, 0.15)
PIECE_REACH = (0.2, 0.5, 0.9, 0.7, 0.4, 0.2)
BEFORE = 2
# A neighbour of this many terms counts half: in long messages the neighbours say other things.
SHORT = 30
# A neighbour that counts less than this is not read for its pieces.
LEAST_GATE = 0.25
# Two pieces whose cosine is below this have nothing in common.
FLOOR = 0.2
# How many candidates are read for their pieces.
READ = 100

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
    factors: Floats,
    frame: Frame,
    likeness: Likeness,
) -> tuple[Floats, dict[str, Floats]]:
    """The score of every candidate, and its weighted parts by name, which add up to it."""
    if not frame.ids:
        return np.zeros(0, np.float32), {}
    found = features(question, factors, frame)
    first = sum((FIRST[name] * column for name, column in found.items()), np.zeros(len(frame.ids), np.float32))
    best = np.argsort(-first, kind="stable")[:READ]
    read = piece_likeness(meant, frame, best, likeness)
    found["pieces"] = np.full(len(frame.ids), read.min(), np.float32)
    found["pieces"][best] = read
    parts = {name: (WEIGHTS[name] * column).astype(np.float32) for name, column in found.items()}
    return np.sum(list(parts.values()), axis=0), parts


def features(question: Question, factors: Floats, frame: Frame) -> dict[str, Floats]:
    """What can be said of each candidate without reading its pieces."""
    rows, before = np.arange(len(frame.ids)), frame.near[:, BEFORE]
    gate = _gate(frame)
    found = {
        "words": _window(frame, factors, gate),
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
        found["time"] = np.array([closeness(told, question.spans) for told in frame.spans], np.float32)
    if question.asks_when:
        found["when"] = frame.tells_time[rows]
    return found


def _side(speaker: str) -> float:
    user, assistant = ROLES
    return {user: 1.0, assistant: -1.0}.get(speaker.lower(), 0.0)


def _gate(frame: Frame) -> Floats:
    gate = (SHORT / (SHORT + frame.lengths)).astype(np.float32)
    gate[-1] = 0.0
    return gate


def _window(frame: Frame, factors: Floats, gate: Floats) -> Floats:
    """BM25 of each candidate with its neighbours, whose words count less the further and the longer they are."""
    count = len(frame.ids)
    if not len(factors):
        return np.zeros(count, np.float32)
    wide, length = frame.times[:, :count].copy(), frame.lengths[:count].copy()
    for reach, rows in zip(WORD_REACH, frame.near.T, strict=True):
        share = reach * gate[rows]
        wide += frame.times[:, rows] * share
        length += share * frame.lengths[rows]
    weights = rarities(frame.term_holders, frame.records) * factors
    score = weights @ (wide * 2 / (wide + 0.4 + 0.6 * length / max(float(length.mean()), 1.0)))
    return (score / max(float(score.max()), 1e-9)).astype(np.float32)


def piece_likeness(meant: Meant, frame: Frame, rows: NDArray[np.int64], likeness: Likeness) -> Floats:
    """Late interaction: for each piece of the question, the best cosine among a candidate's pieces.

    Those of its neighbours count too, damped; rare pieces of the question count most; a record of very many
    pieces meets anything by chance, so it counts less.
    """
    gate = _gate(frame)
    near = frame.near[rows]
    around = np.unique(np.concatenate([rows, near[gate[near] >= LEAST_GATE]]))
    held: dict[int, NDArray[np.uint16]] = {}
    for row in around.tolist():
        if row < len(frame.pieces):
            held[row] = frame.pieces[row]
    held = {row: pieces for row, pieces in held.items() if len(pieces)}
    best = np.zeros((len(meant.numbers), len(gate)), np.float32)
    if held and len(meant.numbers):
        flat = np.concatenate(list(held.values()))
        starts = np.cumsum([0, *map(len, held.values())])[:-1]
        present = np.bincount(flat) > 0
        where = (np.cumsum(present) - 1)[flat]
        cosine = likeness(meant.numbers, np.flatnonzero(present))
        like = (np.maximum(cosine - FLOOR, 0) / (1 - FLOOR)).astype(np.float32)
        for row, one in zip(best, like, strict=True):
            row[list(held)] = np.maximum.reduceat(one[where], starts)
    wide = best[:, rows]
    for reach, others in zip(PIECE_REACH, near.T, strict=True):
        np.maximum(wide, best[:, others] * (reach * gate[others]), out=wide)
    weights = rarities(frame.piece_holders, frame.records) ** 2 * meant.factors
    sizes = np.array([len(held.get(row, ())) for row in rows.tolist()], np.float32)
    return (weights / max(float(weights.sum()), 1e-9) @ wide / (1 + np.log1p(sizes / 20) / 3)).astype(np.float32)
