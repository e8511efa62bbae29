"""Traces as a store keeps them, for this release and for the one before it."""

import numpy as np

from foveal.backends.index import Unpacked, current, packed
from foveal.model.search import PASSAGE, Trait
from foveal.rules.recall.index import code, index_entry
from foveal.testing.builders import record_of

LONG = "We painted the boat shed red before the summer regatta in Oslo. " * 12


def _pieces(text: str) -> list[int]:
    return [code(word) % 50_000 for word in text.split()]


def test_the_columns_of_earlier_releases_hold_what_they_held() -> None:
    trace = index_entry(record_of(LONG + "Who paints it next year?"), _pieces)
    assert PASSAGE in trace.pieces
    stored = packed(trace)
    pieces = np.frombuffer(stored.pieces, "<u2")
    assert sorted(set(trace.pieces.tolist()) - {PASSAGE}) == pieces.tolist()
    assert stored.flags == trace.traits & (Trait.ASKS | Trait.ENDS_ASKING | Trait.TELLS_TIME)
    assert stored.flags & Trait.ENDS_ASKING
    assert Unpacked([stored]).pieces.tolist() == trace.pieces.tolist()
    assert Unpacked([stored]).traits.tolist() == [trace.traits]


def test_a_text_of_one_passage_is_stored_once() -> None:
    stored = packed(index_entry(record_of("The boat shed is red."), _pieces))
    assert stored.passages is None
    assert len(Unpacked([stored]).pieces) == 5


def test_what_an_earlier_release_wrote_gets_its_traits_from_its_text() -> None:
    record = record_of("Noted, will do.", source="assistant")
    today = packed(index_entry(record, _pieces))
    earlier = (*today[:-2], None, None)
    assert current([*earlier, record.text, record.source]) == today
    assert Trait(today.traits or 0) & Trait.ACKNOWLEDGES
