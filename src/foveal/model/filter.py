"""A condition on records, as a tree."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

Scalar = str | int | float | bool | datetime | None


class Op(StrEnum):
    """What a field may be asked."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    CONTAINS = "contains"
    PREFIX = "prefix"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"


class Compare(Struct, frozen=True):
    """One field against one value (or, for `in`, a tuple of them)."""

    field: str
    op: Op
    value: Scalar | tuple[Scalar, ...]


class AllOf(Struct, frozen=True):
    """True when every part is; with no part, always."""

    parts: tuple[Filter, ...]


class AnyOf(Struct, frozen=True):
    """True when a part is; with no part, never."""

    parts: tuple[Filter, ...]


class Negation(Struct, frozen=True):
    """True when its part is not."""

    part: Filter


Filter = Compare | AllOf | AnyOf | Negation

FIELDS = (
    *("id", "kind", "tags", "region", "session_id", "speaker", "source", "node", "scope", "parent_id"),
    *("digits", "tape", "tier", "importance", "uses", "pinned", "muted", "archived", "linearity", "text"),
    *("occurred_at", "recorded_at", "valid_from", "valid_to"),
)
