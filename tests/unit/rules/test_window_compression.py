"""Compression, over and over, loses nothing that is PRESERVED and no REQUIRED statement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.model.crystal import ContextWindow, Form, Grade, Role
from foveal.model.record import Linearity
from foveal.rules.summaries import remembering, statements, summary
from foveal.rules.windows import Means, Spoken, appended, compressed, focused, grade_of, promoted, threshold

MEANS = Means(lambda text: len(text) // 4 + 1, summary, lambda turns: "somewhere")

_WORDS = st.lists(
    st.sampled_from("red blue ship 42 Oslo never opens the gate at nine".split()), min_size=3, max_size=9
)
_FILLER = _WORDS.map(lambda words: " ".join(words).capitalize() + ". ")
_DECISION = _WORDS.map(lambda words: f"Decision: {' '.join(words)} because it holds. ")


@st.composite
def threads(draw: st.DrawFn) -> list[Spoken]:
    said: list[Spoken] = []
    for _ in range(draw(st.integers(1, 12))):
        role = draw(st.sampled_from([Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.SYSTEM]))
        parts = draw(st.lists(_FILLER, min_size=1, max_size=25))
        if role in (Role.ASSISTANT, Role.SYSTEM) and draw(st.booleans()):
            parts.insert(draw(st.integers(0, len(parts))), draw(_DECISION))
        if draw(st.integers(0, 9)) == 0:
            parts.insert(0, "[FOCUS:error] ")
        said.append(Spoken(role=role, content="".join(parts)))
    return said


def _kept(window: ContextWindow) -> tuple[list[str], list[str]]:
    verbatim = [turn.content for turn in window.turns if turn.linearity is Linearity.PRESERVED]
    required = [turn for turn in window.turns if turn.linearity is Linearity.REQUIRED]
    return verbatim, [one for turn in required for one in statements(turn.content)]


@given(threads(), st.integers(20, 400), st.lists(st.floats(0, 0.9), min_size=1, max_size=5))
def test_preserved_and_decisions_survive_any_number_of_compressions(
    said: list[Spoken], room: int, targets: list[float]
) -> None:
    window = appended(ContextWindow(max_tokens=room), said, MEANS.count)
    verbatim, decided = _kept(window)
    for number, target in enumerate(targets):
        done = compressed(window, MEANS, above=target, target=target)
        assert done.after <= done.before
        window = appended(done.window, [Spoken(role=Role.ASSISTANT, content=f"Step {number}.")], MEANS.count)
        assert _kept(window)[0] == verbatim
        stated = "\n".join(turn.content for turn in window.turns)
        assert all(one in stated for one in decided)


@given(threads(), st.integers(50, 400))
def test_what_was_compressed_and_fits_is_left_alone(said: list[Spoken], room: int) -> None:
    window = appended(ContextWindow(max_tokens=room), said, MEANS.count)
    done = compressed(window, MEANS)
    assert done.window == window or done.window.compressions == 1
    if done.reached:
        assert compressed(done.window, MEANS).window == done.window


def _long(role: Role, text: str, times: int = 60) -> Spoken:
    return Spoken(role=role, content=f"{text} " * times)


def test_observations_are_masked_first_and_the_last_stays() -> None:
    said = [
        _long(Role.ASSISTANT, "Thinking aloud."),
        _long(Role.TOOL, "rows", 200),
        _long(Role.TOOL, "rows and more"),
    ]
    window = appended(ContextWindow(max_tokens=1000), said, MEANS.count)
    done = compressed(window, MEANS)
    assert done.masked == (window.turns[1].id,)
    assert done.window.turns[1].content.startswith("[masked: tool turn 2, ")
    assert done.window.turns[1].content.endswith("get it back: somewhere]")
    assert done.window.turns[2] == window.turns[2]


def test_what_cannot_be_got_back_does_not_go() -> None:
    said = [_long(Role.TOOL, "rows"), _long(Role.TOOL, "more")]
    window = appended(ContextWindow(max_tokens=50), said, MEANS.count)
    done = compressed(window, Means(MEANS.count, summary, lambda turns: None))
    assert done.window == window
    assert not done.reached


def test_a_fold_goes_on_from_the_one_before() -> None:
    said = [Spoken(role=Role.OTHER, content=f"Boat {n} left Oslo at {n} sharp.") for n in range(60)]
    window = appended(ContextWindow(max_tokens=300), said, MEANS.count)
    once = compressed(window, MEANS).window
    assert once.turns[0].form is Form.FOLDED
    more = appended(once, said[:30], MEANS.count)
    twice = compressed(more, MEANS).window
    assert [turn.form for turn in twice.turns].count(Form.FOLDED) == 1
    assert twice.turns[0].metadata["first"] == 1
    assert set(once.turns[0].covers) < set(twice.turns[0].covers)
    assert "Boat" in twice.turns[0].content.partition("\n")[2]


def test_a_full_window_of_preserved_turns_says_that_it_cannot_shrink() -> None:
    window = appended(ContextWindow(max_tokens=50), [_long(Role.USER, "Keep this.")], MEANS.count)
    done = compressed(window, MEANS)
    assert (done.window, done.reached, done.saved) == (window, False, 0)


@pytest.mark.parametrize(
    ("progress", "errors", "looping", "expected"),
    [(None, 0, False, 0.7), (0.1, 0, False, 0.8), (0.9, 0, False, 0.6), (0.5, 1, False, 0.85), (0.9, 0, True, 0.5)],
)
def test_the_threshold_adapts(progress: float | None, errors: float, looping: bool, expected: float) -> None:
    assert abs(threshold(progress, errors, looping=looping) - expected) < 1e-9
    assert threshold(0.1, 1) == 0.95


@pytest.mark.parametrize(
    ("role", "text", "expected"),
    [
        (Role.USER, "hello", Linearity.PRESERVED),
        (Role.SYSTEM, "Be brief.", Linearity.REQUIRED),
        (Role.ASSISTANT, "Hm.", Linearity.DROPPABLE),
        (Role.ASSISTANT, "Therefore we stay.", Linearity.REQUIRED),
        (Role.ASSISTANT, "```code```", Linearity.PRESERVED),
        (Role.TOOL, "You must log in because of it.", Linearity.DROPPABLE),
        (Role.TOOL, "CRITICAL: disk full", Linearity.PRESERVED),
        (Role.TOOL, "[focus: disk] 99 %", Linearity.PRESERVED),
    ],
)
def test_turns_are_classed_by_role_markers_and_focus(role: Role, text: str, expected: Linearity) -> None:
    assert grade_of(role, text).linearity is expected


def test_promotion_goes_up_only_and_says_why() -> None:
    low = Grade(rationale="role tool")
    high = promoted(low, Linearity.PRESERVED, "the user asked")
    assert high.rationale == "role tool -> preserved: the user asked"
    assert promoted(high, Linearity.REQUIRED, "no") is high
    window = appended(ContextWindow(), [Spoken(role=Role.TOOL, content="Port 8080 is taken.")], len)
    turn = focused(window.turns[0], ["port 8080"])
    assert (turn.linearity, turn.grade.hint) == (Linearity.PRESERVED, "port 8080")
    assert focused(turn, ["nothing"]) is turn


def test_a_heading_takes_its_list_along() -> None:
    text = "We met.\nDecision:\n- use SQLite\n- one file\nThen we left."
    assert statements(text) == ["Decision:", "- use SQLite", "- one file"]


def test_a_summary_of_the_same_texts_is_made_once() -> None:
    asked: list[int] = []

    def summarise(texts: object, budget: int, count: object) -> str:
        asked.append(budget)
        return f"about {budget}"

    again = remembering(summarise, size=2)
    made = [again(["a"], budget, len) for budget in (1, 1, 2, 3, 1)]
    assert made == ["about 1", "about 1", "about 2", "about 3", "about 1"]
    assert asked == [1, 2, 3, 1]
