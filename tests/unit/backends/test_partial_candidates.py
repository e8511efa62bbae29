"""A glimpse of a few records is the frame that a look at all of them gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from foveal.backends.index import (
    HOLDER,
    NONE,
    PIECES,
    ActorIndex,
    Packed,
    Totals,
    Unpacked,
    gathered,
    held,
    largest,
    lengths,
    packed,
    partial_candidates,
    scored,
)
from foveal.model.search import CandidateTable, IndexQuery
from foveal.rules.recall.index import code, codes, index_entry
from foveal.testing.builders import record_of

WORDS = ["tea", "boat", "red", "oslo", "choir", "rain"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=3, max_size=30)


def _pieces(text: str) -> list[int]:
    return [code(word) % 50_000 for word in text.split()]


def _rows(texts: list[str]) -> list[tuple[int, tuple[str, str, str], Packed]]:
    records = [record_of(text, speaker="Ada" if number % 3 else "Ben") for number, text in enumerate(texts)]
    return [
        (10 + 3 * number, (one.id, one.node, one.scope.value), packed(index_entry(one, _pieces)))
        for number, one in enumerate(records)
    ]


def _mirror(rows: list[tuple[int, tuple[str, str, str], Packed]]) -> ActorIndex:
    mirror = ActorIndex(4)
    keys, owners, traces = zip(*rows, strict=True)
    mirror.add(list(keys), list(owners), list(traces), [None] * len(rows), [""] * len(rows))
    return mirror


def _same(one: CandidateTable, other: CandidateTable) -> None:
    assert list(one.ids) == list(other.ids)
    for name in ("near", "looked", "factors", "term_holders", "piece_holders", "records", "mean_length"):
        assert np.allclose(getattr(one, name), getattr(other, name)), name
    for name in ("times", "lengths", "words", "traits", "cosine"):
        assert np.allclose(getattr(one, name), getattr(other, name), atol=1e-5), name
    assert [[*one.speakers, ""][who] for who in one.speaker] == [
        [*other.speakers, ""][who] for who in other.speaker
    ]
    places = np.arange(len(one.lengths))
    assert one.pieces.at(places)[1].tolist() == other.pieces.at(places)[1].tolist()


@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True), st.data())
@settings(max_examples=50)
def test_a_glimpse_of_some_is_the_frame_that_all_would_give(
    texts: list[str], asked: list[str], data: st.DataObject
) -> None:
    rows = _rows(texts)
    image = _mirror(rows).image
    pieces = np.array(sorted({_pieces(word)[0] for word in asked}), np.uint16)
    probe = IndexQuery(terms=codes(asked), factors=np.ones(len(asked), np.float32), pieces=pieces, vector=None)
    reading = image.read(probe)
    some = data.draw(st.sets(st.integers(0, len(texts) - 1), min_size=1))
    picked = np.array(sorted(some), np.int64)
    near = image.near(picked)
    whole = image.frame(reading, probe, picked, near)
    every = np.union1d(picked, near[near != NONE])
    few = _mirror([rows[place] for place in every.tolist()]).image
    totals = Totals(
        records=len(image),
        mean_length=image.mean_length,
        looked=reading.looked,
        term_holders=whole.term_holders,
        piece_holders=whole.piece_holders,
        cosine_mean=0.0,
        cosine_spread=0.0,
    )
    close = np.where(near == NONE, NONE, np.searchsorted(every, near))
    nothing = np.zeros(len(every), np.float32)
    part = partial_candidates(few, probe, totals, rows=np.searchsorted(every, picked), near=close, cosine=nothing)
    _same(part, whole)


@given(TEXTS, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True))
@settings(max_examples=50)
def test_blocks_score_words_as_a_mirror_does(texts: list[str], asked: list[str]) -> None:
    rows = _rows(texts)
    image = _mirror(rows).image
    keys, traces = np.array([row[0] for row in rows]), Unpacked([row[2] for row in rows])
    probe = IndexQuery(
        terms=codes(asked), factors=np.ones(len(asked), np.float32), pieces=np.empty(0, np.uint16), vector=None
    )
    found = held(keys, traces, probe.terms)
    holders = [found.get(term, np.empty(0, HOLDER)) for term in probe.terms.tolist()]
    counts = np.array([len(one) for one in holders], np.float32)
    mean = float(lengths(traces).mean())
    seqs, scores = scored(holders, counts, probe.factors, records=len(rows), mean_length=mean)
    words = image.read(probe).words
    assert np.allclose(words[np.searchsorted(keys, seqs)], scores, atol=1e-5)
    assert len(seqs) == np.count_nonzero(words)
    best = seqs[largest(scores, 5)]
    assert scores[np.searchsorted(seqs, best)].tolist() == sorted(scores.tolist(), reverse=True)[: len(best)]


def test_pieces_are_counted_and_not_listed() -> None:
    rows = _rows(["tea tea", "tea rain"])
    found = {one.key: one for one in gathered(np.array([3, 9]), Unpacked([row[2] for row in rows]))}
    assert found[PIECES + _pieces("tea")[0]].holders == 2
    assert found[PIECES + _pieces("tea")[0]].block == b""
    [first, second] = np.frombuffer(found[code("tea")].block, HOLDER).tolist()
    assert (first, second) == ((3, 2, 2), (9, 1, 2))
