"""The flow of facts: store turns, draw facts from them, reconcile these with what is known, and show a profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Unpack, cast

import numpy as np
from msgspec.structs import replace

from foveal.engine.records import write
from foveal.engine.records.recall import recalled
from foveal.engine.runtime.facade import Facade, Moment, checks_call
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Invalid, ModelUnavailable, PreconditionFailed
from foveal.model.ids import new_id
from foveal.model.query import Access, AllOf, At, Compare, Details, Op, Viewpoint
from foveal.model.record import Link, LinkKind, Record
from foveal.model.results import Change, KnownFact, Learned, Move, Profile, Remembered, What
from foveal.model.search import CorpusInfo, Trait
from foveal.ports.store import NewRecord, Order, PlannedMove
from foveal.rules.decay import used
from foveal.rules.drafts import new_record, next_version, require_known, writer_of
from foveal.rules.facts import FACT_KINDS, INSTRUCTION, PREFERENCE, Judgement, Statement, Verdict, drawn, reconciled
from foveal.rules.facts.corrections import Corrected, corrected, outranking
from foveal.rules.facts.records import (
    BY_MODEL,
    BY_PERSON,
    BY_RULES,
    FactFields,
    Status,
    changed_fields,
    fact_details,
    fact_key,
    fields_of,
    is_about,
    known_fact,
    learned,
    profile_heading,
    profile_order,
    statement_of,
    status_of,
)
from foveal.rules.messages import turns_from
from foveal.rules.recall.question import parse_question
from foveal.rules.rendering import block, day
from foveal.rules.text import gist
from foveal.rules.validation import checked_count, checked_text

# How many of the newest facts a new one is compared with, and a profile is made from.
MOST_FACTS = 2000
# How often the plan is made again when another process changed a fact in the meantime.
ATTEMPTS = 5
# Details that belong to turns but not to all messages at once.
_OWN = ("id", "parent_id")


@dataclass
class Known:
    """A fact that is true now: stored, or planned in this call."""

    record: Record
    statement: Statement
    stored: bool = True


@dataclass
class Plan:
    """What becomes of the turns of one call: moves, in the order of the turns, and what they say.

    `by` says who drew the statements, and `others` are the turns that one needs beside its own.
    """

    known: list[Known]
    by: str = BY_RULES
    others: Mapping[Statement, Sequence[str]] = field(default_factory=dict[Statement, Sequence[str]])
    corrections: list[Corrected] = field(default_factory=list[Corrected])
    moves: list[PlannedMove] = field(default_factory=list[PlannedMove])
    told: list[Learned] = field(default_factory=list[Learned])


def remember(
    runtime: Runtime, bound: At, messages: object, details: Details, *, dry_run: bool = False
) -> Remembered:
    """Store the turns of a conversation, and the facts that they state."""
    known = frozenset(Details.__annotations__)
    require_known(details, known)
    for name in _OWN:
        if name in details:
            raise Invalid(f"{name} belongs to one record: put it into the message itself")
    items, skipped = turns_from(messages, known)
    own = writer_of(bound, details)
    for place, item in enumerate(items):
        if (item.get("world", own.world), item.get("actor_id", own.actor_id)) != own.organism:
            raise Invalid(
                f"message {place} is of another actor: remember the messages of each actor in a call of its own"
            )
    key = details.get("idempotency_key")
    if key is not None:
        items = [{"idempotency_key": f"{key}/{place}", **item} for place, item in enumerate(items)]
    shared = cast(Details, {name: value for name, value in details.items() if name != "idempotency_key"})
    if dry_run:
        return _previewed(runtime, bound, items, shared, skipped)
    written = write.write_many(runtime, bound, items, shared)
    echoed = set(written.echoes)
    fresh = [record_id for record_id in dict.fromkeys(written.ids) if record_id not in echoed]
    viewpoint = writer_of(bound, shared)
    turns = runtime.store.records.get(runtime.access(viewpoint), fresh)
    told, moves = draw(runtime, viewpoint, turns)
    runtime.remembered(viewpoint, turns)
    return Remembered(
        ids=written.ids,
        facts=tuple(told),
        moves=tuple(moves),
        duplicates=written.duplicates,
        echoes=written.echoes,
        pending=written.pending,
        rejected=written.rejected,
        skipped=tuple(skipped),
    )


def _previewed(
    runtime: Runtime, bound: At, items: Sequence[Mapping[str, Any]], details: Details, skipped: Sequence[int]
) -> Remembered:
    """What `remember` would store, without storing it."""
    now = runtime.clock.now()
    turns: list[Record] = []
    for item in items:
        own = cast(Details, {**details, **{name: value for name, value in item.items() if name != "text"}})
        viewpoint = writer_of(bound, own)
        turns.append(new_record(item["text"], own, viewpoint, now, new_id(now), runtime.config))
    plan = planned(runtime, writer_of(bound, details), turns)
    return Remembered(
        ids=tuple(turn.id for turn in turns), facts=tuple(plan.told), skipped=tuple(skipped), dry_run=True
    )


def draw(runtime: Runtime, viewpoint: Viewpoint, turns: Sequence[Record]) -> tuple[list[Learned], list[str]]:
    """Draw facts from stored turns, reconcile them and store them, in one transaction. It can be repeated.

    Returns what was learned, and the ids of the moves.
    """
    for attempt in range(ATTEMPTS):
        plan = planned(runtime, viewpoint, turns)
        if not plan.moves:
            return plan.told, []
        try:
            made = runtime.writes.apply(runtime.access(viewpoint), plan.moves, runtime.encoder)
        except PreconditionFailed:
            # Another process updated one of the facts in the meantime.
            if attempt + 1 == ATTEMPTS:
                raise
            continue
        return plan.told, [move.id for move in made]
    return [], []


def follow_text(runtime: Runtime, viewpoint: Viewpoint, turn: Record) -> None:
    """Let the facts of a turn follow its new text: draw what it says; what it no longer says does not hold."""
    for attempt in range(ATTEMPTS):
        facts = _facts_from(runtime, runtime.access(viewpoint), turn)
        if not facts:
            return
        try:
            _mark_unsaid(runtime, viewpoint, turn, facts)
        except PreconditionFailed:
            # Another process changed one of the facts in the meantime.
            if attempt + 1 == ATTEMPTS:
                raise
            continue
        draw(runtime, viewpoint, [turn])
        return


def _facts_from(runtime: Runtime, access: Access, turn: Record) -> list[tuple[Record, FactFields]]:
    """The facts that were drawn from a turn and from no other."""
    links = runtime.store.trees.edges(access, [turn.id])
    ids = [link.source_id for link in links if link.kind == LinkKind.DERIVED_FROM and link.target_id == turn.id]
    elsewhere = {
        link.source_id
        for link in (runtime.store.trees.edges(access, ids) if ids else ())
        if link.kind == LinkKind.DERIVED_FROM and link.target_id != turn.id
    }
    return [
        (record, fields)
        for record in runtime.store.records.get(access, [each for each in ids if each not in elsewhere])
        if (fields := fields_of(record)) is not None
    ]


def _mark_unsaid(
    runtime: Runtime, viewpoint: Viewpoint, turn: Record, facts: Sequence[tuple[Record, FactFields]]
) -> None:
    """Store which of the facts of a turn its text says, as one move that can be undone."""
    now, move = runtime.clock.now(), new_id(runtime.clock.now())
    stated = {fact_key(turn, statement) for statement in drawn(turn.text, turn.source, _named(turn))}
    text = turn.text.casefold()
    changed = [
        (record, says)
        for record, fields in facts
        if (says := fact_key(turn, statement_of(record, fields)) in stated or _says(text, fields)) is fields.unsaid
    ]
    if not changed:
        return
    versions = [
        next_version(
            record,
            record.text,
            Details(
                valid_from=record.valid_from,
                valid_to=record.valid_to,
                metadata=changed_fields(record, unsaid=not says, move=move),
            ),
            now,
        )
        for record, says in changed
    ]
    act = Move(
        id=move,
        at=now,
        who=viewpoint.node,
        what=What.CORRECTED,
        why="its turn was given another text",
        changes=tuple(
            Change(record_id=record.id, before=record.vitals, after=record.vitals) for record, _ in changed
        ),
    )
    planned_move = PlannedMove(move=act, versions=tuple(write.entries(runtime, versions)))
    runtime.writes.apply(runtime.access(viewpoint), [planned_move], runtime.encoder)


def _says(text: str, fields: FactFields) -> bool:
    """Whether a text has the value that a model drew from it."""
    return fields.by == BY_MODEL and fields.value.casefold() in text


def planned(runtime: Runtime, viewpoint: Viewpoint, turns: Sequence[Record]) -> Plan:
    """What becomes of the statements of these turns, oldest first. Those that were stored before are left out."""
    plan = Plan(known=[])
    reconcile(runtime, viewpoint, [(turn, drawn(turn.text, turn.source, _named(turn))) for turn in turns], plan)
    return plan


def reconcile(
    runtime: Runtime, viewpoint: Viewpoint, stated: Sequence[tuple[Record, Sequence[Statement]]], plan: Plan
) -> None:
    """Plan what becomes of statements, each with its turn; those that were stored before are left out."""
    places: dict[tuple[str, str], list[tuple[Record, Sequence[Statement]]]] = defaultdict(list)
    for turn, statements in sorted(stated, key=lambda pair: _said(pair[0])):
        if statements:
            places[turn.node, turn.scope].append((turn, statements))
    for (node, scope), told in places.items():
        own = replace(viewpoint, node=node)
        _recollect(runtime, own, scope, plan)
        keys = [fact_key(turn, statement) for turn, statements in told for statement in statements]
        access = runtime.access(own, include_hidden=True)
        stored = runtime.store.records.keyed(access, node, keys)
        for turn, statements in told:
            fresh = [statement for statement in statements if fact_key(turn, statement) not in stored]
            if fresh:
                _Turn(runtime, own, turn, plan).reconcile(fresh)


def _said(turn: Record) -> tuple[datetime, str]:
    return (turn.occurred_at, turn.id)


def _named(turn: Record) -> str | None:
    """The name of the speaker, if it is more than a role."""
    return None if turn.speaker is None or turn.speaker.lower() == turn.source else turn.speaker


def _recollect(runtime: Runtime, viewpoint: Viewpoint, scope: str, plan: Plan) -> None:
    """Put into the plan what is known at a node in a scope, oldest first: what is true now, and corrections."""
    access = runtime.access(viewpoint)
    facts = facts_of(runtime, access, node=viewpoint.node, scope=scope)
    plan.known = [
        Known(record, statement_of(record, fields))
        for record, fields in facts
        if record.valid_to is None and not fields.wrong and fields.merged_into is None
    ]
    if len(facts) == MOST_FACTS:
        # Corrections hold however old they are.
        facts = facts_of(runtime, access, node=viewpoint.node, scope=scope, corrected_only=True)
    plan.corrections = [each for record, fields in facts if (each := corrected(record, fields)) is not None]


def facts_of(
    runtime: Runtime,
    access: Access,
    *,
    node: str | None = None,
    scope: str | None = None,
    corrected_only: bool = False,
) -> list[tuple[Record, FactFields]]:
    """The facts that turns state and a call may see, oldest first; at most the newest `MOST_FACTS`."""
    told = "metadata.fact.corrected_at" if corrected_only else "metadata.fact.by"
    parts = [Compare("kind", Op.IN, FACT_KINDS), Compare(told, Op.NE, None)]
    parts += [Compare("node", Op.EQ, node)] if node is not None else []
    parts += [Compare("scope", Op.EQ, str(scope))] if scope is not None else []
    where = AllOf(tuple(parts)) if access.where is None else AllOf((access.where, *parts))
    found = runtime.store.records.scan(replace(access, where=where), order=Order.NEWEST, limit=MOST_FACTS)
    facts = [(record, fields) for record in found if (fields := fields_of(record)) is not None]
    return [(record, fields) for record, fields in facts[::-1] if not fields.unsaid]


def _surer_by(statement: Statement, judgement: Judgement, old: Known | None) -> Statement:
    """A statement that updates a fact is as sure as that fact: they speak of the same thing."""
    if judgement.verdict is not Verdict.UPDATE or old is None:
        return statement
    return replace(statement, confidence=max(statement.confidence, min(old.statement.confidence, 0.6)))


def _unquoted(reason: str, old: Known | None) -> str:
    """A reason without the value of the older fact: the journal is kept when that fact is erased."""
    return reason.replace(old.statement.value, "something else") if old and old.statement.value else reason


class _Turn:
    """One turn whose statements are reconciled with what is known, as one move."""

    def __init__(self, runtime: Runtime, viewpoint: Viewpoint, turn: Record, plan: Plan) -> None:
        self._runtime, self._viewpoint, self._turn, self._plan = runtime, viewpoint, turn, plan
        self._now = runtime.clock.now()
        self._changes = {turn.id: Change(record_id=turn.id, before=turn.vitals, after=turn.vitals)}
        self._records: list[Record] = []
        self._later: list[Record] = []
        self._links: list[Link] = []
        self._whys: list[str] = []

    def reconcile(self, statements: Sequence[Statement]) -> None:
        """Plan the move of this turn."""
        # Facts of this very turn are not compared with each other.
        known = list(self._plan.known)
        # What takes something back comes last: the new value has ended the old one by then.
        for statement in sorted(statements, key=lambda statement: statement.ended):
            # A fact that this turn has ended is no longer known.
            known = [one for one in known if one in self._plan.known]
            correction = outranking(statement, self._turn, self._plan.corrections)
            if correction is not None:
                self._yield_to(correction, statement)
                continue
            place, judgement = reconciled(
                statement, [one.statement for one in known], self._likeness(statement, known)
            )
            self._settle(statement, None if place is None else known[place], judgement)
        if not self._records and not self._links:
            return
        move = Move(
            id=new_id(self._now),
            at=self._now,
            who=self._viewpoint.node,
            what=What.LEARNED,
            why=gist("; ".join(self._whys), 300),
            changes=tuple(self._changes.values()),
            made=tuple(record.id for record in self._records),
        )
        entries = write.entries(self._runtime, [*self._records, *self._later])
        fresh, later = entries[: len(self._records)], entries[len(self._records) :]
        self._plan.moves.append(
            PlannedMove(
                move=move, entries=tuple(map(_unheard, fresh)), versions=tuple(later), links=tuple(self._links)
            )
        )

    def _yield_to(self, correction: Corrected, statement: Statement) -> None:
        """Store nothing of a statement that a person has corrected; a merged one counts for the other fact."""
        into = correction.fields.merged_into
        same = [known for known in self._plan.known if into is not None and known.record.id == into]
        if same:
            self._settle(statement, same[0], Judgement(Verdict.SAME, "a person said that it is the same", 1.0))
            return
        reason = f"a person corrected this on {day(correction.at)}"
        told = learned(correction.record.id, statement, Judgement(Verdict.SAME, reason), [self._turn.id], None)
        self._plan.told.append(replace(told, verdict=What.CORRECTED.value))

    def _settle(self, statement: Statement, old: Known | None, judgement: Judgement) -> None:
        """Plan what becomes of one statement."""
        said = f"{statement.kind} {statement.attribute or statement.subject}: {judgement.verdict}"
        self._whys.append(f"{said} ({_unquoted(judgement.reason, old)})")
        if judgement.verdict is Verdict.SAME and old is not None:
            self._link(old.record.id, self._turn.id, LinkKind.DERIVED_FROM)
            if old.stored:
                self._changes[old.record.id] = Change(
                    record_id=old.record.id,
                    before=old.record.vitals,
                    after=used(old.record.vitals, self._turn.occurred_at),
                )
            self._tell(old.record.id, statement, judgement, old)
            return
        details = fact_details(self._turn, _surer_by(statement, judgement, old), self._plan.by)
        record = new_record(
            statement.text, details, self._viewpoint, self._now, new_id(self._now), self._runtime.config
        )
        record = replace(record, session_id=None, vitals=replace(record.vitals, muted=True))
        others = self._plan.others.get(statement, ())
        if others:
            record = replace(record, metadata=changed_fields(record, sources=(*others, self._turn.id), joint=True))
        if judgement.verdict is Verdict.UPDATE and old is not None:
            record = self._update(record, old)
        elif judgement.verdict is Verdict.CONTRADICTION and old is not None:
            self._link(record.id, old.record.id, LinkKind.CONTRADICTS)
        if statement.ended and old is None:
            # It takes back what nobody said: it is kept as words, and is no fact.
            self._whys.pop()
            return
        for source in (self._turn.id, *others):
            self._link(record.id, source, LinkKind.DERIVED_FROM)
        self._records.append(record)
        if record.valid_to is None:
            self._plan.known.append(Known(record, statement, stored=False))
        self._tell(record.id, statement, judgement, old)

    def _update(self, record: Record, old: Known) -> Record:
        """Link an update and close what it replaces; what was said earlier but arrives later is closed itself."""
        if record.valid_from < old.record.valid_from:
            self._link(old.record.id, record.id, LinkKind.UPDATES)
            return replace(record, valid_to=old.record.valid_from)
        self._link(record.id, old.record.id, LinkKind.UPDATES)
        self._plan.known.remove(old)
        if old.stored:
            span = Details(valid_from=old.record.valid_from, valid_to=record.valid_from)
            self._later.append(next_version(old.record, old.record.text, span, self._now))
        else:
            self._close_planned(old.record, record.valid_from)
        return record

    def _close_planned(self, old: Record, until: datetime) -> None:
        """End a fact that this call has planned, and that was never known without its end."""
        closed = replace(old, valid_to=until)
        self._records = [closed if record.id == old.id else record for record in self._records]
        self._plan.moves = [
            replace(
                act,
                entries=tuple(
                    replace(entry, record=replace(entry.record, valid_to=until))
                    if entry.record.id == old.id
                    else entry
                    for entry in act.entries
                ),
            )
            for act in self._plan.moves
        ]

    def _tell(self, record_id: str, statement: Statement, judgement: Judgement, old: Known | None) -> None:
        replaces = None if old is None else old.record.id
        self._plan.told.append(learned(record_id, statement, judgement, [self._turn.id], replaces))

    def _link(self, source: str, target: str, kind: LinkKind) -> None:
        self._links.append(Link(source_id=source, target_id=target, kind=kind, created_at=self._now))

    def _likeness(self, statement: Statement, known: Sequence[Known]) -> Any:
        """The cosine of a statement with that at a place, computed on demand, and only if they share a word."""
        own = set(statement.topic)
        vectors: dict[str, Any] = {}

        def vector(text: str) -> Any:
            if text not in vectors:
                vectors[text] = self._runtime.embedder.embed([text])[0]
            return vectors[text]

        def likeness(place: int) -> float:
            other = known[place].statement
            if own.isdisjoint(other.topic):
                return 0.0
            try:
                ours, theirs = vector(statement.text), vector(other.text)
            except ModelUnavailable:
                return 0.0
            norm = float(np.linalg.norm(ours) * np.linalg.norm(theirs))
            return float(ours @ theirs) / norm if norm else 0.0

        return likeness


def _unheard(entry: NewRecord) -> NewRecord:
    """The entry of a fact: it is in no conversation, and its words are those of its turns, which count already."""
    return replace(entry, trace=replace(entry.trace, chain=0, traits=entry.trace.traits | Trait.ASIDE))


def intact(
    runtime: Runtime, access: Access, facts: Sequence[tuple[Record, FactFields]]
) -> dict[str, tuple[str, ...]]:
    """The turns that each fact comes from and that the caller sees, by fact.

    Facts without any are left out, unless a person gave them.
    """
    ids = [record.id for record, _ in facts]
    # Facts are muted, so a recall sees them only here.
    seen = replace(access, where=None, valid_at=None, for_recall=False)
    links = runtime.store.trees.edges(seen, ids) if ids else []
    sources: dict[str, set[str]] = defaultdict(set)
    for link in links:
        if link.kind == LinkKind.DERIVED_FROM:
            sources[link.source_id].add(link.target_id)
    return {
        record.id: tuple(sorted(sources[record.id]))
        for record, fields in facts
        if fields.by == BY_PERSON
        or (sources[record.id] and (not fields.joint or set(fields.sources) <= sources[record.id]))
    }


# How many instructions and preferences a read considers, and the least relevance of one for what is no task.
MOST_STANDING, TOUCHED = 12, 0.1
_STANDING = Compare("kind", Op.IN, (INSTRUCTION, PREFERENCE))


def standing_turns(runtime: Runtime, access: Access, question: str) -> dict[str, float]:
    """The turns of the instructions and preferences that a question touches, and how much each is worth.

    For a task all of them count, because a rule of style shares no word with what it applies to; for a question
    about the past, only those that are relevant to it.
    """
    if access.where is not None or access.as_of is not None or access.valid_at is not None:
        return {}
    muted = replace(access, where=_STANDING, for_recall=False)
    hits = recalled(runtime, muted, question, MOST_STANDING).hits
    task = parse_question(question, CorpusInfo(), access.now.date()).task if hits else False
    facts = {
        hit.id: (hit.record, fields, hit.relevance)
        for hit in hits
        if (fields := fields_of(hit.record)) is not None
        and (task or hit.relevance >= TOUCHED)
        and _holds(hit.record, fields, access)
    }
    sources = intact(runtime, access, [(record, fields) for record, fields, _ in facts.values()])
    worth: dict[str, float] = {}
    for fact_id, turns in sources.items():
        record, _, relevance = facts[fact_id]
        # An instruction is to be followed; a taste only helps.
        value = relevance + (0.1 if record.kind == INSTRUCTION else 0.01)
        for turn in turns[-1:] or (fact_id,):
            worth[turn] = max(worth.get(turn, 0.0), value)
    return worth


def derived_facts(runtime: Runtime, access: Access, ids: Sequence[str]) -> list[Record]:
    """The facts that come from these records only, and go with them."""
    if not ids:
        return []
    wide = replace(access, where=None)
    gone = set(ids)
    candidates = [
        link.source_id
        for link in runtime.store.trees.edges(wide, list(ids))
        if link.kind == LinkKind.DERIVED_FROM and link.target_id in gone
    ]
    facts = [
        (record, fields) for record in runtime.store.records.get(wide, candidates) if (fields := fields_of(record))
    ]
    if not facts:
        return []
    left: dict[str, set[str]] = defaultdict(set)
    for link in runtime.store.trees.edges(wide, [record.id for record, _ in facts]):
        if link.kind == LinkKind.DERIVED_FROM and link.target_id not in gone:
            left[link.source_id].add(link.target_id)
    return [record for record, fields in facts if record.id not in gone and (fields.joint or not left[record.id])]


def profile(runtime: Runtime, access: Access, about: str | None, token_budget: int) -> Profile:
    """What is known now, within the budget: instructions and preferences first, then facts by topic."""
    found = [
        (record, fields)
        for record, fields in facts_of(runtime, access)
        if _holds(record, fields, access) and (about is None or is_about(record, fields, about))
    ]
    sources = intact(runtime, access, found)
    found = [(record, fields) for record, fields in found if record.id in sources]
    before, disputes = replaced(runtime, access, [record for record, _ in found])
    facts = sorted(
        (
            known_fact(record, fields, sources[record.id], before.get(record.id), disputes.get(record.id, ()))
            for record, fields in found
        ),
        key=profile_order,
    )
    return _fitted(runtime, facts, token_budget)


def _holds(record: Record, fields: FactFields, access: Access) -> bool:
    """Whether a fact is sure enough to be stated, and true at the moment that is asked for."""
    return not fields.unsaid and status_at(record, fields, access) is Status.CURRENT


def status_at(record: Record, fields: FactFields, access: Access) -> Status:
    """Whether a fact holds at the moment that is asked for."""
    return status_of(record, fields, access.valid_at or access.as_of or access.now)


def replaced(
    runtime: Runtime, access: Access, records: Sequence[Record]
) -> tuple[dict[str, Record], dict[str, list[str]]]:
    """For each fact, the fact that it replaced, and the facts that contradict it; none that a person rejected."""
    ids = {record.id for record in records}
    seen = replace(access, where=None, valid_at=None)
    links = runtime.store.trees.edges(seen, list(ids)) if ids else []
    updates = [link for link in links if link.kind == LinkKind.UPDATES and link.source_id in ids]
    disputing = [link for link in links if link.kind == LinkKind.CONTRADICTS]
    others = {link.target_id for link in updates}
    others |= {end for link in disputing for end in (link.source_id, link.target_id)}
    facts = {
        record.id: (record, status_at(record, fields, access))
        for record in (runtime.store.records.get(seen, list(others)) if others else ())
        if (fields := fields_of(record)) is not None and not fields.unsaid
    }
    before = {
        link.source_id: facts[link.target_id][0]
        for link in updates
        if link.target_id in facts and facts[link.target_id][1] not in (Status.WRONG, Status.MERGED)
    }
    disputes: dict[str, list[str]] = defaultdict(list)
    for link in disputing:
        for one, other in ((link.source_id, link.target_id), (link.target_id, link.source_id)):
            if other in facts and facts[other][1] in (Status.CURRENT, Status.UNSURE):
                disputes[one].append(other)
    return before, {record_id: sorted(ids) for record_id, ids in disputes.items()}


def _fitted(runtime: Runtime, facts: Sequence[KnownFact], budget: int) -> Profile:
    """As many of the facts as fit, in their order; a fact that does not fit is left out."""
    chosen: list[KnownFact] = []
    text, tokens = "", 0
    for fact in facts:
        more = block((profile_heading(one), one.line) for one in (*chosen, fact))
        cost = runtime.counter.count(more)
        if cost <= budget:
            chosen.append(fact)
            text, tokens = more, cost
    return Profile(
        text=text, tokens=tokens, items=tuple(chosen), token_budget=budget, left_out=len(facts) - len(chosen)
    )


class FactVerbs(Facade):
    """Verbs for facts: remember a conversation, and tell what is known."""

    @checks_call
    def remember(
        self,
        messages: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]],
        *,
        dry_run: bool = False,
        **details: Unpack[Details],
    ) -> Remembered:
        """Store a conversation, and the facts, preferences, standing instructions and events that it states.

        `messages` is a string, a list of chat messages as OpenAI and Anthropic have them, or of mappings with a
        text and details of their own; at most 1,000. Every fact is linked to its turn and seen by whoever sees the
        turn; one that says the same as before is counted, one that replaces an earlier one closes it, and each is
        journalled with its reason and can be undone. With `dry_run`, nothing is stored.
        """
        return remember(self._runtime, self._bound, messages, details, dry_run=dry_run)

    @checks_call
    def profile(
        self,
        *,
        about: str | None = None,
        token_budget: int = 1024,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
        **at: Unpack[At],
    ) -> Profile:
        """What is known now, from the facts that `remember` drew, within a budget of tokens.

        Instructions and preferences come first, then facts by topic, each with its date, its source and how sure it
        is. `about` narrows it to one subject. The text stays the same while no fact changes.
        """
        access = self._access(at, None, as_of, valid_at)
        subject = None if about is None else checked_text(about, "about")
        return profile(self._runtime, access, subject, checked_count(token_budget, "token_budget"))
