"""The read flow: recall candidates, fit them into the budget, render the context and its receipt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import Protocol

import msgspec
from msgspec import Struct, field

from foveal.engine.records.recall import recall, reranked
from foveal.engine.records.remember import standing_turns
from foveal.engine.runtime.runtime import Runtime, with_overrides
from foveal.engine.tape.encode import Signed, glyphed, shown_signs
from foveal.errors import BudgetTooSmall
from foveal.model.notice import Kind
from foveal.model.query import Access
from foveal.model.record import Record, Rendition, Scope, Subject, Tier
from foveal.model.results import Context, Cut, Hit, Item, Recalled, Receipt, Recollection
from foveal.ports.store import Order
from foveal.ports.waiting import require_wanted
from foveal.rules.budget import Candidate, Choice, Zone, fit, is_use, zones_of
from foveal.rules.filters import working
from foveal.rules.recall.ranking import LEAST_READ
from foveal.rules.rendering import IN_SHORT, block, heading, in_short, line
from foveal.rules.summaries import EXTRACTIVE, summary
from foveal.rules.text import asked_terms, excerpt, gist, nearness_to, shares_more

EARLY = 3
# A lower bound on what a text costs: a token per so many characters, and some for the speaker.
CHARACTERS_A_TOKEN, TOKENS_A_LINE = 12, 3
# How many of the newest records are fetched at a time.
PAGE = 64
# Among how many of the newest records those in the working tier of an actor are looked for.
LATEST = 32
# The length of the shortest form of a record, in characters.
SHORTEST = 120


class Excerpt(Protocol):
    """Shortens a text to the part that is about a question."""

    def __call__(self, text: str, *, limit: int = ...) -> str:
        """That part of the text, no longer than the limit."""
        ...


def gather(
    runtime: Runtime, access: Access, hits: Mapping[str, Hit], budget: int, *, newest: int | None = None
) -> tuple[dict[str, Record], frozenset[str]]:
    """The records to choose from, and the ids of those in the working tier of the session or the actor.

    The records are the hits, the earliest ones, and the newest: `newest` of them, or as many as could possibly fit.
    """
    early = max(EARLY, runtime.policy.early_records)
    records = {record_id: hit.record for record_id, hit in hits.items()}
    records |= {record.id: record for record in runtime.store.records.scan(access, order=Order.OLDEST, limit=early)}
    records |= _fitting(islice(_newest(runtime, access, newest or PAGE), newest), budget)
    in_work = _fitting(_in_work(runtime, access, budget), int(runtime.policy.working_ratio * budget))
    return records | in_work, frozenset(in_work)


def _in_work(runtime: Runtime, access: Access, budget: int) -> Iterator[Record]:
    """The working tier of the session, newest first; without a session, as many of the actor as L1 holds."""
    session = access.viewpoint.session_id
    if session is not None:
        here = msgspec.structs.replace(access, where=working(access.where, session))
        most = 1 + int(runtime.policy.working_ratio * budget) // TOKENS_A_LINE
        return runtime.store.records.scan(here, order=Order.NEWEST, limit=most)
    # Those in L1 are among the newest: looking further would mean to walk through the whole memory.
    latest = runtime.store.records.scan(access, order=Order.NEWEST, limit=LATEST)
    held = (record for record in latest if record.vitals.tier is Tier.WORKING and record.vitals.archived_at is None)
    return islice(held, runtime.config.l1.capacity)


def newest(runtime: Runtime, access: Access, budget: int) -> dict[str, Record]:
    """As many of the newest records as could possibly fit."""
    return _fitting(_newest(runtime, access, PAGE), budget)


def _newest(runtime: Runtime, access: Access, page_size: int) -> Iterator[Record]:
    """All records, newest first, fetched in pages because a budget holds few."""
    last: Record | None = None
    while page := list(runtime.store.records.scan(access, order=Order.NEWEST, limit=page_size, after=last)):
        require_wanted()
        yield from page
        last = page[-1] if len(page) == page_size else None
        if last is None:
            return


def _fitting(records: Iterable[Record], budget: int) -> dict[str, Record]:
    """The first of these records, as many as could possibly fit."""
    fitting: dict[str, Record] = {}
    least = 0
    for record in records:
        fitting[record.id] = record
        least += TOKENS_A_LINE + len(record.text) // CHARACTERS_A_TOKEN
        if least > budget:
            break
    return fitting


def candidates(
    records: Mapping[str, Record],
    hits: Mapping[str, Hit],
    access: Access,
    excerpt: Excerpt,
    *,
    in_work: Collection[str] = (),
    deepest: int = 2,
    least: float = 0.0,
    standing: Mapping[str, float] | None = None,
) -> list[Candidate]:
    """The records as candidates for the context. Those less relevant than `least` are marked as faint."""
    session = access.viewpoint.session_id
    questions = _questions(records)
    outdated = {record_id for record_id, hit in hits.items() if hit.replaced_by is not None}
    return [
        Candidate(
            id=record.id,
            relevance=(relevance := hits[record.id].relevance if record.id in hits else 0.0),
            whole=(whole := line(record, record.text, older=record.id in outdated)),
            shorter=_Shorter(record, excerpt, whole, older=record.id in outdated),
            heading=heading(record),
            place=(record.occurred_at, record.id),
            earlier=session is not None and record.session_id != session,
            question=questions.get(record.id),
            working=record.id in in_work,
            deepest=deepest,
            faint=relevance < least,
            standing=(standing or {}).get(record.id, 0.0),
        )
        for record in records.values()
    ]


class _Shorter:
    """The line of a record at a given depth, computed once."""

    __slots__ = ("_excerpt", "_lines", "_older", "_record")

    def __init__(self, record: Record, excerpt: Excerpt, whole: str, *, older: bool) -> None:
        self._older = older
        self._record = record
        self._excerpt = excerpt
        self._lines = {2: whole}

    def __call__(self, depth: int) -> str:
        if depth not in self._lines:
            require_wanted()
            text = self._record.text
            short = self._excerpt(text) if depth == 1 else self._excerpt(text, limit=SHORTEST)
            self._lines[depth] = self._lines[2] if short == text else line(self._record, short, older=self._older)
        return self._lines[depth]


def _questions(records: Mapping[str, Record]) -> dict[str, str]:
    """For each record, the id of the candidate before it in its session, if that one is a question."""
    questions: dict[str, str] = {}
    ordered = sorted(records.values(), key=lambda record: (record.session_id or "", record.occurred_at, record.id))
    for before, record in zip(ordered, ordered[1:], strict=False):
        same = record.session_id is not None and record.session_id == before.session_id
        if same and before.text.rstrip().endswith(("?", "？")):
            questions[record.id] = before.id
    return questions


# How many sessions, regions or cells the periphery may summarise.
MOST_SUBJECTS = 6
# The digits of a cell, how many left-out records it needs to be summarised, and the length of that summary.
DIGITS, FEWEST_IN_A_CELL, CHARACTERS = 3, 3, 200

# A summary in the periphery, its rendered line and the tokens it costs.
PeripheryLine = tuple[Rendition, str, int]


def periphery(
    runtime: Runtime, access: Access, budget: int, hits: Mapping[str, Hit], shown: Collection[str]
) -> list[PeripheryLine]:
    """Summaries of the sessions that hold most of the hits that are not shown.

    They take at most a share of the budget, and nothing of a small one. If no session has a summary, regions stand
    in; if no region has one either, cells of the map do, if the policy allows it.
    """
    policy = runtime.policy
    if budget < policy.periphery_from_tokens or access.where or access.as_of or access.valid_at:
        return []
    left_out = [hit for record_id, hit in hits.items() if record_id not in shown]
    renditions = _renditions(runtime, access, Subject.SESSION, left_out) or _renditions(
        runtime, access, Subject.REGION, left_out
    )
    if not renditions and policy.periphery_cells:
        renditions = _cells(access, left_out)
    tokens_left = int(policy.periphery_ratio * budget)
    chosen: list[PeripheryLine] = []
    for rendition in renditions:
        text = in_short(rendition)
        cost = runtime.tokens(text + "\n")
        if cost <= tokens_left and not _mostly_shown(rendition, shown):
            chosen.append((rendition, text, cost))
            tokens_left -= cost
    return sorted(chosen, key=lambda entry: entry[0].first_at)


def _renditions(runtime: Runtime, access: Access, kind: Subject, left_out: Collection[Hit]) -> list[Rendition]:
    """The summaries of the sessions, or regions, that hold most of these hits, the most relevant first."""
    worth: Counter[str] = Counter()
    for hit in left_out:
        subject = hit.record.session_id if kind is Subject.SESSION else hit.record.region
        if subject is not None:
            worth[subject] += hit.relevance  # pyright: ignore[reportArgumentType]
    best = [subject for subject, _ in worth.most_common(MOST_SUBJECTS)]
    renditions = (
        runtime.store.lifecycle.renditions(access, kind, subjects=best, limit=4 * MOST_SUBJECTS) if best else []
    )
    return sorted(renditions, key=lambda rendition: best.index(rendition.subject))


def _cells(access: Access, left_out: Collection[Hit]) -> list[Rendition]:
    """Summaries of the left-out records of the cells that hold most of them, the most relevant first."""
    worth: Counter[tuple[str, str, Scope]] = Counter()
    records: dict[tuple[str, str, Scope], list[Record]] = {}
    for hit in left_out:
        place = (hit.record.address.digits[:DIGITS], hit.record.node, hit.record.scope)
        worth[place] += hit.relevance  # pyright: ignore[reportArgumentType]
        records.setdefault(place, []).append(hit.record)
    best = [place for place, _ in worth.most_common() if len(records[place]) >= FEWEST_IN_A_CELL][:MOST_SUBJECTS]
    return [_cell_summary(access, place, records[place]) for place in best]


def _cell_summary(access: Access, place: tuple[str, str, Scope], records: list[Record]) -> Rendition:
    ordered = sorted(records, key=lambda record: (record.occurred_at, record.id))
    return Rendition(
        kind=Subject.CELL,
        subject=f"#{place[0]}",
        node=place[1],
        scope=place[2],
        text=summary([record.text for record in ordered], CHARACTERS),
        records=len(ordered),
        sources=tuple(sorted((record.id, record.version) for record in ordered)),
        first_at=ordered[0].occurred_at,
        last_at=ordered[-1].occurred_at,
        maker=EXTRACTIVE,
        made_at=access.now,
    )


def _mostly_shown(rendition: Rendition, shown: Collection[str]) -> bool:
    return 2 * sum(record_id in shown for record_id, _ in rendition.sources) > len(rendition.sources)


# How many of the best hits are compared with their previous version, and with records outside the filter.
COMPARED = 50


class ReadOptions(Struct, frozen=True, kw_only=True):
    """How a read shows records: `whole` or not at all, as glyphs of a `tape`, with a periphery `around` them.

    `excerpt` shortens a text to the part about the question; records less relevant than `least` are faint.
    `standing` has the turns of instructions and preferences that the question touches, and how much.
    """

    budget: int
    excerpt: Excerpt
    zones: tuple[Zone, ...] = ()
    whole: bool = False
    tape: int = 0
    around: bool = False
    least: float = 0.0
    standing: Mapping[str, float] = field(default_factory=dict[str, float])


class Layout(Struct, frozen=True, kw_only=True):
    """The candidates chosen and cut, the previous versions of the best, the periphery, and the tokens left."""

    candidates: Sequence[Candidate]
    chosen: list[Choice]
    cut: list[Cut]
    previous: Mapping[str, Record]
    periphery: Sequence[PeripheryLine]
    tokens_left: int


def lay_out(
    runtime: Runtime,
    access: Access,
    options: ReadOptions,
    hits: Mapping[str, Hit],
    records: Mapping[str, Record],
    in_work: Collection[str],
) -> Layout:
    """Fit records into the budget."""
    shown = _candidates(runtime, access, options, hits, records, in_work)
    frame = runtime.tokens(block([("", "")]))
    fit_in = partial(fit, count=cache(runtime.tokens), zones=options.zones)
    budget = options.budget - frame
    chosen, cut = fit_in(shown, budget=budget)
    outer: list[PeripheryLine] = []
    if options.around and any(entry.reason == "budget" for entry in cut):
        outer = periphery(runtime, access, options.budget, hits, {choice.candidate.id for choice in chosen})
    if outer:
        budget -= runtime.tokens(IN_SHORT + "\n") + sum(cost for _, _, cost in outer)
        chosen, cut = fit_in(shown, budget=budget)
    whole = [records[choice.candidate.id] for choice in chosen if choice.depth == 2]
    previous = _previous(runtime, access, whole, hits)
    with_previous = _with_previous(shown, chosen, records, previous)
    if with_previous is not None:
        chosen, cut = fit_in(with_previous, budget=budget)
    return Layout(
        candidates=shown,
        chosen=chosen,
        cut=cut,
        previous=previous,
        periphery=outer,
        tokens_left=budget - sum(choice.tokens for choice in chosen),
    )


def too_small(runtime: Runtime, shown: Sequence[Candidate], budget: int) -> BudgetTooSmall:
    """The error that says how large a budget must be to hold one of these candidates."""
    frame = runtime.tokens(block([("", "")]))
    least = frame + min(runtime.tokens(f"{candidate.heading}\n{candidate.line(0)}\n") for candidate in shown)
    return BudgetTooSmall(f"a budget of {budget} tokens holds no item; the smallest needs {least}", needed=least)


def _candidates(
    runtime: Runtime,
    access: Access,
    options: ReadOptions,
    hits: Mapping[str, Hit],
    records: Mapping[str, Record],
    in_work: Collection[str],
) -> list[Candidate]:
    deepest = runtime.policy.default_depth
    shown = candidates(
        records,
        hits,
        access,
        options.excerpt,
        in_work=in_work,
        deepest=deepest,
        least=options.least,
        standing=options.standing,
    )
    if options.whole:
        shown = [
            msgspec.structs.replace(candidate, shorter=partial(_unchanged, candidate.whole), deepest=2)
            for candidate in shown
        ]
    return glyphed(runtime, access, options.tape, records, shown) if options.tape else shown


def _unchanged(text: str, _depth: int) -> str:
    return text


def _previous(
    runtime: Runtime, access: Access, shown: Sequence[Record], hits: Mapping[str, Hit]
) -> dict[str, Record]:
    """The previous versions of the records that are shown whole, and of the best hits."""
    best = (hit.record for hit in islice(hits.values(), COMPARED))
    changed = {record.id: record for record in (*shown, *best) if record.version > 1}
    return runtime.store.records.previous(access, list(changed.values())) if changed else {}


def _with_previous(
    shown: Sequence[Candidate],
    chosen: Sequence[Choice],
    records: Mapping[str, Record],
    previous: Mapping[str, Record],
) -> list[Candidate] | None:
    """The candidates with the text they replaced; None unless a record that is shown whole replaced one."""
    if not any(choice.candidate.id in previous and choice.depth == 2 for choice in chosen):
        return None
    lines = {
        record_id: line(records[record_id], records[record_id].text, was=old.text)
        for record_id, old in previous.items()
    }
    return [msgspec.structs.replace(candidate, told=lines.get(candidate.id)) for candidate in shown]


# How many hits a read asks for at most. A smaller budget asks for fewer, one per so many tokens: short lines and
# the day above them cost less than that.
RELEVANT = 200
TOKENS_A_HIT, FEWEST = 12, 40
# With fewer tokens than this left over, looking for more records is not worth it.
SPARE = 24
# The policies that put relevance to the question first.
BY_RELEVANCE = ("foveated", "relevant")


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
    min_relevance: float = LEAST_READ,
    touch: bool = True,
) -> Context:
    """The context to give a model for this question, within the budget.

    `whole` never shortens a record; `glyphs` shows phrases as the glyphs of their families, if there is a tape.
    Without `touch`, the read has no side effects.
    """
    runtime = with_overrides(runtime)
    wanted = min(RELEVANT, max(FEWEST, token_budget // TOKENS_A_HIT))
    found = reranked(runtime, access, question, wanted, explain=True)
    hits = {hit.id: hit for hit in found.hits}
    tape = runtime.store.tapes.legible(access.viewpoint, runtime.embedder.id)
    away = (*found.away, "tape") if glyphs and not tape else found.away
    shape = ReadOptions(budget=token_budget, excerpt=_excerpts(runtime, question), whole=whole, tape=tape * glyphs)
    options = _by_policy(runtime, access, shape, question, policy, min_relevance)
    records, layout = _laid_out(runtime, access, options, hits, by_relevance=policy in BY_RELEVANCE)
    chosen = layout.chosen
    text, tokens = _rendered(runtime, [text for _, text, _ in layout.periphery], chosen, layout.cut, token_budget)
    shown = [candidate for candidate in layout.candidates if not candidate.faint]
    if shown and not chosen:
        raise too_small(runtime, shown, token_budget)
    signs = shown_signs(runtime, access, tape, [records[choice.candidate.id] for choice in chosen]) if tape else {}
    items = tuple(_item(records[choice.candidate.id], choice, hits, signs, explain=explain) for choice in chosen)
    versions = [(records[record_id], old) for record_id, old in layout.previous.items()]
    replaced = _superseded(versions, hits, asked_terms(question))
    outside = _outside(runtime, access, question) if access.where is not None else []
    left_out = (*layout.cut, *replaced, *outside)
    periphery_tokens = {"periphery": sum(cost for _, _, cost in layout.periphery)} if layout.periphery else {}
    receipt = Receipt(
        query=question,
        considered=len(items) + len(left_out),
        chosen=len(items),
        cut=left_out,
        tokens=tokens,
        token_budget=token_budget,
        zones=_spent(chosen) | periphery_tokens,
        counter=runtime.counter.name,
        encoder=found.encoder,
        policy=policy,
        nothing_relevant=not any(hit.relevance >= min_relevance for hit in found.hits),
        degraded=away,
        hidden={"superseded": len(replaced), "scope": len(outside)},
        first_look_only=found.first_look_only,
    )
    if touch:
        runtime.echoes.heard(access.viewpoint, (item.record for item in items))
        _leave_touches(runtime, access, receipt, items, found.hits)
    around = tuple(rendition for rendition, _, _ in layout.periphery)
    return Context(items=items, text=text, tokens=tokens, receipt=receipt, periphery=around)


def _by_policy(
    runtime: Runtime, access: Access, options: ReadOptions, question: str, policy: str, min_relevance: float
) -> ReadOptions:
    """The options with what the policy decides: how the budget is divided, and what is too irrelevant to show."""
    in_session = access.viewpoint.session_id is not None
    return msgspec.structs.replace(
        options,
        zones=zones_of(policy, runtime.policy, options.budget, in_session=in_session),
        # A caller who wants records whole or not at all wants no summaries either.
        around=policy == "foveated" and not options.whole,
        # A policy that goes by time shows the newest records regardless of their relevance.
        least=min_relevance if policy in BY_RELEVANCE else 0.0,
        standing=standing_turns(runtime, access, question) if policy == "foveated" else {},
    )


def _excerpts(runtime: Runtime, question: str) -> Excerpt:
    """A function that shortens a long text to the part about the question."""
    nearness = nearness_to(question, runtime.pieces.pieces, runtime.pieces.likeness)
    return partial(excerpt, asked=asked_terms(question), question=question, nearness=nearness)


def _laid_out(
    runtime: Runtime, access: Access, options: ReadOptions, hits: Mapping[str, Hit], *, by_relevance: bool
) -> tuple[dict[str, Record], Layout]:
    """The records that were considered, and the layout of those that fit.

    With `by_relevance`, only a few of the newest are considered, unless the budget has room for more.
    """
    few = runtime.policy.recent_records if by_relevance else None
    records, in_work = gather(runtime, access, hits, options.budget, newest=few)
    missing = [record_id for record_id in options.standing if record_id not in records]
    records |= {record.id: record for record in runtime.store.records.get(access, missing)} if missing else {}
    layout = lay_out(runtime, access, options, hits, records, in_work)
    if few is not None and layout.tokens_left >= SPARE:
        records |= newest(runtime, access, options.budget)
        layout = lay_out(runtime, access, options, hits, records, in_work)
    return records, layout


def _superseded(pairs: Sequence[tuple[Record, Record]], hits: Mapping[str, Hit], asked: Sequence[str]) -> list[Cut]:
    """The previous versions that share more terms with the question than the versions that replaced them."""
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
    """The best hits that this viewpoint would have found without the filter, and that the filter excludes."""
    wide = recall(runtime, msgspec.structs.replace(access, where=None), question, COMPARED)
    inside = {record.id for record in runtime.store.records.get(access, [hit.id for hit in wide])}
    return [Cut(id=hit.id, reason="scope", relevance=hit.relevance) for hit in wide if hit.id not in inside]


def _spent(chosen: Sequence[Choice]) -> dict[str, int]:
    """The tokens spent in each zone."""
    zones: dict[str, int] = {}
    for choice in chosen:
        zones[choice.zone] = zones.get(choice.zone, 0) + choice.tokens
    return zones


def _leave_touches(
    runtime: Runtime, access: Access, receipt: Receipt, items: Sequence[Item], hits: Sequence[Hit]
) -> None:
    """Log the read and count the records it used. A read of a past state uses none."""
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
    runtime: Runtime, around: Sequence[str], chosen: list[Choice], cut: list[Cut], budget: int
) -> tuple[str, int]:
    """The text and its cost in tokens.

    Joined lines may cost more than the sum of their parts: then the least relevant line is moved to the cut.
    """
    summaries = [(IN_SHORT, summary_line) for summary_line in around]
    while True:
        text = block([*summaries, *((choice.heading, choice.line) for choice in chosen)])
        tokens = runtime.tokens(text)
        if tokens <= budget:
            return text, tokens
        weakest = min(chosen, key=lambda choice: choice.candidate.relevance)
        chosen.remove(weakest)
        cut.append(Cut(id=weakest.candidate.id, reason="budget", relevance=weakest.candidate.relevance))


def _item(
    record: Record, choice: Choice, hits: Mapping[str, Hit], signs: Mapping[str, Signed], *, explain: bool
) -> Item:
    hit, (glyphs, density) = hits.get(record.id), signs.get(record.id, ((), 0.0))
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
        glyphs=glyphs,
        density=round(density, 4),
    )
