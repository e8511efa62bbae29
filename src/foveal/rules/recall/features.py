"""The features of candidates for a question: plain numbers, not yet weighted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.search import PASSAGE, CandidateTable, FineRows, Floats, Rows, Trait
from foveal.rules.dates import Span, closeness
from foveal.rules.recall.index import rarities
from foveal.rules.recall.question import Question

# How much the words and the pieces of a neighbour count for a record: 3, 2, 1 before it and 1, 2, 3 after it.
WORD_REACH = (0.2, 0.4, 0.6, 0.5, 0.3, 0.15)
PIECE_REACH = (0.2, 0.5, 0.9, 0.7, 0.4, 0.2)
SECOND_BEFORE, BEFORE, AFTER = 1, 2, 3
# A neighbour of this many terms counts half, because long messages are usually about other things.
SHORT = 30
# The pieces of a neighbour that counts less than this are not read.
LEAST_SHARE = 0.25
# How much less a pure question, and a remark that also asks, count for the turns around them.
ONLY_ASKED, ALSO_ASKED = 0.8, 0.4
# How much a piece counts that no record contains.
UNHEARD = 0.5
# Two pieces whose cosine is below this have nothing in common.
FLOOR = 0.2
# A remark of no more terms than this is a short one.
FEW = 12
# The mean length of messages, in terms, where people chat, and where they write at length.
SHORT_MEAN, LONG_MEAN = 12, 144
# A question with more terms than the first number is wordy, and fully so with that many more as the second.
USUAL_TERMS, WORDY_TERMS = 5, 6
WANTED = {Trait.NUMBER: "wants_number", Trait.TELLS_TIME: "wants_time", Trait.NAMES: "wants_name"}
# Up to the first number of terms a longer remark says more; beyond the second it only has more words.
BRIEF, LONG = float(np.log1p(12)), float(np.log1p(30))
# A few candidates may all be equally near by chance: their cosines count as spread at least this far.
LEAST_SPREAD = 0.05
# A record matches the days of a question exactly if its closeness is above this.
EXACT = 0.9
# A remark of fewer terms than this leans on the turn before it, the more so the shorter it is: "it pages at 50k".
LEANS = 10
# How many pieces of each passage are compared in one step.
AT_ONCE = 8

Likeness = Callable[[NDArray[np.int64], NDArray[np.int64]], Floats]


class Meant(Struct, frozen=True, kw_only=True):
    """The weights of the words of a question: of its terms, then of the names in it, and of its word pieces.

    `piece_terms` has the term that each piece belongs to, or -1 for none. `telling` returns how much pieces
    say about what a text is about: little if they are very common, and nothing if they are numbers.
    """

    factors: Floats
    names: int
    numbers: NDArray[np.int64]
    piece_factors: Floats
    piece_terms: NDArray[np.int64]
    telling: Callable[[NDArray[np.int64]], Floats]


def conditions(question: Question, frame: CandidateTable) -> dict[str, float]:
    """The conditions that the weights of features depend on: the kind of question, its length, and whether messages
    in the memory are long."""
    return {
        "always": 1.0,
        "long": _long(frame),
        "wordy": min(max((len(question.terms) - USUAL_TERMS) / WORDY_TERMS, 0.0), 1.0),
        "named": float(bool(question.named)),
        "task": float(question.task),
        "addressed": float(question.addressed),
        "own": float(question.own),
        "before": float(question.before),
    }


def _long(frame: CandidateTable) -> float:
    """How long messages are in this memory: 0 where people chat, 1 where they write at length."""
    long = math.log(max(frame.mean_length, 1.0) / SHORT_MEAN) / math.log(LONG_MEAN / SHORT_MEAN)
    return min(max(long, 0.0), 1.0)


def features(question: Question, meant: Meant, frame: CandidateTable) -> dict[str, Floats]:
    """The features of each candidate that do not need its pieces."""
    count = len(frame.ids)
    rows, before, after = np.arange(count), frame.near[:, BEFORE], frame.near[:, AFTER]
    gate, has = _gate(frame), _Traits(frame)
    coverage = _coverage(frame, meant, frame.times, frame.lengths)
    deviation = (frame.cosine - frame.cosine_mean) / (5 * max(1e-6, frame.cosine_spread))
    # A question about what was asked looks for questions.
    asks, only = (has(trait) * (-1 if question.about_asking else 1) for trait in (Trait.ASKS, Trait.ONLY_ASKS))
    assistant, changes = has(Trait.ASSISTANT)[rows], has(Trait.CHANGES)[rows]
    terms = frame.lengths[rows]
    few = (terms <= FEW).astype(np.float32)
    replies = _replies(frame, rows).astype(np.float32)
    recent = recency(frame)
    words = _window(frame, meant, gate)
    columns = {
        "words": words,
        "words_alone": coverage[rows],
        "meaning": deviation[rows],
        "cosine": frame.cosine[rows],
        "cosine_before": (frame.cosine * gate)[before],
        "cosine_after": (frame.cosine * gate)[after],
        # The answer to a question is often in the turn after it, in other words.
        "answers_words": coverage[before] * gate[before] * asks[before] * replies,
        "answers_meaning": np.maximum(deviation, 0)[before] * asks[before] * replies,
        "answers_later": (np.maximum(deviation, 0) * asks)[frame.near[:, SECOND_BEFORE]],
        "asks": only[rows],
        "asks_briefly": only[rows] * few,
        "asks_meaning": asks[rows] * np.maximum(deviation, 0)[rows],
        "asks_words": asks[rows] * coverage[rows],
        "asks_also": (asks - only)[rows],
        "asks_also_briefly": (asks - only)[rows] * few,
        "ends_asking": has(Trait.ENDS_ASKING)[rows] * (not question.about_asking),
        "acknowledges": has(Trait.ACKNOWLEDGES)[rows],
        "brief": np.minimum(np.log1p(terms), BRIEF),
        "long": np.maximum(np.log1p(terms), LONG),
        "assistant": assistant,
        "assistant_asks": assistant * asks[rows],
        "tool": has(Trait.TOOL)[rows],
        "tool_words": has(Trait.TOOL)[rows] * coverage[rows],
        "names": has(Trait.NAMES)[rows],
        "number": has(Trait.NUMBER)[rows],
        "own": has(Trait.FIRST_PERSON)[rows],
        "rules": has(Trait.RULES)[rows],
        "changes": changes,
        "changes_recent": changes * recent,
        "recent": recent,
    }
    for trait, name in WANTED.items():
        if trait in question.wants:
            columns[name] = has(trait)[rows]
    if question.named:
        columns |= _people(question, meant, frame, has)
    if question.spans:
        span = _closeness(frame, rows, question.spans)
        columns["span"] = span
        columns["span_brief"] = span * columns["brief"]
        columns["span_words"] = span * words
        columns["span_exact"] = (span > EXACT).astype(np.float32)
        columns["span_assistant"] = span * assistant
    return columns


class _Traits:
    def __init__(self, frame: CandidateTable) -> None:
        self._flags = frame.traits

    def __call__(self, trait: Trait) -> Floats:
        return (self._flags & trait.value > 0).astype(np.float32)


def _people(question: Question, meant: Meant, frame: CandidateTable, has: _Traits) -> dict[str, Floats]:
    """The features of who speaks and who is mentioned, for a question that names somebody."""
    count = len(frame.ids)
    certainty = 1.0 if len(question.named) == 1 else 0.5
    theirs = np.array([*(speaker in question.named[:1] for speaker in frame.speakers), False])
    speaking = theirs[frame.speaker]
    speaks = speaking[:count].astype(np.float32)
    of_names = frame.looked >= len(meant.factors) - meant.names
    mentioned: NDArray[np.bool_] = np.asarray((frame.times[of_names] > 0).any(axis=0))
    own = has(Trait.FIRST_PERSON)[:count]
    # Where only two speak, a name is usually one addressing the other.
    of_others = mentioned[:count] & ~speaking[:count] & question.crowd
    return {
        "speaks": speaks * certainty,
        "speaks_own": speaks * own * certainty,
        "spoken_of": of_others.astype(np.float32),
        "spoken_of_before": mentioned[frame.near[:, BEFORE]].astype(np.float32),
    }


def recency(frame: CandidateTable) -> Floats:
    """The place of each candidate in time order, from 0 for the oldest to 1 for the newest."""
    count = len(frame.ids)
    starts, _ = frame.spans.at(np.arange(count))
    days = frame.spans.flat[starts, 0] if count else np.zeros(0, np.float32)
    place = np.empty(count, np.float32)
    place[np.lexsort((np.arange(count), days))] = np.arange(count) / max(1, count - 1)
    return place


def _closeness(frame: CandidateTable, rows: Rows, asked: Sequence[Span]) -> Floats:
    """How well the days that each candidate refers to match those asked for."""
    starts, counts = frame.spans.at(rows)
    spans = frame.spans.flat[np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
    best = np.maximum.reduceat(closeness(spans, asked), np.cumsum(counts) - counts)
    return best.astype(np.float32)


def _gate(frame: CandidateTable) -> Floats:
    gate = (SHORT / (SHORT + frame.lengths)).astype(np.float32)
    gate[-1] = 0.0
    return gate


def _replies(frame: CandidateTable, rows: Rows) -> NDArray[np.bool_]:
    """Whether each candidate has another speaker than the turn before it, as an answer to a question does."""
    return frame.speaker[rows] != frame.speaker[frame.near[:, BEFORE].take(rows)]


def _spread(frame: CandidateTable) -> Floats:
    """How much each row counts for those around it; a question counts little, except for the turn after it."""
    has = _Traits(frame)
    factors = np.ones(len(frame.traits), np.float32)
    factors[has(Trait.ASKS) > 0] = 1 - ALSO_ASKED
    factors[has(Trait.ONLY_ASKS) > 0] = 1 - ONLY_ASKED
    return factors


def _coverage(frame: CandidateTable, meant: Meant, times: Floats, lengths: Floats) -> Floats:
    """The weighted share of the question's words that each row has, from 0 to 1, without the names."""
    terms = len(meant.factors) - meant.names
    worded = frame.looked < terms
    weights = rarities(frame.term_holders[worded], frame.records) * frame.factors[worded]
    missing = np.ones(terms, bool)
    missing[frame.looked[worded]] = False
    # A word that no record contains counts as the rarest of words.
    lost = rarities(np.ones(1, np.float32), frame.records)[0] * float(meant.factors[:terms][missing].sum())
    if not len(weights):
        return np.zeros(len(lengths), np.float32)
    mean = max(float(lengths[:-1].mean()) if len(lengths) > 1 else 0.0, 1.0)
    score = weights @ (times[worded] * 2 / (times[worded] + 0.4 + 0.6 * lengths / mean))
    return (score / (2 * (float(weights.sum()) + lost))).astype(np.float32)


