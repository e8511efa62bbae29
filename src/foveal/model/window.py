"""What an agent has before it: turns, and where among them it looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, field

from foveal.model.linearity import Linearity

A = TypeVar("A")
B = TypeVar("B")

WIDEST = 100_000


class Role(StrEnum):
    """Who speaks in a turn; "other" is a conversation that the agent only overhears."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    OTHER = "other"


class Form(StrEnum):
    """What compression has made of a turn."""

    WHOLE = "whole"
    MASKED = "masked"
    FOLDED = "folded"
    CONDENSED = "condensed"


class Grade(Struct, frozen=True, kw_only=True):
    """What compression may do to a turn, and why. It goes with the turn, so that no compression loses it."""

    linearity: Linearity = Linearity.DROPPABLE
    rationale: str = ""
    hint: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """A tool that a turn calls; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str = "{}"


class Turn(Struct, frozen=True, kw_only=True):
    """One thing that was said or seen.

    `number` counts through the thread, also over what was folded away; `answers` names the call whose result it
    is; `covers` are the ids of the turns it stands for.
    """

    id: str
    number: int
    role: Role
    content: str
    tokens: int
    grade: Grade = Grade()
    timestamp: datetime | None = None
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    form: Form = Form.WHOLE
    covers: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def linearity(self) -> Linearity:
        """What compression may do to it."""
        return self.grade.linearity

    @property
    def spoken(self) -> str:
        """Everything it says, the calls included."""
        calls = [f"{one.name}({one.arguments})" for one in self.calls]
        return "\n".join([self.content, *calls] if self.content else calls)


class Focus(Struct, Generic[A], frozen=True, kw_only=True):
    """Values in a row, one of which is looked at."""

    values: tuple[A, ...]
    position: int

    def extract(self) -> A:
        """The value that is looked at."""
        return self.values[self.position]

    def seek(self, position: int) -> Focus[A]:
        """The same row, looked at elsewhere; beyond its ends is at its ends."""
        return Focus(values=self.values, position=_clamped(position, len(self.values) - 1))

    def extend(self, look: Callable[[Focus[A]], B]) -> Focus[B]:
        """What `look` sees from every place, looked at where this is."""
        seen = tuple(look(self.seek(place)) for place in range(len(self.values)))
        return Focus(values=seen, position=self.position)


class ContextWindow(Struct, frozen=True, kw_only=True):
    """The turns before an agent, as a value: whatever changes it gives another window.

    `position` is the number of the turns up to the one that is looked at; 0 looks at none.
    """

    turns: tuple[Turn, ...] = ()
    position: int = 0
    max_tokens: int = WIDEST
    id: str = ""
    compressions: int = 0

    @property
    def tokens(self) -> int:
        """What its turns cost."""
        return sum(turn.tokens for turn in self.turns)

    @property
    def pressure(self) -> float:
        """How full it is, from 0 to 1."""
        return min(1.0, self.tokens / self.max_tokens)

    @property
    def last_number(self) -> int:
        """The highest number of a turn, 0 when there is none."""
        return max((turn.number for turn in self.turns), default=0)

    def extract(self) -> Turn | None:
        """The turn that is looked at, or None before the first."""
        return self.turns[self.position - 1] if self.position else None

    def seek(self, position: int) -> ContextWindow:
        """The same window, looked at elsewhere; beyond its ends is at its ends."""
        return msgspec.structs.replace(self, position=_clamped(position, len(self.turns)))

    def extend(self, look: Callable[[ContextWindow], B]) -> Focus[B]:
        """What `look` sees from every place, before the first turn and at each of them."""
        seen = tuple(look(self.seek(place)) for place in range(len(self.turns) + 1))
        return Focus(values=seen, position=self.position)

    def duplicate(self) -> Focus[ContextWindow]:
        """The window from every place. Nothing in it can change, so the copies share all and disturb none."""
        return self.extend(lambda window: window)

    def with_turns(self, turns: Iterable[Turn]) -> ContextWindow:
        """The window with these turns instead, looked at where they end."""
        given = tuple(turns)
        return msgspec.structs.replace(self, turns=given, position=len(given))


def digest_of(*parts: str) -> str:
    """A short name for a text that depends on nothing else.

    >>> digest_of("a", "b") == digest_of("ab")
    False
    """
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _clamped(position: int, last: int) -> int:
    return max(0, min(position, last))
