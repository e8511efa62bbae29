"""Who may see what, as SQL: the same law as `rules.visibility`, enforced by the database."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from foveal.backends.sql.rows import stamp, stamp_or_none
from foveal.backends.sql.session import Organism
from foveal.model.filter import AllOf, AnyOf, Compare, Filter, Negation, Op
from foveal.model.sight import Sight
from foveal.rules.filtering import MOMENTS
from foveal.rules.visibility import parent_node

# The ways in which a record reaches a node. Each has an index of its own, and no record comes on two of them.
WAYS = (
    "r.node = %(node)s",
    "(r.scope = 'shared' and r.node = %(node_up)s)",
    "(r.scope = 'shared' and r.up = %(node)s)",
    "(r.scope = 'global' and r.node != %(node)s)",
)
REACHES = f"({' or '.join(WAYS)})"
_TRUE_THEN = """r.valid_from <= %(valid_at)s and (r.valid_to is null or r.valid_to > %(valid_at)s) and not exists (
    select 1 from record later where (later.world, later.organism, later.id) = (r.world, r.organism, r.id)
    and later.version > r.version and later.valid_from <= %(valid_at)s
    and (%(as_of)s::bigint is null or later.recorded_at <= %(as_of)s))"""

_IN_VITALS = ("tier", "importance", "uses", "pinned", "muted")
_NUMBERS = {"tier", "importance", "uses", "linearity", "tape", *MOMENTS}
_TRUTHS = {"pinned", "muted", "archived"}
_SIGNS = {Op.LT: "<", Op.LTE: "<=", Op.GT: ">", Op.GTE: ">=", Op.EQ: "="}


def clause(sight: Sight, organism: Organism, way: str = REACHES) -> tuple[str, dict[str, Any]]:
    """The condition on `record r join vitals v` for what `sight` may see, and the values it binds.

    With one of `WAYS`, only for what comes to the node on that way.
    """
    values: dict[str, Any] = {
        **organism,
        "node": sight.viewpoint.node,
        "node_up": parent_node(sight.viewpoint.node),
        "moment": stamp(sight.as_of or sight.now),
        "as_of": stamp_or_none(sight.as_of),
        "valid_at": stamp_or_none(sight.valid_at),
    }
    parts = ["(r.world, r.organism) = (%(world)s, %(organism)s)"]
    if not sight.hidden:
        parts += ["v.forgotten_at is null", "(v.expires_at is null or v.expires_at > %(moment)s)"]
    if sight.recalling:
        parts.append("not v.muted")
    if not sight.owner:
        parts.append(way)
    if sight.as_of is not None:
        parts.append("r.recorded_at <= %(as_of)s")
    if sight.valid_at is not None:
        parts.append(_TRUE_THEN)
    elif sight.as_of is not None:
        parts.append("(r.superseded_at is null or r.superseded_at > %(as_of)s)")
    else:
        parts.append("r.superseded_at is null")
    if sight.where is not None:
        parts.append(_condition(sight.where, values))
    return " and ".join(parts), values


def _condition(condition: Filter, values: dict[str, Any]) -> str:
    match condition:
        case AllOf(parts):
            return f"({' and '.join(_condition(part, values) for part in parts) or 'true'})"
        case AnyOf(parts):
            return f"({' or '.join(_condition(part, values) for part in parts) or 'false'})"
        case Negation(part):
            return f"(not {_condition(part, values)})"
        case Compare(field, Op.EQ, str() as value) if field in ("session_id", "parent_id"):
            # Said so that an index can answer it; null is not equal to anything.
            return f"(r.{field} is not null and r.{field} = {_bound(value, values)})"
        case Compare("digits", Op.PREFIX, str(value)):
            prefix = _bound(value, values)
            return f"(r.digits >= {prefix}::text and r.digits < {prefix}::text || '3')"
        case Compare(field, op, value):
            # Every comparison is made true or false, never null, so that `not` turns it round.
            return f"coalesce({_comparison(field, op, value, values)}, false)"


def _comparison(field: str, op: Op, value: Any, values: dict[str, Any]) -> str:
    if op is Op.NE:
        return f"not coalesce({_comparison(field, Op.EQ, value, values)}, false)"
    if op is Op.IN:
        return f"({' or '.join(_equal(field, one, values) for one in value) or 'false'})"
    if field == "tags":
        return f"{_bound(value, values)}::text = any(r.tags)"
    if field.startswith("metadata."):
        return _in_metadata(field, op, value, values)
    if value is None:
        return f"{_column(field)} is null"
    if isinstance(value, str):
        return "false" if field in _NUMBERS | _TRUTHS else _of_text(_column(field), op, _bound(value, values))
    if field in _TRUTHS:
        return f"{_column(field)}::integer {_SIGNS[op]} {_number(value, values)}"
    if field not in _NUMBERS:
        return "false"
    return f"{_column(field)} {_SIGNS[op]} {_number(value, values)}"


def _equal(field: str, value: Any, values: dict[str, Any]) -> str:
    return f"coalesce({_comparison(field, Op.EQ, value, values)}, false)"


def _of_text(found: str, op: Op, wanted: str) -> str:
    if op is Op.CONTAINS:
        return f"strpos({found}, {wanted}::text) > 0"
    if op is Op.PREFIX:
        return f"starts_with({found}, {wanted}::text)"
    return f'{found} collate "C" {_SIGNS[op]} {wanted}::text'


def _in_metadata(field: str, op: Op, value: Any, values: dict[str, Any]) -> str:
    """A comparison with what lies at a path of the metadata; values of different types are never equal."""
    found = f"(r.metadata::jsonb #> {_bound(field.split('.')[1:], values)}::text[])"
    if value is None:
        return f"({found} is null or jsonb_typeof({found}) = 'null')"
    plain = f"({found} #>> '{{}}')"
    if isinstance(value, str):
        wanted = _bound(value, values)
        text = f"jsonb_typeof({found}) = 'string' and {_of_text(plain, op, wanted)}"
        if op is not Op.CONTAINS:
            return f"({text})"
        return f"({text} or jsonb_typeof({found}) = 'array' and {found} ? {wanted}::text)"
    number = f"case {plain} when 'true' then 1 when 'false' then 0 else {plain}::numeric end"
    return (
        f"(case when jsonb_typeof({found}) in ('number', 'boolean') "
        f"then ({number}) {_SIGNS[op]} {_number(value, values)} end)"
    )


def _column(field: str) -> str:
    if field == "archived":
        return "(v.archived_at is not null)"
    return f"v.{field}" if field in _IN_VITALS else f"r.{field}"


def _number(value: Any, values: dict[str, Any]) -> str:
    """A number, exactly as it was written: what JSON holds is compared digit by digit."""
    if isinstance(value, datetime):
        return f"{_bound(stamp(value), values)}::bigint"
    if isinstance(value, float):
        return f"{_bound(Decimal(repr(value)), values)}::numeric"
    return f"{_bound(int(value), values)}::bigint"


def _bound(value: Any, values: dict[str, Any]) -> str:
    name = f"f{len(values)}"
    values[name] = value
    return f"%({name})s"
