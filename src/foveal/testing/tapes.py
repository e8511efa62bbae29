"""The contract of tapes: how they are built and used, and what a viewpoint may see of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from foveal.errors import Conflict, NotFound
from foveal.model.glyph import TapeState
from foveal.model.query import Viewpoint
from foveal.model.record import Record
from foveal.ports.store import Capability, Order, Store
from foveal.ports.tapes import Cutting, Found, StoredFamily
from foveal.rules.addresses import generic_plane
from foveal.rules.glyphs import key, rounded
from foveal.testing.builders import ADA, DIMENSION, ENCODER, START, entry, seen_by, vector_of

EVE = Viewpoint(actor_id="eve")
NODE = Viewpoint(actor_id="ada", node="/a")
PLANE = generic_plane(DIMENSION)


def _write(store: Store, *texts: str, viewpoint: Viewpoint = ADA) -> list[Record]:
    return [
        record for record, _ in store.records.append([entry(text, viewpoint=viewpoint) for text in texts], ENCODER)
    ]


def _cut(store: Store, tape: int, *, family: int | None = None, digits: str | None = None) -> None:
    """Store every uncut text as a single phrase."""
    texts = store.tapes.uncut(ADA, tape, 100)
    points = {uncut.seq: rounded(vector_of(uncut.text)) for uncut in texts}
    store.tapes.put_phrases(
        ADA,
        tape,
        [
            Cutting(
                seq=uncut.seq, spans=[(0, len(uncut.text), key(uncut.text))], point=points[uncut.seq], digits=digits
            )
            for uncut in texts
        ],
        [
            Found(key=key(uncut.text), language="en", point=points[uncut.seq], family=family, likeness=0.8)
            for uncut in texts
        ],
    )


def _built(store: Store, *families: list[str], digits: str = "012") -> int:
    """A finished tape with these families."""
    tape = store.tapes.begin(ADA, ENCODER.id, START).number
    _cut(store, tape)
    kin = [
        StoredFamily(
            number=number,
            centre=rounded(vector_of(words[0])),
            digits=digits,
            x=0.25,
            y=0.5,
            members=[(key(text), round(0.9 - 0.1 * n, 4)) for n, text in enumerate(words)],
        )
        for number, words in enumerate(families)
    ]
    store.tapes.put_families(ADA, tape, kin, PLANE, "seal")
    store.tapes.put_places(ADA, tape, [(seq, digits) for seq, _ in store.tapes.unplaced(ADA, tape, 100)])
    store.tapes.finish(ADA, tape)
    return tape


class TapesContract:
    """Tapes, families and phrases in a store."""

    def test_a_tape_grows_from_state_to_state_and_can_be_taken_up_again(self, store: Store) -> None:
        with pytest.raises(NotFound):
            store.tapes.begin(ADA, ENCODER.id, START)
        _write(store, "see you soon", "see you later", "see you soon")
        tape = store.tapes.begin(ADA, ENCODER.id, START)
        assert (tape.number, tape.state, tape.active) == (1, TapeState.CUTTING, False)
        assert store.tapes.count_uncut(ADA, 1) == 3
        assert [uncut.text for uncut in store.tapes.uncut(ADA, 1, 2)] == ["see you soon", "see you later"]
        _cut(store, 1)
        assert store.tapes.begin(ADA, ENCODER.id, START).records == 3
        assert store.tapes.uncut(ADA, 1, 9) == []
        points = store.tapes.points(ADA, 1)
        assert dict(zip(points.keys.tolist(), points.uses.tolist(), strict=True)) == {
            key("see you soon"): 2,
            key("see you later"): 1,
        }
        assert (points.points[points.keys == key("see you soon")][0] == rounded(vector_of("see you soon"))).all()
        with pytest.raises(Conflict):
            store.tapes.use(ADA, 1)
        kin = StoredFamily(
            number=0, centre=points.points[0], digits="0", x=0.0, y=0.0, members=[(int(points.keys[0]), 1.0)]
        )
        store.tapes.put_families(ADA, 1, [kin], PLANE, "seal")
        with pytest.raises(Conflict):
            store.tapes.put_families(ADA, 1, [kin], PLANE, "seal")
        assert len(store.tapes.unplaced(ADA, 1, 2)) == 2
        store.tapes.put_places(ADA, 1, [(seq, "00") for seq, _ in store.tapes.unplaced(ADA, 1, 9)])
        assert store.tapes.unplaced(ADA, 1, 9) == []
        store.tapes.finish(ADA, 1)
        [done] = store.tapes.all(ADA)
        assert (done.state, done.records, done.phrases, done.families) == (TapeState.READY, 3, 2, 1)
        assert (done.waiting, done.digest, done.encoder) == (1, "seal", ENCODER.id)

    def test_an_unfinished_tape_of_another_encoder_is_dropped(self, store: Store) -> None:
        _write(store, "one two three")
        store.tapes.begin(ADA, "other-1", START)
        _cut(store, 1)
        again = store.tapes.begin(ADA, ENCODER.id, START)
        assert (again.encoder, again.records, len(store.tapes.all(ADA))) == (ENCODER.id, 0, 1)

    def test_cutting_twice_changes_nothing(self, store: Store) -> None:
        [first, *_] = _write(store, "see you soon", "bye for now")
        store.tapes.begin(ADA, ENCODER.id, START)
        texts = store.tapes.uncut(ADA, 1, 9)
        point = rounded(vector_of("x"))
        cut = [Cutting(seq=text.seq, spans=[(0, 3, 7)], point=point) for text in texts]
        for _ in range(2):
            store.tapes.put_phrases(ADA, 1, cut, [Found(key=7, language="en", point=point)])
        assert store.tapes.points(ADA, 1).uses.tolist() == [2]
        store.records.erase(seen_by(), [first.id])
        store.tapes.put_phrases(ADA, 1, cut, [Found(key=7, language="en", point=point)])
        assert store.tapes.points(ADA, 1).uses.tolist() == [1]

    def test_families_and_phrases_are_told_by_what_was_said(self, store: Store) -> None:
        _write(store, "see you soon", "see you later", "see you soon", "the new house")
        tape = _built(store, ["see you soon", "see you later"], ["the new house"])
        access = seen_by()
        first, second = store.tapes.families(access, tape)
        assert (first.number, first.label, first.size, first.uses) == (0, "see you soon", 2, 3)
        assert first.coherence == pytest.approx(0.85)  # pyright: ignore[reportUnknownMemberType]
        assert (first.languages, first.entropy, first.digits, first.x, first.y) == (
            {"en": 2},
            0.0,
            "012",
            0.25,
            0.5,
        )
        assert first.examples == ("see you soon", "see you later")
        assert second.label == "the new house"
        assert [family.number for family in store.tapes.families(access, tape, numbers=[1, 7])] == [1]
        assert [family.number for family in store.tapes.families(access, tape, limit=1)] == [0]
        assert store.tapes.families(access, tape, prefix="1") == []
        assert len(store.tapes.families(access, tape, prefix="01")) == 2
        assert [phrase.text for phrase in store.tapes.family_phrases(access, tape, 0, 1)] == ["see you soon"]
        records = store.tapes.family_records(access, tape, 0, 9)
        assert sorted(record.text for record in records) == ["see you later", "see you soon", "see you soon"]
        assert {(record.address.digits, record.address.tape) for record in records} == {("012", tape)}
        assert store.tapes.family_records(access, tape, 0, 1) == records[:1]
        keyed = store.tapes.phrases_by_key(access, tape, [key("see you later"), 5])
        assert [(phrase.family, phrase.member, phrase.uses) for phrase in keyed.values()] == [(0, 1, 1)]
        assert store.tapes.phrases_by_member(access, tape, [(0, 1), (1, 0), (9, 9)]) == {
            (0, 1): "see you later",
            (1, 0): "the new house",
        }
        chart = store.tapes.chart(ADA, tape)
        assert chart.numbers.tolist() == [0, 1]
        assert (chart.centres[1] == rounded(vector_of("the new house"))).all()
        assert np.array_equal(chart.plane.axes, PLANE.axes)

    def test_the_words_of_phrases_are_there_for_building_whoever_may_see_them(self, store: Store) -> None:
        _write(store, "see you soon", "see you later")
        _write(store, "the blue boat", viewpoint=NODE)
        tape = _built(store, ["see you soon", "see you later"], ["the blue boat"])
        keys = [key("see you soon"), key("the blue boat"), key("never said")]
        words = store.tapes.words(ADA, tape, keys=keys)
        assert {(worded.key, worded.family, worded.text) for worded in words} == {
            (keys[0], 0, "see you soon"),
            (keys[1], 1, "the blue boat"),
        }
        assert {worded.text for worded in store.tapes.words(ADA, tape, families=[0, 7])} == {
            "see you soon",
            "see you later",
        }
        assert store.tapes.words(ADA, tape) == store.tapes.words(EVE, tape, keys=keys) == []

    def test_without_one_in_use_the_newest_finished_tape_of_the_encoder_is_read(self, store: Store) -> None:
        _write(store, "see you soon")
        assert store.tapes.count_uncut(ADA, 0) == 1
        assert store.tapes.legible(ADA, ENCODER.id) == store.tapes.legible(EVE, ENCODER.id) == 0
        first = _built(store, ["see you soon"])
        assert store.tapes.legible(ADA, ENCODER.id) == first
        assert store.tapes.legible(ADA, "another") == 0
        second = _built(store, ["see you soon"])
        unfinished = store.tapes.begin(ADA, ENCODER.id, START).number
        assert store.tapes.legible(ADA, ENCODER.id) == second < unfinished
        store.tapes.use(ADA, first)
        assert store.tapes.legible(ADA, ENCODER.id) == store.tapes.legible(ADA, "another") == first

    def test_mentions_are_those_of_the_record(self, store: Store) -> None:
        [known, unlike] = _write(store, "see you soon", "unlike it")
        tape = _built(store, ["see you soon"])
        mentions = store.tapes.mentions(seen_by(), tape, [known.id, unlike.id])
        assert list(mentions) == [known.id]
        [mention] = mentions[known.id]
        assert (mention.start, mention.end, mention.text, mention.family, mention.member) == (
            0,
            12,
            known.text,
            0,
            0,
        )
        assert mention.exact

    def test_a_later_phrase_joins_a_family_as_its_next_member_or_waits(self, store: Store) -> None:
        _write(store, "see you soon", "see you later")
        tape = _built(store, ["see you soon", "see you later"])
        _write(store, "see you around")
        _cut(store, tape, family=0, digits="1")
        _write(store, "nothing like it")
        _cut(store, tape, digits="2")
        assert store.tapes.phrases_by_member(seen_by(), tape, [(0, 2)]) == {(0, 2): "see you around"}
        assert store.tapes.all(ADA)[0].waiting == 1
        assert store.tapes.families(seen_by(), tape)[0].size == 3

    def test_what_one_may_not_see_one_does_not_learn_from_a_tape(self, store: Store) -> None:
        _write(store, "the shared words")
        _write(store, "the secret words", "the secret word", viewpoint=NODE)
        tape = _built(store, ["the secret words", "the shared words"], ["the secret word"])
        [family] = store.tapes.families(seen_by(), tape)
        assert (family.label, family.size, family.uses, family.examples) == (
            "the shared words",
            1,
            1,
            ("the shared words",),
        )
        assert store.tapes.phrases_by_key(seen_by(), tape, [key("the secret words")]) == {}
        assert store.tapes.phrases_by_member(seen_by(), tape, [(0, 0), (1, 0)]) == {}
        assert store.tapes.family_phrases(seen_by(), tape, 1, 9) == []
        assert [len(store.tapes.family_records(seen_by(), tape, number, 9)) for number in (0, 1, 7)] == [1, 0, 0]
        assert len(store.tapes.placed(seen_by(), tape)) == 1
        assert store.tapes.count_placed(seen_by(), tape, [""]) == [1]
        assert len(store.tapes.families(seen_by(NODE), tape)) == 2
        for stranger in (EVE, Viewpoint(actor_id="ada", world="mars")):
            access = seen_by(stranger, as_owner=True, include_hidden=True)
            assert store.tapes.all(stranger) == []
            assert store.tapes.families(access, tape) == store.tapes.family_records(access, tape, 0, 9) == []
            assert store.tapes.placed(access, tape) == []
            assert store.tapes.phrases_by_key(access, tape, [key("the shared words")]) == {}
            for call in (
                lambda who=stranger: store.tapes.uncut(who, tape, 9),
                lambda who=stranger: store.tapes.points(who, tape),
                lambda who=stranger: store.tapes.chart(who, tape),
                lambda who=stranger: store.tapes.use(who, tape),
            ):
                with pytest.raises(NotFound):
                    call()

    def test_what_is_forgotten_is_not_shown_and_what_is_erased_is_gone(self, store: Store) -> None:
        [soft, hard, kept] = _write(store, "a soft secret", "a hard secret", "plain words here")
        tape = _built(store, ["a soft secret", "plain words here"], ["a hard secret"])
        store.records.revise(
            seen_by(), [soft.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        assert [family.label for family in store.tapes.families(seen_by(), tape)] == [
            "plain words here",
            "a hard secret",
        ]
        store.records.erase(seen_by(), [hard.id])
        assert [family.label for family in store.tapes.families(seen_by(), tape)] == ["plain words here"]
        assert store.tapes.chart(ADA, tape).numbers.tolist() == [0]
        [left] = store.tapes.all(ADA)
        assert (left.records, left.phrases, left.families) == (2, 2, 1)
        assert [record.id for record in store.tapes.placed(seen_by(), tape)] == [kept.id]

    def test_a_tape_in_use_shows_its_addresses_and_the_others_stay_resolvable(self, store: Store) -> None:
        [early, late] = _write(store, "see you soon", "see you later")
        before = early.address
        first = _built(store, ["see you soon"], digits="012")
        second = _built(store, ["see you later"], digits="2")
        assert store.tapes.shown(ADA) == 0
        for tape, digits in ((first, "012"), (second, "2")):
            store.tapes.use(ADA, tape)
            assert store.tapes.shown(ADA) == tape
            [shown, _] = store.records.get(seen_by(), [early.id, late.id])
            assert (shown.address.digits, shown.address.tape) == (digits, tape)
            assert shown.address.time_slice == before.time_slice
            assert [record.address for record in store.tapes.placed(seen_by(), 0, prefix=before.digits)][
                0
            ] == before
            assert {record.address.digits for record in store.tapes.placed(seen_by(), first)} == {"012"}
            assert {record.address.digits for record in store.tapes.placed(seen_by(), second)} == {"2"}
            assert store.tapes.count_placed(seen_by(), tape, ["", digits, "1"]) == [2, 2, 0]
        [record] = store.tapes.placed(seen_by(), first, prefix="01", region=early.region, time_slice=1, limit=5)
        assert record.id == late.id
        store.tapes.use(ADA, 0)
        assert store.records.get(seen_by(), [early.id])[0].address == before
        with pytest.raises(NotFound):
            store.tapes.use(ADA, 9)

    def test_a_tape_that_is_not_in_use_can_be_dropped_and_its_number_is_not_given_again(self, store: Store) -> None:
        [record] = _write(store, "see you soon")
        first = _built(store, ["see you soon"], digits="012")
        second = _built(store, ["see you soon"], digits="2")
        store.tapes.use(ADA, second)
        with pytest.raises(Conflict):
            store.tapes.drop(ADA, second)
        store.tapes.drop(ADA, first)
        assert [tape.number for tape in store.tapes.all(ADA)] == [second]
        assert store.tapes.placed(seen_by(), first) == store.tapes.families(seen_by(), first) == []
        assert store.records.get(seen_by(), [record.id])[0].address.digits == "2"
        for viewpoint, number in ((ADA, first), (ADA, 0), (EVE, second)):
            with pytest.raises(NotFound):
                store.tapes.drop(viewpoint, number)
        store.tapes.use(ADA, 0)
        store.tapes.drop(ADA, second)
        assert store.records.get(seen_by(), [record.id])[0].address == record.address
        assert store.tapes.begin(ADA, ENCODER.id, START).number == second + 1
        store.tapes.drop(ADA, second + 1)
        assert (store.tapes.all(ADA), store.check()) == ([], [])

    def test_a_prefix_of_the_digits_finds_the_cells_under_it(self, store: Store) -> None:
        places = ("", "0", "01", "012012012", "012012011", "012012", "2")
        for digits in places:
            new = entry(f"at {digits}")
            address = msgspec.structs.replace(new.record.address, digits=digits)
            placed = msgspec.structs.replace(new.record, address=address)
            store.records.append([msgspec.structs.replace(new, record=placed)], ENCODER)
        for prefix in ("", *places, "01201201", "1", "3", "0'", "é", "0" * 300):
            access = seen_by(filters={"digits": {"prefix": prefix}, "tape": 0})
            found = [record.address.digits for record in store.records.scan(access, order=Order.OLDEST)]
            assert sorted(found) == sorted(digits for digits in places if digits.startswith(prefix)), prefix
            others = seen_by(filters={"not": {"digits": {"prefix": prefix}}})
            assert len(list(store.records.scan(others, order=Order.OLDEST))) == len(places) - len(found)
            assert list(store.records.scan(seen_by(filters={"tape": 1}), order=Order.OLDEST)) == []

    def test_what_comes_later_is_shown_on_the_tape_in_use_once_it_is_placed(self, store: Store) -> None:
        _write(store, "see you soon")
        tape = _built(store, ["see you soon"])
        store.tapes.use(ADA, tape)
        [new] = _write(store, "bye for now")
        assert store.records.get(seen_by(), [new.id])[0].address == new.address
        _cut(store, tape, digits="22")
        [shown] = store.records.get(seen_by(), [new.id])
        assert (shown.address.digits, shown.address.tape) == ("22", tape)
        assert new.id in {record.id for record in store.tapes.placed(seen_by(), 0)}

    def test_tapes_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        if Capability.DURABLE not in store.capabilities:
            return
        _write(store, "see you soon", "see you later")
        store.tapes.use(ADA, _built(store, ["see you soon", "see you later"]))
        before = store.tapes.all(ADA), store.tapes.families(seen_by(), 1)
        again = reopen()
        assert (again.tapes.all(ADA), again.tapes.families(seen_by(), 1)) == before
        assert again.tapes.shown(ADA) == 1
        assert again.check() == []
