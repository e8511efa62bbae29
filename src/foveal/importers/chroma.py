"""The collections of a persistent ChromaDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from foveal.errors import Invalid
from foveal.importers.draft import Draft, Drafts, LeftOut, details_of, id_of, moment_or_none, text_of
from foveal.importers.files import Database, Source
from foveal.importers.lines import MOMENTS, OWNERS, SESSIONS, SPEAKERS

FILE = "chroma.sqlite3"
TABLES = {"collections", "segments", "embeddings", "embedding_metadata"}
# Under this key, ChromaDB keeps the document beside the metadata.
DOCUMENT = "chroma:document"
_ROWS = """
SELECT c.name, e.embedding_id, e.created_at, m.key, m.string_value, m.int_value, m.float_value, m.bool_value
FROM embeddings e
JOIN segments s ON s.id = e.segment_id
JOIN collections c ON c.id = s.collection
LEFT JOIN embedding_metadata m ON m.id = e.id
ORDER BY c.name, e.id
"""


class Embedding(Struct, kw_only=True):
    """One entry of a collection: its id, when it was stored, and its metadata with the document."""

    collection: str
    id: str
    stored_at: object
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])


def database(source: Source) -> Database | None:
    """The database of a ChromaDB; None if there is none."""
    if source.is_folder and source.holds(FILE):
        path = source.path / FILE
    elif source.is_sqlite:
        path = source.path
    else:
        return None
    found = Database(path)
    return found if found.tables.keys() >= TABLES else None


def embeddings(found: Database) -> Iterator[Embedding]:
    """The entries of all collections, in the order in which they were stored."""
    entry: Embedding | None = None
    for collection, own, stored_at, key, *values in found.rows(_ROWS):
        if entry is None or (entry.collection, entry.id) != (collection, own):
            if entry is not None:
                yield entry
            entry = Embedding(collection=str(collection), id=str(own), stored_at=stored_at)
        if key is not None:
            entry.metadata[str(key)] = _value(*values)
    if entry is not None:
        yield entry


def _value(text: object, whole: object, real: object, truth: object) -> object:
    if truth is not None:
        return bool(truth)
    return next((value for value in (text, whole, real) if value is not None), None)


def is_chroma(source: Source) -> bool:
    """Whether it is the folder or the file of a persistent ChromaDB."""
    return database(source) is not None


def read_chroma(source: Source) -> Drafts:
    """The documents of all collections; the name of the collection becomes a tag."""
    found = database(source)
    if found is None:
        raise Invalid(
            f"{source.path} is not the folder of a ChromaDB: there is no {FILE} in it", path=str(source.path)
        )
    for entry in embeddings(found):
        place = f"{entry.collection}: {entry.id}"
        text = text_of(entry.metadata.pop(DOCUMENT, None))
        if not text.strip():
            yield LeftOut(reason="an entry without a document", place=place)
            continue
        yield Draft(
            id=id_of("chroma", entry.collection, entry.id),
            text=text,
            place=place,
            owner=_first(entry.metadata, OWNERS),
            details=details_of(
                occurred_at=_when(entry.metadata) or moment_or_none(entry.stored_at, utc=True),
                speaker=_first(entry.metadata, SPEAKERS),
                session_id=_first(entry.metadata, SESSIONS),
                tags=[entry.collection],
                metadata=entry.metadata,
            ),
        )


def _first(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((text for name in names if (text := text_of(metadata.get(name)))), None)


def _when(metadata: Mapping[str, Any]) -> Any:
    moments = (moment_or_none(metadata.get(name)) for name in MOMENTS)
    return next((moment for moment in moments if moment is not None), None)
