"""A record is never edited: versions follow each other, and both clocks can be asked."""

from __future__ import annotations

from datetime import timedelta

import pytest

from foveal.errors import NotFound, PreconditionFailed
from foveal.ports.store import Order, Store
from foveal.testing.building import ENCODER, START, by_words, entry, seen_by, version_after

DAY = timedelta(days=1)


class SupersedeContract:
    """Versions, and what was known and true when."""

    def test_the_newest_version_is_seen_and_all_are_kept(self, store: Store) -> None:
        [(first, _)] = store.append([entry("lives in Oslo")], ENCODER)
        second = store.supersede(
            seen_by(now=START + DAY), version_after(first, "lives in Bergen", START + DAY), ENCODER
        )
        assert second.version == 2
        assert store.get(seen_by(now=START + DAY), [first.id]) == [second]
        old, new = store.history(seen_by(now=START + DAY), first.id)
        assert (old.text, old.superseded_at, new.text) == ("lives in Oslo", START + DAY, "lives in Bergen")

    def test_only_the_next_version_is_taken(self, store: Store) -> None:
        [(first, _)] = store.append([entry("one")], ENCODER)
        late = version_after(first, "two, by the slower", START)
        store.supersede(seen_by(), version_after(first, "two", START), ENCODER)
        with pytest.raises(PreconditionFailed):
            store.supersede(seen_by(), late, ENCODER)
        assert store.get(seen_by(), [first.id])[0].text == "two"

    def test_a_record_that_is_not_there_cannot_be_superseded(self, store: Store) -> None:
        [(first, _)] = store.append([entry("one")], ENCODER)
        store.erase(seen_by(), [first.id])
        with pytest.raises(NotFound):
            store.supersede(seen_by(), version_after(first, "two", START), ENCODER)

    def test_as_of_sees_what_was_known_then(self, store: Store) -> None:
        [(first, _)] = store.append([entry("red door", START)], ENCODER)
        store.supersede(seen_by(now=START + DAY), version_after(first, "blue gate", START + DAY), ENCODER)
        later = START + 5 * DAY
        then = seen_by(now=later, as_of=START + DAY / 2)
        assert store.get(then, [first.id])[0].text == "red door"
        assert list(by_words(store, then, ["red"], 5)) == [first.id]
        assert by_words(store, then, ["blue"], 5) == {}
        assert store.get(seen_by(now=later, as_of=START - DAY), [first.id]) == []
        assert store.get(seen_by(now=later, as_of=START + DAY), [first.id])[0].text == "blue gate"

    def test_valid_at_sees_what_was_true_then(self, store: Store) -> None:
        [(first, _)] = store.append([entry("in Oslo", valid_from=START)], ENCODER)
        now = START + 30 * DAY
        store.supersede(
            seen_by(now=now), version_after(first, "in Bergen", now, valid_from=START + 10 * DAY), ENCODER
        )
        assert store.get(seen_by(now=now, valid_at=START + 5 * DAY), [first.id])[0].text == "in Oslo"
        assert store.get(seen_by(now=now, valid_at=START + 20 * DAY), [first.id])[0].text == "in Bergen"
        assert store.get(seen_by(now=now, valid_at=START - DAY), [first.id]) == []

    def test_a_correction_replaces_what_was_believed_true(self, store: Store) -> None:
        [(first, _)] = store.append([entry("born in 1980", valid_from=START)], ENCODER)
        now = START + 3 * DAY
        store.supersede(seen_by(now=now), version_after(first, "born in 1981", now, valid_from=START), ENCODER)
        assert store.get(seen_by(now=now, valid_at=START + DAY), [first.id])[0].text == "born in 1981"
        believed = seen_by(now=now, valid_at=START + DAY, as_of=START + DAY)
        assert store.get(believed, [first.id])[0].text == "born in 1980"

    def test_one_version_at_most_is_seen_at_any_pair_of_moments(self, store: Store) -> None:
        [(record, _)] = store.append([entry("v1", valid_from=START)], ENCODER)
        for number, begins in enumerate((20, 5, 12), 2):
            now = START + number * DAY
            said = {"valid_from": START + begins * DAY}
            record = store.supersede(seen_by(now=now), version_after(record, f"v{number}", now, **said), ENCODER)
        for known in range(6):
            for true in range(25):
                sight = seen_by(now=START + 9 * DAY, as_of=START + known * DAY, valid_at=START + true * DAY)
                assert len(list(store.scan(sight, order=Order.OLDEST))) == 1
