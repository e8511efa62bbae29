"""The memory of one node in the tree of agents: entries by name, at scopes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from foveal.engine import entries
from foveal.engine.facade.bound import Bound
from foveal.engine.recall import recall
from foveal.engine.threaded import Shell, threaded
from foveal.engine.view import View
from foveal.errors import Forbidden, Invalid, NotFound
from foveal.model.ids import new_id
from foveal.model.query import At, Viewpoint
from foveal.model.record import Record, Scope
from foveal.model.results import Cleared, Hit, MemoryEntry, Reindexed, Synced
from foveal.ports.system import VectorIndex
from foveal.rules.drafts import Resolution, checked_entry, entry_of, stored_scope, viewpoint_of
from foveal.rules.filters import parsed_filter
from foveal.rules.validation import checked_count, checked_node, checked_text
from foveal.rules.visibility import parent_node

DEFAULT_SCOPES = (Scope.LOCAL, Scope.SHARED)


class FractalMemory(Bound):
    """What a node holds under names, and what reaches it from the nodes around it.

    LOCAL is the node's own, for its task. SHARED reaches its parent and its children, one step and no further.
    INHERITED is the read-only sight of what the parent shares. GLOBAL reaches every node.
    """

    def __init__(
        self, memory: View, *, node: str = "/", parent: FractalMemory | None = None, actor_id: str | None = None
    ) -> None:
        said: At = {"node": checked_node(node)}
        if actor_id is not None:
            said["actor_id"] = actor_id
        elif parent is not None:
            said["actor_id"] = parent.viewpoint.actor_id
        super().__init__(memory._core, {**memory._bound, **said})
        self._memory = memory
        if parent is not None and parent_node(node) != parent.node:
            raise Invalid(f"{node} does not lie right below {parent.node}: the parent of a node is in its path")
        viewpoint_of(self._bound, {})

    @property
    def viewpoint(self) -> Viewpoint:
        """Who speaks."""
        return viewpoint_of(self._bound, {})

    @property
    def node(self) -> str:
        """The place of the node in the tree."""
        return self.viewpoint.node

    @property
    def parent(self) -> FractalMemory | None:
        """The memory of the node one step up; None for the root."""
        above = parent_node(self.node)
        if above is None:
            return None
        return FractalMemory(self._memory, node=above, actor_id=self.viewpoint.actor_id)

    @property
    def task(self) -> Record | None:
        """The record of the task the node works on."""
        return entries.task_of(self._core, self.viewpoint)

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Let searches of the memory ask this index of vectors from now on, or none."""
        return self._core.follower.use

    @property
    def set_embedding_provider(self) -> Callable[[Any], Reindexed]:
        """Change the encoder of the memory, and encode what is there anew."""
        return self._memory.set_embedding_provider

    def read(self, entry_id: str, scopes: Sequence[Scope | str] = DEFAULT_SCOPES) -> MemoryEntry:
        """The entry of this name: LOCAL, then SHARED, then what the parent shares; GLOBAL if asked for."""
        name, wanted = checked_entry(entry_id), {_scope(one) for one in scopes}
        looks = {
            Scope.LOCAL: lambda: self._held(Scope.LOCAL, name),
            Scope.SHARED: lambda: self._held(Scope.SHARED, name) or self._newest(name, Scope.SHARED),
            Scope.INHERITED: lambda: self._inherited(name),
            Scope.GLOBAL: lambda: self._newest(name, Scope.GLOBAL),
        }
        if Scope.SHARED in wanted:
            wanted.add(Scope.INHERITED)
        for scope, look in looks.items():
            found = look() if scope in wanted else None
            if found is not None:
                return entry_of(found, self.node)
        raise NotFound(f"there is no entry {name!r} that {self.node} may see", entry_id=name)

    def _held(self, scope: Scope, name: str) -> Record | None:
        return entries.held(self._core, self.viewpoint, scope, name)

    def _inherited(self, name: str) -> Record | None:
        above = parent_node(self.node)
        if above is None:
            return None
        return entries.held(self._core, self.viewpoint, Scope.SHARED, name, by=above)

    def _newest(self, name: str, scope: Scope) -> Record | None:
        """The latest of this name that others let the node see: its children, or for GLOBAL anyone."""
        where = {"scope": scope.value, "metadata.entry.name": name}
        found = entries.listed(self._core, self.viewpoint, where)
        others = [one for one in found if scope is Scope.GLOBAL or parent_node(one.node) == self.node]
        return max(others, key=lambda one: (one.recorded_at, one.id), default=None)

    def write(
        self,
        entry_id: str,
        content: Any = None,
        *,
        scope: Scope | str = Scope.LOCAL,
        expected_version: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> MemoryEntry:
        """Hold a content under a name: text or JSON. With one argument it is the content, and gets a fresh name.

        Written again it is the next version. `expected_version` is the one you read, or 0 for none; when another
        wrote first, it is `PreconditionFailed`, which is a `Conflict`.
        """
        if content is None:
            entry_id, content = new_id(self._core.clock.now()), checked_text(entry_id, "content")
        if _scope(scope) is Scope.INHERITED:
            raise Forbidden("INHERITED is a view of what the parent shares: write SHARED, or let the parent write")
        if expected_version is not None:
            checked_count(expected_version, "expected_version", 0)
        entry = MemoryEntry(
            id=checked_entry(entry_id),
            content=content,
            scope=stored_scope(scope),
            created_by=self.node,
            updated_by=self.node,
            metadata=metadata or {},
            node=self.node,
        )
        return entries.put(self._core, self.viewpoint, entry, expected_version)

    def search(self, query: str, *, k: int = 10, scopes: Sequence[Scope | str] | None = None) -> list[Hit]:
        """The records that answer a question best, of all that the node may see, or of some scopes."""
        wanted = None if scopes is None else {"or": [self._where(_scope(one)) for one in scopes]}
        sight = self._core.sight(self.viewpoint, where=parsed_filter(wanted), recalling=True)
        return recall(self._core, sight, checked_text(query, "query"), checked_count(k, "k"))

    def _where(self, scope: Scope) -> dict[str, Any]:
        if scope is Scope.INHERITED:
            return {"scope": Scope.SHARED.value, "node": parent_node(self.node)}
        if scope is Scope.SHARED:
            return {"scope": scope.value, "node": {"ne": parent_node(self.node)}}
        return {"scope": scope.value}

    def list(self, scope: Scope | str | None = None) -> Sequence[MemoryEntry]:
        """The entries the node may see, oldest first; or those of one scope."""
        where = {} if scope is None else self._where(_scope(scope))
        return [entry_of(one, self.node) for one in entries.listed(self._core, self.viewpoint, where)]

    def spawn_child(self, name: str) -> FractalMemory:
        """The memory of the child of this name."""
        if "/" in name:
            raise Invalid(f"the name {name!r} of a child may not contain /")
        path = f"{self.node.rstrip('/')}/{name}"
        return FractalMemory(self._memory, node=path, parent=self)

    def finish(self, resolver: Resolution | str = Resolution.CHILD_WINS) -> Synced:
        """Hand what the node shares to its parent, as the parent's LOCAL entries, all or none.

        Where the parent holds an entry of the same name that did not come from here, the resolver decides.
        Called again, it passes on what is new.
        """
        return entries.hand_up(self._core, self.viewpoint, self._above(), str(resolver))

    def reconcile(self, resolver: Resolution | str = Resolution.MERGE) -> Synced:
        """Let the node and its parent agree on the SHARED entries that both hold, all or none."""
        return entries.reconciled(self._core, self.viewpoint, self._above(), str(resolver))

    def _above(self) -> Viewpoint:
        above = parent_node(self.node)
        if above is None:
            raise Invalid("the root has no parent")
        return msgspec.structs.replace(self.viewpoint, node=above)

    def update_task(self, task: str) -> Cleared:
        """Give the node its next task. The LOCAL records of the one before are archived; pinned ones stay."""
        return entries.update_task(self._core, self.viewpoint, checked_text(task, "task"))

    def reopen_task(self) -> Cleared:
        """Take the last `update_task` back: the task before is the node's again, with the LOCAL records it had."""
        task = self.task
        if task is None:
            raise NotFound(f"{self.node} has no task")
        return entries.reopen_task(self._core, self.viewpoint, task)


class AsyncFractalMemory(Shell[FractalMemory]):
    """`FractalMemory` for asynchronous callers: the same verbs, awaited."""

    def spawn_child(self, name: str) -> AsyncFractalMemory:
        """The memory of the child of this name."""
        return AsyncFractalMemory(self.sync.spawn_child(name))

    read = threaded(FractalMemory.read)
    write = threaded(FractalMemory.write)
    search = threaded(FractalMemory.search)
    list = threaded(FractalMemory.list)
    finish = threaded(FractalMemory.finish)
    reconcile = threaded(FractalMemory.reconcile)
    update_task = threaded(FractalMemory.update_task)
    reopen_task = threaded(FractalMemory.reopen_task)


def _scope(name: Scope | str) -> Scope:
    for one in Scope:
        if str(name).lower() == one.value:
            return one
    raise Invalid(f"{name!r} is not a scope; use {', '.join(Scope)}")
