"""Parsing, narrowing and evaluating filters, and the cursors of pages."""

from __future__ import annotations

import difflib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar, cast

import msgspec

from foveal.errors import Invalid, TooLarge
from foveal.model.query import FIELDS, AllOf, AnyOf, Compare, Filter, Negation, Op, Scalar
from foveal.model.record import Linearity, Record, Tier
from foveal.rules.validation import (
    MAX_FILTER_PARTS,
    MAX_FILTER_VALUES,
    checked_moment,
    checked_name,
    storable,
)

MOMENTS = ("occurred_at", "recorded_at", "valid_from", "valid_to")
_ORDERED = (Op.LT, Op.LTE, Op.GT, Op.GTE)
_OPS = tuple(op.value for op in Op)
_MAX_DEPTH = 16
# SQLite takes expressions of a thousand levels, and a chain of conditions has one for each. A list of values is one
# condition, but of tags, which are looked for one by one.
_LISTS = (list, tuple, set, frozenset)


def parsed_filter(given: Mapping[str, Any] | None, depth: int = 0) -> Filter | None:
    """The filter that a mapping describes, or None if it is empty.

    A plain value means equality, a list means one of its values. `and` and `or` take lists of filters, `not` takes
    one. An operator may also be a suffix of the field, and metadata fields may be nested under `metadata`.

    >>> parsed_filter({"metadata.size": {"gte": 3}})
    Compare(field='metadata.size', op=<Op.GTE: 'gte'>, value=3)
    >>> parsed_filter({"metadata": {"size__gte": 3}}) == parsed_filter({"metadata.size__gte": 3})
    True
    """
    if given is None:
        return None
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(f"a filter must be a mapping such as {{'kind': 'fact'}}, not {type(given).__name__}")
    if not given:
        return None
    if depth > _MAX_DEPTH:
        raise Invalid(f"filters are nested more than {_MAX_DEPTH} deep")
    parts: list[Filter] = []
    for key, value in given.items():
        if key in ("and", "or"):
            if not isinstance(value, Sequence) or isinstance(value, str):
                raise Invalid(f"filter {key!r} takes a list of filters")
            inner = [_inner(part, depth) for part in cast(Sequence[object], value)]
            parts.append(AllOf(tuple(inner)) if key == "and" else AnyOf(tuple(inner)))
        elif key == "not":
            parts.append(Negation(_inner(value, depth)))
        else:
            for field, operand in _conditions(key, value):
                parts += _comparisons(_checked_field(field), operand)
    where = parts[0] if len(parts) == 1 else AllOf(tuple(parts))
    if depth == 0 and _parts(where) > MAX_FILTER_PARTS:
        raise TooLarge(
            f"a filter has more than {MAX_FILTER_PARTS} conditions: name several values of a field in one list"
        )
    return where


def _parts(where: Filter) -> int:
    """How many comparisons a filter has."""
    match where:
        case AllOf(parts) | AnyOf(parts):
            return sum(map(_parts, parts))
        case Negation(part):
            return _parts(part)
        case Compare():
            return 1


def _conditions(key: object, value: object) -> list[tuple[object, object]]:
    """Fields and operands, with `size__gte` and mappings under `metadata` rewritten to the plain form."""
    if key == "metadata" and isinstance(value, Mapping):
        nested = cast(Mapping[object, object], value)
        return [pair for name, inner in nested.items() for pair in _conditions(f"metadata.{name}", inner)]
    if isinstance(key, str) and "__" in key and not isinstance(value, Mapping):
        field, _, op = key.rpartition("__")
        if op in _OPS:
            return [(field, {op: value})]
    return [(key, value)]


def kinds_named(where: Filter | None) -> tuple[str, ...] | None:
    """The only kinds that can match a filter, or None if it does not restrict them.

    >>> kinds_named(parsed_filter({"kind": ["decision", "incident"], "tags": "x"}))
    ('decision', 'incident')
    """
    match where:
        case AllOf(parts):
            return next((kinds for part in parts if (kinds := kinds_named(part)) is not None), None)
        case Compare("kind", Op.EQ, value) if isinstance(value, str):
            return (value,)
        case Compare("kind", Op.IN, value) if isinstance(value, tuple):
            return tuple(kind for kind in value if isinstance(kind, str))
        case _:
            return None


