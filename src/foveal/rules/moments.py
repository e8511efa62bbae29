"""What became of a record between two moments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from foveal.model.crystal import Changes
from foveal.model.record import Record

# From when to when a record was forgotten, if it is not any more.
Span = tuple[datetime, datetime]

_TICK = timedelta(microseconds=1)


def after(moment: datetime, floor: datetime | None) -> datetime:
    """The moment, or the first one after the newest snapshot: what comes later must be dated later.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> after(noon, None) == noon, after(noon, noon) > noon
    (True, True)
    """
    return moment if floor is None or moment > floor else floor + _TICK


def change_of(versions: Sequence[Record], spans: Iterable[Span], since: datetime, until: datetime) -> str | None:
    """Whether a record was added, superseded, forgotten or recovered in between, or none of it."""
    held = list(spans)
    before, now = _known(versions, held, since), _known(versions, held, until)
    if before == now:
        return None
    if now is None:
        return "forgotten"
    if before is None:
        return "recovered" if versions[0].recorded_at <= since else "added"
    return "superseded"


def changes_of(
    candidates: Iterable[tuple[Sequence[Record], Iterable[Span]]],
    erased: Iterable[str],
    since: datetime,
    until: datetime,
) -> Changes:
    """The candidates by what became of them, in the order of their ids."""
    found: dict[str, list[str]] = {"added": [], "superseded": [], "forgotten": [], "recovered": []}
    for versions, spans in candidates:
        change = change_of(versions, spans, since, until)
        if change:
            found[change].append(versions[0].id)
    return Changes(
        **{name: tuple(sorted(ids)) for name, ids in found.items()},
        erased=tuple(sorted(erased)),
    )


def _known(versions: Sequence[Record], spans: Sequence[Span], moment: datetime) -> int | None:
    """The version that was known at a moment; None if there was none, or it was forgotten then."""
    forgotten = versions[-1].vitals.forgotten_at
    if forgotten is not None and forgotten <= moment:
        return None
    if any(begin <= moment < end for begin, end in spans):
        return None
    return max((one.version for one in versions if one.recorded_at <= moment), default=None)
