"""What reads leave behind is kept, bounded, and shown to nobody else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from foveal.errors import NotFound
from foveal.model.query import Viewpoint
from foveal.model.results import Recalled, Recollection, Use
from foveal.ports.store import MOST_READS, Capability, Order, Store
from foveal.testing.building import ADA, ENCODER, START, by_words, entry, seen_by
from foveal.testing.twins import Twins


def read_of(*ids: str, query: str = "q", at: datetime = START, viewpoint: Viewpoint = ADA) -> Recollection:
    """A read that showed these records."""
    items = tuple(
        Recalled(id=one, rank=rank, relevance=0.75, parts={"words": 0.25}, zone="relevant", depth=2)
        for rank, one in enumerate(ids, 1)
    )
    return Recollection(
        query=query, at=at, node=viewpoint.node, session_id=viewpoint.session_id, policy="foveated", items=items
    )


class RecollectionsContract:
    """The recall log, uses, and muted records."""

    def test_a_read_is_logged_with_ranks_and_parts_newest_first(self, store: Store) -> None:
        a, b = _two(store)
        first, second = read_of(a, b, query="one"), read_of(b, query="two", at=START + timedelta(minutes=1))
        store.remember(seen_by(), [first], [])
        store.remember(seen_by(), [second], [])
        assert store.recollections(seen_by(), None, 10) == [second, first]
        assert store.recollections(seen_by(), None, 1) == [second]
        assert store.recollections(seen_by(), a, 10) == [first]

    def test_the_log_keeps_the_newest_reads_of_each_actor(self, store: Store) -> None:
        (a, _), eve = _two(store), Viewpoint(actor_id="eve")
        [(hers, _)] = store.append([entry("hers", viewpoint=eve)], ENCODER)
        store.remember(seen_by(eve), [read_of(hers.id, viewpoint=eve)], [])
        for start in range(0, MOST_READS + 20, 255):
            store.remember(seen_by(), [read_of(a, query=f"q{n}") for n in range(start, start + 255)], [])
        kept = [read.query for read in store.recollections(seen_by(), None, 2000)]
        assert (len(kept), kept[0], kept[-1]) == (MOST_READS, "q1019", "q20")
        assert len(store.recollections(seen_by(eve), None, 2000)) == 1

    def test_a_node_sees_its_own_reads_and_those_below_it(self, store: Store) -> None:
        [(record, _)] = store.append([entry("all", scope="global")], ENCODER)
        for node in ("/", "/a", "/a/b", "/ab"):
            viewpoint = Viewpoint(actor_id="ada", node=node)
            store.remember(seen_by(viewpoint), [read_of(record.id, query=node, viewpoint=viewpoint)], [])
        for node, seen in {"/": 4, "/a": 2, "/a/b": 1, "/ab": 1, "/c": 0}.items():
            sight = seen_by(Viewpoint(actor_id="ada", node=node))
            assert len(store.recollections(sight, None, 9)) == seen

    def test_a_logged_read_tells_only_of_records_that_are_visible(self, store: Store) -> None:
        a, b = _two(store)
        store.remember(seen_by(), [read_of(a, b)], [])
        store.revise(seen_by(), [a], lambda one: msgspec.structs.replace(one.vitals, forgotten_at=START))
        [read] = store.recollections(seen_by(), None, 9)
        assert [item.id for item in read.items] == [b]
        for sight, record in ((seen_by(), a), (seen_by(Viewpoint(actor_id="eve")), b)):
            with pytest.raises(NotFound):
                store.recollections(sight, record, 9)

    def test_an_erased_record_takes_the_reads_that_showed_it_along(self, store: Store) -> None:
        a, b = _two(store)
        store.remember(seen_by(), [read_of(a, b, query="tells of a"), read_of(b, query="other")], [])
        store.erase(seen_by(), [a])
        assert [read.query for read in store.recollections(seen_by(), None, 9)] == ["other"]

    def test_uses_are_counted_and_make_a_record_matter_more(self, store: Store) -> None:
        a, b = _two(store)
        later = START + timedelta(hours=1)
        store.remember(seen_by(), [], [Use(id=a, times=2, at=later), Use(id="nothing", times=1, at=later)])
        one, other = store.get(seen_by(), [a, b])
        assert (one.vitals.uses, one.vitals.used_at, round(one.vitals.importance, 6)) == (2, later, 0.595)
        assert (other.vitals.uses, other.vitals.used_at) == (0, None)
        store.remember(seen_by(), [], [Use(id=a, times=1, at=START)])
        assert store.get(seen_by(), [a])[0].vitals.used_at == later

    def test_nobody_uses_what_he_cannot_see(self, store: Store) -> None:
        a, _ = _two(store)
        store.remember(seen_by(Viewpoint(actor_id="eve")), [], [Use(id=a, times=1, at=START)])
        other = seen_by(Viewpoint(actor_id="ada", node="/other"))
        store.remember(other, [read_of(a)], [Use(id=a, times=1, at=START)])
        assert store.get(seen_by(), [a])[0].vitals.uses == 0
        assert store.recollections(seen_by(), a, 9) == []

    def test_a_conversation_hears_what_its_own_reads_showed(self, store: Store) -> None:
        a, b = _two(store)
        here, there = (Viewpoint(actor_id="ada", session_id=one) for one in ("s1", "s2"))
        store.remember(seen_by(here), [read_of(a, viewpoint=here)], [])
        last, ids = store.heard(here, 0, 9)
        assert ids == [a]
        assert store.heard(there, 0, 9)[1] == store.heard(ADA, 0, 9)[1] == store.heard(here, last, 9)[1] == []
        store.remember(seen_by(here), [read_of(b, viewpoint=here)], [])
        assert store.heard(here, last, 9)[1] == [b]
        assert store.heard(here, 0, 1)[1] == [b]
        assert store.heard(Viewpoint(actor_id="nobody"), 0, 9)[1] == []

    def test_a_muted_record_is_not_recalled_but_still_there(self, store: Store) -> None:
        a, b = (
            record.id
            for record, _ in store.append([entry("red apple", session_id="s"), entry("red pear")], ENCODER)
        )
        recalling = msgspec.structs.replace(seen_by(), recalling=True)
        store.revise(seen_by(), [a], lambda one: msgspec.structs.replace(one.vitals, muted=True))
        assert set(by_words(store, recalling, ["red"], 9)) == {b}
        assert [one.id for one in store.scan(recalling, order=Order.OLDEST)] == [b]
        assert [one.id for one in store.scan(seen_by(), order=Order.OLDEST)] == [a, b]
        assert [one.id for one in store.scan(seen_by(filters={"muted": True}), order=Order.OLDEST)] == [a]
        store.revise(seen_by(), [a], lambda one: msgspec.structs.replace(one.vitals, muted=False))
        assert set(by_words(store, recalling, ["red"], 9)) == {a, b}

    def test_what_reads_left_is_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        if Capability.DURABLE not in store.capabilities:
            return
        a, _ = _two(store)
        store.remember(seen_by(), [read_of(a)], [Use(id=a, times=1, at=START)])
        again = reopen()
        assert again.recollections(seen_by(), a, 9) == [read_of(a)]
        assert again.get(seen_by(), [a])[0].vitals.uses == 1

    def test_the_log_answers_as_the_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(Remembering):
            def __init__(self) -> None:
                super().__init__(open_at)

        run_state_machine_as_test(Story, settings=settings(max_examples=20, stateful_step_count=30, deadline=None))


class Remembering(Twins):
    """The story of the twins, with reads, uses and muting in it."""

    @rule(which=st.lists(st.integers(0, 9), max_size=3), times=st.integers(1, 3), log=st.booleans())
    def remember(self, which: list[int], times: int, log: bool) -> None:
        ids = list(dict.fromkeys(self.one(one) for one in which))
        now = self.clock.now()
        reads = [read_of(*ids, at=now, viewpoint=self.viewpoint)] if log else []
        uses = [Use(id=one, times=times, at=now) for one in ids]
        self.both(lambda store: store.remember(self.sight(), reads, uses))

    @rule(which=st.integers(0, 9), muted=st.booleans())
    def mute(self, which: int, muted: bool) -> None:
        ids = [self.one(which)]
        self.both(
            lambda store: store.revise(
                self.sight(), ids, lambda one: msgspec.structs.replace(one.vitals, muted=muted)
            )
        )
        self.both(lambda store: list(store.scan(self.sight(recalling=True), order=Order.OLDEST)))

    @rule(text=st.sampled_from(["red apple", "Red apple.", "no"]))
    def repeat(self, text: str) -> None:
        one = entry(text, self.clock.now(), self.viewpoint)
        first: dict[str, str] = self.both(lambda store: store.said_before(self.sight(), [one.record])) or {}
        said = msgspec.structs.replace(one, repeats=first.get(one.record.id))
        if self.both(lambda store: store.append([said], ENCODER)):
            self.ids.append(one.record.id)

    @rule(which=st.integers(0, 9))
    def what_was_before(self, which: int) -> None:
        found = self.oracle.get(self.sight(owner=True), [self.one(which)])
        self.both(lambda store: store.previous(self.sight(), found))

    @rule(which=st.integers(0, 9))
    def ask_the_log(self, which: int) -> None:
        self.both(lambda store: store.recollections(self.sight(), self.one(which), 5))

    @invariant()
    def they_logged_the_same(self) -> None:
        if not self.rests():
            return
        self.both(lambda store: store.recollections(self.sight(), None, 99))
        self.both(lambda store: store.heard(self.viewpoint, 0, 5)[1])


def _two(store: Store) -> tuple[str, str]:
    a, b = (record.id for record, _ in store.append([entry("a"), entry("b")], ENCODER))
    return a, b
