"""A record is found by its words and by its vector."""

from __future__ import annotations

import numpy as np
import pytest

from foveal.errors import EncoderMismatch
from foveal.model.query import Viewpoint
from foveal.model.search import Frame, Probe
from foveal.ports.store import Encoder, Store
from foveal.rules.recall.index import MOST_TERMS, codes
from foveal.rules.text import asked_terms, terms
from foveal.testing.building import (
    DIMENSION,
    ENCODER,
    by_vector,
    by_words,
    entry,
    entry_of,
    pending,
    recollected,
    record_of,
    seen_by,
    vector_of,
)

TEXTS = {
    "latin": ("The cats were sleeping on the sofa", "sleeping cat"),
    "accents": ("Über den Wölfen über Malmö", "wolfen malmo"),
    "cyrillic": ("Мы купили новую машину вчера", "машину"),
    "greek": ("Η γάτα κοιμάται στον καναπέ", "γατα"),
    "arabic": ("ذهبت إلى السوق أمس", "السوق"),
    "hebrew": ("הלכתי לשוק אתמול", "לשוק"),
    "devanagari": ("मुझे आम बहुत पसंद हैं", "पसंद"),
    "thai": ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
    "chinese": ("我昨天去了北京的图书馆", "北京图书馆"),
    "japanese": ("昨日は東京で寿司を食べました", "東京の寿司"),
    "korean": ("어제 서울에서 친구를 만났어요", "서울"),
    "identifier": ("Ticket ERR-4521 blocks release v2.13.0", "err 4521"),
}


