"""The read flow: recall, fit, render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

import msgspec

from foveal.engine.candidates import candidates, considered
from foveal.engine.core import Core
from foveal.engine.periphery import periphery
from foveal.engine.recall import recall
from foveal.engine.reranking import reranked
from foveal.engine.tape.showing import glyphed
from foveal.errors import BudgetTooSmall
from foveal.model.context import Context, Cut, Hit, Item, Receipt
from foveal.model.notice import Kind
from foveal.model.recollection import Recalled, Recollection
from foveal.model.record import Record
from foveal.model.rendition import Rendition
from foveal.model.sight import Sight
from foveal.rules.excerpting import shares_more
from foveal.rules.fitting import Candidate, Choice, fitted, zones_of
from foveal.rules.rendering import IN_SHORT, block, line
from foveal.rules.splitting import gist
from foveal.rules.touching import is_use
from foveal.rules.words import asked_terms

RELEVANT = 200
# Of a smaller budget fewer are asked for: no line costs fewer tokens than this, but for a few words.
TOKENS_A_HIT, FEWEST = 8, 40
# For so many of the best it is asked whether an older version, or a record outside what was asked, matched better.
LOOKED_AT = 50


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
    min_score: float | None = None,
    touch: bool = True,
) -> Context:
    """What to put before the model for this question, inside the budget.

    `whole` shows nothing shortened, `glyphs` shows phrases as the glyphs of their families. Without
    `touch` the read leaves nothing behind.
    """
    zones = zones_of(policy, core.policy, in_session=sight.viewpoint.session_id is not None)
    wanted = min(RELEVANT, max(FEWEST, token_budget // TOKENS_A_HIT))
    found, encoder, degraded = reranked(core, sight, question, wanted, explain=True)
    hits = {hit.id: hit for hit in found}
    records, works = considered(core, sight, hits, token_budget)
    asked = asked_terms(question)
    given = candidates(records, hits, sight, asked, works=works, deepest=core.policy.default_depth, least=min_score)
    if whole:
        given = [msgspec.structs.replace(one, shorter=partial(_unchanged, one.whole), deepest=2) for one in given]
    if glyphs:
        given = glyphed(core, sight, records, given)
    frame = core.counter.count(block([("", "")]))
    fit = partial(fitted, count=cache(core.counter.count), zones=zones)
    room = token_budget - frame
    chosen, cut = fit(given, budget=room)
    edge: list[tuple[Rendition, str, int]] = []
    # Who wants records whole or not at all wants nothing summed up.
    if policy == "foveated" and not whole and any(one.reason == "budget" for one in cut):
        edge = periphery(core, sight, token_budget, hits, {one.candidate.id for one in chosen})
    if edge:
        room -= core.counter.count(IN_SHORT + "\n") + sum(cost for _, _, cost in edge)
        chosen, cut = fit(given, budget=room)
    before = _before(core, sight, [records[one.candidate.id] for one in chosen if one.depth == 2], found)
    retold = _retold(given, chosen, records, before)
    if retold is not None:
        chosen, cut = fit(retold, budget=room)
    text, tokens = _rendered(core, [one for _, one, _ in edge], chosen, cut, token_budget)
    if given and not chosen and (hits or policy != "relevant") and min_score is None:
        raise _too_small(core, given, frame, token_budget)
    items = tuple(_item(records[one.candidate.id], one, hits.get(one.candidate.id), explain) for one in chosen)
    replaced = _superseded([(records[one], old) for one, old in before.items()], hits, asked)
    outside = _outside(core, sight, question) if sight.where is not None else []
    left_out = (*cut, *replaced, *outside)
    receipt = Receipt(
        query=question,
        considered=len(items) + len(left_out),
        chosen=len(items),
        cut=left_out,
        tokens=tokens,
        token_budget=token_budget,
        zones=_spent(chosen) | ({"periphery": sum(cost for _, _, cost in edge)} if edge else {}),
        counter=core.counter.name,
        encoder=encoder,
        policy=policy,
        degraded=degraded,
        hidden={"superseded": len(replaced), "scope": len(outside)},
    )
    if touch:
        core.echoes.heard(sight.viewpoint, (item.record for item in items))
        _leave_touches(core, sight, receipt, items, found)
    around = tuple(one for one, _, _ in edge)
    return Context(items=items, text=text, tokens=tokens, receipt=receipt, periphery=around)


def _retold(
    given: Sequence[Candidate],
    chosen: Sequence[Choice],
    records: Mapping[str, Record],
    before: Mapping[str, Record],
) -> list[Candidate] | None:
    """The candidates with what they replaced told, if one of those that are shown whole replaced something."""
    if not any(one.candidate.id in before and one.depth == 2 for one in chosen):
        return None
    told = {one: line(records[one], records[one].text, was=old.text) for one, old in before.items()}
    return [msgspec.structs.replace(one, told=told.get(one.id)) for one in given]


def _too_small(core: Core, given: Sequence[Candidate], frame: int, budget: int) -> BudgetTooSmall:
    least = frame + min(core.counter.count(f"{one.heading}\n{one.line(0)}\n") for one in given)
    return BudgetTooSmall(f"a budget of {budget} tokens holds no item; the smallest needs {least}", needed=least)


def _before(core: Core, sight: Sight, shown: Sequence[Record], found: Sequence[Hit]) -> dict[str, Record]:
    """What was replaced by the records that are shown whole, and by the best that were found."""
    changed = {one.id: one for one in (*shown, *(hit.record for hit in found[:LOOKED_AT])) if one.version > 1}
    return core.store.previous(sight, list(changed.values())) if changed else {}


def _superseded(pairs: Sequence[tuple[Record, Record]], hits: Mapping[str, Hit], asked: Sequence[str]) -> list[Cut]:
    """The older versions that share more with the question than what took their place."""
    return [
        Cut(
            id=new.id,
            reason="superseded",
            score=hits[new.id].score if new.id in hits else 0.0,
            version=old.version,
            successor=new.version,
        )
        for new, old in pairs
        if shares_more(old.text, new.text, asked)
    ]


def _outside(core: Core, sight: Sight, question: str) -> list[Cut]:
    """What this viewpoint would have found best, had the caller not narrowed the question."""
    wide = recall(core, msgspec.structs.replace(sight, where=None), question, LOOKED_AT)
    inside = {one.id for one in core.store.get(sight, [hit.id for hit in wide])}
    return [Cut(id=hit.id, reason="scope", score=hit.score) for hit in wide if hit.id not in inside]


def _spent(chosen: Sequence[Choice]) -> dict[str, int]:
    """The tokens of each zone."""
    zones: dict[str, int] = {}
    for one in chosen:
        zones[one.zone] = zones.get(one.zone, 0) + one.tokens
    return zones


def _unchanged(text: str, _depth: int) -> str:
    return text


def _leave_touches(core: Core, sight: Sight, receipt: Receipt, items: Sequence[Item], hits: Sequence[Hit]) -> None:
    """Log the read, and count what it used. Looking back at what was known once uses nothing."""
    ranks = {hit.id: rank for rank, hit in enumerate(hits, 1)}
    parts = {hit.id: hit.parts for hit in hits}
    read = Recollection(
        query=receipt.query,
        at=sight.now,
        node=sight.viewpoint.node,
        session_id=sight.viewpoint.session_id,
        policy=receipt.policy,
        items=tuple(
            Recalled(
                id=item.id,
                rank=ranks.get(item.id),
                score=round(item.score, 4),
                parts={name: round(part, 4) for name, part in (parts.get(item.id) or {}).items()} or None,
                zone=item.zone,
                depth=item.depth,
            )
            for item in items
        ),
    )
    used: list[str] = []
    if sight.as_of is None and sight.valid_at is None:
        floor, best = hits[-1].score - 1.0 if hits else 0.0, hits[0].score if hits else 0.0
        used = [
            item.id
            for item in items
            if item.id in ranks and is_use(item.zone, item.depth, (item.score - floor) / (best - floor))
        ]
    core.touches.add(sight.viewpoint, read, used)
    if core.teller is not None:
        core.teller.tell(Kind.READ, sight.viewpoint, [item.id for item in items])


def _rendered(
    core: Core, edge: Sequence[str], chosen: list[Choice], cut: list[Cut], budget: int
) -> tuple[str, int]:
    """The text and what it costs. Lines joined may cost more than they do alone: then the weakest goes."""
    while True:
        around = [(IN_SHORT, one) for one in edge]
        text = block([*around, *((one.candidate.heading, one.line) for one in chosen)])
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
