"""Summaries are made of words that were said, and stay within their limit."""

from hypothesis import given
from hypothesis import strategies as st

from foveal.model.glyph import Mention
from foveal.rules.summaries import joined, outermost

TEXTS = st.lists(st.text("abc def. ,", min_size=1, max_size=80), max_size=12)


@given(TEXTS, st.integers(40, 400))
def test_texts_side_by_side_stay_within_the_limit(texts: list[str], limit: int) -> None:
    assert len(joined(texts, limit)) <= limit


def test_a_phrase_inside_another_is_not_shown_beside_it() -> None:
    spans = [(0, 20), (3, 9), (9, 20), (22, 30)]
    mentions = [Mention(start=start, end=end, text="") for start, end in spans]
    assert [(one.start, one.end) for one in outermost(mentions)] == [(0, 20), (22, 30)]
