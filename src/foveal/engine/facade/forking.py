"""A fork: a memory that goes on from a snapshot, apart from the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from foveal.engine.core import Core
from foveal.engine.crystals import forks
from foveal.engine.facade.bound import Filters, Moment
from foveal.engine.facade.guarding import checking, guarded
from foveal.engine.facade.reading import Reading
from foveal.engine.facade.writing import Writing
from foveal.errors import Unsupported
from foveal.model.crystal import Changes, Snapshot
from foveal.model.query import At, Sight, Viewpoint
from foveal.model.results import Forgotten
from foveal.rules.drafts import viewpoint_of


@guarded
class Fork(Writing, Reading):
    """A memory as it was at a snapshot, to be written to apart from the original, which never changes.

    It answers with what was known at the snapshot and with what was written in it since, ranked together. Nothing
    is copied. What is forgotten or erased in the original is out of sight here, too.
    """

    def __init__(self, core: Core, bound: At, snapshot: Snapshot, name: str) -> None:
        viewpoint = viewpoint_of(bound, {})
        self.snapshot = snapshot
        self.name = name
        self._plain = core
        world = forks.world_of(viewpoint.world, snapshot, name)
        above, self._overlay = forks.forked(core, viewpoint, world, snapshot)
        super().__init__(above, {**bound, "world": world})

    @checking
    def forget(
        self,
        target: str | Sequence[str] | Filters,
        *,
        hard: bool = False,
        cascade: bool = False,
        **at: Unpack[At],
    ) -> Forgotten:
        """Take records out of sight in this fork: one id, several, or all that a filter finds.

        Nothing is erased one by one in a fork: `drop` erases all that was written in it.
        """
        if hard or cascade:
            raise Unsupported("a fork forgets records one by one and erases none: use drop for all of it")
        return forks.forget(self._core, self._plain, self._overlay, self._viewpoint(at), target)

    def changes(self, **at: Unpack[At]) -> Changes:
        """What was added, superseded and forgotten in this fork. Costs as much as changed."""
        return forks.changes(self._plain, self._overlay, self._viewpoint(at))

    def drop(self, **at: Unpack[At]) -> int:
        """Erase what was written in this fork. Gives how many records that were; its name stays used up."""
        return forks.drop(self._plain, self._viewpoint(at))

    def _viewpoint(self, at: At) -> Viewpoint:
        viewpoint = viewpoint_of(self._bound, at)
        self._overlay.require(*viewpoint.organism)
        return viewpoint

    def _sight(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Sight:
        self._viewpoint(at)
        return super()._sight(at, filters, as_of, valid_at)
