"""How what is said becomes the turns of a window: numbered, counted and classed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, field

from foveal.model.crystal import Call, ContextWindow, Form, Grade, Role, Turn, digest_of
from foveal.model.record import Linearity
from foveal.rules.checking import encodable
from foveal.rules.classing import grade_of
from foveal.rules.marking import form_of

Count = Callable[[str], int]


class Spoken(Struct, frozen=True, kw_only=True):
    """Something said, before it has a place in a window."""

    role: Role
    content: str
    timestamp: datetime | None = None
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


def appended(
    window: ContextWindow, said: Iterable[Spoken], count: Count, hints: Sequence[str] = ()
) -> ContextWindow:
    """The window with what was said at its end.

    A turn is named by what it says and how often that was said before, so that the same thread brought in again
    gets the same names.

    >>> window = appended(ContextWindow(), [Spoken(role=Role.USER, content="hi")], len)
    >>> window.turns[0].number, window.tokens, window.extract() == window.turns[0]
    (1, 2, True)
    """
    turns = list(window.turns)
    taken = {one for turn in turns for one in (turn.id, *turn.covers)}
    tools = {call.id: call.name for turn in turns for call in turn.calls}
    number = window.last_number
    for one in said:
        number += 1
        encodable(one.content, f"turn {number}")
        tools |= {call.id: call.name for call in one.calls}
        tool = tools.get(one.answers or "")
        metadata = {**one.metadata, **({"tool": tool} if tool else {})}
        turn = _turn(one, number, _fresh(one, taken), metadata, hints)
        taken.add(turn.id)
        turns.append(measured(turn, count))
    return window.with_turns(turns)


def measured(turn: Turn, count: Count) -> Turn:
    """The turn with what it costs, its calls included."""
    return msgspec.structs.replace(turn, tokens=count(turn.spoken) if turn.spoken else 0)


def _turn(one: Spoken, number: int, name: str, metadata: Mapping[str, Any], hints: Sequence[str]) -> Turn:
    form = form_of(one.content)
    # A marker of ours that comes back is neither new nor anybody's words.
    ours = form is not Form.WHOLE
    grade = (
        Grade(linearity=Linearity.DROPPABLE, rationale=f"a {form} turn")
        if ours
        else grade_of(one.role, one.content, hints)
    )
    return Turn(
        id=name,
        number=number,
        role=Role.OTHER if form is Form.FOLDED else one.role,
        content=one.content,
        tokens=0,
        grade=grade,
        timestamp=one.timestamp,
        calls=one.calls,
        answers=one.answers,
        form=form,
        metadata=metadata,
    )


def _fresh(one: Spoken, taken: set[str]) -> str:
    calls = "\n".join(f"{call.id} {call.name} {call.arguments}" for call in one.calls)
    nth = 0
    while (name := digest_of(one.role, one.content, calls, one.answers or "", str(nth))) in taken:
        nth += 1
    return name
