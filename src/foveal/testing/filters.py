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
from foveal.rules.filtering import holds, parsed_filter
from foveal.testing.building import ENCODER, START, entry, seen_by

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


def _compares() -> st.SearchStrategy[dict[str, Any]]:
    texts = st.sampled_from(["eq", "ne", "lt", "lte", "gt", "gte", "contains", "prefix"])
    numbers = st.sampled_from(["eq", "ne", "lt", "lte", "gt", "gte"])
    return st.one_of(
        st.builds(lambda f, op, v: {f: {op: v}}, _TEXT_FIELDS, texts, _WORDS),
        st.builds(lambda f, op, v: {f: {op: v}}, _NUMBER_FIELDS, numbers, st.integers(1, 3)),
        st.builds(lambda f, v: {f: v}, st.sampled_from(["metadata.k", "metadata.n", "speaker"]), _SCALARS),
        st.builds(lambda f, v: {f: {"in": v}}, st.sampled_from(["metadata.k", "kind"]), st.lists(_SCALARS, max_size=3)),
        st.builds(lambda v: {"tags": v}, _TAGS),
        st.builds(lambda d: {"occurred_at": {"gte": START + timedelta(days=d)}}, st.integers(-2, 2)),
    )


_FILTERS = st.recursive(
    _compares(),
    lambda inner: st.one_of(
        st.builds(lambda parts: {"and": parts}, st.lists(inner, max_size=3)),
        st.builds(lambda parts: {"or": parts}, st.lists(inner, max_size=3)),
        st.builds(lambda part: {"not": part}, inner),
        st.builds(lambda a, b: {**a, **b}, inner, inner),
    ),
    max_leaves=6,
)


class FiltersContract:
    """Filters, in the store and in the rule."""

    @settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        rows=st.lists(st.tuples(_METADATA, _TAGS, st.sampled_from(["note", "fact"]), st.integers(-2, 2)), max_size=6),
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
