"""Contracts of tiers, moves, snapshots and crystals."""

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

from foveal.errors import Conflict, Forbidden, NotFound, Pinned
from foveal.model.crystal import Changes, FocusFragment, Lineage, Reaped, Role, Snapshot, StateCrystal, TaskState
from foveal.model.ids import new_id
from foveal.model.query import Viewpoint
from foveal.model.record import Linearity, Link, LinkKind, Record, Rendition, Scope, Subject, Tier
from foveal.model.results import Move, What
from foveal.ports.store import Capability, Order, PlannedMove, Store
from foveal.ports.store import Crystals as CrystalPart
from foveal.rules.crystals import lineage_of
from foveal.rules.lifecycle import turned_back
from foveal.testing.builders import ADA, ENCODER, START, entry, entry_of, move_of, record_of, seen_by, version_after
from foveal.testing.twins import Pair

HOUR = timedelta(hours=1)


def crystal_of(name: str, **said: Any) -> StateCrystal:
    """A crystal with one fragment."""
    fields: dict[str, Any] = {
        "agent": "/",
        "timestamp": START,
        "task_state": TaskState(task_id="t", description="a task", progress=0.5, metadata={"n": 1}),
        "working_memory": {"list": [1, 2], "text": "é"},
        "history_summary": f"summary of {name}",
        "focus_fragments": (fragment("kept word for word"),),
        "focus_tokens": 4,
        "ttl": HOUR,
    }
    return StateCrystal(crystal_id=name, **{**fields, **said})


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
    """Crystals in a store."""

    def test_a_crystal_comes_back_as_it_was_put(self, store: Store) -> None:
        long = crystal_of("a", focus_fragments=tuple(fragment(f"text {n} " * 900, n) for n in range(20)), budget=9)
        store.crystals.put(ADA, long)
        assert store.crystals.get(ADA, "a") == long
        with pytest.raises(Conflict):
            store.crystals.put(ADA, long)

    def test_what_a_caller_holds_cannot_change_what_is_kept(self, store: Store) -> None:
        memory: dict[str, Any] = {"n": 1}
        store.crystals.put(ADA, crystal_of("a", working_memory=memory))
        memory["n"] = 2
        stored = store.crystals.get(ADA, "a").working_memory
        assert stored == {"n": 1}
        assert isinstance(stored, dict)
        stored["n"] = 3
        assert store.crystals.get(ADA, "a").working_memory == {"n": 1}

    def test_a_crystal_takes_the_place_of_another_only_where_that_is_seen(self, store: Store) -> None:
        below = Viewpoint(actor_id="ada", node="/a")
        store.crystals.put(ADA, crystal_of("a", history_summary="before"))
        store.crystals.put(below, crystal_of("b", agent="/a", history_summary="before"))
        store.crystals.put(ADA, crystal_of("b", agent="/a", history_summary="after"), instead=True)
        assert store.crystals.get(below, "b").history_summary == "after"
        with pytest.raises(Conflict):
            store.crystals.put(below, crystal_of("a", agent="/a", history_summary="after"), instead=True)
        assert store.crystals.get(ADA, "a").history_summary == "before"

    def test_crystals_are_seen_by_their_node_and_those_above_only(self, store: Store) -> None:
        for node in ("/", "/a", "/a/b", "/ab"):
            store.crystals.put(Viewpoint(actor_id="ada", node=node), crystal_of(f"of {node}", agent=node))
        seen = {
            node: [lineage.agent for lineage in store.crystals.lineages(Viewpoint(actor_id="ada", node=node))]
            for node in ("/", "/a", "/a/b", "/c")
        }
        assert seen == {"/": ["/", "/a", "/a/b", "/ab"], "/a": ["/a", "/a/b"], "/a/b": ["/a/b"], "/c": []}
        for stranger in (
            Viewpoint(actor_id="eve"),
            Viewpoint(actor_id="ada", world="mars"),
            Viewpoint(actor_id="ada", node="/a"),
        ):
            for call in (
                lambda who=stranger: store.crystals.get(who, "of /"),
                lambda who=stranger: store.crystals.ancestry(who, "of /"),
                lambda who=stranger: store.crystals.mark(who, "of /", pinned=True),
                lambda who=stranger: store.crystals.compost(who, "of /", START, hard=True),
            ):
                with pytest.raises(NotFound):
                    call()

    def test_the_reaper_takes_what_is_over_and_leaves_tombstone_and_summary(self, store: Store) -> None:
        store.crystals.put(ADA, crystal_of("old"))
        store.crystals.put(ADA, crystal_of("pinned", pinned=True))
        store.crystals.put(ADA, crystal_of("young", ttl=3 * HOUR))
        assert store.crystals.reap(ADA, START + HOUR / 2).ids == ()
        reaped = store.crystals.reap(ADA, START + HOUR)
        assert (reaped.ids, reaped.skipped_pinned, reaped.skipped_unexpired) == (("old",), 1, 1)
        left = store.crystals.get(ADA, "old")
        assert (left.history_summary, left.focus_fragments, left.working_memory) == ("summary of old", (), {})
        assert left.reaped_at == START + HOUR
        assert store.crystals.reap(ADA, START + HOUR).ids == ()
        with pytest.raises(NotFound):
            store.crystals.mark(ADA, "old", pinned=True)

    def test_a_lineage_goes_on_through_tombstones(self, store: Store) -> None:
        store.crystals.put(ADA, crystal_of("a"))
        store.crystals.put(ADA, crystal_of("b", parent_crystal="a", branch_depth=1, pinned=True))
        store.crystals.put(ADA, crystal_of("c", parent_crystal="b", branch_depth=2, branch_reason="another way"))
        before = store.crystals.ancestry(ADA, "c")
        assert [lineage.crystal_id for lineage in before] == ["c", "b", "a"]
        store.crystals.reap(ADA, START + HOUR)
        after = store.crystals.ancestry(ADA, "c")
        assert [(lineage.crystal_id, lineage.tombstone) for lineage in after] == [
            ("c", True),
            ("b", False),
            ("a", True),
        ]
        assert after[0].branch_reason == "another way"

    def test_a_touch_begins_the_time_anew_and_a_pin_stops_it(self, store: Store) -> None:
        store.crystals.put(ADA, crystal_of("a"))
        assert store.crystals.mark(ADA, "a", touched_at=START + HOUR / 2).expires_at == START + 3 * HOUR / 2
        assert store.crystals.get(ADA, "a").uses == 1
        assert store.crystals.mark(ADA, "a", pinned=True).expires_at is None
        with pytest.raises(Pinned):
            store.crystals.compost(ADA, "a", START, hard=False)
        assert store.crystals.mark(ADA, "a", pinned=False).expires_at == START + 3 * HOUR / 2
        assert store.crystals.compost(ADA, "a", START, hard=False).ids == ("a",)

    def test_a_text_is_kept_until_no_crystal_holds_it(self, store: Store) -> None:
        shared, own = fragment("shared " * 500, 1), fragment("its own", 2)
        same: dict[str, Any] = {"working_memory": {}, "history_summary": "the same"}
        store.crystals.put(ADA, crystal_of("a", focus_fragments=(shared, own), **same))
        store.crystals.put(ADA, crystal_of("b", focus_fragments=(shared,), **same))
        store.crystals.put(Viewpoint(actor_id="eve"), crystal_of("c", focus_fragments=(shared, own)))
        assert store.crystals.compost(ADA, "a", START, hard=False).blobs == 1
        assert store.crystals.get(ADA, "b").focus_fragments == (shared,)
        assert store.crystals.compost(ADA, "b", START, hard=False).blobs == 2
        assert store.crystals.get(Viewpoint(actor_id="eve"), "c").focus_fragments == (shared, own)

    def test_a_hard_compost_leaves_no_word(self, store: Store) -> None:
        store.crystals.put(ADA, crystal_of("a"))
        store.crystals.compost(ADA, "a", START, hard=False)
        store.crystals.compost(ADA, "a", START + HOUR, hard=True)
        left = store.crystals.get(ADA, "a")
        assert (left.history_summary, left.reaped_at) == ("", START)
        assert [lineage.crystal_id for lineage in store.crystals.lineages(ADA)] == ["a"]

    def test_crystals_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.crystals.put(ADA, crystal_of("a"))
        store.crystals.mark(ADA, "a", pinned=True)
        if Capability.DURABLE not in store.capabilities:
            assert reopen().crystals.lineages(ADA) == []
            return
        before = store.crystals.get(ADA, "a")
        again = reopen()
        assert before.pinned
        assert again.crystals.get(ADA, "a") == before
        assert again.crystals.reap(ADA, START + 9 * HOUR).skipped_pinned == 1
        assert again.check() == []

    def test_crystals_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(CrystalTwins):
            def __init__(self) -> None:
                super().__init__(Crystals(), open_at, lambda store: store.crystals)

        run_state_machine_as_test(Story, settings=settings(max_examples=25, stateful_step_count=30, deadline=None))


