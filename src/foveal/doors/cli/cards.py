"""How records, numbers and moments are written for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from foveal.doors.cli.page import Page
from foveal.model.record import Record


def moment(at: datetime | None) -> str:
    """A moment as people read it, in UTC, as contexts show it.

    >>> moment(datetime(2026, 3, 2, 9, 14, tzinfo=UTC))
    '2026-03-02 09:14'
    """
    return "" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def size(count: int) -> str:
    """A number of bytes as people read it.

    >>> size(1536), size(12)
    ('1.5 KB', '12 bytes')
    """
    if count < 1024:
        return f"{count} bytes"
    amount, units = count / 1024, ["KB", "MB", "GB", "TB"]
    while amount >= 1024 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.1f} {units[0]}"


def counted(count: int, thing: str, things: str = "") -> str:
    """A number of things, with the right ending.

    >>> counted(1, "record"), counted(2, "record")
    ('1 record', '2 records')
    """
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def heads(record: Record, relevance: float | None = None, replaced_by: str | None = None) -> list[str]:
    """What stands over the text of a record: id, when, who, how relevant, and what is unusual about it."""
    unusual = [
        record.kind if record.kind != "note" else "",
        f"v{record.version}" if record.version > 1 else "",
        "pinned" if record.vitals.pinned else "",
        "muted" if record.vitals.muted else "",
        f"replaced by {replaced_by}" if replaced_by else "",
    ]
    found = [record.id, moment(record.occurred_at), record.speaker or record.source]
    if relevance is not None:
        found.append(f"{relevance:.2f}")
    return [*found, " ".join(one for one in unusual if one)]


def records(page: Page, found: Sequence[Record]) -> None:
    """Records one below the other."""
    for record in found:
        page.card(heads(record), record.text)


def whole(page: Page, record: Record) -> None:
    """Everything about one record."""
    vitals = record.vitals
    pairs = [
        ("id", record.id),
        ("address", str(record.address)),
        ("occurred", moment(record.occurred_at)),
        ("recorded", moment(record.recorded_at)),
        ("valid", f"{moment(record.valid_from)} to {moment(record.valid_to) or 'now'}"),
        ("version", str(record.version)),
        ("kind", record.kind),
        ("speaker", record.speaker or ""),
        ("source", record.source),
        ("session", record.session_id or ""),
        ("node", record.node),
        ("scope", record.scope.value),
        ("tags", ", ".join(record.tags)),
        ("metadata", json.dumps(record.metadata, ensure_ascii=False) if record.metadata else ""),
        ("parent", record.parent_id or ""),
        ("tier", vitals.tier.name.lower()),
        ("importance", f"{vitals.importance:.2f}"),
        ("pinned", "yes" if vitals.pinned else ""),
        ("muted", "yes" if vitals.muted else ""),
        ("uses", f"{vitals.uses}, last {moment(vitals.used_at)}" if vitals.uses else ""),
        ("expires", moment(vitals.expires_at)),
        ("linearity", record.linearity.name.lower()),
    ]
    page.facts((name, value) for name, value in pairs if value)
    page.line()
    page.line(record.text)
