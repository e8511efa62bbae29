"""Validation of input: each check returns the valid value or raises `Invalid`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from datetime import UTC, date, datetime, time, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast

from foveal.errors import Invalid, QuotaExceeded, TooLarge
from foveal.model.results import Usage
from foveal.model.server import ActorQuota, Serving


def is_loopback(host: str) -> bool:
    """Whether a host is reachable from this machine only. Of names, only `localhost` is trusted.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "[::1]", "localhost", "0.0.0.0", "", "example.org")]
    [True, True, True, True, False, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def checked_bind(host: str, auth: str) -> str:
    """`host`, if a server with this `auth` may listen there: without authentication, on this machine only.

    >>> checked_bind("127.0.0.1", "open"), checked_bind("0.0.0.0", "keys")
    ('127.0.0.1', '0.0.0.0')
    >>> checked_bind("0.0.0.0", "open")
    Traceback (most recent call last):
    foveal.errors.Invalid: a server on '0.0.0.0' would be open to everyone who reaches it: ...
    """
    if auth == "open" and not is_loopback(host):
        raise Invalid(
            f"a server on {host!r} would be open to everyone who reaches it: make a key with `foveal key add` and "
            "set auth of the server to keys (or oidc), or listen on 127.0.0.1",
            host=host,
        )
    return host


def checked_serving(serving: Serving) -> Serving:
    """`serving`, if a server may start with it, wherever the values came from.

    >>> checked_serving(Serving(auth="oidc", issuer="https://id.example.org"))
    Traceback (most recent call last):
    foveal.errors.Invalid: auth oidc of the server needs an issuer and an audience
    """
    checked_bind(serving.host, serving.auth)
    if serving.auth == "oidc" and not (serving.issuer and serving.audience):
        raise Invalid("auth oidc of the server needs an issuer and an audience")
    if serving.auth == "open" and "*" in serving.cors:
        raise Invalid("cors of an open server may not be *: any web page could read the memory; name the pages")
    return serving


def has_room(used: Usage, more: Usage, quota: ActorQuota) -> bool:
    """Whether an actor may store more.

    >>> has_room(Usage(records=9), Usage(records=1), ActorQuota(records=10))
    True
    """
    records = quota.records is None or used.records + more.records <= quota.records
    return records and (quota.bytes is None or used.bytes + more.bytes <= quota.bytes)


def require_room(used: Usage, more: Usage, quota: ActorQuota) -> None:
    """Raise `QuotaExceeded` unless an actor may store more.

    >>> require_room(Usage(records=10), Usage(records=1), ActorQuota(records=10))
    Traceback (most recent call last):
    foveal.errors.QuotaExceeded: this actor may store 10 records: erase some, or have the quota raised
    """
    if has_room(used, more, quota):
        return
    name = "bytes" if has_room(used, more, ActorQuota(records=quota.records)) else "records"
    limit = getattr(quota, name)
    raise QuotaExceeded(
        f"this actor may store {limit:,} {name}: erase some, or have the quota raised",
        quota=f"actor.{name}",
        limit=limit,
    )


# The largest integer that every store can hold.
MOST_COUNT = 2**63 - 1
MAX_TEXT = 1_000_000
MAX_NAME = 256
MAX_TAGS = 256
MAX_METADATA = 65_536
MAX_FILTER_VALUES = 10_000
MAX_FILTER_PARTS = 500
MAX_DEPTH = 24
MAX_KEYS = 10_000
LONGEST_TTL = timedelta(days=365 * 1000)

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SEGMENT = re.compile(r"[^/\x00-\x1f\x7f]+")


def checked_text(text: object, what: str = "text", limit: int = MAX_TEXT) -> str:
    """`text`, if it is a string that can be stored: not empty, not too long, and valid.

    >>> checked_text("hello")
    'hello'
    """
    if not isinstance(text, str):
        raise Invalid(f"{what} must be a string, not {type(text).__name__}")
    if len(text) > limit:
        raise TooLarge(f"{what} has {len(text):,} characters; the limit is {limit:,}: split it")
    if not text.strip():
        raise Invalid(f"{what} is empty")
    return storable(text, what)


def storable(text: str, what: str) -> str:
    """`text`, if every store can hold it: no NUL character, no lone surrogate."""
    if "\x00" in text:
        raise Invalid(f"{what} contains a NUL character: remove it")
    return encodable(text, what)


def encodable(text: str, what: str) -> str:
    """`text`, if it can be encoded as UTF-8: no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"{what} contains a lone surrogate at {error.start}: decode it properly") from None
    return text


def checked_name(name: object, what: str) -> str:
    """`name`, if it can be part of an address and a column."""
    text = checked_text(name, what, MAX_NAME)
    if _CONTROL.search(text):
        raise Invalid(f"{what} contains a control character")
    return text


def checked_world(world: object) -> str:
    """`world`, if it can begin an address.

    >>> checked_world("a/b")
    Traceback (most recent call last):
    foveal.errors.Invalid: world 'a/b' may not contain / or #
    """
    name = checked_name(world, "world")
    if "/" in name or "#" in name:
        raise Invalid(f"world {name!r} may not contain / or #")
    return name


def checked_region(region: object) -> str:
    """`region`, if it can be part of an address."""
    name = checked_name(region, "region")
    if "#" in name:
        raise Invalid(f"region {name!r} may not contain #")
    return name


def checked_node(node: object) -> str:
    """`node`, if it is a path in the tree of agents.

    >>> checked_node("/planner/researcher")
    '/planner/researcher'
    """
    path = checked_name(node, "node")
    if path == "/":
        return path
    if not path.startswith("/") or not all(_SEGMENT.fullmatch(part) for part in path[1:].split("/")):
        raise Invalid(f"node {path!r} must be a path like / or /planner/researcher")
    return path


def local_moment(moment: date) -> datetime:
    """A date, or a datetime without a time zone, in the local time of this process; any other as it is.

    >>> local_moment(date(2026, 5, 1)) == datetime(2026, 5, 1).astimezone()
    True
    """
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time.min)
    return moment if moment.tzinfo is not None else moment.astimezone()


def checked_moment(moment: object, what: str) -> datetime | None:
    """`moment` in UTC. A datetime without a time zone, or a date, is meant in the local time of this process.

    A text must have a time zone, because nobody knows which process wrote it.

    >>> checked_moment("2026-05-01T09:00", "occurred_at")
    Traceback (most recent call last):
    foveal.errors.Invalid: occurred_at has no time zone: end it with Z or an offset such as +02:00
    """
    if moment is None:
        return None
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError:
            raise Invalid(f"{what} {moment[:40]!r} is not an ISO 8601 date and time") from None
        if moment.tzinfo is None:
            raise Invalid(f"{what} has no time zone: end it with Z or an offset such as +02:00")
    if not isinstance(moment, date):
        raise Invalid(f"{what} must be a datetime, not {type(moment).__name__}")
    try:
        return local_moment(moment).astimezone(UTC)
    except (OverflowError, ValueError):
        raise Invalid(f"{what} is outside the years 1 to 9999 in UTC") from None


def checked_ttl(ttl: object) -> timedelta | None:
    """`ttl` as a timedelta, if it is not negative; numbers are seconds."""
    if ttl is None:
        return None
    if isinstance(ttl, float) and math.isnan(ttl):
        raise Invalid("ttl is not a number")
    if isinstance(ttl, int | float) and not isinstance(ttl, bool):
        ttl = timedelta(seconds=min(max(ttl, -1), 2 * LONGEST_TTL.total_seconds()))
    if not isinstance(ttl, timedelta):
        raise Invalid(f"ttl must be a timedelta or seconds, not {type(ttl).__name__}")
    if ttl < timedelta(0):
        raise Invalid("ttl is negative")
    if ttl > LONGEST_TTL:
        raise TooLarge(f"ttl is over {LONGEST_TTL.days // 365} years: leave it out to keep the record")
    return ttl


def checked_fraction(number: object, what: str) -> float:
    """`number`, if it is between 0 and 1."""
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0 <= number <= 1:
        raise Invalid(f"{what} must be a number from 0 to 1")
    return float(number)


def checked_count(number: object, what: str, least: int = 1) -> int:
    """`number`, if it is a whole number of at least `least`."""
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= MOST_COUNT:
        raise Invalid(f"{what} must be a whole number of at least {least} and below 2**63, not {number!r}")
    return number


def checked_one_of(name: object, names: Sequence[str], what: str) -> str:
    """`name`, if it is one of `names`.

    >>> checked_one_of("text", ("text", "mixed"), "mode")
    'text'
    """
    if name not in names:
        raise Invalid(f"there is no {what} {name!r}: use {', '.join(names)}")
    return str(name)


def checked_tags(tags: Iterable[str] | None) -> tuple[str, ...]:
    """`tags` without duplicates, in their order.

    >>> checked_tags(["b", "a", "b"])
    ('b', 'a')
    """
    if isinstance(tags, str):
        raise Invalid(f"tags must be a list of strings; for one tag write [{tags[:40]!r}]")
    if not isinstance(tags, Iterable | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(f"tags must be a list of strings, not {type(tags).__name__}")
    unique: dict[str, None] = {}
    for tag in tags or ():
        unique[checked_name(tag, "tag")] = None
        if len(unique) > MAX_TAGS:
            raise TooLarge(f"more than {MAX_TAGS} tags; put what is not for filtering into metadata")
    return tuple(unique)


def checked_path(path: str | Path) -> Path:
    """`path`, if a file can have that name.

    >>> checked_path("a\\0b")
    Traceback (most recent call last):
    foveal.errors.Invalid: the path contains a NUL character: remove it
    """
    storable(str(path), "the path")
    return Path(path)


def checked_id(given: object) -> str:
    """`given`, if it is a valid id."""
    return checked_name(given, "id")


def depth_of(value: object) -> int:
    """How many lists and mappings are nested in a value, itself included.

    >>> depth_of("tea"), depth_of([]), depth_of({"a": [{"b": 1}]})
    (0, 1, 3)
    """
    return sum(1 for _ in _levels(value))


def _levels(value: object) -> Iterator[list[Any]]:
    """The lists and mappings in a value, level by level.

    Not by recursion, because the interpreter limits how deep a function may call itself.
    """
    level = _containers([value])
    while level:
        yield level
        level = [inner for outer in level for inner in _containers(outer)]


def _containers(within: Any) -> list[Any]:
    """The lists and mappings directly in one."""
    items = cast(Iterable[Any], within.values() if isinstance(within, Mapping) else within)
    return [item for item in items if isinstance(item, Mapping | list | tuple)]


def _keys_in(value: object) -> int:
    """How many keys all mappings in a value have."""
    return sum(len(cast(Sized, item)) for level in _levels(value) for item in level if isinstance(item, Mapping))


def checked_json(value: object, what: str, limit: int = MAX_TEXT) -> Any:
    """`value` after a round trip through JSON, if JSON can represent it and every door can send it.

    >>> checked_json({"steps": ("a", "b")}, "data")
    {'steps': ['a', 'b']}
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except RecursionError:
        raise _too_deep(what) from None
    except (TypeError, ValueError) as error:
        raise Invalid(f"{what} is not JSON: {error}") from None
    if len(text) > limit:
        raise TooLarge(f"{what} has {len(text):,} characters as JSON; the limit is {limit:,}")
    if "\\u0000" in text:
        raise Invalid(f"{what} contains a NUL character: remove it")
    plain = json.loads(storable(text, what))
    if depth_of(plain) > MAX_DEPTH:
        raise _too_deep(what)
    if _keys_in(plain) > MAX_KEYS:
        raise TooLarge(f"{what} has more than {MAX_KEYS:,} keys: store it in parts", limit=MAX_KEYS)
    return plain


def _too_deep(what: str) -> TooLarge:
    return TooLarge(f"{what} is nested more than {MAX_DEPTH} levels deep: make it flatter", limit=MAX_DEPTH)


def checked_metadata(metadata: object, what: str = "metadata", limit: int = MAX_METADATA) -> dict[str, Any]:
    """`metadata`, if it is a JSON object of reasonable size."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise Invalid(f"{what} must be a mapping, not {type(metadata).__name__}")
    return cast(dict[str, Any], checked_json(dict(cast(Mapping[str, Any], metadata)), what, limit))
