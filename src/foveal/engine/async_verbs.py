"""The verbs of each facade as coroutines. `make api` writes these classes from the facades."""

from __future__ import annotations

from foveal.engine.crystals.crystals import Crystals
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.memory import Fork, Past, View
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


class AsyncPast(Shell[Past]):
    """The verbs of `Past` for asynchronous callers."""

    addresses = threaded(Past.addresses)
    get = threaded(Past.get)
    get_many = threaded(Past.get_many)
    history = threaded(Past.history)
    nodes = threaded(Past.nodes)
    outline = threaded(Past.outline)
    page = threaded(Past.page)
    read = threaded(Past.read)
    recalls = threaded(Past.recalls)
    regions = threaded(Past.regions)
    search = threaded(Past.search)
    stats = threaded(Past.stats)
    timeline = threaded(Past.timeline)


class AsyncFork(Shell[Fork]):
    """The verbs of `Fork` for asynchronous callers."""

    addresses = threaded(Fork.addresses)
    changes = threaded(Fork.changes)
    drop = threaded(Fork.drop)
    forget = threaded(Fork.forget)
    get = threaded(Fork.get)
    get_many = threaded(Fork.get_many)
    history = threaded(Fork.history)
    nodes = threaded(Fork.nodes)
    outline = threaded(Fork.outline)
    page = threaded(Fork.page)
    read = threaded(Fork.read)
    recalls = threaded(Fork.recalls)
    regions = threaded(Fork.regions)
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

    actors = threaded(View.actors)
    addresses = threaded(View.addresses)
    assemble_context = threaded(View.assemble_context)
    backup = threaded(View.backup)
    changes = threaded(View.changes)
    check = threaded(View.check)
    children = threaded(View.children)
    correct = threaded(View.correct)
    create_session = threaded(View.create_session)
    end_session = threaded(View.end_session)
    engram = threaded(View.engram)
    entries = threaded(View.entries)
    erase_actor = threaded(View.erase_actor)
    erase_world = threaded(View.erase_world)
    errors = threaded(View.errors)
    export = threaded(View.export)
    facts = threaded(View.facts)
    finish_node = threaded(View.finish_node)
    forecast = threaded(View.forecast)
    forget = threaded(View.forget)
    get = threaded(View.get)
    get_many = threaded(View.get_many)
    get_session = threaded(View.get_session)
    get_stats = threaded(View.get_stats)
    group = threaded(View.group)
    groups = threaded(View.groups)
    history = threaded(View.history)
    import_ = threaded(View.import_)
    invoke = threaded(View.invoke)
    journal = threaded(View.journal)
    link = threaded(View.link)
    manifest = threaded(View.manifest)
    members = threaded(View.members)
    metabolise = threaded(View.metabolise)
    mute = threaded(View.mute)
    node_task = threaded(View.node_task)
    nodes = threaded(View.nodes)
    outline = threaded(View.outline)
    page = threaded(View.page)
    paths = threaded(View.paths)
    pin = threaded(View.pin)
    policies = threaded(View.policies)
    profile = threaded(View.profile)
    read = threaded(View.read)
    read_entry = threaded(View.read_entry)
    recalls = threaded(View.recalls)
    reconcile_node = threaded(View.reconcile_node)
    regions = threaded(View.regions)
    reindex = threaded(View.reindex)
    reinforce = threaded(View.reinforce)
    related = threaded(View.related)
    remember = threaded(View.remember)
    reopen_node_task = threaded(View.reopen_node_task)
    report_error = threaded(View.report_error)
    restore = threaded(View.restore)
    search = threaded(View.search)
    sessions = threaded(View.sessions)
    set_policies = threaded(View.set_policies)
    snapshot = threaded(View.snapshot)
    snapshots = threaded(View.snapshots)
    stats = threaded(View.stats)
    summaries = threaded(View.summaries)
    supersede = threaded(View.supersede)
    timeline = threaded(View.timeline)
    tree = threaded(View.tree)
    undo = threaded(View.undo)
    ungroup = threaded(View.ungroup)
    unlink = threaded(View.unlink)
    unmute = threaded(View.unmute)
    unpin = threaded(View.unpin)
    update_node_task = threaded(View.update_node_task)
    vacuum = threaded(View.vacuum)
    widen = threaded(View.widen)
    write = threaded(View.write)
    write_entry = threaded(View.write_entry)
    write_many = threaded(View.write_many)


# [[[end]]] (sum: Yq/sHF09hl)
