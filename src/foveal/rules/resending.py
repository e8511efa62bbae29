"""Which records of a batch were sent before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from foveal.errors import Conflict
from foveal.model.record import Record
from foveal.rules.visibility import gone


def sent_key(record: Record) -> str:
    """What a record is known by when it is sent again: a key is its node's own."""
    return f"{record.node} {record.idempotency_key}"


def resent(records: Sequence[Record], stored: Mapping[str, Sequence[Record]]) -> list[Record | int | None]:
    """For each record of a batch, what stands under its key: a stored one, the place of one before it, or None.

    `stored` has the versions that the store holds under each key. A key that was used for another text is
    `Conflict`; what is gone by now may be sent anew.

    >>> from datetime import UTC, datetime
    >>> from foveal.model.ids import Address
    >>> place, now = Address(world="earth", region="agent:ada"), datetime(2026, 1, 5, tzinfo=UTC)
    >>> moments = {"recorded_at": now, "occurred_at": now, "valid_from": now}
    >>> one = Record(id="1", actor_id="ada", text="hi", address=place, idempotency_key="k", **moments)
    >>> resent([one, one], {})
    [None, 0]
    """
    here: dict[str, int] = {}
    found: list[Record | int | None] = []
    for place, record in enumerate(records):
        if record.idempotency_key is None:
            found.append(None)
            continue
        key = sent_key(record)
        first = here.get(key)
        known = stored.get(key) if first is None else [records[first]]
        if not known or gone(known[-1], record.recorded_at):
            here[key] = place
            found.append(None)
        elif known[0].text != record.text:
            raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
        else:
            found.append(known[-1] if first is None else first)
    return found


def answered(known: Sequence[Record | int | None], filed: Iterator[Record]) -> list[tuple[Record, bool]]:
    """What to say of each record of a batch: what `resent` found or what was filed, and if it is new."""
    said: list[tuple[Record, bool]] = []
    for one in known:
        earlier = said[one][0] if isinstance(one, int) else one
        said.append((next(filed), True) if earlier is None else (earlier, False))
    return said
