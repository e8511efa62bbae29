"""A pulse tells how an agent is doing, and whether it runs in circles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import Invalid
from foveal.model.crystal import Call, ContextWindow, Role
from foveal.rules.windows import Pulse, Spoken, appended, erratic, parsed_pulse, pulse_of, repeats

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def _pulse(actions: list[str], room: int = 10_000, gaps: list[int] | None = None) -> Pulse:
    moments = [NOON + timedelta(seconds=sum((gaps or [1] * 99)[:n])) for n in range(len(actions))]
    said = [
        Spoken(role=Role.ASSISTANT, content="", calls=(Call(id=str(n), name=one),), timestamp=moment)
        for n, (one, moment) in enumerate(zip(actions, moments, strict=True))
    ]
    return pulse_of(appended(ContextWindow(max_tokens=room), said, len), agent="/a|b", now=NOON, phase="work")


def test_a_pulse_is_one_line_that_reads_back() -> None:
    pulse = _pulse(["ls", "cat"])
    line = f"PULSE|agent=/a/b|pressure=0.00|phase=work|hash={pulse.hash}|turns=2|ts=2026-01-05T12:00:00+00:00"
    assert str(pulse) == line
    assert str(parsed_pulse(line)) == line
    for wrong in ("", "PULSE|agent=x", line.replace("PULSE", "NOISE"), line.replace("0.00", "full")):
        with pytest.raises(Invalid):
            parsed_pulse(wrong)


@pytest.mark.parametrize(
    ("actions", "level"),
    [
        (["ls", "cat", "rm"], "ok"),
        (["ls", "ls"], "ok"),
        (["a", "ls", "ls", "ls"], "warning"),
        (["ls", "cat"] * 3, "warning"),
        (["ls"] * 5, "critical"),
        (["a", "b", "c", "d"] * 5, "critical"),
        ([], "ok"),
    ],
)
def test_loops_are_found(actions: list[str], level: str) -> None:
    assert _pulse(actions).level == level
    assert _pulse(actions).looping is (level != "ok")


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abcd"), min_size=1, max_size=4))
def test_every_cycle_of_up_to_four_is_found_whatever_came_before(before: list[str], cycle: list[str]) -> None:
    assert repeats([*before, *cycle * 3]) >= 3


def test_pressure_and_bursts_are_told() -> None:
    assert _pulse(["ls"], room=8).level == "warning"
    assert _pulse(["ls"], room=6).level == "critical"
    bursts = [1, 1, 1, 1, 1, 1, 500, 1, 1]
    assert erratic([NOON + timedelta(seconds=sum(bursts[:n])) for n in range(9)])
    assert not erratic([NOON] * 9)
    assert not erratic([NOON, NOON + timedelta(seconds=900)])
