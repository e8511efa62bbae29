"""The flow of corrections: list facts with why each is believed, and take a person's word about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Unpack

from msgspec.structs import replace

from foveal.engine.records import write
from foveal.engine.records.relations import require_record
from foveal.engine.records.remember import ATTEMPTS, facts_of, intact, replaced, status_at
from foveal.engine.runtime.facade import Facade, Moment, checks_call
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid, PreconditionFailed
from foveal.model.ids import new_id
from foveal.model.query import Access, At, Details
from foveal.model.record import Link, LinkKind, Record, Tier
from foveal.model.results import Change, CorrectedFact, KnownFact, Move, What
from foveal.ports.store import PlannedMove
from foveal.rules.drafts import new_record, next_version
from foveal.rules.facts.corrections import Correction, corrected_text, parsed_correction, parsed_status
from foveal.rules.facts.records import (
    BY_PERSON,
    FACT_FIELD,
    FactFields,
    Status,
    changed_fields,
    fields_of,
    is_about,
    known_fact,
    statement_of,
)
from foveal.rules.facts.statements import INSTRUCTION, PREFERENCE
from foveal.rules.text import gist, terms
from foveal.rules.validation import checked_count, checked_moment, checked_text
from foveal.rules.visibility import require_own

_TICK = timedelta(microseconds=1)
Fact = tuple[Record, FactFields]


def facts(
    runtime: Runtime, access: Access, about: str | None, status: Status | None, limit: int
) -> list[KnownFact]:
    """The facts of a status, or all, with the turns each comes from; the newest first."""
    found = [
        (record, fields)
        for record, fields in facts_of(runtime, access)
        if (status is None or status_at(record, fields, access) is status)
        and (about is None or is_about(record, fields, about))
    ]
    sources = intact(runtime, access, found)
    kept = [(record, fields) for record, fields in found if record.id in sources]
    kept.sort(key=lambda fact: (fact[0].valid_from, fact[0].id), reverse=True)
    return _shown(runtime, access, kept[:limit], sources)


def _shown(
    runtime: Runtime, access: Access, found: Sequence[Fact], sources: Mapping[str, Sequence[str]]
) -> list[KnownFact]:
    before, disputes = replaced(runtime, access, [record for record, _ in found])
    turns = list(dict.fromkeys(turn for record, _ in found for turn in sources[record.id]))
    seen = replace(access, where=None, valid_at=None)
    said = {turn.id: turn for turn in runtime.store.records.get(seen, turns)} if turns else {}
    return [
        known_fact(
            record,
            fields,
            sources[record.id],
            before.get(record.id),
            disputes.get(record.id, ()),
            status=status_at(record, fields, access),
            evidence=[said[turn] for turn in sources[record.id] if turn in said],
        )
        for record, fields in found
    ]


@dataclass(frozen=True)
class Asked:
    """What a person says of a fact: the correction, and the right value, the other fact, or the end."""

    correction: Correction
    value: str | None = None
    into: str | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        merging, ending = self.correction is Correction.MERGE, self.correction is Correction.OUTDATED
        if merging != (self.into is not None):
            raise Invalid("merge needs `into`, the id of the fact that says the same; the others take none")
        if merging and self.value is not None:
            raise Invalid("a merge takes no value: correct the fact that it is merged into")
        if self.until is not None and not ending:
            raise Invalid("`until` says when a fact became outdated: use it with outdated")


def correct(
    runtime: Runtime, access: Access, fact_id: str, asked: Asked, *, dry_run: bool = False
) -> CorrectedFact:
    """Take a person's word about a fact, as one move that can be undone."""
    for attempt in range(ATTEMPTS):
        plan = _Plan(runtime, access, require_fact(runtime, access, fact_id), asked)
        if dry_run:
            return plan.preview()
        try:
            made = runtime.writes.apply(access, [plan.act()], runtime.encoder)
        except PreconditionFailed:
            # Another process changed the fact in the meantime.
            if attempt + 1 == ATTEMPTS:
                raise
            continue
        if made:
            return plan.done()
    raise Conflict(f"{fact_id} is being changed by others: try again", record_id=fact_id)


