"""The order and layout of record trees, and steps along links."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from foveal.errors import Invalid
from foveal.model.record import Link, Record
from foveal.model.results import Branch

_NEVER = datetime.min.replace(tzinfo=UTC)


class Sort(StrEnum):
    """What siblings may be sorted by."""

    OCCURRED_AT = "occurred_at"
    RECORDED_AT = "recorded_at"
    IMPORTANCE = "importance"
    USES = "uses"
    USED_AT = "used_at"
    TIER = "tier"
    KIND = "kind"


# Names that other products use for the same.
_ALIASES = {
    **{"created_at": Sort.RECORDED_AT, "access_count": Sort.USES, "last_accessed_at": Sort.USED_AT},
    **{"memory_type": Sort.KIND, "memory_tier": Sort.TIER},
}

_VALUES: dict[Sort, Callable[[Record], Any]] = {
    Sort.OCCURRED_AT: lambda record: record.occurred_at,
    Sort.RECORDED_AT: lambda record: record.recorded_at,
    Sort.IMPORTANCE: lambda record: record.vitals.importance,
    Sort.USES: lambda record: record.vitals.uses,
    Sort.USED_AT: lambda record: record.vitals.used_at or _NEVER,
    Sort.TIER: lambda record: record.vitals.tier,
    Sort.KIND: lambda record: record.kind,
}


def checked_sort(name: object) -> Sort:
    """The sort with this name or alias; the error for an unknown name suggests the likely one.

    >>> checked_sort("created_at")
    <Sort.RECORDED_AT: 'recorded_at'>
    """
    known = {**{sort.value: sort for sort in Sort}, **_ALIASES}
    if str(name) in known:
        return known[str(name)]
    near = difflib.get_close_matches(str(name), known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known)}"
    raise Invalid(f"children cannot be sorted by {name!r}: {hint}")


def checked_order(name: object) -> bool:
    """Whether the order is descending: False for `asc`, True for `desc`.

    >>> checked_order("desc"), checked_order("ASC")
    (True, False)
    """
    word = str(name).lower()
    if word not in ("asc", "desc"):
        raise Invalid(f"order {name!r} must be asc or desc")
    return word == "desc"


def siblings(records: Iterable[Record], sort: Sort, descending: bool) -> list[Record]:
    """Records sorted by `sort`, then by time and id, all in the same direction."""
    key: Callable[[Record], Any] = lambda record: (_VALUES[sort](record), record.occurred_at, record.id)
    return sorted(records, key=key, reverse=descending)


def tree_layout(root: Record, below: Iterable[Record], depth: int, limit: int) -> list[Branch]:
    """The tree under a record as a list, depth first; siblings keep their order.

    `below` reaches one step deeper than `depth`, so that the deepest records can count their children.
    """
    under: dict[str, list[Record]] = {}
    for record in below:
        under.setdefault(record.parent_id or "", []).append(record)
    branches: list[Branch] = []
    seen: set[str] = set()
    waiting = [(root, 0)]
    while waiting and len(branches) < limit:
        record, step = waiting.pop()
        if record.id in seen:
            continue
        seen.add(record.id)
        children = under.get(record.id, [])
        branches.append(Branch(record=record, depth=step, children=len(children)))
        if step < depth:
            waiting += [(child, step + 1) for child in reversed(children)]
    return branches


def spread(
    frontier: Mapping[str, float], links: Iterable[Link], known: Iterable[str]
) -> dict[str, tuple[float, Link]]:
    """One step along links, in either direction: the records reached, each with its strongest path and last link.

    `frontier` has the strength of the paths so far; records in `known` were reached before.

    >>> then = datetime(2026, 1, 5, tzinfo=UTC)
    >>> edge = Link(source_id="a", target_id="b", weight=0.5, created_at=then)
    >>> spread({"a": 0.5}, [edge], {"a"})["b"][0]
    0.25
    """
    before = set(known)
    reached: dict[str, tuple[float, Link]] = {}
    for link in links:
        for start, end in ((link.source_id, link.target_id), (link.target_id, link.source_id)):
            if start not in frontier or end in before:
                continue
            strength = frontier[start] * link.weight
            if end not in reached or strength > reached[end][0]:
                reached[end] = (strength, link)
    return reached