class Crystals:
    """The oracle of crystals: a dictionary for each organism."""

    def __init__(self) -> None:
        self._crystals: dict[tuple[str, str], dict[str, StateCrystal]] = {}

    def put(self, viewpoint: Viewpoint, crystal: StateCrystal) -> None:
        if crystal.crystal_id in self._of(viewpoint):
            raise Conflict(f"the id {crystal.crystal_id} is taken", crystal_id=crystal.crystal_id)
        self._of(viewpoint)[crystal.crystal_id] = crystal

    def get(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        for crystal in self._seen(viewpoint):
            if crystal.crystal_id == crystal_id:
                return crystal
        raise NotFound(f"there is no crystal {crystal_id!r} here", crystal_id=crystal_id)

    def lineages(self, viewpoint: Viewpoint) -> list[Lineage]:
        return [lineage_of(crystal) for crystal in self._seen(viewpoint)]

    def ancestry(self, viewpoint: Viewpoint, crystal_id: str) -> list[Lineage]:
        known = {lineage.crystal_id: lineage for lineage in self.lineages(viewpoint)}
        line = [lineage_of(self.get(viewpoint, crystal_id))]
        del known[crystal_id]  # ends a lineage that forms a cycle
        while (parent := known.pop(line[-1].parent_crystal or "", None)) is not None:
            line.append(parent)
        return line

    def mark(
        self,
        viewpoint: Viewpoint,
        crystal_id: str,
        *,
        pinned: bool | None = None,
        touched_at: datetime | None = None,
    ) -> Lineage:
        crystal = self._living(viewpoint, crystal_id)
        marked = msgspec.structs.replace(
            crystal,
            pinned=crystal.pinned if pinned is None else pinned,
            touched_at=touched_at or crystal.touched_at,
            uses=crystal.uses + (touched_at is not None),
        )
        self._of(viewpoint)[crystal_id] = marked
        return lineage_of(marked)

    def compost(self, viewpoint: Viewpoint, crystal_id: str, now: datetime, *, hard: bool) -> Reaped:
        crystal = self.get(viewpoint, crystal_id) if hard else self._living(viewpoint, crystal_id)
        if crystal.pinned and crystal.reaped_at is None:
            raise Pinned(f"{crystal_id} is cherished: uncherish it first", crystal_id=crystal_id)
        return self._buried(viewpoint, [crystal], now, hard=hard)

    def reap(self, viewpoint: Viewpoint, now: datetime) -> Reaped:
        living = [crystal for crystal in self._seen(viewpoint) if crystal.reaped_at is None]
        reaped = self._buried(
            viewpoint, [crystal for crystal in living if crystal.is_expired(now)], now, hard=False
        )
        return msgspec.structs.replace(
            reaped,
            skipped_pinned=sum(crystal.pinned for crystal in living),
            skipped_unexpired=sum(not crystal.pinned and not crystal.is_expired(now) for crystal in living),
        )

    def _of(self, viewpoint: Viewpoint) -> dict[str, StateCrystal]:
        return self._crystals.setdefault(viewpoint.organism, {})

    def _seen(self, viewpoint: Viewpoint) -> list[StateCrystal]:
        above = viewpoint.node.rstrip("/") + "/"
        crystals = self._of(viewpoint).values()
        seen = [
            crystal for crystal in crystals if crystal.agent == viewpoint.node or crystal.agent.startswith(above)
        ]
        return sorted(seen, key=lambda crystal: crystal.timestamp)

    def _living(self, viewpoint: Viewpoint, crystal_id: str) -> StateCrystal:
        crystal = self.get(viewpoint, crystal_id)
        if crystal.reaped_at is not None:
            raise NotFound(f"{crystal_id} was reaped: only its summary is left", crystal_id=crystal_id)
        return crystal

    def _buried(self, viewpoint: Viewpoint, crystals: list[StateCrystal], now: datetime, *, hard: bool) -> Reaped:
        before = self._texts(viewpoint)
        for crystal in crystals:
            self._of(viewpoint)[crystal.crystal_id] = msgspec.structs.replace(
                crystal,
                reaped_at=crystal.reaped_at or now,
                task_state=TaskState(),
                working_memory={},
                focus_fragments=(),
                history_summary="" if hard else crystal.history_summary,
            )
        left = self._texts(viewpoint)
        return Reaped(ids=tuple(crystal.crystal_id for crystal in crystals), blobs=len(before - left))

    def _texts(self, viewpoint: Viewpoint) -> set[bytes]:
        """All texts in the crystals of the organism."""
        texts: set[bytes] = set()
        for crystal in self._of(viewpoint).values():
            texts.add(crystal.history_summary.encode())
            texts |= {part.content.encode() for part in crystal.focus_fragments}
            if crystal.reaped_at is None:
                texts.add(msgspec.json.encode([crystal.task_state, crystal.working_memory]))
        return texts


class CrystalTwins(Pair[Crystals, CrystalPart]):
    """Random steps with crystals: create, change, reap."""

    @rule(actor=st.sampled_from(["ada", "eve"]), node=st.sampled_from(["/", "/a", "/a/b", "/c"]))
    def look_from(self, actor: str, node: str) -> None:
        self.viewpoint = Viewpoint(actor_id=actor, node=node)

    @rule(minutes=st.sampled_from([1, 30, 90]))
    def wait(self, minutes: int) -> None:
        self.clock.turn(timedelta(minutes=minutes))

    @rule(name=st.sampled_from("abc"), parent=st.sampled_from(["a", "b", None]), hours=st.sampled_from([0, 1, 9]))
    def crystallize(self, name: str, parent: str | None, hours: int) -> None:
        crystal = crystal_of(
            name,
            agent=self.viewpoint.node,
            timestamp=self.clock.now(),
            parent_crystal=parent,
            ttl=timedelta(hours=hours),
        )
        self.both(lambda crystals: crystals.put(self.viewpoint, crystal))

    @rule(
        name=st.sampled_from("abc"),
        change=st.sampled_from(["pin", "unpin", "touch", "compost", "erase", "reap"]),
    )
    def change_crystal(self, name: str, change: str) -> None:
        who, now = self.viewpoint, self.clock.now()
        calls: dict[str, Callable[[Crystals | CrystalPart], Any]] = {
            "pin": lambda crystals: crystals.mark(who, name, pinned=True),
            "unpin": lambda crystals: crystals.mark(who, name, pinned=False),
            "touch": lambda crystals: crystals.mark(who, name, touched_at=now),
            "compost": lambda crystals: crystals.compost(who, name, now, hard=False),
            "erase": lambda crystals: crystals.compost(who, name, now, hard=True),
            "reap": lambda crystals: crystals.reap(who, now),
        }
        self.both(calls[change])
        self.both(lambda crystals: crystals.get(who, name))
        self.both(lambda crystals: crystals.ancestry(who, name))
        self.both(lambda crystals: crystals.lineages(who))


CHILD = Viewpoint(actor_id="ada", node="/child")


class LifeContract:
    """Tiers, moves, the journal, renditions and leases."""

    def test_a_tier_holds_what_is_neither_archived_nor_forgotten(self, store: Store) -> None:
        entries = [entry(text) for text in ("a", "b", "c")]
        [(a, _), (b, _), (c, _)] = store.records.append(entries, ENCODER)
        owner = seen_by(as_owner=True)
        acts = [move_of(a, archived_at=START), move_of(b, what=What.FORGOTTEN, forgotten_at=START)]
        assert len(store.lifecycle.apply(owner, acts, ENCODER)) == 2
        assert [record.id for record in store.lifecycle.in_tier(owner, Tier.WORKING, limit=9)] == [c.id]
        [session] = store.lifecycle.tier_sessions(Tier.WORKING, ADA)
        assert (session.actor_id, session.records, session.oldest) == ("ada", 1, START)
        assert store.counts.stats(owner).held == {"working": 1}
        assert store.counts.stats(owner).tiers == {"working": 2}

    def test_rooms_are_told_apart_by_session(self, store: Store) -> None:
        viewpoint = Viewpoint(actor_id="ada", session_id="one")
        store.records.append(
            [
                entry("a", viewpoint=viewpoint),
                entry("b", viewpoint=viewpoint),
                entry("c"),
                entry("d", START + HOUR),
            ],
            ENCODER,
        )
        counts = {session.session_id: session.records for session in store.lifecycle.tier_sessions(Tier.WORKING)}
        assert counts == {"one": 2, None: 2}
        assert sum(session.records for session in store.lifecycle.tier_sessions(Tier.WORKING, before=START)) == 3
        owner = seen_by(now=START + HOUR, as_owner=True)
        assert [
            record.text for record in store.lifecycle.in_tier(owner, Tier.WORKING, session_id="one", limit=9)
        ] == [
            "a",
            "b",
        ]
        assert [
            record.text for record in store.lifecycle.in_tier(owner, Tier.WORKING, session_id=None, limit=9)
        ] == [
            "c",
            "d",
        ]
        assert [record.text for record in store.lifecycle.in_tier(owner, Tier.WORKING, limit=3)] == ["a", "b", "c"]

    def test_a_move_is_made_once_and_is_in_the_journal(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("a")], ENCODER)
        act = move_of(record, tier=Tier.SESSION)
        again = move_of(record, tier=Tier.SESSION)
        assert store.lifecycle.apply(seen_by(), [act, again], ENCODER) == [act.move]
        assert store.records.get(seen_by(), [record.id])[0].vitals.tier is Tier.SESSION
        assert store.lifecycle.journal(seen_by(), limit=9) == [act.move]
        assert store.lifecycle.journal(seen_by(), record_id=record.id, limit=9) == [act.move]
        assert store.lifecycle.journal(seen_by(), move_id="none", limit=9) == []

    def test_a_use_counted_meanwhile_is_not_lost_by_a_move(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("a")], ENCODER)
        act = move_of(record, tier=Tier.SESSION)
        store.records.revise(seen_by(), [record.id], lambda record: msgspec.structs.replace(record.vitals, uses=7))
        assert store.lifecycle.apply(seen_by(), [act], ENCODER)
        vitals = store.records.get(seen_by(), [record.id])[0].vitals
        assert (vitals.uses, vitals.tier) == (7, Tier.SESSION)

    def test_what_a_move_makes_comes_with_it_or_not_at_all(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("a")], ENCODER)
        product = entry("both", tier="L4")
        link = Link(
            source_id=record.id, target_id=product.record.id, kind=LinkKind.CONSOLIDATED_INTO, created_at=START
        )
        plain = move_of(record, archived_at=START)
        full = PlannedMove(
            move=msgspec.structs.replace(plain.move, made=(product.record.id,)), entries=(product,), links=(link,)
        )
        assert store.lifecycle.apply(seen_by(), [full], ENCODER)
        assert store.links.of(seen_by(), record.id) == [link]
        other = msgspec.structs.replace(link, kind=LinkKind.RELATES)
        store.links.link(seen_by(), other)
        again = PlannedMove(move=move_of(record, uses=3).move, unlinks=(link,))
        assert store.lifecycle.apply(seen_by(), [again], ENCODER)
        assert store.links.of(seen_by(), record.id) == [other]
        late = entry("late")
        stale = PlannedMove(move=move_of(record, archived_at=START).move, entries=(late,))
        assert store.lifecycle.apply(seen_by(), [stale], ENCODER) == []
        assert store.records.get(seen_by(), [late.record.id]) == []

    def test_a_move_is_undone_by_its_reverse_and_marked(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("a")], ENCODER)
        act = move_of(record, archived_at=START)
        store.lifecycle.apply(seen_by(), [act], ENCODER)
        back = Move(
            id=new_id(START),
            at=START + HOUR,
            who="test",
            what=What.UNDONE,
            why="no",
            changes=tuple(turned_back(change) for change in act.move.changes),
        )
        assert store.lifecycle.apply(seen_by(), [PlannedMove(move=back, undoes=act.move.id)], ENCODER)
        assert store.records.get(seen_by(), [record.id]) == [record]
        newest, oldest = store.lifecycle.journal(seen_by(), limit=9)
        assert (newest.id, oldest.undone_at) == (back.id, START + HOUR)
        assert store.lifecycle.counted_moves(seen_by())[(What.PROMOTED, Tier.WORKING)] == (1, START)

    def test_a_node_neither_moves_nor_hears_of_what_it_may_not_change(self, store: Store) -> None:
        [(own, _), (shared, _)] = store.records.append([entry("a"), entry("b", scope="shared")], ENCODER)
        with pytest.raises(Forbidden):
            store.lifecycle.apply(seen_by(CHILD), [move_of(shared, archived_at=START)], ENCODER)
        assert store.lifecycle.apply(seen_by(CHILD), [move_of(own, archived_at=START)], ENCODER) == []
        store.lifecycle.apply(seen_by(), [move_of(own, archived_at=START)], ENCODER)
        assert store.lifecycle.journal(seen_by(CHILD), limit=9) == []
        assert store.lifecycle.counted_moves(seen_by(CHILD)) == {}

    def test_the_journal_forgets_what_is_erased_and_what_is_old(self, store: Store) -> None:
        [(a, _), (b, _)] = store.records.append([entry("a"), entry("b")], ENCODER)
        store.lifecycle.apply(seen_by(), [move_of(a, archived_at=START), move_of(b, archived_at=START)], ENCODER)
        store.records.erase(seen_by(), [a.id])
        assert [move.record_id for move in store.lifecycle.journal(seen_by(), limit=9)] == [b.id]
        assert store.lifecycle.forget_moves(START, 9) == 0
        assert store.lifecycle.forget_moves(START + HOUR, 9) == 1
        assert store.lifecycle.journal(seen_by(), limit=9) == []

    def test_what_comes_to_l4_arrives_once(self, store: Store) -> None:
        [(a, _), (b, _)] = store.records.append([entry("a", tier="L4"), entry("b")], ENCODER)
        owner = seen_by(as_owner=True)
        assert [record.id for record in store.lifecycle.uncompared(owner, 9)] == [a.id]
        store.lifecycle.apply(owner, [move_of(b, tier=Tier.SEMANTIC)], ENCODER)
        assert [record.id for record in store.lifecycle.uncompared(owner, 9)] == sorted([a.id, b.id])
        store.lifecycle.mark_compared(ADA, [a.id, b.id])
        assert store.lifecycle.uncompared(owner, 9) == []
        assert set(store.lifecycle.facts(ADA, ENCODER, 9)) == {a.id, b.id}

    def test_the_expired_and_the_faded_are_found(self, store: Store) -> None:
        entries = [entry("brief", ttl=HOUR), entry("dim", tier="L4", importance=0.1), entry("strong", tier="L4")]
        [(brief, _), (dim, _), _] = store.records.append(entries, ENCODER)
        assert store.lifecycle.expired(START, ADA, 9) == []
        assert [record.id for record in store.lifecycle.expired(START + HOUR, None, 9)] == [brief.id]
        late = START + 100 * 24 * HOUR
        faded = store.lifecycle.faded(late, 90 * 24 * HOUR, rate=0.01, below=0.1, limit=9)
        assert [record.id for record in faded] == [dim.id]

    def test_a_rendition_is_seen_by_who_sees_its_sources_as_they_were(self, store: Store) -> None:
        here = Viewpoint(actor_id="ada", session_id="one")
        [(a, _), (b, _)] = store.records.append([entry("a", viewpoint=here), entry("b", viewpoint=here)], ENCODER)
        assert store.lifecycle.unsummarised(Subject.SESSION, None, START - HOUR, 9) == []
        assert store.lifecycle.unsummarised(Subject.SESSION, None, START, 9) == [(ADA, "one")]
        store.lifecycle.summarise(ADA, Subject.SESSION, "one", [_rendition(a, b)])
        assert store.lifecycle.unsummarised(Subject.SESSION, ADA, START, 9) == []
        assert store.lifecycle.renditions(seen_by(), Subject.SESSION, limit=9) == [_rendition(a, b)]
        assert store.lifecycle.renditions(seen_by(), Subject.SESSION, subjects=["one"], limit=9) == [
            _rendition(a, b)
        ]
        assert store.lifecycle.renditions(seen_by(), Subject.SESSION, subjects=["two"], limit=9) == []
        assert store.lifecycle.renditions(seen_by(CHILD), Subject.SESSION, limit=9) == []
        store.records.supersede(seen_by(), version_after(b, "c", START + HOUR), ENCODER)
        assert store.lifecycle.renditions(seen_by(now=START + HOUR), Subject.SESSION, limit=9) == []
        assert store.lifecycle.unsummarised(Subject.SESSION, ADA, START + HOUR, 9) == [(ADA, "one")]

    def test_a_rendition_goes_with_a_source_that_is_erased(self, store: Store) -> None:
        here = Viewpoint(actor_id="ada", session_id="one")
        [(a, _), (b, _)] = store.records.append([entry("a", viewpoint=here), entry("b", viewpoint=here)], ENCODER)
        store.lifecycle.summarise(ADA, Subject.SESSION, "one", [_rendition(a, b)])
        store.records.erase(seen_by(), [a.id])
        assert store.lifecycle.renditions(seen_by(), Subject.SESSION, limit=9) == []

    def test_a_lease_has_one_holder_until_it_runs_out(self, store: Store) -> None:
        assert store.server.lease("job", "one", START, HOUR)
        assert not store.server.lease("job", "two", START + HOUR / 2, HOUR)
        assert store.server.lease("job", "one", START + HOUR / 2, HOUR)
        assert store.server.lease("job", "two", START + 2 * HOUR, HOUR)
        store.server.release("job", "one")
        assert not store.server.lease("job", "one", START + 2 * HOUR, HOUR)
        store.server.release("job", "two")
        assert store.server.lease("job", "one", START + 2 * HOUR, HOUR)

    def test_when_a_job_ran_is_remembered(self, store: Store) -> None:
        assert store.server.ran_at("job") is None
        store.server.ran("job", START)
        store.server.ran("job", START + HOUR)
        assert store.server.ran_at("job") == START + HOUR