def beyond_kinds(where: Filter | None) -> Filter | None:
    """The filter without the kinds that `kinds_named` returns, or None if nothing else remains.

    >>> beyond_kinds(parsed_filter({"kind": "decision", "region": "work"}))
    Compare(field='region', op=<Op.EQ: 'eq'>, value='work')
    """
    if kinds_named(where) is None:
        return where
    if not isinstance(where, AllOf):
        return None
    place = next(n for n, part in enumerate(where.parts) if kinds_named(part) is not None)
    inner = beyond_kinds(where.parts[place])
    parts = [*where.parts[:place], *([] if inner is None else [inner]), *where.parts[place + 1 :]]
    if len(parts) < 2:
        return parts[0] if parts else None
    return AllOf(tuple(parts))


def _inner(part: object, depth: int) -> Filter:
    if not isinstance(part, Mapping):
        raise Invalid("a filter inside and, or, not must be a mapping")
    return parsed_filter(cast(Mapping[str, Any], part), depth + 1) or AllOf(())


def _checked_field(name: object) -> str:
    if not isinstance(name, str):
        raise Invalid(f"a filter field must be a string, not {type(name).__name__}")
    if name in FIELDS:
        return name
    path = name.split(".")
    if path[0] == "metadata" and len(path) > 1 and all(path) and '"' not in name:
        return storable(name, "filter field")
    near = difflib.get_close_matches(name, FIELDS, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(FIELDS)} or metadata.<key>"
    raise Invalid(f"there is no filter field {name!r}: {hint}")


def _comparisons(field: str, value: object) -> list[Filter]:
    if isinstance(value, Mapping):
        operators = cast(Mapping[str, object], value)
        unknown = [op for op in operators if op not in _OPS]
        if unknown or not operators:
            raise Invalid(
                f"filter on {field!r} takes {', '.join(Op)}; not {', '.join(map(str, unknown)) or 'nothing'}"
            )
        return [_compare(field, Op(op), operand) for op, operand in operators.items()]
    several = isinstance(value, _LISTS)
    if field == "tags":
        wanted = cast(Sequence[object], value) if several else [value]
        return [AnyOf(tuple(_compare(field, Op.CONTAINS, tag) for tag in wanted))]
    return [_compare(field, Op.IN if several else Op.EQ, value)]


def _compare(field: str, op: Op, value: object) -> Compare:
    if field == "tags" and op is not Op.CONTAINS:
        raise Invalid("tags can only be compared with contains")
    if op is Op.IN:
        if not isinstance(value, list | tuple | set | frozenset):
            raise Invalid(f"filter {field!r} in takes a list")
        if len(cast(Sequence[object], value)) > MAX_FILTER_VALUES:
            raise TooLarge(f"filter {field!r} in takes at most {MAX_FILTER_VALUES:,} values: ask in several parts")
        return Compare(field, op, tuple(_scalar(field, item) for item in cast(Sequence[object], value)))
    if op in (Op.CONTAINS, Op.PREFIX) and not isinstance(value, str):
        raise Invalid(f"filter {field!r} {op} takes a string")
    scalar = _scalar(field, value)
    if op in _ORDERED and scalar is None:
        raise Invalid(f"filter {field!r} {op} needs a value to compare with")
    return Compare(field, op, scalar)


def _scalar(field: str, value: object) -> Scalar:
    if field in MOMENTS:
        return checked_moment(value, f"filter {field!r}")
    if field == "tier" and isinstance(value, str | int):
        return int(Tier.named(value))
    if field == "linearity" and isinstance(value, str | Linearity):
        return int(Linearity.named(value))
    if isinstance(value, str):
        return storable(value, f"filter {field!r}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Invalid(f"filter {field!r} takes whole numbers of at most 64 bits")
    if value is None or isinstance(value, bool | int | float):
        return value
    raise Invalid(f"filter {field!r} takes text, numbers, true, false or null, not {type(value).__name__}")


def names_something(condition: Filter) -> bool:
    """Whether a filter compares anything at all.

    >>> names_something(AllOf((AnyOf(()),)))
    False
    """
    match condition:
        case Compare():
            return True
        case Negation(part):
            return names_something(part)
        case AllOf(parts) | AnyOf(parts):
            return any(names_something(part) for part in parts)


def matches(condition: Filter, record: Record) -> bool:
    """Whether the record matches the filter. Values of different types are never equal or ordered.

    >>> from foveal.model.query import Compare
    >>> matches(AllOf(()), cast(Record, None)), matches(AnyOf(()), cast(Record, None))
    (True, False)
    """
    match condition:
        case AllOf(parts):
            return all(matches(part, record) for part in parts)
        case AnyOf(parts):
            return any(matches(part, record) for part in parts)
        case Negation(part):
            return not matches(part, record)
        case Compare(field, op, value):
            return _meets(_field(record, field), op, value)


def _field(record: Record, name: str) -> Any:
    if name.startswith("metadata."):
        value: Any = record.metadata
        for key in name.split(".")[1:]:
            value = cast(Mapping[str, Any], value).get(key) if isinstance(value, Mapping) else None
        return value
    if name in ("tier", "importance", "uses", "pinned", "muted"):
        return getattr(record.vitals, name)
    if name == "archived":
        return record.vitals.archived_at is not None
    if name in ("digits", "tape"):
        return getattr(record.address, name)
    return getattr(record, name)


def _meets(actual: Any, op: Op, value: Any) -> bool:
    if op is Op.CONTAINS:
        return isinstance(actual, str | list | tuple) and value in actual
    if op is Op.PREFIX:
        return isinstance(actual, str) and actual.startswith(value)
    if op is Op.NE:
        return not _meets(actual, Op.EQ, value)
    if op is Op.IN:
        return any(_meets(actual, Op.EQ, item) for item in value)
    if actual is None or value is None:
        return op is Op.EQ and actual is None and value is None
    if _type_name(actual) != _type_name(value):
        return False
    match op:
        case Op.EQ:
            return bool(actual == value)
        case Op.LT:
            return bool(actual < value)
        case Op.LTE:
            return bool(actual <= value)
        case Op.GT:
            return bool(actual > value)
        case _:
            return bool(actual >= value)


def _type_name(value: object) -> str:
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, datetime):
        return "moment"
    return "text" if isinstance(value, str) else type(value).__name__