def _window(frame: CandidateTable, meant: Meant, gate: Floats) -> Floats:
    """The coverage of each candidate with its neighbours, which count less if they are far away or long."""
    count = len(frame.ids)
    if not len(frame.factors):
        return np.zeros(count, np.float32)
    quiet, replies = gate * _spread(frame), _replies(frame, np.arange(count))
    wide, length = frame.times[:, :count].copy(), frame.lengths[:count].copy()
    for place, reach in enumerate(WORD_REACH):
        rows = frame.near[:, place]
        share = reach * quiet.take(rows)
        if place == BEFORE:
            share = np.where(replies, reach * gate.take(rows), share)
        wide += frame.times.take(rows, axis=1) * share
        length += share * frame.lengths.take(rows)
    return _coverage(frame, meant, np.pad(wide, ((0, 0), (0, 1))), np.append(length, np.float32(0)))[:count]


# How far the fine deviation of a row without a fine vector follows that of the first look.
FOLLOWS = 0.5


class Fine(Struct, frozen=True, kw_only=True):
    """What the second look found: the rows of the table that have fine vectors, and the cosine of each with the
    question as it was `asked`, and as the one whom it names would put it (`spoken`).

    These are the cosines of the best passage; `whole` are those of the whole text with the question as asked, and
    `vectors` the vectors of the whole texts.
    `lacking` counts the candidates that were looked at and have no fine vector.
    """

    rows: Rows
    asked: Floats
    spoken: Floats
    whole: Floats
    vectors: FineRows
    lacking: int = 0


