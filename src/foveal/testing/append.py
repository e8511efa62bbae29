"""A store keeps what it is given, once, whole, in order."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
import pytest

from foveal.errors import Conflict, EncoderMismatch, NotFound
from foveal.model.query import Viewpoint
from foveal.ports.store import Encoder, Order, Store
from foveal.testing.building import ADA, ENCODER, START, by_words, entry, entry_of, seen_by


class AppendContract:
    """Writing and listing."""

    def test_a_record_comes_back_as_it_was_written(self, store: Store) -> None:
        given = entry(
            "Ångström & 東京 \U0001f44b\nsecond line",
            kind="fact",
            tags=["b", "a"],
            metadata={"deep": {"list": [1, None, "x"]}, "π": 3.14},
            speaker="Ada",
            session_id="s1",
            importance=0.9,
            ttl=timedelta(days=3),
            pin=True,
            valid_from="2025-01-01T00:00:00+02:00",
            valid_to="2027-01-01T00:00:00+00:00",
            idempotency_key="k1",
        ).record
        [(stored, new)] = store.append([entry_of(given)], ENCODER)
        assert new
        assert store.get(seen_by(), [given.id]) == [stored]
        assert msgspec.structs.replace(stored, address=given.address) == given

    def test_many_are_listed_by_the_time_they_speak_of(self, store: Store) -> None:
        texts = [f"turn {n}" for n in range(12)]
        days = [3, 1, 2, 9, 8, 7, 4, 5, 6, 12, 11, 10]
        store.append(
            [entry(text, occurred_at=START + timedelta(days=day)) for text, day in zip(texts, days, strict=True)],
            ENCODER,
        )
        oldest = list(store.scan(seen_by(), order=Order.OLDEST))
        assert [record.occurred_at for record in oldest] == sorted(record.occurred_at for record in oldest)
        assert list(store.scan(seen_by(), order=Order.NEWEST)) == oldest[::-1]
        assert list(store.scan(seen_by(), order=Order.OLDEST, limit=3, after=oldest[4])) == oldest[5:8]
        assert list(store.scan(seen_by(), order=Order.NEWEST, limit=2, after=oldest[4])) == oldest[3:1:-1]

    def test_records_of_one_moment_keep_the_order_they_were_written_in(self, store: Store) -> None:
        entries = [entry(f"turn {n}") for n in range(50)]
        store.append(entries, ENCODER)
        assert [one.text for one in store.scan(seen_by(), order=Order.OLDEST)] == [e.record.text for e in entries]

    def test_a_large_batch_is_kept_as_each_of_it_was_given(self, store: Store) -> None:
        given = [
            entry(
                f"turn {n}",
                tags=["even", "π"][: n % 3],
                speaker=None if n % 2 else "Ada",
                ttl=timedelta(days=n) if n % 5 == 0 else None,
                valid_to=START + timedelta(days=n) if n % 7 == 0 else None,
                idempotency_key=f"key {n}" if n % 4 else None,
                region=f"region {n % 3}",
            )
            for n in range(1, 100)
        ]
        done = store.append([*given, given[1]], ENCODER)
        stored = [record for record, _ in done[:-1]]
        assert [new for _, new in done] == [True] * 99 + [False]
        assert done[-1][0] == stored[1]
        assert store.get(seen_by(), [one.record.id for one in given]) == stored
        assert [
            msgspec.structs.replace(one, address=was.record.address) for one, was in zip(stored, given, strict=True)
        ] == [was.record for was in given]
        assert [one.text for one in store.scan(seen_by(), order=Order.OLDEST)] == [e.record.text for e in given]

    def test_slices_count_up_in_each_region(self, store: Store) -> None:
        done = store.append([entry("a", region="x"), entry("b", region="y"), entry("c", region="x")], ENCODER)
        done += store.append([entry("d", region="x")], ENCODER)
        assert [record.address.time_slice for record, _ in done] == [0, 0, 1, 2]

    def test_a_batch_is_stored_whole_or_not_at_all(self, store: Store) -> None:
        taken = entry("first")
        store.append([taken], ENCODER)
        with pytest.raises(Conflict):
            store.append([entry("second"), entry("third", id=taken.record.id)], ENCODER)
        with pytest.raises(Conflict):
            store.append([entry("fourth", id="same"), entry("fifth", id="same")], ENCODER)
        assert [one.text for one in store.scan(seen_by(), order=Order.OLDEST)] == ["first"]

    def test_a_key_sent_again_gives_the_first_record(self, store: Store) -> None:
        [(first, new)] = store.append([entry("hello", idempotency_key="k")], ENCODER)
        [(again, fresh)] = store.append([entry("hello", idempotency_key="k")], ENCODER)
        assert (new, fresh, again) == (True, False, first)
        twice = store.append([entry("x", idempotency_key="j"), entry("x", idempotency_key="j")], ENCODER)
        assert [new for _, new in twice] == [True, False]
        with pytest.raises(Conflict):
            store.append([entry("other text", idempotency_key="k")], ENCODER)

    def test_another_actor_may_use_the_same_key_and_id(self, store: Store) -> None:
        bob = Viewpoint(actor_id="bob")
        store.append([entry("ada's", idempotency_key="k", id="one")], ENCODER)
        store.append([entry("bob's", viewpoint=bob, idempotency_key="k", id="one")], ENCODER)
        assert store.get(seen_by(bob), ["one"])[0].text == "bob's"
        assert store.get(seen_by(ADA), ["one"])[0].text == "ada's"

    def test_records_come_in_the_order_asked_and_unknown_ones_are_left_out(self, store: Store) -> None:
        done = store.append([entry(text) for text in "abc"], ENCODER)
        a, b, c = (record.id for record, _ in done)
        assert [one.text for one in store.get(seen_by(), [c, "nothing", a, b, c])] == ["c", "a", "b"]

    def test_vectors_of_another_encoder_are_refused(self, store: Store) -> None:
        store.append([entry("a")], ENCODER)
        with pytest.raises(EncoderMismatch):
            store.append([entry("b")], Encoder(id="other", dimension=ENCODER.dimension))
        with pytest.raises(EncoderMismatch):
            store.append([entry("b")], Encoder(id=ENCODER.id, dimension=8))

    def test_vitals_change_together_or_not_at_all(self, store: Store) -> None:
        [(a, _), (b, _)] = store.append([entry("a"), entry("b")], ENCODER)
        with pytest.raises(NotFound):
            store.revise(seen_by(), [a.id, "nothing"], lambda one: msgspec.structs.replace(one.vitals, pinned=True))
        assert not store.get(seen_by(), [a.id])[0].vitals.pinned
        store.revise(seen_by(), [b.id], lambda one: msgspec.structs.replace(one.vitals, importance=0.25, uses=3))
        assert store.get(seen_by(), [b.id])[0].vitals.importance == 0.25

    def test_what_is_erased_is_gone_and_its_id_stays_taken(self, store: Store) -> None:
        [(a, _), (b, _)] = store.append([entry("alpha secret"), entry("beta")], ENCODER)
        store.erase(seen_by(), [a.id])
        assert store.get(seen_by(hidden=True), [a.id]) == []
        assert by_words(store, seen_by(), ["secret"], 5) == {}
        assert [one.id for one in store.scan(seen_by(), order=Order.OLDEST)] == [b.id]
        with pytest.raises(Conflict) as caught:
            store.append([entry("again", id=a.id)], ENCODER)
        assert isinstance(caught.value.data["erased_at"], datetime)
        with pytest.raises(NotFound):
            store.erase(seen_by(), [a.id])
