"""What importers give: drafts of records, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from hashlib import blake2b
from typing import Any, cast

from msgspec import Struct, field

from foveal.errors import Invalid
from foveal.rules.validation import local_moment

# Longer ids of other programs are shortened to a hash, so that they stay names here with their prefix.
LONGEST_ID = 160


class Version(Struct, frozen=True, kw_only=True):
    """An earlier text of a record, and when it was written."""

    text: str
    occurred_at: datetime | None = None


class Draft(Struct, frozen=True, kw_only=True):
    """A record as another program kept it.

    `details` are those of a write. `owner` is whose memory it is in that program, `place` where it stands in the
    file. `earlier` are its older texts, oldest first; `links` go from it to other drafts.
    """

    id: str
    text: str
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    owner: str | None = None
    place: str = ""
    earlier: tuple[Version, ...] = ()
    links: tuple[tuple[str, str], ...] = ()

    @property
    def occurred_at(self) -> datetime | None:
        """When it was said or happened, if the file tells."""
        return self.details.get("occurred_at")


class LeftOut(Struct, frozen=True, kw_only=True):
    """Something in a file that does not become a record: why, and where it stands.

    It is `broken` if it should have been one, so that somebody may want to mend the file.
    """

    reason: str
    place: str = ""
    broken: bool = False


Drafts = Iterator[Draft | LeftOut]


def id_of(prefix: str, *parts: object) -> str:
    """An id here for an id of another program: always the same, and never that of another format.

    >>> id_of("mem0", "8f14"), len(id_of("notes", "x" * 900))
    ('mem0:8f14', 30)
    """
    own = ":".join(str(part) for part in parts)
    if not own or len(own) > LONGEST_ID or not own.isprintable() or "@" in own:
        own = blake2b(own.encode("utf-8", "replace"), digest_size=12).hexdigest()
    return f"{prefix}:{own}"


def moment_of(value: object, name: str) -> datetime:
    """A moment as other programs write it: ISO 8601, local without a time zone, or seconds since 1970.

    >>> moment_of(0, "time").year, moment_of("2026-03-01T09:00:00+00:00", "time").hour
    (1970, 9)
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            # Later than the year 5000 in seconds: milliseconds.
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
        if isinstance(value, date):
            return local_moment(value)
        return local_moment(datetime.fromisoformat(str(value).strip()))
    except (ValueError, OverflowError, OSError):
        raise Invalid(f"{name} {str(value)[:40]!r} is not a moment: use ISO 8601, or seconds since 1970") from None


def moment_or_none(value: object, *, utc: bool = False) -> datetime | None:
    """A moment, or None if there is none that can be read. `utc` is the zone of moments that name none.

    >>> moment_or_none("2026-03-01 09:00:00", utc=True).isoformat(), moment_or_none("soon")
    ('2026-03-01T09:00:00+00:00', None)
    """
    if value is None or value == "":
        return None
    if utc and isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if utc and isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    try:
        return moment_of(value, "moment")
    except Invalid:
        return None


def details_of(**given: Any) -> dict[str, Any]:
    """The details that are there: no None, no empty text, list or mapping.

    >>> details_of(speaker="Ada", tags=[], session_id=None)
    {'speaker': 'Ada'}
    """
    return {name: value for name, value in given.items() if value is not None and value not in ("", [], (), {})}


def mapping(value: object) -> Mapping[str, Any]:
    """`value` if it is a JSON object, otherwise an empty one."""
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def objects(value: object) -> list[Mapping[str, Any]]:
    """The JSON objects in a list; none if it is no list."""
    found = cast(list[object], value) if isinstance(value, list) else []
    return [cast(Mapping[str, Any], each) for each in found if isinstance(each, Mapping)]


def text_of(value: object) -> str:
    """`value` if it is a text, otherwise an empty one; always one that a store can hold."""
    if not isinstance(value, str):
        return ""
    clean = value.replace("\x00", "")
    return clean.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _is_torn(clean) else clean


def _is_torn(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
