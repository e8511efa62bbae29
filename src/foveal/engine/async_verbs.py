"""The verbs of each facade as coroutines. `make api` writes these classes from the facades."""

from __future__ import annotations

from foveal.engine.admin import Admin
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.entries import Nodes
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle.lifecycle import Lifecycle
from foveal.engine.memory import View
from foveal.engine.past import Fork, Past, Snapshots
from foveal.engine.records.relations import Groups, Links, Sessions
from foveal.engine.records.verbs import Browse
from foveal.engine.runtime.facade import Shell, threaded
from foveal.engine.tape.tape import TapeVerbs

# [[[cog from docs._async_verbs import lines; print(*lines(), sep="\n") ]]]


class AsyncOperational(Shell[Operational]):
    """The verbs of `Operational` for asynchronous callers."""

    get_active_tasks = threaded(Operational.get_active_tasks)
    get_event_hours = threaded(Operational.get_event_hours)
    get_events = threaded(Operational.get_events)
    get_metric = threaded(Operational.get_metric)
    get_metric_hours = threaded(Operational.get_metric_hours)
    get_metrics = threaded(Operational.get_metrics)
    get_recent = threaded(Operational.get_recent)
    get_recent_events = threaded(Operational.get_recent_events)
    get_system_snapshot = threaded(Operational.get_system_snapshot)
    push_event = threaded(Operational.push_event)
    update_metric = threaded(Operational.update_metric)


class AsyncLedger(Shell[Ledger]):
    """The verbs of `Ledger` for asynchronous callers."""

    find_pattern = threaded(Ledger.find_pattern)
    find_relevant = threaded(Ledger.find_relevant)
    find_similar_decisions = threaded(Ledger.find_similar_decisions)
    get_active_goals = threaded(Ledger.get_active_goals)
    get_agent_state = threaded(Ledger.get_agent_state)
    get_agent_states = threaded(Ledger.get_agent_states)
    get_decision = threaded(Ledger.get_decision)
    get_decisions = threaded(Ledger.get_decisions)
    get_goal = threaded(Ledger.get_goal)
    get_goals = threaded(Ledger.get_goals)
    get_interrupted_goals = threaded(Ledger.get_interrupted_goals)
    get_patterns = threaded(Ledger.get_patterns)
    get_task = threaded(Ledger.get_task)
    get_tasks_for_goal = threaded(Ledger.get_tasks_for_goal)
    get_tool_calls = threaded(Ledger.get_tool_calls)
    learn_from_goal = threaded(Ledger.learn_from_goal)
    log_decision = threaded(Ledger.log_decision)
    migrate_old_entries = threaded(Ledger.migrate_old_entries)
    prune_patterns = threaded(Ledger.prune_patterns)
    resume_goal = threaded(Ledger.resume_goal)
    store_agent_state = threaded(Ledger.store_agent_state)
    store_decision = threaded(Ledger.store_decision)
    store_goal = threaded(Ledger.store_goal)
    store_pattern = threaded(Ledger.store_pattern)
    store_task = threaded(Ledger.store_task)
    store_tool_call = threaded(Ledger.store_tool_call)
    update_decision = threaded(Ledger.update_decision)
    update_goal = threaded(Ledger.update_goal)
    update_pattern_stats = threaded(Ledger.update_pattern_stats)
    update_task = threaded(Ledger.update_task)
    vacuum = threaded(Ledger.vacuum)


class AsyncLongTerm(Shell[LongTerm]):
    """The verbs of `LongTerm` for asynchronous callers."""

    add_knowledge = threaded(LongTerm.add_knowledge)
    get_config_history = threaded(LongTerm.get_config_history)
    ingest = threaded(LongTerm.ingest)
    ingest_document = threaded(LongTerm.ingest_document)
    list_knowledge = threaded(LongTerm.list_knowledge)
    search_knowledge = threaded(LongTerm.search_knowledge)
    semantic_search = threaded(LongTerm.semantic_search)
    store_config_change = threaded(LongTerm.store_config_change)
    store_incident = threaded(LongTerm.store_incident)
    store_knowledge = threaded(LongTerm.store_knowledge)
    store_procedure = threaded(LongTerm.store_procedure)


class AsyncCrystals(Shell[Crystals]):
    """The verbs of `Crystals` for asynchronous callers."""

    add = threaded(Crystals.add)
    branch = threaded(Crystals.branch)
    cherish = threaded(Crystals.cherish)
    compost = threaded(Crystals.compost)
    compress = threaded(Crystals.compress)
    crystallize = threaded(Crystals.crystallize)
    diff = threaded(Crystals.diff)
    duplicate = threaded(Crystals.duplicate)
    get = threaded(Crystals.get)
    lineage = threaded(Crystals.lineage)
    lineages = threaded(Crystals.lineages)
    merge = threaded(Crystals.merge)
    merge_windows = threaded(Crystals.merge_windows)
    messages = threaded(Crystals.messages)
    pulse = threaded(Crystals.pulse)
    reap = threaded(Crystals.reap)
    resume = threaded(Crystals.resume)
    touch = threaded(Crystals.touch)
    uncherish = threaded(Crystals.uncherish)
    window = threaded(Crystals.window)


class AsyncBrowse(Shell[Browse]):
    """The verbs of `Browse` for asynchronous callers."""

    addresses = threaded(Browse.addresses)
    outline = threaded(Browse.outline)
    page = threaded(Browse.page)
    recalls = threaded(Browse.recalls)
    regions = threaded(Browse.regions)


