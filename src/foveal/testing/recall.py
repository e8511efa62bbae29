"""Contracts of search, vector batches and the recall log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from foveal.errors import EncoderMismatch, NotFound
from foveal.model.query import Viewpoint
from foveal.model.results import Recalled, Recollection, Use
from foveal.model.search import CandidateTable, IndexQuery, SyncPoint, VectorHits
from foveal.ports.store import MOST_READS, Capability, Encoder, Look, Order, Store
from foveal.rules.recall.index import codes
from foveal.rules.text import MOST_TERMS, asked_terms, terms
from foveal.testing.builders import (
    ADA,
    DIMENSION,
    ENCODER,
    START,
    by_vector,
    by_words,
    entry,
    entry_of,
    pending,
    recollected,
    record_of,
    seen_by,
    vector_of,
    version_after,
)
from foveal.testing.twins import Twins

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
    """Search by words and by vectors."""

    @pytest.mark.parametrize("script", TEXTS)
    def test_words_are_found_in_every_script(self, store: Store, script: str) -> None:
        others = [text for name, (text, _) in TEXTS.items() if name != script]
        text, question = TEXTS[script]
        done = store.records.append([entry(written) for written in [*others, text]], ENCODER)
        hits = by_words(store, seen_by(), asked_terms(question), 3)
        assert next(iter(hits)) == done[-1][0].id

    def test_a_rare_word_tells_more_than_a_common_one(self, store: Store) -> None:
        texts = [f"the project meeting number {n}" for n in range(9)] + ["the project zebra"]
        done = store.records.append([entry(text) for text in texts], ENCODER)
        hits = by_words(store, seen_by(), asked_terms("project zebra"), 10)
        assert next(iter(hits)) == done[-1][0].id
        assert len(hits) == 10
        assert list(hits.values()) == sorted(hits.values(), reverse=True)

    def test_words_that_look_like_query_syntax_are_words(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry('AND or NOT near "quoted" col:umn (x) * ^')], ENCODER)
        assert record.id in by_words(store, seen_by(), terms('NOT "near" AND * or'), 5)
        assert by_words(store, seen_by(), [], 5) == {}

    def test_the_nearest_vectors_are_found_exactly(self, store: Store) -> None:
        texts = [f"text number {n}" for n in range(300)]
        done = store.records.append([entry(text) for text in texts], ENCODER)
        for question in ("text number 7", "something else"):
            vector = vector_of(question)
            cosines = {record.id: float(vector_of(record.text) @ vector) for record, _ in done}
            best = sorted(cosines, key=lambda record_id: -cosines[record_id])[:10]
            hits = by_vector(store, seen_by(), vector, 10)
            assert list(hits) == best
            assert np.allclose(list(hits.values()), [cosines[record_id] for record_id in best], atol=2e-3)

    def test_a_record_counts_by_its_best_piece(self, store: Store) -> None:
        pieces = np.stack([vector_of("other"), vector_of("needle"), vector_of("more")])
        long = entry_of(record_of("long text"), pieces)
        store.records.append([entry("a"), long, entry("b")], ENCODER)
        hits = by_vector(store, seen_by(), vector_of("needle"), 3)
        assert next(iter(hits)) == long.record.id
        assert abs(hits[long.record.id] - 1) < 2e-3

    def test_what_is_hidden_makes_room_for_what_lies_further_away(self, store: Store) -> None:
        planner = Viewpoint(actor_id="ada", node="/planner")
        store.records.append([entry("needle", viewpoint=planner) for _ in range(200)], ENCODER)
        [(mine, _)] = store.records.append([entry("hay")], ENCODER)
        assert list(by_vector(store, seen_by(), vector_of("needle"), 5)) == [mine.id]

    def test_a_record_without_a_vector_is_found_by_its_words(self, store: Store) -> None:
        waiting = pending(record_of("waiting for the encoder"))
        [_, (other, _)] = store.records.append([waiting, entry("with a vector")], ENCODER)
        assert list(by_words(store, seen_by(), terms("waiting"), 5)) == [waiting.record.id]
        assert next(iter(by_vector(store, seen_by(), vector_of("with a vector"), 5))) == other.id
        assert store.vectors.count_unencoded(ENCODER) == 1

    def test_a_filter_narrows_both_arms(self, store: Store) -> None:
        store.records.append([entry(f"apple {n}", kind="note", tags=["red"]) for n in range(50)], ENCODER)
        [(green, _)] = store.records.append([entry("apple", kind="fact", tags=["green"])], ENCODER)
        access = seen_by(filters={"tags": "green", "kind": "fact"})
        assert list(by_words(store, access, ["appl"], 5)) == [green.id]
        assert list(by_vector(store, access, vector_of("apple 3"), 5)) == [green.id]

    def test_a_filter_does_not_hide_what_stands_beside(self, store: Store) -> None:
        store.records.append([entry("a swordfish", kind="note"), entry("ok, done", kind="fact")], ENCODER)
        probe = IndexQuery(
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
        stored = store.records.append([entry("a red apple"), entry("a green apple")], ENCODER)
        [(foreign, _)] = store.records.append([entry("a red apple", viewpoint=eve)], ENCODER)
        red, green = (record.id for record, _ in stored)
        probe = IndexQuery(
            terms=codes(terms("apple")), factors=np.ones(1, np.float32), pieces=np.empty(0, np.uint16), vector=None
        )

        def choose(frame: CandidateTable, _look: Look) -> list[str]:
            assert set(frame.ids) == {red, green}
            return [green, foreign.id, "nobody's", red]

        frame, records = store.search.find(seen_by(), probe, 5, ENCODER, choose)
        assert set(frame.ids) == {red, green}
        assert [record.text for record in records] == ["a green apple", "a red apple"]
        assert store.search.find(seen_by(eve), probe, 5, ENCODER, lambda _table, _look: [red, green])[1] == []

    def test_a_long_question_is_asked_by_its_rarest_terms(self, store: Store) -> None:
        common = [f"common{n}" for n in range(MOST_TERMS + 20)]
        store.records.append([entry(" ".join(common)) for _ in range(3)], ENCODER)
        [(rare, _)] = store.records.append([entry("a zebra")], ENCODER)
        asked = asked_terms(" ".join([*common, "nowhere", "zebra"]))
        hits = by_words(store, seen_by(), asked, 5)
        assert len(asked) > MOST_TERMS
        assert rare.id in hits
        probe = IndexQuery(
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
        store.records.append([entry("a")], ENCODER)
        with pytest.raises(EncoderMismatch):
            by_vector(store, seen_by(), vector_of("x"), 5, other)

    def test_a_new_encoder_takes_over_when_all_its_vectors_are_there(self, store: Store) -> None:
        done = store.records.append([entry(f"text {n}") for n in range(5)], ENCODER)
        other = Encoder(id="other", dimension=8)
        waiting = store.vectors.unencoded(other, 3)
        assert len(waiting) == 3
        store.vectors.encode(other, [(record, vector_of(record.text, 8)[None]) for record in waiting])
        assert not store.vectors.adopt(other)
        assert len(by_vector(store, seen_by(), vector_of("text 1"), 9)) == 5
        rest = store.vectors.unencoded(other, 99)
        store.vectors.encode(other, [(record, vector_of(record.text, 8)[None]) for record in rest])
        assert store.vectors.adopt(other)
        assert store.vectors.encoder() == other
        hits = by_vector(store, seen_by(), vector_of("text 3", 8), 9, other)
        assert next(iter(hits)) == done[3][0].id
        with pytest.raises(EncoderMismatch):
            by_vector(store, seen_by(), vector_of("text 1"), 9)


def read_of(*ids: str, query: str = "q", at: datetime = START, viewpoint: Viewpoint = ADA) -> Recollection:
    """A read that showed these records."""
    items = tuple(
        Recalled(id=record_id, rank=rank, relevance=0.75, parts={"words": 0.25}, zone="relevant", depth=2)
        for rank, record_id in enumerate(ids, 1)
    )
    return Recollection(
        query=query, at=at, node=viewpoint.node, session_id=viewpoint.session_id, policy="foveated", items=items
    )


class RecollectionsContract:
    """The recall log, uses, and muted records."""

    def test_a_read_is_logged_with_ranks_and_parts_newest_first(self, store: Store) -> None:
        a, b = _two(store)
        first, second = read_of(a, b, query="one"), read_of(b, query="two", at=START + timedelta(minutes=1))
        store.recall_log.add(seen_by(), [first], [])
        store.recall_log.add(seen_by(), [second], [])
        assert store.recall_log.reads(seen_by(), None, 10) == [second, first]
        assert store.recall_log.reads(seen_by(), None, 1) == [second]
        assert store.recall_log.reads(seen_by(), a, 10) == [first]

    def test_the_log_keeps_the_newest_reads_of_each_actor(self, store: Store) -> None:
        (a, _), eve = _two(store), Viewpoint(actor_id="eve")
        [(hers, _)] = store.records.append([entry("hers", viewpoint=eve)], ENCODER)
        store.recall_log.add(seen_by(eve), [read_of(hers.id, viewpoint=eve)], [])
        for start in range(0, MOST_READS + 20, 255):
            store.recall_log.add(seen_by(), [read_of(a, query=f"q{n}") for n in range(start, start + 255)], [])
        queries = [read.query for read in store.recall_log.reads(seen_by(), None, 2000)]
        assert (len(queries), queries[0], queries[-1]) == (MOST_READS, "q1019", "q20")
        assert len(store.recall_log.reads(seen_by(eve), None, 2000)) == 1

    def test_a_node_sees_its_own_reads_and_those_below_it(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("all", scope="global")], ENCODER)
        for node in ("/", "/a", "/a/b", "/ab"):
            viewpoint = Viewpoint(actor_id="ada", node=node)
            store.recall_log.add(seen_by(viewpoint), [read_of(record.id, query=node, viewpoint=viewpoint)], [])
        for node, seen in {"/": 4, "/a": 2, "/a/b": 1, "/ab": 1, "/c": 0}.items():
            access = seen_by(Viewpoint(actor_id="ada", node=node))
            assert len(store.recall_log.reads(access, None, 9)) == seen

    def test_a_logged_read_tells_only_of_records_that_are_visible(self, store: Store) -> None:
        a, b = _two(store)
        store.recall_log.add(seen_by(), [read_of(a, b)], [])
        store.records.revise(
            seen_by(), [a], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        [read] = store.recall_log.reads(seen_by(), None, 9)
        assert [item.id for item in read.items] == [b]
        for access, record in ((seen_by(), a), (seen_by(Viewpoint(actor_id="eve")), b)):
            with pytest.raises(NotFound):
                store.recall_log.reads(access, record, 9)

    def test_an_erased_record_takes_the_reads_that_showed_it_along(self, store: Store) -> None:
        a, b = _two(store)
        store.recall_log.add(seen_by(), [read_of(a, b, query="tells of a"), read_of(b, query="other")], [])
        store.records.erase(seen_by(), [a])
        assert [read.query for read in store.recall_log.reads(seen_by(), None, 9)] == ["other"]

    def test_uses_are_counted_and_make_a_record_matter_more(self, store: Store) -> None:
        a, b = _two(store)
        later = START + timedelta(hours=1)
        store.recall_log.add(
            seen_by(), [], [Use(id=a, times=2, reads=2, at=later), Use(id="nothing", times=1, reads=1, at=later)]
        )
        used, unused = store.records.get(seen_by(), [a, b])
        assert (used.vitals.uses, used.vitals.used_at, round(used.vitals.importance, 6)) == (2, later, 0.595)
        assert (unused.vitals.uses, unused.vitals.used_at) == (0, None)
        store.recall_log.add(seen_by(), [], [Use(id=a, times=1, reads=1, at=START)])
        assert store.records.get(seen_by(), [a])[0].vitals.used_at == later

    def test_nobody_uses_what_he_cannot_see(self, store: Store) -> None:
        a, _ = _two(store)
        store.recall_log.add(seen_by(Viewpoint(actor_id="eve")), [], [Use(id=a, times=1, reads=1, at=START)])
        other = seen_by(Viewpoint(actor_id="ada", node="/other"))
        store.recall_log.add(other, [read_of(a)], [Use(id=a, times=1, reads=1, at=START)])
        assert store.records.get(seen_by(), [a])[0].vitals.uses == 0
        assert store.recall_log.reads(seen_by(), a, 9) == []

    def test_a_conversation_hears_what_its_own_reads_showed(self, store: Store) -> None:
        a, b = _two(store)
        here, there = (Viewpoint(actor_id="ada", session_id=name) for name in ("s1", "s2"))
        store.recall_log.add(seen_by(here), [read_of(a, viewpoint=here)], [])
        last, ids = store.recall_log.recently_shown(here, 0, 9)
        assert ids == [a]
        assert (
            store.recall_log.recently_shown(there, 0, 9)[1]
            == store.recall_log.recently_shown(ADA, 0, 9)[1]
            == store.recall_log.recently_shown(here, last, 9)[1]
            == []
        )
        store.recall_log.add(seen_by(here), [read_of(b, viewpoint=here)], [])
        assert store.recall_log.recently_shown(here, last, 9)[1] == [b]
        assert store.recall_log.recently_shown(here, 0, 1)[1] == [b]
        assert store.recall_log.recently_shown(Viewpoint(actor_id="nobody"), 0, 9)[1] == []

    def test_a_muted_record_is_not_recalled_but_still_there(self, store: Store) -> None:
        a, b = (
            record.id
            for record, _ in store.records.append([entry("red apple", session_id="s"), entry("red pear")], ENCODER)
        )
        recalling = msgspec.structs.replace(seen_by(), for_recall=True)
        store.records.revise(seen_by(), [a], lambda record: msgspec.structs.replace(record.vitals, muted=True))
        assert set(by_words(store, recalling, ["red"], 9)) == {b}
        assert [record.id for record in store.records.scan(recalling, order=Order.OLDEST)] == [b]
        assert [record.id for record in store.records.scan(seen_by(), order=Order.OLDEST)] == [a, b]
        assert [
            record.id for record in store.records.scan(seen_by(filters={"muted": True}), order=Order.OLDEST)
        ] == [a]
        store.records.revise(seen_by(), [a], lambda record: msgspec.structs.replace(record.vitals, muted=False))
        assert set(by_words(store, recalling, ["red"], 9)) == {a, b}

    def test_what_reads_left_is_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        if Capability.DURABLE not in store.capabilities:
            return
        a, _ = _two(store)
        store.recall_log.add(seen_by(), [read_of(a)], [Use(id=a, times=1, reads=1, at=START)])
        again = reopen()
        assert again.recall_log.reads(seen_by(), a, 9) == [read_of(a)]
        assert again.records.get(seen_by(), [a])[0].vitals.uses == 1

    def test_the_log_answers_as_the_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(Remembering):
            def __init__(self) -> None:
                super().__init__(open_at)

        run_state_machine_as_test(Story, settings=settings(max_examples=20, stateful_step_count=30, deadline=None))


class Remembering(Twins):
    """The random steps of the twins, with reads, uses and muting."""

    @rule(which=st.lists(st.integers(0, 9), max_size=3), times=st.integers(1, 3), log=st.booleans())
    def remember(self, which: list[int], times: int, log: bool) -> None:
        ids = list(dict.fromkeys(map(self.one, which)))
        now = self.clock.now()
        reads = [read_of(*ids, at=now, viewpoint=self.viewpoint)] if log else []
        uses = [Use(id=record_id, times=times, reads=times, at=now) for record_id in ids]
        self.both(lambda store: store.recall_log.add(self.access(), reads, uses))

    @rule(which=st.integers(0, 9), muted=st.booleans())
    def mute(self, which: int, muted: bool) -> None:
        ids = [self.one(which)]
        self.both(
            lambda store: store.records.revise(
                self.access(), ids, lambda record: msgspec.structs.replace(record.vitals, muted=muted)
            )
        )
        self.both(lambda store: list(store.records.scan(self.access(for_recall=True), order=Order.OLDEST)))

    @rule(text=st.sampled_from(["red apple", "Red apple.", "no"]))
    def repeat(self, text: str) -> None:
        new = entry(text, self.clock.now(), self.viewpoint)
        first: dict[str, str] = (
            self.both(lambda store: store.records.said_before(self.access(), [new.record])) or {}
        )
        repeating = msgspec.structs.replace(new, repeats=first.get(new.record.id))
        if self.both(lambda store: store.records.append([repeating], ENCODER)):
            self.ids.append(new.record.id)

    @rule(which=st.integers(0, 9))
    def what_was_before(self, which: int) -> None:
        records = self.oracle.records.get(self.access(as_owner=True), [self.one(which)])
        self.both(lambda store: store.records.previous(self.access(), records))

    @rule(which=st.integers(0, 9))
    def ask_the_log(self, which: int) -> None:
        self.both(lambda store: store.recall_log.reads(self.access(), self.one(which), 5))

    @invariant()
    def they_logged_the_same(self) -> None:
        if not self.rests():
            return
        self.both(lambda store: store.recall_log.reads(self.access(), None, 99))
        self.both(lambda store: store.recall_log.recently_shown(self.viewpoint, 0, 5)[1])


def _two(store: Store) -> tuple[str, str]:
    a, b = (record.id for record, _ in store.records.append([entry("a"), entry("b")], ENCODER))
    return a, b


class ShelvingContract:
    """What a vector index follows: vectors in the order of writing, marks and erasures."""

    def test_an_index_gets_every_record_once_in_the_order_written(self, store: Store) -> None:
        done = store.records.append([entry(f"note {n}", kind="knowledge") for n in range(5)], ENCODER)
        first = store.vectors.after(ADA, ENCODER, None, 3)
        then = store.vectors.after(ADA, ENCODER, first.mark, 3)
        assert [row.id for row in (*first.rows, *then.rows)] == [record.id for record, _ in done]
        assert (first.anew, then.anew) == (True, False)
        assert {row.kind for row in first.rows} == {"knowledge"}
        assert first.rows[0].vectors == pytest.approx(vector_of("note 0")[None], abs=1e-3)
        assert store.vectors.after(ADA, ENCODER, then.mark, 3).rows == ()
        assert store.vectors.count_after(ADA, ENCODER, None) == 5
        assert store.vectors.count_after(ADA, ENCODER, first.mark) == 2

    def test_a_new_version_comes_in_place_of_the_old(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("first")], ENCODER)
        before = store.vectors.after(ADA, ENCODER, None, 9).mark
        store.records.supersede(seen_by(), version_after(record, "second", START + timedelta(days=1)), ENCODER)
        after = store.vectors.after(ADA, ENCODER, before, 9)
        assert len(after.rows) == 1
        assert after.rows[0].vectors == pytest.approx(vector_of("second")[None], abs=1e-3)
        assert [row.id for row in store.vectors.after(ADA, ENCODER, None, 9).rows] == [record.id]

    def test_what_was_erased_is_told_and_never_handed_out(self, store: Store) -> None:
        done = store.records.append([entry(f"note {n}") for n in range(3)], ENCODER)
        ids = [record.id for record, _ in done]
        mark = store.vectors.after(ADA, ENCODER, None, 9).mark
        assert store.vectors.erased_since(ADA, None) == []
        store.records.erase(seen_by(), [ids[2]])
        assert [record_id for record_id, _ in store.vectors.erased_since(ADA, START)] == [ids[2]]
        assert store.vectors.erased_since(ADA, START + timedelta(days=9)) == []
        again = store.vectors.after(ADA, ENCODER, mark, 9)
        assert (again.rows, again.anew, again.mark.last) == ((), False, ids[1])
        assert [row.id for row in store.vectors.after(ADA, ENCODER, None, 9).rows] == ids[:2]

    def test_a_mark_of_another_store_begins_anew(self, store: Store) -> None:
        store.records.append([entry(f"note {n}") for n in range(3)], ENCODER)
        mark = store.vectors.after(ADA, ENCODER, None, 9).mark
        for foreign in (
            msgspec.structs.replace(mark, last="somebody else's"),
            msgspec.structs.replace(mark, encoder="another"),
            msgspec.structs.replace(mark, generation=mark.generation + 1),
            SyncPoint(encoder=ENCODER.id, generation=mark.generation),
        ):
            batch = store.vectors.after(ADA, ENCODER, foreign, 9)
            assert (len(batch.rows), batch.anew) == (3, True)

    def test_vectors_that_come_late_are_handed_out_too(self, store: Store) -> None:
        late = record_of("late")
        store.records.append([pending(late), entry("in time")], ENCODER)
        first = store.vectors.after(ADA, ENCODER, None, 9)
        assert len(first.rows) == 1
        store.vectors.encode(ENCODER, [(late, vector_of("late")[None])])
        assert store.vectors.adopt(ENCODER)
        then = store.vectors.after(ADA, ENCODER, first.mark, 9)
        assert (len(then.rows), then.anew) == (2, True)
        assert store.vectors.adopt(ENCODER)
        assert store.vectors.after(ADA, ENCODER, then.mark, 9).anew is False

    def test_another_encoder_begins_anew(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("a text")], ENCODER)
        mark = store.vectors.after(ADA, ENCODER, None, 9).mark
        other = Encoder(id="contract-2", dimension=4)
        store.vectors.encode(other, [(record, vector_of("a text", 4)[None])])
        assert store.vectors.adopt(other)
        batch = store.vectors.after(ADA, other, mark, 9)
        assert (batch.anew, batch.rows[0].vectors.shape) == (True, (1, 4))

    def test_the_nearest_of_an_index_are_compared_and_no_others(self, store: Store) -> None:
        # Each in its own session, because the neighbours of a candidate become candidates as well.
        alone = [msgspec.structs.replace(ADA, session_id=str(n)) for n in range(40)]
        done = store.records.append(
            [entry(f"note {n}", START, viewpoint) for n, viewpoint in enumerate(alone)], ENCODER
        )
        ids = [record.id for record, _ in done]
        mark = store.vectors.after(ADA, ENCODER, None, 30).mark
        wanted = vector_of("note 7")

        def compared(near: VectorHits | None, limit: int = 4) -> set[str]:
            nothing = np.array([], np.uint32)
            probe = IndexQuery(
                terms=nothing,
                factors=np.array([], np.float32),
                pieces=nothing.astype(np.uint16),
                vector=wanted,
                near=near,
            )
            frame = recollected(store, seen_by(), probe, limit)
            return set(frame.ids)

        near = VectorHits(ids=tuple(ids[5:9]), after=mark.seq, last=mark.last, all=False)
        # Records that the index does not have yet are compared as well.
        assert compared(near) == {*ids[5:9], *ids[30:]}
        assert compared(msgspec.structs.replace(near, ids=(*ids[5:9], "erased", "foreign"))) == {
            *ids[5:9],
            *ids[30:],
        }
        everything = compared(None, 40)
        # If too few of the hits are visible, or the index followed another store, all are compared.
        assert compared(msgspec.structs.replace(near, ids=tuple(ids[5:7])), 40) == everything
        assert compared(msgspec.structs.replace(near, last="somebody else's"), 40) == everything
        assert compared(msgspec.structs.replace(near, ids=tuple(ids[5:7]), all=True), 40) == {*ids[5:7], *ids[30:]}

    def test_the_cosines_are_the_same_with_an_index_and_without(self, store: Store) -> None:
        rows = {n: np.stack([vector_of(f"{n} {part}") for part in range(1 + n % 3)]) for n in range(50)}
        done = store.records.append([entry_of(record_of(f"note {n}"), rows[n]) for n in rows], ENCODER)
        ids = tuple(record.id for record, _ in done)
        mark = store.vectors.after(ADA, ENCODER, None, 99).mark
        nothing = np.array([], np.uint32)
        probe = IndexQuery(
            terms=nothing,
            factors=np.array([], np.float32),
            pieces=nothing.astype(np.uint16),
            vector=np.ones(DIMENSION, np.float32) / DIMENSION**0.5,
        )
        whole = recollected(store, seen_by(), probe, 50)
        near = VectorHits(ids=ids, after=mark.seq, last=mark.last, all=True)
        indexed = recollected(store, seen_by(), msgspec.structs.replace(probe, near=near), 50)
        assert list(indexed.ids) == list(whole.ids)
        assert indexed.cosine == pytest.approx(whole.cosine, abs=1e-6)
        assert (indexed.cosine_mean, indexed.cosine_spread) == pytest.approx(
            (whole.cosine_mean, whole.cosine_spread), abs=1e-3
        )
