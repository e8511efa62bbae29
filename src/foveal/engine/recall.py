"""The recall flow: every arm looks, and what they find is ranked together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from foveal.engine.core import Core
from foveal.engine.indexing import PART
from foveal.engine.rankings import Ranking
from foveal.errors import Invalid, ModelUnavailable, Unavailable
from foveal.model.context import Hit
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.model.tier import Tier
from foveal.model.trace import Floats, Frame, Near, Probe
from foveal.rules.asking import Question, asked, framing_factor
from foveal.rules.decay import endurance, rates
from foveal.rules.ranking import Meant, ranked
from foveal.rules.tracing import codes
from foveal.rules.words import asked_terms

# How many candidates each arm brings, at least: the best of one arm is often far down in another.
CANDIDATES = 200
# How many beyond those asked for may still come in by the strength of their life.
NEARLY = 10
MOST_PIECES = 128


def recall(core: Core, sight: Sight, text: str, k: int, *, explain: bool = False) -> list[Hit]:
    """The `k` best records for a question. Candidates are the union of all arms and their neighbours."""
    return recalled(core, sight, text, k, explain=explain)[0]


def recalled(
    core: Core, sight: Sight, text: str, k: int, *, explain: bool = False
) -> tuple[list[Hit], str | None, tuple[str, ...]]:
    """The best records, the encoder that helped to find them, and what did not answer.

    When the encoder is away words answer alone; when an index of vectors is, the store compares each.
    """
    encoder: str | None = core.embedder.id
    away: tuple[str, ...] = ()
    # What an index of others finds is not in the mark.
    alone = not core.follower.has_index
    key = core.rankings.key(sight, text, k, core.embedder.id) if alone else None
    setting = core.store.setting(sight.viewpoint, core.encoder, lately=key is None)
    ranking = core.rankings.known(key, setting.mark, sight.now)
    if ranking is None:
        ranking, frame, records, encoder, away = _made(core, sight, asked(text, setting), k)
        now = frame.setting
        if now is not None and (now.speakers, now.years) != (setting.speakers, setting.years):
            # Somebody spoke for the first time meanwhile, or of another year.
            ranking, frame, records, encoder, away = _made(core, sight, asked(text, now), k)
        if not away:
            core.rankings.keep(key, ranking, frame, setting.mark, sight.now)
    else:
        records = core.store.get(sight, ranking.ids)
    place = {one: row for row, one in enumerate(ranking.ids)}
    rows = [place[record.id] for record in records]
    scores = ranking.scores[rows]
    parts = {name: column[rows] for name, column in ranking.parts.items()}
    if sight.as_of is None and records:
        parts["life"] = _life(records, scores - ranking.floor, sight.now, rates(core.config))
        scores = scores + parts["life"]
    cosines = ranking.cosine[rows] if encoder else np.zeros(len(rows), np.float32)
    columns = [column.tolist() for column in (parts.values() if explain else ())]
    hits = [
        Hit(
            record=record,
            score=score,
            parts={name: column[row] for name, column in zip(parts, columns, strict=True)} if explain else None,
            encoder=encoder,
            cosine=cosine,
        )
        for row, (record, score, cosine) in enumerate(zip(records, scores.tolist(), cosines.tolist(), strict=True))
    ]
    return sorted(hits, key=lambda hit: -hit.score)[:k], encoder, away


def _made(
    core: Core, sight: Sight, question: Question, k: int
) -> tuple[Ranking, Frame, list[Record], str | None, tuple[str, ...]]:
    """The best for a question, what they were ranked by, their records, the encoder that helped, and what did not
    answer."""
    meant = _meant(core, question)
    factors = np.array([framing_factor(term) for term in question.terms], np.float32)
    encoder: str | None = core.embedder.id
    near: Near | None = None
    away: tuple[str, ...] = ()
    wanted = max(CANDIDATES, k)
    try:
        vector = core.embedder.embed([question.text], asking=True)[0]
    except ModelUnavailable as error:
        core.degraded("encoder", error)
        encoder = vector = None
        away = ("meaning",)
    else:
        near, away = _near(core, sight, vector, wanted)
    pieces = meant.numbers.astype(np.uint16)
    probe = Probe(terms=codes(question.terms), factors=factors, pieces=pieces, vector=vector, near=near)
    made: list[Ranking] = []

    def choose(frame: Frame) -> Sequence[str]:
        scores, parts = ranked(question, meant, frame, core.pieces.likeness)
        rows = np.argsort(-scores, kind="stable")[: k + NEARLY]
        ranking = Ranking(
            ids=[frame.ids[int(row)] for row in rows],
            scores=scores[rows],
            cosine=frame.cosine[rows],
            floor=float(scores.min(initial=np.inf)),
            parts={name: column[rows] for name, column in parts.items()},
        )
        made.append(ranking)
        return ranking.ids

    frame, records = core.store.recollect(sight, probe, wanted, core.encoder, choose)
    return made[-1], frame, records, encoder, away


def _near(core: Core, sight: Sight, vector: Floats, wanted: int) -> tuple[Near | None, tuple[str, ...]]:
    """What the index of vectors finds, and whether it is away. Of some more, for not all may be in sight."""
    try:
        return core.follower.near(sight, vector, wanted * 5 // 4, core.encoder), ()
    except (Unavailable, Invalid) as error:
        core.degraded(PART, error)
        return None, (PART,)


def _life(records: Sequence[Record], above: Floats, now: datetime, rates_a_day: Mapping[Tier, float]) -> Floats:
    """What the lives of records add to their scores or take away, by how far these are `above` the least."""
    lives = [endurance(one.vitals, one.recorded_at, now, rates_a_day) - 1 for one in records]
    return above * np.array(lives, np.float32)


def _meant(core: Core, question: Question) -> Meant:
    """The distinct pieces of the question; those of framing words count half."""
    factors: dict[int, float] = {}
    for word in question.text.split()[:MOST_PIECES]:
        factor = min((framing_factor(term) for term in asked_terms(word)), default=1.0)
        for number in core.pieces.pieces(word):
            factors.setdefault(number, factor)
    numbers = sorted(factors)
    return Meant(
        numbers=np.array(numbers, np.int64),
        factors=np.array([factors[number] for number in numbers], np.float32),
    )
