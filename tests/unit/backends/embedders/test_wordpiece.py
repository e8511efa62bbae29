"""What a caller may rely on when text is split into word pieces."""

import pytest

from foveal.backends.models.static import WordPiece, words

VOCABULARY = ["un", "##seen", "the", "cafe", "猫", "!", "$", "5", "##th"]


def wordpiece() -> WordPiece:
    return WordPiece(VOCABULARY, unknown=lambda word: -len(word))


def test_a_long_word_is_made_of_its_longest_pieces() -> None:
    assert wordpiece().ids("unseen") == [0, 1]


def test_a_word_no_piece_can_make_is_handed_to_the_caller() -> None:
    assert wordpiece().ids("the zebra") == [2, -5]


def test_half_a_match_is_no_match() -> None:
    assert wordpiece().ids("unfit") == [-5]


def test_a_word_without_end_is_unknown_rather_than_slow() -> None:
    assert wordpiece().ids("un" * 100_000) == [-200_000]


@pytest.mark.parametrize("text", ["CAFÉ", "cafe\u0301", "Cafe\u200d", "c\u00e0f\u00e9\x00"])
def test_case_accents_and_invisible_characters_do_not_matter(text: str) -> None:
    assert wordpiece().ids(text) == [3]


def test_signs_and_ideographs_are_words_of_their_own() -> None:
    assert wordpiece().ids("the猫!$5th") == [2, 4, 5, 6, 7, 8]


def test_kana_and_hangul_keep_their_words() -> None:
    assert len(words("ひらがな")) == 1
    assert len(words("한국어 문장")) == 2


def test_a_capital_sigma_folds_alike_wherever_it_stands() -> None:
    assert words("ΟΔΟΣ") == ["οδοσ"]


def test_a_word_met_again_gives_the_same_ids() -> None:
    tokenizer = wordpiece()
    assert tokenizer.ids("unseen zebra") == tokenizer.ids("unseen zebra")


@pytest.mark.parametrize("text", ["", " ", "\t\r\n", "\u200b\u00a0", "\x00"])
def test_a_text_without_words_has_no_ids(text: str) -> None:
    assert wordpiece().ids(text) == []
