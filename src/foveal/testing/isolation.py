"""Contracts of isolation between memories, and of filters."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foveal.errors import Conflict, Forbidden, Invalid, NotFound, TooLarge
from foveal.model.crystal import Snapshot
from foveal.model.query import Viewpoint
from foveal.model.record import STORED_SCOPES, Group, Link, Scope, Session
from foveal.model.search import IndexQuery
from foveal.ports.store import Order, Store
from foveal.rules.filters import matches, parsed_filter
from foveal.rules.recall.index import codes
from foveal.rules.validation import MAX_FILTER_PARTS, MAX_FILTER_VALUES
from foveal.rules.visibility import reaches
from foveal.testing.builders import (
    ENCODER,
    START,
    by_vector,
    by_words,
    entry,
    recollected,
    seen_by,
    vector_of,
    version_after,
)

# The subclasses of all stores run the same test, and each example creates its own store.
_ALLOWED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]

_WORDS = st.sampled_from(["", "a", "b", "ab", "Ab", "é", "'; drop table record; --", '"', "%", "_", "1", "true"])
_SCALARS = st.one_of(
    _WORDS, st.integers(-2, 2), st.booleans(), st.none(), st.floats(-2, 2, allow_nan=False, width=16)
)
_METADATA = st.dictionaries(
    st.sampled_from(["k", "n", "deep", "with space"]),
    st.one_of(_SCALARS, st.lists(_SCALARS, max_size=3), st.dictionaries(st.just("x"), _SCALARS, max_size=1)),
    max_size=3,
)
_TAGS = st.lists(st.sampled_from(["red", "green", "b'lue"]), max_size=3)

_TEXT_FIELDS = st.sampled_from(
    ["kind", "region", "speaker", "metadata.k", "metadata.deep.x", "metadata.with space", "text"]
)
_NUMBER_FIELDS = st.sampled_from(["importance", "uses", "metadata.n", "metadata.k", "pinned", "tier"])


def _compared(field: str, op: str, value: object) -> dict[str, Any]:
    return {field: {op: value}}


def _equal(field: str, value: object) -> dict[str, Any]:
    return {field: value}


def _joined(word: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {word: parts}


def _negated(part: dict[str, Any]) -> dict[str, Any]:
    return {"not": part}


def _merged(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    return {**a, **b}


_ORDERS = ["eq", "ne", "lt", "lte", "gt", "gte"]
_DAYS = st.integers(-2, 2).map(lambda day: START + timedelta(days=day))
_COMPARES = st.one_of(
    st.builds(_compared, _TEXT_FIELDS, st.sampled_from([*_ORDERS, "contains", "prefix"]), _WORDS),
    st.builds(_compared, _NUMBER_FIELDS, st.sampled_from(_ORDERS), st.integers(1, 3)),
    st.builds(_compared, st.sampled_from(["metadata.k", "kind"]), st.just("in"), st.lists(_SCALARS, max_size=3)),
    st.builds(_compared, st.just("occurred_at"), st.sampled_from(_ORDERS), _DAYS),
    st.builds(_equal, st.sampled_from(["metadata.k", "metadata.n", "speaker"]), _SCALARS),
    st.builds(_equal, st.just("tags"), _TAGS),
)
_FILTERS = st.recursive(
    _COMPARES,
    lambda inner: st.one_of(
        st.builds(_joined, st.sampled_from(["and", "or"]), st.lists(inner, max_size=3)),
        st.builds(_negated, inner),
        st.builds(_merged, inner, inner),
    ),
    max_leaves=6,
)


class FiltersContract:
    """Filters: the store and the pure rule must agree."""

    @settings(
        max_examples=80,
        deadline=None,
        suppress_health_check=_ALLOWED,
    )
    @given(
        rows=st.lists(
            st.tuples(_METADATA, _TAGS, st.sampled_from(["note", "fact"]), st.integers(-2, 2)), max_size=6
        ),
        filters=st.lists(_FILTERS, min_size=1, max_size=5),
    )
    def test_a_store_filters_as_the_rule_does(
        self, open_at: Callable[[Path], Store], rows: list[Any], filters: list[dict[str, Any]]
    ) -> None:
        with TemporaryDirectory() as folder:
            store = open_at(Path(folder) / "store")
            for number, (metadata, tags, kind, day) in enumerate(rows):
                details: dict[str, Any] = {"metadata": metadata, "tags": tags, "kind": kind}
                details |= {"occurred_at": START + timedelta(days=day), "speaker": [None, "a"][number % 2]}
                store.records.append([entry(f"ab text {number}", importance=number / 10, **details)], ENCODER)
            everything = list(store.records.scan(seen_by(), order=Order.OLDEST))
            for given_filter in filters:
                where = parsed_filter(given_filter)
                expected = [record for record in everything if where is None or matches(where, record)]
                records = list(store.records.scan(seen_by(filters=given_filter), order=Order.OLDEST))
                assert records == expected, given_filter
            store.close()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"colour": "red"},
            {"kind": {"like": "x"}},
            {"kind": {}},
            {"tags": {"eq": "red"}},
            {"occurred_at": {"gte": "2026-01-01"}},
            {"and": "x"},
            {"not": ["x"]},
            {'metadata.a"b': 1},
            {"metadata.": 1},
            {"importance": {"lt": None}},
            {"kind": {"contains": 3}},
            {"metadata.x": {"eq": [1]}},
        ],
        ids=str,
    )
    def test_a_filter_that_cannot_be_meant_is_refused(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(Invalid):
            parsed_filter(wrong)


NODES = ("/", "/a", "/a/b", "/a/c", "/a/b/d", "/ab")
STRANGERS = (Viewpoint(actor_id="eve"), Viewpoint(actor_id="ada", world="mars"), Viewpoint(actor_id="nobody"))


class IsolationContract:
    """Isolation of actors, worlds, nodes and scopes."""

    @pytest.mark.parametrize("stranger", STRANGERS, ids=lambda viewpoint: f"{viewpoint.world}-{viewpoint.actor_id}")
    def test_another_organism_sees_nothing(self, store: Store, stranger: Viewpoint) -> None:
        store.records.append([entry("noise", viewpoint=viewpoint) for viewpoint in STRANGERS[:2]], ENCODER)
        [(record, _)] = store.records.append([entry("ada's secret", scope="global")], ENCODER)
        access = seen_by(stranger, include_hidden=True, as_owner=True)
        assert store.records.get(access, [record.id]) == []
        assert by_words(store, access, ["secret"], 9) == {}
        assert record.id not in by_vector(store, access, vector_of("ada's secret"), 9)
        assert record.id not in {seen.id for seen in store.records.scan(access, order=Order.OLDEST)}
        assert store.counts.stats(access).records <= 1
        link = Link(source_id=record.id, target_id=record.id, created_at=START)
        for call in (
            lambda: store.records.history(access, record.id),
            lambda: store.records.erase(access, [record.id]),
            lambda: store.records.revise(access, [record.id], lambda current: current.vitals),
            lambda: store.records.supersede(access, version_after(record, "mine now", START), ENCODER),
            lambda: store.links.link(access, link),
            lambda: store.links.of(access, record.id),
        ):
            with pytest.raises(NotFound):
                call()
        assert store.records.get(seen_by(), [record.id])[0].text == "ada's secret"

    def test_scopes_reach_exactly_as_far_as_they_say(self, store: Store) -> None:
        written: dict[str, tuple[Scope, str]] = {}
        for scope, node in itertools.product(STORED_SCOPES, NODES):
            viewpoint = Viewpoint(actor_id="ada", node=node)
            [(record, _)] = store.records.append([entry("shared word", viewpoint=viewpoint, scope=scope)], ENCODER)
            written[record.id] = (scope, node)
        for reader in NODES:
            allowed = {
                record_id for record_id, (reach, author) in written.items() if reaches(reach, author, reader)
            }
            access = seen_by(Viewpoint(actor_id="ada", node=reader))
            assert {record.id for record in store.records.scan(access, order=Order.OLDEST)} == allowed
            assert set(by_words(store, access, ["share"], 99)) == allowed
            assert set(by_vector(store, access, vector_of("shared word"), 99)) == allowed
            assert {record.id for record in store.records.get(access, list(written))} == allowed
        everything = seen_by(as_owner=True)
        assert len(list(store.records.scan(everything, order=Order.OLDEST))) == len(written)

    def test_counts_tell_nothing_about_others(self, store: Store) -> None:
        store.records.append([entry(f"eve {n}", viewpoint=STRANGERS[0], region="hers") for n in range(9)], ENCODER)
        store.records.append([entry("ada", region="mine")], ENCODER)
        assert [region.region for region in store.counts.regions(seen_by())] == ["mine"]
        stats = store.counts.stats(seen_by())
        assert (stats.records, stats.versions, stats.regions) == (1, 1, 1)

    def test_what_comes_from_above_or_beside_is_read_only(self, store: Store) -> None:
        parent, child = Viewpoint(actor_id="ada", node="/p"), Viewpoint(actor_id="ada", node="/p/c")
        [(shared, _)] = store.records.append(
            [entry("the parent's plan", viewpoint=parent, scope="shared")], ENCODER
        )
        [(open_, _)] = store.records.append([entry("for all", viewpoint=child, scope="global")], ENCODER)
        beside = Viewpoint(actor_id="ada", node="/q")
        for access, record in ((seen_by(child), shared), (seen_by(beside), open_)):
            assert store.records.get(access, [record.id])
            for call in (
                lambda access=access, record=record: store.records.erase(access, [record.id]),
                lambda access=access, record=record: store.records.revise(
                    access, [record.id], lambda current: current.vitals
                ),
                lambda access=access, record=record: store.records.supersede(
                    access, version_after(record, "changed", START), ENCODER
                ),
            ):
                with pytest.raises(Forbidden):
                    call()
        store.records.revise(seen_by(), [open_.id], lambda current: current.vitals)

    def test_a_key_of_another_node_is_another_key(self, store: Store) -> None:
        a, b = Viewpoint(actor_id="ada", node="/a"), Viewpoint(actor_id="ada", node="/b")
        store.records.append([entry("same text", viewpoint=a, idempotency_key="k")], ENCODER)
        [(mine, new)] = store.records.append([entry("same text", viewpoint=b, idempotency_key="k")], ENCODER)
        assert new
        assert store.records.get(seen_by(b), [mine.id]) == [mine]

    def test_a_key_of_what_is_forgotten_stores_again(self, store: Store) -> None:
        [(first, _)] = store.records.append([entry("again", idempotency_key="k")], ENCODER)
        store.records.revise(
            seen_by(), [first.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=START)
        )
        [(second, new)] = store.records.append([entry("again", idempotency_key="k")], ENCODER)
        assert new
        assert store.records.get(seen_by(), [second.id]) == [second]

    def test_nobody_learns_of_a_record_by_the_rank_of_its_neighbours(self, store: Store) -> None:
        a, b = Viewpoint(actor_id="ada", node="/a"), Viewpoint(actor_id="ada", node="/b")
        store.records.append(
            [entry("password swordfish", viewpoint=a), entry("ok, noted", viewpoint=a, scope="global")], ENCODER
        )
        hidden = entry("secret marlin")
        store.records.append([hidden, entry("fine, done")], ENCODER)
        now = START
        store.records.revise(
            seen_by(), [hidden.record.id], lambda record: msgspec.structs.replace(record.vitals, forgotten_at=now)
        )
        for viewpoint, term in ((b, "swordfish"), (seen_by().viewpoint, "marlin")):
            probe = IndexQuery(
                terms=codes([term, "note", "done"]),
                factors=np.ones(3, np.float32),
                pieces=np.empty(0, np.uint16),
                vector=None,
            )
            frame = recollected(store, seen_by(viewpoint), probe, 10)
            assert frame.ids
            assert not frame.times[0].any()

    def test_what_others_hide_does_not_push_mine_out(self, store: Store) -> None:
        a, b = Viewpoint(actor_id="ada", node="/a"), Viewpoint(actor_id="ada", node="/b")
        store.records.append([entry(f"filler {n}", viewpoint=b) for n in range(60)], ENCODER)
        [(mine, _)] = store.records.append([entry("one zebra", viewpoint=b)], ENCODER)
        store.records.append([entry("zebra", viewpoint=a) for _ in range(80)], ENCODER)
        probe = IndexQuery(
            terms=codes(["zebra"]),
            factors=np.ones(1, np.float32),
            pieces=np.empty(0, np.uint16),
            vector=vector_of("filler 3"),
        )
        assert mine.id in recollected(store, seen_by(b), probe, 10).ids

    def test_nodes_beside_each_other_do_not_learn_of_their_groups_sessions_and_snapshots(
        self, store: Store
    ) -> None:
        a, b = Viewpoint(actor_id="ada", node="/a"), Viewpoint(actor_id="ada", node="/b")
        above, below = Viewpoint(actor_id="ada"), Viewpoint(actor_id="ada", node="/a/c")
        [(record, _)] = store.records.append([entry("for all", viewpoint=a, scope="global")], ENCODER)
        group = store.links.put_group(a, Group(id="g", name="merger", created_at=START, node="/a"))
        store.links.join(seen_by(a), "g", [record.id])
        session = Session(id="s", actor_id="ada", metadata={"with": "the board"}, started_at=START, node="/a")
        store.links.put_session(a, session)
        taken = store.snapshots.put(a, Snapshot(id="t", label="before the merger", taken_at=START, node="/a"))
        for known in (a, above):
            assert store.links.groups(known) == [group]
            assert store.links.sessions(seen_by(known)) == [session]
            assert store.snapshots.all(known) == [taken]
            assert store.links.members(seen_by(known), "g") == [record]
        for other in (b, below):
            assert store.links.groups(other) == store.links.sessions(seen_by(other)) == []
            assert store.snapshots.all(other) == []
            for call in (
                lambda other=other: store.links.members(seen_by(other), "g"),
                lambda other=other: store.links.join(seen_by(other), "g", [record.id]),
                lambda other=other: store.links.leave(seen_by(other), "g", [record.id]),
            ):
                with pytest.raises(NotFound):
                    call()

    def test_a_name_of_another_node_is_not_taken(self, store: Store) -> None:
        a, b = Viewpoint(actor_id="ada", node="/a"), Viewpoint(actor_id="ada", node="/b")
        for viewpoint in (a, b):
            node = viewpoint.node
            store.links.put_group(viewpoint, Group(id=node, name="merger", created_at=START, node=node))
            mine = Session(id="s", actor_id="ada", metadata={"by": node}, started_at=START, node=node)
            store.links.put_session(viewpoint, mine)
        for viewpoint in (a, b):
            assert [group.id for group in store.links.groups(viewpoint)] == [viewpoint.node]
            [session] = store.links.sessions(seen_by(viewpoint), "s")
            assert session.metadata == {"by": viewpoint.node}
        with pytest.raises(Conflict):
            store.links.put_group(b, Group(id="/a", name="mine now", created_at=START, node="/b"))
        assert [group.name for group in store.links.groups(a)] == ["merger"]

    def test_what_the_root_names_is_known_to_all_its_nodes(self, store: Store) -> None:
        root, node = Viewpoint(actor_id="ada"), Viewpoint(actor_id="ada", node="/a")
        group = store.links.put_group(root, Group(id="g", name="trip", created_at=START))
        session = Session(id="s", actor_id="ada", started_at=START)
        store.links.put_session(root, session)
        taken = store.snapshots.put(root, Snapshot(id="t", label="one", taken_at=START))
        assert store.links.groups(node) == [group]
        assert store.links.sessions(seen_by(node)) == [session]
        assert store.snapshots.all(node) == [taken]

    def test_a_filter_of_many_values_is_one_comparison(self, store: Store) -> None:
        wanted = [
            entry(f"note {n}", tags=("t",), metadata={"n": n, "name": f"n{n}", "on": n % 2 == 0}) for n in range(3)
        ]
        stored = [record for record, _ in store.records.append(wanted, ENCODER)]
        names = [f"n{n}" for n in range(MAX_FILTER_VALUES)]
        numbers = [*range(2, MAX_FILTER_VALUES), 0.5]
        for wanted, expected in (
            ({"metadata.name": names}, stored),
            ({"metadata.n": numbers}, stored[2:]),
            ({"metadata.on": [True]}, [stored[0], stored[2]]),
            ({"id": [stored[1].id, *names[1:]]}, stored[1:2]),
            ({"importance": [stored[0].vitals.importance, 0.125]}, stored),
            ({"not": {"metadata.name": names}}, []),
            ({"or": [{"metadata.n": n} for n in range(MAX_FILTER_PARTS)]}, stored),
            ({"tags": [f"x{n}" for n in range(MAX_FILTER_PARTS - 1)] + ["t"]}, stored),
        ):
            access = seen_by(filters=wanted)
            found = list(store.records.scan(access, order=Order.OLDEST))
            assert sorted(record.id for record in found) == sorted(record.id for record in expected), str(given)[
                :60
            ]
        for wanted in ({"metadata.name": [*names, "one more"]}, {"or": [{"metadata.n": n} for n in numbers]}):
            with pytest.raises(TooLarge):
                parsed_filter(wanted)

    def test_a_whole_memory_is_erased_and_no_other(self, store: Store) -> None:
        ada, eve = Viewpoint(actor_id="ada"), Viewpoint(actor_id="eve")
        store.records.append([entry("hers", viewpoint=ada), entry("also hers", viewpoint=ada)], ENCODER)
        [(kept, _)] = store.records.append([entry("not hers", viewpoint=eve)], ENCODER)
        store.links.put_group(ada, Group(id="g", name="trip", created_at=START))
        store.snapshots.put(ada, Snapshot(id="t", label="one", taken_at=START))
        erasure = store.records.erase_all(ada)
        assert erasure.settled
        assert (erasure.removed["record"], erasure.removed["context_group"], erasure.removed["snapshot"]) == (
            2,
            1,
            1,
        )
        assert store.counts.organisms() == [("default", "eve")]
        assert store.links.groups(ada) == store.snapshots.all(ada) == []
        assert list(store.records.scan(seen_by(ada), order=Order.OLDEST)) == []
        assert list(store.records.scan(seen_by(eve), order=Order.OLDEST)) == [kept]
        assert store.check() == []
        [(again, new)] = store.records.append([entry("a new beginning", viewpoint=ada)], ENCODER)
        assert new and list(store.records.scan(seen_by(ada), order=Order.OLDEST)) == [again]
        assert store.records.erase_all(Viewpoint(actor_id="nobody")).removed == {}