def of_fine(question: Question, frame: CandidateTable, fine: Fine) -> dict[str, Floats]:
    """The features that need the second look. A row without a fine vector is estimated from its first look."""
    count = len(frame.ids)
    deviation = FOLLOWS * (frame.cosine - frame.cosine_mean) / (5 * max(1e-6, frame.cosine_spread))
    theirs = np.array([*(speaker in question.named for speaker in frame.speakers), False])
    own, candidates = theirs[frame.speaker[fine.rows]], fine.rows < count
    asked, mean, spread = _standard(fine.asked, candidates)
    spoken, _, _ = _standard(fine.spoken, candidates)
    whole = deviation.copy()
    whole[fine.rows] = _standard(fine.whole, candidates)[0]
    cosine = mean + 5 * spread * deviation
    deviation[fine.rows] = np.where(own, spoken, asked)
    cosine[fine.rows] = np.where(own, fine.spoken, fine.asked)
    deviation[-1] = cosine[-1] = 0
    gate, has = _gate(frame), _Traits(frame)
    asks = has(Trait.ASKS) * (-1 if question.about_asking else 1)
    rows, before, after = np.arange(count), frame.near[:, BEFORE], frame.near[:, AFTER]
    near = np.maximum(deviation, 0)
    some: dict[str, Floats] = {}
    if question.wants and not question.named and not question.before:
        some["answers_late"] = _answers_late(question, frame, (near * asks)[:count])
    if question.spans:
        some["span_fine"] = _closeness(frame, rows, question.spans) * near[:count]
    leans = np.maximum(0, 1 - frame.lengths[:count] / LEANS)
    replies = _replies(frame, rows)
    return some | {
        "leans": leans * near[before],
        "leans_own": leans * near[before] * ~replies,
        "leans_later": leans * near[frame.near[:, SECOND_BEFORE]],
        "leans_itself": leans * deviation[:count],
        "fine": deviation[:count],
        "fine_cosine": cosine[:count],
        "fine_whole": whole[:count],
        "fine_before": (cosine * gate)[before],
        "fine_after": (cosine * gate)[after],
        "answers_fine": (near * asks)[before] * replies,
        "answers_fine_later": (near * asks)[frame.near[:, SECOND_BEFORE]],
        "asks_fine": (asks * near)[:count],
    }


