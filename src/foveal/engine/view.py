"""The facade: every verb of a memory, seen from one viewpoint."""

from __future__ import annotations

from typing import Unpack

from foveal.engine.facade.keeping import Keeping
from foveal.engine.facade.moving import Moving
from foveal.engine.facade.reading import Reading
from foveal.engine.facade.taping import Taping
from foveal.engine.facade.writing import Writing
from foveal.model.draft import At
from foveal.rules.drafting import viewpoint_of


class View(Writing, Reading, Keeping, Moving):
    """A memory as one viewpoint sees it. Every verb takes the viewpoint as keywords; `view` binds it once."""

    @property
    def tape(self) -> Taping:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return Taping(self._core, self._bound)

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
