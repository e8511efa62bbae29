"""`AsyncView`: the verbs as coroutines, each run in a thread, and the facades of its parts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from foveal.engine.async_verbs import (
    AsyncAdmin,
    AsyncBrowse,
    AsyncCrystals,
    AsyncForkVerbs,
    AsyncGroups,
    AsyncLedger,
    AsyncLifecycle,
    AsyncLinks,
    AsyncLongTerm,
    AsyncNodes,
    AsyncOperational,
    AsyncPastVerbs,
    AsyncSessions,
    AsyncSnapshotVerbs,
    AsyncTape,
    AsyncViewVerbs,
)
from foveal.engine.memory import View
from foveal.engine.runtime.facade import Shell, sync_of
from foveal.model.crystal import Snapshot
from foveal.model.query import At
from foveal.model.results import Reindexed
from foveal.ports.system import VectorIndex


class CrystallizationEngine(AsyncCrystals):
    """The windows and crystals of a memory, for asynchronous callers: crystallizes, compresses and reaps them."""

    def __init__(self, memory: View | Shell[View], **at: Unpack[At]) -> None:
        super().__init__(make=lambda: (sync_of(memory).view(**at) if at else sync_of(memory)).crystals)


class KnowledgeBase(AsyncLongTerm):
    """The reference knowledge of a memory, for asynchronous callers: `search` finds pieces of it."""

    def __init__(self, memory: View | Shell[View], **at: Unpack[At]) -> None:
        super().__init__(make=lambda: (sync_of(memory).view(**at) if at else sync_of(memory)).longterm)

    search = AsyncLongTerm.search_knowledge


class AsyncPast(AsyncPastVerbs):
    """`Past` for asynchronous callers."""

    @property
    def browse(self) -> AsyncBrowse:
        """Look through the memory as it was, without a question."""
        return AsyncBrowse(make=lambda: self.sync.browse)


class AsyncFork(AsyncForkVerbs):
    """`Fork` for asynchronous callers."""

    @property
    def browse(self) -> AsyncBrowse:
        """Look through the fork without a question."""
        return AsyncBrowse(make=lambda: self.sync.browse)


class AsyncSnapshots(AsyncSnapshotVerbs):
    """`Snapshots` for asynchronous callers."""

    async def at(self, snapshot: Snapshot | str, **at: Unpack[At]) -> AsyncPast:
        """The memory as it was at a snapshot, named by its id or label."""
        return AsyncPast(await asyncio.to_thread(lambda: self.sync.at(snapshot, **at)))

    async def fork(self, snapshot: Snapshot | str, name: str = "fork", **at: Unpack[At]) -> AsyncFork:
        """A memory that continues from a snapshot without changing this one."""
        return AsyncFork(await asyncio.to_thread(lambda: self.sync.fork(snapshot, name, **at)))


class AsyncView(AsyncViewVerbs):
    """`View` for asynchronous callers."""

    def view(self, **at: Unpack[At]) -> AsyncView:
        """The same memory with a viewpoint bound. A bad viewpoint is refused by the first verb."""
        return AsyncView(make=lambda: self.sync.view(**at))

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Search this vector index from now on, or none."""
        return self.sync.set_vector_store

    @property
    def set_embedding_provider(self) -> Callable[[Any], Awaitable[Reindexed]]:
        """Change the encoder and encode all records again."""

        async def change(provider: Any) -> Reindexed:
            return await asyncio.to_thread(lambda: self.sync.set_embedding_provider(provider))

        return change

    @property
    def browse(self) -> AsyncBrowse:
        """Look through the memory without a question."""
        return AsyncBrowse(make=lambda: self.sync.browse)

    @property
    def links(self) -> AsyncLinks:
        """Links between records, children and trees."""
        return AsyncLinks(make=lambda: self.sync.links)

    @property
    def groups(self) -> AsyncGroups:
        """Named groups of records."""
        return AsyncGroups(make=lambda: self.sync.groups)

    @property
    def sessions(self) -> AsyncSessions:
        """Conversations, with their start and end."""
        return AsyncSessions(make=lambda: self.sync.sessions)

    @property
    def snapshots(self) -> AsyncSnapshots:
        """Named states of the memory."""
        return AsyncSnapshots(make=lambda: self.sync.snapshots)

    @property
    def lifecycle(self) -> AsyncLifecycle:
        """How records age."""
        return AsyncLifecycle(make=lambda: self.sync.lifecycle)

    @property
    def nodes(self) -> AsyncNodes:
        """The tree of agents."""
        return AsyncNodes(make=lambda: self.sync.nodes)

    @property
    def admin(self) -> AsyncAdmin:
        """The memory as a whole."""
        return AsyncAdmin(make=lambda: self.sync.admin)

    @property
    def crystals(self) -> CrystallizationEngine:
        """Windows and crystals, from the same viewpoint."""
        return CrystallizationEngine(self)

    @property
    def operational(self) -> AsyncOperational:
        """What happens now: events, metrics, the state of the machine."""
        return AsyncOperational(make=lambda: self.sync.operational)

    @property
    def ledger(self) -> AsyncLedger:
        """What agents do: goals, tasks, tool calls, decisions, patterns, states."""
        return AsyncLedger(make=lambda: self.sync.ledger)

    @property
    def longterm(self) -> AsyncLongTerm:
        """What lasts: procedures, incidents, configuration changes, knowledge."""
        return AsyncLongTerm(make=lambda: self.sync.longterm)

    @property
    def tape(self) -> AsyncTape:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return AsyncTape(make=lambda: self.sync.tape)
