"""Long texts are cut into pieces without losing a word."""

from hypothesis import given
from hypothesis import strategies as st

from foveal.rules.splitting import chunks, gist, sentences

TEXTS = st.text(st.sampled_from("ab .!?\n。é東"), max_size=400)


@given(TEXTS, st.integers(5, 80))
def test_pieces_are_short_and_lose_no_character_but_white_space(text: str, size: int) -> None:
    pieces = chunks(text, size)
    assert all(len(piece) <= size for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@given(TEXTS)
def test_sentences_lose_no_character_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(TEXTS, st.integers(20, 100))
def test_a_gist_is_short_and_marked_when_something_is_missing(text: str, limit: int) -> None:
    short = gist(text, limit)
    assert len(short) <= limit
    assert short == " ".join(text.split()) or short.endswith("…")


def test_a_word_longer_than_a_piece_is_cut() -> None:
    assert chunks("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
