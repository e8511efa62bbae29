"""Working memory: the ledger of what agents do."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from foveal.engine.facade.bound import Moment
from foveal.engine.facade.guarding import guarded
from foveal.engine.ledger import ageing
from foveal.engine.ledger.decisions import Decisions
from foveal.engine.ledger.finding import found, of_kinds
from foveal.engine.ledger.goals import Goals
from foveal.engine.ledger.patterns import Patterns
from foveal.errors import NotFound
from foveal.model.ledger import AgentState
from foveal.model.query import At
from foveal.model.results import Migrated, SearchResult
from foveal.rules.drafts import viewpoint_of
from foveal.rules.ledger import WORKING_LIFE
from foveal.rules.validation import checked_count, checked_json, checked_moment, checked_name, checked_text

RELEVANT = ("goal", "task", "decision", "pattern")


@guarded
class Ledger(Goals, Decisions, Patterns):
    """Goals, tasks, tool calls, decisions, patterns and agent states of one viewpoint. Nobody else sees them."""

    def store_agent_state(self, agent_name: str, state: Any, **at: Unpack[At]) -> AgentState:
        """Keep the state of an agent, in place of the one before."""
        row = AgentState(
            agent_name=checked_name(agent_name, "agent_name"),
            state=checked_json(state, "state"),
            updated_at=self._core.clock.now(),
        )
        self._core.store.set_row(viewpoint_of(self._bound, at), row)
        return row

    def get_agent_state(self, agent_name: str, **at: Unpack[At]) -> AgentState:
        """The last state that an agent left."""
        rows = self._core.store.get_rows(viewpoint_of(self._bound, at), AgentState, [agent_name])
        if not rows:
            raise NotFound(f"there is no state of {agent_name!r} here", row_id=agent_name)
        return rows[0]

    def get_agent_states(self, limit: int = 100, **at: Unpack[At]) -> list[AgentState]:
        """The states of all agents, newest first."""
        most = checked_count(limit, "limit")
        return self._core.store.list_rows(viewpoint_of(self._bound, at), AgentState, newest=True, limit=most)

    def find_relevant(
        self, task_description: str, limit: int = 5, *, kinds: Sequence[str] = RELEVANT, **at: Unpack[At]
    ) -> list[SearchResult]:
        """The goals, finished tasks, decisions and patterns that a task may need, most relevant first."""
        return found(
            self._core,
            viewpoint_of(self._bound, at),
            checked_text(task_description, "task_description"),
            checked_count(limit, "limit"),
            where=[of_kinds(kinds)],
        )

    def migrate_old_entries(self, cutoff: Moment | None = None, **at: Unpack[At]) -> Migrated:
        """Move goals finished and decisions made before `cutoff` (30 days ago) to long-term memory.

        Nothing is removed: goals stay readable with their tasks, tool calls are kept for audit.
        """
        viewpoint = viewpoint_of(self._bound, at)
        before: datetime = checked_moment(cutoff, "cutoff") or self._core.clock.now() - WORKING_LIFE
        goals: list[str] = []
        decisions: list[str] = []
        while (moved := ageing.migrate(self._core, viewpoint, before)).count:
            goals += moved.goals
            decisions += moved.decisions
        return Migrated(goals=tuple(goals), decisions=tuple(decisions))
