"""Values that are given as text on the command line, or in a file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from foveal.errors import Invalid

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_CONDITION = re.compile(r"([\w.-]+?)\s*(!=|>=|<=|~=|\^=|=|>|<)\s*(.*)", re.DOTALL)
_OPS = {"!=": "ne", ">=": "gte", "<=": "lte", "~=": "contains", "^=": "prefix", ">": "gt", "<": "lt"}
_MOMENTS = ("occurred_at", "recorded_at", "valid_from", "valid_to")
_TYPED = ("importance", "uses", "pinned", "archived")


def moment(text: str | None, what: str) -> datetime | None:
    """The moment that `text` denotes; without a time zone it is local time.

    >>> moment("2026-03-02", "since") == datetime(2026, 3, 2).astimezone()
    True
    """
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Invalid(f"{what} {text[:40]!r} is not a date like 2026-03-02 or 2026-03-02T09:30+01:00") from None
    return at if at.tzinfo else at.astimezone()


def span(text: str | None, what: str) -> timedelta | None:
    """The span of time that `text` denotes: seconds, or a number with s, m, h, d or w.

    >>> span("7d", "ttl")
    datetime.timedelta(days=7)
    """
    if text is None:
        return None
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise Invalid(f"{what} {text[:40]!r} is not a span of time like 90, 15m, 12h, 7d or 2w")
    try:
        return timedelta(seconds=float(match[1]) * _SECONDS[match[2]])
    except OverflowError:
        raise Invalid(f"{what} {text[:40]!r} is too long a span of time") from None


def condition(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """The filter for conditions such as `kind=fact` or `importance>=0.5`, all of which must hold.

    >>> condition(["kind=fact", "uses>=2"])
    {'and': [{'kind': 'fact'}, {'uses': {'gte': 2}}]}
    """
    parts = [_part(text) for text in texts or ()]
    if not parts:
        return None
    from foveal.rules.filters import parsed_filter

    where = parts[0] if len(parts) == 1 else {"and": parts}
    # Before anything is said of it or done with it.
    parsed_filter(where)
    return where


_SAID = {
    **{"ne": "is not", "contains": "contains", "prefix": "starts with", "in": "is one of"},
    **{"gte": "at least", "lte": "at most", "gt": "above", "lt": "below"},
}
_SAID_OF_MOMENTS = {"gte": "from", "lte": "until", "gt": "after", "lt": "before"}


def understood(where: Mapping[str, Any] | None) -> str:
    """How a filter was understood, in words.

    >>> understood(condition(["kind=fact", "importance>=0.5", "tags=[\\"a\\"]"]))
    "kind 'fact', importance at least 0.5, tags ['a']"
    """
    if not where:
        return ""
    parts = [pair for part in where.get("and", [where]) for pair in part.items()]
    return ", ".join(_part_in_words(name, wanted) for name, wanted in parts)


def _part_in_words(field: str, wanted: Any) -> str:
    if not isinstance(wanted, dict):
        return f"{field} {_in_words(wanted)}"
    return " and ".join(
        f"{field} {_SAID_OF_MOMENTS.get(sign, sign) if isinstance(value, datetime) else _SAID.get(sign, sign)} "
        f"{_in_words(value)}"
        for sign, value in cast("dict[str, Any]", wanted).items()
    )


def _in_words(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone():%Y-%m-%d %H:%M %Z}"
    return "nothing" if value is None else repr(value)


def _part(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        return _mapping(text, "filter")
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise Invalid(f"filter {text[:80]!r} is not of the form field=value")
    field, sign, value = match.groups()
    typed = _typed(field, value)
    return {field: typed if sign == "=" else {_OPS[sign]: typed}}


def _typed(field: str, value: str) -> Any:
    if field in _MOMENTS:
        return None if value == "null" else moment(value, f"filter {field!r}")
    if field in _TYPED or field.startswith("metadata.") or value.startswith("["):
        return json_or_text(value)
    return None if value == "null" else value


def json_or_text(value: str) -> Any:
    """`value` decoded as JSON, or `value` itself if it is not JSON.

    >>> json_or_text("[1, 2]"), json_or_text("tea")
    ([1, 2], 'tea')
    """
    import msgspec

    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value


def metadata(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """The object that `key=value` pairs and JSON objects make together.

    >>> metadata(["size=3", "color=red"])
    {'size': 3, 'color': 'red'}
    """
    if not texts:
        return None
    merged: dict[str, Any] = {}
    for text in texts:
        if text.lstrip().startswith("{"):
            merged |= _mapping(text, "metadata")
            continue
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise Invalid(f"metadata {text[:80]!r} is not of the form key=value, nor a JSON object")
        merged[key] = json_or_text(value)
    return merged


def _mapping(text: str, what: str) -> dict[str, Any]:
    import msgspec

    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise Invalid(f"{what} {text[:80]!r} is not a JSON object: {error}") from None


def text_of(path: str) -> str:
    """The content of a file, or of standard input for `-`."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=path) from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8 text: byte {error.start}", path=path) from None


def items(text: str, name: str) -> list[tuple[int, str | dict[str, Any]]]:
    """The records of a file with their line numbers: one JSON object, or one record per line.

    A line is a JSON object with a text and details, or else the text itself.

    >>> items('{"text": "one", "kind": "fact"}\\n\\ntwo', "notes.txt")
    [(1, {'text': 'one', 'kind': 'fact'}), (3, 'two')]
    """
    import msgspec

    if text.lstrip().startswith("{"):
        try:
            return [(1, msgspec.json.decode(text, type=dict[str, Any]))]
        except msgspec.DecodeError:
            pass  # not a single object, so one per line
    return list(_lines(text, name))


def _lines(text: str, name: str) -> Iterable[tuple[int, str | dict[str, Any]]]:
    import msgspec

    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if not line.lstrip().startswith("{"):
            yield number, line.rstrip("\r")
            continue
        try:
            yield number, msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise Invalid(f"{name}, line {number}: not a JSON object: {error}", line=number) from None
