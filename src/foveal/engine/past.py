"""`memory.snapshots`: named states of a memory, the memory as it was at one, and forks of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from foveal.engine.crystals import forks, snapshots
from foveal.engine.records.verbs import Browse, ReadVerbs, WriteVerbs
from foveal.engine.runtime.facade import Facade, Filters, Moment, checks_arguments, checks_call
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Invalid, Unsupported
from foveal.model.crystal import Changes, Restored, Snapshot
from foveal.model.query import Access, At, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Forgotten
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_moment, checked_name


@checks_arguments
class Fork(WriteVerbs, ReadVerbs):
    """A writable memory that starts from a snapshot and leaves the original unchanged.

    It answers from what was known at the snapshot and from what was written to the fork since, ranked together.
    Nothing is copied. Records forgotten or erased in the original are hidden here too.
    """

    def __init__(self, runtime: Runtime, bound: At, snapshot: Snapshot, name: str) -> None:
        viewpoint = viewpoint_of(bound, {})
        self.snapshot = snapshot
        self.name = name
        self._plain = runtime
        world = forks.world_of(viewpoint.world, snapshot, name)
        forked, self._fork = forks.forked(runtime, viewpoint, world, snapshot)
        super().__init__(forked, {**bound, "world": world})

    @property
    def browse(self) -> Browse:
        """Look through the fork without a question."""
        return Browse(self)

    @checks_call
    def forget(
        self,
        target: str | Sequence[str] | Filters,
        *,
        hard: bool = False,
        cascade: bool = False,
        **at: Unpack[At],
    ) -> Forgotten:
        """Hide records in this fork: one id, several, or all that match a filter.

        A fork cannot erase single records: `drop` erases everything that was written in it.
        """
        if hard or cascade:
            raise Unsupported("a fork forgets records one by one and erases none: use drop for all of it")
        return forks.forget(self._runtime, self._plain, self._fork, self._viewpoint(at), target)

    def changes(self, **at: Unpack[At]) -> Changes:
        """What was added, superseded and forgotten in this fork. The cost grows with the number of changes."""
        return forks.changes(self._plain, self._fork, self._viewpoint(at))

    def drop(self, **at: Unpack[At]) -> int:
        """Erase what was written in this fork. Returns how many records that were; its name cannot be reused."""
        return forks.drop(self._plain, self._viewpoint(at))

    def _viewpoint(self, at: At) -> Viewpoint:
        viewpoint = viewpoint_of(self._bound, at)
        self._fork.layers.require(*viewpoint.organism)
        return viewpoint

    def _access(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Access:
        self._viewpoint(at)
        return super()._access(at, filters, as_of, valid_at)


@checks_arguments
class Past(ReadVerbs):
    """A read-only memory that answers from what was known at a moment in the past."""

    @property
    def browse(self) -> Browse:
        """Look through the memory as it was, without a question."""
        return Browse(self)

    def history(self, record_id: str, **at: Unpack[At]) -> list[Record]:
        """The versions of a record that were known then, oldest first."""
        versions = super().history(record_id, **at)
        return [version for version in versions if self._as_of is None or version.recorded_at <= self._as_of]


@checks_arguments
class Snapshots(Facade):
    """Named states of a memory: take one, read from it, compare, fork and restore it."""

    def take(self, label: str, **at: Unpack[At]) -> Snapshot:
        """Name the present state, so that it can be read, compared and restored later. Costs one row."""
        return snapshots.take(self._runtime, viewpoint_of(self._bound, at), checked_name(label, "label"))

    def at(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Past:
        """The memory as it was at a snapshot, given by id or label; records forgotten since stay hidden."""
        viewpoint = viewpoint_of(self._bound, at)
        taken = snapshots.found(self._runtime, viewpoint, snapshot).taken_at
        return Past(self._runtime, {**self._bound, **at}, taken)

    def fork(self, snapshot: Snapshot | str, name: str = "fork", **at: Unpack[At]) -> Fork:
        """A writable memory that starts from a snapshot; this memory is not changed by it.

        Nothing is copied: a fork costs only what is written to it. The same snapshot and name give the same fork.
        """
        viewpoint = viewpoint_of(self._bound, at)
        taken = snapshots.found(self._runtime, viewpoint, snapshot)
        return Fork(self._runtime, {**self._bound, **at}, taken, checked_name(name, "name"))

    def changes(
        self, since: Snapshot | str | datetime, until: Snapshot | str | datetime | None = None, **at: Unpack[At]
    ) -> Changes:
        """What changed since a snapshot or a moment, up to another one or until now.

        The cost grows with the number of changes.
        """
        viewpoint = viewpoint_of(self._bound, at)
        first = self._moment(since, at)
        if first is None:
            raise Invalid("since is missing: name a snapshot or a moment")
        return snapshots.changes(self._runtime, viewpoint, first, self._moment(until, at))

    def restore(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Restored:
        """Return to what was known at a snapshot, by adding versions and by recovering and forgetting records.

        A snapshot of the present is taken first; restore that one to undo this.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return snapshots.restore(self._runtime, viewpoint, snapshots.found(self._runtime, viewpoint, snapshot))

    def _moment(self, end: Snapshot | str | datetime | None, at: At) -> datetime | None:
        if end is None or isinstance(end, datetime):
            return checked_moment(end, "moment")
        return snapshots.found(self._runtime, viewpoint_of(self._bound, at), end).taken_at

    def list(self, **at: Unpack[At]) -> list[Snapshot]:
        """All snapshots, oldest first."""
        return self._runtime.store.snapshots.all(viewpoint_of(self._bound, at))
