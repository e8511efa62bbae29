"""The memories of mem0: its store in Qdrant or ChromaDB, its SQLite history, and its lists in JSON."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from foveal.importers.chroma import database, embeddings
from foveal.importers.draft import (
    Draft,
    Drafts,
    LeftOut,
    Version,
    details_of,
    id_of,
    mapping,
    moment_or_none,
    objects,
    text_of,
)
from foveal.importers.files import MAX_LINE, Database, Source

HISTORY = "history.db"
POINTS = "storage.sqlite"
_EVENTS = """
SELECT memory_id, new_memory, event, is_deleted, created_at, updated_at, actor_id, role
FROM history
ORDER BY rowid
"""
_BROKEN = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    UnicodeDecodeError,
    ValueError,
)
# What mem0 keeps of a memory beside what its user gave; `text_lemmatized` and `hash` are for its search.
_KNOWN = frozenset(
    "data memory id hash text_lemmatized user_id run_id actor_id role created_at updated_at expiration_date "
    "metadata score event".split()
)


class Past(Struct, kw_only=True):
    """What the history tells of one memory: its texts, oldest first, and whether it was deleted."""

    versions: list[Version]
    deleted: bool = False
    actor: str | None = None
    role: str | None = None


class _Inert:
    """Stands for every class in a pickle, so that reading one runs no code of others."""

    def __init__(self, *given: object, **named: object) -> None:
        self.state: Mapping[str, Any] = {}

    def __setstate__(self, state: object) -> None:
        self.state = mapping(state)

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def append(self, value: object) -> None:
        """Let a list of a foreign class be read."""

    def extend(self, values: object) -> None:
        """Let a list of a foreign class be read."""


class _Reader(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        """Nothing but a stand-in, whatever the pickle names."""
        return _Inert

    def persistent_load(self, pid: object, /) -> Any:
        """Nothing: such a pickle refers to what is elsewhere."""
        return None


def _point(blob: object) -> tuple[str, Mapping[str, Any]] | None:
    """The id and the payload of a point that Qdrant's local mode stored; None if it cannot be read."""
    if not isinstance(blob, bytes) or len(blob) > MAX_LINE:
        return None
    try:
        point = _Reader(io.BytesIO(blob)).load()
    except _BROKEN:
        return None
    fields = mapping(point.state.get("__dict__")) if isinstance(point, _Inert) else mapping(None)
    return (str(fields["id"]), mapping(fields.get("payload"))) if "id" in fields else None


def _histories(source: Source) -> list[Database]:
    """The databases that hold a history of mem0."""
    names = [name for name in source.names if name.rpartition("/")[2] == HISTORY] if source.is_folder else []
    paths = [source.path / name for name in names] if source.is_folder else [source.path] * source.is_sqlite
    found = [Database(path) for path in paths]
    return [
        each
        for each in found
        if each.tables.get("history", frozenset[str]()) >= {"memory_id", "new_memory", "event"}
    ]


def _collections(source: Source) -> list[tuple[str, Database]]:
    """The collections of Qdrant's local mode, with their names."""
    if source.is_folder:
        paths = [source.path / name for name in source.names if name.rpartition("/")[2] == POINTS]
    else:
        paths = [source.path] if source.is_sqlite else []
    found = [(path.parent.name, Database(path)) for path in paths]
    return [(name, each) for name, each in found if "point" in each.tables.get("points", frozenset[str]())]


def _stored(source: Source) -> Iterator[tuple[str, str, Mapping[str, Any] | None]]:
    """The collection, the id and the payload of each memory that is stored."""
    if source.is_text:
        document = source.document
        listed = (
            objects(mapping(document).get("results"))
            or objects(mapping(document).get("memories"))
            or objects(document)
        )
        yield from (("list", str(each.get("id")), {"data": each.get("memory"), **each}) for each in listed)
        return
    for name, points in _collections(source):
        for key, blob in points.rows("SELECT id, point FROM points ORDER BY rowid"):
            point = _point(blob)
            yield (name, *point) if point is not None else (name, str(key), None)
    chroma = database(source)
    if chroma is not None:
        yield from ((entry.collection, entry.id, entry.metadata) for entry in embeddings(chroma))


def is_mem0(source: Source) -> bool:
    """Whether mem0 wrote it: a store of its memories, its history, or a list of its memories."""
    if source.is_zip:
        return False
    if not source.is_text and _histories(source):
        return True
    return any(_is_memory(payload) for _, (_, _, payload) in zip(range(50), _stored(source), strict=False))


def _is_memory(payload: Mapping[str, Any] | None) -> bool:
    return payload is not None and isinstance(payload.get("data"), str) and "hash" in payload


def read_mem0(source: Source) -> Drafts:
    """The memories that are stored, with their earlier texts from the history; or those of the history alone."""
    past = _past(source)
    alone = True
    for collection, own, payload in _stored(source):
        alone = False
        place = f"{collection}: {own}"
        if payload is None:
            yield LeftOut(reason="a point that cannot be read", place=place, broken=True)
        elif collection.endswith(("_entities", "-entities")) or not text_of(payload.get("data")).strip():
            yield LeftOut(reason="an entity or a mark of mem0 without a memory", place=place)
        else:
            yield _of_payload(own, payload, past.get(own), place)
    for own, memory in past.items() if alone else ():
        if memory.deleted or not memory.versions:
            yield LeftOut(reason="a memory that was deleted in mem0", place=own)
            continue
        newest = memory.versions[-1]
        details = details_of(
            occurred_at=newest.occurred_at,
            speaker=memory.actor,
            source=memory.role,
            metadata=details_of(mem0_id=own),
        )
        yield Draft(
            id=id_of("mem0", own), text=newest.text, earlier=tuple(memory.versions[:-1]), place=own, details=details
        )


def _of_payload(own: str, payload: Mapping[str, Any], past: Past | None, place: str) -> Draft:
    text = text_of(payload.get("data"))
    # What the history tells up to the text that is stored; a history without it is of another store.
    versions = past.versions if past is not None and not past.deleted else []
    earlier = versions[:-1] if versions and versions[-1].text == text else []
    at = payload.get("updated_at") if earlier else payload.get("created_at") or payload.get("updated_at")
    owner = text_of(payload.get("user_id")) or text_of(payload.get("agent_id"))
    run = text_of(payload.get("run_id"))
    metadata = {name: value for name, value in payload.items() if name not in _KNOWN and value is not None}
    return Draft(
        id=id_of("mem0", own),
        text=text,
        owner=owner or None,
        place=place,
        earlier=tuple(earlier),
        details=details_of(
            occurred_at=moment_or_none(at, utc=True),
            speaker=text_of(payload.get("actor_id")),
            source=text_of(payload.get("role")),
            session_id=id_of("mem0", run) if run else None,
            expires_at=moment_or_none(payload.get("expiration_date"), utc=True),
            metadata={**metadata, **mapping(payload.get("metadata"))},
        ),
    )


def _past(source: Source) -> dict[str, Past]:
    """What the histories tell of each memory."""
    found: dict[str, Past] = {}
    for history in _histories(source) if not source.is_text else ():
        for own, text, event, deleted, created_at, updated_at, actor, role in history.rows(_EVENTS):
            past = found.setdefault(str(own), Past(versions=[]))
            past.deleted = bool(deleted) or event == "DELETE"
            past.actor, past.role = text_of(actor) or past.actor, text_of(role) or past.role
            if text_of(text).strip() and not past.deleted:
                at = moment_or_none(updated_at or created_at, utc=True)
                past.versions.append(Version(text=text_of(text), occurred_at=at))
    return found
