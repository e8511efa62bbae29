"""A shorter form of what was said, with where it comes from."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from foveal.model.scope import Scope


class Subject(StrEnum):
    """What a rendition may be of. Those of cells are made when a read wants them, and not kept."""

    SESSION = "session"
    REGION = "region"
    CELL = "cell"


KEPT = (Subject.SESSION, Subject.REGION)


class Rendition(Struct, frozen=True, kw_only=True):
    """What one node said in a session, a region or a cell of the map, shorter.

    The texts it was made from stay as they are.
    `sources` are the ids of those records with the versions that were read; `maker` is the summariser.
    It is seen by those who see its sources, and only while each of them is as it was.
    """

    kind: Subject
    subject: str
    node: str
    scope: Scope
    text: str
    depth: int = 0
    records: int
    sources: tuple[tuple[str, int], ...]
    first_at: datetime
    last_at: datetime
    maker: str
    made_at: datetime
