"""A call travels as a request of HTTP and arrives as the same call."""

from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal import Memory
from foveal.errors import Invalid, Unsupported
from foveal.wire.calls import Call, call_of
from foveal.wire.routes import Request, asked, requested, route
from foveal.wire.shapes import (
    AddressText,
    Boolean,
    Choice,
    Duration,
    Either,
    ListOf,
    MapOf,
    Nullable,
    Number,
    Shape,
    Text,
    Timestamp,
)
from foveal.wire.shapes import Integer as WholeNumber
from foveal.wire.verbs import VERBS

TRAVELLING = sorted(one.name for one in VERBS.values() if one.http is not None)
WORDS = st.text("aZ07/?#[]{}\"'%&=+:;., ~\\\n\tä字😀", max_size=8)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


def _values(shape: Shape) -> st.SearchStrategy[Any]:
    match shape:
        case Nullable():
            return st.none() | _values(shape.inner)
        case Text() | Timestamp() | AddressText():
            return WORDS.filter(bool)
        case Choice():
            return st.sampled_from(shape.names)
        case Boolean():
            return st.booleans()
        case WholeNumber():
            return st.integers(0, 2**53)
        case Number() | Duration():
            return st.floats(allow_nan=False, allow_infinity=False)
        case ListOf():
            return st.lists(_values(shape.inner), max_size=3)
        case MapOf():
            return st.dictionaries(WORDS, JSON, max_size=3)
        case Either() if Text() in shape.inner:
            return WORDS.filter(bool)
        case _:
            return JSON


def _arrived(call: Call, request: Request) -> dict[str, Any]:
    """What a server makes of a request: the path is matched part by part, and decoded."""
    _, template = route(call)
    parts = list(zip(template.split("/"), request.path.split("/"), strict=True))
    path = {name.strip("{}"): unquote(text) for name, text in parts if name.startswith("{")}
    body = None if request.body is None else msgspec.json.decode(msgspec.json.encode(request.body))
    return asked(call, path, request.query, body)


@given(st.sampled_from(TRAVELLING), st.data())
def test_what_is_asked_arrives_as_it_was_said(name: str, data: st.DataObject) -> None:
    call = call_of(name)
    said = {
        one.name: data.draw(_values(one.shape), one.name)
        for one in call.fields
        if one.required or data.draw(st.booleans(), f"says {one.name}")
    }
    arrived = _arrived(call, requested(call, said))
    silent = {name for name, value in said.items() if value is None and name not in arrived}
    assert arrived == {name: value for name, value in said.items() if name not in silent}


def test_what_a_get_leaves_out_means_nothing_said() -> None:
    for name in TRAVELLING:
        call = call_of(name)
        if route(call)[0] == "GET":
            assert all(one.default is None for one in call.fields if isinstance(one.shape, Nullable)), name


def test_a_path_is_one_part_whatever_the_id_is() -> None:
    for record_id in ("a/b", "a?b#c", "..", ".", "ä ö", "%2F", "x:y"):
        request = requested(call_of("get"), {"record_id": record_id})
        assert request.path.count("/") == 3 and not request.path.endswith("."), record_id
        assert _arrived(call_of("get"), request) == {"record_id": record_id}


def test_what_json_cannot_say_is_refused_and_not_changed() -> None:
    for verb, said in (
        ("write", {"text": "x", "importance": float("nan")}),
        ("write", {"text": "half \ud800"}),
        ("write", {"text": "x", "metadata": {"deep": [float("inf")]}}),
        ("get", {"record_id": "\ud800"}),
        ("get", {"record_id": ""}),
        ("page", {"cursor": "\ud800"}),
    ):
        with pytest.raises(Invalid):
            requested(call_of(verb), said)


def test_a_request_that_means_nothing_is_invalid_and_says_why() -> None:
    page, get = call_of("page"), call_of("get")
    with pytest.raises(Invalid, match="filters must be JSON"):
        asked(page, {}, [("filters", "{kind}")])
    with pytest.raises(Invalid, match="limit is said 2 times"):
        asked(page, {}, [("limit", "1"), ("limit", "2")])
    with pytest.raises(Invalid, match="record_id is said twice"):
        asked(get, {"record_id": "a"}, [("record_id", "b")])
    with pytest.raises(Invalid, match="must be a JSON object"):
        asked(call_of("write"), {}, body=["text"])
    with pytest.raises(Invalid, match="limit must be a whole number, not 'many'"):
        page.arguments(asked(page, {}, [("limit", "many")]))
    with pytest.raises(Invalid, match="newest_first must be true or false"):
        page.arguments(asked(page, {}, [("newest_first", "yes")]))


def test_what_stays_where_the_memory_is_says_so() -> None:
    with pytest.raises(Unsupported, match="backup does not go over HTTP"):
        requested(call_of("backup"), {})


def test_a_snapshot_is_named_by_its_id() -> None:
    with Memory(":memory:") as memory:
        kept = memory.snapshots.take("now", actor_id="ada")
    call = call_of("changes")
    assert call.named((kept,), {}) == {"since": kept.id}
    assert call_of("restore").named((kept,), {}) == {"snapshot": kept.id}
