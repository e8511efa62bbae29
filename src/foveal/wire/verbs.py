"""The verbs of a memory, and the name of each at every door."""

from __future__ import annotations

from datetime import timedelta

import msgspec
from msgspec import Struct

from foveal.model.server import Right

__all__ = ["ALIASES", "LONG", "SLOW", "VERBS", "Right", "Verb"]


class Verb(Struct, frozen=True, kw_only=True):
    """A verb: its name, and where it is at each door, or None where it is not available.

    `name` is what keys, logs and metrics call it. `method` is the method in Python, with its group before the dot;
    most often it is the name. `http` is a method and a path, `rpc` a gRPC
    procedure, `tool` an MCP tool, `command` a command of the command line. A caller needs all of `rights`; for
    `invoke`, which has none of its own, those of the verbs that its path calls.
    """

    name: str
    method: str
    http: str | None
    rpc: str | None
    tool: str | None
    command: str | None
    rights: tuple[Right, ...]

    @property
    def safe(self) -> bool:
        """Whether the verb leaves the content of the memory unchanged, so that it can be repeated safely."""
        return self.rights == (Right.READ,)


def _verb(
    name: str,
    http: str | None,
    rights: tuple[Right, ...] = (Right.READ,),
    *,
    rpc: str | None = "",
    tool: str | None = None,
    command: str | None = None,
    method: str | None = None,
) -> Verb:
    by_rule = "".join(word.capitalize() for word in name.rpartition(".")[2].strip("_").split("_"))
    rpc = by_rule if rpc == "" else rpc
    return Verb(name=name, method=method or name, http=http, rpc=rpc, tool=tool, command=command, rights=rights)


# A verb that only writes answers with ids, counts and what the caller sent. One that answers with what was stored
# before shows it, and needs the right to read as well.
_WRITE, _BOTH, _ADMIN = (Right.WRITE,), (Right.READ, Right.WRITE), (Right.ADMIN,)

