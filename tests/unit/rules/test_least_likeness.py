"""What keeps phrases apart: names, numbers, negations, persons, tenses, questions, and the words themselves."""

from collections.abc import Sequence

from bench.pairs import SAME, told, written
from hypothesis import given
from hypothesis import strategies as st

from foveal.rules.duplicates import interchangeable
from foveal.rules.glyphs import LIKE, NEVER, kindred, least_likeness

WORDS = st.sampled_from(
    """the a my your her i you she we two three seven not never no in under before blue green door boat walnuts
    allergic paint sail lives lived will can Ada Hugo Porto 12 13 please really and but what where""".split()
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)


def test_pairs_that_differ_are_kept_apart_and_enough_that_say_the_same_are_not() -> None:
    found = {kind: told(kind, pairs) for kind, pairs in written().items()}
    right = found.pop(SAME)
    assert right.share >= 0.3
    wrong = sum(one.together for one in found.values())
    assert right.together / (right.together + wrong) >= 0.95
    assert wrong <= 0.05 * sum(one.pairs for one in found.values())
    assert {"name", "number", "negation", "language"} <= {kind for kind, one in found.items() if one.share <= 0.05}


@given(SENTENCES, SENTENCES)
def test_it_does_not_matter_which_of_two_is_asked_about_the_other(one: str, other: str) -> None:
    assert interchangeable(one, other) == interchangeable(other, one)
    assert least_likeness(one, other) == least_likeness(other, one)
    assert least_likeness(one, one) == LIKE


@given(SENTENCES, st.sampled_from(["not", "never", "12", "three", "Zelda", "walnuts cashews peanuts pecans"]))
def test_what_has_another_number_name_or_negation_is_something_else(sentence: str, more: str) -> None:
    kept = f"our old harbour {sentence}"
    if not set(more.split()) & set(sentence.split()) and not ({"not", "never", "no"} & {more, *sentence.split()}):
        assert least_likeness(f"{kept} today", f"{kept} {more}") == NEVER


@given(
    st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40),
    st.lists(st.integers(1, 9), min_size=13),
)
def test_in_a_family_everyone_is_like_everyone(pairs: set[tuple[int, int]], uses: Sequence[int]) -> None:
    alike = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    groups = kindred([pair for pair in sorted(pairs) if pair[0] != pair[1]], uses)
    members = [member for group in groups for member in group]
    assert len(members) == len(set(members))
    for group in groups:
        assert len(group) > 1
        assert all(frozenset((one, other)) in alike for one in group for other in group if one < other)
    assert {member for pair in alike for member in pair} >= set(members)
