"""Who may see what, as SQL: the same law as `rules.visibility`, enforced by the database."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from foveal.backends.sql.rows import stamp, stamp_or_none
from foveal.backends.sql.session import Organism
from foveal.model.filter import AllOf, AnyOf, Compare, Filter, Negation, Op
from foveal.model.sight import Sight
from foveal.rules.visibility import parent_node

# The ways in which a record reaches a node. Each has an index of its own, and no record comes on two of them.
WAYS = (
    "r.node = :node",
    "(r.scope = 'shared' and r.node = :node_up)",
    "(r.scope = 'shared' and r.up = :node)",
    "(r.scope = 'global' and r.node != :node)",
)
REACHES = f"({' or '.join(WAYS)})"
_EACH_WAY = " union all ".join(f"select r.seq from record r where r.organism = :organism and {way}" for way in WAYS)
# The same for whoever counts everything: it begins with the indexes of the ways, not with all of the organism.
COUNTED = f"r.seq in ({_EACH_WAY})"
_TRUE_THEN = """r.valid_from <= :valid_at and (r.valid_to is null or r.valid_to > :valid_at) and not exists (
    select 1 from record later where later.organism = r.organism and later.id = r.id
    and later.version > r.version and later.valid_from <= :valid_at
    and (:as_of is null or later.recorded_at <= :as_of))"""

_IN_VITALS = ("tier", "importance", "uses", "pinned", "muted")
_INDEXED = ("session_id", "parent_id")
_RARE = 6
_SIGNS = {Op.LT: "<", Op.LTE: "<=", Op.GT: ">", Op.GTE: ">=", Op.EQ: "="}


def clause(sight: Sight, organism: Organism, way: str = REACHES) -> tuple[str, dict[str, Any]]:
    """The condition on `record r join vitals v` for what `sight` may see, and the values it binds.

    With one of `WAYS`, only for what comes to the node on that way; with `COUNTED`, to go through all of it.
    """
    values: dict[str, Any] = {
        **organism,
        "node": sight.viewpoint.node,
        "node_up": parent_node(sight.viewpoint.node),
        "moment": stamp(sight.as_of or sight.now),
        "as_of": stamp_or_none(sight.as_of),
        "valid_at": stamp_or_none(sight.valid_at),
    }
    counted = way == COUNTED and not sight.owner
    # The plus keeps the indexes that begin with the organism out of it.
    parts = ["+r.organism = :organism" if counted else "r.organism = :organism"]
    if not sight.hidden:
        parts += ["v.forgotten_at is null", "(v.expires_at is null or v.expires_at > :moment)"]
    if sight.recalling:
        parts.append("not v.muted")
    if not sight.owner:
        parts.append(way)
    if sight.as_of is not None:
        parts.append("+r.recorded_at <= :as_of")
    if sight.valid_at is not None:
        parts.append(_TRUE_THEN)
    elif sight.as_of is not None:
        parts.append("(r.superseded_at is null or r.superseded_at > :as_of)")
    else:
        parts.append("r.superseded_at is null")
    if sight.where is not None:
        parts.append(_condition(sight.where, values))
        # Said once more in a form that an index can answer.
        parts += [f"r.{one.field} {_SIGNS[one.op]} {_bound(one.value, values)}" for one in _indexed(sight.where)]
    return " and ".join(parts), values


def _indexed(condition: Filter) -> list[Compare]:
    """The comparisons that must hold and have an index."""
    match condition:
        case AllOf(parts):
            return [one for part in parts for one in _indexed(part)]
        case Compare(field, Op.EQ, str()) if field in _INDEXED:
            return [condition]
        case Compare("occurred_at", op, datetime()) if op in _SIGNS:
            return [condition]
        case _:
            return []


def _condition(condition: Filter, values: dict[str, Any]) -> str:
    match condition:
        case AllOf(parts):
            return f"({' and '.join(_condition(part, values) for part in parts) or 'true'})"
        case AnyOf(parts):
            return f"({' or '.join(_condition(part, values) for part in parts) or 'false'})"
        case Negation(part):
            return f"(not {_condition(part, values)})"
        case Compare("digits", Op.PREFIX, str(value)):
            return _under(value, _bound(value, values))
        case Compare(field, op, value):
            # Every comparison is made true or false, never null, so that `not` turns it round.
            return f"coalesce({_comparison(field, op, value, values)}, false)"


def _comparison(field: str, op: Op, value: Any, values: dict[str, Any]) -> str:
    if op is Op.NE:
        return f"not coalesce({_comparison(field, Op.EQ, value, values)}, false)"
    if op is Op.IN:
        return _among(field, value, values)
    if field == "tags":
        return f"exists (select 1 from json_each(r.tags) where value = {_bound(value, values)})"
    found = _found(field, values)
    if value is None:
        return f"{found} is null"
    if op is Op.CONTAINS:
        wanted = _bound(value, values)
        inside = f"(typeof({found}) = 'text' and instr({found}, {wanted}) > 0)"
        if not field.startswith("metadata."):
            return inside
        path = _bound(_path(field), values)
        return (
            f"case json_type(r.metadata, {path}) when 'array' then exists (select 1 from "
            f"json_each(r.metadata, {path}) where type = 'text' and value = {wanted}) "
            f"when 'text' then {inside} else false end"
        )
    same = _same_type(field, value, values)
    if op is Op.PREFIX:
        wanted = _bound(value, values)
        return f"({same} and substr({found}, 1, length({wanted})) = {wanted})"
    return f"({same} and {found} {_SIGNS[op]} {_bound(value, values)})"


def _under(prefix: str, wanted: str) -> str:
    """A prefix of digits as a range, which is never null.

    A long one is rare: the index of cells should answer then, and for a short one that of time.
    """
    if len(prefix) < _RARE:
        return f"(+r.digits >= {wanted} and +r.digits < {wanted} || '3')"
    return f"(likelihood(r.digits >= {wanted}, 0.001) and likelihood(r.digits < {wanted} || '3', 0.001))"


def _among(field: str, wanted: tuple[Any, ...], values: dict[str, Any]) -> str:
    parts = [f"{_found(field, values)} is null"] if None in wanted else []
    numbers = [_plain(one) for one in wanted if isinstance(one, int | float | datetime)]
    for group in (numbers, [one for one in wanted if isinstance(one, str)]):
        if group:
            listed = _bound(json.dumps(group), values)
            same = _same_type(field, group[0], values)
            parts.append(f"({same} and {_found(field, values)} in (select value from json_each({listed})))")
    return f"({' or '.join(parts) or 'false'})"


def _plain(value: Any) -> Any:
    return stamp(value) if isinstance(value, datetime) else value


def _found(field: str, values: dict[str, Any]) -> str:
    if field.startswith("metadata."):
        return f"json_extract(r.metadata, {_bound(_path(field), values)})"
    if field == "archived":
        return "(v.archived_at is not null)"
    return f"v.{field}" if field in _IN_VITALS else f"r.{field}"


def _path(field: str) -> str:
    return "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in field.split(".")[1:])


def _same_type(field: str, value: Any, values: dict[str, Any]) -> str:
    """Values of different types are never equal or ordered."""
    number = isinstance(value, int | float | datetime)
    if field.startswith("metadata."):
        types = "('integer', 'real', 'true', 'false')" if number else "('text')"
        return f"json_type(r.metadata, {_bound(_path(field), values)}) in {types}"
    types = "('integer', 'real')" if number else "('text')"
    return f"typeof({_found(field, values)}) in {types}"


def _bound(value: Any, values: dict[str, Any]) -> str:
    name = f"f{len(values)}"
    values[name] = _plain(value)
    return f":{name}"
