"""Crystals are kept whole, seen by their own, and let go when their time is over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from foveal.errors import Conflict, NotFound, Pinned
from foveal.model.crystal import FocusFragment, Lineage, Reaped, Role, StateCrystal, TaskState
from foveal.model.query import Viewpoint
from foveal.model.record import Linearity
from foveal.ports.store import Capability, Store
from foveal.rules.crystals import lineage_of
from foveal.testing.building import ADA, START
from foveal.testing.pair import Pair

HOUR = timedelta(hours=1)


def crystal_of(name: str, **said: Any) -> StateCrystal:
    """A crystal with one fragment."""
    given: dict[str, Any] = {
        "agent": "/",
        "timestamp": START,
        "task_state": TaskState(task_id="t", description="a task", progress=0.5, metadata={"n": 1}),
        "working_memory": {"list": [1, 2], "text": "é"},
        "history_summary": f"summary of {name}",
        "focus_fragments": (fragment("kept word for word"),),
        "focus_tokens": 4,
        "ttl": HOUR,
    }
    return StateCrystal(crystal_id=name, **{**given, **said})


def fragment(text: str, place: int = 1) -> FocusFragment:
    """A fragment with this text."""
    return FocusFragment(
        hint="decision",
        content=text,
        position=place,
        linearity=Linearity.REQUIRED,
        id=f"f{place}",
        role=Role.ASSISTANT,
        rationale="says 'decision:'",
        condensed=True,
    )


class CrystalsContract:
    """What a store promises about crystals."""

    def test_a_crystal_comes_back_as_it_was_put(self, store: Store) -> None:
        long = crystal_of("a", focus_fragments=tuple(fragment(f"text {n} " * 900, n) for n in range(20)), budget=9)
        store.put_crystal(ADA, long)
        assert store.crystal(ADA, "a") == long
        with pytest.raises(Conflict):
            store.put_crystal(ADA, long)

    def test_what_a_caller_holds_cannot_change_what_is_kept(self, store: Store) -> None:
        memory: dict[str, Any] = {"n": 1}
        store.put_crystal(ADA, crystal_of("a", working_memory=memory))
        memory["n"] = 2
        found = store.crystal(ADA, "a").working_memory
        assert found == {"n": 1}
        assert isinstance(found, dict)
        found["n"] = 3
        assert store.crystal(ADA, "a").working_memory == {"n": 1}

    def test_a_crystal_takes_the_place_of_another_only_where_that_is_seen(self, store: Store) -> None:
        below = Viewpoint(actor_id="ada", node="/a")
        store.put_crystal(ADA, crystal_of("a", history_summary="before"))
        store.put_crystal(below, crystal_of("b", agent="/a", history_summary="before"))
        store.put_crystal(ADA, crystal_of("b", agent="/a", history_summary="after"), instead=True)
        assert store.crystal(below, "b").history_summary == "after"
        with pytest.raises(Conflict):
            store.put_crystal(below, crystal_of("a", agent="/a", history_summary="after"), instead=True)
        assert store.crystal(ADA, "a").history_summary == "before"

    def test_crystals_are_seen_by_their_node_and_those_above_only(self, store: Store) -> None:
        for node in ("/", "/a", "/a/b", "/ab"):
            store.put_crystal(Viewpoint(actor_id="ada", node=node), crystal_of(f"of {node}", agent=node))
        seen = {
            node: [one.agent for one in store.lineages(Viewpoint(actor_id="ada", node=node))]
            for node in ("/", "/a", "/a/b", "/c")
        }
        assert seen == {"/": ["/", "/a", "/a/b", "/ab"], "/a": ["/a", "/a/b"], "/a/b": ["/a/b"], "/c": []}
        for stranger in (
            Viewpoint(actor_id="eve"),
            Viewpoint(actor_id="ada", world="mars"),
            Viewpoint(actor_id="ada", node="/a"),
        ):
            for call in (
                lambda who=stranger: store.crystal(who, "of /"),
                lambda who=stranger: store.ancestry(who, "of /"),
                lambda who=stranger: store.mark_crystal(who, "of /", pinned=True),
                lambda who=stranger: store.compost_crystal(who, "of /", START, hard=True),
            ):
                with pytest.raises(NotFound):
                    call()

    def test_the_reaper_takes_what_is_over_and_leaves_tombstone_and_summary(self, store: Store) -> None:
        store.put_crystal(ADA, crystal_of("old"))
        store.put_crystal(ADA, crystal_of("pinned", pinned=True))
        store.put_crystal(ADA, crystal_of("young", ttl=3 * HOUR))
        assert store.reap_crystals(ADA, START + HOUR / 2).ids == ()
        reaped = store.reap_crystals(ADA, START + HOUR)
        assert (reaped.ids, reaped.skipped_pinned, reaped.skipped_unexpired) == (("old",), 1, 1)
        left = store.crystal(ADA, "old")
        assert (left.history_summary, left.focus_fragments, left.working_memory) == ("summary of old", (), {})
        assert left.reaped_at == START + HOUR
        assert store.reap_crystals(ADA, START + HOUR).ids == ()
        with pytest.raises(NotFound):
            store.mark_crystal(ADA, "old", pinned=True)

    def test_a_lineage_goes_on_through_tombstones(self, store: Store) -> None:
        store.put_crystal(ADA, crystal_of("a"))
        store.put_crystal(ADA, crystal_of("b", parent_crystal="a", branch_depth=1, pinned=True))
        store.put_crystal(ADA, crystal_of("c", parent_crystal="b", branch_depth=2, branch_reason="another way"))
        before = store.ancestry(ADA, "c")
        assert [one.crystal_id for one in before] == ["c", "b", "a"]
        store.reap_crystals(ADA, START + HOUR)
        after = store.ancestry(ADA, "c")
        assert [(one.crystal_id, one.tombstone) for one in after] == [("c", True), ("b", False), ("a", True)]
        assert after[0].branch_reason == "another way"

    def test_a_touch_begins_the_time_anew_and_a_pin_stops_it(self, store: Store) -> None:
        store.put_crystal(ADA, crystal_of("a"))
        assert store.mark_crystal(ADA, "a", touched_at=START + HOUR / 2).expires_at == START + 3 * HOUR / 2
        assert store.crystal(ADA, "a").uses == 1
        assert store.mark_crystal(ADA, "a", pinned=True).expires_at is None
        with pytest.raises(Pinned):
            store.compost_crystal(ADA, "a", START, hard=False)
        assert store.mark_crystal(ADA, "a", pinned=False).expires_at == START + 3 * HOUR / 2
        assert store.compost_crystal(ADA, "a", START, hard=False).ids == ("a",)

    def test_a_text_is_kept_until_no_crystal_holds_it(self, store: Store) -> None:
        shared, own = fragment("shared " * 500, 1), fragment("its own", 2)
        same: dict[str, Any] = {"working_memory": {}, "history_summary": "the same"}
        store.put_crystal(ADA, crystal_of("a", focus_fragments=(shared, own), **same))
        store.put_crystal(ADA, crystal_of("b", focus_fragments=(shared,), **same))
        store.put_crystal(Viewpoint(actor_id="eve"), crystal_of("c", focus_fragments=(shared, own)))
        assert store.compost_crystal(ADA, "a", START, hard=False).blobs == 1
        assert store.crystal(ADA, "b").focus_fragments == (shared,)
        assert store.compost_crystal(ADA, "b", START, hard=False).blobs == 2
        assert store.crystal(Viewpoint(actor_id="eve"), "c").focus_fragments == (shared, own)

    def test_a_hard_compost_leaves_no_word(self, store: Store) -> None:
        store.put_crystal(ADA, crystal_of("a"))
        store.compost_crystal(ADA, "a", START, hard=False)
        store.compost_crystal(ADA, "a", START + HOUR, hard=True)
        left = store.crystal(ADA, "a")
        assert (left.history_summary, left.reaped_at) == ("", START)
        assert [one.crystal_id for one in store.lineages(ADA)] == ["a"]

    def test_crystals_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.put_crystal(ADA, crystal_of("a"))
        store.mark_crystal(ADA, "a", pinned=True)
        if Capability.DURABLE not in store.capabilities:
            assert reopen().lineages(ADA) == []
            return
        before = store.crystal(ADA, "a")
        again = reopen()
        assert before.pinned
        assert again.crystal(ADA, "a") == before
        assert again.reap_crystals(ADA, START + 9 * HOUR).skipped_pinned == 1
        assert again.check() == []

    def test_crystals_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(CrystalTwins):
            def __init__(self) -> None:
                super().__init__(Crystals(), open_at)

        run_state_machine_as_test(Story, settings=settings(max_examples=25, stateful_step_count=30, deadline=None))


class Crystals:
    """The oracle of crystals: a dictionary for each organism."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], dict[str, StateCrystal]] = {}

    def put_crystal(self, viewpoint: Viewpoint, crystal: StateCrystal) -> None:
        if crystal.crystal_id in self._of(viewpoint):
            raise Conflict(f"the id {crystal.crystal_id} is taken", crystal_id=crystal.crystal_id)
        self._of(viewpoint)[crystal.crystal_id] = crystal

    def crystal(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        for one in self._seen(viewpoint):
            if one.crystal_id == crystal_id:
                return one
        raise NotFound(f"there is no crystal {crystal_id!r} here", crystal_id=crystal_id)

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        return [lineage_of(one) for one in self._seen(viewpoint)]

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        known = {one.crystal_id: one for one in self.lineages(viewpoint)}
        found = [lineage_of(self.crystal(viewpoint, crystal_id))]
        del known[crystal_id]  # a line that comes back to itself ends
        while (above := known.pop(found[-1].parent_crystal or "", None)) is not None:
            found.append(above)
        return found

    def mark_crystal(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        found = self._living(viewpoint, crystal_id)
        marked = msgspec.structs.replace(
            found,
            pinned=found.pinned if pinned is None else pinned,
            touched_at=touched_at or found.touched_at,
            uses=found.uses + (touched_at is not None),
        )
        self._of(viewpoint)[crystal_id] = marked
        return lineage_of(marked)

    def compost_crystal(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        found = self.crystal(viewpoint, crystal_id) if hard else self._living(viewpoint, crystal_id)
        if found.pinned and found.reaped_at is None:
            raise Pinned(f"{crystal_id} is cherished: uncherish it first", crystal_id=crystal_id)
        return self._buried(viewpoint, [found], now, hard=hard)

    def reap_crystals(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        living = [one for one in self._seen(viewpoint) if one.reaped_at is None]
        reaped = self._buried(viewpoint, [one for one in living if one.is_expired(now)], now, hard=False)
        return msgspec.structs.replace(
            reaped,
            skipped_pinned=sum(one.pinned for one in living),
            skipped_unexpired=sum(not one.pinned and not one.is_expired(now) for one in living),
        )

    def _of(self, viewpoint: Viewpoint) -> dict[str, StateCrystal]:
        return self._kept.setdefault(viewpoint.organism, {})

    def _seen(self, viewpoint: Viewpoint) -> list[StateCrystal]:
        above = viewpoint.node.rstrip("/") + "/"
        found = self._of(viewpoint).values()
        seen = [one for one in found if one.agent == viewpoint.node or one.agent.startswith(above)]
        return sorted(seen, key=lambda one: one.timestamp)

    def _living(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        found = self.crystal(viewpoint, crystal_id)
        if found.reaped_at is not None:
            raise NotFound(f"{crystal_id} was reaped: only its summary is left", crystal_id=crystal_id)
        return found

    def _buried(self, viewpoint: Viewpoint, crystals: list[StateCrystal], now: datetime, *, hard: bool) -> Reaped:
        before = self._texts(viewpoint)
        for one in crystals:
            self._of(viewpoint)[one.crystal_id] = msgspec.structs.replace(
                one,
                reaped_at=one.reaped_at or now,
                task_state=TaskState(),
                working_memory={},
                focus_fragments=(),
                history_summary="" if hard else one.history_summary,
            )
        left = self._texts(viewpoint)
        return Reaped(ids=tuple(one.crystal_id for one in crystals), blobs=len(before - left))

    def _texts(self, viewpoint: Viewpoint) -> set[bytes]:
        """Every text that a crystal of the organism holds."""
        found: set[bytes] = set()
        for one in self._of(viewpoint).values():
            found |= {one.history_summary.encode(), *(part.content.encode() for part in one.focus_fragments)}
            if one.reaped_at is None:
                found.add(msgspec.json.encode([one.task_state, one.working_memory]))
        return found


class CrystalTwins(Pair[Crystals]):
    """The story of crystals: made, changed, reaped."""

    @rule(actor=st.sampled_from(["ada", "eve"]), node=st.sampled_from(["/", "/a", "/a/b", "/c"]))
    def look_from(self, actor: str, node: str) -> None:
        self.viewpoint = Viewpoint(actor_id=actor, node=node)

    @rule(minutes=st.sampled_from([1, 30, 90]))
    def wait(self, minutes: int) -> None:
        self.clock.turn(timedelta(minutes=minutes))

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
        calls: dict[str, Callable[[Crystals | Store], Any]] = {
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
