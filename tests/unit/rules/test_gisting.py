"""Summaries are made of words that were said, and stay within their limit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foveal.model.glyph import Mention
from foveal.rules.clustering import rounded
from foveal.rules.gisting import central, joined, key_phrases, outermost, summary

TEXTS = st.lists(st.text("abc def. ,", min_size=1, max_size=80), max_size=12)


@given(st.text("abcdefg hij. ,", max_size=300), st.integers(1, 6))
def test_key_phrases_stand_in_the_text_and_do_not_overlap(text: str, count: int) -> None:
    found = key_phrases(text, count)
    assert len(found) <= count
    place = 0
    for one in found:
        assert one in text
        place = text.index(one, place) + len(one)


@given(TEXTS, st.integers(40, 400))
def test_texts_side_by_side_stay_within_the_limit(texts: list[str], limit: int) -> None:
    assert len(joined(texts, limit)) <= limit


def test_the_summary_of_many_is_the_most_central_and_not_the_same_twice() -> None:
    chance = np.random.default_rng(0)
    rows = chance.standard_normal(16) + 0.5 * chance.standard_normal((20, 16))
    rows[0] = rows.mean(axis=0)
    points = rounded((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32))
    chosen = central(points, 3)
    assert chosen[0] == 0
    assert len(set(chosen)) == 3
    assert "text 0" in summary([f"text {n}" for n in range(20)], points)
    assert central(points[:0], 3) == []
    assert summary([], points[:0]) == ""


def test_a_phrase_inside_another_is_not_shown_beside_it() -> None:
    spans = [(0, 20), (3, 9), (9, 20), (22, 30)]
    mentions = [Mention(start=start, end=end, text="") for start, end in spans]
    assert [(one.start, one.end) for one in outermost(mentions)] == [(0, 20), (22, 30)]
