"""Arguments for every verb, of the kind that would show what a memory holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foveal import Memory
from foveal.engine.memory import View
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json

# It stands in everything that is stored, and in nothing that a caller sends.
SECRET = "zymurgy"
Arguments = dict[str, Any]
Known = dict[str, str]


def grown(ada: View, word: str = SECRET) -> Known:
    """Fill a memory with what a word stands in, and return the ids in it."""
    secret: dict[str, Any] = {"metadata": {"word": word}}
    told = ada.write(f"The word is {word}", tags=[word], speaker=word, **secret)
    tea = ada.write("Ada likes tea.", id="tea", tags=[word], session_id="s1", **secret)
    ada.links.add(told.id, tea.id)
    group = ada.groups.add("friends", [told.id, tea.id], description=word)
    ada.sessions.start(session_id="s2", **secret)
    goal = ada.ledger.store_goal("Renew it", goal_id="g1", status="in_progress", **secret)
    ada.ledger.store_goal("Renew that", goal_id="g2", status="pending", **secret)
    task = ada.ledger.store_task(goal.id, "Ask", task_id="t1", given=word)
    ada.ledger.store_tool_call(task.id, "curl", given=word, call_id="c1")
    ada.ledger.store_decision("Which?", "That.", reasoning=word, decision_id="d1")
    ada.ledger.store_pattern("Renew it", "call curl", created_from=word, pattern_id="p1")
    ada.ledger.store_agent_state("planner", {"word": word})
    ada.operational.push_event("deploy", data=word, critical=True, event_id="e1")
    ada.longterm.store_procedure("Reset", "Reset it", tags=[word], procedure_id="q1")
    ada.longterm.store_incident("It broke", resolution=word, incident_id="i1")
    ada.longterm.store_config_change("a.yaml", word, change_id="f1")
    ada.longterm.add_knowledge("Passwords", "They are long.", source=word, knowledge_id="k1")
    said = [{"role": "user", "content": f"We must keep [FOCUS:word] the word {word}."}]
    crystals = ada.crystals
    crystal = crystals.crystallize(said, working_memory={"word": word}).crystal_id
    branch = crystals.branch(crystal, word).crystal_id
    ada.forget(ada.write(f"Not the word {word}").id)
    fact = ada.remember(f"My password is {word}. From now on always say {word}.").facts[0]
    ada.engram("plan", {"word": word})
    ada.nodes.write_entry("plan", {"word": word}, scope="shared")
    ada.nodes.update_task(f"Find the {word}")
    ada.longterm.ingest_document("word.md", f"# The word\n\nIt is {word}.")
    ada.snapshots.take("before")
    return {
        **{"record": told.id, "tea": tea.id, "group": group.id, "crystal": crystal, "branch": branch},
        **{"move": ada.lifecycle.journal()[0].id, "fact": fact.id},
    }


def everything(memory: Memory, actor_id: str, folder: Path) -> list[Any]:
    """All that is stored of an actor, and the keys; but not the traces of reads: uses and the log of questions."""
    path = folder / "state.jsonl"
    view = memory.view(actor_id=actor_id)
    view.admin.export(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.unlink()
    for line in lines:
        vitals = line.get("record", {}).get("vitals", {})
        for name in ("uses", "used_at", "importance"):
            vitals.pop(name, None)
    moves, policies = view.lifecycle.journal(), view.admin.policies()
    rest = moves, view.tape.list(), policies, view.operational.get_recent(), memory.keys.keys()
    return [lines, to_json(rest)]


def calls(known: Known) -> dict[str, list[Arguments]]:
    """The arguments of each verb: of the kind that would show what is stored."""
    record, crystal = {"record_id": known["record"]}, {"crystal_id": known["crystal"]}
    say = [{"role": "user", "content": "Go on."}]
    window = Memory(":memory:").crystals.window(say, window_id="w", actor_id="ada")
    sent, at = {"window": to_json(window)}, {"query": "the word"}
    return {
        **{"write": [{"text": "Ada likes tea."}, {"text": "Ada likes tea.", "id": "tea"}, {"text": "New."}]},
        **{"write_many": [{"items": ["Ada likes tea.", {"text": "Newer."}, {"text": " ", "id": "tea"}]}]},
        **{name: [record] for name in ("get", "history", "children", "tree", "related", "forecast")},
        **{"get_many": [{"record_ids": [known["record"]]}], "page": [{}, {"limit": 1}], "outline": [{}]},
        **{"supersede": [{"record_id": "tea", "text": "Ada likes coffee."}]},
        **{"search": [at, {**at, "explain": True}], "read": [at, {**at, "policy": "recent"}], "recalls": [{}]},
        **{"timeline": [{}], "assemble_context": [{"task_description": "the word"}]},
        **{"longterm.ingest_document": [{"name": "tides.md", "content": "High water is at noon."}]},
        **{"remember": [{"messages": [{"role": "user", "content": "I live in Lisbon."}]}], "profile": [{}]},
        **{"facts": [{}, {"status": "any"}], "correct": [{"record_id": known["fact"], "verdict": "wrong"}]},
        **{"engram": [{"name": "plan", "state": {"step": 3}}], "manifest": [{"name": "plan"}]},
        **{name: [record] for name in ("pin", "unpin", "mute", "unmute", "reinforce")},
        **{name: [{"source_id": known["record"], "target_id": "tea"}] for name in ("link", "unlink")},
        **{"group": [{"name": "friends"}], "ungroup": [{"group_id": known["group"], "record_ids": ["tea"]}]},
        **{"groups": [{}], "members": [{"group_id": known["group"]}]},
        **{"create_session": [{}, {"session_id": "s2"}], "sessions": [{}]},
        **{name: [{"session": "s2"}] for name in ("get_session", "end_session")},
        **{name: [{}] for name in ("nodes", "regions", "addresses", "stats", "get_stats", "paths", "policies")},
        **{"write_entry": [{"entry_id": "plan", "content": {"day": 1}, "scope": "shared"}], "entries": [{}]},
        **{"read_entry": [{"entry_id": "plan"}], "node_task": [{}], "update_node_task": [{"task": "the next"}]},
        **{"finish_node": [{"node": "/child"}], "reconcile_node": [{"node": "/child"}], "reopen_node_task": [{}]},
        **{"widen": [{"dry_run": True}, {}], "errors": [{}], "report_error": [{"code": "timed_out"}]},
        **{"metabolise": [{"dry_run": True}, {}], "journal": [{}], "undo": [{"move_id": known["move"]}]},
        **{"summaries": [{}], "snapshot": [{"label": "now"}], "snapshots": [{}], "changes": [{"since": "before"}]},
        **{"restore": [{"snapshot": "before"}], "erase_actor": [{"actor_id": "nobody"}]},
        "erase_world": [{"world": "nowhere"}],
        **{"invoke": [{"path": path, **said} for path, said in path_arguments(known).items()]},
        **{name: [{}] for name in ("check", "actors", "vacuum", "reindex", "set_policies")},
        **{name: [{}] for name in ("tape.build", "tape.update", "tape.list", "tape.cells", "tape.families")},
        **{"tape.map": [{}], "tape.use": [{"number": 1}], "tape.drop": [{"number": 1}]},
        **{"tape.density": [{"ids": [known["record"]]}], "tape.inspect": [{"what": known["record"]}]},
        **{name: [{"text": "the word"}] for name in ("tape.glyphs", "tape.encode")},
        **{"tape.neighbours": [{"address": "default/agent:ada#0@d2t0"}], "tape.decode": [{"stream": "x"}]},
        **{"crystals.window": [{"messages": say, "window_id": "w"}], "crystals.add": [{**sent, "messages": say}]},
        **{"crystals.messages": [sent], "crystals.compress": [{**sent, "threshold": 0.0}]},
        **{"crystals.pulse": [sent]},
        "crystals.merge_windows": [{name: sent["window"] for name in ("parent", "child", "base")}],
        "crystals.crystallize": [{"context": say, "parent": known["crystal"]}],
        **{
            f"crystals.{name}": [crystal]
            for name in ("get", "lineage", "resume", "duplicate", "touch", "cherish", "uncherish", "compost")
        },
        **{"crystals.lineages": [{}], "crystals.reap": [{}]},
        "crystals.diff": [{"first": known["crystal"], "second": known["branch"]}],
        "crystals.branch": [{**crystal, "reason": "another"}],
        "crystals.merge": [{"crystal_id": known["branch"], "into": known["crystal"]}],
        **_ledger(),
    }


def _ledger() -> dict[str, list[Arguments]]:
    goal, task = {"goal_id": "g1"}, {"task_id": "t1"}
    return {
        "operational.push_event": [{"category": "deploy"}, {"category": "deploy", "event_id": "e1"}],
        **{f"operational.{name}": [{}] for name in ("get_recent", "get_events", "get_event_hours", "get_metrics")},
        "operational.update_metric": [{"key": "load", "value": 1}],
        **{f"operational.{name}": [{"key": "load"}] for name in ("get_metric", "get_metric_hours")},
        "operational.get_system_snapshot": [{}],
        "operational.get_active_tasks": [{}],
        "ledger.store_goal": [{"description": "Renew it", **goal}, {"description": "Mine", **goal}],
        "ledger.update_goal": [{**goal, "priority": 1}],
        **{f"ledger.{name}": [goal] for name in ("get_goal", "resume_goal", "get_tasks_for_goal")},
        **{f"ledger.get_{name}": [{}] for name in ("goals", "active_goals", "interrupted_goals")},
        "ledger.learn_from_goal": [goal],
        "ledger.store_task": [{**goal, **task, "description": "Ask"}],
        "ledger.update_task": [{**task, "status": "completed"}],
        "ledger.get_task": [task],
        "ledger.store_tool_call": [{**task, "tool_name": "curl", "call_id": "c1"}],
        **{f"ledger.get_{name}": [{}] for name in ("tool_calls", "decisions", "patterns", "agent_states")},
        "ledger.store_decision": [{"context": "Which?", "chosen": "That.", "decision_id": "d1"}],
        "ledger.update_decision": [{"decision_id": "d1", "outcome": "Good."}],
        "ledger.get_decision": [{"decision_id": "d1"}],
        "ledger.find_similar_decisions": [{"context": "Which?"}],
        "ledger.store_pattern": [{"trigger": "Renew it", "action": "call curl"}],
        "ledger.find_pattern": [{"trigger": "Renew it"}],
        "ledger.update_pattern_stats": [{"pattern_id": "p1", "success": True}],
        "ledger.prune_patterns": [{}],
        "ledger.store_agent_state": [{"agent_name": "planner", "state": 1}],
        "ledger.get_agent_state": [{"agent_name": "planner"}],
        "ledger.find_relevant": [{"task_description": "renew"}],
        "ledger.migrate_old_entries": [{}],
        "longterm.store_procedure": [{"name": "Reset", "description": "Reset it", "procedure_id": "q1"}],
        "longterm.store_incident": [{"description": "It broke", "incident_id": "i1"}],
        "longterm.store_config_change": [{"file_path": "a.yaml", "content": "x", "change_id": "f1"}],
        "longterm.get_config_history": [{"file_path": "a.yaml"}],
        "longterm.add_knowledge": [{"title": "Passwords", "content": "They are long.", "knowledge_id": "k1"}],
        "longterm.list_knowledge": [{}],
        **{f"longterm.{name}": [{"query": "long"}] for name in ("search_knowledge", "semantic_search")},
    }


def path_arguments(known: Known) -> dict[str, Arguments]:
    crystal = {"crystal_id": known["crystal"]}
    return {
        "self.memory.crystallize": {"context": [{"role": "user", "content": "Go on."}], "parent": known["crystal"]},
        **{f"self.memory.{name}": crystal for name in ("resume", "cherish", "compost")},
        "self.memory.recall": {"query": "the word"},
        "self.memory.forget": {"target": known["record"]},
        "self.memory.consolidate": {},
        "self.memory.engram": {"name": "plan", "state": {"step": 3}},
        "self.memory.manifest": {"name": "plan"},
        "void.entropy.pour": {},
    }


def all_calls(known: Known) -> list[tuple[str, Arguments]]:
    """Every call, in an order in which they all have something to show."""
    by_verb = calls(known)
    by_verb["forget"] = [{"target": known["record"]}, {"target": {"kind": "note"}}]
    by_verb["export"], by_verb["import_"] = [{}], [{}]
    named = [(verb, said) for verb in by_verb for said in by_verb[verb]]
    placed = [(verb, {"actor_id": "ada", **said} if call_of(verb).placed else said) for verb, said in named]
    return sorted(placed, key=lambda call: call[1].get("path") == "self.memory.forget")


def tool_calls(known: Known) -> list[tuple[str, Arguments]]:
    """Every tool of MCP, with arguments of that kind."""
    record = {"id": known["record"]}
    return [
        *(("memory_context", {"query": "the word"}), ("memory_search", {"query": "the word"})),
        *(("memory_timeline", {}), ("memory_get", record), ("memory_get", {**record, "history": True})),
        *(
            ("memory_add", {"text": "Ada likes tea."}),
            ("memory_update", {"id": "tea", "text": "Ada likes coffee."}),
        ),
        *(("memory_pin", record), ("memory_pin", {**record, "pinned": False})),
        *(("memory_invoke", {"path": path, "arguments": said}) for path, said in path_arguments(known).items()),
        *(
            ("memory_work", {"verb": verb, "arguments": said})
            for verb, said in {
                "semantic_search": {"query": "the word"},
                "get_active_goals": {},
                "get_decisions": {},
                "store_goal": {"description": "Ship it"},
                "update_goal_status": {"goal_id": "g1", "status": "completed"},
            }.items()
        ),
        ("memory_forget", {"ids": [known["record"]]}),
    ]
