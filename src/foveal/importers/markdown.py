"""Folders of Markdown notes, as Obsidian and basic-memory keep them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, cast

import msgspec
import yaml

from foveal.importers.draft import Draft, Drafts, LeftOut, details_of, id_of, mapping, moment_or_none, text_of
from foveal.importers.files import Source
from foveal.model.record import LinkKind

ENDINGS = (".md", ".markdown")
# The most characters of front matter that are read.
LONGEST_FRONT = 16_000
MOMENTS = ("date", "created", "created_at", "occurred_at", "updated", "modified", "updated_at")
_LINK = re.compile(r"\[\[([^\[\]\n]{1,300})\]\]")
_TAG = re.compile(r"(?<!\S)#([^\W\d_][\w/-]{0,80})")


def _is_note(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def is_markdown(source: Source) -> bool:
    """Whether it is a Markdown note, or a folder or an archive that holds some."""
    if source.is_text:
        return _is_note(source.path.name) and b"\0" not in source.head
    return any(_is_note(name) for name in source.names)


def _notes(source: Source) -> Iterator[tuple[str, bytes]]:
    if source.is_text:
        yield source.path.name, source.read(source.path.name)
        return
    for name in source.names:
        if _is_note(name):
            yield name, source.read(name)


def read_markdown(source: Source) -> Drafts:
    """A record for each note, and one for each observation in it; links between notes become links."""
    for name in source.leading_outside:
        yield LeftOut(reason="a link that leads out of the folder", place=name)
    for name in source.names:
        if not _is_note(name):
            yield LeftOut(reason="a file that is no Markdown note", place=name)
    root = source.path.resolve().name.removesuffix(".zip") if not source.is_text else ""
    places = _places(source, root)
    for name, content in _notes(source):
        try:
            text = content.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            yield LeftOut(reason="it is not UTF-8: save it as UTF-8", place=name, broken=True)
            continue
        front, body = front_matter(text)
        if not body.strip():
            yield LeftOut(reason="an empty note", place=name)
            continue
        yield from _of_note(name, front, body, places, _id(root, name), _changed(source, name))


def _id(root: str, name: str) -> str:
    return id_of("notes", str(PurePosixPath(root, name).with_suffix("")))


def _changed(source: Source, name: str) -> datetime | None:
    """When a file was last changed; a file in an archive does not tell its zone."""
    if source.is_zip:
        return None
    path = source.path / name if source.is_folder else source.path
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _places(source: Source, root: str) -> dict[str, str]:
    """The ids of notes by all the names that a link may call them."""
    places: dict[str, str] = {}
    for name in [name for name in source.names if _is_note(name)]:
        path = PurePosixPath(name).with_suffix("")
        places[str(path).lower()] = _id(root, name)
        places.setdefault(path.name.lower(), _id(root, name))
    for name, content in _notes(source) if not source.is_text else ():
        front, _ = front_matter(content[: LONGEST_FRONT * 4].decode("utf-8-sig", "replace").replace("\r\n", "\n"))
        for other in (front.get("title"), front.get("permalink"), *_listed(front.get("aliases"))):
            if text_of(other):
                places.setdefault(text_of(other).lower(), _id(root, name))
    return places


def front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """The front matter of a note and its body; what is no front matter stays in the body.

    >>> front_matter("---\\ntags: [a]\\n---\\nTea.")
    ({'tags': ['a']}, 'Tea.')
    """
    if not text.startswith("---\n"):
        return {}, text
    end = text.find("\n---", 3, LONGEST_FRONT)
    if end < 0 or text[end + 4 : end + 5] not in ("", "\n"):
        return {}, text
    front = text[4 : end + 1]
    try:
        # A reference may stand for a mapping that refers to others, and so on, without end.
        if any(isinstance(token, yaml.AliasToken) for token in cast(Iterator[object], yaml.scan(front))):
            return {}, text
        found: object = yaml.safe_load(front)
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}, text
    return (mapping(found), text[end + 5 :].lstrip("\n")) if found is None or mapping(found) else ({}, text)


def _listed(value: object) -> list[str]:
    """The texts in a list, or in a text with commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [str(each) for each in cast(list[object], value) if each is not None] if isinstance(value, list) else []


def _of_note(
    name: str, front: Mapping[str, Any], body: str, places: Mapping[str, str], own: str, changed: datetime | None
) -> Iterator[Draft]:
    title = text_of(front.get("title")) or PurePosixPath(name).stem
    at = next((moment for key in MOMENTS if (moment := moment_or_none(front.get(key))) is not None), changed)
    lines = body.split("\n")
    observed = [(number, found) for number, line in enumerate(lines, 1) if (found := _observation(line))]
    apart = {number for number, _ in observed}
    rest = "\n".join(line for number, line in enumerate(lines, 1) if number not in apart).strip()
    tags = [tag.lstrip("#") for tag in _listed(front.get("tags") or front.get("tag"))]
    known = {"tags", "tag", "title", "aliases", *MOMENTS}
    metadata = _plain({key: value for key, value in front.items() if key not in known})
    yield Draft(
        id=own,
        text=rest or f"# {title}",
        place=name,
        links=tuple(dict.fromkeys(_links(lines, places))),
        details=details_of(
            occurred_at=at,
            tags=list(dict.fromkeys([*tags, *_TAG.findall(rest)])),
            metadata={**metadata, "title": title, "path": name},
        ),
    )
    for number, (category, text) in observed:
        yield Draft(
            id=id_of("notes", own.removeprefix("notes:"), _name_of(category, text)),
            text=text,
            place=f"{name}, line {number}",
            details=details_of(
                kind="fact",
                occurred_at=at,
                parent_id=own,
                tags=list(dict.fromkeys([category, *_TAG.findall(text)])),
                metadata={"title": title, "path": name},
            ),
        )


def _name_of(category: str, text: str) -> str:
    return id_of("", category, text).rpartition(":")[2] if len(text) > 80 else f"{category}:{text}"


def _observation(line: str) -> tuple[str, str] | None:
    """The category and the words of an observation of basic-memory; None for any other line.

    >>> _observation("- [home] Lives in Zwolle"), _observation("- [x] Buy tea"), _observation("- [[Aurora]]")
    (('home', 'Lives in Zwolle'), None, None)
    """
    start = line.strip()
    if not start.startswith("- [") or start.startswith("- [["):
        return None
    category, end, text = start[3:].partition("]")
    # A box to tick has one character, and a link goes on with its target.
    fits = 1 < len(category.strip()) <= 60 and end and text.startswith(" ") and text.strip()
    return (category.strip(), text.strip()) if fits else None


def _links(lines: list[str], places: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The links of a note; what stands before one in a list is its kind, as in `- owns [[Aurora]]`."""
    for line in lines:
        start = line.strip()
        kind = start[2:].partition("[[")[0].strip() if start.startswith("- ") else ""
        for found in _LINK.findall(line):
            target = places.get(re.split(r"[|#^]", found, maxsplit=1)[0].strip().removesuffix(".md").lower())
            if target is not None:
                plain = 0 < len(kind) <= 40 and all(char.isalnum() or char in " _-" for char in kind)
                yield target, kind.replace(" ", "_") if plain else LinkKind.RELATES


def _plain(front: Mapping[str, Any]) -> dict[str, Any]:
    """Front matter as JSON; dates become texts."""
    try:
        return msgspec.json.decode(msgspec.json.encode(front), type=dict[str, Any])
    except (TypeError, ValueError, RecursionError):
        return {str(key): str(value) for key, value in front.items()}
