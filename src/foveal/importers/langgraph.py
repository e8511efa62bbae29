"""The items of LangGraph's SQLite store, as `foveal.integrations.langgraph` keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, cast

import msgspec

from foveal.errors import Invalid
from foveal.importers.draft import Draft, Drafts, LeftOut, details_of, moment_or_none, text_of
from foveal.importers.files import Database, Source
from foveal.importers.lines import TEXTS

COLUMNS = {"prefix", "key", "value", "created_at", "updated_at"}


def _database(source: Source) -> Database | None:
    found = Database(source.path) if source.is_sqlite else None
    return found if found is not None and found.tables.get("store", frozenset[str]()) >= COLUMNS else None


def is_langgraph(source: Source) -> bool:
    """Whether it is the file of a `SqliteStore`."""
    return _database(source) is not None


def read_langgraph(source: Source) -> Drafts:
    """A record for each item, which `FovealStore` gives under the same namespace and key."""
    found = _database(source)
    if found is None:
        raise Invalid(f"{source.path} is not a SqliteStore: it has no table store", path=str(source.path))
    expiry = "expires_at, ttl_minutes" if "ttl_minutes" in found.tables["store"] else "NULL, NULL"
    now = datetime.now(UTC)
    rows = found.rows(
        f"SELECT prefix, key, value, updated_at, {expiry} FROM store ORDER BY created_at, prefix, key"
    )
    for prefix, key, value, updated_at, expires_at, ttl in rows:
        place = f"{prefix} {key}"
        item = _value(value)
        until = moment_or_none(expires_at, utc=True)
        if item is None:
            yield LeftOut(reason="its value is not a JSON object", place=place, broken=True)
        elif until is not None and until <= now:
            yield LeftOut(reason="an item that has expired", place=place)
        else:
            # The names under which the adapter finds it: a number sign would begin an address.
            digest = blake2b(json.dumps([str(prefix).split("."), key]).encode(), digest_size=16).hexdigest()
            yield Draft(
                id=f"item-{digest}",
                text=next((text for name in TEXTS if (text := text_of(item.get(name))).strip()), "")
                or _plain(item),
                place=place,
                details=details_of(
                    kind="item",
                    tier="semantic",
                    region=f"store:{str(prefix).replace('%', '%25').replace('#', '%23')}",
                    occurred_at=moment_or_none(updated_at, utc=True),
                    expires_at=until,
                    metadata={"key": key, "value": item, "ttl": ttl},
                ),
            )


def _value(value: object) -> Mapping[str, Any] | None:
    try:
        return msgspec.json.decode(cast(bytes | str, value), type=dict[str, Any])
    except (msgspec.DecodeError, TypeError, UnicodeDecodeError, RecursionError):
        return None


def _plain(value: Mapping[str, Any]) -> str:
    """A value without a text of its own, as words."""
    words = {name: inner if isinstance(inner, str) else json.dumps(inner) for name, inner in value.items()}
    return "\n".join(f"{name}: {told}" for name, told in words.items()) or "{}"
