"""The recall flow: candidates from every arm, ranked together, optionally reranked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

import msgspec
import numpy as np

from foveal.engine.runtime.reads import Ranking
from foveal.engine.runtime.runtime import Runtime
from foveal.engine.runtime.vector_sync import PART
from foveal.errors import Invalid, ModelUnavailable, TimedOut, Unavailable, Unsupported
from foveal.model.query import Access
from foveal.model.record import Record, Tier
from foveal.model.results import Hit
from foveal.model.search import CandidateTable, Floats, IndexQuery, VectorHits
from foveal.ports.models import Reranker
from foveal.ports.system import Clock
from foveal.rules.decay import endurance, rates
from foveal.rules.recall.features import Meant
from foveal.rules.recall.index import codes
from foveal.rules.recall.question import Question, parse_question
from foveal.rules.recall.ranking import (
    ABOVE,
    Weights,
    explained,
    log_odds,
    ranked,
    relevances,
    second_opinions,
    usable,
)
from foveal.rules.recall.weights import CONTEXTUAL, TABLE
from foveal.rules.text import asked_terms

# How many candidates each arm brings, at least: the best of one arm is often far down in another.
CANDIDATES = 200
# How many beyond those asked for may still come in by the strength of their life.
NEARLY = 10
# What a life that is a tenth stronger than most adds to a score is a tenth of this.
LIFE = 4.0
MOST_PIECES = 128
# What a word of the table weighs that tells something, and how much the others count at least.
TELLING, LITTLE = 1.4, 0.3
# Marks between words tell nothing: a question mark would find other questions.
_RUN = re.compile(r"[^\W_]+")
# How much the name of somebody who speaks in the memory counts as a word.
NAMED = 0.3


def recall(runtime: Runtime, access: Access, text: str, k: int, *, explain: bool = False) -> list[Hit]:
    """The `k` best records for a question. Candidates are the union of all arms and their neighbours."""
    return recalled(runtime, access, text, k, explain=explain)[0]


def recalled(
    runtime: Runtime, access: Access, text: str, k: int, *, explain: bool = False
) -> tuple[list[Hit], str | None, tuple[str, ...]]:
    """The best records, the encoder that helped to find them, and what did not answer.

    When the encoder is away words answer alone; when an index of vectors is, the store compares each.
    """
    encoder: str | None = runtime.embedder.id
    away: tuple[str, ...] = ()
    # What an index of others finds is not in the mark.
    alone = not runtime.vector_sync.has_index
    key = runtime.rankings.key(access, text, k, runtime.embedder.id) if alone else None
    setting = runtime.store.corpus_info(access.viewpoint, runtime.encoder, lately=key is None)
    ranking = runtime.rankings.known(key, setting.mark, access.now)
    if ranking is None:
        ranking, frame, records, encoder, away = _made(
            runtime, access, parse_question(text, setting, _today(access)), k
        )
        now = frame.corpus_info
        if now is not None and (now.speakers, now.years) != (setting.speakers, setting.years):
            # Somebody spoke for the first time meanwhile, or of another year.
            ranking, frame, records, encoder, away = _made(
                runtime, access, parse_question(text, now, _today(access)), k
            )
        if not away:
            runtime.rankings.keep(key, ranking, frame, setting.mark, access.now)
    else:
        records = runtime.store.get(access, ranking.ids)
    place = {one: row for row, one in enumerate(ranking.ids)}
    rows = [place[record.id] for record in records]
    calibration = _weights(runtime, encoder).calibration(ranking.candidates)
    scores = ranking.scores[rows]
    parts = {name: column[rows] for name, column in ranking.parts.items()}
    if access.as_of is None and records:
        parts["life"] = _life(records, access.now, rates(runtime.config))
        scores = scores + parts["life"]
    _keep_order(scores, {record.id: row for row, record in enumerate(records)}, ranking)
    relevance = relevances(scores, ranking.outlook, calibration)
    told = explained(parts, scores, ranking.outlook, calibration) if explain else {}
    columns = {name: column.tolist() for name, column in told.items()}
    hits = [
        Hit(
            record=record,
            relevance=chance,
            parts={name: column[row] for name, column in columns.items()} if explain else None,
            encoder=encoder,
            replaced_by=ranking.newer if record.id == ranking.older else None,
        )
        for row, (record, chance) in enumerate(zip(records, relevance.tolist(), strict=True))
    ]
    order = np.argsort(-scores, kind="stable")[:k].tolist()
    return [hits[row] for row in order], encoder, away


def _keep_order(scores: Floats, place: Mapping[str, int], ranking: Ranking) -> None:
    """Keep a later statement above the one it replaces, however strong the life of that one is."""
    newer, older = (place.get(one or "") for one in (ranking.newer, ranking.older))
    if newer is not None and older is not None:
        scores[newer] = max(scores[newer], scores[older] + ABOVE)


def _today(access: Access) -> date:
    """The day that "last week" is counted from."""
    return (access.as_of or access.now).date()


def _weights(runtime: Runtime, encoder: str | None) -> Weights:
    """What was learned for encoders like this one: the bundled table, whose pieces all are, or another."""
    return TABLE if encoder is None or encoder == runtime.pieces.id else CONTEXTUAL


def _made(
    runtime: Runtime, access: Access, question: Question, k: int
) -> tuple[Ranking, CandidateTable, list[Record], str | None, tuple[str, ...]]:
    """The best for a question, what they were ranked by, their records, the encoder that helped, and what did not
    answer."""
    meant = _meant(runtime, question)
    encoder: str | None = runtime.embedder.id
    near: VectorHits | None = None
    away: tuple[str, ...] = ()
    wanted = max(CANDIDATES, k)
    try:
        vector = runtime.embedder.embed([question.text], asking=True)[0]
    except ModelUnavailable as error:
        runtime.degraded("encoder", error)
        encoder = vector = None
        away = ("meaning",)
    else:
        near, away = _near(runtime, access, vector, wanted)
    pieces = meant.numbers.astype(np.uint16)
    probe = IndexQuery(
        terms=codes([*question.terms, *question.names]),
        factors=meant.factors,
        pieces=pieces,
        vector=vector,
        near=near,
    )
    made: list[Ranking] = []

    def choose(frame: CandidateTable) -> Sequence[str]:
        found = ranked(question, meant, frame, runtime.pieces.likeness, _weights(runtime, encoder))
        rows = np.argsort(-found.scores, kind="stable")[: k + NEARLY]
        ranking = Ranking(
            ids=[frame.ids[int(row)] for row in rows],
            scores=found.scores[rows],
            outlook=found.outlook,
            candidates=len(frame.ids),
            parts={name: column[rows] for name, column in found.parts.items()},
            newer=None if found.newer is None else frame.ids[found.newer],
            older=None if found.older is None else frame.ids[found.older],
        )
        made.append(ranking)
        return ranking.ids

    frame, records = runtime.store.search(access, probe, wanted, runtime.encoder, choose)
    return made[-1], frame, records, encoder, away


def _near(
    runtime: Runtime, access: Access, vector: Floats, wanted: int
) -> tuple[VectorHits | None, tuple[str, ...]]:
    """What the index of vectors finds, and whether it is away. Of some more, for not all may be in sight."""
    try:
        return runtime.vector_sync.near(access, vector, wanted * 5 // 4, runtime.encoder), ()
    except (Unavailable, Invalid) as error:
        runtime.degraded(PART, error)
        return None, (PART,)


def _life(records: Sequence[Record], now: datetime, rates_a_day: Mapping[Tier, float]) -> Floats:
    """What the lives of records add to their scores or take away."""
    lives = [endurance(one.vitals, one.recorded_at, now, rates_a_day) - 1 for one in records]
    return LIFE * np.array(lives, np.float32)


def _meant(runtime: Runtime, question: Question) -> Meant:
    """What the words of the question and its distinct pieces are worth: words of all texts tell little in any."""
    worth: dict[str, float] = {}
    factors: dict[int, float] = {}
    terms: dict[int, int] = {}
    places = {term: place for place, term in enumerate(question.terms)}
    words = [(word, runtime.pieces.pieces(word)) for word in _RUN.findall(question.text)[:MOST_PIECES]]
    weights = runtime.pieces.weights(np.array([pieces[0] for _, pieces in words], np.int64)).tolist()
    for (word, pieces), weight in zip(words, weights, strict=True):
        # A word that the table has only in pieces is a rare one.
        factor = min(max(weight / TELLING, LITTLE), 1.0) if len(pieces) == 1 else 1.0
        of_word = asked_terms(word)
        worth |= dict.fromkeys(of_word, factor)
        for number in pieces:
            factors.setdefault(number, factor)
            terms.setdefault(number, places.get(of_word[0], -1) if len(of_word) == 1 else -1)
    numbers = sorted(factors)
    named = [NAMED] * len(question.names)
    return Meant(
        factors=np.array([*(worth.get(term, 1.0) for term in question.terms), *named], np.float32),
        names=len(named),
        numbers=np.array(numbers, np.int64),
        piece_factors=np.array([factors[number] for number in numbers], np.float32),
        piece_terms=np.array([terms[number] for number in numbers], np.int64),
        telling=runtime.pieces.weights,
    )


# How many of the best are ranked once more at most, and how many are given to the model at a time.
MOST, AT_A_TIME = 50, 5

RERANKER = "reranker"


def reranked(
    runtime: Runtime, access: Access, text: str, k: int, *, explain: bool = False
) -> tuple[list[Hit], str | None, tuple[str, ...]]:
    """The best records, the encoder that helped to find them, and what did not answer."""
    if runtime.reranker is None:
        return recalled(runtime, access, text, k, explain=explain)
    found, encoder, away = recalled(runtime, access, text, max(k, MOST), explain=explain)
    try:
        opinions = _opinions(runtime.reranker, runtime.clock, text, found[:MOST], runtime.reranker_limit)
    except (Invalid, Unavailable, TimedOut, Unsupported) as error:
        runtime.degraded("reranker", error)
        return found[:k], encoder, (*away, RERANKER)
    best = found[: len(opinions)]
    odds = [log_odds(hit.relevance) for hit in best]
    fused = [own + more for own, more in zip(odds, second_opinions(odds, opinions), strict=True)]
    places = sorted(range(len(best)), key=lambda place: -fused[place])
    # A second opinion changes the order; how relevant the best are stays what it was.
    ordered = [_moved(best[place], odds[place], hit.relevance) for place, hit in zip(places, best, strict=True)]
    return [*ordered, *found[len(opinions) :]][:k], encoder, away


def _opinions(reranker: Reranker, clock: Clock, text: str, hits: Sequence[Hit], limit: timedelta) -> list[float]:
    """What the reranker says of the best: of as many as fit the time, going by how long the first ones took."""
    opinions: list[float] = []
    start, spent = clock.now(), timedelta(0)
    while len(opinions) < len(hits):
        batch = hits[len(opinions) : len(opinions) + AT_A_TIME]
        each = spent / len(opinions) if opinions else timedelta(0)
        if opinions and spent + each * len(batch) > limit:
            break
        said = reranker.scores(text, [hit.text for hit in batch])
        if not usable(said, len(batch)):
            raise Invalid(f"the reranker gave {len(said)} scores for {len(batch)} texts, or not finite ones")
        opinions += said
        spent = clock.now() - start
    return opinions


def _moved(hit: Hit, odds: float, relevance: float) -> Hit:
    parts = None if hit.parts is None else {**hit.parts, RERANKER: log_odds(relevance) - odds}
    return msgspec.structs.replace(hit, relevance=relevance, parts=parts)