def _answers_late(question: Question, frame: CandidateTable, asking: Floats) -> Floats:
    """For each candidate that contains what is asked for, how like the question one is that was asked before it.

    What somebody asked in the memory was not known there before. A long message tells and asks at once, so this
    counts less the longer messages are.
    """
    most = int(asking.argmax())
    moment, holds = recency(frame), frame.traits[: len(asking)] & int(question.wants) > 0
    worth = min(max(float(asking[most]), 0.0), 1.0) * max(0.0, 1 - 2 * _long(frame))
    return (worth * (holds & (moment > moment[most]))).astype(np.float32)


def _standard(cosine: Floats, candidates: NDArray[np.bool_]) -> tuple[Floats, float, float]:
    """Cosines as fifths of deviations from the mean of the candidates, and that mean and deviation."""
    of_candidates = cosine[candidates] if candidates.any() else cosine
    mean, spread = float(of_candidates.mean()), max(LEAST_SPREAD, float(of_candidates.std()))
    return (cosine - mean) / (5 * spread), mean, spread


def of_pieces(frame: CandidateTable, pieces: Floats) -> dict[str, Floats]:
    """The features of each candidate that need its pieces. A question that matches well probably asks the same."""
    asks = _Traits(frame)(Trait.ASKS)[: len(frame.ids)]
    return {"pieces": pieces, "asks_pieces": asks * pieces}


class Matched(Struct, frozen=True):
    """How well the word pieces of candidates match those of a question.

    `score` has a number for each candidate that was read. `pieces` has, for each row of the table and each piece of
    the question, the likeness of the row's best piece; `around` is the same with each candidate's neighbours.
    """

    score: Floats
    pieces: Floats
    around: Floats


