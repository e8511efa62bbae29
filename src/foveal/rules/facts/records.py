"""Facts as records: what their metadata holds, and how they read in a profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from foveal.model.query import Details
from foveal.model.record import Record, Tier
from foveal.model.results import Evidence, KnownFact, Learned
from foveal.rules.facts.reconciliation import Judgement
from foveal.rules.facts.statements import EVENT, FACT, INSTRUCTION, PREFERENCE, Statement
from foveal.rules.facts.values import VALUE_KINDS
from foveal.rules.rendering import day, escaped
from foveal.rules.text import gist, terms

# The field of the metadata that makes a record a fact which was drawn from others.
FACT_FIELD = "fact"
BY_RULES, BY_MODEL, BY_PERSON = "rules", "model", "person"
# Facts that are less sure than this link statements, but stand in no profile.
SURE = 0.5
# How many characters of what was so before are shown, and of a turn that a fact comes from.
_BEFORE, _QUOTED = 60, 240


class FactFields(Struct, frozen=True, kw_only=True):
    """The metadata of a fact. `by` says who drew it: the rules, a model, or a person who corrected it.

    `sources` are the turns it was first drawn from; a `joint` fact needs all of them. `wrong` marks a fact that a
    person rejected, and `merged_into` names the fact that a person said is the same; `corrected_at` is when a
    person spoke of it, and `move` the correction that wrote this version. `unsaid` marks a fact whose turn was
    given another text, which does not say it.
    """

    subject: str = ""
    attribute: str = ""
    value: str = ""
    by: str = BY_RULES
    confidence: float = 0.6
    single: bool = False
    topic: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    value_kind: str = ""
    ended: bool = False
    sources: tuple[str, ...] = ()
    joint: bool = False
    wrong: bool = False
    unsaid: bool = False
    merged_into: str | None = None
    corrected_at: str | None = None
    move: str | None = None


class Status(StrEnum):
    """Whether a fact holds: an unsure one stands in no profile, a merged one is stated by another."""

    CURRENT = "current"
    UNSURE = "unsure"
    ENDED = "ended"
    WRONG = "wrong"
    MERGED = "merged"


def status_of(record: Record, fields: FactFields, moment: datetime) -> Status:
    """Whether a fact holds at a moment."""
    if fields.wrong:
        return Status.WRONG
    if fields.merged_into is not None:
        return Status.MERGED
    if fields.ended or (record.valid_to is not None and record.valid_to <= moment):
        return Status.ENDED
    return Status.UNSURE if fields.confidence < SURE else Status.CURRENT


def fields_of(record: Record) -> FactFields | None:
    """What the metadata of a record says as a fact; None for a record that was not drawn from others."""
    fields = record.metadata.get(FACT_FIELD)
    if not isinstance(fields, Mapping):
        return None
    try:
        return msgspec.convert(dict(fields), FactFields)  # pyright: ignore[reportUnknownArgumentType]
    except msgspec.ValidationError:
        # The metadata of a caller may use the name for something else.
        return None


def statement_of(record: Record, fields: FactFields) -> Statement:
    """The statement that a fact was stored from."""
    return Statement(
        kind=record.kind,
        text=record.text,
        subject=fields.subject,
        attribute=fields.attribute,
        value=fields.value,
        single=fields.single,
        ended=fields.ended,
        topic=fields.topic,
        around=fields.around,
        value_kind=fields.value_kind,
        confidence=fields.confidence,
        importance=record.vitals.importance,
    )


def fact_key(turn: Record, statement: Statement) -> str:
    """The idempotency key of a fact: the same turn and statement give one fact, however often they are read."""
    said = f"{statement.kind}\n{statement.subject}\n{statement.attribute}\n{statement.value}"
    return f"fact {turn.id} {blake2b(said.encode(), digest_size=9).hexdigest()}"[:200]


def fact_details(turn: Record, statement: Statement, by: str = BY_RULES) -> Details:
    """What is written for a fact: it reaches as far as its turn, and starts when the turn was said."""
    fields = FactFields(
        subject=statement.subject,
        attribute=statement.attribute,
        value=statement.value,
        by=by,
        confidence=statement.confidence,
        single=statement.single,
        topic=statement.topic,
        around=statement.around,
        value_kind=statement.value_kind,
        ended=statement.ended,
        sources=(turn.id,),
    )
    metadata = {FACT_FIELD: _plain(fields)}
    return Details(
        kind=statement.kind,
        scope=turn.scope,
        source=turn.source,
        speaker=turn.speaker,
        region=turn.region,
        importance=statement.importance,
        metadata=metadata,
        occurred_at=turn.occurred_at,
        valid_from=turn.valid_from,
        expires_at=turn.vitals.expires_at,
        tier=Tier.SEMANTIC,
        idempotency_key=fact_key(turn, statement),
    )


def _plain(fields: FactFields) -> dict[str, Any]:
    """The fields that differ from their defaults, as plain data."""
    every: dict[str, Any] = msgspec.to_builtins(fields)
    default: dict[str, Any] = msgspec.to_builtins(FactFields())
    kept = {name: value for name, value in every.items() if value != default[name] or name == "by"}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}  # pyright: ignore[reportUnknownArgumentType]


def changed_fields(record: Record, **new: Any) -> dict[str, Any]:
    """The metadata of a fact with some of its fields changed."""
    fields = fields_of(record) or FactFields()
    return {**record.metadata, FACT_FIELD: _plain(msgspec.structs.replace(fields, **new))}


def learned(
    record_id: str, statement: Statement, judgement: Judgement, sources: Sequence[str], replaces: str | None
) -> Learned:
    """What `remember` tells of a statement."""
    return Learned(
        id=record_id,
        kind=statement.kind,
        text=statement.text,
        subject=statement.subject,
        attribute=statement.attribute,
        value=statement.value,
        verdict=judgement.verdict.value,
        reason=judgement.reason,
        confidence=statement.confidence,
        sources=tuple(sources),
        replaces=replaces,
    )


def is_about(record: Record, fields: FactFields, about: str) -> bool:
    """Whether a fact is about a subject: it is theirs, or its text names them."""
    wanted = set(terms(about))
    if not wanted:
        return about.casefold() in f"{fields.subject} {record.text}".casefold()
    return wanted <= set(terms(f"{fields.subject} {record.text}"))


def surer(confidence: float, sources: int) -> float:
    """How sure a fact is that was stated several times.

    >>> surer(0.8, 1), surer(0.8, 2)
    (0.8, 0.9)
    """
    return round(1 - (1 - confidence) / max(1, sources), 2)


def known_fact(
    record: Record,
    fields: FactFields,
    sources: Sequence[str],
    before: Record | None = None,
    disputed: Sequence[str] = (),
    *,
    status: Status = Status.CURRENT,
    evidence: Sequence[Record] = (),
) -> KnownFact:
    """A fact as a line of a profile, with its date, its source and how sure it is."""
    confidence = 1.0 if fields.by == BY_PERSON else surer(fields.confidence, len(sources))
    was = _before(before)
    until = None if before is None else before.valid_to
    since = f"{record.valid_from:%Y-%m-%d}"
    shown = f"- {escaped(' '.join(record.text.split()))}"
    if was is not None and until is not None:
        shown += f' (before: "{was}", until {day(until)})'
    if disputed:
        shown += f" (disputed by {', '.join(disputed)})"
    who = "corrected" if fields.by == BY_PERSON else escaped(record.speaker or record.source)
    return KnownFact(
        id=record.id,
        kind=record.kind,
        text=record.text,
        subject=fields.subject,
        attribute=fields.attribute,
        value=fields.value,
        since=record.valid_from,
        sources=tuple(sources),
        confidence=confidence,
        line=f"{shown} [{since}, {who}, {confidence:.2f}]",
        before=was,
        until=until,
        disputed=tuple(disputed),
        status=status.value,
        by=fields.by,
        why=_why(record, fields, len(sources), was),
        ended=record.valid_to,
        replaces=None if before is None else before.id,
        merged_into=fields.merged_into,
        evidence=tuple(
            Evidence(
                id=turn.id,
                said_at=turn.occurred_at,
                speaker=turn.speaker or turn.source,
                text=gist(turn.text, _QUOTED),
            )
            for turn in evidence
        ),
    )


def _why(record: Record, fields: FactFields, sources: int, before: str | None) -> str:
    """Why a fact is believed, or no longer is, in words."""
    corrected = None if fields.corrected_at is None else day(datetime.fromisoformat(fields.corrected_at))
    if fields.by == BY_PERSON and corrected is not None:
        parts = [f"a person gave it on {corrected}"]
    else:
        more = f" and {sources - 1} more time{'s' if sources > 2 else ''}" if sources > 1 else ""
        reader = "a model" if fields.by == BY_MODEL else "rules"
        parts = [f"{record.speaker or record.source} said so on {day(record.occurred_at)}{more}, read by {reader}"]
    if before is not None:
        parts.append(f'it replaced "{before}"')
    if fields.wrong or fields.merged_into is not None or (corrected is not None and fields.by != BY_PERSON):
        told = "wrong" if fields.wrong else "the same as another fact" if fields.merged_into else "outdated"
        parts.append(f"a person called it {told} on {corrected}")
    return "; ".join(parts)


def _before(before: Record | None) -> str | None:
    if before is None:
        return None
    fields = fields_of(before)
    said = fields.value if fields and fields.value else before.text
    return escaped(gist(said, _BEFORE)).replace('"', "'")


_HEADINGS = {INSTRUCTION: "[instructions]", PREFERENCE: "[preferences]", FACT: "[facts]", EVENT: "[events]"}
_ORDER = (INSTRUCTION, PREFERENCE, FACT, EVENT)


def _is_named(fact: KnownFact) -> bool:
    """Whether a fact is one of somebody or something with a name, rather than a value that its words lead to."""
    return fact.kind == FACT and fact.attribute not in VALUE_KINDS


def profile_order(fact: KnownFact) -> tuple[int, bool, str, str, datetime, str]:
    """The place of a fact in a profile: instructions and preferences first, then facts by topic."""
    place = _ORDER.index(fact.kind), not _is_named(fact)
    return (*place, fact.subject.casefold(), fact.attribute.casefold(), fact.since, fact.id)


def profile_heading(fact: KnownFact) -> str:
    """The heading of a fact in a profile: its kind, and of facts whose they are, if they have a name."""
    return f"[facts: {escaped(fact.subject)}]" if _is_named(fact) else _HEADINGS[fact.kind]
