"""Paths are addresses: both ways, for every name, and safe as folders anywhere."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.errors import InvalidAddress
from foveal.model.ids import Address
from foveal.rules.addresses import address_of, escaped, path_of, unescaped

NAMES = st.text(st.characters(exclude_characters="/#", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
ADDRESSES = st.builds(
    Address,
    world=NAMES,
    region=NAMES,
    digits=st.text("012", max_size=9),
    depth=st.integers(0, 2),
    time_slice=st.integers(0, 10**9),
    tape=st.integers(0, 99),
)


@given(ADDRESSES, KEYS)
@example(Address(world="..", region="a/b\\c", digits="0"), "x@d1t2.md")
@example(Address(world="0", region="1", digits=""), "%2F")
def test_a_path_gives_back_its_address_and_key(address: Address, key: str) -> None:
    assert address_of(path_of(address, key)) == (address, key)


@given(ADDRESSES, KEYS, ADDRESSES, KEYS)
def test_two_places_never_share_a_path(a: Address, one: str, b: Address, other: str) -> None:
    assert ((a, one) == (b, other)) == (path_of(a, one) == path_of(b, other))


@given(KEYS)
@example("CON")
@example("nul.txt")
@example(" a ")
@example("e\u0301")
def test_a_name_is_safe_as_a_folder_on_any_system(name: str) -> None:
    folder = escaped(name)
    assert unescaped(folder) == name
    assert folder not in ("", ".", "..")
    assert not re.search(r'[/\\:*?"<>|\x00-\x1f\x7f]', folder)
    assert folder == folder.strip(" .")
    assert unicodedata.normalize("NFC", folder) == folder
    assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", folder)


@pytest.mark.parametrize(
    "path",
    ["", "/", "w/r/k@d2t0.md", "/w/k@d2t0.md", "/w/r/3/k@d2t0.md", "/w/r/k.md", "/w/r/@d2t0.md", "/w/r/k@d2t0.txt",
     "/w/r/k@d02t0.md", "/w/r/k@d2t0~v0.md", "/w//k@d2t0.md", "/w/a%3a/k@d2t0.md", "/w/%FF/k@d2t0.md"],
)  # fmt: skip
def test_any_other_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidAddress):
        address_of(path)
