"""A record knows what it replaced, and which record said its words first."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from foveal.model.query import Viewpoint
from foveal.model.record import LinkKind, Record
from foveal.ports.store import Entry, Store
from foveal.testing.building import ENCODER, START, entry, record_of, seen_by, version_after

LATER = START + timedelta(minutes=1)
CHILD = Viewpoint(actor_id="ada", node="/child")


class VersionsContract:
    """Earlier versions, and earlier words."""

    def test_the_version_before_is_given_and_no_other(self, store: Store) -> None:
        newest = _first(store, entry("one"))
        assert store.previous(seen_by(), [newest]) == {}
        for text in ("two", "three"):
            newest = store.supersede(seen_by(), version_after(newest, text, LATER), ENCODER)
        assert {one: old.text for one, old in store.previous(seen_by(), [newest]).items()} == {newest.id: "two"}
        assert store.previous(seen_by(), []) == {}

    def test_nobody_learns_what_was_before_a_record_he_does_not_see(self, store: Store) -> None:
        newest = store.supersede(seen_by(), version_after(_first(store, entry("one")), "two", LATER), ENCODER)
        for viewpoint in (Viewpoint(actor_id="eve"), CHILD):
            assert store.previous(seen_by(viewpoint), [newest]) == {}

    def test_a_version_of_a_narrower_scope_stays_where_it_was(self, store: Store) -> None:
        secret = _first(store, entry("for me only"))
        newest = store.supersede(seen_by(), version_after(secret, "for all", LATER, scope="global"), ENCODER)
        assert store.get(seen_by(CHILD, LATER), [newest.id]) == [newest]
        assert store.previous(seen_by(CHILD, LATER), [newest]) == {}
        assert store.history(seen_by(CHILD, LATER), newest.id) == [newest]
        assert list(store.previous(seen_by(now=LATER), [newest])) == [newest.id]

    def test_the_first_to_say_the_same_words_is_found(self, store: Store) -> None:
        first, second = _first(store, entry("Yes,  we CAN.")), _first(store, entry("yes, we can"))
        new = record_of("Yes, we can!")
        assert store.said_before(seen_by(), [new, record_of("no")]) == {new.id: first.id}
        store.erase(seen_by(), [first.id])
        assert store.said_before(seen_by(), [new]) == {new.id: second.id}

    def test_only_the_same_speaker_repeats_himself(self, store: Store) -> None:
        _first(store, entry("yes", speaker="Ada"))
        assert store.said_before(seen_by(), [record_of("yes", speaker="Ben"), record_of("yes")]) == {}

    def test_words_are_known_only_where_they_are_seen(self, store: Store) -> None:
        first = _first(store, entry("yes"))
        for viewpoint in (Viewpoint(actor_id="eve"), CHILD):
            assert store.said_before(seen_by(viewpoint), [record_of("yes", viewpoint=viewpoint)]) == {}
        store.revise(seen_by(), [first.id], lambda one: msgspec.structs.replace(one.vitals, forgotten_at=START))
        assert store.said_before(seen_by(), [record_of("yes")]) == {}

    def test_words_that_were_replaced_are_not_said_any_more(self, store: Store) -> None:
        first = _first(store, entry("yes"))
        store.supersede(seen_by(), version_after(first, "no", LATER), ENCODER)
        yes, no = record_of("yes"), record_of("no")
        assert store.said_before(seen_by(now=LATER), [yes, no]) == {no.id: first.id}

    def test_a_repetition_is_tied_to_the_first_if_it_is_there(self, store: Store) -> None:
        first = _first(store, entry("yes"))
        again = _first(store, msgspec.structs.replace(entry("yes", LATER), repeats=first.id))
        [link] = store.links(seen_by(now=LATER), again.id)
        assert (link.source_id, link.target_id, link.kind) == (again.id, first.id, LinkKind.REPEATS)
        lone = _first(store, msgspec.structs.replace(entry("yes", LATER), repeats="nothing"))
        assert store.links(seen_by(now=LATER), lone.id) == []


def _first(store: Store, one: Entry) -> Record:
    [(record, _)] = store.append([one], ENCODER)
    return record
