"""Between renditions and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foveal.backends.relational.stamps import moment, stamp
from foveal.model.rendition import Rendition, Subject
from foveal.model.scope import Scope
from foveal.rules.visibility import parent_node


def rendition_values(place: Mapping[str, Any], rendition: Rendition) -> dict[str, Any]:
    """What `add_rendition` binds; `place` says of what it is one."""
    return {
        **place,
        "node": rendition.node,
        "up": parent_node(rendition.node),
        "scope": rendition.scope.value,
        "depth": rendition.depth,
        "text": rendition.text,
        "records": rendition.records,
        "first_at": stamp(rendition.first_at),
        "last_at": stamp(rendition.last_at),
        "maker": rendition.maker,
        "made_at": stamp(rendition.made_at),
    }


def rendition_of(row: Sequence[Any], sources: Sequence[Sequence[Any]]) -> Rendition:
    """The rendition that a row of `renditions_seen` holds, with the rows of its sources."""
    return Rendition(
        kind=Subject(row[1]),
        subject=row[2],
        node=row[3],
        scope=Scope(row[4]),
        text=row[5],
        depth=row[6],
        records=row[7],
        first_at=moment(row[8]),
        last_at=moment(row[9]),
        maker=row[10],
        made_at=moment(row[11]),
        sources=tuple((one[0], one[1]) for one in sources),
    )
