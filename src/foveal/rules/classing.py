"""What compression may do to a turn, judged by who speaks, by what is said, and by what the user asked to keep."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from foveal.model.crystal import Grade, Role, Turn
from foveal.model.record import Linearity

_BY_ROLE = {Role.USER: Linearity.PRESERVED, Role.SYSTEM: Linearity.REQUIRED}
_FOCUS = re.compile(r"\[FOCUS:\s*([^\]\n]{1,80}?)\s*\]", re.IGNORECASE)

# A label is written on purpose and counts whoever writes it. The other words are everywhere in what tools
# return, where they would keep whole files: they count only in what is said.
_LABELS = {
    Linearity.PRESERVED: ("required:", "critical:", "verbatim:", "exactly:", "user said:"),
    Linearity.REQUIRED: ("decision:", "conclusion:", "chosen approach:"),
}
_WORDS = {
    Linearity.PRESERVED: ("must ", "```", '"""'),
    Linearity.REQUIRED: ("therefore", "because", "the reason", "i will", "we should"),
}
_SAYING = (Role.USER, Role.ASSISTANT, Role.SYSTEM)


def states(text: str, linearity: Linearity, *, said: bool = True) -> str:
    """The marker of this class that stands in a text, or nothing.

    >>> states("Decision: use SQLite.", Linearity.REQUIRED), states("It rained.", Linearity.REQUIRED)
    ('decision:', '')
    """
    lower = text.lower()
    markers = _LABELS[linearity] + (_WORDS[linearity] if said else ())
    return next((marker.strip() for marker in markers if marker in lower), "")


def hinted(text: str, hints: Sequence[str] = ()) -> str:
    """The focus that a text is marked with, or the hint that it contains, or nothing.

    >>> hinted("[FOCUS:error] disk full"), hinted("Disk full", ["disk"]), hinted("fine", ["disk"])
    ('error', 'disk', '')
    """
    marked = _FOCUS.search(text)
    if marked:
        return marked[1]
    lower = text.lower()
    return next((hint for hint in hints if hint.strip() and hint.lower() in lower), "")


def grade_of(role: Role, text: str, hints: Sequence[str] = ()) -> Grade:
    """The class of a new turn: the highest that its role, its markers and the hints give it.

    >>> grade_of(Role.ASSISTANT, "Decision: use SQLite.").linearity
    <Linearity.REQUIRED: 2>
    """
    grade = Grade(linearity=_BY_ROLE.get(role, Linearity.DROPPABLE), rationale=f"role {role}")
    for linearity in (Linearity.REQUIRED, Linearity.PRESERVED):
        marker = states(text, linearity, said=role in _SAYING)
        if marker:
            grade = promoted(grade, linearity, f"says {marker!r}")
    hint = hinted(text, hints)
    if hint:
        grade = promoted(grade, Linearity.PRESERVED, f"focus {hint!r}")
        grade = msgspec.structs.replace(grade, hint=hint)
    return grade


def promoted(grade: Grade, linearity: Linearity, rationale: str) -> Grade:
    """The grade raised to a higher class, with the reason added; the same or a lower class changes nothing.

    >>> promoted(Grade(rationale="role tool"), Linearity.REQUIRED, "asked").rationale
    'role tool -> required: asked'
    """
    if linearity <= grade.linearity:
        return grade
    told = f"{grade.rationale} -> {linearity.name.lower()}: {rationale}"
    return msgspec.structs.replace(grade, linearity=linearity, rationale=told.removeprefix(" -> "))


def focused(turn: Turn, hints: Sequence[str]) -> Turn:
    """The turn, promoted if a hint names something in it. What is masked already cannot be kept word for word."""
    hint = hinted(turn.content, hints)
    if not hint or turn.form != "whole":
        return turn
    grade = promoted(turn.grade, Linearity.PRESERVED, f"focus {hint!r}")
    return msgspec.structs.replace(turn, grade=msgspec.structs.replace(grade, hint=grade.hint or hint))
