"""The mirror scores as the plain formulas do, however its records came in."""

import copy
import math
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from foveal.backends.index import ActorIndex, RowFilter, packed, search_index
from foveal.backends.index.columns import ByteMatrix, PieceCounts, largest
from foveal.backends.index.postings import Postings
from foveal.model.query import Viewpoint
from foveal.model.record import Record
from foveal.model.search import CandidateTable, IndexQuery, Trait
from foveal.rules.recall.index import codes, index_entry
from foveal.rules.text import terms
from foveal.testing.builders import record_of, vector_of

RANDOM = np.random.default_rng(3)
START = datetime(2024, 12, 30, tzinfo=UTC)
WORDS = ["apple", "berry", "cherry", "date", "elder", "fig"]


def _pieces(text: str) -> list[int]:
    return [WORDS.index(word) for word in text.split() if word in WORDS]


def _probe(words: list[str], vector: NDArray[np.float32] | None = None) -> IndexQuery:
    ones = np.ones(len(words), np.float32)
    return IndexQuery(terms=codes(words), factors=ones, pieces=np.empty(0, np.uint16), vector=vector)


def _mirror(records: list[Record], batch: int) -> ActorIndex:
    mirror = ActorIndex(16)
    for start in range(0, len(records), batch):
        part = records[start : start + batch]
        vectors = [vector_of(one.text).astype(np.float16).tobytes() for one in part]
        keys = range(start + 1, start + len(part) + 1)
        owners = [(str(key), one.node, one.scope) for key, one in zip(keys, part, strict=True)]
        mirror.add(
            list(keys),
            owners,
            [packed(index_entry(one, _pieces)) for one in part],
            vectors,
            [one.kind for one in part],
        )
    return mirror


def _look(mirror: ActorIndex, probe: IndexQuery, limit: int) -> CandidateTable:
    everything: RowFilter = lambda rows: np.ones(rows.shape, np.bool_)
    return search_index(
        mirror.image, probe, limit, seen=everything, beside=everything, exact=lambda _keys, _vector: {}
    )


def _bm25(texts: list[str], question: list[str]) -> list[float]:
    cut = [Counter(terms(text)) for text in texts]
    mean = sum(sum(one.values()) for one in cut) / len(cut)
    scores: list[float] = []
    for one in cut:
        score = 0.0
        for term in question:
            holders = sum(term in other for other in cut)
            rare = math.log(1 + (len(cut) - holders + 0.5) / (holders + 0.5))
            times, length = one[term], sum(one.values())
            score += rare * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / max(mean, 1)))
        scores.append(score)
    return scores


TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=30)


@given(texts=TEXTS, batch=st.integers(1, 31), question=st.lists(st.sampled_from(WORDS), max_size=3, unique=True))
def test_scores_are_those_of_the_formulas_however_records_came_in(
    texts: list[str], batch: int, question: list[str]
) -> None:
    records = [record_of(text, START + timedelta(days=n)) for n, text in enumerate(texts)]
    asked = [term for word in question for term in terms(word)]
    vector = vector_of("apple berry")
    reading = _mirror(records, batch).image.read(_probe(asked, vector))
    assert np.allclose(reading.words, _bm25(texts, asked), atol=1e-4)
    assert np.allclose(reading.cosine, [float(vector_of(text) @ vector) for text in texts], atol=0.03)
    assert {row for arm in reading.arms(len(texts)) for row in arm.tolist()} == set(range(len(texts)))


def test_neighbours_are_those_of_the_same_conversation_and_node() -> None:
    said = [("s1", "/"), ("s2", "/"), ("s1", "/"), ("s1", "/x"), ("s1", "/"), ("s2", "/")]
    records = [
        record_of(f"apple {n}", START, Viewpoint(actor_id="ada", node=node, session_id=session))
        for n, (session, node) in enumerate(said)
    ]
    mirror = _mirror(records, 2)
    frame = _look(mirror, _probe(terms("apple")), 10)
    assert frame.near[2].tolist() == [6, 6, 0, 4, 6, 6]
    assert frame.near[4].tolist() == [6, 0, 2, 6, 6, 6]
    assert frame.near[1].tolist() == [6, 6, 6, 5, 6, 6]
    assert frame.near[3].tolist() == [6] * 6


