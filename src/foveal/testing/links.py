"""Edges and groups tie records together, and go with them."""

from __future__ import annotations

import msgspec
import pytest

from foveal.errors import NotFound
from foveal.model.query import Viewpoint
from foveal.model.record import Group, Link
from foveal.ports.store import Store
from foveal.testing.building import ADA, ENCODER, START, entry, seen_by


def _link(source: str, target: str, kind: str = "relates", weight: float = 1.0) -> Link:
    return Link(source_id=source, target_id=target, kind=kind, weight=weight, created_at=START)


class LinksContract:
    """Links and groups."""

    def test_an_edge_is_seen_from_both_ends(self, store: Store) -> None:
        a, b = _three(store)[:2]
        store.link(seen_by(), _link(a, b, "causes", 0.5))
        assert store.links(seen_by(), a) == store.links(seen_by(), b) == [_link(a, b, "causes", 0.5)]

    def test_an_edge_drawn_again_takes_the_new_weight(self, store: Store) -> None:
        a, b = _three(store)[:2]
        store.link(seen_by(), _link(a, b, weight=0.2))
        store.link(seen_by(), _link(a, b, weight=0.7))
        assert [link.weight for link in store.links(seen_by(), a)] == [0.7]

    def test_edges_are_taken_away_by_kind_or_all(self, store: Store) -> None:
        a, b = _three(store)[:2]
        for kind in ("x", "y", "z"):
            store.link(seen_by(), _link(a, b, kind))
        assert store.unlink(seen_by(), a, b, "x") == 1
        assert store.unlink(seen_by(), b, a, None) == 0
        assert store.unlink(seen_by(), a, b, None) == 2
        assert store.links(seen_by(), a) == []

    def test_an_edge_needs_two_visible_ends(self, store: Store) -> None:
        a, b, _ = _three(store)
        with pytest.raises(NotFound):
            store.link(seen_by(), _link(a, "nothing"))
        [(hers, _)] = store.append([entry("eve's", viewpoint=Viewpoint(actor_id="eve"))], ENCODER)
        with pytest.raises(NotFound):
            store.link(seen_by(), _link(a, hers.id))
        store.link(seen_by(), _link(a, b))
        store.revise(seen_by(), [b], lambda one: msgspec.structs.replace(one.vitals, forgotten_at=START))
        assert store.links(seen_by(), a) == []
        with pytest.raises(NotFound):
            store.links(seen_by(), b)

    def test_edges_go_with_an_erased_record(self, store: Store) -> None:
        a, b, c = _three(store)
        store.link(seen_by(), _link(a, b))
        store.link(seen_by(), _link(b, c))
        store.erase(seen_by(), [b])
        assert store.links(seen_by(), a) == store.links(seen_by(), c) == []

    def test_a_group_keeps_its_members_until_they_leave_or_go(self, store: Store) -> None:
        a, b, c = _three(store)
        group = Group(id="g", name="trip", created_at=START)
        group = store.put_group(ADA, group)
        store.join(seen_by(), "g", [c, a, b, a])
        assert [one.id for one in store.members(seen_by(), "g")] == [a, b, c]
        store.leave(seen_by(), "g", [b])
        store.erase(seen_by(), [c])
        assert [one.id for one in store.members(seen_by(), "g")] == [a]
        assert store.groups(ADA) == [group]

    def test_a_group_belongs_to_one_actor(self, store: Store) -> None:
        (a, *_) = _three(store)
        store.put_group(ADA, Group(id="g", name="trip", created_at=START))
        eve = Viewpoint(actor_id="eve")
        assert store.groups(eve) == []
        for call in (lambda: store.members(seen_by(eve), "g"), lambda: store.join(seen_by(eve), "g", [a])):
            with pytest.raises(NotFound):
                call()


def _three(store: Store) -> list[str]:
    return [record.id for record, _ in store.append([entry(text) for text in "abc"], ENCODER)]
