"""The ledger verbs for decisions and patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import msgspec

from foveal.engine.ledger.records import found, of_kinds, put_record, record_id_of
from foveal.engine.ledger.rows import Rows, author_of, place_of, require_author, scope_in, scope_of_row
from foveal.engine.runtime.facade import Facade, Moment, checks_arguments, takes
from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.ids import new_id
from foveal.model.ledger import Decision, Goal, Level, Pattern, Status, Task, ToolCall
from foveal.model.query import At, Viewpoint
from foveal.model.record import Scope
from foveal.rules.drafts import viewpoint_of
from foveal.rules.ledger import MOST, action_of, decision_text, differs, rate_after, same_trigger, words_meet
from foveal.rules.validation import (
    checked_count,
    checked_fraction,
    checked_id,
    checked_moment,
    checked_name,
    checked_text,
)
from foveal.rules.visibility import oversees


@checks_arguments
class Decisions(Facade):
    """The log of decisions. Each decision is also a record, so that searches find it."""

    @takes(Decision, "context", "chosen", id="decision_id", archived_at=None, record_id=None, node=None)
    def store_decision(
        self,
        context: str | Decision,
        chosen: str = "",
        *,
        options: Sequence[str] = (),
        reasoning: str = "",
        agent: str = "",
        intelligence_level: Level | str = Level.OPERATIONAL,
        model_used: str = "",
        outcome: str | None = None,
        goal_id: str | None = None,
        decision_id: str | None = None,
        scope: Scope | str | None = None,
        timestamp: Moment | None = None,
        **at: Unpack[At],
    ) -> Decision:
        """Log a decision: its context, what was chosen from which options, why, by whom and with which model.

        Instead of all this, it takes a `Decision`. All nodes of the actor see it; with `scope="local"`, this
        node alone. A decision for a goal has the scope of the goal.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        rows, place = Rows(self._runtime, viewpoint), place_of(viewpoint, scope_of_row(scope))
        if goal_id is not None and (place := rows.place(Goal, goal_id)) and scope not in (None, scope_in(place)):
            raise Invalid(f"the goal {goal_id!r} is {scope_in(place)}, and so is a decision for it")
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
            timestamp=checked_moment(timestamp, "timestamp") or now,
            node=viewpoint.node,
        )
        fresh = decision_id is None
        known = [] if fresh else rows.get(Decision, [decision.id])
        if known:
            if (known[0].context, known[0].chosen) != (decision.context, decision.chosen):
                raise Conflict(f"the id {decision.id!r} is taken", row_id=decision.id)
            return known[0]
        decision = msgspec.structs.replace(decision, record_id=self._filed_decision(place, decision, fresh=fresh))
        rows.put(decision, place)
        return decision

    log_decision = store_decision

    def update_decision(self, decision_id: str, outcome: str, **at: Unpack[At]) -> Decision:
        """Set the outcome of a decision. Only the node that logged it and those above may; else `Forbidden`."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at))
        text = checked_text(outcome, "outcome")
        known = self.get_decision(decision_id, **at)
        require_author(known, viewpoint_of(self._bound, at))
        self._filed_decision(rows.place(Decision, decision_id), msgspec.structs.replace(known, outcome=text))
        return rows.change(Decision, decision_id, lambda row: msgspec.structs.replace(row, outcome=text))

    def get_decision(self, decision_id: str, **at: Unpack[At]) -> Decision:
        """A decision by its id."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at)).get(Decision, [decision_id])
        if not rows:
            raise NotFound(f"there is no decision {decision_id!r} here", row_id=decision_id)
        return rows[0]

    def get_decisions(self, *, goal_id: str | None = None, limit: int = 100, **at: Unpack[At]) -> list[Decision]:
        """All decisions, or those made for one goal, newest first."""
        wanted = None if goal_id is None else {"goal_id": goal_id}
        most = checked_count(limit, "limit")
        rows = Rows(self._runtime, viewpoint_of(self._bound, at))
        return rows.listed(Decision, wanted, newest=True, limit=most)

    def find_similar_decisions(
        self, context: str, limit: int = 5, *, min_relevance: float = 0.0, **at: Unpack[At]
    ) -> list[Decision]:
        """The decisions made in similar contexts, most relevant first."""
        viewpoint = viewpoint_of(self._bound, at)
        hits = found(
            self._runtime,
            viewpoint,
            checked_text(context, "context"),
            checked_count(limit, "limit"),
            where=[of_kinds(["decision"])],
            least=checked_fraction(min_relevance, "min_relevance"),
        )
        keys = [str(hit.record.metadata.get("decision_id", "")) for hit in hits]
        return Rows(self._runtime, viewpoint).get(Decision, keys)

    def _filed_decision(self, place: Viewpoint, decision: Decision, *, fresh: bool = False) -> str:
        record_id = record_id_of(place, "decision", decision.id)
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
            self._runtime, author_of(decision, place), record_id, decision_text(decision),
            {"kind": "decision", "source": "assistant", "metadata": metadata, "scope": scope_in(place)},
            fresh=fresh,
        )  # fmt: skip
        return record_id


