"""Children, trees and edges of records: order and layout."""

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


# What others call the same.
_ALSO = {
    **{"created_at": Sort.RECORDED_AT, "access_count": Sort.USES, "last_accessed_at": Sort.USED_AT},
    **{"memory_type": Sort.KIND, "memory_tier": Sort.TIER},
}

_VALUES: dict[Sort, Callable[[Record], Any]] = {
    Sort.OCCURRED_AT: lambda one: one.occurred_at,
    Sort.RECORDED_AT: lambda one: one.recorded_at,
    Sort.IMPORTANCE: lambda one: one.vitals.importance,
    Sort.USES: lambda one: one.vitals.uses,
    Sort.USED_AT: lambda one: one.vitals.used_at or _NEVER,
    Sort.TIER: lambda one: one.vitals.tier,
    Sort.KIND: lambda one: one.kind,
}


def checked_sort(name: object) -> Sort:
    """The sort of this name; an unknown one is an error with the likely name.

    >>> checked_sort("created_at")
    <Sort.RECORDED_AT: 'recorded_at'>
    """
    known = {**{one.value: one for one in Sort}, **_ALSO}
    if str(name) in known:
        return known[str(name)]
    near = difflib.get_close_matches(str(name), known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known)}"
    raise Invalid(f"children cannot be sorted by {name!r}: {hint}")


def checked_order(name: object) -> bool:
    """Whether the greatest comes first, as `asc` or `desc` say.

    >>> checked_order("desc"), checked_order("ASC")
    (True, False)
    """
    word = str(name).lower()
    if word not in ("asc", "desc"):
        raise Invalid(f"order {name!r} is not asc or desc")
    return word == "desc"


def siblings(records: Iterable[Record], sort: Sort, descending: bool) -> list[Record]:
    """Records sorted by one thing, and where that is equal by time and id, in the same direction."""
    place: Callable[[Record], Any] = lambda one: (_VALUES[sort](one), one.occurred_at, one.id)
    return sorted(records, key=place, reverse=descending)


def tree_layout(root: Record, below: Iterable[Record], depth: int, limit: int) -> list[Branch]:
    """The tree under a record as a list, each record right after its parent; siblings keep their order.

    `below` has the records to one step deeper than `depth`, so that the last ones know their children.
    """
    under: dict[str, list[Record]] = {}
    for record in below:
        under.setdefault(record.parent_id or "", []).append(record)
    found: list[Branch] = []
    seen: set[str] = set()
    waiting = [(root, 0)]
    while waiting and len(found) < limit:
        record, step = waiting.pop()
        if record.id in seen:
            continue
        seen.add(record.id)
        children = under.get(record.id, [])
        found.append(Branch(record=record, depth=step, children=len(children)))
        if step < depth:
            waiting += [(child, step + 1) for child in reversed(children)]
    return found


def spread(
    frontier: Mapping[str, float], links: Iterable[Link], known: Iterable[str]
) -> dict[str, tuple[float, Link]]:
    """One step from records along edges, either way: whom it reaches first, how strongly, by which edge.

    `frontier` has the strength of the way so far; `known` were reached before.

    >>> then = datetime(2026, 1, 5, tzinfo=UTC)
    >>> edge = Link(source_id="a", target_id="b", weight=0.5, created_at=then)
    >>> spread({"a": 0.5}, [edge], {"a"})["b"][0]
    0.25
    """
    before = set(known)
    found: dict[str, tuple[float, Link]] = {}
    for link in links:
        for start, end in ((link.source_id, link.target_id), (link.target_id, link.source_id)):
            if start not in frontier or end in before:
                continue
            strength = frontier[start] * link.weight
            if end not in found or strength > found[end][0]:
                found[end] = (strength, link)
    return found