RECORDS = (
    _verb("write", "POST /v1/records", _WRITE, tool="memory_add", command="write"),
    _verb("write_many", "POST /v1/records:batch", _WRITE, command="import"),
    _verb("remember", "POST /v1/remember", _BOTH, command="remember"),
    _verb("profile", "GET /v1/profile", command="profile"),
    _verb("facts", "GET /v1/facts", rpc="ListFacts", command="facts"),
    _verb("correct", "POST /v1/facts/{record_id}/correct", _BOTH, rpc="CorrectFact", command="correct"),
    _verb("get", "GET /v1/records/{record_id}", tool="memory_get", command="get"),
    _verb("get_many", "POST /v1/records:get"),
    _verb("page", "GET /v1/records", tool="memory_timeline", command="ls", method="browse.page"),
    _verb("supersede", "PUT /v1/records/{record_id}", _BOTH, tool="memory_update", command="supersede"),
    _verb("forget", "POST /v1/records:forget", _WRITE, tool="memory_forget", command="forget"),
    _verb("history", "GET /v1/records/{record_id}/history", tool="memory_get", command="history"),
    _verb("search", "POST /v1/search", tool="memory_search", command="search"),
    _verb("read", "POST /v1/read", tool="memory_context", command="read"),
    _verb("recalls", "GET /v1/recalls", command="recalls", method="browse.recalls"),
    _verb("timeline", "POST /v1/timeline", tool="memory_timeline", command="ls"),
    _verb("engram", "PUT /v1/engrams/{name}", _WRITE, rpc="KeepEngram", command="engram"),
    _verb("manifest", "GET /v1/engrams/{name}", rpc="GetEngram", command="manifest"),
    _verb("assemble_context", "POST /v1/context", command="assemble"),
    _verb("pin", "POST /v1/records/{record_id}/pin", _BOTH, tool="memory_pin", command="pin"),
    _verb("unpin", "POST /v1/records/{record_id}/unpin", _BOTH, tool="memory_pin", command="unpin"),
    _verb("mute", "POST /v1/records/{record_id}/mute", _BOTH, command="mute"),
    _verb("unmute", "POST /v1/records/{record_id}/unmute", _BOTH, command="unmute"),
    _verb(
        "reinforce",
        "POST /v1/records/{record_id}/reinforce",
        _BOTH,
        command="reinforce",
        method="lifecycle.reinforce",
    ),
    _verb("children", "GET /v1/records/{record_id}/children", command="children", method="links.children"),
    _verb("tree", "GET /v1/records/{record_id}/tree", command="tree", method="links.tree"),
    _verb("related", "GET /v1/records/{record_id}/related", command="related", method="links.related"),
    _verb("link", "POST /v1/links", _WRITE, command="link", method="links.add"),
    _verb("unlink", "POST /v1/links:remove", _WRITE, command="unlink", method="links.remove"),
    _verb("group", "POST /v1/groups", _BOTH, method="groups.add"),
    _verb("ungroup", "POST /v1/groups/{group_id}/remove", _WRITE, method="groups.remove"),
    _verb("groups", "GET /v1/groups", rpc="ListGroups", method="groups.list"),
    _verb("members", "GET /v1/groups/{group_id}/members", rpc="ListMembers", method="groups.members"),
    _verb("create_session", "POST /v1/sessions", _WRITE, command="session start", method="sessions.start"),
    _verb("end_session", "POST /v1/sessions/{session}/end", _BOTH, command="session end", method="sessions.end"),
    _verb("get_session", "GET /v1/sessions/{session}", method="sessions.get"),
    _verb("sessions", "GET /v1/sessions", rpc="ListSessions", command="session ls", method="sessions.list"),
)
WHOLE = (
    _verb("outline", "GET /v1/outline", rpc="GetOutline", method="browse.outline"),
    _verb("nodes", "GET /v1/nodes", rpc="ListNodes", command="nodes", method="nodes.list"),
    _verb("regions", "GET /v1/regions", rpc="ListRegions", command="regions", method="browse.regions"),
    _verb("addresses", "GET /v1/addresses", rpc="ListAddresses", command="addresses", method="browse.addresses"),
    _verb("stats", "GET /v1/stats", command="stats"),
    _verb("get_stats", "GET /v1/stats/tiers"),
    _verb("metabolise", "POST /v1/metabolism", _WRITE, command="metabolism", method="lifecycle.run"),
    _verb("widen", "POST /v1/records:widen", _WRITE, command="widen", method="lifecycle.widen"),
    _verb("forecast", "GET /v1/records/{record_id}/forecast", command="forecast", method="lifecycle.forecast"),
    _verb("journal", "GET /v1/journal", command="journal", method="lifecycle.journal"),
    _verb("undo", "POST /v1/journal/{move_id}/undo", _WRITE, command="undo", method="lifecycle.undo"),
    _verb("summaries", "GET /v1/summaries", rpc="ListSummaries", command="summaries", method="lifecycle.summaries"),
    _verb("snapshot", "POST /v1/snapshots", _WRITE, command="snapshot", method="snapshots.take"),
    _verb("snapshots", "GET /v1/snapshots", rpc="ListSnapshots", command="snapshots", method="snapshots.list"),
    _verb("changes", "GET /v1/changes", command="changes", method="snapshots.changes"),
    _verb(
        "restore", "POST /v1/snapshots/{snapshot}/restore", _WRITE, command="restore", method="snapshots.restore"
    ),
    _verb("invoke", "POST /v1/invoke/{path}", (), tool="memory_invoke", command="invoke"),
    _verb("paths", "GET /v1/paths", rpc="ListPaths", method="admin.paths"),
    _verb("read_entry", "POST /v1/entries:read", method="nodes.read_entry"),
    _verb("write_entry", "POST /v1/entries", _BOTH, method="nodes.write_entry"),
    _verb("entries", "GET /v1/entries", rpc="ListEntries", method="nodes.entries"),
    _verb("finish_node", "POST /v1/node:finish", _BOTH, method="nodes.finish"),
    _verb("reconcile_node", "POST /v1/node:reconcile", _BOTH, method="nodes.reconcile"),
    _verb("node_task", "GET /v1/node/task", method="nodes.task"),
    _verb("update_node_task", "POST /v1/node/task", _BOTH, method="nodes.update_task"),
    _verb("reopen_node_task", "POST /v1/node/task:reopen", _BOTH, method="nodes.reopen_task"),
    _verb("errors", "GET /v1/errors", rpc="ListErrors", method="admin.errors"),
    _verb("report_error", "POST /v1/errors", _WRITE, method="admin.report_error"),
    _verb("check", "GET /v1/check", _ADMIN, command="doctor", method="admin.check"),
    _verb("actors", "GET /v1/actors", _ADMIN, rpc="ListActors", command="actors", method="admin.actors"),
    _verb("erase_actor", "POST /v1/actors:erase", _ADMIN, command="erase", method="admin.erase_actor"),
    _verb("erase_world", "POST /v1/worlds:erase", _ADMIN, command="erase", method="admin.erase_world"),
    _verb("policies", "GET /v1/policies", rpc="ListPolicies", command="policy ls", method="admin.policies"),
    _verb("set_policies", "PATCH /v1/policies", _ADMIN, command="policy set", method="admin.set_policies"),
    _verb("vacuum", "POST /v1/vacuum", _ADMIN, command="vacuum", method="admin.vacuum"),
    _verb("reindex", "POST /v1/reindex", _ADMIN, command="reindex", method="admin.reindex"),
    # These work on files of the local machine; over HTTP the files are sent as bodies.
    _verb("export", "GET /v1/export", rpc=None, command="export", method="admin.export"),
    _verb("import_", "POST /v1/import", _WRITE, rpc=None, command="import", method="admin.import_"),
    _verb("backup", None, _ADMIN, rpc=None, command="backup", method="admin.backup"),
    # These return a facade, not an answer: at a door, each call names the viewpoint or the moment itself.
    _verb("view", None, rpc=None),
    _verb("at", None, rpc=None, method="snapshots.at"),
    _verb("fork", None, _BOTH, rpc=None, method="snapshots.fork"),
)
TAPE = (
    _verb("tape.build", "POST /v1/tapes", _WRITE, rpc="BuildTape", command="tape build"),
    _verb("tape.update", "POST /v1/tapes:update", _WRITE, rpc="UpdateTape", command="tape update"),
    _verb("tape.list", "GET /v1/tapes", rpc="ListTapes", command="tape list"),
    _verb("tape.use", "POST /v1/tapes/{number}/use", _WRITE, rpc="UseTape", command="tape use"),
    _verb("tape.drop", "POST /v1/tapes/{number}/drop", _WRITE, rpc="DropTape", command="tape drop"),
    _verb("tape.density", "POST /v1/glyphs:density", rpc="GetDensity", command="glyph density"),
    _verb("tape.cells", "GET /v1/cells", rpc="ListCells", command="tape cells"),
    _verb("tape.families", "GET /v1/families", rpc="ListFamilies", command="glyph ls"),
    _verb("tape.glyphs", "POST /v1/glyphs", rpc="ListGlyphs", command="glyph find"),
    _verb("tape.neighbours", "GET /v1/neighbours", rpc="ListNeighbours", command="glyph near"),
    _verb("tape.inspect", "GET /v1/inspect", rpc="Inspect", command="glyph inspect"),
    _verb("tape.encode", "POST /v1/glyphs:encode", rpc="EncodeGlyphs", command="glyph encode"),
    _verb("tape.decode", "POST /v1/glyphs:decode", rpc="DecodeGlyphs", command="glyph decode"),
    _verb("tape.map", "GET /v1/map", rpc="GetMap", command="plot map"),
)
CRYSTALS = (
    _verb("crystals.window", "POST /v1/windows", rpc="OpenWindow"),
    _verb("crystals.add", "POST /v1/windows:add", rpc="AddToWindow"),
    _verb("crystals.messages", "POST /v1/windows:messages", rpc="ListWindowMessages"),
    _verb("crystals.compress", "POST /v1/windows:compress", _WRITE, rpc="CompressWindow"),
    _verb("crystals.pulse", "POST /v1/windows:pulse", rpc="GetPulse"),
    _verb("crystals.merge_windows", "POST /v1/windows:merge", rpc="MergeWindows"),
    _verb("crystals.crystallize", "POST /v1/crystals", _BOTH, rpc="Crystallize", command="crystal crystallize"),
    _verb("crystals.get", "GET /v1/crystals/{crystal_id}", rpc="GetCrystal", command="crystal show"),
    _verb("crystals.lineages", "GET /v1/crystals", rpc="ListCrystals", command="crystal ls"),
    _verb("crystals.lineage", "GET /v1/crystals/{crystal_id}/lineage", rpc="GetLineage", command="crystal tree"),
    _verb("crystals.diff", "GET /v1/crystals:diff", rpc="DiffCrystals", command="crystal diff"),
    _verb(
        "crystals.resume", "POST /v1/crystals/{crystal_id}/resume", _BOTH, rpc="Resume", command="crystal resume"
    ),
    _verb("crystals.duplicate", "POST /v1/crystals/{crystal_id}/duplicate", _BOTH, rpc="DuplicateCrystal"),
    _verb(
        "crystals.branch",
        "POST /v1/crystals/{crystal_id}/branch",
        _BOTH,
        rpc="BranchCrystal",
        command="crystal branch",
    ),
    _verb(
        "crystals.merge", "POST /v1/crystals/{crystal_id}/merge", _BOTH, rpc="MergeCrystal", command="crystal merge"
    ),
    _verb("crystals.touch", "POST /v1/crystals/{crystal_id}/touch", _BOTH, rpc="TouchCrystal"),
    _verb(
        "crystals.cherish",
        "POST /v1/crystals/{crystal_id}/cherish",
        _BOTH,
        rpc="Cherish",
        command="crystal cherish",
    ),
    _verb("crystals.uncherish", "POST /v1/crystals/{crystal_id}/uncherish", _BOTH, rpc="Uncherish"),
    _verb(
        "crystals.compost",
        "POST /v1/crystals/{crystal_id}/compost",
        _WRITE,
        rpc="Compost",
        command="crystal compost",
    ),
    _verb("crystals.reap", "POST /v1/crystals:reap", _WRITE, rpc="Reap", command="crystal reap"),
)
OPERATIONAL = (
    _verb("operational.push_event", "POST /v1/events", _WRITE),
    _verb("operational.get_recent", "GET /v1/events/recent", rpc="GetRecentEvents", command="events"),
    _verb("operational.get_events", "GET /v1/events"),
    _verb("operational.get_event_hours", "GET /v1/events/hours"),
    _verb("operational.update_metric", "PUT /v1/metrics/{key}", _WRITE),
    _verb("operational.get_metric", "GET /v1/metrics/{key}"),
    _verb("operational.get_metrics", "GET /v1/metrics", command="ledger metrics"),
    _verb("operational.get_metric_hours", "GET /v1/metrics/{key}/hours"),
    _verb("operational.get_system_snapshot", "GET /v1/system"),
    _verb("operational.get_active_tasks", "GET /v1/tasks/active", rpc="ListActiveTasks"),
)
LEDGER = (
    _verb("ledger.store_goal", "POST /v1/goals", _BOTH, command="goal add"),
    _verb("ledger.update_goal", "PATCH /v1/goals/{goal_id}", _BOTH, command="goal close"),
    _verb("ledger.get_goal", "GET /v1/goals/{goal_id}", command="goal show"),
    _verb("ledger.get_goals", "GET /v1/goals", command="goal ls"),
    _verb("ledger.get_active_goals", "GET /v1/goals/active"),
    _verb("ledger.get_interrupted_goals", "GET /v1/goals/interrupted", command="goal ls"),
    _verb("ledger.resume_goal", "POST /v1/goals/{goal_id}/resume", _BOTH),
    _verb("ledger.learn_from_goal", "POST /v1/goals/{goal_id}/learn", _BOTH),
    _verb("ledger.get_tasks_for_goal", "GET /v1/goals/{goal_id}/tasks"),
    _verb("ledger.store_task", "POST /v1/tasks", _BOTH),
    _verb("ledger.update_task", "PATCH /v1/tasks/{task_id}", _BOTH),
    _verb("ledger.get_task", "GET /v1/tasks/{task_id}"),
    _verb("ledger.store_tool_call", "POST /v1/tool_calls", _BOTH),
    _verb("ledger.get_tool_calls", "GET /v1/tool_calls", command="ledger calls"),
    _verb("ledger.store_decision", "POST /v1/decisions", _BOTH),
    _verb("ledger.update_decision", "PATCH /v1/decisions/{decision_id}", _BOTH),
    _verb("ledger.get_decision", "GET /v1/decisions/{decision_id}"),
    _verb("ledger.get_decisions", "GET /v1/decisions", command="ledger decisions"),
    _verb("ledger.find_similar_decisions", "POST /v1/decisions:find"),
    _verb("ledger.store_pattern", "POST /v1/patterns", _BOTH),
    _verb("ledger.find_pattern", "POST /v1/patterns:find"),
    _verb("ledger.update_pattern_stats", "POST /v1/patterns/{pattern_id}/used", _BOTH),
    _verb("ledger.get_patterns", "GET /v1/patterns", command="ledger patterns"),
    _verb("ledger.prune_patterns", "POST /v1/patterns:prune", _WRITE),
    _verb("ledger.store_agent_state", "PUT /v1/agents/{agent_name}", _WRITE),
    _verb("ledger.get_agent_state", "GET /v1/agents/{agent_name}"),
    _verb("ledger.get_agent_states", "GET /v1/agents"),
    _verb("ledger.find_relevant", "POST /v1/ledger:find"),
    _verb("ledger.migrate_old_entries", "POST /v1/ledger:migrate", _WRITE),
)
LONGTERM = (
    _verb("longterm.store_procedure", "POST /v1/procedures", _BOTH),
    _verb("longterm.store_incident", "POST /v1/incidents", _BOTH),
    _verb("longterm.store_config_change", "POST /v1/config_changes", _BOTH),
    _verb("longterm.get_config_history", "GET /v1/config_changes"),
    _verb("longterm.add_knowledge", "POST /v1/knowledge", _BOTH),
    _verb("longterm.list_knowledge", "GET /v1/knowledge", command="knowledge ls"),
    _verb("longterm.search_knowledge", "POST /v1/knowledge:search", command="knowledge search"),
    _verb("longterm.semantic_search", "POST /v1/longterm:search"),
    _verb("longterm.ingest", None, _WRITE, rpc=None, command="knowledge add"),
    _verb("longterm.ingest_document", "POST /v1/documents", _WRITE, command="knowledge add"),
)
# What agents work with, which one tool for models offers by the short names of the verbs.
WORK = "memory_work"
_NOT_WORK = ("ledger.prune_patterns", "ledger.migrate_old_entries")
_WORKED = tuple(
    msgspec.structs.replace(verb, tool=WORK) if verb.http is not None and verb.name not in _NOT_WORK else verb
    for verb in (*OPERATIONAL, *LEDGER, *LONGTERM)
)
VERBS = {verb.name: verb for verb in (*RECORDS, *WHOLE, *TAPE, *CRYSTALS, *_WORKED)}
# Verbs that work through a whole store, and how long a remote caller waits for them.
SLOW = frozenset({"reindex", "tape.build", "tape.update", "metabolise", "check", "import_", "export"})
LONG = timedelta(minutes=30)
# Other names of the same methods, which have no entries of their own at the doors.
ALIASES = {
    "operational.get_recent_events": "operational.get_recent",
    "ledger.log_decision": "ledger.store_decision",
    "ledger.vacuum": "vacuum",
    "longterm.store_knowledge": "longterm.add_knowledge",
}
