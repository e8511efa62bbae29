"""A window obeys the laws of a comonad, and nothing that is done to a copy reaches another."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.model.crystal import ContextWindow, Focus, Role, Turn

_TURNS = st.lists(st.text("abc ", max_size=8), max_size=7)


@st.composite
def windows(draw: st.DrawFn) -> ContextWindow:
    texts = draw(_TURNS)
    turns = [
        Turn(id=str(n), number=n, role=Role.USER, content=text, tokens=len(text)) for n, text in enumerate(texts, 1)
    ]
    return ContextWindow(max_tokens=20).with_turns(turns).seek(draw(st.integers(-2, 9)))


def _told(window: ContextWindow) -> tuple[int, str]:
    turn = window.extract()
    return window.position, turn.content if turn else "nothing"


def _widths(focus: Focus[tuple[int, str]]) -> int:
    return sum(len(text) for _, text in focus.values) * 10 + focus.extract()[0]


@given(windows())
def test_extract_of_duplicate_is_the_window(window: ContextWindow) -> None:
    assert window.duplicate().extract() == window


@given(windows())
def test_extract_of_each_duplicate_is_each_turn(window: ContextWindow) -> None:
    seen = window.extend(lambda one: one.extract())
    assert seen.values == (None, *window.turns)
    assert seen.extract() == window.extract()
    assert window.duplicate().extend(lambda one: one.extract().extract()) == seen


@given(windows())
def test_extract_of_extend_is_the_function(window: ContextWindow) -> None:
    assert window.extend(_told).extract() == _told(window)


@given(windows())
def test_extending_twice_is_extending_once_by_both(window: ContextWindow) -> None:
    assert window.extend(_told).extend(_widths) == window.extend(lambda one: _widths(one.extend(_told)))


@given(windows(), st.integers(-3, 12))
def test_seeking_stays_inside_and_changes_only_the_place(window: ContextWindow, place: int) -> None:
    moved = window.seek(place)
    assert 0 <= moved.position <= len(window.turns)
    assert moved.turns == window.turns
    assert window.extend(_told).seek(place).extract() == _told(moved)


@given(windows())
def test_pressure_is_how_full_it_is(window: ContextWindow) -> None:
    assert window.tokens == sum(len(turn.content) for turn in window.turns)
    assert window.pressure == min(1, window.tokens / 20)


def test_a_window_cannot_be_changed() -> None:
    window = ContextWindow()
    with pytest.raises(AttributeError):
        window.position = 1  # pyright: ignore[reportAttributeAccessIssue]
    longer = window.with_turns([Turn(id="a", number=1, role=Role.USER, content="x", tokens=1)])
    assert (len(window.turns), len(longer.turns), longer.position, longer.last_number) == (0, 1, 1, 1)


@given(windows())
def test_a_window_survives_being_written_down(window: ContextWindow) -> None:
    assert msgspec.json.decode(msgspec.json.encode(window), type=ContextWindow) == window
