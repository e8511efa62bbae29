"""Learn the ranking and its relevance from the evaluation data: `python -m bench.fit --write`."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bench.learn import Floats, chosen, likely, likely_signed
from bench.reliability import draw_reliability
from bench.samples import DATA, FEW, SETS, WRONG_PERSON, Sample, available, few_turns, samples
from foveal.rules.recall import ranking, weights
from foveal.rules.recall.features import Matched, conditions, features, matched, of_fine, of_pieces
from foveal.rules.recall.ranking import (
    PARTS,
    Calibration,
    Table,
    Weights,
    behind,
    outlook,
    prospects,
    relevances,
    signals,
)

# Which features are weighed under which conditions: all of them always, but for these.
SOMETIMES = ("words_alone", "recent", "span_assistant")
_LIKE = ("words", "words_alone", "meaning", "cosine", "pieces", "fine", "fine_cosine", "fine_whole")
_WANTS = ("wants_number", "wants_time", "wants_name")
WHERE: Mapping[str, Sequence[str]] = {
    "always": [name for names in PARTS.values() for name in names if name not in SOMETIMES],
    "long": (
        *_LIKE,
        "assistant",
        "asks",
        "asks_pieces",
        "asks_meaning",
        "asks_words",
        "asks_also_briefly",
        "brief",
        "long",
        "own",
        "answers_later",
        "asks_fine",
        *_WANTS,
    ),
    "wordy": ("words", "pieces", "meaning", "cosine", "brief", "fine", "fine_cosine", "fine_whole"),
    "named": (
        *("words", "meaning", "pieces", "asks", "asks_also", "brief", "long"),
        *("wants_number", "wants_name", "answers_meaning", "asks_pieces", "asks_meaning"),
        *("fine", "fine_cosine", "fine_whole", "answers_fine", "asks_fine", "fine_before", "fine_after"),
        *("cosine", "cosine_before", "cosine_after", "answers_words", "acknowledges", "asks_briefly", "own"),
        *("number", "names", "changes", "recent"),
    ),
    "task": (
        *("words", "meaning", "cosine", "pieces", "brief", "names", "number", "assistant", "tool", "rules", "asks"),
        *("own", "fine", "fine_cosine", "fine_whole"),
    ),
    "addressed": ("assistant", "tool", "asks", "span_assistant"),
    "own": ("own", "assistant"),
    "before": (
        *("recent", "changes", "changes_recent", "fine", "words", "asks", "answers_fine", "brief"),
        *("wants_number", "wants_time", "wants_name"),
    ),
}
# Each set weighs the same, but ordinary conversation as much as four.
WEIGHS = {"ordinary-dev": 4.0}
UNANSWERED = 0.2
# How many candidates of a question are learned from, and by what they are picked.
LEARNED_FROM = 120
PICKED_BY = {"words": 2.8, "meaning": 1.6, "pieces": 9.4, "cosine": 2.0, "fine": 2.0}
# Pairs of an outdated statement and what replaced it are rare: each counts for so many.
RARE = 8.0
# A later statement is lifted when it is this likely to replace an earlier one.
UPDATE_FROM = 0.4

ABOUT = (
    *("cosine_top", "cosine_best", "pieces_top", "pieces_best", "words_top", "words_best", "absent", "any_covered"),
    *("any_next_covered", "any_mean_covered", "any_uncovered", "entropy", "lead", "beside_covered", "terms"),
    *("store_covered", "names_absent", "names_present", "certainty", "fine_top", "fine_best"),
)
ANSWERED = (
    *("least_covered", "next_covered", "mean_covered", "absent", "lead", "entropy", "task", "named", "person"),
    *("wants_number", "wants_time", "terms", "words_best", "any_covered", "fine_top"),
)
# A match never makes a question less likely to be answered, whatever the data suggest by chance.
AGAINST = ("absent", "any_uncovered", "names_absent", "entropy")
EITHER = ("terms", "task", "named", "wants_number", "wants_time")
# How much a question of another set counts beside one of ordinary conversation, and those without an answer.
ELSEWHERE, FOREIGN, UNKNOWN = 0.1, 2.0, 6.0
# Questions without an answer are fewer in the data than in life: each counts for so many.
RARELY_ASKED = {"unknown": 8.0, "foreign": 8.0}
# From which log odds on relevance is bent.
BENT = -2.0
FOLDS = 5
ELSE = tuple(name for name in SETS if name != "ordinary-dev")
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "relevance.png"


@dataclass(slots=True)
class Row:
    """A question with everything that is learned from, and the scores it was given last."""

    sample: Sample
    found: dict[str, Any]
    given: dict[str, float]
    match: Matched
    columns: Floats
    picked: Any
    scores: Floats = field(default_factory=lambda: np.zeros(0))
    told: dict[str, float] = field(default_factory=dict[str, float])
    relevance: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def answerable(self) -> bool:
        return self.sample.wanted > 0 and (self.sample.data, self.sample.category) != WRONG_PERSON


Names = Sequence[tuple[str, str]]


def names_of(*, pieces: bool = True) -> Names:
    """Every feature with a condition it is weighed under."""
    return [(name, where) for where, some in WHERE.items() for name in some if pieces or "pieces" not in name]


def row_of(sample: Sample) -> Row:
    """What can be learned from a question."""
    found = features(sample.question, sample.meant, sample.frame)
    every = np.arange(len(sample.turns))
    match = matched(sample.meant, sample.frame, every, sample.likeness)
    found |= of_pieces(sample.frame, match.score)
    if sample.fine is not None:
        found |= of_fine(sample.question, sample.frame, sample.fine)
    given = conditions(sample.question, sample.frame)
    nothing = np.zeros(len(every), np.float32)
    told = [found.get(name, nothing) * given[where] for name, where in names_of()]
    columns = np.stack(told, axis=1).astype(np.float64)
    rough = sum((weight * found.get(name, nothing) for name, weight in PICKED_BY.items()), nothing)
    picked = np.union1d(np.argsort(-rough)[:LEARNED_FROM], np.flatnonzero(sample.evidence))
    return Row(sample, found, given, match, columns, picked)


def _worth(rows: Sequence[Row]) -> Floats:
    counts = Counter(row.sample.data for row in rows)
    wrong = [(row.sample.data, row.sample.category) == WRONG_PERSON for row in rows]
    return np.array(
        [
            WEIGHS.get(row.sample.data, 1.0) / counts[row.sample.data] * (UNANSWERED if one else 1.0)
            for row, one in zip(rows, wrong, strict=True)
        ]
    )


def table(rows: Sequence[Row], *, pieces: bool) -> Table:
    """The weights of features under each condition."""
    names = names_of()
    kept = [place for place, (name, _) in enumerate(names) if pieces or "pieces" not in name]
    some = [row for row in rows if row.sample.data != FEW and row.sample.evidence[row.picked].any()]
    learned = chosen(
        [row.columns[np.ix_(row.picked, kept)] for row in some],
        [row.sample.evidence[row.picked] / row.sample.evidence[row.picked].sum() for row in some],
        _worth(some),
    )
    found: dict[str, dict[str, float]] = {}
    for place, weight in zip(kept, learned, strict=True):
        name, where = names[place]
        if abs(weight) >= 0.005:
            found.setdefault(name, {})[where] = round(float(weight), 2)
    return found


def extended(rows: Sequence[Row], whole: Table, name: str) -> Table:
    """The weights with that of one more feature, learned while all others stay as they are."""
    some = [row for row in rows if row.sample.data != FEW and row.sample.evidence[row.picked].any()]
    others = {one: weights for one, weights in whole.items() if one != name}
    place = names_of().index((name, "always"))
    [weight] = chosen(
        [row.columns[row.picked, place][:, None] for row in some],
        [row.sample.evidence[row.picked] / row.sample.evidence[row.picked].sum() for row in some],
        _worth(some),
        beside=[scored(row, others)[row.picked] for row in some],
    )
    return {**others, name: {"always": round(float(weight), 2)}}


def scored(row: Row, whole: Table) -> Floats:
    """The scores of all candidates of a question."""
    return ranking.scored(row.found, row.given, whole).astype(np.float64)


def update_weights(rows: Sequence[Row]) -> dict[str, float]:
    """The weights by which a later statement is told from one that only stands near."""
    some: list[Floats] = []
    true: list[float] = []
    worth: list[float] = []
    named: list[str] = []
    for row in rows:
        sample = row.sample
        if not row.answerable or sample.question.before or len(row.scores) < 2 or sample.data == FEW:
            continue
        best = np.argsort(-row.scores, kind="stable")[: ranking.LATER]
        places, found = ranking.pairs(
            sample.question, sample.meant, sample.frame, row.scores.astype(np.float32), best, row.given, sample.fine
        )
        named = list(found)
        ordinary = sample.data == "ordinary-dev"
        for place, (old, new) in enumerate(best[places].tolist()):
            label = _label(sample, old, new)
            if label is not None:
                some.append(np.array([column[place] for column in found.values()]))
                true.append(float(label))
                worth.append(RARE if label else (1.0 if sample.evidence[old] else 0.3) * (1 if ordinary else 0.25))
    learned = likely(np.array(some), np.array(true), np.array(worth), 3.0)
    return {name: round(float(weight), 2) for name, weight in zip(named, learned, strict=True)}


def _label(sample: Sample, old: int, new: int) -> bool | None:
    """Whether the later of two candidates replaced the earlier; None where nothing depends on it."""
    if sample.evidence[new]:
        return True if sample.older[old] else None
    if sample.evidence[old] or (sample.older[old] and not sample.older[new]):
        return False
    return None


def lift(row: Row, weights_of_update: Mapping[str, float]) -> None:
    """Put a later statement above what it replaces, as the ranking does."""
    sample = row.sample
    scores = row.scores.astype(np.float32)
    found = ranking.update(
        sample.question, sample.meant, sample.frame, scores, row.given, weights_of_update, sample.fine
    )
    if found is not None and found.chance >= UPDATE_FROM:
        row.scores[found.later] = max(row.scores[found.later], row.scores[found.earlier] + ranking.ABOVE)


def tell(row: Row) -> None:
    """Keep what tells whether the memory can answer."""
    sample = row.sample
    if len(row.scores):
        row.told = signals(
            sample.question, sample.meant, sample.frame, row.scores.astype(np.float32), row.found, row.match
        )


def calibration(rows: Sequence[Row], *, few: bool) -> Calibration:
    """What is learned of relevance, in memories of a few turns or in others: of questions of other chats, of near
    misses, and of the hits of all."""
    some = [row for row in rows if row.told and (row.sample.data == FEW) == few]
    values = {name: np.array([row.told[name] for row in some]) for name in some[0].told}
    scales = {
        name: (round(float(one.mean()), 4), round(float(one.std()) or 1.0, 4))
        for name, one in values.items()
        if name in ABOUT or name in ANSWERED
    }
    scaled = {name: (values[name] - mean) / deviation for name, (mean, deviation) in scales.items()}
    ordinary = np.array([row.sample.data == "ordinary-dev" for row in some])
    foreign = np.array([row.sample.category == "foreign" for row in some])
    unknown = np.array([row.sample.category == "unknown" for row in some])
    answerable = np.array([row.answerable for row in some])
    elsewhere = np.where(ordinary | few, 1.0, ELSEWHERE)
    about = _logistic(
        scaled, ABOUT, answerable, answerable | foreign, np.where(foreign, FOREIGN, 1.0) * elsewhere, 30.0
    )
    answered = _logistic(
        scaled, ANSWERED, answerable, answerable | unknown, np.where(unknown, UNKNOWN, 1.0) * elsewhere, 10.0
    )
    made = Calibration(signals=scales, about=about, answered=answered, hit={})
    return Calibration(signals=scales, about=about, answered=answered, hit=_hits(some, made))


def _logistic(
    scaled: Mapping[str, Floats], names: Sequence[str], true: Any, among: Any, worth: Floats, ridge: float
) -> dict[str, float]:
    names = [name for name in names if name in scaled]
    rows = np.stack([np.ones(len(true)), *(scaled[name] for name in names)], axis=1)
    signs = [0, *(0 if name in EITHER else -1 if name in AGAINST else 1 for name in names)]
    learned = likely_signed(rows[among], true[among].astype(float), worth[among], ridge, signs)
    return {
        name: round(weight, 3) for name, weight in zip(("always", *names), learned.tolist(), strict=True) if weight
    }


def _hits(rows: Sequence[Row], made: Calibration, most: int = 40) -> dict[str, float]:
    """The weights of a hit's distance to the best, of the prospects of its question and of how far the best stands
    out, and a bend, so that what is said of many hits is true of them."""
    counts = Counter(row.sample.data for row in rows)
    flat: list[Floats] = []
    true: list[Any] = []
    rare: list[Floats] = []
    share: list[Floats] = []
    for row in rows:
        best = np.argsort(-row.scores, kind="stable")[:most]
        ones = np.ones(len(best))
        about, answered = prospects(row.told, made)
        distance = behind(row.scores[best].astype(np.float32)).astype(np.float64)
        certainty = row.told["certainty"]
        flat.append(np.stack([ones, distance, about * ones, answered * ones, certainty * ones], axis=1))
        true.append(row.sample.evidence[best])
        rare.append((1.0 if row.sample.data == FEW else RARELY_ASKED.get(row.sample.category, 1.0)) * ones)
        share.append(1000 * (0.5 if row.sample.data in ELSE else 2.0) / counts[row.sample.data] * ones)
    columns, helps = np.concatenate(flat), np.concatenate(true).astype(float)
    worth = np.concatenate(share)
    learned = likely(columns, helps, worth * np.concatenate(rare), 0.1)
    told = columns @ learned
    first, slope, bend = likely(
        np.stack([np.ones(len(told)), told, np.maximum(0, told - BENT)], 1), helps, worth, 0.1
    )
    always, far, about, answered, certainty = (slope * learned).tolist()
    found = {
        "always": first + always,
        "behind": far,
        "about": about,
        "answered": answered,
        "certainty": certainty,
        "bend": bend / slope,
        "from": first + slope * BENT,
    }
    return {name: round(float(value), 3) for name, value in found.items()}


def learn(rows: Sequence[Row], *, cut: bool = True) -> Weights:
    """Everything, from some questions, but for the weights of the first `cut` if those are not needed; their scores
    become those that were learned."""
    first: Table = table(rows, pieces=False) if cut else {}
    whole = table(rows, pieces=True)
    for row in rows:
        row.scores = scored(row, whole)
    replaced = update_weights(rows)
    for row in rows:
        lift(row, replaced)
        tell(row)
    return Weights(
        first=first,
        whole=whole,
        update=replaced,
        update_from=UPDATE_FROM,
        relevance=calibration(rows, few=False),
        relevance_of_few=calibration(rows, few=True),
    )


def apply(rows: Sequence[Row], learned: Weights) -> None:
    """Give questions the scores and relevance of what was learned."""
    for row in rows:
        row.scores = scored(row, learned.whole)
        lift(row, learned.update)
        tell(row)
        if row.told:
            calibrated = learned.calibration(len(row.scores))
            prospect = outlook(row.told, calibrated)
            row.relevance = relevances(row.scores.astype(np.float32), prospect, calibrated).astype(float)


Learner = Callable[[Sequence[Row]], Weights]


def cross_validated(rows: Sequence[Row], learner: Learner) -> None:
    """Give each question the scores that were learned from other chats of all sets."""
    folds = fold_of(rows)
    for fold in range(FOLDS):
        learned = learner([row for row, one in zip(rows, folds, strict=True) if one != fold])
        apply([row for row, one in zip(rows, folds, strict=True) if one == fold], learned)


def fold_of(rows: Sequence[Row]) -> list[int]:
    """Which part of the data each question is judged in: by chat, or question by question where a set has few."""
    chats: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.sample.case not in chats[row.sample.data]:
            chats[row.sample.data].append(row.sample.case)
    dice = np.random.default_rng(0)
    place = {
        case: int(number) % FOLDS
        for some in chats.values()
        if len(some) >= FOLDS
        for case, number in zip(some, dice.permutation(len(some)), strict=True)
    }
    asked: Counter[str] = Counter()
    folds: list[int] = []
    for row in rows:
        folds.append(place.get(row.sample.case, asked[row.sample.case] % FOLDS))
        asked[row.sample.case] += 1
    return folds


def written(classes: Mapping[str, Weights]) -> str:
    """The module that holds what was learned."""
    lines = [
        '"""What the ranking learned, for each class of encoders. Written by `python -m bench.fit --write`."""',
        "",
        "from foveal.rules.recall.ranking import Calibration, Weights",
        "",
    ]
    for name, one in classes.items():
        lines.append(f"{name} = {one!r}")
    return "\n".join(lines) + "\n"


def gathered(
    data: Path, names: Sequence[str], say: Callable[[str], None], *, few: bool = True, **settings: Any
) -> list[Row]:
    """Every question of some sets, and of memories of a few turns."""
    rows: list[Row] = []
    for name in names:
        rows += [row_of(sample) for sample in samples(data, name, **settings) if len(sample.turns)]
        say(f"{name}: {sum(row.sample.data == name for row in rows)} questions")
    if not few:
        return rows
    rows += [row_of(sample) for sample in few_turns(data, **settings) if len(sample.turns)]
    say(f"{FEW}: {sum(row.sample.data == FEW for row in rows)} questions")
    return rows


def main(say: Callable[[str], None] = print) -> None:
    """Print cross-validated figures; with `--write`, keep what all sets together teach."""
    from bench.judged import overview

    parser = argparse.ArgumentParser("python -m bench.fit", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set; may be repeated")
    parser.add_argument("--onnx", type=Path, help="a folder with an ONNX encoder: learn for contextual encoders")
    parser.add_argument("--second", action="store_true", help="learn for a second look with the bundled encoder")
    parser.add_argument("--extend", metavar="NAME", help="learn the weight of this feature alone; the others stay")
    parser.add_argument("--no-folds", action="store_true", help="no cross-validation")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    given = parser.parse_args()
    names = [name for name in available(given.data) if given.set is None or name in given.set]
    if not names:
        raise SystemExit(f"there is no evaluation data in {given.data}: say --data DIR")
    settings: dict[str, Any] = {}
    kind = "TABLE"
    if given.onnx is not None:
        from foveal.backends.models.onnx import OnnxEmbedder

        settings["embedder"], kind = OnnxEmbedder(given.onnx), "CONTEXTUAL"
    if given.second:
        from bench.stored import stored_minilm

        settings["second_look"] = stored_minilm()
    rows = gathered(given.data, names, say, few=given.extend is None, **settings)
    if given.second:
        # The others are asked in languages that the encoder does not read.
        rows = [row for row in rows if row.sample.fine is not None]
    known = {name: getattr(weights, name) for name in ("TABLE", "CONTEXTUAL")}
    today: Weights = known[kind].second if given.second else known[kind]

    def only(some: Sequence[Row]) -> Weights:
        return msgspec.structs.replace(today, whole=extended(some, today.whole, given.extend))

    if not given.no_folds:
        cross_validated(rows, only if given.extend else partial(learn, cut=False))
        say("\nCross-validated:\n")
        say(overview(rows))
        if given.write and given.second and not given.extend:
            draw_reliability(rows, PICTURE)
    learned = only(rows) if given.extend else learn(rows, cut=not given.second)
    apply(rows, learned)
    say("\nIn sample:\n")
    say(overview(rows))
    if given.write:
        second = known[kind].second if not given.second else learned
        whole = known[kind] if given.second else learned
        kept = known | {kind: msgspec.structs.replace(whole, second=second)}
        Path(weights.__file__).write_text(written(kept))


if __name__ == "__main__":
    main()
