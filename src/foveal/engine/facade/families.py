"""The families of records: children, trees, edges, sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from foveal.engine import families
from foveal.engine.facade.bound import Bound
from foveal.model.query import At
from foveal.model.record import Record, Session
from foveal.model.results import Branch, Related
from foveal.rules.drafts import viewpoint_of
from foveal.rules.trees import checked_order, checked_sort
from foveal.rules.validation import checked_count


class Families(Bound):
    """The families of records: children, trees, edges, sessions."""

    def children(
        self,
        record_id: str,
        *,
        limit: int = 100,
        sort_field: str = "occurred_at",
        sort_order: str = "asc",
        **at: Unpack[At],
    ) -> list[Record]:
        """The records written under this one, oldest first unless another order is asked for."""
        sort, descending = checked_sort(sort_field), checked_order(sort_order)
        count = checked_count(limit, "limit")
        return self._core.store.children(self._sight(at), record_id, sort=sort, descending=descending, limit=count)

    def tree(self, record_id: str, *, depth: int = 3, limit: int = 1000, **at: Unpack[At]) -> list[Branch]:
        """A record and what lies at most `depth` steps below it, each right after its parent."""
        steps, count = checked_count(depth, "depth", 0), checked_count(limit, "limit")
        return families.tree(self._core, self._sight(at), record_id, steps, count)

    def related(
        self, record_id: str, *, kind: str | None = None, depth: int = 1, **at: Unpack[At]
    ) -> list[Related]:
        """The records that at most `depth` edges lead to, each once: nearest first, then strongest.

        Edges are followed either way. The strength of a way is the product of its weights.
        """
        return families.related(self._core, self._sight(at), record_id, kind, checked_count(depth, "depth"))

    def create_session(
        self, *, kind: str = "conversation", metadata: Mapping[str, Any] | None = None, **at: Unpack[At]
    ) -> Session:
        """Begin a session, of the `session_id` that this call says, or else of a fresh one."""
        viewpoint = viewpoint_of(self._bound, at)
        return families.create_session(self._core, viewpoint, at.get("session_id"), kind, metadata)

    def end_session(self, session: str, **at: Unpack[At]) -> Session:
        """Say that a session is over. Ended again, it keeps its first end."""
        return families.end_session(self._core, self._sight(at), session)

    def get_session(self, session: str, **at: Unpack[At]) -> Session:
        """One session, with the number of its records and their dates."""
        return families.get_session(self._core, self._sight(at), session)

    def sessions(self, *, limit: int = 100, **at: Unpack[At]) -> list[Session]:
        """The sessions that were created or that records name, the latest first."""
        return self._core.store.sessions(self._sight(at), limit=checked_count(limit, "limit"))
