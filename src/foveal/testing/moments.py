"""A snapshot is exact: what comes after it is dated after it, and what changed since is found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec
import pytest

from foveal.errors import Conflict
from foveal.model.crystal import Changes, Snapshot
from foveal.model.query import Viewpoint
from foveal.ports.store import Capability, Order, Store
from foveal.testing.building import ADA, ENCODER, START, entry, entry_of, record_of, seen_by, version_after

LATER = START + timedelta(days=9)


def _forget(store: Store, record_id: str, at: datetime | None) -> None:
    sight = seen_by(now=START, hidden=True)
    store.revise(sight, [record_id], lambda one: msgspec.structs.replace(one.vitals, forgotten_at=at))


class MomentsContract:
    """Snapshots, with a clock that stands still: the worst that can happen to them."""

    def test_what_is_written_after_a_snapshot_is_not_in_it(self, store: Store) -> None:
        [(first, _)] = store.append([entry("first")], ENCODER)
        taken = store.put_snapshot(ADA, Snapshot(id="s", label="one", taken_at=START))
        [(second, _)] = store.append([entry("second")], ENCODER)
        changed = store.supersede(seen_by(), version_after(first, "first again", START), ENCODER)
        assert taken.taken_at < second.recorded_at <= changed.recorded_at
        then = seen_by(now=LATER, as_of=taken.taken_at)
        assert [one.text for one in store.scan(then, order=Order.OLDEST)] == ["first"]
        assert {one.text for one in store.scan(seen_by(), order=Order.OLDEST)} == {"first again", "second"}

    def test_a_snapshot_has_everything_that_was_stored_before_it(self, store: Store) -> None:
        store.append([entry("by a clock that runs ahead", START + timedelta(seconds=5))], ENCODER)
        taken = store.put_snapshot(ADA, Snapshot(id="s", label="one", taken_at=START))
        assert len(list(store.scan(seen_by(now=LATER, as_of=taken.taken_at), order=Order.OLDEST))) == 1
        again = store.put_snapshot(ADA, Snapshot(id="t", label="two", taken_at=START))
        assert store.snapshots(ADA) == [taken, again]
        assert store.snapshots(Viewpoint(actor_id="eve")) == []
        with pytest.raises(Conflict):
            store.put_snapshot(ADA, taken)

    def test_moments_of_another_memory_stay(self, store: Store) -> None:
        store.put_snapshot(ADA, Snapshot(id="s", label="one", taken_at=LATER))
        moved = msgspec.structs.replace(entry_of(record_of("from elsewhere")), dated=True)
        [(record, _)] = store.append([moved], ENCODER)
        assert record.recorded_at == START

    def test_changes_say_what_became_of_each(self, store: Store) -> None:
        names = ("edited", "dropped", "found", "erased", "same", "both")
        ids = {name: store.append([entry(name)], ENCODER)[0][0] for name in names}
        _forget(store, ids["found"].id, START)
        since = store.put_snapshot(ADA, Snapshot(id="s", label="one", taken_at=START)).taken_at
        [(new, _)] = store.append([entry("new")], ENCODER)
        [(brief, _)] = store.append([entry("brief")], ENCODER)
        store.supersede(seen_by(), version_after(ids["edited"], "edited again", START), ENCODER)
        _forget(store, ids["dropped"].id, START)
        _forget(store, brief.id, START)
        _forget(store, ids["found"].id, None)
        _forget(store, ids["both"].id, START)
        _forget(store, ids["both"].id, None)
        store.erase(seen_by(), [ids["erased"].id])
        found = store.changes(seen_by(), since, LATER)
        assert found == Changes(
            added=(new.id,),
            superseded=(ids["edited"].id,),
            forgotten=(ids["dropped"].id,),
            recovered=(ids["found"].id,),
            erased=(ids["erased"].id,),
        )
        middle = store.put_snapshot(ADA, Snapshot(id="t", label="two", taken_at=START)).taken_at
        assert store.changes(seen_by(), since, middle) == found
        assert store.changes(seen_by(), middle, LATER) == Changes()

    def test_changes_are_seen_as_far_as_the_records_are(self, store: Store) -> None:
        a, b = Viewpoint(actor_id="ada", node="/a"), Viewpoint(actor_id="ada", node="/b")
        since = store.put_snapshot(ADA, Snapshot(id="s", label="one", taken_at=START)).taken_at
        [(mine, _), (gone, _)] = store.append([entry("mine", viewpoint=a), entry("gone", viewpoint=a)], ENCODER)
        store.erase(seen_by(a), [gone.id])
        assert store.changes(seen_by(a), since, LATER) == Changes(added=(mine.id,))
        assert store.changes(seen_by(b), since, LATER) == Changes()
        assert store.changes(seen_by(owner=True), since, LATER) == Changes(added=(mine.id,), erased=(gone.id,))
        assert store.changes(seen_by(Viewpoint(actor_id="eve")), since, LATER) == Changes()

    def test_snapshots_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        taken = store.put_snapshot(ADA, Snapshot(id="s", label="one", taken_at=START))
        durable = Capability.DURABLE in store.capabilities
        assert reopen().snapshots(ADA) == ([taken] if durable else [])