def require_fact(runtime: Runtime, access: Access, record_id: str) -> Fact:
    """The fact with this id, which the caller may change; `Invalid` for a record that is no fact."""
    record = require_record(runtime, access, record_id)
    require_own([record], access)
    fields = fields_of(record)
    if fields is None:
        raise Invalid(f"{record_id} is no fact that was drawn from a turn", record_id=record_id)
    return record, fields


class _Plan:
    """What a correction changes: versions of facts, the fact that holds instead, and links."""

    def __init__(self, runtime: Runtime, access: Access, fact: Fact, asked: Asked) -> None:
        self._runtime, self._access, self._asked = runtime, access, asked
        self._record, self._fields = fact
        self._edges = runtime.store.trees.edges(replace(access, where=None), [self._record.id])
        # Later than every link of the fact, so that undoing finds the links that this correction made.
        self._at = max([access.now, *(link.created_at + _TICK for link in self._edges)])
        self._move = new_id(access.now)
        self._versions: list[Record] = []
        self._reopened: list[Record] = []
        self._instead: Record | None = None
        self._links: list[Link] = []
        self._touched = [self._record]
        self._check_status()
        {
            Correction.WRONG: self._reject,
            Correction.OUTDATED: self._end,
            Correction.MERGE: self._merge,
        }[asked.correction]()

    def _check_status(self) -> None:
        status = status_at(self._record, self._fields, self._access)
        gone = (Status.WRONG, Status.MERGED)
        if status in gone or (status is Status.ENDED and self._asked.correction is not Correction.WRONG):
            raise Conflict(f"{self._record.id} is {status} already: undo that first", record_id=self._record.id)

    def _reject(self) -> None:
        """The fact was never true: what it had replaced holds again, or the value that the person gives."""
        record = self._record
        self._version(record, record.valid_to, wrong=True)
        older = self._facts([link.target_id for link in self._edges if self._updates(link, source=record.id)])
        older = [fact for fact in older if fact.valid_to == record.valid_from]
        if self._asked.value is not None:
            self._give(self._asked.value, record.valid_from, record.valid_to)
            for fact in older:
                self._link(self._given.id, fact.id, LinkKind.UPDATES)
        for fact in older if self._asked.value is None else ():
            self._reopened.append(self._version(fact, record.valid_to))
            self._touched.append(fact)
        holds = [self._given] if self._instead is not None else self._reopened
        for link in self._edges:
            if self._updates(link, target=record.id):
                for fact in holds:
                    self._link(link.source_id, fact.id, LinkKind.UPDATES)
        if self._instead is not None:
            self._link(self._given.id, record.id, LinkKind.UPDATES)

    def _end(self) -> None:
        """The fact was true until a moment, and the value that the person gives is true from then on."""
        until = self._asked.until or self._access.now
        if until <= self._record.valid_from:
            raise Invalid(
                f"the fact holds since {self._record.valid_from.isoformat()}: `until` must be later, or it is wrong"
            )
        self._version(self._record, until)
        if self._asked.value is not None:
            self._give(self._asked.value, until, None)
            self._link(self._given.id, self._record.id, LinkKind.UPDATES)

    def _merge(self) -> None:
        """Another fact says the same: it has the turns of both."""
        into, fields = require_fact(self._runtime, self._access, self._asked.into or "")
        if into.id == self._record.id:
            raise Invalid("a fact cannot be merged into itself", record_id=into.id)
        if (into.node, into.scope) != (self._record.node, self._record.scope):
            raise Invalid("facts of different nodes or scopes cannot be merged: not everyone would see both")
        status = status_at(into, fields, self._access)
        if status in (Status.WRONG, Status.MERGED):
            raise Conflict(f"{into.id} is {status}: merge into a fact that holds", record_id=into.id)
        self._touched.append(into)
        self._version(self._record, self._record.valid_to, merged_into=into.id)
        theirs = self._runtime.store.trees.edges(replace(self._access, where=None), [into.id])
        self._at = max([self._at, *(link.created_at + _TICK for link in theirs)])
        known = {link.target_id for link in theirs if self._derived(link, into.id)}
        for link in self._edges:
            if self._derived(link, self._record.id) and link.target_id not in known:
                self._link(into.id, link.target_id, LinkKind.DERIVED_FROM)
        self._reopened.append(into)

    def _derived(self, link: Link, source: str) -> bool:
        return link.kind == LinkKind.DERIVED_FROM and link.source_id == source

    def _updates(self, link: Link, source: str | None = None, target: str | None = None) -> bool:
        return link.kind == LinkKind.UPDATES and (link.source_id == source or link.target_id == target)

    def _facts(self, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are facts which nobody has rejected."""
        records = self._runtime.store.records.get(replace(self._access, where=None), ids) if ids else []
        return [
            record
            for record in records
            if (fields := fields_of(record)) is not None and not fields.wrong and fields.merged_into is None
        ]

    def _version(self, record: Record, end: datetime | None, **fields: Any) -> Record:
        """The next version of a fact, with this end and these fields."""
        # What is reopened was not corrected itself.
        at = {"corrected_at": self._access.now.isoformat()} if record is self._record else {}
        details = Details(
            valid_from=record.valid_from,
            valid_to=end,
            metadata=changed_fields(record, move=self._move, **at, **fields),
        )
        version = next_version(record, record.text, details, self._access.now)
        self._versions.append(version)
        return version

    @property
    def _given(self) -> Record:
        if self._instead is None:
            raise Invalid("the correction gives no value")
        return self._instead

    def _give(self, value: str, since: datetime, until: datetime | None) -> None:
        """Plan the fact that a person gives instead. It is recalled itself, because no turn says it."""
        record, old = self._record, statement_of(self._record, self._fields)
        own = dict.fromkeys(terms(value)) if record.kind in (INSTRUCTION, PREFERENCE) else old.topic
        fields = changed_fields(
            record,
            value=value,
            by=BY_PERSON,
            confidence=1.0,
            topic=tuple(own),
            ended=False,
            sources=(),
            joint=False,
            corrected_at=self._access.now.isoformat(),
            move=None,
        )
        details = Details(
            kind=record.kind,
            scope=record.scope,
            source="user",
            region=record.region,
            importance=max(0.7, record.vitals.importance),
            metadata={FACT_FIELD: fields[FACT_FIELD]},
            occurred_at=self._access.now,
            valid_from=since,
            valid_to=until,
            tier=Tier.SEMANTIC,
        )
        place = replace(self._access.viewpoint, node=record.node, session_id=None)
        text = corrected_text(old, value, self._asked.correction)
        now = self._access.now
        self._instead = new_record(text, details, place, now, new_id(now), self._runtime.config)

    def _link(self, source: str, target: str, kind: LinkKind) -> None:
        self._links.append(Link(source_id=source, target_id=target, kind=kind, created_at=self._at))

    def _why(self) -> str:
        told = {
            Correction.WRONG: "a person called it wrong",
            Correction.OUTDATED: "a person called it outdated",
            Correction.MERGE: f"a person said that {self._asked.into} says the same",
        }[self._asked.correction]
        right = f"; right is {self._asked.value}" if self._asked.value is not None else ""
        return gist(f"{self._record.kind} {self._fields.attribute or self._fields.subject}: {told}{right}", 300)

    def act(self) -> PlannedMove:
        """The move of this correction."""
        made = [] if self._instead is None else [self._instead]
        entries = write.entries(self._runtime, [*made, *self._versions])
        move = Move(
            id=self._move,
            at=self._at,
            who=self._access.viewpoint.node,
            what=What.CORRECTED,
            why=self._why(),
            changes=tuple(
                Change(record_id=record.id, before=record.vitals, after=record.vitals) for record in self._touched
            ),
            made=tuple(record.id for record in made),
        )
        return PlannedMove(
            move=move,
            entries=tuple(entries[: len(made)]),
            versions=tuple(entries[len(made) :]),
            links=tuple(self._links),
            bounded=True,
        )

    def preview(self) -> CorrectedFact:
        """What the correction would do."""
        known = [self._known(record) for record in (self._versions[0], *self._holding())]
        return self._told(known, None)

    def done(self) -> CorrectedFact:
        """What the correction did, as it is stored."""
        access = self._runtime.access(self._access.viewpoint)
        ids = [self._record.id, *(record.id for record in self._holding())]
        stored = {record.id: record for record in self._runtime.store.records.get(access, ids)}
        found = [(stored[each], fields) for each in ids if (fields := fields_of(stored[each])) is not None]
        return self._told(_shown(self._runtime, access, found, self._sources(found)), self._move)

    def _holding(self) -> list[Record]:
        return self._reopened if self._instead is None else [self._instead]

    def _sources(self, found: Sequence[Fact]) -> dict[str, tuple[str, ...]]:
        seen = intact(self._runtime, self._runtime.access(self._access.viewpoint), found)
        return {record.id: seen.get(record.id, ()) for record, _ in found}

    def _known(self, record: Record) -> KnownFact:
        fields = fields_of(record) or FactFields()
        sources = self._sources([(record, fields)])[record.id]
        ended = record is self._instead and self._asked.correction is Correction.OUTDATED
        before = self._versions[0] if ended else None
        return known_fact(record, fields, sources, before, status=status_at(record, fields, self._access))

    def _told(self, known: Sequence[KnownFact], move: str | None) -> CorrectedFact:
        first, *rest = known
        merged = self._asked.correction is Correction.MERGE
        single = rest[0] if rest and (merged or self._instead is not None) else None
        return CorrectedFact(
            fact=first,
            instead=single,
            reopened=() if single is not None else tuple(rest),
            move=move,
            dry_run=move is None,
        )


class CorrectionVerbs(Facade):
    """Verbs for what is known: list facts, and correct one."""

    @checks_call
    def facts(
        self,
        *,
        about: str | None = None,
        status: str = "current",
        limit: int = 200,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
        **at: Unpack[At],
    ) -> list[KnownFact]:
        """The facts that `remember` drew and people gave, the newest first, each with why it is believed.

        `status` is "current", "unsure", "ended", "wrong" or "merged", or "any" for all. `about` narrows the list to
        one subject. Each has the turns it comes from, who read it from them, how sure it is, and what it replaced.
        """
        access = self._access(at, None, as_of, valid_at)
        subject = None if about is None else checked_text(about, "about")
        return facts(self._runtime, access, subject, parsed_status(status), checked_count(limit, "limit"))

    @checks_call
    def correct(
        self,
        record_id: str,
        verdict: str,
        *,
        value: str | None = None,
        into: str | None = None,
        until: Moment | None = None,
        dry_run: bool = False,
        **at: Unpack[At],
    ) -> CorrectedFact:
        """Say of a fact that it is "wrong", "outdated", or to "merge" with another, which `into` names.

        `value` is the right value, if you give one; `until` says when the fact became outdated, now by default.
        What a wrong fact had replaced holds again. The correction outranks everything said before it: reading the
        same turns again does not bring the fact back. It is journalled and can be undone. With `dry_run`, nothing
        changes.
        """
        asked = Asked(
            correction=parsed_correction(verdict),
            value=None if value is None else " ".join(checked_text(value, "value").split()),
            into=into,
            until=checked_moment(until, "until"),
        )
        return correct(self._runtime, self._access(at), record_id, asked, dry_run=dry_run)
