"""Objects of any JSON lines as items for `write_many`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, cast

from foveal.errors import Invalid
from foveal.model.query import Details
from foveal.rules.messages import spoken
from foveal.rules.validation import local_moment

TEXTS = ("text", "content", "memory", "message", "fact", "note", "body")
MOMENTS = ("occurred_at", "created_at", "timestamp", "time", "date")
# Whose memory it becomes is for the caller to say, not for the file.
_OWN = frozenset(Details.__annotations__) - {"actor_id", "world", "node", "id", "idempotency_key", "metadata"}


def item_of(line: Mapping[str, Any], digest: str) -> dict[str, Any]:
    """An object with a text under a usual name, as an item: what is no detail of a record becomes metadata.

    `digest` names the line, so that importing it again stores nothing twice.

    >>> item = item_of({"memory": "Ada sails.", "created_at": "2026-03-01T09:00:00Z", "score": 3}, "1f")
    >>> item["text"], item["occurred_at"].hour, item["metadata"], item["idempotency_key"]
    ('Ada sails.', 9, {'score': 3}, 'import:1f')
    """
    left = dict(line)
    details: dict[str, Any] = {}
    if "role" in left and "content" in left:
        text, details = spoken({name: left.pop(name) for name in ("role", "content", "name") if name in left}, {})
    else:
        name = next((name for name in TEXTS if isinstance(left.get(name), str)), None)
        if name is None:
            raise Invalid(f"no text: an object needs one of {', '.join(TEXTS)}, or a role with content")
        text = left.pop(name)
    moment = next((name for name in MOMENTS if left.get(name) is not None), None)
    if moment is not None:
        details["occurred_at"] = moment_of(left.pop(moment), moment)
    details |= {name: left.pop(name) for name in list(left) if name in _OWN and left[name] is not None}
    inner = left.pop("metadata", None)
    merged = {**left, **cast(Mapping[str, Any], inner)} if isinstance(inner, Mapping) else left
    metadata: dict[str, Any] = {name: value for name, value in merged.items() if value is not None}
    return {"text": text, **details, "metadata": metadata, "idempotency_key": f"import:{digest}"}


def digest_of(line: bytes) -> str:
    """The name of a line: the same bytes have the same name.

    >>> digest_of(b"a") == digest_of(b"a\\n")
    True
    """
    return blake2b(line.strip(), digest_size=12).hexdigest()


def moment_of(value: object, name: str) -> datetime:
    """A moment as other programs write it: ISO 8601, local without a time zone, or seconds since 1970.

    >>> moment_of(0, "time").year, moment_of("2026-03-01T09:00:00+00:00", "time").hour
    (1970, 9)
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            # Later than the year 5000 in seconds: milliseconds.
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
        return local_moment(datetime.fromisoformat(str(value)))
    except (ValueError, OverflowError, OSError):
        raise Invalid(f"{name} {str(value)[:40]!r} is not a moment: use ISO 8601, or seconds since 1970") from None
