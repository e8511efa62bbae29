"""Tiers hold what they hold, moves are journalled, and what is summed up is seen by those who see its sources."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from foveal.errors import Forbidden
from foveal.model.ids import new_id
from foveal.model.query import Viewpoint
from foveal.model.record import Link, LinkKind, Record, Rendition, Scope, Subject, Tier
from foveal.model.results import Change, Move, What
from foveal.ports.store import Act, Store
from foveal.rules.lifecycle import turned_back
from foveal.testing.building import ADA, ENCODER, START, entry, seen_by, version_after

HOUR = timedelta(hours=1)
CHILD = Viewpoint(actor_id="ada", node="/child")


def move_of(record: Record, now: datetime = START, what: What = What.PROMOTED, **life: Any) -> Act:
    """A move that gives one record another life."""
    after = msgspec.structs.replace(record.vitals, **life)
    change = Change(record_id=record.id, before=record.vitals, after=after)
    return Act(move=Move(id=new_id(now), at=now, who="test", what=what, why="because", changes=(change,)))


class LifeContract:
    """What a store keeps for the life of records."""

    def test_a_tier_holds_what_is_neither_archived_nor_forgotten(self, store: Store) -> None:
        said = [entry(text) for text in ("a", "b", "c")]
        [(a, _), (b, _), (c, _)] = store.append(said, ENCODER)
        owner = seen_by(owner=True)
        acts = [move_of(a, archived_at=START), move_of(b, what=What.FORGOTTEN, forgotten_at=START)]
        assert len(store.act(owner, acts, ENCODER)) == 2
        assert [one.id for one in store.held(owner, Tier.WORKING, limit=9)] == [c.id]
        [room] = store.rooms(Tier.WORKING, ADA)
        assert (room.actor_id, room.records, room.oldest) == ("ada", 1, START)
        assert store.stats(owner).held == {"working": 1}
        assert store.stats(owner).tiers == {"working": 2}

    def test_rooms_are_told_apart_by_session(self, store: Store) -> None:
        one = Viewpoint(actor_id="ada", session_id="one")
        store.append(
            [entry("a", viewpoint=one), entry("b", viewpoint=one), entry("c"), entry("d", START + HOUR)], ENCODER
        )
        rooms = {room.session_id: room.records for room in store.rooms(Tier.WORKING)}
        assert rooms == {"one": 2, None: 2}
        assert sum(room.records for room in store.rooms(Tier.WORKING, before=START)) == 3
        owner = seen_by(now=START + HOUR, owner=True)
        assert [held.text for held in store.held(owner, Tier.WORKING, session_id="one", limit=9)] == ["a", "b"]
        assert [held.text for held in store.held(owner, Tier.WORKING, session_id=None, limit=9)] == ["c", "d"]
        assert [held.text for held in store.held(owner, Tier.WORKING, limit=3)] == ["a", "b", "c"]

    def test_a_move_is_made_once_and_is_in_the_journal(self, store: Store) -> None:
        [(record, _)] = store.append([entry("a")], ENCODER)
        act = move_of(record, tier=Tier.SESSION)
        again = move_of(record, tier=Tier.SESSION)
        assert store.act(seen_by(), [act, again], ENCODER) == [act.move]
        assert store.get(seen_by(), [record.id])[0].vitals.tier is Tier.SESSION
        assert store.journal(seen_by(), limit=9) == [act.move]
        assert store.journal(seen_by(), record_id=record.id, limit=9) == [act.move]
        assert store.journal(seen_by(), move_id="none", limit=9) == []

    def test_a_use_counted_meanwhile_is_not_lost_by_a_move(self, store: Store) -> None:
        [(record, _)] = store.append([entry("a")], ENCODER)
        act = move_of(record, tier=Tier.SESSION)
        store.revise(seen_by(), [record.id], lambda one: msgspec.structs.replace(one.vitals, uses=7))
        assert store.act(seen_by(), [act], ENCODER)
        vitals = store.get(seen_by(), [record.id])[0].vitals
        assert (vitals.uses, vitals.tier) == (7, Tier.SESSION)

    def test_what_a_move_makes_comes_with_it_or_not_at_all(self, store: Store) -> None:
        [(record, _)] = store.append([entry("a")], ENCODER)
        made = entry("both", tier="L4")
        link = Link(
            source_id=record.id, target_id=made.record.id, kind=LinkKind.CONSOLIDATED_INTO, created_at=START
        )
        plain = move_of(record, archived_at=START)
        full = Act(move=msgspec.structs.replace(plain.move, made=(made.record.id,)), entries=(made,), links=(link,))
        assert store.act(seen_by(), [full], ENCODER)
        assert store.links(seen_by(), record.id) == [link]
        late = entry("late")
        stale = Act(move=move_of(record, archived_at=START).move, entries=(late,))
        assert store.act(seen_by(), [stale], ENCODER) == []
        assert store.get(seen_by(), [late.record.id]) == []

    def test_a_move_is_undone_by_its_reverse_and_marked(self, store: Store) -> None:
        [(record, _)] = store.append([entry("a")], ENCODER)
        act = move_of(record, archived_at=START)
        store.act(seen_by(), [act], ENCODER)
        back = Move(
            id=new_id(START),
            at=START + HOUR,
            who="test",
            what=What.UNDONE,
            why="no",
            changes=tuple(turned_back(one) for one in act.move.changes),
        )
        assert store.act(seen_by(), [Act(move=back, undoes=act.move.id)], ENCODER)
        assert store.get(seen_by(), [record.id]) == [record]
        newest, oldest = store.journal(seen_by(), limit=9)
        assert (newest.id, oldest.undone_at) == (back.id, START + HOUR)
        assert store.counted_moves(seen_by())[(What.PROMOTED, Tier.WORKING)] == (1, START)

    def test_a_node_neither_moves_nor_hears_of_what_it_may_not_change(self, store: Store) -> None:
        [(own, _), (shared, _)] = store.append([entry("a"), entry("b", scope="shared")], ENCODER)
        with pytest.raises(Forbidden):
            store.act(seen_by(CHILD), [move_of(shared, archived_at=START)], ENCODER)
        assert store.act(seen_by(CHILD), [move_of(own, archived_at=START)], ENCODER) == []
        store.act(seen_by(), [move_of(own, archived_at=START)], ENCODER)
        assert store.journal(seen_by(CHILD), limit=9) == []
        assert store.counted_moves(seen_by(CHILD)) == {}

    def test_the_journal_forgets_what_is_erased_and_what_is_old(self, store: Store) -> None:
        [(a, _), (b, _)] = store.append([entry("a"), entry("b")], ENCODER)
        store.act(seen_by(), [move_of(a, archived_at=START), move_of(b, archived_at=START)], ENCODER)
        store.erase(seen_by(), [a.id])
        assert [move.record_id for move in store.journal(seen_by(), limit=9)] == [b.id]
        assert store.forget_moves(START, 9) == 0
        assert store.forget_moves(START + HOUR, 9) == 1
        assert store.journal(seen_by(), limit=9) == []

    def test_what_comes_to_l4_arrives_once(self, store: Store) -> None:
        [(a, _), (b, _)] = store.append([entry("a", tier="L4"), entry("b")], ENCODER)
        owner = seen_by(owner=True)
        assert [one.id for one in store.arrivals(owner, 9)] == [a.id]
        store.act(owner, [move_of(b, tier=Tier.SEMANTIC)], ENCODER)
        assert [one.id for one in store.arrivals(owner, 9)] == sorted([a.id, b.id])
        store.settle(ADA, [a.id, b.id])
        assert store.arrivals(owner, 9) == []
        assert set(store.facts(ADA, ENCODER, 9)) == {a.id, b.id}

    def test_the_expired_and_the_faded_are_found(self, store: Store) -> None:
        said = [entry("brief", ttl=HOUR), entry("dim", tier="L4", importance=0.1), entry("strong", tier="L4")]
        [(brief, _), (dim, _), _] = store.append(said, ENCODER)
        assert store.expired(START, ADA, 9) == []
        assert [one.id for one in store.expired(START + HOUR, None, 9)] == [brief.id]
        late = START + 100 * 24 * HOUR
        found = store.faded(late, 90 * 24 * HOUR, rate=0.01, below=0.1, limit=9)
        assert [one.id for one in found] == [dim.id]

    def test_a_rendition_is_seen_by_who_sees_its_sources_as_they_were(self, store: Store) -> None:
        here = Viewpoint(actor_id="ada", session_id="one")
        [(a, _), (b, _)] = store.append([entry("a", viewpoint=here), entry("b", viewpoint=here)], ENCODER)
        assert store.unsummarised(Subject.SESSION, None, START - HOUR, 9) == []
        assert store.unsummarised(Subject.SESSION, None, START, 9) == [(ADA, "one")]
        store.summarise(ADA, Subject.SESSION, "one", [_rendition(a, b)])
        assert store.unsummarised(Subject.SESSION, ADA, START, 9) == []
        assert store.renditions(seen_by(), Subject.SESSION, limit=9) == [_rendition(a, b)]
        assert store.renditions(seen_by(), Subject.SESSION, subjects=["one"], limit=9) == [_rendition(a, b)]
        assert store.renditions(seen_by(), Subject.SESSION, subjects=["two"], limit=9) == []
        assert store.renditions(seen_by(CHILD), Subject.SESSION, limit=9) == []
        store.supersede(seen_by(), version_after(b, "c", START + HOUR), ENCODER)
        assert store.renditions(seen_by(now=START + HOUR), Subject.SESSION, limit=9) == []
        assert store.unsummarised(Subject.SESSION, ADA, START + HOUR, 9) == [(ADA, "one")]

    def test_a_rendition_goes_with_a_source_that_is_erased(self, store: Store) -> None:
        here = Viewpoint(actor_id="ada", session_id="one")
        [(a, _), (b, _)] = store.append([entry("a", viewpoint=here), entry("b", viewpoint=here)], ENCODER)
        store.summarise(ADA, Subject.SESSION, "one", [_rendition(a, b)])
        store.erase(seen_by(), [a.id])
        assert store.renditions(seen_by(), Subject.SESSION, limit=9) == []

    def test_a_lease_has_one_holder_until_it_runs_out(self, store: Store) -> None:
        assert store.lease("job", "one", START, HOUR)
        assert not store.lease("job", "two", START + HOUR / 2, HOUR)
        assert store.lease("job", "one", START + HOUR / 2, HOUR)
        assert store.lease("job", "two", START + 2 * HOUR, HOUR)
        store.release("job", "one")
        assert not store.lease("job", "one", START + 2 * HOUR, HOUR)
        store.release("job", "two")
        assert store.lease("job", "one", START + 2 * HOUR, HOUR)

    def test_when_a_job_ran_is_remembered(self, store: Store) -> None:
        assert store.ran_at("job") is None
        store.ran("job", START)
        store.ran("job", START + HOUR)
        assert store.ran_at("job") == START + HOUR


def _rendition(*records: Record) -> Rendition:
    return Rendition(
        kind=Subject.SESSION,
        subject="one",
        node="/",
        scope=Scope.LOCAL,
        text="in short",
        records=len(records),
        sources=tuple(sorted((one.id, one.version) for one in records)),
        first_at=START,
        last_at=START,
        maker="test",
        made_at=START,
    )
