"""How much a Postgres database holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foveal.backends.sql.links import Links
from foveal.backends.sql.rows import NONE, moment_or_none
from foveal.backends.sql.vectors import Vectors
from foveal.model.query import Sight
from foveal.model.record import Tier
from foveal.model.results import Stats

_COUNTED = ("totals_seen", "counts_by_tier", "counts_by_kind", "counts_by_scope", "links_between_seen")


class Counting(Vectors, Links):
    """How much of a memory is visible, counted by the server."""

    def stats(self, sight: Sight) -> Stats:
        """How much of it is visible."""
        with self._session.reading(sight.viewpoint) as db:
            active = self._active(db)
            counted = {name: self._counted(db, sight, name) for name in _COUNTED}
            number = active[0] if active else NONE
            counted["versions_of_seen"] = self._counted(db, sight, "versions_of_seen", encoder=number)
            return _stats_of(counted, active[1].id if active else None)


def _stats_of(counted: Mapping[str, Sequence[Sequence[Any]]], encoder: str | None) -> Stats:
    """How much there is, from the rows that each query counted."""
    totals = (counted["totals_seen"] or [(0, 0, 0, 0, 0, None, None)])[0]
    versions, size, pending = (counted["versions_of_seen"] or [(0, 0, 0)])[0]
    tiers = [(Tier(row[0]).name.lower(), row[1], row[2]) for row in counted["counts_by_tier"]]
    return Stats(
        records=totals[0],
        versions=versions,
        links=(counted["links_between_seen"] or [(0,)])[0][0],
        pinned=int(totals[1]),
        archived=int(totals[2]),
        pending=int(pending),
        tiers=dict(sorted((name, count) for name, count, _ in tiers)),
        held=dict(sorted((name, int(held)) for name, _, held in tiers if held)),
        kinds={row[0]: row[1] for row in counted["counts_by_kind"]},
        scopes={row[0]: row[1] for row in counted["counts_by_scope"]},
        regions=totals[3],
        sessions=totals[4],
        first_at=moment_or_none(totals[5]),
        last_at=moment_or_none(totals[6]),
        bytes=int(size),
        encoder=encoder,
    )
