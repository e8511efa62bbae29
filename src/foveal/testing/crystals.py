"""Crystals are kept whole, seen by their own, and let go when their time is over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from foveal.errors import Conflict, NotFound, Pinned
from foveal.model.crystal import FocusFragment, StateCrystal, TaskState
from foveal.model.linearity import Linearity
from foveal.model.sight import Viewpoint
from foveal.model.window import Role
from foveal.ports.store import Capability, Store
from foveal.testing.building import ADA, START

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
