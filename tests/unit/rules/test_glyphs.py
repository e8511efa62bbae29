"""Glyphs: a code without gaps or collisions, shortest for the lowest numbers."""

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import Invalid
from foveal.rules.glyphs import ALPHABET, FAMILIES, LONGEST, SIZE, glyph, is_glyph, number

NUMBERS = st.one_of(
    st.integers(0, FAMILIES - 1), st.integers(0, 3 * SIZE), st.integers(SIZE**2, SIZE**2 + 2 * SIZE)
)


@given(NUMBERS)
def test_a_glyph_is_read_back_as_its_number(one: int) -> None:
    assert number(glyph(one)) == one
    assert is_glyph(glyph(one))
    assert 1 <= len(glyph(one)) <= LONGEST


@given(st.text(ALPHABET, min_size=1, max_size=LONGEST))
def test_every_word_of_the_alphabet_is_a_glyph(word: str) -> None:
    assert glyph(number(word)) == word


@given(NUMBERS, NUMBERS)
def test_a_lower_number_never_has_a_longer_glyph(a: int, b: int) -> None:
    low, high = sorted((a, b))
    assert len(glyph(low)) <= len(glyph(high))
    assert (glyph(low) == glyph(high)) == (low == high)


def test_the_alphabet_is_fixed_and_no_normal_form_changes_it() -> None:
    assert (SIZE, len(set(ALPHABET)), ALPHABET[:4]) == (3000, 3000, "亍丌兀丐")
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert unicodedata.normalize(form, ALPHABET) == ALPHABET
    assert all(unicodedata.name(sign).startswith("CJK UNIFIED") for sign in ALPHABET)
    common = "的一是不了人我在有他这为之大来以个中上们"
    assert not set(common) & set(ALPHABET)


def test_the_code_is_the_same_in_another_process() -> None:
    numbers = [0, 1, 2999, 3000, 3001, 9_002_999, 9_003_000, FAMILIES - 1]
    script = f"from foveal.rules.glyphs import glyph; print(*[glyph(n).encode().hex() for n in {numbers}])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [glyph(one).encode().hex() for one in numbers]


@pytest.mark.parametrize("text", ["", "tea", "亍a", "亍" * 5, "的"])
def test_anything_else_is_not_a_glyph(text: str) -> None:
    with pytest.raises(Invalid):
        number(text)


@pytest.mark.parametrize("one", [-1, FAMILIES])
def test_there_is_no_glyph_beyond_the_last(one: int) -> None:
    with pytest.raises(Invalid):
        glyph(one)
