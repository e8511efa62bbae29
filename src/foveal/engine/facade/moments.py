"""The named moments of a memory."""

from __future__ import annotations

from datetime import datetime
from typing import Unpack

from foveal.engine.crystals import moments
from foveal.engine.facade.bound import Bound
from foveal.engine.facade.forking import Fork
from foveal.engine.facade.guarding import guarded
from foveal.engine.facade.reading import Reading
from foveal.errors import Invalid
from foveal.model.crystal import Changes, Restored, Snapshot
from foveal.model.query import At
from foveal.model.record import Record
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_moment, checked_name


class Past(Reading):
    """A memory as it was: what answers, answers with what was known then. It cannot be written to."""

    def history(self, record_id: str, **at: Unpack[At]) -> list[Record]:
        """The versions of a record that were known then, oldest first."""
        versions = super().history(record_id, **at)
        return [one for one in versions if self._as_of is None or one.recorded_at <= self._as_of]


@guarded
class Moments(Bound):
    """The named moments of a memory."""

    def snapshot(self, label: str, **at: Unpack[At]) -> Snapshot:
        """Name the present, so that it can be read, compared and gone back to. Costs one row."""
        return moments.take(self._core, viewpoint_of(self._bound, at), checked_name(label, "label"))

    def snapshots(self, **at: Unpack[At]) -> list[Snapshot]:
        """The snapshots there are, oldest first."""
        return self._core.store.snapshots(viewpoint_of(self._bound, at))

    def at(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Past:
        """The memory as it was at a snapshot, named by its id or label; what was forgotten since stays hidden."""
        viewpoint = viewpoint_of(self._bound, at)
        taken = moments.found(self._core, viewpoint, snapshot).taken_at
        return Past(self._core, {**self._bound, **at}, taken)

    def fork(self, snapshot: Snapshot | str, name: str = "fork", **at: Unpack[At]) -> Fork:
        """A memory that goes on from a snapshot, apart from this one, which never changes by it.

        Nothing is copied, so it costs what is written in it. The same snapshot and name again are the same fork.
        """
        viewpoint = viewpoint_of(self._bound, at)
        taken = moments.found(self._core, viewpoint, snapshot)
        return Fork(self._core, {**self._bound, **at}, taken, checked_name(name, "name"))

    def changes(
        self, since: Snapshot | str | datetime, until: Snapshot | str | datetime | None = None, **at: Unpack[At]
    ) -> Changes:
        """What changed since a snapshot or a moment, up to another or till now. Costs as much as changed."""
        viewpoint = viewpoint_of(self._bound, at)
        first = self._moment(since, at)
        if first is None:
            raise Invalid("since is missing: name a snapshot or a moment")
        return moments.changes(self._core, viewpoint, first, self._moment(until, at))

    def restore(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Restored:
        """Bring back what was known at a snapshot, by adding versions, recovering and forgetting.

        A snapshot of the present is taken first: restore that one to undo it.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return moments.restore(self._core, viewpoint, moments.found(self._core, viewpoint, snapshot))

    def _moment(self, end: Snapshot | str | datetime | None, at: At) -> datetime | None:
        if end is None or isinstance(end, datetime):
            return checked_moment(end, "moment")
        return moments.found(self._core, viewpoint_of(self._bound, at), end).taken_at
