"""Contracts of appending, superseding, versions, expiry and listing."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
import pytest
from msgspec.structs import replace

from foveal.errors import Conflict, EncoderMismatch, NotFound, PreconditionFailed
from foveal.model.query import Viewpoint
from foveal.model.record import LinkKind, Record, Scope
from foveal.ports.store import Encoder, NewRecord, Order, Store
from foveal.rules.filters import parsed_filter
from foveal.testing.builders import (
    ADA,
    ENCODER,
    START,
    by_vector,
    by_words,
    entry,
    entry_of,
    record_of,
    seen_by,
    vector_of,
    version_after,
)


class AppendContract:
    """Writing and listing."""

    def test_a_record_comes_back_as_it_was_written(self, store: Store) -> None:
        written = entry(
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
        [(stored, new)] = store.records.append([entry_of(written)], ENCODER)
        assert new
        assert store.records.get(seen_by(), [written.id]) == [stored]
        assert msgspec.structs.replace(stored, address=written.address) == written

    def test_many_are_listed_by_the_time_they_speak_of(self, store: Store) -> None:
        texts = [f"turn {n}" for n in range(12)]
        days = [3, 1, 2, 9, 8, 7, 4, 5, 6, 12, 11, 10]
        store.records.append(
            [entry(text, occurred_at=START + timedelta(days=day)) for text, day in zip(texts, days, strict=True)],
            ENCODER,
        )
        oldest = list(store.records.scan(seen_by(), order=Order.OLDEST))
        assert [record.occurred_at for record in oldest] == sorted(record.occurred_at for record in oldest)
        assert list(store.records.scan(seen_by(), order=Order.NEWEST)) == oldest[::-1]
        assert list(store.records.scan(seen_by(), order=Order.OLDEST, limit=3, after=oldest[4])) == oldest[5:8]
        assert list(store.records.scan(seen_by(), order=Order.NEWEST, limit=2, after=oldest[4])) == oldest[3:1:-1]

    def test_records_of_one_moment_keep_the_order_they_were_written_in(self, store: Store) -> None:
        entries = [entry(f"turn {n}") for n in range(50)]
        store.records.append(entries, ENCODER)
        assert [record.text for record in store.records.scan(seen_by(), order=Order.OLDEST)] == [
            e.record.text for e in entries
        ]

    def test_a_large_batch_is_kept_as_each_of_it_was_given(self, store: Store) -> None:
        batch = [
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
        done = store.records.append([*batch, batch[1]], ENCODER)
        stored = [record for record, _ in done[:-1]]
        assert [fresh for _, fresh in done] == [True] * 99 + [False]
        assert done[-1][0] == stored[1]
        assert store.records.get(seen_by(), [new.record.id for new in batch]) == stored
        assert [
            msgspec.structs.replace(record, address=new.record.address)
            for record, new in zip(stored, batch, strict=True)
        ] == [new.record for new in batch]
        assert [record.text for record in store.records.scan(seen_by(), order=Order.OLDEST)] == [
            e.record.text for e in batch
        ]

    def test_slices_count_up_in_each_region(self, store: Store) -> None:
        done = store.records.append(
            [entry("a", region="x"), entry("b", region="y"), entry("c", region="x")], ENCODER
        )
        done += store.records.append([entry("d", region="x")], ENCODER)
        assert [record.address.time_slice for record, _ in done] == [0, 0, 1, 2]

    def test_a_batch_is_stored_whole_or_not_at_all(self, store: Store) -> None:
        taken = entry("first")
        store.records.append([taken], ENCODER)
        with pytest.raises(Conflict):
            store.records.append([entry("second"), entry("third", id=taken.record.id)], ENCODER)
        with pytest.raises(Conflict):
            store.records.append([entry("fourth", id="same"), entry("fifth", id="same")], ENCODER)
        assert [record.text for record in store.records.scan(seen_by(), order=Order.OLDEST)] == ["first"]

    def test_a_key_sent_again_gives_the_first_record(self, store: Store) -> None:
        [(first, new)] = store.records.append([entry("hello", idempotency_key="k")], ENCODER)
        [(again, fresh)] = store.records.append([entry("hello", idempotency_key="k")], ENCODER)
        assert (new, fresh, again) == (True, False, first)
        twice = store.records.append([entry("x", idempotency_key="j"), entry("x", idempotency_key="j")], ENCODER)
        assert [new for _, new in twice] == [True, False]
        with pytest.raises(Conflict):
            store.records.append([entry("other text", idempotency_key="k")], ENCODER)

    def test_another_actor_may_use_the_same_key_and_id(self, store: Store) -> None:
        bob = Viewpoint(actor_id="bob")
        store.records.append([entry("ada's", idempotency_key="k", id="one")], ENCODER)
        store.records.append([entry("bob's", viewpoint=bob, idempotency_key="k", id="one")], ENCODER)
        assert store.records.get(seen_by(bob), ["one"])[0].text == "bob's"
        assert store.records.get(seen_by(ADA), ["one"])[0].text == "ada's"

    def test_records_come_in_the_order_asked_and_unknown_ones_are_left_out(self, store: Store) -> None:
        done = store.records.append([entry(text) for text in "abc"], ENCODER)
        a, b, c = (record.id for record, _ in done)
        assert [record.text for record in store.records.get(seen_by(), [c, "nothing", a, b, c])] == ["c", "a", "b"]

    def test_vectors_of_another_encoder_are_refused(self, store: Store) -> None:
        store.records.append([entry("a")], ENCODER)
        with pytest.raises(EncoderMismatch):
            store.records.append([entry("b")], Encoder(id="other", dimension=ENCODER.dimension))
        with pytest.raises(EncoderMismatch):
            store.records.append([entry("b")], Encoder(id=ENCODER.id, dimension=8))

    def test_vitals_change_together_or_not_at_all(self, store: Store) -> None:
        [(a, _), (b, _)] = store.records.append([entry("a"), entry("b")], ENCODER)
        with pytest.raises(NotFound):
            store.records.revise(
                seen_by(), [a.id, "nothing"], lambda record: msgspec.structs.replace(record.vitals, pinned=True)
            )
        assert not store.records.get(seen_by(), [a.id])[0].vitals.pinned
        store.records.revise(
            seen_by(), [b.id], lambda record: msgspec.structs.replace(record.vitals, importance=0.25, uses=3)
        )
        assert store.records.get(seen_by(), [b.id])[0].vitals.importance == 0.25

    def test_what_is_erased_is_gone_and_its_id_stays_taken(self, store: Store) -> None:
        [(a, _), (b, _)] = store.records.append([entry("alpha secret"), entry("beta")], ENCODER)
        store.records.erase(seen_by(), [a.id])
        assert store.records.get(seen_by(include_hidden=True), [a.id]) == []
        assert by_words(store, seen_by(), ["secret"], 5) == {}
        assert [record.id for record in store.records.scan(seen_by(), order=Order.OLDEST)] == [b.id]
        with pytest.raises(Conflict) as caught:
            store.records.append([entry("again", id=a.id)], ENCODER)
        assert isinstance(caught.value.data["erased_at"], datetime)
        with pytest.raises(NotFound):
            store.records.erase(seen_by(), [a.id])


HOUR = timedelta(hours=1)


class ExpiryContract:
    """Expiry and forgetting."""

    def test_an_expired_record_is_out_of_every_sight(self, store: Store) -> None:
        [(brief, _), (kept, _)] = store.records.append([entry("brief note", ttl=HOUR), entry("kept note")], ENCODER)
        before, after = seen_by(now=START + HOUR / 2), seen_by(now=START + HOUR)
        assert len(store.records.get(before, [brief.id, kept.id])) == 2
        assert store.records.get(after, [brief.id]) == []
        assert list(by_words(store, after, ["note"], 5)) == [kept.id]
        assert list(by_vector(store, after, vector_of("brief note"), 5)) == [kept.id]
        assert [record.id for record in store.records.scan(after, order=Order.OLDEST)] == [kept.id]
        assert store.counts.stats(after).records == 1

    def test_a_ttl_of_zero_expires_at_once(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("gone", ttl=0)], ENCODER)
        assert store.records.get(seen_by(), [record.id]) == []

    def test_as_of_sees_what_had_not_expired_then(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("brief", ttl=HOUR)], ENCODER)
        assert store.records.get(seen_by(now=START + 2 * HOUR, as_of=START), [record.id])

    def test_a_forgotten_record_is_out_of_every_sight_but_one(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("secret plan")], ENCODER)
        store.records.revise(
            seen_by(), [record.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        assert store.records.get(seen_by(), [record.id]) == []
        assert store.records.get(seen_by(as_of=START), [record.id]) == []
        assert by_words(store, seen_by(), ["secret"], 5) == {}
        assert store.records.get(seen_by(include_hidden=True), [record.id])[0].text == "secret plan"


class ListingContract:
    """Marks in long lists, and the nodes of an organism."""

    def test_marks_stand_where_a_scan_passes_them(self, store: Store) -> None:
        moments = [START + timedelta(minutes=number % 5) for number in range(11)]
        store.records.append([entry(f"note {n}", at, occurred_at=at) for n, at in enumerate(moments)], ENCODER)
        for order in Order:
            scanned = list(store.records.scan(seen_by(now=START + timedelta(hours=1)), order=order))
            total, marks = store.counts.marks(seen_by(now=START + timedelta(hours=1)), order=order, every=4)
            assert total == len(scanned) == 11
            assert marks == [(n, scanned[n - 1].occurred_at, scanned[n - 1].id) for n in (4, 8)]

    def test_marks_are_of_what_is_seen_and_asked_for(self, store: Store) -> None:
        node = replace(ADA, node="/a")
        store.records.append([entry("mine", scope="local"), entry("more", scope="local", kind="fact")], ENCODER)
        store.records.append([entry("theirs", viewpoint=node, scope="local")], ENCODER)
        assert store.counts.marks(seen_by(), order=Order.NEWEST, every=1)[0] == 2
        assert store.counts.marks(seen_by(as_owner=True), order=Order.NEWEST, every=1)[0] == 3
        facts = replace(seen_by(), where=parsed_filter({"kind": "fact"}))
        assert store.counts.marks(facts, order=Order.OLDEST, every=5) == (1, [])
        assert store.counts.marks(seen_by(replace(ADA, actor_id="nobody")), order=Order.NEWEST, every=1) == (0, [])

    def test_nodes_are_counted_by_what_reaches_the_reader(self, store: Store) -> None:
        for name, scope in (("/", "global"), ("/a", "local"), ("/a", "shared"), ("/a/b", "shared")):
            store.records.append(
                [entry(f"{name} {scope}", viewpoint=replace(ADA, node=name), scope=scope)], ENCODER
            )
        assert store.counts.nodes(seen_by()) == [("/", Scope.GLOBAL.value, 1), ("/a", "shared", 1)]
        assert store.counts.nodes(seen_by(replace(ADA, node="/x"))) == [("/", "global", 1)]
        assert len(store.counts.nodes(seen_by(as_owner=True))) == 4


DAY = timedelta(days=1)


class SupersedeContract:
    """Versions, valid time and recorded time."""

    def test_the_newest_version_is_seen_and_all_are_kept(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("lives in Oslo")], ENCODER)
        second = store.records.supersede(
            seen_by(now=START + DAY), version_after(first, "lives in Bergen", START + DAY), ENCODER
        )
        assert second.version == 2
        assert store.records.get(seen_by(now=START + DAY), [first.id]) == [second]
        old, new = store.records.history(seen_by(now=START + DAY), first.id)
        assert (old.text, old.superseded_at, new.text) == ("lives in Oslo", START + DAY, "lives in Bergen")

    def test_only_the_next_version_is_taken(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("one")], ENCODER)
        late = version_after(first, "two, by the slower", START)
        store.records.supersede(seen_by(), version_after(first, "two", START), ENCODER)
        with pytest.raises(PreconditionFailed):
            store.records.supersede(seen_by(), late, ENCODER)
        assert store.records.get(seen_by(), [first.id])[0].text == "two"

    def test_a_record_that_is_not_there_cannot_be_superseded(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("one")], ENCODER)
        store.records.erase(seen_by(), [first.id])
        with pytest.raises(NotFound):
            store.records.supersede(seen_by(), version_after(first, "two", START), ENCODER)

    def test_as_of_sees_what_was_known_then(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("red door", START)], ENCODER)
        store.records.supersede(seen_by(now=START + DAY), version_after(first, "blue gate", START + DAY), ENCODER)
        later = START + 5 * DAY
        then = seen_by(now=later, as_of=START + DAY / 2)
        assert store.records.get(then, [first.id])[0].text == "red door"
        assert list(by_words(store, then, ["red"], 5)) == [first.id]
        assert by_words(store, then, ["blue"], 5) == {}
        assert store.records.get(seen_by(now=later, as_of=START - DAY), [first.id]) == []
        assert store.records.get(seen_by(now=later, as_of=START + DAY), [first.id])[0].text == "blue gate"

    def test_valid_at_sees_what_was_true_then(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("in Oslo", valid_from=START)], ENCODER)
        now = START + 30 * DAY
        store.records.supersede(
            seen_by(now=now), version_after(first, "in Bergen", now, valid_from=START + 10 * DAY), ENCODER
        )
        assert store.records.get(seen_by(now=now, valid_at=START + 5 * DAY), [first.id])[0].text == "in Oslo"
        assert store.records.get(seen_by(now=now, valid_at=START + 20 * DAY), [first.id])[0].text == "in Bergen"
        assert store.records.get(seen_by(now=now, valid_at=START - DAY), [first.id]) == []

    def test_a_correction_replaces_what_was_believed_true(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("born in 1980", valid_from=START)], ENCODER)
        now = START + 3 * DAY
        store.records.supersede(
            seen_by(now=now), version_after(first, "born in 1981", now, valid_from=START), ENCODER
        )
        assert store.records.get(seen_by(now=now, valid_at=START + DAY), [first.id])[0].text == "born in 1981"
        believed = seen_by(now=now, valid_at=START + DAY, as_of=START + DAY)
        assert store.records.get(believed, [first.id])[0].text == "born in 1980"

    def test_one_version_at_most_is_seen_at_any_pair_of_moments(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("v1", valid_from=START)], ENCODER)
        for number, begins in enumerate((20, 5, 12), 2):
            now = START + number * DAY
            version = version_after(record, f"v{number}", now, valid_from=START + begins * DAY)
            record = store.records.supersede(seen_by(now=now), version, ENCODER)
        for known in range(6):
            for true in range(25):
                access = seen_by(now=START + 9 * DAY, as_of=START + known * DAY, valid_at=START + true * DAY)
                assert len(list(store.records.scan(access, order=Order.OLDEST))) == 1


LATER = START + timedelta(minutes=1)
CHILD = Viewpoint(actor_id="ada", node="/child")


class VersionsContract:
    """Earlier versions, and earlier records with the same words."""

    def test_the_version_before_is_given_and_no_other(self, store: Store) -> None:
        newest = _first(store, entry("one"))
        assert store.records.previous(seen_by(), [newest]) == {}
        for text in ("two", "three"):
            newest = store.records.supersede(seen_by(), version_after(newest, text, LATER), ENCODER)
        assert {record_id: old.text for record_id, old in store.records.previous(seen_by(), [newest]).items()} == {
            newest.id: "two"
        }
        assert store.records.previous(seen_by(), []) == {}

    def test_nobody_learns_what_was_before_a_record_he_does_not_see(self, store: Store) -> None:
        newest = store.records.supersede(
            seen_by(), version_after(_first(store, entry("one")), "two", LATER), ENCODER
        )
        for viewpoint in (Viewpoint(actor_id="eve"), CHILD):
            assert store.records.previous(seen_by(viewpoint), [newest]) == {}

    def test_a_version_of_a_narrower_scope_stays_where_it_was(self, store: Store) -> None:
        secret = _first(store, entry("for me only"))
        newest = store.records.supersede(
            seen_by(), version_after(secret, "for all", LATER, scope="global"), ENCODER
        )
        assert store.records.get(seen_by(CHILD, LATER), [newest.id]) == [newest]
        assert store.records.previous(seen_by(CHILD, LATER), [newest]) == {}
        assert store.records.history(seen_by(CHILD, LATER), newest.id) == [newest]
        assert list(store.records.previous(seen_by(now=LATER), [newest])) == [newest.id]

    def test_the_first_to_say_the_same_words_is_found(self, store: Store) -> None:
        first, second = _first(store, entry("Yes,  we CAN.")), _first(store, entry("yes, we can"))
        new = record_of("Yes, we can!")
        assert store.records.said_before(seen_by(), [new, record_of("no")]) == {new.id: first.id}
        store.records.erase(seen_by(), [first.id])
        assert store.records.said_before(seen_by(), [new]) == {new.id: second.id}

    def test_only_the_same_speaker_repeats_himself(self, store: Store) -> None:
        _first(store, entry("yes", speaker="Ada"))
        assert store.records.said_before(seen_by(), [record_of("yes", speaker="Ben"), record_of("yes")]) == {}

    def test_words_are_known_only_where_they_are_seen(self, store: Store) -> None:
        first = _first(store, entry("yes"))
        for viewpoint in (Viewpoint(actor_id="eve"), CHILD):
            assert store.records.said_before(seen_by(viewpoint), [record_of("yes", viewpoint=viewpoint)]) == {}
        store.records.revise(
            seen_by(), [first.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        assert store.records.said_before(seen_by(), [record_of("yes")]) == {}

    def test_words_that_were_replaced_are_not_said_any_more(self, store: Store) -> None:
        first = _first(store, entry("yes"))
        store.records.supersede(seen_by(), version_after(first, "no", LATER), ENCODER)
        yes, no = record_of("yes"), record_of("no")
        assert store.records.said_before(seen_by(now=LATER), [yes, no]) == {no.id: first.id}

    def test_a_repetition_is_tied_to_the_first_if_it_is_there(self, store: Store) -> None:
        first = _first(store, entry("yes"))
        again = _first(store, msgspec.structs.replace(entry("yes", LATER), repeats=first.id))
        [link] = store.links.of(seen_by(now=LATER), again.id)
        assert (link.source_id, link.target_id, link.kind) == (again.id, first.id, LinkKind.REPEATS)
        lone = _first(store, msgspec.structs.replace(entry("yes", LATER), repeats="nothing"))
        assert store.links.of(seen_by(now=LATER), lone.id) == []


def _first(store: Store, new: NewRecord) -> Record:
    [(record, _)] = store.records.append([new], ENCODER)
    return record
