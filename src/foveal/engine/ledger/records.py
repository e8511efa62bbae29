"""The searchable records behind ledger rows."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from foveal.engine.records.recall import reranked
from foveal.engine.records.write import entries
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid
from foveal.model.query import AllOf, Compare, Details, Filter, Op, Viewpoint
from foveal.model.record import Record, Scope
from foveal.model.results import Hit, SearchResult
from foveal.rules.drafts import new_record, next_version
from foveal.rules.text import gist


def record_id_of(viewpoint: Viewpoint, kind: str, key: str) -> str:
    """The id of the record of a row. It is always the same, so a retry after a crash makes no second record.

    >>> record_id_of(Viewpoint(actor_id="ada"), "goal", "g")
    'goal:1538d7c6e2de0ba4a33b430e'
    """
    return f"{kind}:{blake2b(f'{viewpoint.node} {key}'.encode(), digest_size=12).hexdigest()}"


def put_record(
    runtime: Runtime,
    viewpoint: Viewpoint,
    record_id: str,
    text: str,
    details: Details,
    *,
    back: bool = False,
    fresh: bool = False,
) -> Record:
    """Write the record of this id with this text and these details, or supersede it if its content differs.

    `Conflict` if the record was forgotten or erased, so that a repeated call does not bring it back. With `back`, a
    forgotten record is remembered again. A `fresh` id was just generated, so no existing record is looked up.
    """
    access = runtime.access(viewpoint, include_hidden=True)
    existing = [] if fresh else runtime.store.records.get(access, [record_id])
    if not existing:
        with_id: Details = {"scope": Scope.LOCAL, **details, "id": record_id}
        record = new_record(text, with_id, viewpoint, access.now, record_id)
        try:
            return runtime.writes.append(entries(runtime, [record]), runtime.encoder)[0][0]
        except Conflict as error:
            # Another process was faster, or the id belongs to an erased record.
            existing = runtime.store.records.get(access, [record_id])
            if not existing:
                raise Conflict(f"{record_id} was erased, or is another's: use another id", **error.data) from error
    newest = existing[0]
    if newest.kind != details.get("kind", newest.kind):
        raise Conflict(f"the id {record_id} is taken by a {newest.kind}", record_id=record_id)
    if newest.vitals.forgotten_at is not None:
        if not back:
            raise Conflict(f"{record_id} was forgotten: undo that, or use another id", record_id=record_id)
        newest = runtime.writes.revise(access, [record_id], _remembered)[0]
    if newest.text == text and all(_same(newest, name, value) for name, value in details.items()):
        return newest
    version = next_version(newest, text, details, access.now)
    return runtime.writes.supersede(access, entries(runtime, [version])[0], runtime.encoder)


def _remembered(record: Record) -> Any:
    return msgspec.structs.replace(record.vitals, forgotten_at=None)


def _same(record: Record, name: str, value: Any) -> bool:
    if name in ("metadata", "tags"):
        return getattr(record, name) == (value if name == "metadata" else tuple(value))
    # Importance and tier change during the life of a record: they do not make it a different one.
    return (
        name in ("importance", "tier", "source", "kind", "region", "scope") or getattr(record, name, value) == value
    )


# The collections that can be searched, and the kind of record each holds.
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
    """The kinds of the records in collections; `Invalid` with the list of collections for an unknown one."""
    if isinstance(collections, str):
        raise Invalid(f"collections must be a list of names; for one write [{collections!r}]")
    for name in collections:
        if name not in COLLECTIONS:
            raise Invalid(f"{name!r} is not a collection; use one of {', '.join(COLLECTIONS)}")
    return [COLLECTIONS[name] for name in collections]


def of_kinds(kinds: Sequence[str]) -> Filter:
    """A filter for records of these kinds."""
    return Compare(field="kind", op=Op.IN, value=tuple(kinds))


def found(
    runtime: Runtime,
    viewpoint: Viewpoint,
    query: str,
    count: int,
    *,
    where: Sequence[Filter],
    least: float = 0.0,
) -> list[Hit]:
    """The records that answer best under these filters, most relevant first."""
    access = runtime.access(viewpoint, where=AllOf(tuple(where)), for_recall=True)
    return [hit for hit in reranked(runtime, access, query, count).hits if hit.relevance >= least]


def result_of(hit: Hit) -> SearchResult:
    """A hit as the result of a collection."""
    record = hit.record
    return SearchResult(
        content=record.text,
        metadata=record.metadata,
        relevance=hit.relevance,
        collection=_NAMES.get(record.kind, record.kind),
        record=record,
        summary=gist(record.text),
    )
