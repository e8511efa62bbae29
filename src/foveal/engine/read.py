"""The read flow: recall, fit, render."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from foveal.engine.core import Core
from foveal.engine.recall import recalled
from foveal.engine.tape.showing import at_their_depth, glyphed
from foveal.errors import BudgetTooSmall
from foveal.model.context import Context, Cut, Hit, Item, Receipt
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.ports.store import Order
from foveal.rules.excerpting import excerpt
from foveal.rules.fitting import Candidate, Choice, fitted
from foveal.rules.rendering import block, heading, line
from foveal.rules.splitting import gist
from foveal.rules.words import asked_terms

RELEVANT = 200
EARLY = 3
# No text costs fewer tokens than this: a word for every so many characters, and who said it.
CHARACTERS_A_TOKEN, TOKENS_A_LINE = 12, 3


def read(
    core: Core,
    sight: Sight,
    question: str,
    token_budget: int,
    *,
    policy: str = "foveated",
    whole: bool = False,
    glyphs: bool = False,
    explain: bool = False,
) -> Context:
    """What to put before the model for this question, inside the budget.

    `whole` shows nothing shortened, `glyphs` shows phrases as the glyphs of their families.
    """
    found, encoder = recalled(core, sight, question, RELEVANT, explain=True)
    hits = {hit.id: hit for hit in found}
    records = _considered(core, sight, hits, token_budget)
    candidates = _candidates(records, hits, sight, asked_terms(question))
    if whole:
        candidates = [msgspec.structs.replace(one, shorter=partial(_unchanged, one.whole)) for one in candidates]
    if glyphs:
        candidates = glyphed(core, sight, records, candidates)
    frame = core.counter.count(block([("", "")]))
    chosen, cut = fitted(candidates, token_budget - frame, core.counter.count, policy)
    chosen = at_their_depth(chosen)
    text, tokens = _rendered(core, chosen, cut, token_budget)
    if candidates and not chosen and (hits or policy != "relevant"):
        least = frame + min(core.counter.count(f"{one.heading}\n{one.line(0)}\n") for one in candidates)
        raise BudgetTooSmall(
            f"a budget of {token_budget} tokens holds no item; the smallest needs {least}", needed=least
        )
    items = tuple(_item(records[one.candidate.id], one, hits.get(one.candidate.id), explain) for one in chosen)
    zones: dict[str, int] = {}
    for one in chosen:
        zones[one.zone] = zones.get(one.zone, 0) + one.tokens
    receipt = Receipt(
        query=question,
        considered=len(candidates),
        chosen=len(items),
        cut=tuple(cut),
        tokens=tokens,
        token_budget=token_budget,
        zones=zones,
        counter=core.counter.name,
        encoder=encoder,
        policy=policy,
        degraded=() if encoder else ("meaning",),
    )
    core.echoes.heard(sight.viewpoint, (item.record for item in items))
    return Context(items=items, text=text, tokens=tokens, receipt=receipt)


def _considered(core: Core, sight: Sight, hits: dict[str, Hit], budget: int) -> dict[str, Record]:
    """The hits, the beginning, and of the newest as many as could possibly fit."""
    records = {one: hit.record for one, hit in hits.items()}
    records |= {one.id: one for one in core.store.scan(sight, order=Order.OLDEST, limit=EARLY)}
    least = 0
    for record in core.store.scan(sight, order=Order.NEWEST):
        records[record.id] = record
        least += TOKENS_A_LINE + len(record.text) // CHARACTERS_A_TOKEN
        if least > budget:
            break
    return records


def _candidates(
    records: dict[str, Record], hits: dict[str, Hit], sight: Sight, asked: Sequence[str]
) -> list[Candidate]:
    floor = min((hit.score for hit in hits.values()), default=0.0) - 1.0
    session = sight.viewpoint.session_id
    questions = _questions(records)
    return [
        Candidate(
            id=one.id,
            score=hits[one.id].score - floor if one.id in hits else 0.0,
            whole=line(one, one.text),
            shorter=partial(_shorter, one, asked),
            heading=heading(one),
            place=(one.occurred_at, one.id),
            earlier=session is not None and one.session_id != session,
            question=questions.get(one.id),
        )
        for one in records.values()
    ]


def _shorter(record: Record, asked: Sequence[str], depth: int) -> str:
    return line(record, excerpt(record.text, asked) if depth == 1 else gist(record.text))


def _unchanged(text: str, _depth: int) -> str:
    return text


def _questions(records: dict[str, Record]) -> dict[str, str]:
    """For each record, the one considered before it in its session, if that is a question."""
    found: dict[str, str] = {}
    ordered = sorted(records.values(), key=lambda one: (one.session_id or "", one.occurred_at, one.id))
    for before, record in zip(ordered, ordered[1:], strict=False):
        same = record.session_id is not None and record.session_id == before.session_id
        if same and before.text.rstrip().endswith(("?", "？")):
            found[record.id] = before.id
    return found


def _rendered(core: Core, chosen: list[Choice], cut: list[Cut], budget: int) -> tuple[str, int]:
    """The text and what it costs. Lines joined may cost more than they do alone: then the weakest goes."""
    while True:
        text = block([(one.candidate.heading, one.line) for one in chosen])
        tokens = core.counter.count(text)
        if tokens <= budget:
            return text, tokens
        weakest = min(chosen, key=lambda one: one.candidate.score)
        chosen.remove(weakest)
        cut.append(Cut(id=weakest.candidate.id, reason="budget", score=weakest.candidate.score))


def _item(record: Record, choice: Choice, hit: Hit | None, explain: bool) -> Item:
    return Item(
        record=record,
        address=msgspec.structs.replace(record.address, depth=choice.depth),
        text=choice.line,
        summary=gist(record.text),
        depth=choice.depth,
        zone=choice.zone,
        tokens=choice.tokens,
        score=hit.score if hit else 0.0,
        parts=hit.parts if hit and explain else None,
    )
