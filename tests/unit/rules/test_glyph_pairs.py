"""Families keep apart what differs and join what is said again, on pairs that were written for it."""

from pathlib import Path

import pytest
from bench.pairs import HELD_OUT, PAIRS, SAME, all_told, precision


@pytest.mark.parametrize("path", [PAIRS, HELD_OUT], ids=["fitted", "held out"])
def test_what_differs_shares_no_family_and_a_third_of_what_is_said_again_does(path: Path) -> None:
    rows = {row.kind: row for row in all_told(None, path)}
    assert precision(list(rows.values())) >= 0.95
    assert rows[SAME].share >= 0.3
    assert rows["all that differ"].share <= 0.02
