"""Contracts of links, groups, trees and sessions."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import msgspec
import pytest

from foveal.errors import Conflict, Forbidden, NotFound, PreconditionFailed
from foveal.model.query import Viewpoint
from foveal.model.record import Group, Link, Record, Session
from foveal.ports.store import NewRecord, Order, Store
from foveal.rules.trees import Sort
from foveal.testing.builders import ADA, ENCODER, START, entry, seen_by, version_after

MANY = 10_000
CHILD = Viewpoint(actor_id="ada", node="/a")


class FamiliesContract:
    """Families of records, groups, sessions and keys."""

    def test_cascading_finishes_on_a_wide_tree_of_ten_thousand(self, store: Store) -> None:
        _grown(store, [(n - 1) // 100 if n else None for n in range(MANY)])
        gone = store.trees.forget(seen_by(), ["r0"], hard=False)
        assert len(gone.ids) == MANY
        assert list(store.records.scan(seen_by(), order=Order.OLDEST)) == []

    def test_cascading_finishes_on_a_chain_of_ten_thousand(self, store: Store) -> None:
        _grown(store, [n - 1 if n else None for n in range(MANY)])
        assert len(store.trees.ancestors(seen_by(), f"r{MANY - 1}")) == MANY - 1
        assert len(store.trees.descendants(seen_by(), "r0", MANY)) == MANY - 1
        assert len(store.trees.forget(seen_by(), [f"r{MANY // 2}"], hard=True).ids) == MANY // 2
        assert store.counts.stats(seen_by()).records == MANY // 2

    def test_cascading_ends_where_a_family_bites_its_tail(self, store: Store) -> None:
        _grown(store, [None, 0, 1])
        first = store.records.get(seen_by(), ["r0"])[0]
        store.records.supersede(seen_by(), version_after(first, "r0", START, parent_id="r2"), ENCODER)
        assert store.trees.ancestors(seen_by(), "r0") == ["r2", "r1", "r0"]
        assert [record.id for record in store.trees.descendants(seen_by(), "r1", 50)] == ["r0", "r2"]
        assert set(store.trees.forget(seen_by(), ["r1"], hard=False).ids) == {"r0", "r1", "r2"}

    def test_pinned_ones_stay_and_what_lies_below_them_goes(self, store: Store) -> None:
        _grown(store, [None, 0, 1])
        store.records.revise(seen_by(), ["r1"], lambda record: msgspec.structs.replace(record.vitals, pinned=True))
        gone = store.trees.forget(seen_by(), ["r0"], hard=False)
        assert (gone.ids, gone.pinned) == (("r0", "r2"), ("r1",))

    def test_the_way_down_leads_through_what_is_forgotten(self, store: Store) -> None:
        _grown(store, [None, 0, 1])
        store.records.revise(
            seen_by(), ["r1"], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        assert store.trees.forget(seen_by(), ["r0"], hard=False).ids == ("r0", "r2")

    def test_nothing_goes_when_one_of_the_family_may_not_be_changed(self, store: Store) -> None:
        mine = entry("mine", viewpoint=CHILD, scope="shared", id="mine")
        store.records.append([mine], ENCODER)
        store.records.append([entry("above", parent_id="mine", scope="shared", id="above")], ENCODER)
        with pytest.raises(Forbidden):
            store.trees.forget(seen_by(CHILD), ["mine"], hard=False)
        assert len(store.records.get(seen_by(CHILD), ["mine", "above"])) == 2

    def test_what_is_not_seen_is_neither_felled_nor_told_of(self, store: Store) -> None:
        store.records.append([entry("plan", scope="shared", id="plan")], ENCODER)
        store.records.append([entry("secret", viewpoint=CHILD, parent_id="plan", id="secret")], ENCODER)
        assert store.trees.children(seen_by(), "plan", sort=Sort.OCCURRED_AT) == []
        assert store.trees.forget(seen_by(), ["plan"], hard=False).ids == ("plan",)
        assert store.records.get(seen_by(CHILD), ["secret"])
        with pytest.raises(NotFound):
            store.trees.forget(seen_by(), ["secret"], hard=False)

    @pytest.mark.parametrize("sort", Sort)
    def test_children_are_sorted_and_limited(self, store: Store, sort: Sort) -> None:
        _grown(store, [None, 0, 0, 0, 0])
        for n, weight in enumerate((0.3, 0.9, 0.1, 0.5), 1):
            store.records.revise(
                seen_by(), [f"r{n}"], lambda record, w=weight: msgspec.structs.replace(record.vitals, importance=w)
            )
        up = store.trees.children(seen_by(), "r0", sort=sort)
        down = store.trees.children(seen_by(), "r0", sort=sort, descending=True)
        assert down == up[::-1]
        assert store.trees.children(seen_by(), "r0", sort=sort, descending=True, limit=2) == down[:2]
        expected = ["r3", "r1", "r4", "r2"] if sort is Sort.IMPORTANCE else ["r1", "r2", "r3", "r4"]
        assert [record.id for record in up] == expected

    def test_a_group_has_a_number_and_a_name_of_its_own(self, store: Store) -> None:
        groups = [store.links.put_group(ADA, Group(id=name, name=name, created_at=START)) for name in "abc"]
        assert [group.number for group in groups] == [1, 2, 3]
        assert store.links.groups(ADA) == groups
        assert store.links.put_group(ADA, Group(id="a", name="z", created_at=START)).number == 1
        with pytest.raises(Conflict):
            store.links.put_group(ADA, Group(id="d", name="b", created_at=START))

    def test_edges_of_many_are_those_between_visible_ends(self, store: Store) -> None:
        _grown(store, [None, None, None])
        store.records.append([entry("hers", viewpoint=CHILD, scope="shared", id="hers")], ENCODER)
        for a, b in (("r0", "r1"), ("r1", "r2"), ("r2", "hers")):
            store.links.link(seen_by(), Link(source_id=a, target_id=b, created_at=START))
        assert len(store.trees.edges(seen_by(), ["r0", "r2"])) == 3
        assert store.trees.edges(seen_by(Viewpoint(actor_id="ada", node="/b")), ["r0", "r2"]) == []

    def test_sessions_are_listed_with_what_is_seen_of_them(self, store: Store) -> None:
        later = START + timedelta(hours=1)
        store.links.put_session(
            ADA, Session(id="s1", actor_id="ada", kind="call", metadata={"n": 1}, started_at=START)
        )
        here = Viewpoint(actor_id="ada", session_id="s1")
        there = Viewpoint(actor_id="ada", session_id="s2", node="/a")
        store.records.append([entry("x", START, here), entry("y", later, here), entry("z", later, there)], ENCODER)
        [first] = store.links.sessions(seen_by())
        assert (first.id, first.kind, first.metadata, first.started_at) == ("s1", "call", {"n": 1}, START)
        assert (first.records, first.first_at, first.last_at) == (2, START, later)
        assert [(session.id, session.records) for session in store.links.sessions(seen_by(there))] == [
            ("s2", 1),
            ("s1", 0),
        ]
        assert store.links.sessions(seen_by(there), "s2")[0].started_at is None
        assert store.links.sessions(seen_by(Viewpoint(actor_id="eve"))) == []

    def test_a_key_leads_to_the_record_for_those_who_see_it(self, store: Store) -> None:
        [(record, _)] = store.records.append([entry("k", viewpoint=CHILD, idempotency_key="name")], ENCODER)
        assert store.records.keyed(seen_by(CHILD), "/a", ["name", "other"]) == {"name": record}
        assert store.records.keyed(seen_by(CHILD), "/", ["name"]) == {}
        assert store.records.keyed(seen_by(), "/a", ["name"]) == {}

    def test_new_records_and_versions_are_filed_together_or_not_at_all(self, store: Store) -> None:
        _grown(store, [None])
        [first] = store.records.get(seen_by(), ["r0"])
        later = version_after(first, "r0 again", START)
        store.records.write_batch(seen_by(), [entry("new", id="new", idempotency_key="k")], [later], ENCODER)
        assert [record.version for record in store.records.get(seen_by(), ["new", "r0"])] == [1, 2]
        for fresh, error in (
            (entry("more", id="more"), PreconditionFailed),
            (entry("new", id="more", idempotency_key="k"), Conflict),
        ):
            with pytest.raises(error):
                store.records.write_batch(seen_by(), [fresh], [later], ENCODER)
        assert store.counts.stats(seen_by()).versions == 3


@cache
def _loner(number: int) -> NewRecord:
    """A record without a parent. Kept, because to make ten thousand takes longer than any store takes with them."""
    return entry(f"r{number}", START + timedelta(milliseconds=number), id=f"r{number}")


def _under(parent_id: str, one: NewRecord) -> NewRecord:
    return msgspec.structs.replace(one, record=msgspec.structs.replace(one.record, parent_id=parent_id))


def _grown(store: Store, parents: list[int | None]) -> list[Record]:
    """Records r0, r1, …, each a moment later than the one before, under the parents with these numbers."""
    entries = [_loner(n) if parent is None else _under(f"r{parent}", _loner(n)) for n, parent in enumerate(parents)]
    return [record for record, _ in store.records.append(entries, ENCODER)]


def _link(source: str, target: str, kind: str = "relates", weight: float = 1.0) -> Link:
    return Link(source_id=source, target_id=target, kind=kind, weight=weight, created_at=START)


class LinksContract:
    """Links and groups."""

    def test_an_edge_is_seen_from_both_ends(self, store: Store) -> None:
        a, b = _three(store)[:2]
        store.links.link(seen_by(), _link(a, b, "causes", 0.5))
        assert store.links.of(seen_by(), a) == store.links.of(seen_by(), b) == [_link(a, b, "causes", 0.5)]

    def test_an_edge_drawn_again_takes_the_new_weight(self, store: Store) -> None:
        a, b = _three(store)[:2]
        store.links.link(seen_by(), _link(a, b, weight=0.2))
        store.links.link(seen_by(), _link(a, b, weight=0.7))
        assert [link.weight for link in store.links.of(seen_by(), a)] == [0.7]

    def test_edges_are_taken_away_by_kind_or_all(self, store: Store) -> None:
        a, b = _three(store)[:2]
        for kind in ("x", "y", "z"):
            store.links.link(seen_by(), _link(a, b, kind))
        assert store.links.unlink(seen_by(), a, b, "x") == 1
        assert store.links.unlink(seen_by(), b, a, None) == 0
        assert store.links.unlink(seen_by(), a, b, None) == 2
        assert store.links.of(seen_by(), a) == []

    def test_an_edge_needs_two_visible_ends(self, store: Store) -> None:
        a, b, _ = _three(store)
        with pytest.raises(NotFound):
            store.links.link(seen_by(), _link(a, "nothing"))
        [(hers, _)] = store.records.append([entry("eve's", viewpoint=Viewpoint(actor_id="eve"))], ENCODER)
        with pytest.raises(NotFound):
            store.links.link(seen_by(), _link(a, hers.id))
        store.links.link(seen_by(), _link(a, b))
        store.records.revise(
            seen_by(), [b], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        assert store.links.of(seen_by(), a) == []
        with pytest.raises(NotFound):
            store.links.of(seen_by(), b)

    def test_edges_go_with_an_erased_record(self, store: Store) -> None:
        a, b, c = _three(store)
        store.links.link(seen_by(), _link(a, b))
        store.links.link(seen_by(), _link(b, c))
        store.records.erase(seen_by(), [b])
        assert store.links.of(seen_by(), a) == store.links.of(seen_by(), c) == []

    def test_a_group_keeps_its_members_until_they_leave_or_go(self, store: Store) -> None:
        a, b, c = _three(store)
        group = Group(id="g", name="trip", created_at=START)
        group = store.links.put_group(ADA, group)
        store.links.join(seen_by(), "g", [c, a, b, a])
        assert [record.id for record in store.links.members(seen_by(), "g")] == [a, b, c]
        store.links.leave(seen_by(), "g", [b])
        store.records.erase(seen_by(), [c])
        assert [record.id for record in store.links.members(seen_by(), "g")] == [a]
        assert store.links.groups(ADA) == [group]

    def test_a_group_belongs_to_one_actor(self, store: Store) -> None:
        (a, *_) = _three(store)
        store.links.put_group(ADA, Group(id="g", name="trip", created_at=START))
        eve = Viewpoint(actor_id="eve")
        assert store.links.groups(eve) == []
        for call in (
            lambda: store.links.members(seen_by(eve), "g"),
            lambda: store.links.join(seen_by(eve), "g", [a]),
        ):
            with pytest.raises(NotFound):
                call()


def _three(store: Store) -> list[str]:
    return [record.id for record, _ in store.records.append([entry(text) for text in "abc"], ENCODER)]
