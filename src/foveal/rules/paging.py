"""Where a list goes on: a place in the order of time, as an opaque word."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Any

import msgspec

from foveal.errors import Invalid


def cursor_of(moment: datetime, record_id: str) -> str:
    """The word for the place right after a record."""
    return urlsafe_b64encode(msgspec.json.encode((moment, record_id))).decode().rstrip("=")


def beyond(cursor: str, *, newest_first: bool) -> dict[str, Any]:
    """The filter that lets through what comes after the place a cursor names.

    >>> from datetime import UTC
    >>> place = cursor_of(datetime(2026, 3, 1, tzinfo=UTC), "r1")
    >>> beyond(place, newest_first=True)["or"][1]["id"]
    {'lt': 'r1'}
    """
    try:
        moment, record_id = msgspec.json.decode(
            urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), type=tuple[datetime, str]
        )
    except (ValueError, msgspec.MsgspecError) as error:
        raise Invalid("the cursor is not one that a page gave: start from the first page") from error
    if moment.tzinfo is None:
        raise Invalid("the cursor is not one that a page gave: start from the first page")
    side, edge = ("lt", "lte") if newest_first else ("gt", "gte")
    # The first condition says nothing new, but an index can follow it.
    return {
        "occurred_at": {edge: moment},
        "or": [{"occurred_at": {side: moment}}, {"occurred_at": {"eq": moment}, "id": {side: record_id}}],
    }
