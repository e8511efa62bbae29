"""`assemble_context`: the context a task needs from each tier, within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.engine.ledger.operational import Operational, snapshot_lines
from foveal.engine.ledger.records import found, of_kinds
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import BudgetTooSmall
from foveal.model.query import At, Filter, Viewpoint
from foveal.model.record import Record, Tier
from foveal.model.results import AssembledContext, ContextChunk, Cut, Hit
from foveal.rules.budget import SNAPSHOT, Candidate, Choice, Offer, shared_out, snapshot_room
from foveal.rules.recall.ranking import LEAST_READ
from foveal.rules.rendering import block, escaped
from foveal.rules.text import asked_terms, excerpt, gist

# How many records of each tier are considered, regardless of relevance: a requested tier always contributes. Others
# are as long as the budget holds short records, if they are likely to help.
CONSIDERED, SHORT = 12, 8
LEDGER, LASTING = ("goal", "task", "decision", "pattern"), ("incident", "procedure", "config_change")
# The kinds that are searched separately for a tier, so that other records do not crowd them out.
KINDS = (("working", LEDGER), ("longterm", LASTING), ("knowledge", ("knowledge",)))


def assemble(
    runtime: Runtime, viewpoint: Viewpoint, task_description: str, max_tokens: int, tiers: Sequence[str]
) -> AssembledContext:
    """The context a task needs from these tiers, never over the budget, each chunk with its source."""
    left_out: dict[str, Cut] = {}
    most = max(CONSIDERED, max_tokens // SHORT)
    gathered = _gathered(runtime, viewpoint, task_description, tiers, most, left_out)
    asked = asked_terms(task_description)
    offers = [Offer(tier=tier, candidate=_candidate(tier, hit, asked)) for tier, hit in gathered.values()]
    if "operational" in tiers:
        offers.insert(0, Offer(tier="operational", candidate=_snapshot(runtime, viewpoint, max_tokens)))
    frame = runtime.tokens(block([("", "")]))
    chosen = shared_out(offers, max_tokens - frame, runtime.tokens)
    text, tokens = _rendered(runtime, chosen, max_tokens)
    if offers and not chosen:
        least = frame + min(
            runtime.tokens(f"{offer.candidate.heading}\n{offer.candidate.line(0)}\n") for offer in offers
        )
        raise BudgetTooSmall(
            f"a budget of {max_tokens} tokens holds no chunk; the smallest needs {least}", needed=least
        )
    shown = {choice.candidate.id for choice in chosen}
    hits = {record_id: hit for record_id, (_, hit) in gathered.items()}
    runtime.echoes.heard(viewpoint, (hit.record for hit in hits.values() if hit.id in shown))
    return AssembledContext(
        chunks=tuple(_chunk(choice, hits.get(choice.candidate.id)) for choice in chosen),
        text=text,
        total_tokens=tokens,
        max_tokens=max_tokens,
        tiers=tuple(tiers),
        cut=tuple(
            Cut(id=offer.candidate.id, reason="budget", relevance=offer.candidate.relevance)
            for offer in offers
            if offer.candidate.id not in shown
        )
        + tuple(cut for record_id, cut in left_out.items() if record_id not in gathered),
    )


def _gathered(
    runtime: Runtime, viewpoint: Viewpoint, task: str, tiers: Sequence[str], most: int, left_out: dict[str, Cut]
) -> dict[str, tuple[str, Hit]]:
    """The records that may help with a task, each once, with the tier it comes from.

    Those that say the same as another, or are unlikely to help, are added to `left_out`.
    """
    searched: list[Sequence[Filter]] = [[of_kinds(kinds)] for tier, kinds in KINDS if tier in tiers]
    if set(tiers) - {"knowledge"}:
        searched.append([])
    if "longterm" in tiers and "working" not in tiers:
        searched.append([of_kinds(LEDGER)])
    gathered: dict[str, tuple[str, Hit]] = {}
    contents: set[str] = set()
    for where in searched:
        for place, hit in enumerate(found(runtime, viewpoint, task, most, where=where)):
            tier = _tier(hit.record, tiers)
            if tier not in tiers or hit.id in gathered:
                continue
            same = hit.text in contents
            if same or (place >= CONSIDERED and hit.relevance < LEAST_READ):
                reason = "duplicate" if same else "irrelevant"
                left_out[hit.id] = Cut(id=hit.id, reason=reason, relevance=hit.relevance)
            else:
                gathered[hit.id] = (tier, hit)
                contents.add(hit.text)
    return gathered


def _tier(record: Record, tiers: Sequence[str]) -> str:
    """The tier of the assembly that a record belongs to. A decision may be working or long-term memory."""
    if record.kind == "knowledge":
        return "knowledge"
    if record.kind == "decision":
        return "working" if "working" in tiers and record.vitals.tier is not Tier.SEMANTIC else "longterm"
    if record.kind in LASTING or record.vitals.tier is Tier.SEMANTIC:
        return "longterm"
    return "operational" if record.vitals.tier is Tier.WORKING and record.kind not in LEDGER else "working"


def _snapshot(runtime: Runtime, viewpoint: Viewpoint, max_tokens: int) -> Candidate:
    """The state of the machine, as many lines of it as fit."""
    at = At(world=viewpoint.world, actor_id=viewpoint.actor_id, node=viewpoint.node)
    snapshot = Operational(runtime, at).get_system_snapshot()
    lines = [escaped(gist(line, 300)) for line in snapshot_lines(snapshot)]
    budget, shown = snapshot_room(max_tokens), lines[:1]
    for line in lines[1:]:
        if runtime.tokens("\n".join([*shown, line])) > budget:
            break
        shown.append(line)
    first = shown[0]
    return Candidate(
        id=SNAPSHOT,
        relevance=1.0,
        whole="\n".join(shown),
        shorter=lambda _depth: first,
        heading="[operational]",
        place=(snapshot.at, SNAPSHOT),
    )


def _candidate(tier: str, hit: Hit, asked: Sequence[str]) -> Candidate:
    record = hit.record
    text = record.text
    if record.kind == "pattern":
        text = f"{text}\nDo: {record.metadata.get('action', '')}"
    if record.kind == "knowledge" and record.metadata.get("title"):
        text = f"{record.metadata['title']}: {text}"
    lead = f"({record.kind}, {record.occurred_at:%Y-%m-%d}, relevance {hit.relevance:.2f})"

    def shorter(depth: int) -> str:
        return f"{lead} {escaped(excerpt(text, asked) if depth == 1 else gist(text))}"

    return Candidate(
        id=hit.id,
        relevance=hit.relevance,
        whole=f"{lead} {escaped(text)}",
        shorter=shorter,
        heading=f"[{tier}]",
        place=(record.occurred_at, record.id),
    )


def _rendered(runtime: Runtime, chosen: list[Choice], budget: int) -> tuple[str, int]:
    """The text and its cost in tokens.

    Joined lines may cost more than the sum of their parts: then the least relevant line is dropped.
    """
    while True:
        text = block([(choice.heading, choice.line) for choice in chosen])
        tokens = runtime.tokens(text)
        if tokens <= budget:
            return text, tokens
        chosen.remove(min(chosen, key=lambda choice: choice.candidate.relevance))


def _chunk(choice: Choice, hit: Hit | None) -> ContextChunk:
    return ContextChunk(
        source=choice.candidate.heading.strip("[]"),
        content=choice.line,
        relevance=round(choice.candidate.relevance, 4),
        tokens=choice.tokens,
        depth=choice.depth,
        id=hit.id if hit else None,
        kind=hit.record.kind if hit else SNAPSHOT,
    )