TierName = str | int | Tier
T = TypeVar("T")


def narrowed(
    where: Filter | None,
    *,
    tiers: Sequence[TierName] | None = None,
    kinds: Sequence[str] | None = None,
    session_id: str | None = None,
) -> Filter | None:
    """The filter, restricted to these tiers and kinds.

    Tiers below the semantic one belong to a conversation: within a session, they match only records of that session
    or of no session.

    >>> narrowed(None, kinds=["fact"])
    Compare(field='kind', op=<Op.IN: 'in'>, value=('fact',))
    """
    parts = [] if where is None else [where]
    if kinds is not None:
        parts.append(Compare("kind", Op.IN, tuple(checked_name(kind, "kind") for kind in _listed(kinds, "kinds"))))
    if tiers is not None:
        parts.append(_in_tiers({Tier.named(name) for name in _listed(tiers, "tiers")}, session_id))
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts)) if parts else None


def working(where: Filter | None, session_id: str) -> Filter:
    """The filter, restricted to what a session holds in its working tier."""
    parts = (
        Compare("session_id", Op.EQ, session_id),
        Compare("tier", Op.EQ, int(Tier.WORKING)),
        Compare("archived", Op.EQ, False),
    )
    return AllOf(parts if where is None else (where, *parts))


def _in_tiers(tiers: set[Tier], session_id: str | None) -> Filter:
    wanted = Compare("tier", Op.IN, tuple(sorted(int(tier) for tier in tiers)))
    if session_id is None:
        return wanted
    here = AnyOf(
        (Compare("tier", Op.EQ, int(Tier.SEMANTIC)), Compare("session_id", Op.IN, (session_id, None))),
    )
    return AllOf((wanted, here))


def _listed(values: Sequence[T], what: str) -> Sequence[T]:
    if isinstance(values, str):
        raise Invalid(f"{what} must be a list; for one write [{values[:40]!r}]")
    if not values:
        raise Invalid(f"{what} is empty: leave it out to ask for all")
    return values


def cursor_of(moment: datetime, record_id: str) -> str:
    """The cursor for the place right after a record."""
    return urlsafe_b64encode(msgspec.json.encode((moment, record_id))).decode().rstrip("=")


def beyond(cursor: str, *, newest_first: bool) -> dict[str, Any]:
    """The filter for the records after the place that a cursor marks.

    >>> from datetime import UTC
    >>> place = cursor_of(datetime(2026, 3, 1, tzinfo=UTC), "r1")
    >>> beyond(place, newest_first=True)["or"][1]["id"]
    {'lt': 'r1'}
    """
    try:
        moment, record_id = msgspec.json.decode(
            urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), type=tuple[datetime, str]
        )
    except (ValueError, msgspec.MsgspecError) as error:
        raise Invalid("the cursor does not come from a page: start from the first page") from error
    if moment.tzinfo is None:
        raise Invalid("the cursor does not come from a page: start from the first page")
    side, edge = ("lt", "lte") if newest_first else ("gt", "gte")
    # The first condition is redundant, but lets the database use an index.
    return {
        "occurred_at": {edge: moment},
        "or": [{"occurred_at": {side: moment}}, {"occurred_at": {"eq": moment}, "id": {side: record_id}}],
    }
