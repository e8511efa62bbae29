"""The read flow: recall, fit, render, with the receipt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import Protocol

import msgspec
from msgspec import Struct

from foveal.engine.records.recall import recall, reranked
from foveal.engine.runtime.runtime import Runtime, current
from foveal.engine.tape.encode import glyphed
from foveal.errors import BudgetTooSmall
from foveal.model.notice import Kind
from foveal.model.query import Access
from foveal.model.record import Record, Rendition, Scope, Subject
from foveal.model.results import Context, Cut, Hit, Item, Recalled, Receipt, Recollection
from foveal.ports.store import Order
from foveal.rules.budget import Candidate, Choice, Zone, fit, is_use, zones_of
from foveal.rules.filters import working
from foveal.rules.recall.ranking import LEAST
from foveal.rules.rendering import IN_SHORT, block, heading, in_short, line
from foveal.rules.summaries import EXTRACTIVE, summary
from foveal.rules.text import asked_terms, excerpt, gist, nearness_to, shares_more

EARLY = 3
# No text costs fewer tokens than this: a word for every so many characters, and who said it.
CHARACTERS_A_TOKEN, TOKENS_A_LINE = 12, 3
A_FEW = 64
# How many characters the shortest form of a record has.
GLANCE = 120


class Excerpt(Protocol):
    """Shortens a text to what a question points at."""

    def __call__(self, text: str, *, limit: int = ...) -> str:
        """The part of the text, not longer than the limit."""
        ...


def gather(
    runtime: Runtime, access: Access, hits: Mapping[str, Hit], budget: int, *, newest: int | None = None
) -> tuple[dict[str, Record], frozenset[str]]:
    """The hits, the beginning, and of the newest so many, or as many as could possibly fit; and which of them the
    session works on."""
    early = max(EARLY, runtime.policy.early_records)
    records = {one: hit.record for one, hit in hits.items()}
    records |= {one.id: one for one in runtime.store.scan(access, order=Order.OLDEST, limit=early)}
    records |= _fitting(islice(_newest(runtime, access, newest or A_FEW), newest), budget)
    session = access.viewpoint.session_id
    works: dict[str, Record] = {}
    if session is not None:
        here = msgspec.structs.replace(access, where=working(access.where, session))
        room = int(runtime.policy.working_ratio * budget)
        works = _fitting(runtime.store.scan(here, order=Order.NEWEST, limit=1 + room // TOKENS_A_LINE), room)
    return records | works, frozenset(works)


def newest(runtime: Runtime, access: Access, budget: int) -> dict[str, Record]:
    """Of the newest as many as could possibly fit."""
    return _fitting(_newest(runtime, access, A_FEW), budget)


def _newest(runtime: Runtime, access: Access, at_once: int) -> Iterator[Record]:
    """The newest first, asked for a few at a time: a budget holds few."""
    last: Record | None = None
    while page := list(runtime.store.scan(access, order=Order.NEWEST, limit=at_once, after=last)):
        yield from page
        last = page[-1] if len(page) == at_once else None
        if last is None:
            return


def _fitting(records: Iterable[Record], budget: int) -> dict[str, Record]:
    """As many of these, from the first, as could possibly fit."""
    found: dict[str, Record] = {}
    least = 0
    for record in records:
        found[record.id] = record
        least += TOKENS_A_LINE + len(record.text) // CHARACTERS_A_TOKEN
        if least > budget:
            break
    return found


def candidates(
    records: Mapping[str, Record],
    hits: Mapping[str, Hit],
    access: Access,
    excerpt: Excerpt,
    *,
    works: Collection[str] = (),
    deepest: int = 2,
    least: float = 0.0,
) -> list[Candidate]:
    """The records as they could be shown. What is less relevant than `least` is faint."""
    session = access.viewpoint.session_id
    questions = _questions(records)
    outdated = {one for one, hit in hits.items() if hit.replaced_by is not None}
    return [
        Candidate(
            id=one.id,
            relevance=(relevance := hits[one.id].relevance if one.id in hits else 0.0),
            whole=(whole := line(one, one.text, older=one.id in outdated)),
            shorter=_Shorter(one, excerpt, whole, older=one.id in outdated),
            heading=heading(one),
            place=(one.occurred_at, one.id),
            earlier=session is not None and one.session_id != session,
            question=questions.get(one.id),
            working=one.id in works,
            deepest=deepest,
            faint=relevance < least,
        )
        for one in records.values()
    ]


class _Shorter:
    """A record shortened to a depth, worded once."""

    __slots__ = ("_excerpt", "_older", "_record", "_said")

    def __init__(self, record: Record, excerpt: Excerpt, whole: str, *, older: bool) -> None:
        self._older = older
        self._record = record
        self._excerpt = excerpt
        self._said = {2: whole}

    def __call__(self, depth: int) -> str:
        if depth not in self._said:
            text = self._record.text
            short = self._excerpt(text) if depth == 1 else self._excerpt(text, limit=GLANCE)
            self._said[depth] = self._said[2] if short == text else line(self._record, short, older=self._older)
        return self._said[depth]


def _questions(records: Mapping[str, Record]) -> dict[str, str]:
    """For each record, the one considered before it in its session, if that is a question."""
    found: dict[str, str] = {}
    ordered = sorted(records.values(), key=lambda one: (one.session_id or "", one.occurred_at, one.id))
    for before, record in zip(ordered, ordered[1:], strict=False):
        same = record.session_id is not None and record.session_id == before.session_id
        if same and before.text.rstrip().endswith(("?", "？")):
            found[record.id] = before.id
    return found


# Of so many sessions, or regions, it is asked what they say in short.
ASKED = 6
# A cell of so many digits is summed up if it holds so many records that are left out, in so many characters.
DIGITS, FEWEST_OF_A_PLACE, CHARACTERS = 3, 3, 200


def periphery(
    runtime: Runtime, access: Access, budget: int, hits: Mapping[str, Hit], shown: Collection[str]
) -> list[tuple[Rendition, str, int]]:
    """What sessions say in short that hold much of what was found and is not shown, each with its line and cost.

    They take a share of the budget at most, and none of one that is short. Where no session is summed up, regions
    are; where those are not either, cells of the map, if the policy wants them.
    """
    policy = runtime.policy
    if budget < policy.periphery_from_tokens or access.where or access.as_of or access.valid_at:
        return []
    left = [hit for one, hit in hits.items() if one not in shown]
    known = _renditions(runtime, access, Subject.SESSION, left) or _renditions(
        runtime, access, Subject.REGION, left
    )
    if not known and policy.periphery_cells:
        known = _cells(access, left)
    room = int(policy.periphery_ratio * budget)
    chosen: list[tuple[Rendition, str, int]] = []
    for rendition in known:
        line = in_short(rendition)
        cost = runtime.counter.count(line + "\n")
        if cost <= room and not _mostly_shown(rendition, shown):
            chosen.append((rendition, line, cost))
            room -= cost
    return sorted(chosen, key=lambda one: one[0].first_at)


def _renditions(runtime: Runtime, access: Access, kind: Subject, left: Collection[Hit]) -> list[Rendition]:
    """What the sessions, or regions, that hold most of these hits say in short, the richest first."""
    worth: Counter[str] = Counter()
    for hit in left:
        subject = hit.record.session_id if kind is Subject.SESSION else hit.record.region
        if subject is not None:
            worth[subject] += hit.relevance  # pyright: ignore[reportArgumentType]
    best = [subject for subject, _ in worth.most_common(ASKED)]
    found = runtime.store.renditions(access, kind, subjects=best, limit=4 * ASKED) if best else []
    return sorted(found, key=lambda one: best.index(one.subject))


def _cells(access: Access, left: Collection[Hit]) -> list[Rendition]:
    """What is left out of the cells that hold most of it, in short, the richest first."""
    worth: Counter[tuple[str, str, Scope]] = Counter()
    records: dict[tuple[str, str, Scope], list[Record]] = {}
    for hit in left:
        place = (hit.record.address.digits[:DIGITS], hit.record.node, hit.record.scope)
        worth[place] += hit.relevance  # pyright: ignore[reportArgumentType]
        records.setdefault(place, []).append(hit.record)
    best = [place for place, _ in worth.most_common() if len(records[place]) >= FEWEST_OF_A_PLACE][:ASKED]
    return [_summed_up(access, place, records[place]) for place in best]


def _summed_up(access: Access, place: tuple[str, str, Scope], records: list[Record]) -> Rendition:
    ordered = sorted(records, key=lambda one: (one.occurred_at, one.id))
    return Rendition(
        kind=Subject.CELL,
        subject=f"#{place[0]}",
        node=place[1],
        scope=place[2],
        text=summary([one.text for one in ordered], CHARACTERS),
        records=len(ordered),
        sources=tuple(sorted((one.id, one.version) for one in ordered)),
        first_at=ordered[0].occurred_at,
        last_at=ordered[-1].occurred_at,
        maker=EXTRACTIVE,
        made_at=access.now,
    )


def _mostly_shown(rendition: Rendition, shown: Collection[str]) -> bool:
    return 2 * sum(one in shown for one, _ in rendition.sources) > len(rendition.sources)


# For so many of the best it is asked whether an older version, or a record outside what was asked, matched better.
LOOKED_AT = 50


class ReadOptions(Struct, frozen=True, kw_only=True):
    """How a read wants its records shown: `whole` or not at all, as `glyphs`, with a periphery around them.

    `excerpt` shortens a text to what the question points at; what is less relevant than `least` is faint.
    """

    zones: tuple[Zone, ...]
    budget: int
    excerpt: Excerpt
    whole: bool = False
    glyphs: bool = False
    around: bool = False
    least: float = 0.0


class Layout(Struct, frozen=True, kw_only=True):
    """What was laid out of what was `given`: the chosen and the cut, what the best replaced, what stands around,
    and the tokens that are left."""

    given: Sequence[Candidate]
    chosen: list[Choice]
    cut: list[Cut]
    before: Mapping[str, Record]
    edge: Sequence[tuple[Rendition, str, int]]
    left: int


def lay_out(
    runtime: Runtime,
    access: Access,
    manner: ReadOptions,
    hits: Mapping[str, Hit],
    records: Mapping[str, Record],
    works: Collection[str],
) -> Layout:
    """Lay records out in the budget."""
    given = _given(runtime, access, manner, hits, records, works)
    frame = runtime.counter.count(block([("", "")]))
    fit_in = partial(fit, count=cache(runtime.counter.count), zones=manner.zones)
    room = manner.budget - frame
    chosen, cut = fit_in(given, budget=room)
    edge: list[tuple[Rendition, str, int]] = []
    if manner.around and any(one.reason == "budget" for one in cut):
        edge = periphery(runtime, access, manner.budget, hits, {one.candidate.id for one in chosen})
    if edge:
        room -= runtime.counter.count(IN_SHORT + "\n") + sum(cost for _, _, cost in edge)
        chosen, cut = fit_in(given, budget=room)
    before = _before(runtime, access, [records[one.candidate.id] for one in chosen if one.depth == 2], hits)
    retold = _retold(given, chosen, records, before)
    if retold is not None:
        chosen, cut = fit_in(retold, budget=room)
    left = room - sum(one.tokens for one in chosen)
    return Layout(given=given, chosen=chosen, cut=cut, before=before, edge=edge, left=left)


def too_small(runtime: Runtime, given: Sequence[Candidate], budget: int) -> BudgetTooSmall:
    """The error that says how much a budget would need to hold one of these."""
    frame = runtime.counter.count(block([("", "")]))
    least = frame + min(runtime.counter.count(f"{one.heading}\n{one.line(0)}\n") for one in given)
    return BudgetTooSmall(f"a budget of {budget} tokens holds no item; the smallest needs {least}", needed=least)


def _given(
    runtime: Runtime,
    access: Access,
    manner: ReadOptions,
    hits: Mapping[str, Hit],
    records: Mapping[str, Record],
    works: Collection[str],
) -> list[Candidate]:
    deepest = runtime.policy.default_depth
    given = candidates(records, hits, access, manner.excerpt, works=works, deepest=deepest, least=manner.least)
    if manner.whole:
        given = [msgspec.structs.replace(one, shorter=partial(_unchanged, one.whole), deepest=2) for one in given]
    return glyphed(runtime, access, records, given) if manner.glyphs else given


def _unchanged(text: str, _depth: int) -> str:
    return text


def _before(
    runtime: Runtime, access: Access, shown: Sequence[Record], hits: Mapping[str, Hit]
) -> dict[str, Record]:
    """What was replaced by the records that are shown whole, and by the best that were found."""
    best = (hit.record for hit in islice(hits.values(), LOOKED_AT))
    changed = {one.id: one for one in (*shown, *best) if one.version > 1}
    return runtime.store.previous(access, list(changed.values())) if changed else {}


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


RELEVANT = 200
# Of a smaller budget fewer are asked for: few lines with the day above them cost less than this.
TOKENS_A_HIT, FEWEST = 12, 40
# Where fewer tokens than this are left over, nothing more is looked for.
SPARE = 24
# The policies by which the question comes first.
DECIDED = ("foveated", "relevant")


def read(
    runtime: Runtime,
    access: Access,
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
    runtime = current(runtime)
    wanted = min(RELEVANT, max(FEWEST, token_budget // TOKENS_A_HIT))
    found, encoder, degraded = reranked(runtime, access, question, wanted, explain=True)
    hits = {hit.id: hit for hit in found}
    zones = zones_of(policy, runtime.policy, token_budget, in_session=access.viewpoint.session_id is not None)
    manner = ReadOptions(
        zones=zones,
        budget=token_budget,
        excerpt=_excerpts(runtime, question),
        whole=whole,
        glyphs=glyphs,
        # Who wants records whole or not at all wants nothing summed up.
        around=policy == "foveated" and not whole,
        # A policy that goes by time shows what is newest, whatever it says.
        least=min_relevance if policy in DECIDED else 0.0,
    )
    records, out = _laid_out(runtime, access, manner, hits, decided=policy in DECIDED)
    text, tokens = _rendered(runtime, [one for _, one, _ in out.edge], out.chosen, out.cut, token_budget)
    shown = [one for one in out.given if not one.faint]
    if shown and not out.chosen:
        raise too_small(runtime, shown, token_budget)
    items = tuple(_item(records[one.candidate.id], one, hits.get(one.candidate.id), explain) for one in out.chosen)
    replaced = _superseded([(records[one], old) for one, old in out.before.items()], hits, asked_terms(question))
    outside = _outside(runtime, access, question) if access.where is not None else []
    left_out = (*out.cut, *replaced, *outside)
    receipt = Receipt(
        query=question,
        considered=len(items) + len(left_out),
        chosen=len(items),
        cut=left_out,
        tokens=tokens,
        token_budget=token_budget,
        zones=_spent(out.chosen) | ({"periphery": sum(cost for _, _, cost in out.edge)} if out.edge else {}),
        counter=runtime.counter.name,
        encoder=encoder,
        policy=policy,
        nothing_relevant=not any(hit.relevance >= min_relevance for hit in found),
        degraded=degraded,
        hidden={"superseded": len(replaced), "scope": len(outside)},
    )
    if touch:
        runtime.echoes.heard(access.viewpoint, (item.record for item in items))
        _leave_touches(runtime, access, receipt, items, found)
    around = tuple(one for one, _, _ in out.edge)
    return Context(items=items, text=text, tokens=tokens, receipt=receipt, periphery=around)


def _excerpts(runtime: Runtime, question: str) -> Excerpt:
    """How a record that is too long is shortened to what it says of the question."""
    nearness = nearness_to(question, runtime.pieces.pieces, runtime.pieces.likeness)
    return partial(excerpt, asked=asked_terms(question), question=question, nearness=nearness)


def _laid_out(
    runtime: Runtime, access: Access, manner: ReadOptions, hits: Mapping[str, Hit], *, decided: bool
) -> tuple[dict[str, Record], Layout]:
    """What was considered, and what of it is laid out.

    Where the question has `decided`, few of the newest are considered, unless there is room for more.
    """
    few = runtime.policy.recent_records if decided else None
    records, works = gather(runtime, access, hits, manner.budget, newest=few)
    out = lay_out(runtime, access, manner, hits, records, works)
    if few is not None and out.left >= SPARE:
        records |= newest(runtime, access, manner.budget)
        out = lay_out(runtime, access, manner, hits, records, works)
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


def _outside(runtime: Runtime, access: Access, question: str) -> list[Cut]:
    """What this viewpoint would have found best, had the caller not narrowed the question."""
    wide = recall(runtime, msgspec.structs.replace(access, where=None), question, LOOKED_AT)
    inside = {one.id for one in runtime.store.get(access, [hit.id for hit in wide])}
    return [Cut(id=hit.id, reason="scope", relevance=hit.relevance) for hit in wide if hit.id not in inside]


def _spent(chosen: Sequence[Choice]) -> dict[str, int]:
    """The tokens of each zone."""
    zones: dict[str, int] = {}
    for one in chosen:
        zones[one.zone] = zones.get(one.zone, 0) + one.tokens
    return zones


def _leave_touches(
    runtime: Runtime, access: Access, receipt: Receipt, items: Sequence[Item], hits: Sequence[Hit]
) -> None:
    """Log the read, and count what it used. Looking back at what was known once uses nothing."""
    ranks = {hit.id: rank for rank, hit in enumerate(hits, 1)}
    parts = {hit.id: hit.parts for hit in hits}
    read = Recollection(
        query=receipt.query,
        at=access.now,
        node=access.viewpoint.node,
        session_id=access.viewpoint.session_id,
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
    if access.as_of is None and access.valid_at is None:
        best = hits[0].relevance if hits else 0.0
        used = [
            item.id for item in items if item.id in ranks and is_use(item.zone, item.depth, item.relevance / best)
        ]
    runtime.touches.add(access.viewpoint, read, used)
    if runtime.notifier is not None:
        runtime.notifier.changed(Kind.READ, access.viewpoint, [item.id for item in items])


def _rendered(
    runtime: Runtime, edge: Sequence[str], chosen: list[Choice], cut: list[Cut], budget: int
) -> tuple[str, int]:
    """The text and what it costs. Lines joined may cost more than they do alone: then the weakest goes."""
    while True:
        around = [(IN_SHORT, one) for one in edge]
        text = block([*around, *((one.heading, one.line) for one in chosen)])
        tokens = runtime.counter.count(text)
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
