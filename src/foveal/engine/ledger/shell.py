"""The three parts of the ledger for asynchronous callers."""

from __future__ import annotations

from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.ledger.working import Ledger
from foveal.engine.threaded import Shell, threaded


class AsyncOperational(Shell[Operational]):
    """`Operational` for asynchronous callers."""

    push_event = threaded(Operational.push_event)
    get_recent = threaded(Operational.get_recent)
    get_recent_events = threaded(Operational.get_recent_events)
    get_events = threaded(Operational.get_events)
    update_metric = threaded(Operational.update_metric)
    get_metric = threaded(Operational.get_metric)
    get_metrics = threaded(Operational.get_metrics)
    get_metric_hours = threaded(Operational.get_metric_hours)
    get_event_hours = threaded(Operational.get_event_hours)
    get_system_snapshot = threaded(Operational.get_system_snapshot)


class AsyncLedger(Shell[Ledger]):
    """`Ledger` for asynchronous callers."""

    store_goal = threaded(Ledger.store_goal)
    update_goal = threaded(Ledger.update_goal)
    get_goal = threaded(Ledger.get_goal)
    get_goals = threaded(Ledger.get_goals)
    get_active_goals = threaded(Ledger.get_active_goals)
    get_interrupted_goals = threaded(Ledger.get_interrupted_goals)
    resume_goal = threaded(Ledger.resume_goal)
    store_task = threaded(Ledger.store_task)
    update_task = threaded(Ledger.update_task)
    get_task = threaded(Ledger.get_task)
    get_tasks_for_goal = threaded(Ledger.get_tasks_for_goal)
    store_tool_call = threaded(Ledger.store_tool_call)
    get_tool_calls = threaded(Ledger.get_tool_calls)
    store_decision = threaded(Ledger.store_decision)
    log_decision = threaded(Ledger.log_decision)
    update_decision = threaded(Ledger.update_decision)
    get_decision = threaded(Ledger.get_decision)
    get_decisions = threaded(Ledger.get_decisions)
    find_similar_decisions = threaded(Ledger.find_similar_decisions)
    store_pattern = threaded(Ledger.store_pattern)
    find_pattern = threaded(Ledger.find_pattern)
    get_patterns = threaded(Ledger.get_patterns)
    update_pattern_stats = threaded(Ledger.update_pattern_stats)
    learn_from_goal = threaded(Ledger.learn_from_goal)
    prune_patterns = threaded(Ledger.prune_patterns)
    store_agent_state = threaded(Ledger.store_agent_state)
    get_agent_state = threaded(Ledger.get_agent_state)
    get_agent_states = threaded(Ledger.get_agent_states)
    find_relevant = threaded(Ledger.find_relevant)
    migrate_old_entries = threaded(Ledger.migrate_old_entries)


class AsyncLongTerm(Shell[LongTerm]):
    """`LongTerm` for asynchronous callers."""

    semantic_search = threaded(LongTerm.semantic_search)
    store_procedure = threaded(LongTerm.store_procedure)
    store_incident = threaded(LongTerm.store_incident)
    store_config_change = threaded(LongTerm.store_config_change)
    get_config_history = threaded(LongTerm.get_config_history)
    add_knowledge = threaded(LongTerm.add_knowledge)
    store_knowledge = threaded(LongTerm.store_knowledge)
    search_knowledge = threaded(LongTerm.search_knowledge)
    list_knowledge = threaded(LongTerm.list_knowledge)
    ingest = threaded(LongTerm.ingest)
