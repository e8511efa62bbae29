"""The recall flow: collect candidates from every arm, rank them together, and optionally rerank them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from datetime import date, datetime, timedelta
from typing import NamedTuple

import msgspec
import numpy as np

from foveal.engine.records.updates import latest_first
from foveal.engine.runtime.reads import Ranking
from foveal.engine.runtime.runtime import Runtime
from foveal.engine.runtime.second_look import AWAY, SecondLook
from foveal.engine.runtime.second_look import PART as SECOND_LOOK
from foveal.engine.runtime.vector_sync import PART
from foveal.errors import Invalid, ModelUnavailable, TimedOut, Unavailable, Unsupported
from foveal.model.query import Access
from foveal.model.record import Record, Rendition, Subject, Tier, Vitals
from foveal.model.results import Hit, Stats
from foveal.model.search import CandidateTable, FineRows, Floats, IndexQuery, Rows, VectorHits
from foveal.ports.models import Reranker
from foveal.ports.store import Look
from foveal.ports.system import Clock
from foveal.ports.waiting import require_wanted
from foveal.rules.decay import endurance, rates
from foveal.rules.recall.features import Fine, Meant
from foveal.rules.recall.index import codes
from foveal.rules.recall.question import Question, parse_question
from foveal.rules.recall.ranking import (
    ABOVE,
    LOOKED,
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

# How many candidates each arm contributes at least: the best of one arm is often far down in another.
CANDIDATES = 200
# How many candidates beyond `k` are ranked, because their vitals may still lift them into the result.
NEARLY = 10
# How strongly vitals count: a record a tenth more enduring than most gains a tenth of this.
LIFE = 4.0
MOST_PIECES = 128
# The weight in the table from which a word counts fully, and the least that any other word counts.
TELLING, LITTLE = 1.4, 0.3
# Punctuation is left out: a question mark would find other questions.
_RUN = re.compile(r"[^\W_]+")
# How much the name of a speaker in the memory counts as a word.
NAMED = 0.3


class BestHits(NamedTuple):
    """The best records for a question, the encoder that was used, and the parts that were unavailable.

    `first_look_only` counts the candidates that the second look was for and that had no vector for it yet.
    """

    hits: list[Hit]
    encoder: str | None
    away: tuple[str, ...]
    first_look_only: int = 0


def recall(runtime: Runtime, access: Access, text: str, k: int, *, explain: bool = False) -> list[Hit]:
    """The `k` best records for a question. Candidates are the union of all arms and their neighbours."""
    return recalled(runtime, access, text, k, explain=explain).hits


def recalled(runtime: Runtime, access: Access, text: str, k: int, *, explain: bool = False) -> BestHits:
    """The best records, and how they were found.

    Without the encoder, recall goes by words alone; without the vector index, the store compares every vector;
    without the encoder of the second look, the first look decides.
    """
    encoder: str | None = runtime.embedder.id
    away: tuple[str, ...] = ()
    second = _second_look(runtime, text)
    if second is not None:
        second.searched(access.viewpoint.organism)
    # The mark does not cover what an external vector index finds, so such rankings are not cached.
    cacheable = not runtime.vector_sync.has_index
    encoders = (runtime.embedder.id, second.encoder) if second is not None else (runtime.embedder.id,)
    key = runtime.rankings.key(access, text, k, " ".join(encoders)) if cacheable else None
    corpus = runtime.store.search.corpus_info(access.viewpoint, runtime.encoder, lately=key is None)
    ranking = runtime.rankings.known(key, corpus.mark, access.now)
    if ranking is None:
        ranking, frame, records, encoder, away = _ranked(
            runtime, access, parse_question(text, corpus, _today(access)), k, second=second
        )
        now = frame.corpus_info
        if now is not None and (now.speakers, now.years) != (corpus.speakers, corpus.years):
            # A write in between brought a new speaker or year, which changes how the question is parsed.
            ranking, frame, records, encoder, away = _ranked(
                runtime, access, parse_question(text, now, _today(access)), k, second=second
            )
        if second is not None and ranking.lacking != 0 and ranking.ids:
            second.lacking(access.viewpoint.organism)
        elif not away:
            runtime.rankings.keep(key, ranking, frame, corpus.mark, access.now)
    else:
        records = runtime.store.records.get(access, ranking.ids)
    hits = _hits(runtime, access, ranking, records, encoder, explain=explain)
    order: list[int] = np.argsort(-np.array([score for _, score in hits], np.float32), kind="stable")[:k].tolist()
    lacking = min(ranking.candidates, LOOKED) if ranking.lacking is None else ranking.lacking
    best = [hits[row][0] for row in order]
    if not parse_question(text, corpus, _today(access)).before:
        best = latest_first(runtime, access, best, text)
    return BestHits(best, encoder, away, lacking if second is not None else 0)


def _hits(
    runtime: Runtime,
    access: Access,
    ranking: Ranking,
    records: Sequence[Record],
    encoder: str | None,
    *,
    explain: bool,
) -> list[tuple[Hit, float]]:
    """The records of a ranking as hits, each with its score, in which its vitals count too."""
    place = {record_id: row for row, record_id in enumerate(ranking.ids)}
    rows = [place[record.id] for record in records]
    weights = _weights(runtime, encoder)
    used = weights.second if "second_look" in ranking.parts and weights.second is not None else weights
    calibration = used.calibration(ranking.candidates)
    scores = ranking.scores[rows]
    parts = {name: column[rows] for name, column in ranking.parts.items()}
    if access.as_of is None and records:
        parts["life"] = _life(records, access.now, rates(runtime.config))
        scores = scores + parts["life"]
    _keep_order(scores, {record.id: row for row, record in enumerate(records)}, ranking)
    relevance = relevances(scores, ranking.outlook, calibration)
    explanation = explained(parts, scores, ranking.outlook, calibration) if explain else {}
    columns = {name: column.tolist() for name, column in explanation.items()}
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
    return list(zip(hits, scores.tolist(), strict=True))


def _keep_order(scores: Floats, place: Mapping[str, int], ranking: Ranking) -> None:
    """Keep a later statement above the one it replaces, however enduring the older one is."""
    newer, older = (place.get(record_id or "") for record_id in (ranking.newer, ranking.older))
    if newer is not None and older is not None:
        scores[newer] = max(scores[newer], scores[older] + ABOVE)


def _today(access: Access) -> date:
    """The day that "last week" is counted from."""
    return (access.as_of or access.now).date()


def _weights(runtime: Runtime, encoder: str | None) -> Weights:
    """The weights learned for encoders of this kind: the bundled table, or contextual encoders.

    Those for a second look were learned with the table as the first, and serve other encoders too.
    """
    if encoder is None or encoder == runtime.pieces.id:
        return TABLE
    return msgspec.structs.replace(CONTEXTUAL, second=TABLE.second)


def _ranked(
    runtime: Runtime, access: Access, question: Question, k: int, *, second: SecondLook | None
) -> tuple[Ranking, CandidateTable, list[Record], str | None, tuple[str, ...]]:
    """The ranking for a question, the table it was made from, its records, the encoder that was used, and the parts
    that were unavailable."""
    require_wanted()
    meant = _meant(runtime, question)
    forms = second and second.ask(list(dict.fromkeys((question.asked, question.spoken))))
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
        fine=None if second is None else second.encoder,
    )
    rankings: list[Ranking] = []
    failed: list[str] = []

    def choose(frame: CandidateTable, look: Look) -> Sequence[str]:
        def look_again(rows: Rows) -> Fine | None:
            try:
                return None if forms is None else _looked_again(forms, rows, look(rows), len(frame.ids))
            except AWAY as error:
                runtime.degraded(SECOND_LOOK, error)
                failed.append(SECOND_LOOK)
                return None

        weights, again = _weights(runtime, encoder), None if second is None else look_again
        result = ranked(question, meant, frame, runtime.pieces.likeness, weights, again)
        rows = np.argsort(-result.scores, kind="stable")[: k + NEARLY]
        ranking = Ranking(
            ids=[frame.ids[int(row)] for row in rows],
            scores=result.scores[rows],
            outlook=result.outlook,
            candidates=len(frame.ids),
            parts={name: column[rows] for name, column in result.parts.items()},
            newer=None if result.newer is None else frame.ids[result.newer],
            older=None if result.older is None else frame.ids[result.older],
            lacking=result.lacking,
        )
        rankings.append(ranking)
        return ranking.ids

    require_wanted()
    frame, records = runtime.store.search.find(access, probe, wanted, runtime.encoder, choose)
    return rankings[-1], frame, records, encoder, (*away, *dict.fromkeys(failed))


def _second_look(runtime: Runtime, question: str) -> SecondLook | None:
    """The second look, if there is one that reads the language of the question."""
    second = runtime.second_look
    return second if second is not None and second.reads(question) else None


def _looked_again(forms: Future[Floats], rows: Rows, fine: FineRows, candidates: int) -> Fine | None:
    """The cosines of the forms of a question with the fine vectors of rows; None if there are no vectors."""
    if not len(fine.rows):
        return None
    lacking = int((rows < candidates).sum()) - len(np.unique(fine.rows[fine.rows < candidates]))
    fine = fine.readable
    cosines = fine.cosines(forms.result())
    starts = np.flatnonzero(np.diff(fine.rows, prepend=-1))
    known, whole = fine.rows[starts], cosines[starts]
    several = np.diff(starts, append=len(fine.rows)) > 1
    cosines[starts[several]] = -1
    best = np.maximum.reduceat(cosines, starts, axis=0) if len(starts) else cosines
    return Fine(
        rows=known,
        asked=best[:, 0],
        spoken=best[:, -1],
        whole=whole[:, 0],
        vectors=fine.at(starts),
        lacking=lacking,
    )


def _near(
    runtime: Runtime, access: Access, vector: Floats, wanted: int
) -> tuple[VectorHits | None, tuple[str, ...]]:
    """What the vector index finds, and whether it is unavailable."""
    try:
        # A quarter more than wanted, because some of them may not be visible.
        return runtime.vector_sync.near(access, vector, wanted * 5 // 4, runtime.encoder), ()
    except (Unavailable, Invalid) as error:
        runtime.degraded(PART, error)
        return None, (PART,)


def _life(records: Sequence[Record], now: datetime, rates_a_day: Mapping[Tier, float]) -> Floats:
    """What the vitals of records add to their scores or subtract from them."""
    lives = [endurance(record.vitals, record.recorded_at, now, rates_a_day) - 1 for record in records]
    return LIFE * np.array(lives, np.float32)


def _meant(runtime: Runtime, question: Question) -> Meant:
    """How much each word and each distinct piece of a question counts: words common in any text count little."""
    worth: dict[str, float] = {}
    factors: dict[int, float] = {}
    terms: dict[int, int] = {}
    places = {term: place for place, term in enumerate(question.terms)}
    words = [(word, runtime.pieces.pieces(word)) for word in _RUN.findall(question.text)[:MOST_PIECES]]
    weights = runtime.pieces.weights(np.array([pieces[0] for _, pieces in words], np.int64)).tolist()
    for (word, pieces), weight in zip(words, weights, strict=True):
        # A word that the table has only in pieces is rare.
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
        telling=runtime.pieces.telling,
    )


def with_second_look(runtime: Runtime, access: Access, stats: Stats) -> Stats:
    """The statistics with how far the second look has come."""
    second = runtime.second_look
    if second is None:
        return stats
    waiting = runtime.store.fine_vectors.waiting(access, second.encoder)
    return msgspec.structs.replace(stats, second_look=second.encoder, second_look_waiting=waiting)


# How many of the best are reranked at most, and how many the model gets at a time.
MOST, AT_A_TIME = 50, 5

RERANKER = "reranker"


def reranked(runtime: Runtime, access: Access, text: str, k: int, *, explain: bool = False) -> BestHits:
    """The best records, reranked if there is a reranker, and how they were found."""
    if runtime.reranker is None:
        return recalled(runtime, access, text, k, explain=explain)
    found = recalled(runtime, access, text, max(k, MOST), explain=explain)
    hits = found.hits
    try:
        opinions = _opinions(runtime.reranker, runtime.clock, text, hits[:MOST], runtime.reranker_limit)
    except (Invalid, Unavailable, TimedOut, Unsupported) as error:
        runtime.degraded(RERANKER, error)
        return found._replace(hits=hits[:k], away=(*found.away, RERANKER))
    best = hits[: len(opinions)]
    odds = [log_odds(hit.relevance) for hit in best]
    fused = [own + more for own, more in zip(odds, second_opinions(odds, opinions), strict=True)]
    places = sorted(range(len(best)), key=lambda place: -fused[place])
    # The reranker changes the order of the hits; each place keeps its relevance.
    ordered = [_moved(best[place], odds[place], hit.relevance) for place, hit in zip(places, best, strict=True)]
    return found._replace(hits=[*ordered, *hits[len(opinions) :]][:k])


def _opinions(reranker: Reranker, clock: Clock, text: str, hits: Sequence[Hit], limit: timedelta) -> list[float]:
    """The reranker's scores for the best hits: as many as the time limit allows, judged by the pace so far."""
    opinions: list[float] = []
    start, spent = clock.now(), timedelta(0)
    while len(opinions) < len(hits):
        batch = hits[len(opinions) : len(opinions) + AT_A_TIME]
        each = spent / len(opinions) if opinions else timedelta(0)
        if opinions and spent + each * len(batch) > limit:
            break
        require_wanted()
        scores = reranker.scores(text, [hit.text for hit in batch])
        if not usable(scores, len(batch)):
            raise Invalid(f"the reranker returned {len(scores)} scores for {len(batch)} texts, or non-finite ones")
        opinions += scores
        spent = clock.now() - start
    return opinions


