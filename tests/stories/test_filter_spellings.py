"""A filter may be spelled in two ways, and no spelling reaches the database as anything but a value."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import Invalid
from foveal.rules.filters import parsed_filter
from foveal.testing import ManualClock

OPS = ("eq", "ne", "in", "contains", "lt", "lte", "gt", "gte")


@pytest.fixture(params=["ram", "sqlite"])
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[View]:
    path = ":memory:" if request.param == "ram" else tmp_path / "m.db"
    with Memory(path, clock=ManualClock()) as memory:
        ada = memory.view(actor_id="ada")
        for size in range(3):
            ada.write(f"box {size}", importance=0.2 + size / 4, metadata={"size": size, "who": f"ada{size}"})
        yield ada


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ({"importance__gte": 0.4}, {"importance": {"gte": 0.4}}),
        ({"metadata.size__lt": 2}, {"metadata.size": {"lt": 2}}),
        ({"metadata": {"size__in": [0, 2]}}, {"metadata.size": {"in": [0, 2]}}),
        ({"metadata": {"who": "ada1"}}, {"metadata.who": "ada1"}),
        ({"text__contains": "box 1"}, {"text": {"contains": "box 1"}}),
        ({"or": [{"metadata.size__eq": 0}, {"not": {"importance__lte": 0.5}}]}, None),
    ],
)
def test_both_spellings_ask_the_same(ada: View, short: dict[str, Any], long: dict[str, Any] | None) -> None:
    found = [one.text for one in ada.timeline(filters=short)]
    assert 0 < len(found) < 3
    if long is not None:
        assert parsed_filter(short) == parsed_filter(long)


def test_an_explicit_mapping_asks_for_a_key_that_ends_like_an_operator(ada: View) -> None:
    odd = ada.write("odd", metadata={"size__gte": 7}).id
    assert [one.id for one in ada.timeline(filters={"metadata.size__gte": {"eq": 7}})] == [odd]


@pytest.mark.parametrize("key", ["back\\slash", "\\", "tab\there", "dollar$", "[0]", "ключ", "'"])
def test_any_key_of_the_metadata_can_be_asked_for(ada: View, key: str) -> None:
    odd = ada.write("odd", metadata={key: 7}).id
    assert [one.id for one in ada.timeline(filters={"metadata": {key: 7}})] == [odd]


def test_a_misspelt_operator_is_refused_with_the_likely_field(ada: View) -> None:
    with pytest.raises(Invalid, match="importance"):
        ada.timeline(filters={"importance__ge": 0.4})


@settings(max_examples=150)
@example(name='x") or 1=1 --', value="'; drop table record; --", op="eq")
@example(name="\\", value="", op="eq")
@example(name="x' || (select text from record)", value="%", op="contains")
@given(name=st.text(max_size=12), value=st.text(max_size=12), op=st.sampled_from(OPS))
def test_whatever_is_asked_is_a_value_and_never_a_statement(ada: View, name: str, value: str, op: str) -> None:
    wanted = [value] if op == "in" else value
    for asked in ({f"metadata.{name}__{op}": wanted}, {"metadata": {name: {op: wanted}}}, {f"text__{op}": wanted}):
        try:
            found = ada.timeline(filters=asked)
        except Invalid:
            continue
        held = {"eq": False, "in": False, "ne": True}.get(op)
        if held is not None and name not in ("size", "who") and not any(key.startswith("text") for key in asked):
            assert len(found) == (3 if held else 0)
    assert len(ada.timeline()) == 3


def test_an_end_may_be_a_moment_or_a_span_but_not_both(ada: View) -> None:
    clock_start = ada.timeline()[0].recorded_at
    end = clock_start + timedelta(hours=1)
    assert ada.get(ada.write("until then", expires_at=end).id).vitals.expires_at == end
    with pytest.raises(Invalid, match="use one"):
        ada.write("twice", expires_at=end, ttl=5)
    record = ada.supersede(ada.write("for an hour", ttl=3600).id, "for good", expires_at=None)
    assert record.vitals.expires_at is None
