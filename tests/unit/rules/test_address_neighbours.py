"""Cells beside each other: both agree, as many as there should be, the same always."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from foveal.rules.addresses import adjoining, shared


@given(st.text("012", min_size=1, max_size=9))
def test_neighbours_are_neighbours_of_each_other(digits: str) -> None:
    beside = adjoining(digits)
    assert len(set(beside)) == len(beside) == (2 if len(set(digits)) == 1 else 3)
    for one in beside:
        assert len(one) == len(digits)
        assert one != digits
        assert digits in adjoining(one)


def test_every_cell_can_be_reached_from_every_other() -> None:
    cells = {"".join(one) for one in product("012", repeat=5)}
    reached, waiting = {"00000"}, ["00000"]
    while waiting:
        for one in adjoining(waiting.pop()):
            if one not in reached:
                reached.add(one)
                waiting.append(one)
    assert reached == cells


@given(st.text("012", max_size=9), st.text("012", max_size=9))
def test_what_is_shared_is_a_prefix_of_both(a: str, b: str) -> None:
    count = shared(a, b)
    assert a[:count] == b[:count]
    assert count == min(len(a), len(b)) or a[count] != b[count]
