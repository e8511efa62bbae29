"""The read flow: recall, fit, render."""

from __future__ import annotations

import msgspec

from foveal.engine.core import Core
from foveal.engine.recall import recall
from foveal.errors import BudgetTooSmall
from foveal.model.context import Context, Cut, Hit, Item, Receipt
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.ports.store import Order
from foveal.rules.fitting import Candidate, Choice, fitted
from foveal.rules.rendering import block, line
from foveal.rules.splitting import gist

RELEVANT = 200
# No rendered line costs less, so that this many of the newest are all that could fit.
CHEAPEST_LINE = 4


def read(core: Core, sight: Sight, question: str, token_budget: int, *, explain: bool = False) -> Context:
    """What to put before the model for this question, inside the budget."""
    hits = {hit.id: hit for hit in recall(core, sight, question, RELEVANT, explain=True)}
    newest = core.store.scan(sight, order=Order.NEWEST, limit=token_budget // CHEAPEST_LINE + 1)
    records = {record.id: record for record in newest} | {one: hit.record for one, hit in hits.items()}
    candidates = [_candidate(record, hits.get(record.id)) for record in records.values()]
    frame = core.counter.count(block([""]))
    chosen, cut = fitted(candidates, token_budget - frame, core.counter.count)
    if candidates and not chosen:
        least = frame + min((one.tokens for one in cut), default=0)
        raise BudgetTooSmall(
            f"a budget of {token_budget} tokens holds no item; the smallest needs {least}", needed=least
        )
    text, tokens = _rendered(core, chosen, cut, token_budget)
    encoder = next((hit.encoder for hit in hits.values()), core.embedder.id)
    items = tuple(
        _item(records[one.candidate.id], one, hits.get(one.candidate.id), explain) for one in chosen
    )
    receipt = Receipt(
        query=question,
        considered=len(candidates),
        chosen=len(items),
        cut=tuple(cut),
        tokens=tokens,
        token_budget=token_budget,
        counter=core.counter.name,
        encoder=encoder,
        policy="foveated",
        degraded=() if encoder else ("meaning",),
    )
    return Context(items=items, text=text, tokens=tokens, receipt=receipt)


def _candidate(record: Record, hit: Hit | None) -> Candidate:
    return Candidate(
        id=record.id,
        score=hit.score if hit else 0.0,
        line=line(record, record.text),
        short=line(record, gist(record.text)),
        order=(record.occurred_at, record.id),
    )


def _rendered(core: Core, chosen: list[Choice], cut: list[Cut], budget: int) -> tuple[str, int]:
    """The text and what it costs. Lines joined may cost more than they do alone: then the weakest goes."""
    while True:
        text = block([one.line for one in chosen])
        tokens = core.counter.count(text)
        if tokens <= budget or not chosen:
            return text, tokens
        weakest = min(chosen, key=lambda one: one.candidate.score)
        chosen.remove(weakest)
        candidate = weakest.candidate
        cut.append(Cut(id=candidate.id, reason="budget", score=candidate.score, tokens=weakest.tokens))


def _item(record: Record, choice: Choice, hit: Hit | None, explain: bool) -> Item:
    depth = 2 if choice.full else 0
    return Item(
        record=record,
        address=msgspec.structs.replace(record.address, depth=depth),
        text=choice.line,
        summary=gist(record.text),
        depth=depth,
        tokens=choice.tokens,
        score=hit.score if hit else 0.0,
        parts=hit.parts if hit and explain else None,
    )
