"""Addresses are places: they round-trip, and no two places share a string."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import InvalidAddress
from foveal.model.ids import Address

NAMES = st.text(st.characters(exclude_characters="/#", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
ADDRESSES = st.builds(
    Address,
    world=NAMES,
    region=NAMES,
    digits=st.text("012", max_size=9),
    depth=st.integers(0, 2),
    time_slice=st.integers(0, 10**9),
    tape=st.integers(0, 99),
)


@given(ADDRESSES)
def test_an_address_is_what_its_string_says(address: Address) -> None:
    assert Address.parse(str(address)) == address


@given(ADDRESSES, ADDRESSES)
def test_two_places_never_share_a_string(a: Address, b: Address) -> None:
    assert (a == b) == (str(a) == str(b))


def test_the_length_of_the_digits_is_kept() -> None:
    places = [Address(world="w", region="r", digits=digits) for digits in ("", "0", "00", "10", "1")]
    assert len({str(place) for place in places}) == 5
    assert [Address.parse(str(place)).digits for place in places] == ["", "0", "00", "10", "1"]


@pytest.mark.parametrize(
    "text", ["", "w/r", "w#0@d0t0", "/r#0@d0t0", "w/r#3@d0t0", "w/r#0@d0", "w/r#0@d0t-1", "w/r#0@d0t0~v", "x" * 500]
)
def test_anything_else_is_not_an_address(text: str) -> None:
    with pytest.raises(InvalidAddress) as caught:
        Address.parse(text)
    assert len(caught.value.message) < 200
