"""The write flow: split, embed, place, append; supersede."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.engine.records.relations import require_parent
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import (
    Conflict,
    EncoderMismatch,
    FovealError,
    Invalid,
    ModelUnavailable,
    NotFound,
    PreconditionFailed,
)
from foveal.model.ids import new_id
from foveal.model.query import At, Details, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Rejected, Written
from foveal.ports.store import NewRecord
from foveal.rules.addresses import corners, digits
from foveal.rules.decay import used
from foveal.rules.drafts import new_record, next_version, require_known, writer_of
from foveal.rules.duplicates import words_number
from foveal.rules.recall.index import index_entry
from foveal.rules.rendering import indexed_text
from foveal.rules.text import chunks
from foveal.rules.visibility import may_change

BATCH = 256

# What may be said of a text that comes back without making it new.
ECHOED = frozenset({"actor_id", "world", "node", "session_id", "source", "speaker", "idempotency_key"})

Vectors = NDArray[np.float32]
Item = str | Mapping[str, Any]
Outcome = tuple[int, Record, str, str | None]


def write(runtime: Runtime, bound: At, text: str, said: Details) -> Written:
    """Store one text."""
    runtime.touches.flush()
    viewpoint = writer_of(bound, said)
    record = _drafted(runtime, viewpoint, text, said)
    heard = _heard(runtime, viewpoint, record, said, set())
    written = _written(runtime, [(0, *heard)] if heard else _appended(runtime, [(0, record)]))
    runtime.wrote(viewpoint, 1)
    return written


def write_many(runtime: Runtime, bound: At, items: Iterable[Item], said: Details) -> Written:
    """Store many texts, in batches of one transaction and one embedding call each.

    What cannot be taken is rejected with its position; the rest is stored.
    """
    runtime.touches.flush()
    done: list[Outcome] = []
    rejected: list[Rejected] = []
    for batch in _batches(enumerate(items), BATCH):
        listened: set[Viewpoint] = set()
        records: list[tuple[int, Record]] = []
        for index, item in batch:
            try:
                text, details = _item(item, said)
                parent = details.get("parent_id")
                if parent is not None and any(one.id == parent for _, one in records):
                    # Its parent is in this batch: it has to be there before a child can name it.
                    done += _taken(runtime, records, rejected)
                    records = []
                viewpoint = writer_of(bound, details)
                record = _drafted(runtime, viewpoint, text, details)
            except (Invalid, NotFound) as error:
                rejected.append(_rejected(index, error))
                continue
            heard = _heard(runtime, viewpoint, record, details, listened)
            if heard:
                done.append((index, *heard))
            else:
                records.append((index, record))
        done += _taken(runtime, records, rejected)
    for (world, actor, session), count in _places(record for _, record, *_ in done).items():
        runtime.wrote(Viewpoint(world=world, actor_id=actor, session_id=session), count)
    return _written(runtime, sorted(done, key=lambda one: one[0]), rejected)


def _places(records: Iterable[Record]) -> Counter[tuple[str, str, str | None]]:
    return Counter((one.world, one.actor_id, one.session_id) for one in records)


def _taken(runtime: Runtime, records: Sequence[tuple[int, Record]], rejected: list[Rejected]) -> list[Outcome]:
    """What became of a batch, in one transaction unless one of them is taken."""
    try:
        return _appended(runtime, records)
    except EncoderMismatch:
        raise
    except Conflict:
        # Find out which it is, and store the others.
        done: list[Outcome] = []
        for index, record in records:
            try:
                done += _appended(runtime, [(index, record)])
            except Conflict as error:
                rejected.append(_rejected(index, error))
        return done


def _appended(runtime: Runtime, records: Sequence[tuple[int, Record]]) -> list[Outcome]:
    made = entries(runtime, [record for _, record in records])
    first = _first_said(runtime, [entry.record for entry in made])
    made = [msgspec.structs.replace(entry, repeats=first.get(entry.record.id)) for entry in made]
    stored = runtime.store.append(made, runtime.encoder)
    fresh = ["pending" if entry.vectors is None else "new" for entry in made]
    return [
        (index, record, kind if new else "duplicate", entry.repeats if new else None)
        for (index, _), (record, new), kind, entry in zip(records, stored, fresh, made, strict=True)
    ]


def _first_said(runtime: Runtime, records: Sequence[Record]) -> dict[str, str]:
    """The ids of the records that said the words of these first, in the store or before them in this batch."""
    by_node: dict[Viewpoint, list[Record]] = {}
    for one in records:
        by_node.setdefault(Viewpoint(world=one.world, actor_id=one.actor_id, node=one.node), []).append(one)
    found: dict[str, str] = {}
    for viewpoint, some in by_node.items():
        found |= runtime.store.said_before(runtime.access(viewpoint), some)
        here: dict[int, str] = {}
        for one in some:
            first = here.setdefault(words_number(one), found.get(one.id, one.id))
            if first != one.id:
                found[one.id] = first
    return found


def _heard(
    runtime: Runtime, viewpoint: Viewpoint, record: Record, said: Details, listened: set[Viewpoint]
) -> tuple[Record, str, None] | None:
    """The record that this one only repeats after it was recalled, strengthened by that; None for a new text.

    Whoever says more of a text than who speaks means it to be stored. `listened` are the conversations whose log
    was looked at already.
    """
    if said.keys() - ECHOED:
        return None
    source = runtime.echoes.source(viewpoint, record.text)
    if source is None and viewpoint not in listened:
        listened.add(viewpoint)
        runtime.echoes.catch_up(runtime.store, runtime.access(viewpoint))
        source = runtime.echoes.source(viewpoint, record.text)
    if source is None:
        return None
    access = runtime.access(viewpoint)
    found = runtime.store.get(access, [source])
    if not found or not may_change(found[0], viewpoint):
        return None
    if said.get("idempotency_key") is not None and said.get("idempotency_key") == found[0].idempotency_key:
        # The write itself, sent again: a duplicate, not an echo.
        return None
    return runtime.store.revise(access, [found[0].id], lambda one: used(one.vitals, access.now))[0], "echo", None


def supersede(
    runtime: Runtime, viewpoint: Viewpoint, record_id: str, text: str, said: Details, expected: int | None
) -> Record:
    """Add the next version of a record."""
    runtime.touches.flush()
    access = runtime.access(viewpoint)
    found = runtime.store.get(access, [record_id])
    if not found:
        raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    if expected is not None and expected != found[0].version:
        raise PreconditionFailed(
            f"{record_id} is at version {found[0].version}, not {expected}",
            record_id=record_id,
            version=found[0].version,
        )
    version = next_version(found[0], text, said, access.now)
    if version.parent_id is not None and version.parent_id != found[0].parent_id:
        require_parent(runtime, viewpoint, record_id, version.parent_id)
    entry = msgspec.structs.replace(entries(runtime, [version])[0], was=found[0].vitals)
    return runtime.store.supersede(access, entry, runtime.encoder)


def chunks_of(record: Record) -> list[str]:
    """What is embedded for a record, one string for each piece of its text."""
    return [indexed_text(piece, record) for piece in chunks(record.text)]


def placed(runtime: Runtime, record: Record, vectors: Vectors) -> Record:
    """The record at the place on the map where the middle of its pieces lies."""
    middle = vectors.mean(axis=0) if len(vectors) > 1 else vectors[0]
    norm = float(np.linalg.norm(middle))
    weights = corners(middle / norm if norm else middle, runtime.embedder.plane)
    return msgspec.structs.replace(
        record, address=msgspec.structs.replace(record.address, digits=digits(weights), tape=0)
    )


def _drafted(runtime: Runtime, viewpoint: Viewpoint, text: str, said: Details) -> Record:
    now = runtime.clock.now()
    record = new_record(text, said, viewpoint, now, new_id(now), runtime.config)
    if record.parent_id is not None and not runtime.store.get(runtime.access(viewpoint), [record.parent_id]):
        raise NotFound(f"there is no parent {record.parent_id!r} here", record_id=record.parent_id)
    return record


def _item(item: Item, said: Details) -> tuple[str, Details]:
    if isinstance(item, str):
        return item, said
    if not isinstance(item, Mapping) or "text" not in item:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("each item must be a string, or a mapping with a text")
    details = {**said, **{name: value for name, value in item.items() if name != "text"}}
    require_known(details, frozenset(Details.__annotations__) | frozenset(At.__annotations__))
    return item["text"], cast(Details, details)


def embedded(runtime: Runtime, records: Sequence[Record]) -> list[tuple[Record, Vectors]]:
    """The records with their vectors, made in one call."""
    chunks = [chunks_of(record) for record in records]
    rows = runtime.embedder.embed([text for texts in chunks for text in texts])
    ends = np.cumsum([len(texts) for texts in chunks])
    return list(zip(records, np.split(rows, ends[:-1]) if records else [], strict=True))


def entries(runtime: Runtime, records: Sequence[Record]) -> list[NewRecord]:
    """The records with their traces and vectors; without vectors if the encoder is away."""
    traces = [index_entry(record, runtime.pieces.pieces) for record in records]
    try:
        made = embedded(runtime, records)
    except ModelUnavailable as error:
        runtime.degraded("encoder", error)
        return [
            NewRecord(record=one, trace=trace, vectors=None) for one, trace in zip(records, traces, strict=True)
        ]
    return [
        NewRecord(record=placed(runtime, record, vectors), trace=trace, vectors=vectors)
        for (record, vectors), trace in zip(made, traces, strict=True)
    ]


def _written(runtime: Runtime, done: Sequence[Outcome], rejected: Sequence[Rejected] = ()) -> Written:
    return Written(
        ids=tuple(record.id for _, record, *_ in done),
        addresses=tuple(record.address for _, record, *_ in done),
        encoder=runtime.embedder.id,
        duplicates=tuple(record.id for _, record, kind, _ in done if kind == "duplicate"),
        echoes=tuple(record.id for _, record, kind, _ in done if kind == "echo"),
        repeats=tuple(dict.fromkeys(first for *_, first in done if first is not None)),
        pending=tuple(record.id for _, record, kind, _ in done if kind == "pending"),
        rejected=tuple(rejected),
    )


def _rejected(index: int, error: FovealError) -> Rejected:
    return Rejected(index=index, code=error.code, message=error.message)


def _batches(items: Iterable[tuple[int, Item]], size: int) -> Iterator[list[tuple[int, Item]]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
