"""How an agent is doing, told from its window without asking a model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import fmean, pstdev
from typing import Literal

from msgspec import Struct

from foveal.errors import Invalid
from foveal.model.crystal import ContextWindow, Role, digest_of

Level = Literal["ok", "warning", "critical"]

LOOP = (3, 5)
PRESSURE = (0.7, 0.9)
FEWEST_INTERVALS = 5
_LONGEST_CYCLE = 4


class Pulse(Struct, frozen=True, kw_only=True):
    """The health of a window in one line that costs no token.

    `repeats` is how often the agent has done the same thing in a row, alone or in a short cycle.
    """

    agent: str
    pressure: float
    phase: str
    hash: str
    turns: int
    ts: datetime
    repeats: int = 1
    erratic: bool = False

    @property
    def level(self) -> Level:
        """The worst of what it tells."""
        worst = max(_rank(self.repeats, LOOP), _rank(self.pressure, PRESSURE), int(self.erratic))
        return ("ok", "warning", "critical")[worst]

    @property
    def looping(self) -> bool:
        """Whether the agent does the same over and over."""
        return self.repeats >= LOOP[0]

    def __str__(self) -> str:
        return (
            f"PULSE|agent={self.agent}|pressure={self.pressure:.2f}|phase={self.phase}|hash={self.hash}"
            f"|turns={self.turns}|ts={self.ts.isoformat()}"
        )


def pulse_of(window: ContextWindow, *, agent: str, now: datetime, phase: str = "") -> Pulse:
    """The pulse of a window: its pressure, what the agent did last, and whether it does only that."""
    done = actions(window)
    moments = [turn.timestamp for turn in window.turns if turn.timestamp is not None]
    return Pulse(
        agent=agent.replace("|", "/"),
        pressure=window.pressure,
        phase=(phase or "active").replace("|", "/"),
        hash=(done[-1] if done else digest_of(""))[:8],
        turns=len(window.turns),
        ts=now,
        repeats=repeats(done),
        erratic=erratic(moments),
    )


def parsed_pulse(line: str) -> Pulse:
    """The pulse that a line tells.

    >>> parsed_pulse("PULSE|agent=/|pressure=0.45|phase=work|hash=0a1b2c3d|turns=9|ts=2026-01-05T12:00Z").turns
    9
    """
    head, *parts = line.strip().split("|")
    told = {name: value for name, _, value in (part.partition("=") for part in parts)}
    try:
        if head != "PULSE":
            raise ValueError(head)
        return Pulse(
            agent=told["agent"],
            pressure=float(told["pressure"]),
            phase=told["phase"],
            hash=told["hash"],
            turns=int(told["turns"]),
            ts=datetime.fromisoformat(told["ts"]),
        )
    except (KeyError, ValueError):
        raise Invalid(f"{line[:80]!r} is not a pulse") from None


def actions(window: ContextWindow) -> list[str]:
    """What the agent said and called, turn by turn, as digests; the ids of calls do not count."""
    return [
        digest_of(turn.content, *(part for call in turn.calls for part in (call.name, call.arguments)))
        for turn in window.turns
        if turn.role is Role.ASSISTANT
    ]


def repeats(done: Sequence[str]) -> int:
    """How often the end of a row repeats, as one thing or as a cycle of up to four.

    >>> repeats(["a", "b", "b", "b"]), repeats(["x", "a", "b", "a", "b", "a", "b"]), repeats([])
    (3, 3, 1)
    """
    most = 1
    for size in range(1, _LONGEST_CYCLE + 1):
        cycle, times = list(done[-size:]), 0
        while len(cycle) == size and list(done[len(done) - size * (times + 1) : len(done) - size * times]) == cycle:
            times += 1
        most = max(most, times)
    return most


def erratic(moments: Sequence[datetime]) -> bool:
    """Whether the turns come in bursts: the spread of the intervals is wider than their mean."""
    spans = [(b - a).total_seconds() for a, b in zip(moments, moments[1:], strict=False)]
    if len(spans) < FEWEST_INTERVALS or fmean(spans) <= 0:
        return False
    return pstdev(spans) / fmean(spans) > 1


def _rank(value: float, limits: tuple[float, float]) -> int:
    return sum(value >= limit for limit in limits)
