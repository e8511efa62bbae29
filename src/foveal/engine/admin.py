"""`memory.admin`: the verbs for a memory as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, Unpack

from foveal.engine import paths
from foveal.engine.paths import Path
from foveal.engine.records import transfer
from foveal.engine.records.changes import erase_actors
from foveal.engine.runtime import runtime
from foveal.engine.runtime.facade import Facade, checks_arguments
from foveal.errors import CODES, Forbidden, Invalid
from foveal.model.notice import Notice
from foveal.model.policy import PolicyValue
from foveal.model.query import At
from foveal.model.results import Actor, EraseReceipt, Imported, Reindexed
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_count, checked_one_of, checked_path, checked_world


@checks_arguments
class Admin(Facade):
    """The memory as a whole: copy it, check it, erase it, and set its policies."""

    def export(self, path: str | FilePath, **at: Unpack[At]) -> int:
        """Write the whole memory of an actor to a file of JSON lines. Returns the number of records."""
        return transfer.export(self._runtime, viewpoint_of(self._bound, at), checked_path(path))

    def import_(self, path: str | FilePath, **at: Unpack[At]) -> Imported:
        """Read a file written by `export` into the memory of an actor. Existing records are left unchanged."""
        return transfer.import_(self._runtime, viewpoint_of(self._bound, at), checked_path(path))

    def backup(self, path: str | FilePath) -> None:
        """Copy the whole store to a new memory file, while it stays in use; a database too."""
        (self._runtime.backup or self._runtime.store.backup)(str(checked_path(path)))

    def reindex(self, *, progress: transfer.Progress | None = None) -> Reindexed:
        """Re-encode everything with the encoder this memory was opened with. Reads continue meanwhile."""
        return transfer.reindex(self._runtime, progress)

    def vacuum(self) -> int:
        """Release unused space in the file. Returns how many bytes were freed; other calls wait meanwhile."""
        return self._runtime.store.vacuum()

    def actors(self) -> list[Actor]:
        """All actors whose memory the store holds, sorted by world and name."""
        return [
            Actor(world=world, actor_id=actor) for world, actor in sorted(self._runtime.store.counts.organisms())
        ]

    def erase_actor(self, **at: Unpack[At]) -> EraseReceipt:
        """Erase everything of an actor for good: records, ledgers, crystals, snapshots, logs and its name.

        Pinned records go too. The receipt lists everything that was looked at; copies elsewhere are not changed.
        """
        viewpoint = viewpoint_of(self._bound, at)
        if viewpoint.node != "/":
            raise Forbidden("only the root of an actor can erase all of it")
        known = viewpoint.organism in self._runtime.store.counts.organisms()
        return erase_actors(self._runtime, viewpoint.world, [viewpoint.actor_id] if known else [])

    def erase_world(self, world: str) -> EraseReceipt:
        """Erase everything of every actor of a world for good, as `erase_actor` does."""
        checked_world(world)
        actors = [actor for name, actor in self._runtime.store.counts.organisms() if name == world]
        return erase_actors(self._runtime, world, sorted(actors))

    def check(self) -> list[str]:
        """Descriptions of what is wrong with the stored data; empty if nothing is."""
        return self._runtime.store.check()

    def policies(self) -> list[PolicyValue]:
        """The values that divide the budget of a read and control the tiers, with where each value comes from."""
        return runtime.listed(self._runtime)

    def set_policies(
        self, values: Mapping[str, Any] | None = None, *, reset: Sequence[str] = ()
    ) -> list[PolicyValue]:
        """Override settings in the store, for every process that opens it, from its next read on.

        `values` maps names, as listed by `policies`, to new values; names in `reset` go back to the settings.
        Shares that add up to a whole are set and reset together. Either every change is applied or none is.
        """
        if not values and not reset:
            raise Invalid("name the values to set, or those to reset")
        return runtime.amend(self._runtime, values or {}, reset)

    def errors(self, *, limit: int = 50, **at: Unpack[At]) -> list[Notice]:
        """The last errors of calls for this actor, newest first: when, from which agent, what kind, how bad."""
        most = checked_count(limit, "limit")
        if self._runtime.notifier is None:
            return []
        return self._runtime.notifier.faults(viewpoint_of(self._bound, at), most)

    def report_error(self, code: str, *, component: str = "client", **at: Unpack[At]) -> None:
        """Report an error, by its code, to all who watch this memory. The component is "client" or "agent"."""
        kind = CODES[checked_one_of(code, tuple(CODES), "code")]
        part = checked_one_of(component, ("client", "agent"), "component")
        if self._runtime.notifier is not None:
            self._runtime.notifier.fault(part, kind(), viewpoint=viewpoint_of(self._bound, at))

    def paths(self) -> list[Path]:
        """All paths that `invoke` knows, each with its help and arguments."""
        return paths.listed()
