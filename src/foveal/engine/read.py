"""The read flow: recall, fit, render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from foveal.engine.candidates import Excerpt, considered, newest
from foveal.engine.core import Core
from foveal.engine.laying import LOOKED_AT, Laid, Manner, laid, too_small
from foveal.engine.policies import current
from foveal.engine.recall import recall
from foveal.engine.reranking import reranked
from foveal.model.notice import Kind
from foveal.model.query import Sight
from foveal.model.record import Record
from foveal.model.results import Context, Cut, Hit, Item, Recalled, Receipt, Recollection
from foveal.rules.budget import Choice, is_use, zones_of
from foveal.rules.recall.ranking import LEAST
from foveal.rules.rendering import IN_SHORT, block
from foveal.rules.text import asked_terms, excerpt, gist, nearness_to, shares_more

RELEVANT = 200
# Of a smaller budget fewer are asked for: few lines with the day above them cost less than this.
TOKENS_A_HIT, FEWEST = 12, 40
# Where fewer tokens than this are left over, nothing more is looked for.
SPARE = 24
# The policies by which the question comes first.
DECIDED = ("foveated", "relevant")


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
    min_relevance: float = LEAST,
    touch: bool = True,
) -> Context:
    """What to put before the model for this question, inside the budget.

    `whole` shows nothing shortened, `glyphs` shows phrases as the glyphs of their families. Without
    `touch` the read leaves nothing behind.
    """
    core = current(core)
    wanted = min(RELEVANT, max(FEWEST, token_budget // TOKENS_A_HIT))
    found, encoder, degraded = reranked(core, sight, question, wanted, explain=True)
    hits = {hit.id: hit for hit in found}
    zones = zones_of(policy, core.policy, token_budget, in_session=sight.viewpoint.session_id is not None)
    manner = Manner(
        zones=zones,
        budget=token_budget,
        excerpt=_excerpts(core, question),
        whole=whole,
        glyphs=glyphs,
        # Who wants records whole or not at all wants nothing summed up.
        around=policy == "foveated" and not whole,
        # A policy that goes by time shows what is newest, whatever it says.
        least=min_relevance if policy in DECIDED else 0.0,
    )
    records, out = _laid_out(core, sight, manner, hits, decided=policy in DECIDED)
    text, tokens = _rendered(core, [one for _, one, _ in out.edge], out.chosen, out.cut, token_budget)
    shown = [one for one in out.given if not one.faint]
    if shown and not out.chosen:
        raise too_small(core, shown, token_budget)
    items = tuple(_item(records[one.candidate.id], one, hits.get(one.candidate.id), explain) for one in out.chosen)
    replaced = _superseded([(records[one], old) for one, old in out.before.items()], hits, asked_terms(question))
    outside = _outside(core, sight, question) if sight.where is not None else []
    left_out = (*out.cut, *replaced, *outside)
    receipt = Receipt(
        query=question,
        considered=len(items) + len(left_out),
        chosen=len(items),
        cut=left_out,
        tokens=tokens,
        token_budget=token_budget,
        zones=_spent(out.chosen) | ({"periphery": sum(cost for _, _, cost in out.edge)} if out.edge else {}),
        counter=core.counter.name,
        encoder=encoder,
        policy=policy,
        nothing_relevant=not any(hit.relevance >= min_relevance for hit in found),
        degraded=degraded,
        hidden={"superseded": len(replaced), "scope": len(outside)},
    )
    if touch:
        core.echoes.heard(sight.viewpoint, (item.record for item in items))
        _leave_touches(core, sight, receipt, items, found)
    around = tuple(one for one, _, _ in out.edge)
    return Context(items=items, text=text, tokens=tokens, receipt=receipt, periphery=around)


def _excerpts(core: Core, question: str) -> Excerpt:
    """How a record that is too long is shortened to what it says of the question."""
    nearness = nearness_to(question, core.pieces.pieces, core.pieces.likeness)
    return partial(excerpt, asked=asked_terms(question), question=question, nearness=nearness)


def _laid_out(
    core: Core, sight: Sight, manner: Manner, hits: Mapping[str, Hit], *, decided: bool
) -> tuple[dict[str, Record], Laid]:
    """What was considered, and what of it is laid out.

    Where the question has `decided`, few of the newest are considered, unless there is room for more.
    """
    few = core.policy.recent_records if decided else None
    records, works = considered(core, sight, hits, manner.budget, newest=few)
    out = laid(core, sight, manner, hits, records, works)
    if few is not None and out.left >= SPARE:
        records |= newest(core, sight, manner.budget)
        out = laid(core, sight, manner, hits, records, works)
    return records, out


def _superseded(pairs: Sequence[tuple[Record, Record]], hits: Mapping[str, Hit], asked: Sequence[str]) -> list[Cut]:
    """The older versions that share more with the question than what took their place."""
    return [
        Cut(
            id=new.id,
            reason="superseded",
            relevance=hits[new.id].relevance if new.id in hits else 0.0,
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
    return [Cut(id=hit.id, reason="scope", relevance=hit.relevance) for hit in wide if hit.id not in inside]


def _spent(chosen: Sequence[Choice]) -> dict[str, int]:
    """The tokens of each zone."""
    zones: dict[str, int] = {}
    for one in chosen:
        zones[one.zone] = zones.get(one.zone, 0) + one.tokens
    return zones


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
                relevance=round(item.relevance, 4),
                parts={name: round(part, 4) for name, part in (parts.get(item.id) or {}).items()} or None,
                zone=item.zone,
                depth=item.depth,
            )
            for item in items
        ),
    )
    used: list[str] = []
    if sight.as_of is None and sight.valid_at is None:
        best = hits[0].relevance if hits else 0.0
        used = [
            item.id for item in items if item.id in ranks and is_use(item.zone, item.depth, item.relevance / best)
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
        text = block([*around, *((one.heading, one.line) for one in chosen)])
        tokens = core.counter.count(text)
        if tokens <= budget:
            return text, tokens
        weakest = min(chosen, key=lambda one: one.candidate.relevance)
        chosen.remove(weakest)
        cut.append(Cut(id=weakest.candidate.id, reason="budget", relevance=weakest.candidate.relevance))


def _item(record: Record, choice: Choice, hit: Hit | None, explain: bool) -> Item:
    return Item(
        record=record,
        address=msgspec.structs.replace(record.address, depth=choice.depth),
        text=choice.line,
        summary=gist(record.text),
        depth=choice.depth,
        zone=choice.zone,
        tokens=choice.tokens,
        relevance=hit.relevance if hit else 0.0,
        parts=hit.parts if hit and explain else None,
        replaced_by=hit.replaced_by if hit else None,
    )