def _rendition(*records: Record) -> Rendition:
    return Rendition(
        kind=Subject.SESSION,
        subject="one",
        node="/",
        scope=Scope.LOCAL,
        text="in short",
        records=len(records),
        sources=tuple(sorted((record.id, record.version) for record in records)),
        first_at=START,
        last_at=START,
        maker="test",
        made_at=START,
    )


LATER = START + timedelta(days=9)


def _forget(store: Store, record_id: str, at: datetime | None) -> None:
    access = seen_by(now=START, include_hidden=True)
    store.records.revise(
        access, [record_id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=at)
    )


class MomentsContract:
    """Snapshots, with a clock that stands still, which is the hardest case."""

    def test_what_is_written_after_a_snapshot_is_not_in_it(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("first")], ENCODER)
        taken = store.snapshots.put(ADA, Snapshot(id="s", label="one", taken_at=START))
        [(second, _)] = store.records.append([entry("second")], ENCODER)
        changed = store.records.supersede(seen_by(), version_after(first, "first again", START), ENCODER)
        assert taken.taken_at < second.recorded_at <= changed.recorded_at
        then = seen_by(now=LATER, as_of=taken.taken_at)
        assert [record.text for record in store.records.scan(then, order=Order.OLDEST)] == ["first"]
        assert {record.text for record in store.records.scan(seen_by(), order=Order.OLDEST)} == {
            "first again",
            "second",
        }

    def test_a_snapshot_has_everything_that_was_stored_before_it(self, store: Store) -> None:
        store.records.append([entry("by a clock that runs ahead", START + timedelta(seconds=5))], ENCODER)
        taken = store.snapshots.put(ADA, Snapshot(id="s", label="one", taken_at=START))
        assert len(list(store.records.scan(seen_by(now=LATER, as_of=taken.taken_at), order=Order.OLDEST))) == 1
        again = store.snapshots.put(ADA, Snapshot(id="t", label="two", taken_at=START))
        assert store.snapshots.all(ADA) == [taken, again]
        assert store.snapshots.all(Viewpoint(actor_id="eve")) == []
        with pytest.raises(Conflict):
            store.snapshots.put(ADA, taken)

    def test_moments_of_another_memory_stay(self, store: Store) -> None:
        store.snapshots.put(ADA, Snapshot(id="s", label="one", taken_at=LATER))
        moved = msgspec.structs.replace(entry_of(record_of("from elsewhere")), dated=True)
        [(record, _)] = store.records.append([moved], ENCODER)
        assert record.recorded_at == START

    def test_changes_say_what_became_of_each(self, store: Store) -> None:
        names = ("edited", "dropped", "found", "erased", "same", "both")
        ids = {name: store.records.append([entry(name)], ENCODER)[0][0] for name in names}
        _forget(store, ids["found"].id, START)
        since = store.snapshots.put(ADA, Snapshot(id="s", label="one", taken_at=START)).taken_at
        [(new, _)] = store.records.append([entry("new")], ENCODER)
        [(brief, _)] = store.records.append([entry("brief")], ENCODER)
        store.records.supersede(seen_by(), version_after(ids["edited"], "edited again", START), ENCODER)
        _forget(store, ids["dropped"].id, START)
        _forget(store, brief.id, START)
        _forget(store, ids["found"].id, None)
        _forget(store, ids["both"].id, START)
        _forget(store, ids["both"].id, None)
        store.records.erase(seen_by(), [ids["erased"].id])
        changes = store.snapshots.changes(seen_by(), since, LATER)
        assert changes == Changes(
            added=(new.id,),
            superseded=(ids["edited"].id,),
            forgotten=(ids["dropped"].id,),
            recovered=(ids["found"].id,),
            erased=(ids["erased"].id,),
        )
        middle = store.snapshots.put(ADA, Snapshot(id="t", label="two", taken_at=START)).taken_at
        assert store.snapshots.changes(seen_by(), since, middle) == changes
        assert store.snapshots.changes(seen_by(), middle, LATER) == Changes()

    def test_changes_are_seen_as_far_as_the_records_are(self, store: Store) -> None:
        a, b = Viewpoint(actor_id="ada", node="/a"), Viewpoint(actor_id="ada", node="/b")
        since = store.snapshots.put(ADA, Snapshot(id="s", label="one", taken_at=START)).taken_at
        [(mine, _), (gone, _)] = store.records.append(
            [entry("mine", viewpoint=a), entry("gone", viewpoint=a)], ENCODER
        )
        store.records.erase(seen_by(a), [gone.id])
        assert store.snapshots.changes(seen_by(a), since, LATER) == Changes(added=(mine.id,))
        assert store.snapshots.changes(seen_by(b), since, LATER) == Changes()
        assert store.snapshots.changes(seen_by(as_owner=True), since, LATER) == Changes(
            added=(mine.id,), erased=(gone.id,)
        )
        assert store.snapshots.changes(seen_by(Viewpoint(actor_id="eve")), since, LATER) == Changes()

    def test_snapshots_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        taken = store.snapshots.put(ADA, Snapshot(id="s", label="one", taken_at=START))
        durable = Capability.DURABLE in store.capabilities
        assert reopen().snapshots.all(ADA) == ([taken] if durable else [])
