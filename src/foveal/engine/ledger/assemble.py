"""`assemble_context`: what a task needs from each tier, inside a budget."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.engine.ledger.operational import Operational, told
from foveal.engine.ledger.records import found, of_kinds
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import BudgetTooSmall
from foveal.model.query import At, Filter, Viewpoint
from foveal.model.record import Record, Tier
from foveal.model.results import AssembledContext, ContextChunk, Cut, SearchResult
from foveal.rules.budget import SNAPSHOT, Candidate, Choice, Offer, shared_out, snapshot_room
from foveal.rules.duplicates import normal
from foveal.rules.rendering import block, escaped
from foveal.rules.text import asked_terms, excerpt, gist

# How many of each tier are considered, however relevant: a tier that was asked for gives what it has.
CONSIDERED = 12
LEDGER, LASTING = ("goal", "task", "decision", "pattern"), ("incident", "procedure", "config_change")
# What is searched by itself for a tier, so that much else does not crowd it out.
KINDS = (("working", LEDGER), ("longterm", LASTING), ("knowledge", ("knowledge",)))


def assemble(
    runtime: Runtime, viewpoint: Viewpoint, task_description: str, max_tokens: int, tiers: Sequence[str]
) -> AssembledContext:
    """Gather what a task needs from these tiers, never over the budget, each chunk with its source."""
    seen = _gathered(runtime, viewpoint, task_description, tiers)
    asked = asked_terms(task_description)
    offers = [Offer(tier=tier, candidate=_candidate(tier, one, asked)) for tier, one in seen.values()]
    if "operational" in tiers:
        offers.insert(0, Offer(tier="operational", candidate=_snapshot(runtime, viewpoint, max_tokens)))
    frame = runtime.counter.count(block([("", "")]))
    chosen = shared_out(offers, max_tokens - frame, runtime.counter.count)
    text, tokens = _rendered(runtime, chosen, max_tokens)
    if offers and not chosen:
        least = frame + min(
            runtime.counter.count(f"{one.candidate.heading}\n{one.candidate.line(0)}\n") for one in offers
        )
        raise BudgetTooSmall(
            f"a budget of {max_tokens} tokens holds no chunk; the smallest needs {least}", needed=least
        )
    shown = {one.candidate.id for one in chosen}
    records = {key: one for key, (_, one) in seen.items()}
    runtime.echoes.heard(viewpoint, (one.record for key, one in records.items() if key in shown))
    return AssembledContext(
        chunks=tuple(_chunk(one, records.get(one.candidate.id)) for one in chosen),
        text=text,
        total_tokens=tokens,
        max_tokens=max_tokens,
        tiers=tuple(tiers),
        cut=tuple(
            Cut(id=one.candidate.id, reason="budget", relevance=one.candidate.relevance)
            for one in offers
            if one.candidate.id not in shown
        ),
    )


def _gathered(
    runtime: Runtime, viewpoint: Viewpoint, task: str, tiers: Sequence[str]
) -> dict[str, tuple[str, SearchResult]]:
    """The records that may help with a task, each once, with the tier that it comes from."""
    searched: list[Sequence[Filter]] = [[of_kinds(kinds)] for tier, kinds in KINDS if tier in tiers]
    if set(tiers) - {"knowledge"}:
        searched.append([])
    if "longterm" in tiers and "working" not in tiers:
        searched.append([of_kinds(LEDGER)])
    seen: dict[str, tuple[str, SearchResult]] = {}
    said: set[str] = set()
    # What only repeats the task says nothing new.
    own = normal(task)
    for where in searched:
        for one in found(runtime, viewpoint, task, CONSIDERED, where=where):
            tier = _tier(one.record, tiers)
            if tier in tiers and one.content not in said and normal(one.content) not in own:
                seen[one.id] = (tier, one)
                said.add(one.content)
    return seen


def _tier(record: Record, tiers: Sequence[str]) -> str:
    """The tier of the assembly that a record belongs to. Decisions are both what is worked on and what lasts."""
    if record.kind == "knowledge":
        return "knowledge"
    if record.kind == "decision":
        return "working" if "working" in tiers and record.vitals.tier is not Tier.SEMANTIC else "longterm"
    if record.kind in LASTING or record.vitals.tier is Tier.SEMANTIC:
        return "longterm"
    return "operational" if record.vitals.tier is Tier.WORKING and record.kind not in LEDGER else "working"


def _snapshot(runtime: Runtime, viewpoint: Viewpoint, max_tokens: int) -> Candidate:
    """The state of the machine, as many lines of it as have room."""
    at = At(world=viewpoint.world, actor_id=viewpoint.actor_id, node=viewpoint.node)
    snapshot = Operational(runtime, at).get_system_snapshot()
    lines = [escaped(gist(line, 300)) for line in told(snapshot)]
    room, kept = snapshot_room(max_tokens), lines[:1]
    for line in lines[1:]:
        if runtime.counter.count("\n".join([*kept, line])) > room:
            break
        kept.append(line)
    first = kept[0]
    return Candidate(
        id=SNAPSHOT,
        relevance=1.0,
        whole="\n".join(kept),
        shorter=lambda _depth: first,
        heading="[operational]",
        place=(snapshot.at, SNAPSHOT),
    )


def _candidate(tier: str, one: SearchResult, asked: Sequence[str]) -> Candidate:
    record = one.record
    text = record.text
    if record.kind == "pattern":
        text = f"{text}\nDo: {record.metadata.get('action', '')}"
    if record.kind == "knowledge" and record.metadata.get("title"):
        text = f"{record.metadata['title']}: {text}"
    lead = f"({record.kind}, {record.occurred_at:%Y-%m-%d}, relevance {one.relevance:.2f})"

    def shorter(depth: int) -> str:
        return f"{lead} {escaped(excerpt(text, asked) if depth == 1 else gist(text))}"

    return Candidate(
        id=one.id,
        relevance=one.relevance,
        whole=f"{lead} {escaped(text)}",
        shorter=shorter,
        heading=f"[{tier}]",
        place=(record.occurred_at, record.id),
    )


def _rendered(runtime: Runtime, chosen: list[Choice], budget: int) -> tuple[str, int]:
    """The text and what it costs. Lines joined may cost more than they do alone: then the weakest goes."""
    while True:
        text = block([(one.heading, one.line) for one in chosen])
        tokens = runtime.counter.count(text)
        if tokens <= budget:
            return text, tokens
        chosen.remove(min(chosen, key=lambda one: one.candidate.relevance))


def _chunk(choice: Choice, result: SearchResult | None) -> ContextChunk:
    return ContextChunk(
        source=choice.candidate.heading.strip("[]"),
        content=choice.line,
        relevance=round(choice.candidate.relevance, 4),
        tokens=choice.tokens,
        depth=choice.depth,
        id=result.id if result else None,
        kind=result.record.kind if result else SNAPSHOT,
    )