def _moved(hit: Hit, odds: float, relevance: float) -> Hit:
    parts = None if hit.parts is None else {**hit.parts, RERANKER: log_odds(relevance) - odds}
    return msgspec.structs.replace(hit, relevance=relevance, parts=parts)


# The kind by which a search finds summaries of sessions, and how many records are looked at for them.
SUMMARY, SOURCES = "summary", 200


def found_summaries(runtime: Runtime, access: Access, query: str, k: int) -> list[Hit]:
    """The summaries of sessions that help with a question, each as relevant as the best of its records."""
    sources = {hit.id: hit for hit in reranked(runtime, access, query, max(k, SOURCES)).hits}
    sessions = dict.fromkeys(hit.record.session_id for hit in sources.values() if hit.record.session_id)
    if not sessions:
        return []
    found: list[Hit] = []
    renditions = runtime.store.lifecycle.renditions(
        access, Subject.SESSION, subjects=list(sessions), limit=4 * len(sessions)
    )
    for rendition in renditions:
        hits = [sources[source] for source, _ in rendition.sources if source in sources]
        best = max(hits, key=lambda hit: hit.relevance, default=None)
        if best is not None and (access.as_of is None or rendition.made_at <= access.as_of):
            found.append(msgspec.structs.replace(best, record=_as_record(rendition, best.record), replaced_by=None))
    return sorted(found, key=lambda hit: (-hit.relevance, hit.id))[:k]


def _as_record(rendition: Rendition, best: Record) -> Record:
    """A summary as a record of its session, at the address of the best of its sources."""
    return Record(
        id=f"{SUMMARY}:{rendition.subject}:{rendition.node}:{rendition.scope}",
        actor_id=best.actor_id,
        text=rendition.text,
        address=best.address,
        recorded_at=rendition.made_at,
        occurred_at=rendition.last_at,
        valid_from=rendition.first_at,
        node=rendition.node,
        session_id=rendition.subject,
        kind=SUMMARY,
        scope=rendition.scope,
        source=rendition.maker,
        metadata={"sources": [source for source, _ in rendition.sources]},
        vitals=Vitals(tier=Tier.EPISODIC),
    )
