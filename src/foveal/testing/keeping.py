"""The part of the story of the twins that tells of crystals and snapshots."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from foveal.model.crystal import Snapshot
from foveal.testing.crystals import crystal_of
from foveal.testing.pair import Pair, Told


class KeepingMoments(Pair):
    """Snapshots are taken and compared, crystals are made, changed and reaped."""

    @rule(number=st.integers(0, 3))
    def take_snapshot(self, number: int) -> None:
        taken = Snapshot(id=f"s{number}", label="x", taken_at=self.clock.now())
        self.both(lambda store: store.put_snapshot(self.viewpoint, taken))

    @rule(back=st.sampled_from([0, 1, 60]))
    def compare(self, back: int) -> None:
        moments = [one.taken_at for one in self.both(lambda store: store.snapshots(self.viewpoint))]
        until = self.clock.now() + timedelta(days=1)
        for since in (*moments, self.clock.now() - timedelta(minutes=back)):
            self.both(lambda store, since=since: store.changes(self.sight(), since, until))

    @rule(name=st.sampled_from("abc"), parent=st.sampled_from(["a", "b", None]), hours=st.sampled_from([0, 1, 9]))
    def crystallize(self, name: str, parent: str | None, hours: int) -> None:
        made = crystal_of(
            name,
            agent=self.viewpoint.node,
            timestamp=self.clock.now(),
            parent_crystal=parent,
            ttl=timedelta(hours=hours),
        )
        self.both(lambda store: store.put_crystal(self.viewpoint, made))

    @rule(
        name=st.sampled_from("abc"),
        change=st.sampled_from(["pin", "unpin", "touch", "compost", "erase", "reap"]),
    )
    def change_crystal(self, name: str, change: str) -> None:
        who, now = self.viewpoint, self.clock.now()
        calls: dict[str, Callable[[Told], Any]] = {
            "pin": lambda store: store.mark_crystal(who, name, pinned=True),
            "unpin": lambda store: store.mark_crystal(who, name, pinned=False),
            "touch": lambda store: store.mark_crystal(who, name, touched_at=now),
            "compost": lambda store: store.compost_crystal(who, name, now, hard=False),
            "erase": lambda store: store.compost_crystal(who, name, now, hard=True),
            "reap": lambda store: store.reap_crystals(who, now),
        }
        self.both(calls[change])
        self.both(lambda store: store.crystal(who, name))
        self.both(lambda store: store.ancestry(who, name))
        self.both(lambda store: store.lineages(who))
