"""Names with a slash in the path of a request: said as %2F, they are one part of the path and not two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from starlette.types import Scope

# Stands for a slash inside a name while the routes are looked through; a character that no text uses.
_STAND_IN = "\ue000"


def keep_slashes(scope: Scope) -> None:
    """Let the routes see the path with the slashes of names kept apart from those between its parts."""
    raw: bytes | None = scope.get("raw_path")
    if raw is not None and b"%2f" in raw.lower():
        path = raw.partition(b"?")[0].decode("latin-1")
        marked = path.replace("%2F", "%2f").replace("%2f", _STAND_IN)
        scope["path"] = unquote(marked)


def said_in(parts: Mapping[str, Any]) -> dict[str, Any]:
    """What the parts of a path say, with the slashes of names put back.

    >>> said_in({"record_id": "a\ue000history"})
    {'record_id': 'a/history'}
    """
    return {name: value.replace(_STAND_IN, "/") for name, value in parts.items()}