def matched(meant: Meant, frame: CandidateTable, rows: Rows, likeness: Likeness) -> Matched:
    """Late interaction: for each piece of the question, the best cosine among the pieces of a candidate's passage.

    The pieces of its neighbours count too, damped. Rare pieces of the question count most. A passage of very many
    pieces matches anything by chance, so it counts less. A candidate is as good as its best passage.
    """
    gate = _gate(frame)
    near = frame.near[rows]
    share = np.array(PIECE_REACH, np.float32) * gate.take(near)
    spread = _spread(frame).take(near)
    spread[_replies(frame, rows), BEFORE] = 1
    share *= spread
    read = np.zeros(len(gate), np.bool_)
    read[rows] = True
    read[near[share >= LEAST_SHARE]] = True
    passages = _passages(frame, np.flatnonzero(read))
    best = _best_likeness(meant.numbers, frame, passages, likeness)
    best = np.maximum(best, _held_terms(meant, frame).take(passages.row, axis=0) * passages.alone[:, None])
    whole = np.zeros((len(gate), len(meant.numbers)), np.float32)
    np.maximum.at(whole, passages.row, best)
    around = np.zeros_like(whole)
    wide = np.zeros((len(rows), len(meant.numbers)), np.float32)
    for place in range(near.shape[1]):
        np.maximum(wide, whole.take(near[:, place], axis=0) * share[:, place, None], out=wide)
    around[rows] = wide
    score = np.maximum(best, around.take(passages.row, axis=0)) @ piece_weights(meant, frame)
    score /= 1 + np.log1p(passages.counts / 20) / 3
    best_score = np.zeros(len(gate), np.float32)
    np.maximum.at(best_score, passages.row, score)
    return Matched(best_score.take(rows), whole, np.maximum(whole, around))


def _held_terms(meant: Meant, frame: CandidateTable) -> Floats:
    """For every row and every piece of the question, 1 where the row has the piece's word, in any form."""
    held = np.zeros((len(frame.lengths), len(meant.numbers)), np.float32)
    place = {term: number for number, term in enumerate(frame.looked.tolist())}
    for piece, term in enumerate(meant.piece_terms.tolist()):
        if term in place:
            held[:, piece] = frame.times[place[term]] > 0
    return held


def piece_weights(meant: Meant, frame: CandidateTable) -> Floats:
    """The weight of each piece of the question; they add up to 1, and rare and informative pieces weigh more."""
    weights = rarities(frame.piece_holders, frame.records) ** 2 * meant.piece_factors
    # A piece that no record contains may be a typo or a filler.
    weights[frame.piece_holders == 0] *= UNHEARD
    return (weights / max(float(weights.sum()), 1e-9)).astype(np.float32)


class _Passages(Struct, frozen=True):
    """The passages of some rows of the table: the row of each, where its pieces start, and how many there are."""

    row: Rows
    starts: Rows
    counts: Rows

    @property
    def alone(self) -> Floats:
        """1 for each passage that is the only one of its row."""
        return (
            (np.bincount(self.row)[self.row] == 1).astype(np.float32) if len(self.row) else np.zeros(0, np.float32)
        )


def _passages(frame: CandidateTable, rows: Rows) -> _Passages:
    starts, counts = frame.pieces.at(rows)
    rows, starts, counts = (column[counts > 0] for column in (rows, starts, counts))
    total = int(counts.sum())
    places = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(total)
    marks = np.flatnonzero(frame.pieces.flat.take(places) == PASSAGE) if total else np.empty(0, np.int64)
    if not len(marks):
        return _Passages(rows, starts, counts)
    ends = np.cumsum(counts)
    # A mark ends one passage and begins the next; so does the end of a row.
    begins = np.union1d(ends - counts, marks + 1)
    stops = np.union1d(ends, marks)
    owner = np.searchsorted(ends, begins, side="right")
    return _Passages(rows.take(owner), places.take(begins), stops - begins)


def _best_likeness(asked: Rows, frame: CandidateTable, passages: _Passages, likeness: Likeness) -> Floats:
    """For every passage and every piece of the question, the likeness of the passage's best piece.

    Passages are processed in parallel, a few pieces of each at a time, longest first: so every step is one
    operation on a block, and passages with fewer pieces drop out of later steps.
    """
    best = np.zeros((len(passages.row), len(asked)), np.float32)
    order = np.argsort(-passages.counts, kind="stable")[: np.count_nonzero(passages.counts > 0)]
    if not len(order) or not len(asked):
        return best
    starts, counts = passages.starts[order], passages.counts[order]
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
    highest = np.full((len(order), len(asked)), FLOOR, np.float32)
    for pieces in steps:
        remaining = highest[: pieces.shape[1]]
        np.maximum(remaining, cosine.take(place.take(pieces), axis=0).max(axis=0), out=remaining)
    best[order] = (highest - np.float32(FLOOR)) / np.float32(1 - FLOOR)
    return best
