"""`View`: a memory from one viewpoint, with its verbs for every day and the groups of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Unpack

from foveal.engine import paths
from foveal.engine.admin import Admin
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.entries import Nodes
from foveal.engine.ledger.assemble import assemble
from foveal.engine.ledger.engrams import EngramVerbs
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle import run
from foveal.engine.lifecycle.lifecycle import Lifecycle
from foveal.engine.past import Snapshots
from foveal.engine.records.corrections import CorrectionVerbs
from foveal.engine.records.relations import Groups, Links, Sessions
from foveal.engine.records.remember import FactVerbs
from foveal.engine.records.transfer import change_encoder
from foveal.engine.records.verbs import Browse, ChangeVerbs, ReadVerbs, WriteVerbs
from foveal.engine.runtime.facade import checks_arguments
from foveal.engine.tape.tape import TapeVerbs
from foveal.errors import Invalid
from foveal.model.query import At
from foveal.model.results import AssembledContext, Reindexed
from foveal.ports.system import VectorIndex
from foveal.rules.budget import TIERS, named_tiers
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_count, checked_text


@checks_arguments
class View(EngramVerbs, WriteVerbs, FactVerbs, CorrectionVerbs, ReadVerbs, ChangeVerbs):
    """A memory seen from one viewpoint.

    The verbs for every day are `write` and `remember`, `search`, `read`, `supersede`, `forget`, and `view`, which
    binds a viewpoint once; every verb also takes it as keywords. The others are in groups: `browse`, `links`,
    `groups` and `sessions` of records, `snapshots` and `lifecycle` for time, `nodes`, `ledger`, `operational`,
    `longterm` and `crystals` for agents, `tape` for glyphs, and `admin` for the memory as a whole.
    """

    @property
    def browse(self) -> Browse:
        """Look through a memory without a question: pages, regions, addresses, earlier reads."""
        return Browse(self)

    @property
    def links(self) -> Links:
        """Links between records, children and trees."""
        return Links(self._runtime, self._bound)

    @property
    def groups(self) -> Groups:
        """Named groups of records."""
        return Groups(self._runtime, self._bound)

    @property
    def sessions(self) -> Sessions:
        """Conversations, with their start and end."""
        return Sessions(self._runtime, self._bound)

    @property
    def snapshots(self) -> Snapshots:
        """Named states of this memory, to read, compare, fork and restore."""
        return Snapshots(self._runtime, self._bound)

    @property
    def lifecycle(self) -> Lifecycle:
        """How records age: run it, forecast it, see the journal, undo."""
        return Lifecycle(self._runtime, self._bound)

    @property
    def nodes(self) -> Nodes:
        """The tree of agents, and the entries and tasks of its nodes."""
        return Nodes(self._runtime, self._bound)

    @property
    def admin(self) -> Admin:
        """The memory as a whole: export, backup, check, erase, policies."""
        return Admin(self._runtime, self._bound)

    @property
    def tape(self) -> TapeVerbs:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return TapeVerbs(self._runtime, self._bound)

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Use this vector index for searches from now on, or none: `memory.set_vector_store(index)`.

        It applies to this process only, so it is not offered at the doors. `reindex` fills it with the records.
        """
        return self._runtime.vector_sync.use

    @property
    def set_embedding_provider(self) -> Callable[[Any], Reindexed]:
        """Change the encoder and re-encode all records: `memory.set_embedding_provider(encoder)`.

        It accepts what the argument `embedder` of a memory accepts; None means the encoder of the settings. If it
        fails, the previous encoder stays. It applies to this process; others name their encoder in the settings.
        """
        return partial(change_encoder, self._runtime)

    def view(self, **at: Unpack[At]) -> View:
        """The same memory with a viewpoint bound, so that calls need not repeat it."""
        viewpoint = viewpoint_of(self._bound, at)
        return View(
            self._runtime,
            At(
                world=viewpoint.world,
                actor_id=viewpoint.actor_id,
                node=viewpoint.node,
                session_id=viewpoint.session_id,
            ),
        )

    def invoke(self, path: str, **arguments: Any) -> dict[str, Any]:
        """Run the operation that a path names, like "self.memory.resume", and return its answer as plain data.

        `admin.paths` lists them all.
        """
        return paths.invoke(self, path, arguments)

    @property
    def crystals(self) -> Crystals:
        """Windows and crystals, from the same viewpoint."""
        return Crystals(self._runtime, self._bound)

    @property
    def operational(self) -> Operational:
        """Operational memory: recent events, metrics and the state of the machine."""
        return Operational(self._runtime, self._bound)

    @property
    def ledger(self) -> Ledger:
        """The ledger of agent work: goals, tasks, tool calls, decisions, patterns and agent states."""
        return Ledger(self._runtime, self._bound)

    @property
    def longterm(self) -> LongTerm:
        """Long-term memory: procedures, incidents, configuration changes and knowledge."""
        return LongTerm(self._runtime, self._bound)

    def assemble_context(
        self,
        task_description: str,
        max_tokens: int = 4000,
        tiers: Sequence[str] = TIERS,
        *,
        memory_tiers: Sequence[str] | None = None,
        **at: Unpack[At],
    ) -> AssembledContext:
        """The context a task needs from each tier: never over the budget, each chunk with source and relevance.

        The state of the machine comes first. The tiers are operational, working, longterm and knowledge;
        `memory_tiers` is another name of `tiers`.
        """
        if memory_tiers is not None:
            if tuple(tiers) not in (TIERS, tuple(memory_tiers)):
                raise Invalid("memory_tiers is another name of tiers: pass one of them")
            tiers = memory_tiers
        viewpoint = viewpoint_of(self._bound, at)
        budget, task = checked_count(max_tokens, "max_tokens"), checked_text(task_description, "task_description")
        return assemble(self._runtime, viewpoint, task, budget, named_tiers(tiers))

    def get_stats(self, **at: Unpack[At]) -> dict[str, Any]:
        """How many records each tier holds, its capacity, and how many were pruned."""
        return run.tiers(self._runtime, self._access(at))