class AsyncLinks(Shell[Links]):
    """The verbs of `Links` for asynchronous callers."""

    add = threaded(Links.add)
    children = threaded(Links.children)
    related = threaded(Links.related)
    remove = threaded(Links.remove)
    tree = threaded(Links.tree)


class AsyncGroups(Shell[Groups]):
    """The verbs of `Groups` for asynchronous callers."""

    add = threaded(Groups.add)
    list = threaded(Groups.list)
    members = threaded(Groups.members)
    remove = threaded(Groups.remove)


class AsyncSessions(Shell[Sessions]):
    """The verbs of `Sessions` for asynchronous callers."""

    end = threaded(Sessions.end)
    get = threaded(Sessions.get)
    list = threaded(Sessions.list)
    start = threaded(Sessions.start)


class AsyncSnapshotVerbs(Shell[Snapshots]):
    """The verbs of `Snapshots` for asynchronous callers."""

    changes = threaded(Snapshots.changes)
    list = threaded(Snapshots.list)
    restore = threaded(Snapshots.restore)
    take = threaded(Snapshots.take)


class AsyncLifecycle(Shell[Lifecycle]):
    """The verbs of `Lifecycle` for asynchronous callers."""

    forecast = threaded(Lifecycle.forecast)
    journal = threaded(Lifecycle.journal)
    reinforce = threaded(Lifecycle.reinforce)
    run = threaded(Lifecycle.run)
    summaries = threaded(Lifecycle.summaries)
    undo = threaded(Lifecycle.undo)
    widen = threaded(Lifecycle.widen)


class AsyncNodes(Shell[Nodes]):
    """The verbs of `Nodes` for asynchronous callers."""

    entries = threaded(Nodes.entries)
    finish = threaded(Nodes.finish)
    list = threaded(Nodes.list)
    read_entry = threaded(Nodes.read_entry)
    reconcile = threaded(Nodes.reconcile)
    reopen_task = threaded(Nodes.reopen_task)
    task = threaded(Nodes.task)
    update_task = threaded(Nodes.update_task)
    write_entry = threaded(Nodes.write_entry)


class AsyncAdmin(Shell[Admin]):
    """The verbs of `Admin` for asynchronous callers."""

    actors = threaded(Admin.actors)
    backup = threaded(Admin.backup)
    check = threaded(Admin.check)
    erase_actor = threaded(Admin.erase_actor)
    erase_world = threaded(Admin.erase_world)
    errors = threaded(Admin.errors)
    export = threaded(Admin.export)
    import_ = threaded(Admin.import_)
    paths = threaded(Admin.paths)
    policies = threaded(Admin.policies)
    reindex = threaded(Admin.reindex)
    report_error = threaded(Admin.report_error)
    set_policies = threaded(Admin.set_policies)
    vacuum = threaded(Admin.vacuum)


class AsyncPastVerbs(Shell[Past]):
    """The verbs of `Past` for asynchronous callers."""

    get = threaded(Past.get)
    get_many = threaded(Past.get_many)
    history = threaded(Past.history)
    read = threaded(Past.read)
    search = threaded(Past.search)
    stats = threaded(Past.stats)
    timeline = threaded(Past.timeline)


class AsyncForkVerbs(Shell[Fork]):
    """The verbs of `Fork` for asynchronous callers."""

    changes = threaded(Fork.changes)
    drop = threaded(Fork.drop)
    forget = threaded(Fork.forget)
    get = threaded(Fork.get)
    get_many = threaded(Fork.get_many)
    history = threaded(Fork.history)
    read = threaded(Fork.read)
    search = threaded(Fork.search)
    stats = threaded(Fork.stats)
    supersede = threaded(Fork.supersede)
    timeline = threaded(Fork.timeline)
    write = threaded(Fork.write)
    write_many = threaded(Fork.write_many)


class AsyncTape(Shell[TapeVerbs]):
    """The verbs of `TapeVerbs` for asynchronous callers."""

    build = threaded(TapeVerbs.build)
    cells = threaded(TapeVerbs.cells)
    decode = threaded(TapeVerbs.decode)
    density = threaded(TapeVerbs.density)
    drop = threaded(TapeVerbs.drop)
    encode = threaded(TapeVerbs.encode)
    families = threaded(TapeVerbs.families)
    glyphs = threaded(TapeVerbs.glyphs)
    inspect = threaded(TapeVerbs.inspect)
    list = threaded(TapeVerbs.list)
    map = threaded(TapeVerbs.map)
    neighbours = threaded(TapeVerbs.neighbours)
    update = threaded(TapeVerbs.update)
    use = threaded(TapeVerbs.use)


class AsyncViewVerbs(Shell[View]):
    """The verbs of `View` for asynchronous callers."""

    assemble_context = threaded(View.assemble_context)
    correct = threaded(View.correct)
    engram = threaded(View.engram)
    facts = threaded(View.facts)
    forget = threaded(View.forget)
    get = threaded(View.get)
    get_many = threaded(View.get_many)
    get_stats = threaded(View.get_stats)
    history = threaded(View.history)
    invoke = threaded(View.invoke)
    manifest = threaded(View.manifest)
    mute = threaded(View.mute)
    pin = threaded(View.pin)
    profile = threaded(View.profile)
    read = threaded(View.read)
    remember = threaded(View.remember)
    search = threaded(View.search)
    stats = threaded(View.stats)
    supersede = threaded(View.supersede)
    timeline = threaded(View.timeline)
    unmute = threaded(View.unmute)
    unpin = threaded(View.unpin)
    write = threaded(View.write)
    write_many = threaded(View.write_many)


# [[[end]]] (sum: V7qEDweWSA)
