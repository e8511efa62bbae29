"""A store filters exactly as the rule does, whatever the filter and the record."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foveal.errors import Invalid
from foveal.ports.store import Order, Store
from foveal.rules.filters import holds, parsed_filter
from foveal.testing.building import ENCODER, START, entry, seen_by

# Every store's subclass runs the same test, and each example makes a store of its own.
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


def _asked(field: str, op: str, value: object) -> dict[str, Any]:
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
    st.builds(_asked, _TEXT_FIELDS, st.sampled_from([*_ORDERS, "contains", "prefix"]), _WORDS),
    st.builds(_asked, _NUMBER_FIELDS, st.sampled_from(_ORDERS), st.integers(1, 3)),
    st.builds(_asked, st.sampled_from(["metadata.k", "kind"]), st.just("in"), st.lists(_SCALARS, max_size=3)),
    st.builds(_asked, st.just("occurred_at"), st.sampled_from(_ORDERS), _DAYS),
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
    """Filters, in the store and in the rule."""

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
                said: dict[str, Any] = {"metadata": metadata, "tags": tags, "kind": kind}
                said |= {"occurred_at": START + timedelta(days=day), "speaker": [None, "a"][number % 2]}
                store.append([entry(f"ab text {number}", importance=number / 10, **said)], ENCODER)
            everything = list(store.scan(seen_by(), order=Order.OLDEST))
            for given_filter in filters:
                where = parsed_filter(given_filter)
                expected = [one for one in everything if where is None or holds(where, one)]
                found = list(store.scan(seen_by(filters=given_filter), order=Order.OLDEST))
                assert found == expected, given_filter
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
