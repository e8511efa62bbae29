"""The stream of the tape gives back exactly what went in, whatever it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import Invalid
from foveal.rules.glyphs import ALPHABET, ESCAPE, FAMILIES, LOSSY, MEMBERS, Sign, covered, density, parts, stream

SPECIAL = ALPHABET[:20] + MEMBERS[:9] + LOSSY + ESCAPE
TEXT = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(SPECIAL)), min_size=1, max_size=30
)
SIGNS = st.builds(
    Sign,
    st.one_of(st.integers(0, 4000), st.integers(0, FAMILIES - 1)),
    st.one_of(st.none(), st.integers(0, 70_000)),
)


@given(st.lists(st.one_of(TEXT, SIGNS), max_size=12))
def test_a_stream_is_read_back_part_by_part(given_parts: list[str | Sign]) -> None:
    merged: list[str | Sign] = []
    for part in given_parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    assert parts(stream(given_parts)) == merged
    assert 0 <= density(merged) <= 1


@given(TEXT)
def test_plain_text_is_its_own_stream_unless_it_looks_like_signs(text: str) -> None:
    written = stream([text])
    assert parts(written) == [text]
    if not set(text) & set(ALPHABET + MEMBERS + LOSSY + ESCAPE):
        assert written == text


@given(st.text(SPECIAL + "ab ", max_size=20))
def test_any_string_is_a_stream_or_refused(text: str) -> None:
    try:
        found = parts(text)
    except Invalid:
        return
    assert parts(stream(found)) == found


@pytest.mark.parametrize("text", ["亍", "⠁", "亍亍亍亍亍⠁", ESCAPE, LOSSY, "a亍b"])
def test_half_a_sign_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parts(text)


def test_the_lossy_form_is_marked_in_the_stream() -> None:
    assert stream([Sign(0, None)]) == "亍" + LOSSY
    assert stream([Sign(0, 0)]) == "亍⠁"


@given(st.text("ab ", max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12), SIGNS), max_size=6))
def test_covering_a_text_loses_nothing_of_the_rest(text: str, spans: list[tuple[int, int, Sign]]) -> None:
    inside = [(start, start + length, sign) for start, length, sign in spans if start + length <= len(text)]
    made = covered(text, inside)
    place = 0
    for part in made:
        if isinstance(part, str):
            assert text.startswith(part, place)
            place += len(part)
        else:
            place = next(end for start, end, sign in inside if start == place and sign is part)
    assert place == len(text)
