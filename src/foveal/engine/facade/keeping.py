"""What becomes of a record, and what ties it to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from foveal.engine import keep
from foveal.engine.facade.bound import Bound
from foveal.engine.facade.guarding import guarded
from foveal.model.query import At
from foveal.model.record import Group, Link, LinkKind, Record
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_fraction, checked_name


@guarded
class Keeping(Bound):
    """What becomes of a record, and what ties it to others."""

    def pin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Keep a record from being forgotten and from decay."""
        return keep.pin(self._core, self._sight(at), record_id, pinned=True)

    def unpin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Let a record age like the others again."""
        return keep.pin(self._core, self._sight(at), record_id, pinned=False)

    def mute(self, record_id: str, **at: Unpack[At]) -> Record:
        """Keep a record from being recalled: no search or read finds it, `get` and `timeline` still do."""
        return keep.mute(self._core, self._sight(at), record_id, muted=True)

    def unmute(self, record_id: str, **at: Unpack[At]) -> Record:
        """Let a record be recalled again."""
        return keep.mute(self._core, self._sight(at), record_id, muted=False)

    def reinforce(self, record_id: str, factor: float | None = None, **at: Unpack[At]) -> Record:
        """Say that a record matters: its importance grows by the factor, or by that of its kind, to 1 at most."""
        return keep.reinforce(self._core, self._sight(at), record_id, factor)

    def link(
        self,
        source_id: str,
        target_id: str,
        *,
        kind: str = LinkKind.RELATES,
        weight: float = 1.0,
        **at: Unpack[At],
    ) -> Link:
        """Draw a typed edge between two records; drawn again, it takes the new weight."""
        sight = self._sight(at)
        link = Link(
            source_id=source_id,
            target_id=target_id,
            kind=checked_name(kind, "kind"),
            weight=checked_fraction(weight, "weight"),
            created_at=sight.now,
        )
        self._core.store.link(sight, link)
        return link

    def unlink(self, source_id: str, target_id: str, *, kind: str | None = None, **at: Unpack[At]) -> int:
        """Take the edges between two records away, or those of one kind. Gives how many there were."""
        return self._core.store.unlink(self._sight(at), source_id, target_id, kind)

    def group(self, name: str, record_ids: Sequence[str] = (), *, description: str = "", **at: Unpack[At]) -> Group:
        """The group of this name, made if need be, with these records added to it."""
        return keep.group(self._core, self._sight(at), checked_name(name, "name"), record_ids, description)

    def ungroup(self, group_id: str, record_ids: Sequence[str], **at: Unpack[At]) -> None:
        """Take records out of a group."""
        self._core.store.leave(self._sight(at), group_id, record_ids)

    def groups(self, **at: Unpack[At]) -> list[Group]:
        """The groups there are, by name."""
        return self._core.store.groups(viewpoint_of(self._bound, at))

    def members(self, group_id: str, **at: Unpack[At]) -> list[Record]:
        """The records of a group, oldest first."""
        return self._core.store.members(self._sight(at), group_id)
