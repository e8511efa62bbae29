"""The write flow: split, embed, place, append; supersede."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.engine.records.relations import require_parent, require_record
from foveal.engine.runtime.runtime import Runtime
from foveal.engine.tape.encode import signs_of
from foveal.errors import (
    Conflict,
    EncoderMismatch,
    FovealError,
    Invalid,
    ModelUnavailable,
    NotFound,
    PreconditionFailed,
    QuotaExceeded,
)
from foveal.model.ids import new_id
from foveal.model.query import At, Details, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Rejected, Written
from foveal.model.search import IndexEntry
from foveal.ports.store import NewRecord
from foveal.ports.waiting import require_wanted
from foveal.rules.addresses import corners, digits
from foveal.rules.decay import used
from foveal.rules.drafts import new_record, next_version, require_known, with_own_id, writer_of
from foveal.rules.duplicates import words_number
from foveal.rules.facts import suggested_importance
from foveal.rules.messages import spoken
from foveal.rules.recall.index import index_entry
from foveal.rules.rendering import indexed_text
from foveal.rules.text import chunks
from foveal.rules.visibility import may_change

# How many items are stored in one transaction, and how many texts are embedded in one call.
BATCH, AT_ONCE = 256, 512

# Details that may accompany an echo. Any other detail means that the caller wants a new record.
ECHOED = frozenset({"actor_id", "world", "node", "session_id", "source", "speaker", "scope", "idempotency_key"})

Vectors = NDArray[np.float32]
Item = str | Mapping[str, Any]
# The index of an item, its record, what became of it, and the id of the record whose words it repeats.
Outcome = tuple[int, Record, str, str | None]


def write(runtime: Runtime, bound: At, text: str, details: Details) -> Written:
    """Store one text."""
    runtime.touches.flush()
    viewpoint = writer_of(bound, details)
    record = _drafted(runtime, viewpoint, text, with_own_id(viewpoint, details))
    echo = _echoed(runtime, viewpoint, record, details, set())
    written = _written(runtime, [(0, *echo)] if echo else _appended(runtime, [(0, record)]))
    runtime.wrote(viewpoint, 1)
    return written


def write_many(
    runtime: Runtime, bound: At, items: Iterable[Item], details: Details, *, derived: bool = False
) -> Written:
    """Store many texts, in batches of one transaction and one embedding call each.

    Items that cannot be stored are rejected with their position; the rest is stored. Ids that are `derived`, from
    the node among others, are used as they are.
    """
    kind = type(cast(object, items))
    if not issubclass(kind, Iterable) or issubclass(kind, str | Mapping | bytes):
        raise Invalid(f"items must be a list of texts or mappings, not {kind.__name__}")
    runtime.touches.flush()
    done: list[Outcome] = []
    rejected: list[Rejected] = []
    for batch in _batches(enumerate(items), BATCH):
        caught_up: set[Viewpoint] = set()
        records: list[tuple[int, Record]] = []
        for index, item in batch:
            require_wanted()
            try:
                text, own = _item(item, details)
                parent = own.get("parent_id")
                if parent is not None and any(record.id == parent for _, record in records):
                    # The parent is in this batch: it must be stored before a child can refer to it.
                    done += _stored(runtime, records, rejected)
                    records = []
                viewpoint = writer_of(bound, own)
                record = _drafted(runtime, viewpoint, text, own if derived else with_own_id(viewpoint, own))
            except (Invalid, NotFound) as error:
                rejected.append(_rejected(index, error))
                continue
            echo = _echoed(runtime, viewpoint, record, own, caught_up)
            if echo:
                done.append((index, *echo))
            else:
                records.append((index, record))
        done += _stored(runtime, records, rejected)
    for (world, actor, session), count in _places(record for _, record, *_ in done).items():
        runtime.wrote(Viewpoint(world=world, actor_id=actor, session_id=session), count)
    return _written(runtime, sorted(done, key=lambda outcome: outcome[0]), rejected)


def _places(records: Iterable[Record]) -> Counter[tuple[str, str, str | None]]:
    return Counter((record.world, record.actor_id, record.session_id) for record in records)


def _stored(runtime: Runtime, records: Sequence[tuple[int, Record]], rejected: list[Rejected]) -> list[Outcome]:
    """Store a batch in one transaction, or one by one if an id in it is in use or a quota has too little room.

    Of an actor whose quota is used up, no later record of the batch is stored either.
    """
    try:
        return _appended(runtime, records)
    except EncoderMismatch:
        raise
    except (Conflict, QuotaExceeded):
        # Find the record in conflict, and store the others.
        done: list[Outcome] = []
        full: dict[tuple[str, str], QuotaExceeded] = {}
        for index, record in records:
            actor = record.world, record.actor_id
            try:
                if actor in full:
                    raise full[actor]
                done += _appended(runtime, [(index, record)])
            except QuotaExceeded as error:
                full[actor] = error
                rejected.append(_rejected(index, error))
            except Conflict as error:
                rejected.append(_rejected(index, error))
        return done


def _appended(runtime: Runtime, records: Sequence[tuple[int, Record]]) -> list[Outcome]:
    new_records = entries(runtime, [record for _, record in records])
    originals = _originals(runtime, [entry.record for entry in new_records])
    new_records = [msgspec.structs.replace(entry, repeats=originals.get(entry.record.id)) for entry in new_records]
    stored = runtime.writes.append(new_records, runtime.encoder)
    return [
        (index, record, _outcome(entry) if new else "duplicate", entry.repeats if new else None)
        for (index, _), (record, new), entry in zip(records, stored, new_records, strict=True)
    ]


def _outcome(entry: NewRecord) -> str:
    return "pending" if entry.vectors is None else "new"


def _originals(runtime: Runtime, records: Sequence[Record]) -> dict[str, str]:
    """For each record that repeats words, the id of the first record to say them, stored or in this batch."""
    by_node: dict[Viewpoint, list[Record]] = {}
    for record in records:
        node = Viewpoint(world=record.world, actor_id=record.actor_id, node=record.node)
        by_node.setdefault(node, []).append(record)
    originals: dict[str, str] = {}
    for viewpoint, own in by_node.items():
        originals |= runtime.store.records.said_before(runtime.access(viewpoint), own)
        by_words: dict[int, str] = {}
        for record in own:
            first = by_words.setdefault(words_number(record), originals.get(record.id, record.id))
            if first != record.id:
                originals[record.id] = first
    return originals


def _echoed(
    runtime: Runtime, viewpoint: Viewpoint, record: Record, details: Details, caught_up: set[Viewpoint]
) -> tuple[Record, str, None] | None:
    """The recalled record that this one merely repeats, counted as used; None for a new text.

    A text written with more details than who speaks is never an echo. `caught_up` holds the conversations whose log
    has been read already.
    """
    if details.keys() - ECHOED:
        return None
    source = runtime.echoes.source(viewpoint, record.text)
    if source is None and viewpoint not in caught_up:
        caught_up.add(viewpoint)
        runtime.echoes.catch_up(runtime.store, runtime.access(viewpoint))
        source = runtime.echoes.source(viewpoint, record.text)
    if source is None:
        return None
    access = runtime.access(viewpoint)
    originals = runtime.store.records.get(access, [source])
    if not originals or not may_change(originals[0], viewpoint):
        return None
    if details.get("scope") is not None and record.scope is not originals[0].scope:
        return None
    key = details.get("idempotency_key")
    if key is not None and key == originals[0].idempotency_key:
        # The same write sent again is a duplicate, not an echo.
        return None
    [original] = runtime.writes.revise(access, [originals[0].id], lambda record: used(record.vitals, access.now))
    return original, "echo", None


def supersede(
    runtime: Runtime, viewpoint: Viewpoint, record_id: str, text: str, details: Details, expected: int | None
) -> Record:
    """Add the next version of a record."""
    runtime.touches.flush()
    access = runtime.access(viewpoint)
    record = require_record(runtime, access, record_id)
    if expected is not None and expected != record.version:
        raise PreconditionFailed(
            f"{record_id} is at version {record.version}, not {expected}",
            record_id=record_id,
            version=record.version,
        )
    version = next_version(record, text, details, access.now)
    if version.parent_id is not None and version.parent_id != record.parent_id:
        require_parent(runtime, viewpoint, record_id, version.parent_id)
    entry = msgspec.structs.replace(entries(runtime, [version])[0], was=record.vitals)
    return runtime.writes.supersede(access, entry, runtime.encoder)


def chunks_of(record: Record) -> list[str]:
    """The strings that are embedded for a record, one for each chunk of its text."""
    return [indexed_text(chunk, record) for chunk in chunks(record.text)]


def _placed(runtime: Runtime, record: Record, vector: NDArray[np.float32]) -> Record:
    """The record with its address on the tape of the encoder."""
    path = digits(corners(vector, runtime.embedder.plane))
    return msgspec.structs.replace(record, address=msgspec.structs.replace(record.address, digits=path, tape=0))


def _drafted(runtime: Runtime, viewpoint: Viewpoint, text: str, details: Details) -> Record:
    now = runtime.clock.now()
    record = new_record(text, details, viewpoint, now, new_id(now), runtime.config)
    if details.get("importance") is None and not runtime.config.knows(record.kind):
        importance = suggested_importance(record.text, record.source)
        record = msgspec.structs.replace(
            record, vitals=msgspec.structs.replace(record.vitals, importance=importance)
        )
    if record.parent_id is not None and not runtime.store.records.get(
        runtime.access(viewpoint), [record.parent_id]
    ):
        raise NotFound(f"there is no parent {record.parent_id!r} here", record_id=record.parent_id)
    return record


def _item(item: Item, details: Details) -> tuple[str, Details]:
    if isinstance(item, str):
        return item, details
    if isinstance(item, Mapping) and "role" in item and "text" not in item:  # pyright: ignore[reportUnnecessaryIsInstance]
        text, own = spoken(item, details)
        return text, cast(Details, own)
    if not isinstance(item, Mapping) or "text" not in item:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("each item must be a string, a chat message, or a mapping with a text")
    merged = {**details, **{name: value for name, value in item.items() if name != "text"}}
    require_known(merged, frozenset(Details.__annotations__) | frozenset(At.__annotations__))
    return item["text"], cast(Details, merged)


def embedded(runtime: Runtime, records: Sequence[Record]) -> list[tuple[Record, Vectors]]:
    """The records with their addresses and vectors, computed in as few calls as the caller's patience allows.

    Vectors are of words with their speaker and date. An address is of words alone, those at the beginning: the same
    text has the same digits, whoever says it and whenever.
    """
    texts = [chunks_of(record) for record in records]
    beginnings = [chunks(record.text)[0] for record in records]
    flat = [text for chunk_texts in texts for text in chunk_texts]
    starts = np.cumsum([0, *(len(chunk_texts) for chunk_texts in texts)])
    try:
        rows = _rows(runtime, [*flat, *beginnings])
        vectors, places = rows[: len(flat)], rows[len(flat) :]
    except Invalid:
        vectors = _rows(runtime, flat)
        places = [_place(runtime, text, vectors[start]) for text, start in zip(beginnings, starts, strict=False)]
    parts = np.split(vectors, starts[1:-1]) if records else []
    return [
        (_placed(runtime, record, place), part) for record, part, place in zip(records, parts, places, strict=True)
    ]


def _rows(runtime: Runtime, texts: Sequence[str]) -> Vectors:
    """The vectors of texts. Between two calls of the encoder, the work stops if nobody waits for it."""
    parts: list[Vectors] = []
    for start in range(0, len(texts), AT_ONCE):
        require_wanted()
        parts.append(runtime.embedder.embed(texts[start : start + AT_ONCE]))
    return np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else runtime.embedder.embed([])


def _place(runtime: Runtime, text: str, otherwise: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vector of a text; a text for which the encoder has none, such as a lone sign, lies with its speaker."""
    try:
        return runtime.embedder.embed([text])[0]
    except Invalid:
        return otherwise


def entries(runtime: Runtime, records: Sequence[Record]) -> list[NewRecord]:
    """The records with their index entries and vectors; without vectors if the encoder is unavailable."""
    traces: list[IndexEntry] = []
    for record in records:
        require_wanted()
        traces.append(index_entry(record, runtime.pieces.pieces))
    try:
        with_vectors = embedded(runtime, records)
    except ModelUnavailable as error:
        runtime.degraded("encoder", error)
        return [
            NewRecord(record=record, trace=trace, vectors=None)
            for record, trace in zip(records, traces, strict=True)
        ]
    return [
        NewRecord(record=record, trace=trace, vectors=vectors)
        for (record, vectors), trace in zip(with_vectors, traces, strict=True)
    ]


def _written(runtime: Runtime, done: Sequence[Outcome], rejected: Sequence[Rejected] = ()) -> Written:
    signs = signs_of(runtime, [record for _, record, *_ in done])
    return Written(
        ids=tuple(record.id for _, record, *_ in done),
        addresses=tuple(record.address for _, record, *_ in done),
        glyphs=tuple(glyphs for glyphs, _ in signs),
        density=tuple(density for _, density in signs),
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
