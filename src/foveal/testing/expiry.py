"""What has run out of time, or is forgotten, is out of sight at once."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from foveal.ports.store import Order, Store
from foveal.testing.building import ENCODER, START, by_vector, by_words, entry, seen_by, vector_of

HOUR = timedelta(hours=1)


class ExpiryContract:
    """Time to live, and forgetting."""

    def test_an_expired_record_is_out_of_every_sight(self, store: Store) -> None:
        [(brief, _), (kept, _)] = store.append([entry("brief note", ttl=HOUR), entry("kept note")], ENCODER)
        before, after = seen_by(now=START + HOUR / 2), seen_by(now=START + HOUR)
        assert len(store.get(before, [brief.id, kept.id])) == 2
        assert store.get(after, [brief.id]) == []
        assert list(by_words(store, after, ["note"], 5)) == [kept.id]
        assert list(by_vector(store, after, vector_of("brief note"), 5)) == [kept.id]
        assert [one.id for one in store.scan(after, order=Order.OLDEST)] == [kept.id]
        assert store.stats(after).records == 1

    def test_a_ttl_of_zero_expires_at_once(self, store: Store) -> None:
        [(record, _)] = store.append([entry("gone", ttl=0)], ENCODER)
        assert store.get(seen_by(), [record.id]) == []

    def test_as_of_sees_what_had_not_expired_then(self, store: Store) -> None:
        [(record, _)] = store.append([entry("brief", ttl=HOUR)], ENCODER)
        assert store.get(seen_by(now=START + 2 * HOUR, as_of=START), [record.id])

    def test_a_forgotten_record_is_out_of_every_sight_but_one(self, store: Store) -> None:
        [(record, _)] = store.append([entry("secret plan")], ENCODER)
        store.revise(seen_by(), [record.id], lambda one: msgspec.structs.replace(one.vitals, forgotten_at=START))
        assert store.get(seen_by(), [record.id]) == []
        assert store.get(seen_by(as_of=START), [record.id]) == []
        assert by_words(store, seen_by(), ["secret"], 5) == {}
        assert store.get(seen_by(hidden=True), [record.id])[0].text == "secret plan"
