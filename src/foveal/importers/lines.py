"""JSON lines, lists in JSON, and tables in CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, cast

import msgspec

from foveal.errors import Invalid
from foveal.importers.draft import Draft, Drafts, LeftOut, id_of, mapping, moment_of, objects, text_of
from foveal.importers.files import MAX_LINE, Source, opened
from foveal.model.query import Details
from foveal.rules.messages import spoken

TEXTS = ("text", "content", "memory", "message", "fact", "note", "body", "summary", "description")
MOMENTS = ("occurred_at", "created_at", "timestamp", "time", "date", "updated_at")
SPEAKERS = ("speaker", "author", "sender", "who")
SESSIONS = ("session_id", "session", "conversation_id", "thread_id", "run_id")
# The keys that name whose memory it is.
OWNERS = ("user_id", "user")
LISTS = ("results", "memories", "items", "data", "records", "messages")
# Whose memory it becomes is for the caller to say, not for the file.
_OWN = frozenset(Details.__annotations__) - {"actor_id", "world", "node", "id", "idempotency_key", "metadata"}
# An id of so many characters is unique everywhere; a shorter one only in its file.
UNIQUE = 16


def draft_of(line: Mapping[str, Any], digest: str, *, file: str = "", place: str = "") -> Draft:
    """An object with a text under a usual name, as a draft: what is no detail of a record becomes metadata.

    `digest` names the object unless it has an id, so that importing it again stores nothing twice.

    >>> draft = draft_of({"memory": "Ada sails.", "created_at": "2026-03-01T09:00:00Z", "score": 3}, "1f")
    >>> draft.text, draft.occurred_at.hour, draft.details["metadata"], draft.id
    ('Ada sails.', 9, {'score': 3}, 'lines:1f')
    """
    left = dict(line)
    owner = next((str(left[name]) for name in OWNERS if isinstance(left.get(name), str)), None)
    details: dict[str, Any] = {}
    if "role" in left and "content" in left:
        text, details = spoken({name: left.pop(name) for name in ("role", "content", "name") if name in left}, {})
    else:
        name = next((name for name in TEXTS if text_of(left.get(name)).strip()), None)
        if name is None:
            raise Invalid(f"no text: an object needs one of {', '.join(TEXTS)}, or a role with content")
        text = text_of(left.pop(name))
    moment = next((name for name in MOMENTS if left.get(name) not in (None, "")), None)
    if moment is not None:
        details["occurred_at"] = moment_of(left.pop(moment), moment)
    for detail, names in (("speaker", SPEAKERS), ("session_id", SESSIONS)):
        given = next((name for name in names if isinstance(left.get(name), str) and left[name]), None)
        if given is not None:
            details[detail] = left.pop(given)
    details |= {name: left.pop(name) for name in list(left) if name in _OWN and left[name] is not None}
    inner = mapping(left.pop("metadata", None))
    given_id = left.pop("id", None)
    own = str(given_id) if isinstance(given_id, str | int) and str(given_id).strip() else ""
    if own and len(own) < UNIQUE:
        own = f"{file}:{own}"
    metadata = {name: value for name, value in {**left, **inner}.items() if value is not None}
    return Draft(
        id=id_of("lines", own or digest),
        text=text,
        details={**details, "metadata": metadata},
        owner=owner,
        place=place,
    )


def digest_of(line: bytes) -> str:
    """The name of a line: the same bytes have the same name.

    >>> digest_of(b"a") == digest_of(b"a\\n")
    True
    """
    return blake2b(line.strip(), digest_size=12).hexdigest()


def _listed(source: Source) -> list[Mapping[str, Any]]:
    """The objects of a list in JSON, which may stand under a usual name in an object."""
    document = source.document
    whole = mapping(document)
    inner = next((whole[name] for name in LISTS if isinstance(whole.get(name), list)), None)
    return objects(document) or objects(inner)


def is_list(source: Source) -> bool:
    """Whether it is a list of objects in JSON, some with a text."""
    return any(_is_said(each) for each in _listed(source)[:20])


def _is_said(each: Mapping[str, Any]) -> bool:
    return "role" in each or any(isinstance(each.get(name), str) for name in TEXTS)


def read_list(source: Source) -> Drafts:
    """The objects of a list in JSON."""
    yield from _read(((f"object {number}", each) for number, each in enumerate(_listed(source), 1)), source)


def is_lines(source: Source) -> bool:
    """Whether it is a file of JSON objects, one a line."""
    return source.is_text and source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def read_lines(source: Source) -> Drafts:
    """The objects of a file, one a line."""

    def decoded() -> Iterator[tuple[str, Any]]:
        for number, line in source.lines():
            try:
                yield f"line {number}", (msgspec.json.decode(line, type=dict[str, Any]), digest_of(line))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                yield f"line {number}", LeftOut(reason=str(error), place=f"line {number}", broken=True)

    for place, found in decoded():
        yield found if isinstance(found, LeftOut) else _drafted(found[0], found[1], source, place)


def _read(found: Iterable[tuple[str, Mapping[str, Any]]], source: Source) -> Drafts:
    for place, each in found:
        yield _drafted(each, digest_of(msgspec.json.encode(each, order="sorted")), source, place)


def _drafted(each: Mapping[str, Any], digest: str, source: Source, place: str) -> Draft | LeftOut:
    try:
        return draft_of(each, digest, file=source.path.stem, place=place)
    except Invalid as error:
        return LeftOut(reason=error.message, place=place, broken=True)


def is_csv(source: Source) -> bool:
    """Whether it is a table whose first line names a column with a text."""
    if not source.is_text or b"\0" in source.head:
        return False
    names = [name.strip().lower() for name in _cells(source.head.decode("utf-8-sig", "replace").split("\n", 1)[0])]
    return len(names) > 1 and any(name in TEXTS or name == "content" for name in names)


def _dialect(line: str) -> str:
    """The separator of a table: that which stands most often in its first line."""
    return max(",;\t", key=line.count)


def _cells(line: str) -> list[str]:
    return [cell for row in csv.reader([line.rstrip("\r\n")], delimiter=_dialect(line)) for cell in row]


def read_csv(source: Source) -> Drafts:
    """The rows of a table; its first line names the columns. Tags are separated by commas or semicolons."""
    separator = _dialect(source.head.decode("utf-8-sig", "replace").split("\n", 1)[0])
    with opened(source.path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        csv.field_size_limit(MAX_LINE)
        rows = csv.reader(text, delimiter=separator)
        try:
            names: list[str] = []
            for cells in rows:
                if not names:
                    names = [cell.strip().lower() for cell in cells]
                elif any(cell.strip() for cell in cells):
                    yield _of_row(names, cells, source, f"line {rows.line_num}")
        except csv.Error as error:
            raise Invalid(
                f"line {rows.line_num} of {source.path} is not CSV: {error}", path=str(source.path)
            ) from None
        except UnicodeDecodeError as error:
            raise Invalid(
                f"{source.path} is not UTF-8 ({error.reason}): save it as UTF-8", path=str(source.path)
            ) from None


def _of_row(names: list[str], cells: list[str], source: Source, place: str) -> Draft | LeftOut:
    try:
        row = _row(names, cells)
    except Invalid as error:
        return LeftOut(reason=error.message, place=place, broken=True)
    return _drafted(row, digest_of(repr(cells).encode("utf-8", "replace")), source, place)


def _row(names: list[str], cells: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {name: cell for name, cell in zip(names, cells, strict=False) if name and cell.strip()}
    if isinstance(row.get("tags"), str):
        row["tags"] = [tag.strip() for tag in cast(str, row["tags"]).replace(";", ",").split(",") if tag.strip()]
    for name in ("importance", "ttl"):
        if name in row:
            row[name] = _number(row[name], name)
    if "metadata" in row:
        row["metadata"] = _decoded(row["metadata"])
    if "pin" in row:
        row["pin"] = row["pin"].strip().lower() in ("1", "true", "yes")
    return row


def _number(cell: str, name: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise Invalid(f"{name} {cell[:40]!r} is not a number") from None


def _decoded(cell: str) -> Any:
    try:
        return msgspec.json.decode(cell.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {"metadata": cell}
