"""A store knows how long its lists are, and who wrote them."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from foveal.model.record import Scope
from foveal.ports.store import Order, Store
from foveal.rules.filters import parsed_filter
from foveal.testing.building import ADA, ENCODER, START, entry, seen_by


class ListingContract:
    """Marks in long lists, and the nodes of an organism."""

    def test_marks_stand_where_a_scan_passes_them(self, store: Store) -> None:
        moments = [START + timedelta(minutes=number % 5) for number in range(11)]
        store.append([entry(f"note {n}", at, occurred_at=at) for n, at in enumerate(moments)], ENCODER)
        for order in Order:
            scanned = list(store.scan(seen_by(now=START + timedelta(hours=1)), order=order))
            total, marks = store.marks(seen_by(now=START + timedelta(hours=1)), order=order, every=4)
            assert total == len(scanned) == 11
            assert marks == [(n, scanned[n - 1].occurred_at, scanned[n - 1].id) for n in (4, 8)]

    def test_marks_are_of_what_is_seen_and_asked_for(self, store: Store) -> None:
        node = replace(ADA, node="/a")
        store.append([entry("mine", scope="local"), entry("more", scope="local", kind="fact")], ENCODER)
        store.append([entry("theirs", viewpoint=node, scope="local")], ENCODER)
        assert store.marks(seen_by(), order=Order.NEWEST, every=1)[0] == 2
        assert store.marks(seen_by(owner=True), order=Order.NEWEST, every=1)[0] == 3
        facts = replace(seen_by(), where=parsed_filter({"kind": "fact"}))
        assert store.marks(facts, order=Order.OLDEST, every=5) == (1, [])
        assert store.marks(seen_by(replace(ADA, actor_id="nobody")), order=Order.NEWEST, every=1) == (0, [])

    def test_nodes_are_counted_by_what_reaches_the_reader(self, store: Store) -> None:
        for name, scope in (("/", "global"), ("/a", "local"), ("/a", "shared"), ("/a/b", "shared")):
            store.append([entry(f"{name} {scope}", viewpoint=replace(ADA, node=name), scope=scope)], ENCODER)
        assert store.nodes(seen_by()) == [("/", Scope.GLOBAL.value, 1), ("/a", "shared", 1)]
        assert store.nodes(seen_by(replace(ADA, node="/x"))) == [("/", "global", 1)]
        assert len(store.nodes(seen_by(owner=True))) == 4
