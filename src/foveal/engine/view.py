"""The facade: every verb of a memory, seen from one viewpoint."""

from __future__ import annotations

from typing import Any, Unpack

from foveal.engine import paths
from foveal.engine.facade.crystals import Crystals
from foveal.engine.facade.families import Families
from foveal.engine.facade.keeping import Keeping
from foveal.engine.facade.living import Living
from foveal.engine.facade.moments import Moments
from foveal.engine.facade.moving import Moving
from foveal.engine.facade.reading import Reading
from foveal.engine.facade.writing import Writing
from foveal.engine.paths import Path
from foveal.model.draft import At
from foveal.rules.drafting import viewpoint_of


class View(Writing, Reading, Keeping, Families, Living, Moments, Moving):
    """A memory as one viewpoint sees it. Every verb takes the viewpoint as keywords; `view` binds it once."""

    def view(self, **at: Unpack[At]) -> View:
        """The same memory with a viewpoint bound, so that calls need not repeat it."""
        viewpoint = viewpoint_of(self._bound, at)
        return View(
            self._core,
            At(
                world=viewpoint.world,
                actor_id=viewpoint.actor_id,
                node=viewpoint.node,
                session_id=viewpoint.session_id,
            ),
        )

    def invoke(self, path: str, **arguments: Any) -> dict[str, Any]:
        """Do what a path names, like "self.memory.resume"; `paths` lists them. The answer is plain."""
        return paths.invoke(self, path, arguments)

    def paths(self) -> list[Path]:
        """Every path there is, with its help and its arguments."""
        return paths.listed()

    @property
    def crystals(self) -> Crystals:
        """Windows and crystals, from the same viewpoint."""
        return Crystals(self._core, self._bound)