def test_an_image_stays_as_it_was_while_the_mirror_goes_on() -> None:
    records = [record_of(f"apple {n}", START) for n in range(200)]
    mirror, later = _mirror(records[:3], 3), _mirror(records, 7)
    image = mirror.image
    before = image.near(np.arange(3)).tolist(), image.read(_probe(terms("apple"))).words.tolist()
    for start in range(3, 200, 9):
        part = records[start : start + 9]
        keys = list(range(start + 1, start + len(part) + 1))
        owners = [(str(key), one.node, one.scope) for key, one in zip(keys, part, strict=True)]
        vectors = [vector_of(one.text).astype(np.float16).tobytes() for one in part]
        mirror.add(
            keys, owners, [packed(index_entry(one, _pieces)) for one in part], vectors, [one.kind for one in part]
        )
    mirror.show_until([1, 2, 999], [0, 50, 0])
    everybody = np.arange(3)
    assert (image.near(everybody).tolist(), image.read(_probe(terms("apple"))).words.tolist()) == before
    assert image.visible_to(None, 60)(everybody).all()
    assert mirror.image.visible_to(None, 40)(everybody).tolist() == [False, True, True]
    assert mirror.image.visible_to(None, 50)(everybody).tolist() == [False, False, True]
    assert mirror.image.near(everybody).tolist() == later.image.near(everybody).tolist()


def test_the_setting_knows_who_speaks_and_when() -> None:
    records = [record_of("a", START, speaker="Ada"), record_of("b", START + timedelta(days=5), speaker="Bo")]
    setting = _mirror(records, 1).image.corpus_info
    assert (setting.speakers, setting.years) == (("Ada", "Bo"), (2024, 2025))
    assert ActorIndex(16).image.corpus_info.years is None


def test_a_frame_holds_what_was_traced() -> None:
    records = [record_of("Did you eat the apple yesterday?", START), record_of("apple apple fig", START)]
    mirror = _mirror(records, 5)
    frame = _look(mirror, _probe(terms("apple")), 5)
    assert frame.times.tolist() == [[1, 2, 0]]
    asked, told, nobody = (Trait(one) for one in frame.traits.tolist())
    assert Trait.ENDS_ASKING | Trait.ONLY_ASKS | Trait.TELLS_TIME in asked
    assert not told & (Trait.ASKS | Trait.TELLS_TIME) and not nobody
    starts, counts = frame.pieces.at(np.arange(3))
    held = [frame.pieces.flat[start : start + count].tolist() for start, count in zip(starts, counts, strict=True)]
    assert held == [[0], [0, 5], []]
    assert frame.spans.at(np.arange(2))[1].tolist() == [2, 1]


def test_postings_stay_right_while_they_are_sorted() -> None:
    postings, plain = Postings(), Counter[tuple[int, int]]()
    for part in range(40):
        numbers = RANDOM.integers(0, 50, 2000).astype(np.uint32)
        rows = np.arange(part * 2000, part * 2000 + 2000, dtype=np.int32)
        postings.add(numbers, rows, np.ones(2000, np.uint8))
        plain.update(zip(numbers.tolist(), rows.tolist(), strict=True))
    for number in (0, 7, 49, 50):
        [(rows, _)] = postings.holders(np.array([number], np.uint32))
        assert rows.tolist() == sorted(row for one, row in plain if one == number)


@given(st.lists(st.lists(st.integers(0, 65_535) | st.integers(0, 8), max_size=12), max_size=6))
def test_pieces_are_counted_however_they_come(parts: list[list[int]]) -> None:
    tally, plain = PieceCounts(), Counter[int]()
    for part in parts:
        before, known = copy.copy(tally), dict(plain)
        tally.add(np.array(part, np.uint16))
        plain.update(part)
        asked = [*range(9), *part, 65_535]
        assert tally.of(np.array(asked, np.uint16)).tolist() == [plain[one] for one in asked]
        assert before.of(np.array(asked, np.uint16)).tolist() == [known.get(one, 0) for one in asked]


def test_a_memory_of_one_record_takes_little_room() -> None:
    assert _mirror([record_of("apple fig")], 1).bytes < 20_000


@pytest.mark.parametrize("rows", [10, 1000, 40_000])
def test_the_compact_vectors_find_what_the_true_ones_find(rows: int) -> None:
    vectors = RANDOM.standard_normal((rows + 20, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = ByteMatrix(64)
    for part in np.array_split(vectors[:rows], 7):
        matrix.add(part)
    k, found = min(10, rows), 0
    for question in vectors[rows:]:
        best = set(np.argsort(-(vectors[:rows] @ question))[:k].tolist())
        found += len(best & set(largest(matrix.cosines(question), k + 32).tolist()))
    assert found / (k * 20) >= 0.99


def test_the_largest_are_the_largest() -> None:
    for size in (0, 1, 255, 256, 5000):
        scores = RANDOM.standard_normal(size).astype(np.float32)
        for k in (1, 10, 300):
            assert scores[largest(scores, k)].tolist() == sorted(scores.tolist(), reverse=True)[:k]
