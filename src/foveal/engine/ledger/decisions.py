"""Decisions: who chose what, among which options, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import msgspec

from foveal.engine.facade.bound import Bound
from foveal.engine.facade.guarding import guarded
from foveal.engine.ledger.filing import filed, filed_id
from foveal.engine.ledger.finding import found, of_kinds
from foveal.errors import Conflict, NotFound
from foveal.model.ids import new_id
from foveal.model.ledger import Decision, Level
from foveal.model.query import At, Viewpoint
from foveal.rules.drafts import viewpoint_of
from foveal.rules.ledger import decision_text
from foveal.rules.validation import checked_count, checked_fraction, checked_id, checked_name, checked_text


@guarded
class Decisions(Bound):
    """The log of decisions. Each is also a record, found by meaning."""

    def store_decision(
        self,
        context: str,
        chosen: str,
        *,
        options: Sequence[str] = (),
        reasoning: str = "",
        agent: str = "",
        intelligence_level: Level | str = Level.OPERATIONAL,
        model_used: str = "",
        outcome: str | None = None,
        goal_id: str | None = None,
        decision_id: str | None = None,
        **at: Unpack[At],
    ) -> Decision:
        """Log a decision: in which context, what was chosen, among what, why, by whom and with which model."""
        viewpoint, now = viewpoint_of(self._bound, at), self._core.clock.now()
        decision = Decision(
            id=new_id(now) if decision_id is None else checked_id(decision_id),
            context=checked_text(context, "context"),
            chosen=checked_text(chosen, "chosen"),
            options=tuple(checked_text(one, "an option") for one in options),
            reasoning=reasoning and checked_text(reasoning, "reasoning"),
            agent=agent and checked_name(agent, "agent"),
            intelligence_level=Level.named(intelligence_level),
            model_used=model_used and checked_name(model_used, "model_used"),
            outcome=None if outcome is None else checked_text(outcome, "outcome"),
            goal_id=goal_id,
            timestamp=now,
        )
        fresh = decision_id is None
        known = [] if fresh else self._core.store.get_rows(viewpoint, Decision, [decision.id])
        if known:
            if (known[0].context, known[0].chosen) != (decision.context, decision.chosen):
                raise Conflict(f"the id {decision.id!r} is taken", row_id=decision.id)
            return known[0]
        decision = msgspec.structs.replace(
            decision, record_id=self._filed_decision(viewpoint, decision, fresh=fresh)
        )
        self._core.store.put_row(viewpoint, decision)
        return decision

    log_decision = store_decision

    def update_decision(self, decision_id: str, outcome: str, **at: Unpack[At]) -> Decision:
        """Say what came of a decision."""
        viewpoint = viewpoint_of(self._bound, at)
        said = checked_text(outcome, "outcome")
        known = self.get_decision(decision_id, **at)
        self._filed_decision(viewpoint, msgspec.structs.replace(known, outcome=said))
        return self._core.store.change_row(
            viewpoint, Decision, decision_id, lambda one: msgspec.structs.replace(one, outcome=said)
        )

    def get_decision(self, decision_id: str, **at: Unpack[At]) -> Decision:
        """A decision by its id."""
        rows = self._core.store.get_rows(viewpoint_of(self._bound, at), Decision, [decision_id])
        if not rows:
            raise NotFound(f"there is no decision {decision_id!r} here", row_id=decision_id)
        return rows[0]

    def get_decisions(self, *, goal_id: str | None = None, limit: int = 100, **at: Unpack[At]) -> list[Decision]:
        """Decisions, newest first, or those towards one goal."""
        wanted = None if goal_id is None else {"goal_id": goal_id}
        most = checked_count(limit, "limit")
        return self._core.store.list_rows(viewpoint_of(self._bound, at), Decision, wanted, newest=True, limit=most)

    def find_similar_decisions(
        self, context: str, limit: int = 5, *, min_relevance: float = 0.0, **at: Unpack[At]
    ) -> list[Decision]:
        """The decisions made in contexts like this one, nearest first."""
        viewpoint = viewpoint_of(self._bound, at)
        results = found(
            self._core,
            viewpoint,
            checked_text(context, "context"),
            checked_count(limit, "limit"),
            where=[of_kinds(["decision"])],
            least=checked_fraction(min_relevance, "min_relevance"),
        )
        keys = [str(one.metadata.get("decision_id", "")) for one in results]
        return self._core.store.get_rows(viewpoint, Decision, keys)

    def _filed_decision(self, viewpoint: Viewpoint, decision: Decision, *, fresh: bool = False) -> str:
        record_id = filed_id(viewpoint, "decision", decision.id)
        details: dict[str, Any] = {
            "decision_id": decision.id,
            "chosen": decision.chosen,
            "agent": decision.agent,
            "intelligence_level": decision.intelligence_level.value,
            "model_used": decision.model_used,
            "outcome": decision.outcome,
            "goal_id": decision.goal_id,
        }
        said = {name: value for name, value in details.items() if value}
        filed(
            self._core, viewpoint, record_id, decision_text(decision),
            {"kind": "decision", "source": "assistant", "metadata": said}, fresh=fresh,
        )  # fmt: skip
        return record_id
