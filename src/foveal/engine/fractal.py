"""`FractalMemory`: named entries of one node in the tree of agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from foveal.engine.entries import DEFAULT_SCOPES, named_scope, within_scope
from foveal.engine.memory import View
from foveal.engine.runtime.facade import Shell, sync_of, threaded
from foveal.errors import Invalid
from foveal.model.query import At, Viewpoint
from foveal.model.record import Record, Scope
from foveal.model.results import Cleared, Hit, MemoryEntry, Reindexed, Synced
from foveal.ports.system import VectorIndex
from foveal.rules.drafts import Resolution, viewpoint_of
from foveal.rules.validation import checked_node
from foveal.rules.visibility import parent_node


class FractalMemory:
    """The named entries of a node, and those that reach it from the nodes around it, of a local or remote memory.

    LOCAL entries are the node's own, for its current task. SHARED ones reach its parent and its children, one step
    and no further. INHERITED is the read-only view of what the parent shares. GLOBAL entries reach every node.
    """

    def __init__(
        self, memory: View, *, node: str = "/", parent: FractalMemory | None = None, actor_id: str | None = None
    ) -> None:
        at: At = {"node": checked_node(node)}
        if actor_id is not None:
            at["actor_id"] = actor_id
        elif parent is not None:
            at["actor_id"] = parent.viewpoint.actor_id
        if parent is not None and parent_node(node) != parent.node:
            raise Invalid(f"{node} is not directly below {parent.node}: the parent of a node is in its path")
        # Of a view whose actor is not known yet, this raises.
        self.viewpoint: Viewpoint = viewpoint_of({**memory._bound, **at}, {})  # pyright: ignore[reportPrivateUsage]
        self._memory = memory.view(**at)

    @property
    def node(self) -> str:
        """The path of the node in the tree."""
        return self.viewpoint.node

    @property
    def parent(self) -> FractalMemory | None:
        """The memory of the node one step up; None for the root."""
        above = parent_node(self.node)
        return None if above is None else FractalMemory(self._memory, node=above)

    @property
    def task(self) -> Record | None:
        """The record of the task that the node works on."""
        return self._memory.nodes.task()

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Use this vector index for searches of the memory from now on, or none."""
        return self._memory.set_vector_store

    @property
    def set_embedding_provider(self) -> Callable[[Any], Reindexed]:
        """Change the encoder of the memory and re-encode all records."""
        return self._memory.set_embedding_provider

    def read(self, entry_id: str, scopes: Sequence[Scope | str] = DEFAULT_SCOPES) -> MemoryEntry:
        """The entry of this name: LOCAL, then SHARED, with what the parent shares; GLOBAL only if asked for.

        Of a SHARED entry this is the latest change, made here, by the parent or by a child.
        """
        return self._memory.nodes.read_entry(entry_id, scopes=scopes)

    def write(
        self,
        entry_id: str,
        content: Any = None,
        *,
        scope: Scope | str = Scope.LOCAL,
        expected_version: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> MemoryEntry:
        """Store content, text or JSON, under a name. A single argument is the content and gets a new name.

        Writing the same name again adds a version. `expected_version` is the version you read, or 0 for none; if
        someone else wrote first, this raises `PreconditionFailed`, which is a `Conflict`. A GLOBAL entry is changed
        by the node that wrote it and those above it; for any other this raises `Forbidden`, with the node.
        """
        return self._memory.nodes.write_entry(
            entry_id, content, scope=scope, expected_version=expected_version, metadata=metadata
        )

    def search(self, query: str, *, k: int = 10, scopes: Sequence[Scope | str] | None = None) -> list[Hit]:
        """The records that answer a question best, among all that the node may see or only some scopes."""
        wanted = [within_scope(named_scope(scope), self.node) for scope in scopes or ()]
        filters = None if scopes is None else {"or": wanted}
        return self._memory.search(query, k=k, filters=filters, min_relevance=0)

    def list(self, scope: Scope | str | None = None) -> Sequence[MemoryEntry]:
        """The entries that the node may see, or those of one scope, oldest first."""
        return self._memory.nodes.entries(scope=scope)

    def spawn_child(self, name: str) -> FractalMemory:
        """The memory of the child of this name."""
        if "/" in name:
            raise Invalid(f"the name {name!r} of a child may not contain /")
        path = f"{self.node.rstrip('/')}/{name}"
        return FractalMemory(self._memory, node=path, parent=self)

    def finish(self, resolver: Resolution | str = Resolution.CHILD_WINS) -> Synced:
        """Copy the SHARED entries of the node to its parent, as LOCAL entries there: all or none.

        If the parent holds an entry of the same name that did not come from here, the resolver decides. Calling it
        again copies only what is new.
        """
        return self._memory.nodes.finish(str(resolver))

    def reconcile(self, resolver: Resolution | str = Resolution.MERGE) -> Synced:
        """Give the SHARED entries that the node and its parent both hold the same content: all or none."""
        return self._memory.nodes.reconcile(str(resolver))

    def update_task(self, task: str) -> Cleared:
        """Give the node its next task. The LOCAL records of the previous one are archived; pinned ones stay."""
        return self._memory.nodes.update_task(task)

    def reopen_task(self) -> Cleared:
        """Undo the last `update_task`: return to the previous task, with the LOCAL records it had."""
        return self._memory.nodes.reopen_task()


class AsyncFractalMemory(Shell[FractalMemory]):
    """`FractalMemory` for asynchronous callers: the same verbs, awaited. It is built alike, on either memory."""

    def __init__(
        self,
        memory: View | Shell[View],
        *,
        node: str = "/",
        parent: FractalMemory | Shell[FractalMemory] | None = None,
        actor_id: str | None = None,
    ) -> None:
        def made() -> FractalMemory:
            above = parent if parent is None or isinstance(parent, FractalMemory) else parent.sync
            return FractalMemory(sync_of(memory), node=node, parent=above, actor_id=actor_id)

        super().__init__(make=made)
        self._memory = memory

    def spawn_child(self, name: str) -> AsyncFractalMemory:
        """The memory of the child of this name."""
        return AsyncFractalMemory(self._memory, node=self.sync.spawn_child(name).node, parent=self)

    read = threaded(FractalMemory.read)
    write = threaded(FractalMemory.write)
    search = threaded(FractalMemory.search)
    list = threaded(FractalMemory.list)
    finish = threaded(FractalMemory.finish)
    reconcile = threaded(FractalMemory.reconcile)
    update_task = threaded(FractalMemory.update_task)
    reopen_task = threaded(FractalMemory.reopen_task)
