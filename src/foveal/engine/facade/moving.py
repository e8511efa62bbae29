"""A memory as a whole: copied, moved, checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from foveal.engine import reindexing, transfer
from foveal.engine.facade.bound import Bound
from foveal.model.query import At
from foveal.model.results import Actor, Imported, Reindexed
from foveal.rules.drafts import viewpoint_of

Progress = Callable[[int, int], None]


class Moving(Bound):
    """A memory as a whole: copied, moved, checked."""

    def export(self, path: str | Path, **at: Unpack[At]) -> int:
        """Write the whole memory of an actor to a file of JSON lines. Gives how many records."""
        return transfer.export(self._core, viewpoint_of(self._bound, at), Path(path))

    def import_(self, path: str | Path, **at: Unpack[At]) -> Imported:
        """Read a file that `export` wrote into an actor's memory. What is there already is left as it is."""
        return transfer.import_(self._core, viewpoint_of(self._bound, at), Path(path))

    def backup(self, path: str | Path) -> None:
        """Copy the whole store to a new file, while others go on."""
        self._core.store.backup(str(path))

    def reindex(self, *, progress: Progress | None = None) -> Reindexed:
        """Embed everything anew with the encoder this memory was opened with, while reads go on."""
        return reindexing.reindex(self._core, progress)

    def vacuum(self) -> int:
        """Give room in the file that nothing needs any more back. Gives how many bytes; others wait meanwhile."""
        return self._core.store.vacuum()

    def actors(self) -> list[Actor]:
        """Everybody whose memory the store holds, by world and name."""
        return [Actor(world=world, actor_id=actor) for world, actor in sorted(self._core.store.organisms())]

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""
        return self._core.store.check()
