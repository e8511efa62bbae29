"""Long texts are cut into pieces without losing a word."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.rules.text import chunks, gist, sentences

# What a sentence is, as one pattern; it takes too long for long runs of marks.
SENTENCE = re.compile(r".+?(?:[.!?…。！？।]+[\"'”’)\]]*(?=\s|$)|[。！？।]+|\n+|$)", re.DOTALL)
TEXTS = st.text(st.sampled_from("ab .!?\n。é東"), max_size=400)


@given(TEXTS, st.integers(5, 80))
def test_pieces_are_short_and_lose_no_character_but_white_space(text: str, size: int) -> None:
    pieces = chunks(text, size)
    assert all(len(piece) <= size for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@given(TEXTS)
def test_sentences_lose_no_character_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text(st.sampled_from('ab .!?…\n。！é東")]'), max_size=40))
def test_sentences_end_where_the_pattern_ends_them(text: str) -> None:
    assert sentences(text) == [found.strip() for found in SENTENCE.findall(text) if found.strip()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He said “No.” Then he left.", ["He said “No.”", "Then he left."]),
        ("Version 3.11 is out... Really?! Yes", ["Version 3.11 is out...", "Really?!", "Yes"]),
        ("下雨了。我们回家！好吗？", ["下雨了。", "我们回家！", "好吗？"]),
        ("one line\n\nanother. ", ["one line", "another."]),
        ("", []),
    ],
)
def test_sentences_of_ordinary_text(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@given(TEXTS, st.integers(20, 100))
def test_a_gist_is_short_and_marked_when_something_is_missing(text: str, limit: int) -> None:
    short = gist(text, limit)
    assert len(short) <= limit
    assert short == " ".join(text.split()) or short.endswith("…")


def test_a_word_longer_than_a_piece_is_cut() -> None:
    assert chunks("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