class RecallContract:
    """The word arm and the vector arm."""

    @pytest.mark.parametrize("script", TEXTS)
    def test_words_are_found_in_every_script(self, store: Store, script: str) -> None:
        others = [text for name, (text, _) in TEXTS.items() if name != script]
        text, question = TEXTS[script]
        done = store.append([entry(one) for one in [*others, text]], ENCODER)
        found = by_words(store, seen_by(), asked_terms(question), 3)
        assert next(iter(found)) == done[-1][0].id

    def test_a_rare_word_tells_more_than_a_common_one(self, store: Store) -> None:
        texts = [f"the project meeting number {n}" for n in range(9)] + ["the project zebra"]
        done = store.append([entry(text) for text in texts], ENCODER)
        found = by_words(store, seen_by(), asked_terms("project zebra"), 10)
        assert next(iter(found)) == done[-1][0].id
        assert len(found) == 10
        assert list(found.values()) == sorted(found.values(), reverse=True)

    def test_words_that_look_like_query_syntax_are_words(self, store: Store) -> None:
        [(record, _)] = store.append([entry('AND or NOT near "quoted" col:umn (x) * ^')], ENCODER)
        assert record.id in by_words(store, seen_by(), terms('NOT "near" AND * or'), 5)
        assert by_words(store, seen_by(), [], 5) == {}

    def test_the_nearest_vectors_are_found_exactly(self, store: Store) -> None:
        texts = [f"text number {n}" for n in range(300)]
        done = store.append([entry(text) for text in texts], ENCODER)
        for question in ("text number 7", "something else"):
            vector = vector_of(question)
            cosines = {record.id: float(vector_of(record.text) @ vector) for record, _ in done}
            best = sorted(cosines, key=lambda one: -cosines[one])[:10]
            found = by_vector(store, seen_by(), vector, 10)
            assert list(found) == best
            assert np.allclose(list(found.values()), [cosines[one] for one in best], atol=2e-3)

    def test_a_record_counts_by_its_best_piece(self, store: Store) -> None:
        pieces = np.stack([vector_of("other"), vector_of("needle"), vector_of("more")])
        long = entry_of(record_of("long text"), pieces)
        store.append([entry("a"), long, entry("b")], ENCODER)
        found = by_vector(store, seen_by(), vector_of("needle"), 3)
        assert next(iter(found)) == long.record.id
        assert abs(found[long.record.id] - 1) < 2e-3

    def test_what_is_hidden_makes_room_for_what_lies_further_away(self, store: Store) -> None:
        planner = Viewpoint(actor_id="ada", node="/planner")
        store.append([entry("needle", viewpoint=planner) for _ in range(200)], ENCODER)
        [(mine, _)] = store.append([entry("hay")], ENCODER)
        assert list(by_vector(store, seen_by(), vector_of("needle"), 5)) == [mine.id]

    def test_a_record_without_a_vector_is_found_by_its_words(self, store: Store) -> None:
        waiting = pending(record_of("waiting for the encoder"))
        [_, (other, _)] = store.append([waiting, entry("with a vector")], ENCODER)
        assert list(by_words(store, seen_by(), terms("waiting"), 5)) == [waiting.record.id]
        assert next(iter(by_vector(store, seen_by(), vector_of("with a vector"), 5))) == other.id
        assert store.count_unencoded(ENCODER) == 1

    def test_a_filter_narrows_both_arms(self, store: Store) -> None:
        store.append([entry(f"apple {n}", kind="note", tags=["red"]) for n in range(50)], ENCODER)
        [(green, _)] = store.append([entry("apple", kind="fact", tags=["green"])], ENCODER)
        sight = seen_by(filters={"tags": "green", "kind": "fact"})
        assert list(by_words(store, sight, ["appl"], 5)) == [green.id]
        assert list(by_vector(store, sight, vector_of("apple 3"), 5)) == [green.id]

    def test_a_filter_does_not_hide_what_stands_beside(self, store: Store) -> None:
        store.append([entry("a swordfish", kind="note"), entry("ok, done", kind="fact")], ENCODER)
        probe = Probe(
            terms=codes(["swordfish", "done"]),
            factors=np.ones(2, np.float32),
            pieces=np.empty(0, np.uint16),
            vector=None,
        )
        frame = recollected(store, seen_by(filters={"kind": "fact"}), probe, 5)
        assert len(frame.ids) == 1
        assert frame.times[0].any()

    def test_what_is_chosen_of_the_candidates_comes_with_them_as_the_sight_sees_it(self, store: Store) -> None:
        eve = Viewpoint(actor_id="eve")
        stored = store.append([entry("a red apple"), entry("a green apple")], ENCODER)
        [(foreign, _)] = store.append([entry("a red apple", viewpoint=eve)], ENCODER)
        red, green = (record.id for record, _ in stored)
        probe = Probe(
            terms=codes(terms("apple")), factors=np.ones(1, np.float32), pieces=np.empty(0, np.uint16), vector=None
        )

        def choose(frame: Frame) -> list[str]:
            assert set(frame.ids) == {red, green}
            return [green, foreign.id, "nobody's", red]

        frame, records = store.recollect(seen_by(), probe, 5, ENCODER, choose)
        assert set(frame.ids) == {red, green}
        assert [one.text for one in records] == ["a green apple", "a red apple"]
        assert store.recollect(seen_by(eve), probe, 5, ENCODER, lambda _: [red, green])[1] == []

    def test_a_long_question_is_asked_by_its_rarest_terms(self, store: Store) -> None:
        common = [f"common{n}" for n in range(MOST_TERMS + 20)]
        store.append([entry(" ".join(common)) for _ in range(3)], ENCODER)
        [(rare, _)] = store.append([entry("a zebra")], ENCODER)
        asked = asked_terms(" ".join([*common, "nowhere", "zebra"]))
        found = by_words(store, seen_by(), asked, 5)
        assert len(asked) > MOST_TERMS
        assert rare.id in found
        probe = Probe(
            terms=codes(asked),
            factors=np.arange(len(asked), dtype=np.float32),
            pieces=np.empty(0, np.uint16),
            vector=None,
        )
        frame = recollected(store, seen_by(), probe, 5)
        assert len(frame.factors) == len(frame.times) == MOST_TERMS
        assert frame.factors[-1] == len(asked) - 1

    def test_another_encoder_cannot_ask(self, store: Store) -> None:
        other = Encoder(id="other", dimension=DIMENSION)
        assert by_vector(store, seen_by(), vector_of("x"), 5, other) == {}
        store.append([entry("a")], ENCODER)
        with pytest.raises(EncoderMismatch):
            by_vector(store, seen_by(), vector_of("x"), 5, other)

    def test_a_new_encoder_takes_over_when_all_its_vectors_are_there(self, store: Store) -> None:
        done = store.append([entry(f"text {n}") for n in range(5)], ENCODER)
        other = Encoder(id="other", dimension=8)
        waiting = store.unencoded(other, 3)
        assert len(waiting) == 3
        store.encode(other, [(record, vector_of(record.text, 8)[None]) for record in waiting])
        assert not store.adopt(other)
        assert len(by_vector(store, seen_by(), vector_of("text 1"), 9)) == 5
        rest = store.unencoded(other, 99)
        store.encode(other, [(record, vector_of(record.text, 8)[None]) for record in rest])
        assert store.adopt(other)
        assert store.encoder() == other
        found = by_vector(store, seen_by(), vector_of("text 3", 8), 9, other)
        assert next(iter(found)) == done[3][0].id
        with pytest.raises(EncoderMismatch):
            by_vector(store, seen_by(), vector_of("text 1"), 9)
