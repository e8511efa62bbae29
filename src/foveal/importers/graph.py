"""The knowledge graph of the MCP memory server: entities, observations and relations in JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from foveal.importers.draft import Draft, Drafts, LeftOut, details_of, id_of, text_of
from foveal.importers.files import Source
from foveal.model.record import LinkKind

# The ids of all records of a graph begin with it, and a colon.
PREFIX = "mcp-memory"


def _lines(source: Source) -> Iterator[tuple[int, Mapping[str, Any] | None]]:
    for number, line in source.lines():
        try:
            yield number, msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield number, None


def is_graph(source: Source) -> bool:
    """Whether its first line is an entity or a relation."""
    if not source.is_text or not source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    _, first = next(_lines(source), (0, None))
    return first is not None and (
        (first.get("type") == "entity" and "observations" in first)
        or (first.get("type") == "relation" and "relationType" in first)
    )


def read_graph(source: Source) -> Drafts:
    """A record for each entity, one for each of its observations under it, and a link for each relation."""
    links: dict[str, list[tuple[str, str]]] = {}
    entities: set[str] = set()
    for _, line in _lines(source):
        if line is not None and line.get("type") == "relation":
            kind = link_kind(text_of(line.get("relationType")))
            links.setdefault(text_of(line.get("from")), []).append((_id(text_of(line.get("to"))), kind))
        elif line is not None and line.get("type") == "entity":
            entities.add(text_of(line.get("name")))
    for number, line in _lines(source):
        place = f"line {number}"
        if line is None:
            yield LeftOut(reason="it is not a JSON object", place=place, broken=True)
        elif line.get("type") == "entity" and text_of(line.get("name")).strip():
            yield from _of_entity(line, tuple(links.get(text_of(line.get("name")), ())), place)
        elif line.get("type") != "relation":
            yield LeftOut(reason="neither an entity with a name nor a relation", place=place, broken=True)
        elif not {text_of(line.get("from")), text_of(line.get("to"))} <= entities:
            yield LeftOut(reason="a relation of an entity that is not in the file", place=place)


def entity_draft(name: str, kind: str, *, links: tuple[tuple[str, str], ...] = (), place: str = "") -> Draft:
    """The draft of an entity. A link goes to the id of the draft of another.

    >>> entity_draft("Ada", "person").text
    'Ada (person)'
    """
    return Draft(
        id=_id(name),
        text=f"{name} ({kind})" if kind else name,
        place=place,
        links=links,
        details=details_of(kind="entity", tags=[kind[:200]] if kind.strip() else [], metadata={"name": name}),
    )


def observation_draft(name: str, text: str, *, place: str = "") -> Draft:
    """The draft of an observation of the entity with this name.

    >>> observation_draft("Ada", "sails").text
    'Ada: sails'
    """
    return Draft(
        id=id_of(PREFIX, name, text),
        text=f"{name}: {text}",
        place=place,
        details=details_of(kind="fact", parent_id=_id(name), metadata={"entity": name}),
    )


def link_kind(relation: str) -> str:
    """The kind of the link for a type of relation.

    >>> link_kind(" lives in"), link_kind("")
    ('lives in', 'relates')
    """
    return relation.strip() or LinkKind.RELATES.value


def _id(name: str) -> str:
    return id_of(PREFIX, name)


def _of_entity(line: Mapping[str, Any], links: tuple[tuple[str, str], ...], place: str) -> Iterator[Draft]:
    name = text_of(line.get("name"))
    yield entity_draft(name, text_of(line.get("entityType")), links=links, place=place)
    observations = line.get("observations")
    listed = cast(list[object], observations) if isinstance(observations, list) else []
    for text in map(text_of, listed):
        if text.strip():
            yield observation_draft(name, text, place=place)
