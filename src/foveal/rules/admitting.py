"""What may be stored beside what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from foveal.errors import Conflict, NotFound, PreconditionFailed
from foveal.model.query import Sight
from foveal.model.record import Record
from foveal.rules.visibility import refuse_foreign


def refuse_taken(ids: Sequence[str], taken: Mapping[str, datetime | None]) -> None:
    """Raise `Conflict` for the first id that is taken, or stands here twice.

    `taken` has the ids that the store knows, with the moments at which those that are gone were erased.

    >>> refuse_taken(["a", "b"], {})
    >>> refuse_taken(["a", "a"], {})
    Traceback (most recent call last):
    foveal.errors.Conflict: the id a is taken
    """
    counts = Counter(ids)
    for one in ids:
        if one in taken or counts[one] > 1:
            erased = taken.get(one)
            raise Conflict(f"the id {one} is taken", record_id=one, **({"erased_at": erased} if erased else {}))


def refuse_missing(ids: Sequence[str], found: Iterable[Record]) -> None:
    """Raise `NotFound` for the first id that was not found, or may not be seen: we do not say which.

    >>> refuse_missing([], [])
    """
    missing = set(ids) - {record.id for record in found}
    if missing:
        first = next(one for one in ids if one in missing)
        raise NotFound(f"there is no record {first!r} here", record_id=first)


def refuse_elsewhere(record: Record, sight: Sight) -> None:
    """Raise `NotFound` for a version of a record that lies in another organism than is looked at."""
    if (record.world, record.actor_id) != sight.viewpoint.organism:
        raise NotFound(f"there is no record {record.id!r} here", record_id=record.id)


def refuse_stale(record: Record, newest: Record, sight: Sight) -> None:
    """Raise the error for what is not the next version of a record that may be changed here."""
    refuse_foreign([newest], sight)
    if record.version != newest.version + 1:
        raise PreconditionFailed(
            f"{record.id} is at version {newest.version}", record_id=record.id, version=newest.version
        )


def refuse_resent(stored: Iterable[tuple[Record, bool]]) -> None:
    """Raise `Conflict` for the first record that was stored before, where all have to be new."""
    for record, new in stored:
        if not new:
            raise Conflict("this idempotency key was used", key=record.idempotency_key)
