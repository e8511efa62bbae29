"""The facade: every verb of a memory, seen from one viewpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Unpack

from foveal.engine import paths
from foveal.engine.facade.crystals import Crystals
from foveal.engine.facade.families import Families
from foveal.engine.facade.guarding import guarded
from foveal.engine.facade.keeping import Keeping
from foveal.engine.facade.living import Living
from foveal.engine.facade.moments import Moments
from foveal.engine.facade.moving import Moving
from foveal.engine.facade.policies import Policies
from foveal.engine.facade.reading import Reading
from foveal.engine.facade.taping import Taping
from foveal.engine.facade.writing import Writing
from foveal.engine.ledger.assembly import assemble
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.ledger.working import Ledger
from foveal.engine.paths import Path
from foveal.engine.providing import provide
from foveal.model.query import At
from foveal.model.results import AssembledContext, Reindexed
from foveal.ports.system import VectorIndex
from foveal.rules.budget import TIERS, named_tiers
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_count, checked_text


@guarded
class View(Writing, Reading, Keeping, Families, Living, Moments, Moving, Policies):
    """A memory as one viewpoint sees it. Every verb takes the viewpoint as keywords; `view` binds it once."""

    @property
    def tape(self) -> Taping:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return Taping(self._core, self._bound)

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Let searches ask this index of vectors from now on, or none: `memory.set_vector_store(index)`.

        It belongs to this process, so it is no verb that a door could have. `reindex` fills it with what is there.
        """
        return self._core.follower.use

    @property
    def set_embedding_provider(self) -> Callable[[Any], Reindexed]:
        """Change the encoder, and encode what is there anew: `memory.set_embedding_provider(encoder)`.

        It takes what the argument `embedder` of a memory takes; None is the encoder of the settings. When it fails,
        the encoder before it stays. It belongs to this process; others name theirs in the settings.
        """
        return partial(provide, self._core)

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

    @property
    def operational(self) -> Operational:
        """What happens now: events, metrics, the state of the machine."""
        return Operational(self._core, self._bound)

    @property
    def ledger(self) -> Ledger:
        """What agents do: goals, tasks, tool calls, decisions, patterns, states."""
        return Ledger(self._core, self._bound)

    @property
    def longterm(self) -> LongTerm:
        """What lasts: procedures, incidents, configuration changes, knowledge."""
        return LongTerm(self._core, self._bound)

    def assemble_context(
        self, task_description: str, max_tokens: int = 4000, tiers: Sequence[str] = TIERS, **at: Unpack[At]
    ) -> AssembledContext:
        """What a task needs from each tier of memory: never over the budget, each chunk with source and relevance.

        The state of the machine comes first. The tiers are operational, working, longterm and knowledge.
        """
        viewpoint = viewpoint_of(self._bound, at)
        budget, task = checked_count(max_tokens, "max_tokens"), checked_text(task_description, "task_description")
        return assemble(self._core, viewpoint, task, budget, named_tiers(tiers))
