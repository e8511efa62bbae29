"""What ties records together."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class LinkKind(StrEnum):
    """The kinds of edges that have a meaning of their own; callers may name others."""

    PARENT = "parent"
    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"
    RELATES = "relates"
    REPEATS = "repeats"
    CONSOLIDATED_INTO = "consolidated_into"


class Link(Struct, frozen=True, kw_only=True):
    """A typed, weighted edge from one record to another."""

    source_id: str
    target_id: str
    kind: str = LinkKind.RELATES
    weight: float = 1.0
    created_at: datetime


class Group(Struct, frozen=True, kw_only=True):
    """A named set of records. No two groups of a memory have the same name, nor the same number."""

    id: str
    name: str
    description: str = ""
    created_at: datetime
    number: int = 0
