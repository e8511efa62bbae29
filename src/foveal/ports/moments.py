"""Where the named moments of a memory are kept, and what changed between them."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from foveal.model.crystal import Changes, Snapshot
from foveal.model.query import Sight, Viewpoint


class Moments(Protocol):
    """The part of a store that keeps snapshots.

    What is stored, superseded, forgotten or erased after a snapshot was taken is dated after it, whatever the
    clock of its writer says.
    """

    def put_snapshot(self, viewpoint: Viewpoint, snapshot: Snapshot, *, dated: bool = False) -> Snapshot:
        """Take a snapshot: its moment is not before anything that is stored. `Conflict` if the id is taken.

        One that is `dated` was taken elsewhere, and keeps its moment.
        """
        ...

    def snapshots(self, viewpoint: Viewpoint) -> list[Snapshot]:
        """The snapshots of an organism, oldest first."""
        ...

    def changes(self, sight: Sight, since: datetime, until: datetime) -> Changes:
        """What changed after `since` and up to `until`, as far as `sight` sees it. Costs as much as changed."""
        ...
