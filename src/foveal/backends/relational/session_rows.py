"""Between sessions and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foveal.backends.relational.stamps import moment_or_none, stamp_or_none
from foveal.model.session import Session


def session_values(own: Mapping[str, Any], session: Session) -> dict[str, Any]:
    """What `put_session` binds."""
    return {
        **own,
        "id": session.id,
        "kind": session.kind,
        "metadata": msgspec.json.encode(session.metadata).decode(),
        "started_at": stamp_or_none(session.started_at),
        "ended_at": stamp_or_none(session.ended_at),
    }


def session_of(row: Sequence[Any], actor_id: str) -> Session:
    """The session that a row of `sessions_seen` holds: created, or only named by records."""
    created: dict[str, Any] = {}
    if row[1] is not None:
        created = {"kind": row[1], "metadata": msgspec.json.decode(row[2])}
    return Session(
        id=row[0],
        actor_id=actor_id,
        started_at=moment_or_none(row[3]),
        ended_at=moment_or_none(row[4]),
        records=row[5],
        first_at=moment_or_none(row[6]),
        last_at=moment_or_none(row[7]),
        **created,
    )
