"""The searchable record behind a ledger row."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from foveal.engine.records.recall import recall
from foveal.engine.records.write import entries
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid
from foveal.model.query import AllOf, Compare, Details, Filter, Op, Viewpoint
from foveal.model.record import Record
from foveal.model.results import SearchResult
from foveal.rules.drafts import new_record, next_version


def record_id_of(viewpoint: Viewpoint, kind: str, key: str) -> str:
    """The id of the record of a row: the same whenever it is asked for, so that a crash leaves no second one.

    >>> record_id_of(Viewpoint(actor_id="ada"), "goal", "g")
    'goal:1538d7c6e2de0ba4a33b430e'
    """
    return f"{kind}:{blake2b(f'{viewpoint.node} {key}'.encode(), digest_size=12).hexdigest()}"


def put_record(
    runtime: Runtime,
    viewpoint: Viewpoint,
    record_id: str,
    text: str,
    said: Details,
    *,
    back: bool = False,
    fresh: bool = False,
) -> Record:
    """The record of this id with this text and these details: written, or superseded if it says something else.

    What was forgotten or erased is not filed again, so that a repeated call does not bring it back: `Conflict`.
    With `back`, what was forgotten is remembered again. A `fresh` id was just made: nothing is looked for.
    """
    access = runtime.access(viewpoint, include_hidden=True)
    details: Details = {**said, "id": record_id}
    found = [] if fresh else runtime.store.get(access, [record_id])
    if not found:
        record = new_record(text, details, viewpoint, access.now, record_id)
        try:
            return runtime.store.append(entries(runtime, [record]), runtime.encoder)[0][0]
        except Conflict as error:
            # Another process came first, or the id is of a record that was erased.
            found = runtime.store.get(access, [record_id])
            if not found:
                raise Conflict(f"{record_id} was erased, or is another's: use another id", **error.data) from error
    newest = found[0]
    if newest.kind != said.get("kind", newest.kind):
        raise Conflict(f"the id {record_id} is taken by a {newest.kind}", record_id=record_id)
    if newest.vitals.forgotten_at is not None:
        if not back:
            raise Conflict(f"{record_id} was forgotten: undo that, or use another id", record_id=record_id)
        newest = runtime.store.revise(access, [record_id], _remembered)[0]
    if newest.text == text and all(_same(newest, name, value) for name, value in said.items()):
        return newest
    version = next_version(newest, text, said, access.now)
    return runtime.store.supersede(access, entries(runtime, [version])[0], runtime.encoder)


def _remembered(record: Record) -> Any:
    return msgspec.structs.replace(record.vitals, forgotten_at=None)


def _same(record: Record, name: str, value: Any) -> bool:
    if name in ("metadata", "tags"):
        return getattr(record, name) == (value if name == "metadata" else tuple(value))
    # Importance and tier live on after a record is written: they do not make it another.
    return (
        name in ("importance", "tier", "source", "kind", "region", "scope") or getattr(record, name, value) == value
    )


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
    runtime: Runtime,
    viewpoint: Viewpoint,
    query: str,
    count: int,
    *,
    where: Sequence[Filter],
    least: float = 0.0,
) -> list[SearchResult]:
    """The records that answer best under these conditions, most relevant first."""
    access = runtime.access(viewpoint, where=AllOf(tuple(where)), for_recall=True)
    return [
        SearchResult(
            record=hit.record, collection=_NAMES.get(hit.record.kind, hit.record.kind), relevance=hit.relevance
        )
        for hit in recall(runtime, access, query, count)
        if hit.relevance >= least
    ]
