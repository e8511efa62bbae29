"""The ledger verbs for decisions and patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import msgspec

from foveal.engine.ledger.records import found, of_kinds, put_record, record_id_of
from foveal.engine.runtime.facade import Facade, checks_arguments
from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.ids import new_id
from foveal.model.ledger import Decision, Goal, Level, Pattern, Status, Task, ToolCall
from foveal.model.query import At, Viewpoint
from foveal.rules.drafts import viewpoint_of
from foveal.rules.ledger import MOST, action_of, decision_text, differs, rate_after, same_trigger, words_meet
from foveal.rules.validation import checked_count, checked_fraction, checked_id, checked_name, checked_text


@checks_arguments
class Decisions(Facade):
    """The log of decisions. Each decision is also a record, so that searches find it."""

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
        """Log a decision: its context, what was chosen from which options, why, by whom and with which model."""
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        decision = Decision(
            id=new_id(now) if decision_id is None else checked_id(decision_id),
            context=checked_text(context, "context"),
            chosen=checked_text(chosen, "chosen"),
            options=tuple(checked_text(option, "an option") for option in options),
            reasoning=reasoning and checked_text(reasoning, "reasoning"),
            agent=agent and checked_name(agent, "agent"),
            intelligence_level=Level.named(intelligence_level),
            model_used=model_used and checked_name(model_used, "model_used"),
            outcome=None if outcome is None else checked_text(outcome, "outcome"),
            goal_id=goal_id,
            timestamp=now,
        )
        fresh = decision_id is None
        known = [] if fresh else self._runtime.store.ledger.get_rows(viewpoint, Decision, [decision.id])
        if known:
            if (known[0].context, known[0].chosen) != (decision.context, decision.chosen):
                raise Conflict(f"the id {decision.id!r} is taken", row_id=decision.id)
            return known[0]
        decision = msgspec.structs.replace(
            decision, record_id=self._filed_decision(viewpoint, decision, fresh=fresh)
        )
        self._runtime.writes.put_row(viewpoint, decision)
        return decision

    log_decision = store_decision

    def update_decision(self, decision_id: str, outcome: str, **at: Unpack[At]) -> Decision:
        """Set the outcome of a decision."""
        viewpoint = viewpoint_of(self._bound, at)
        text = checked_text(outcome, "outcome")
        known = self.get_decision(decision_id, **at)
        self._filed_decision(viewpoint, msgspec.structs.replace(known, outcome=text))
        return self._runtime.writes.change_row(
            viewpoint, Decision, decision_id, lambda row: msgspec.structs.replace(row, outcome=text)
        )

    def get_decision(self, decision_id: str, **at: Unpack[At]) -> Decision:
        """A decision by its id."""
        rows = self._runtime.store.ledger.get_rows(viewpoint_of(self._bound, at), Decision, [decision_id])
        if not rows:
            raise NotFound(f"there is no decision {decision_id!r} here", row_id=decision_id)
        return rows[0]

    def get_decisions(self, *, goal_id: str | None = None, limit: int = 100, **at: Unpack[At]) -> list[Decision]:
        """All decisions, or those made for one goal, newest first."""
        wanted = None if goal_id is None else {"goal_id": goal_id}
        most = checked_count(limit, "limit")
        return self._runtime.store.ledger.list_rows(
            viewpoint_of(self._bound, at), Decision, wanted, newest=True, limit=most
        )

    def find_similar_decisions(
        self, context: str, limit: int = 5, *, min_relevance: float = 0.0, **at: Unpack[At]
    ) -> list[Decision]:
        """The decisions made in similar contexts, most relevant first."""
        viewpoint = viewpoint_of(self._bound, at)
        results = found(
            self._runtime,
            viewpoint,
            checked_text(context, "context"),
            checked_count(limit, "limit"),
            where=[of_kinds(["decision"])],
            least=checked_fraction(min_relevance, "min_relevance"),
        )
        keys = [str(result.metadata.get("decision_id", "")) for result in results]
        return self._runtime.store.ledger.get_rows(viewpoint, Decision, keys)

    def _filed_decision(self, viewpoint: Viewpoint, decision: Decision, *, fresh: bool = False) -> str:
        record_id = record_id_of(viewpoint, "decision", decision.id)
        details: dict[str, Any] = {
            "decision_id": decision.id,
            "chosen": decision.chosen,
            "agent": decision.agent,
            "intelligence_level": decision.intelligence_level.value,
            "model_used": decision.model_used,
            "outcome": decision.outcome,
            "goal_id": decision.goal_id,
        }
        metadata = {name: value for name, value in details.items() if value}
        put_record(
            self._runtime, viewpoint, record_id, decision_text(decision),
            {"kind": "decision", "source": "assistant", "metadata": metadata}, fresh=fresh,
        )  # fmt: skip
        return record_id


# The relevance from which a trigger is taken to match by meaning, and how many triggers are compared.
MEANT, LOOKED_AT = 0.18, 20


@checks_arguments
class Patterns(Facade):
    """Patterns learned from goals: a trigger, an action, and how often it succeeded."""

    def store_pattern(
        self,
        trigger: str,
        action: str,
        *,
        success_rate: float = 0.0,
        uses: int = 0,
        created_from: str | None = None,
        pattern_id: str | None = None,
        **at: Unpack[At],
    ) -> Pattern:
        """Store a pattern. If one with the same trigger and action exists already, that one is returned."""
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        pattern = Pattern(
            id=new_id(now) if pattern_id is None else checked_id(pattern_id),
            trigger=checked_text(trigger, "trigger"),
            action=checked_text(action, "action"),
            success_rate=checked_fraction(success_rate, "success_rate"),
            uses=checked_count(uses, "uses", 0),
            created_at=now,
            created_from=None if created_from is None else checked_name(created_from, "created_from"),
        )
        for known in self._near(viewpoint, pattern):
            if known.action == pattern.action and same_trigger(known.trigger, pattern.trigger):
                return known
        record_id = record_id_of(viewpoint, "pattern", pattern.id)
        details: dict[str, Any] = {"pattern_id": pattern.id, "action": pattern.action}
        put_record(
            self._runtime, viewpoint, record_id, pattern.trigger,
            {"kind": "pattern", "source": "assistant", "metadata": details},
        )  # fmt: skip
        pattern = msgspec.structs.replace(pattern, record_id=record_id)
        self._runtime.writes.put_row(viewpoint, pattern)
        return pattern

    def find_pattern(
        self,
        trigger: str,
        min_success_rate: float = 0.0,
        *,
        min_relevance: float = MEANT,
        **at: Unpack[At],
    ) -> Pattern | None:
        """The pattern whose trigger matches by words or meaning; of several, the most successful.

        A pattern with other numbers or names, or with the opposite meaning, does not match.
        """
        viewpoint, asked = viewpoint_of(self._bound, at), checked_text(trigger, "trigger")
        least = checked_fraction(min_success_rate, "min_success_rate")
        same = self._runtime.store.ledger.list_rows(viewpoint, Pattern, {"trigger": asked})
        if known := [row for row in same if row.success_rate >= least]:
            return max(known, key=lambda row: (row.success_rate, row.uses))
        results = found(self._runtime, viewpoint, asked, LOOKED_AT, where=[of_kinds(["pattern"])])
        near = {str(result.metadata.get("pattern_id", "")): result for result in results}
        rows = self._runtime.store.ledger.get_rows(viewpoint, Pattern, list(near))
        fitting = [
            row
            for row in rows
            if row.success_rate >= least
            and not differs(row.trigger, asked)
            and (words_meet(row.trigger, asked) or near[row.id].relevance >= min_relevance)
        ]
        return max(fitting, key=lambda row: (row.success_rate, row.uses, near[row.id].relevance), default=None)

    def get_patterns(self, limit: int = 100, **at: Unpack[At]) -> list[Pattern]:
        """The patterns, sorted by success rate, then by uses."""
        return self._runtime.store.ledger.best_patterns(
            viewpoint_of(self._bound, at), checked_count(limit, "limit")
        )

    def update_pattern_stats(self, pattern_id: str, success: bool, **at: Unpack[At]) -> Pattern:
        """Record whether a pattern succeeded this time."""
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()

        def counted(pattern: Pattern) -> Pattern:
            rate = rate_after(pattern.success_rate, pattern.uses, success=bool(success))
            return msgspec.structs.replace(pattern, success_rate=rate, uses=pattern.uses + 1, last_used=now)

        return self._runtime.writes.change_row(viewpoint, Pattern, pattern_id, counted)

    def learn_from_goal(self, goal_id: str, **at: Unpack[At]) -> Pattern | None:
        """Store the pattern of a completed goal: the tools that worked, in order.

        None if it used no tool, or if the same pattern was learned before and forgotten.
        """
        viewpoint = viewpoint_of(self._bound, at)
        goals = self._runtime.store.ledger.get_rows(viewpoint, Goal, [goal_id])
        if not goals:
            raise NotFound(f"there is no goal {goal_id!r} here", row_id=goal_id)
        if goals[0].status is not Status.COMPLETED:
            raise Invalid(f"nothing is learned from the goal {goal_id!r}: it is {goals[0].status}")
        tools = self._tools(viewpoint, goal_id)
        if not tools:
            return None
        try:
            pattern = self.store_pattern(
                goals[0].description,
                action_of(tools),
                success_rate=1.0,
                uses=1,
                created_from=goal_id,
                pattern_id=record_id_of(viewpoint, "learned", goal_id),
                **at,
            )
        except Conflict:
            return None
        if pattern.created_from == goal_id:
            return pattern
        return self.update_pattern_stats(pattern.id, True, **at)

    def prune_patterns(self, keep: int = MOST, **at: Unpack[At]) -> int:
        """Remove the least successful and least used patterns beyond `keep`. Returns how many were removed."""
        viewpoint = viewpoint_of(self._bound, at)
        over = self._runtime.store.ledger.count_rows(viewpoint, Pattern) - checked_count(keep, "keep", 0)
        if over <= 0:
            return 0
        worst = self._runtime.store.ledger.best_patterns(viewpoint, over, worst=True)
        ids = [pattern.record_id for pattern in worst if pattern.record_id is not None]
        now = self._runtime.clock.now()
        self._runtime.writes.revise(
            self._runtime.access(viewpoint),
            ids,
            lambda record: msgspec.structs.replace(record.vitals, forgotten_at=now),
        )
        return self._runtime.writes.remove_rows(viewpoint, Pattern, [pattern.id for pattern in worst])

    def _near(self, viewpoint: Viewpoint, pattern: Pattern) -> list[Pattern]:
        """The patterns that may equal this one."""
        results = found(self._runtime, viewpoint, pattern.trigger, LOOKED_AT, where=[of_kinds(["pattern"])])
        near = [str(result.metadata.get("pattern_id", "")) for result in results]
        return [
            *self._runtime.store.ledger.list_rows(viewpoint, Pattern, {"trigger": pattern.trigger}),
            *self._runtime.store.ledger.get_rows(viewpoint, Pattern, [pattern.id, *near]),
        ]

    def _tools(self, viewpoint: Viewpoint, goal_id: str) -> list[str]:
        store = self._runtime.store
        calls = [
            call
            for task in store.ledger.list_rows(viewpoint, Task, {"goal_id": goal_id})
            for call in store.ledger.list_rows(viewpoint, ToolCall, {"task_id": task.id})
        ]
        return [call.tool_name for call in calls if call.success]
