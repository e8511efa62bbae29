"""What people say of facts: wrong, outdated, or the same as another; and what their word outranks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from foveal.errors import Invalid
from foveal.model.record import Record
from foveal.rules.facts.reconciliation import Verdict, judged
from foveal.rules.facts.records import BY_PERSON, FactFields, Status, statement_of
from foveal.rules.facts.statements import INSTRUCTION, Statement
from foveal.rules.text import terms


class Correction(StrEnum):
    """What a person can say of a fact."""

    WRONG = "wrong"
    OUTDATED = "outdated"
    MERGE = "merge"


def parsed_correction(verdict: str) -> Correction:
    """The correction with this name; `Invalid` lists the names.

    >>> parsed_correction("wrong")
    <Correction.WRONG: 'wrong'>
    """
    try:
        return Correction(verdict)
    except ValueError:
        raise Invalid(f"{verdict!r} is no correction; use {', '.join(Correction)}") from None


def parsed_status(status: str) -> Status | None:
    """The status with this name, or None for "any"; `Invalid` lists the names.

    >>> parsed_status("ended"), parsed_status("any")
    (<Status.ENDED: 'ended'>, None)
    """
    try:
        return None if status == "any" else Status(status)
    except ValueError:
        raise Invalid(f"{status!r} is no status of a fact; use {', '.join(Status)} or any") from None


class Corrected(Struct, frozen=True, kw_only=True):
    """A fact that a person has corrected or given, and when."""

    record: Record
    fields: FactFields
    at: datetime

    @property
    def statement(self) -> Statement:
        """What the fact says, or said."""
        return statement_of(self.record, self.fields)


def corrected(record: Record, fields: FactFields) -> Corrected | None:
    """The correction that a fact bears; None if no person has spoken of it."""
    if fields.corrected_at is None:
        return None
    return Corrected(record=record, fields=fields, at=datetime.fromisoformat(fields.corrected_at))


def outranking(statement: Statement, turn: Record, corrections: Sequence[Corrected]) -> Corrected | None:
    """The correction that outranks a statement: it is later than the turn and speaks of the same thing.

    A person who says something again after the correction is believed.
    """
    for correction in corrections:
        if turn.occurred_at <= correction.at and _speaks_of(correction, statement, turn):
            return correction
    return None


def _speaks_of(correction: Corrected, statement: Statement, turn: Record) -> bool:
    old = correction.statement
    verdict = judged(statement, old).verdict
    if correction.fields.by == BY_PERSON and not correction.fields.wrong:
        # What a person has given is neither updated nor contradicted by what was said before.
        disputes = verdict in (Verdict.UPDATE, Verdict.CONTRADICTION)
        if disputes or correction.record.valid_to is None:
            return disputes
    if verdict is Verdict.SAME:
        return True
    same_thing = (statement.kind, statement.subject.casefold(), statement.attribute) == (
        old.kind,
        old.subject.casefold(),
        old.attribute,
    )
    ours, theirs = set(terms(statement.value)), set(terms(old.value))
    alike = bool(ours and theirs) and (ours <= theirs or theirs <= ours)
    # Another reader may draw the same statement from the same turn in other words.
    return same_thing and (alike or (statement.single and turn.id in correction.fields.sources))


def corrected_text(old: Statement, value: str, correction: Correction) -> str:
    """The words of a fact that a person gives in place of another.

    What was wrong is worded as before with the right value; what is true now is not what was said then.

    >>> home = Statement(kind="fact", text="I live in Utrecht.", attribute="home", value="Utrecht")
    >>> corrected_text(home, "Zwolle", Correction.WRONG), corrected_text(home, "Zwolle", Correction.OUTDATED)
    ('I live in Zwolle.', 'home: Zwolle')
    """
    if old.kind == INSTRUCTION:
        return value
    if correction is Correction.WRONG and old.value and old.text.count(old.value) == 1:
        return old.text.replace(old.value, value)
    return f"{old.subject if old.value_kind or old.attribute == 'is' else old.attribute}: {value}"
