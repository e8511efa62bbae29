"""How the records of the ledger are found by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.engine.core import Core
from foveal.engine.recall import recall
from foveal.errors import Invalid
from foveal.model.query import AllOf, Compare, Filter, Op, Viewpoint
from foveal.model.results import SearchResult

# The collections that can be searched, and the kind of their records.
COLLECTIONS = {
    "decisions": "decision",
    "incidents": "incident",
    "procedures": "procedure",
    "knowledge": "knowledge",
    "config_changes": "config_change",
    "patterns": "pattern",
    "goals": "goal",
    "tasks": "task",
}
_NAMES = {kind: name for name, kind in COLLECTIONS.items()}


def kinds_of(collections: Sequence[str]) -> list[str]:
    """The kinds of records that collections hold; an unknown collection is an error that lists them."""
    if isinstance(collections, str):
        raise Invalid(f"collections must be a list of names; for one write [{collections!r}]")
    for name in collections:
        if name not in COLLECTIONS:
            raise Invalid(f"{name!r} is not a collection; use one of {', '.join(COLLECTIONS)}")
    return [COLLECTIONS[name] for name in collections]


def of_kinds(kinds: Sequence[str]) -> Filter:
    """The condition that a record is of one of these kinds."""
    return Compare(field="kind", op=Op.IN, value=tuple(kinds))


def found(
    core: Core,
    viewpoint: Viewpoint,
    query: str,
    count: int,
    *,
    where: Sequence[Filter],
    least: float = 0.0,
) -> list[SearchResult]:
    """The records that answer best under these conditions, most relevant first."""
    sight = core.sight(viewpoint, where=AllOf(tuple(where)), recalling=True)
    return [
        SearchResult(
            record=hit.record, collection=_NAMES.get(hit.record.kind, hit.record.kind), relevance=hit.relevance
        )
        for hit in recall(core, sight, query, count)
        if hit.relevance >= least
    ]
