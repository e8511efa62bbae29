"""Records as resources: by their address, as a path behind `memory://`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from foveal.doors.mcp.brief import SCHEME, uri_of
from foveal.errors import NotFound
from foveal.model.record import Record
from foveal.model.results import Page
from foveal.rules.addresses import address_of, unescaped
from foveal.rules.text import gist
from foveal.wire.codec import plain

MARKDOWN = "text/markdown"
PAGE = 50

Ask = Callable[[str, dict[str, Any]], Any]

TEMPLATES = (
    ResourceTemplate(
        name="record",
        uri_template=SCHEME + "/{world}/{region}/{+path}",
        description="One memory by its address: the digits as folders, then its id with depth and time slice, "
        "as memory_get and resources/list write it.",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        name="region",
        uri_template=SCHEME + "/{world}/{region}/",
        description="The newest memories of a region, as links.",
        mime_type=MARKDOWN,
    ),
)


def templates() -> ListResourceTemplatesResult:
    """The forms of URIs there are."""
    return ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


def newest(ask: Ask, cursor: str | None) -> ListResourcesResult:
    """The records, newest first, a page at a time."""
    page: Page = ask("page", {"limit": PAGE} if cursor is None else {"limit": PAGE, "cursor": cursor})
    return ListResourcesResult(resources=[_listed(one) for one in page.records], next_cursor=page.cursor)


def content(ask: Ask, uri: str) -> ReadResourceResult:
    """What lies at a URI; `NotFound` if there is nothing that the viewpoint sees."""
    text = _region(ask, uri) if uri.endswith("/") else _record(ask, uri)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=MARKDOWN)])


def _listed(record: Record) -> Resource:
    size = len(_document(record).encode())
    return Resource(uri=uri_of(record), name=record.id, title=gist(record.text, 80), mime_type=MARKDOWN, size=size)


def _record(ask: Ask, uri: str) -> str:
    address, key = address_of(_path(uri))
    record: Record = ask("get", {"record_id": key})
    # The digits may be those of an older tape; world and region never change.
    if (record.world, record.region) != (address.world, address.region):
        raise _nothing(uri)
    return _document(record)


def _region(ask: Ask, uri: str) -> str:
    _, *names = _path(uri).rstrip("/").split("/")
    if len(names) != 2:
        raise _nothing(uri)
    world, region = (unescaped(one) for one in names)
    page: Page = ask("page", {"limit": PAGE, "filters": {"region": region}})
    seen = [one for one in page.records if one.world == world]
    if not seen:
        raise _nothing(uri)
    lines = [f"- {one.occurred_at:%Y-%m-%d} [{_link(one)}]({uri_of(one)})" for one in seen]
    return "\n".join([f"# {region}", "", *lines, *(["- …"] if page.cursor else [])])


def _link(record: Record) -> str:
    return gist(record.text, 80).replace("[", "(").replace("]", ")")


def _document(record: Record) -> str:
    """A record as Markdown, with what is known about it as front matter."""
    facts: dict[str, Any] = {
        "id": record.id,
        "address": str(record.address),
        "by": record.speaker or record.source,
        "kind": record.kind,
        "occurred_at": plain(record.occurred_at),
        "version": record.version,
        "tags": list(record.tags) or None,
        "pinned": record.vitals.pinned or None,
        "metadata": plain(record.metadata) or None,
    }
    # JSON is YAML, so no value can end the front matter.
    front = [f"{name}: {json.dumps(one, ensure_ascii=False)}" for name, one in facts.items() if one is not None]
    return "\n".join(["---", *front, "---", "", record.text])


def _path(uri: str) -> str:
    if not uri.startswith(SCHEME + "/"):
        raise NotFound(f"{uri[:80]!r} is not of the form memory:///world/region/…", uri=uri)
    return uri.removeprefix(SCHEME)


def _nothing(uri: str) -> NotFound:
    return NotFound(f"there is nothing at {uri[:120]!r} here", uri=uri)
