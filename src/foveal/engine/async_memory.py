"""The same verbs as coroutines, each run in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, Unpack, cast

from foveal.engine.crystals.crystals import Crystals
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.memory import Fork, Past, View
from foveal.engine.tape.tape import TapeVerbs
from foveal.model.crystal import Snapshot
from foveal.model.query import At
from foveal.model.results import Reindexed
from foveal.ports.system import VectorIndex

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", covariant=True)


class Shell(Generic[S]):
    """A facade for asynchronous callers, around the one it forwards to.

    Instead of that facade it takes a function that makes it, which the first verb calls in its thread.
    """

    def __init__(self, sync: S | None = None, *, make: Callable[[], S] | None = None) -> None:
        self._make: Callable[[], S] = make or (lambda: cast(S, sync))

    @property
    def sync(self) -> S:
        """The facade that does the work. While the memory is being opened, this waits for it."""
        return self._make()


def threaded(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[Shell[S], P], Coroutine[Any, Any, R]]:
    """The verb as a coroutine function with the same parameters, which runs it in a thread."""

    @wraps(verb)
    async def call(self: Shell[S], *args: P.args, **kwargs: P.kwargs) -> R:
        # By name, so that a facade may forward the verb elsewhere; in the thread, where it may wait for the memory
        return await asyncio.to_thread(lambda: getattr(self.sync, verb.__name__)(*args, **kwargs))

    return call


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


class AsyncCrystals(Shell[Crystals]):
    """`Crystals` for asynchronous callers."""

    window = threaded(Crystals.window)
    add = threaded(Crystals.add)
    messages = threaded(Crystals.messages)
    compress = threaded(Crystals.compress)
    pulse = threaded(Crystals.pulse)
    merge_windows = threaded(Crystals.merge_windows)
    crystallize = threaded(Crystals.crystallize)
    resume = threaded(Crystals.resume)
    get = threaded(Crystals.get)
    lineages = threaded(Crystals.lineages)
    lineage = threaded(Crystals.lineage)
    duplicate = threaded(Crystals.duplicate)
    branch = threaded(Crystals.branch)
    merge = threaded(Crystals.merge)
    diff = threaded(Crystals.diff)
    touch = threaded(Crystals.touch)
    cherish = threaded(Crystals.cherish)
    uncherish = threaded(Crystals.uncherish)
    compost = threaded(Crystals.compost)
    reap = threaded(Crystals.reap)


class AsyncPast(Shell[Past]):
    """`Past` for asynchronous callers."""

    search = threaded(Past.search)
    read = threaded(Past.read)
    get = threaded(Past.get)
    get_many = threaded(Past.get_many)
    history = threaded(Past.history)
    timeline = threaded(Past.timeline)
    page = threaded(Past.page)
    recalls = threaded(Past.recalls)
    outline = threaded(Past.outline)
    nodes = threaded(Past.nodes)
    regions = threaded(Past.regions)
    addresses = threaded(Past.addresses)
    stats = threaded(Past.stats)


class AsyncFork(Shell[Fork]):
    """`Fork` for asynchronous callers."""

    write = threaded(Fork.write)
    write_many = threaded(Fork.write_many)
    supersede = threaded(Fork.supersede)
    forget = threaded(Fork.forget)
    search = threaded(Fork.search)
    read = threaded(Fork.read)
    get = threaded(Fork.get)
    get_many = threaded(Fork.get_many)
    history = threaded(Fork.history)
    timeline = threaded(Fork.timeline)
    page = threaded(Fork.page)
    recalls = threaded(Fork.recalls)
    outline = threaded(Fork.outline)
    nodes = threaded(Fork.nodes)
    regions = threaded(Fork.regions)
    addresses = threaded(Fork.addresses)
    stats = threaded(Fork.stats)
    changes = threaded(Fork.changes)
    drop = threaded(Fork.drop)


class AsyncTaping(Shell[TapeVerbs]):
    """`Taping` for asynchronous callers."""

    build = threaded(TapeVerbs.build)
    update = threaded(TapeVerbs.update)
    list = threaded(TapeVerbs.list)
    use = threaded(TapeVerbs.use)
    drop = threaded(TapeVerbs.drop)
    density = threaded(TapeVerbs.density)
    cells = threaded(TapeVerbs.cells)
    families = threaded(TapeVerbs.families)
    glyphs = threaded(TapeVerbs.glyphs)
    neighbours = threaded(TapeVerbs.neighbours)
    inspect = threaded(TapeVerbs.inspect)
    encode = threaded(TapeVerbs.encode)
    decode = threaded(TapeVerbs.decode)
    map = threaded(TapeVerbs.map)


class AsyncView(Shell[View]):
    """`View` for asynchronous callers."""

    def view(self, **at: Unpack[At]) -> AsyncView:
        """The same memory with a viewpoint bound. A bad viewpoint is refused by the first verb."""
        return AsyncView(make=lambda: self.sync.view(**at))

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Search this vector index from now on, or none."""
        return self.sync.set_vector_store

    @property
    def set_embedding_provider(self) -> Callable[[Any], Awaitable[Reindexed]]:
        """Change the encoder and encode all records again."""

        async def change(provider: Any) -> Reindexed:
            return await asyncio.to_thread(lambda: self.sync.set_embedding_provider(provider))

        return change

    @property
    def crystals(self) -> AsyncCrystals:
        """Windows and crystals, from the same viewpoint."""
        return AsyncCrystals(make=lambda: self.sync.crystals)

    async def at(self, snapshot: Snapshot | str, **at: Unpack[At]) -> AsyncPast:
        """The memory as it was at a snapshot, named by its id or label."""
        return AsyncPast(await asyncio.to_thread(lambda: self.sync.at(snapshot, **at)))

    async def fork(self, snapshot: Snapshot | str, name: str = "fork", **at: Unpack[At]) -> AsyncFork:
        """A memory that continues from a snapshot without changing this one."""
        return AsyncFork(await asyncio.to_thread(lambda: self.sync.fork(snapshot, name, **at)))

    @property
    def operational(self) -> AsyncOperational:
        """What happens now: events, metrics, the state of the machine."""
        return AsyncOperational(make=lambda: self.sync.operational)

    @property
    def ledger(self) -> AsyncLedger:
        """What agents do: goals, tasks, tool calls, decisions, patterns, states."""
        return AsyncLedger(make=lambda: self.sync.ledger)

    @property
    def longterm(self) -> AsyncLongTerm:
        """What lasts: procedures, incidents, configuration changes, knowledge."""
        return AsyncLongTerm(make=lambda: self.sync.longterm)

    assemble_context = threaded(View.assemble_context)

    @property
    def tape(self) -> AsyncTaping:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return AsyncTaping(make=lambda: self.sync.tape)

    write = threaded(View.write)
    write_many = threaded(View.write_many)
    supersede = threaded(View.supersede)
    forget = threaded(View.forget)
    search = threaded(View.search)
    read = threaded(View.read)
    recalls = threaded(View.recalls)
    get = threaded(View.get)
    get_many = threaded(View.get_many)
    history = threaded(View.history)
    timeline = threaded(View.timeline)
    page = threaded(View.page)
    children = threaded(View.children)
    tree = threaded(View.tree)
    create_session = threaded(View.create_session)
    end_session = threaded(View.end_session)
    get_session = threaded(View.get_session)
    sessions = threaded(View.sessions)
    pin = threaded(View.pin)
    unpin = threaded(View.unpin)
    mute = threaded(View.mute)
    unmute = threaded(View.unmute)
    reinforce = threaded(View.reinforce)
    link = threaded(View.link)
    unlink = threaded(View.unlink)
    related = threaded(View.related)
    group = threaded(View.group)
    ungroup = threaded(View.ungroup)
    groups = threaded(View.groups)
    members = threaded(View.members)
    outline = threaded(View.outline)
    nodes = threaded(View.nodes)
    regions = threaded(View.regions)
    addresses = threaded(View.addresses)
    stats = threaded(View.stats)
    metabolise = threaded(View.metabolise)
    forecast = threaded(View.forecast)
    journal = threaded(View.journal)
    undo = threaded(View.undo)
    summaries = threaded(View.summaries)
    get_stats = threaded(View.get_stats)
    invoke = threaded(View.invoke)
    paths = threaded(View.paths)
    snapshot = threaded(View.snapshot)
    snapshots = threaded(View.snapshots)
    changes = threaded(View.changes)
    restore = threaded(View.restore)
    export = threaded(View.export)
    import_ = threaded(View.import_)
    backup = threaded(View.backup)
    reindex = threaded(View.reindex)
    vacuum = threaded(View.vacuum)
    policies = threaded(View.policies)
    set_policies = threaded(View.set_policies)
    actors = threaded(View.actors)
    check = threaded(View.check)