# The relevance from which a trigger is taken to match by meaning, and how many triggers are compared.
MEANT, LOOKED_AT = 0.18, 20


@checks_arguments
class Patterns(Facade):
    """Patterns learned from goals: a trigger, an action, and how often it succeeded. All nodes share them."""

    @takes(Pattern, "trigger", "action", id="pattern_id", record_id=None, node=None)
    def store_pattern(
        self,
        trigger: str | Pattern,
        action: str = "",
        *,
        success_rate: float = 0.0,
        uses: int = 0,
        created_from: str | None = None,
        pattern_id: str | None = None,
        scope: Scope | str | None = None,
        created_at: Moment | None = None,
        last_used: Moment | None = None,
        **at: Unpack[At],
    ) -> Pattern:
        """Store a pattern, or a whole `Pattern`.

        If one with the same trigger and action exists already, that one is returned. With `scope="local"`, only
        this node uses it.
        """
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()
        place = place_of(viewpoint, scope_of_row(scope))
        pattern = Pattern(
            id=new_id(now) if pattern_id is None else checked_id(pattern_id),
            trigger=checked_text(trigger, "trigger"),
            action=checked_text(action, "action"),
            success_rate=checked_fraction(success_rate, "success_rate"),
            uses=checked_count(uses, "uses", 0),
            created_at=checked_moment(created_at, "created_at") or now,
            last_used=checked_moment(last_used, "last_used"),
            created_from=None if created_from is None else checked_name(created_from, "created_from"),
            node=viewpoint.node,
        )
        for known in self._near(viewpoint, pattern):
            if known.action == pattern.action and same_trigger(known.trigger, pattern.trigger):
                return known
        record_id = record_id_of(place, "pattern", pattern.id)
        details: dict[str, Any] = {"pattern_id": pattern.id, "action": pattern.action}
        put_record(
            self._runtime, viewpoint, record_id, pattern.trigger,
            {"kind": "pattern", "source": "assistant", "metadata": details, "scope": scope_in(place)},
        )  # fmt: skip
        pattern = msgspec.structs.replace(pattern, record_id=record_id)
        Rows(self._runtime, viewpoint).put(pattern, place)
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
        rows = Rows(self._runtime, viewpoint)
        same = rows.listed(Pattern, {"trigger": asked})
        if known := [row for row in same if row.success_rate >= least]:
            return max(known, key=lambda row: (row.success_rate, row.uses))
        hits = found(self._runtime, viewpoint, asked, LOOKED_AT, where=[of_kinds(["pattern"])])
        near = {str(hit.record.metadata.get("pattern_id", "")): hit for hit in hits}
        fitting = [
            row
            for row in rows.get(Pattern, list(near))
            if row.success_rate >= least
            and not differs(row.trigger, asked)
            and (words_meet(row.trigger, asked) or near[row.id].relevance >= min_relevance)
        ]
        return max(fitting, key=lambda row: (row.success_rate, row.uses, near[row.id].relevance), default=None)

    def get_patterns(self, limit: int = 100, **at: Unpack[At]) -> list[Pattern]:
        """The patterns, sorted by success rate, then by uses."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at))
        return rows.best_patterns(checked_count(limit, "limit"))

    def update_pattern_stats(self, pattern_id: str, success: bool, **at: Unpack[At]) -> Pattern:
        """Record whether a pattern succeeded this time."""
        viewpoint, now = viewpoint_of(self._bound, at), self._runtime.clock.now()

        def counted(pattern: Pattern) -> Pattern:
            rate = rate_after(pattern.success_rate, pattern.uses, success=bool(success))
            return msgspec.structs.replace(pattern, success_rate=rate, uses=pattern.uses + 1, last_used=now)

        return Rows(self._runtime, viewpoint).change(Pattern, pattern_id, counted)

    def learn_from_goal(self, goal_id: str, **at: Unpack[At]) -> Pattern | None:
        """Store the pattern of a completed goal: the tools that worked, in order.

        None if one of its tasks was not completed, if it used no tool, or if the same pattern was learned before
        and forgotten.
        """
        viewpoint = viewpoint_of(self._bound, at)
        rows = Rows(self._runtime, viewpoint)
        goals = rows.get(Goal, [goal_id])
        if not goals:
            raise NotFound(f"there is no goal {goal_id!r} here", row_id=goal_id)
        if goals[0].status is not Status.COMPLETED:
            raise Invalid(f"nothing is learned from the goal {goal_id!r}: it is {goals[0].status}")
        tasks = rows.listed(Task, {"goal_id": goal_id})
        calls = [call for task in tasks for call in rows.listed(ToolCall, {"task_id": task.id})]
        tools = [call.tool_name for call in calls if call.success]
        if not tools or any(task.status is not Status.COMPLETED for task in tasks):
            return None
        place = rows.place(Goal, goal_id)
        try:
            pattern = self.store_pattern(
                goals[0].description,
                action_of(tools),
                success_rate=1.0,
                uses=1,
                created_from=goal_id,
                pattern_id=record_id_of(place, "learned", goal_id),
                scope=scope_in(place),
                **at,
            )
        except Conflict:
            return None
        if pattern.created_from == goal_id:
            return pattern
        return self.update_pattern_stats(pattern.id, True, **at)

    def prune_patterns(self, keep: int = MOST, **at: Unpack[At]) -> int:
        """Remove the least successful and least used patterns beyond `keep`. Returns how many were removed.

        Patterns of nodes beside this one and above it stay.
        """
        viewpoint = viewpoint_of(self._bound, at)
        rows = Rows(self._runtime, viewpoint)
        over = rows.count(Pattern) - checked_count(keep, "keep", 0)
        if over <= 0:
            return 0
        worst = [row for row in rows.best_patterns(None, worst=True) if oversees(viewpoint.node, row.node)][:over]
        ids = [pattern.record_id for pattern in worst if pattern.record_id is not None]
        now = self._runtime.clock.now()
        self._runtime.writes.revise(
            self._runtime.access(viewpoint),
            ids,
            lambda record: msgspec.structs.replace(record.vitals, forgotten_at=now),
        )
        return rows.remove(Pattern, [pattern.id for pattern in worst])

    def _near(self, viewpoint: Viewpoint, pattern: Pattern) -> list[Pattern]:
        """The patterns that may equal this one."""
        hits = found(self._runtime, viewpoint, pattern.trigger, LOOKED_AT, where=[of_kinds(["pattern"])])
        near = [str(hit.record.metadata.get("pattern_id", "")) for hit in hits]
        rows = Rows(self._runtime, viewpoint)
        return [
            *rows.listed(Pattern, {"trigger": pattern.trigger}),
            *rows.get(Pattern, [pattern.id, *near]),
        ]
