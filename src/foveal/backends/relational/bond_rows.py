"""Between rows and what ties records together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foveal.backends.relational.stamps import moment, moment_or_none, stamp
from foveal.model.link import Group, Link
from foveal.model.outcome import Region, Stats
from foveal.model.tier import Tier

Rows = Sequence[Sequence[Any]]

# What `stats_of` wants, beside the versions.
COUNTED = ("totals_seen", "counts_by_tier", "counts_by_kind", "counts_by_scope", "links_between_seen")


def link_of(row: Sequence[Any]) -> Link:
    """The edge that a row holds."""
    return Link(source_id=row[0], target_id=row[1], kind=row[2], weight=row[3], created_at=moment(row[4]))


def link_values(own: Mapping[str, Any], link: Link) -> dict[str, Any]:
    """What `put_link` and `put_link_if_there` bind."""
    return {
        **own,
        "source_id": link.source_id,
        "target_id": link.target_id,
        "kind": link.kind,
        "weight": link.weight,
        "created_at": stamp(link.created_at),
    }


def group_of(row: Sequence[Any]) -> Group:
    """The group that a row holds."""
    return Group(id=row[0], name=row[1], description=row[2], created_at=moment(row[3]), number=row[4])


def group_values(own: Mapping[str, Any], group: Group) -> dict[str, Any]:
    """What `put_group` binds."""
    return {
        **own,
        "id": group.id,
        "name": group.name,
        "description": group.description,
        "created_at": stamp(group.created_at),
    }


def region_of(row: Sequence[Any]) -> Region:
    """The region that a row counts."""
    return Region(region=row[0], records=row[1], first_at=moment(row[2]), last_at=moment(row[3]))


def stats_of(counted: Mapping[str, Rows], encoder: str | None) -> Stats:
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
