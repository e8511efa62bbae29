"""Three tiers of memory: the methods of the ring and the ledger, long-term memory, and context assembly."""

import asyncio
import inspect
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.seeds.snippets import require_call, require_order, run

import foveal
from foveal import (
    AgentState,
    AsyncMemory,
    ConfigChange,
    Decision,
    Event,
    Goal,
    Incident,
    Knowledge,
    KnowledgeBase,
    LongTermMemory,
    Memory,
    OperationalMemory,
    Pattern,
    Procedure,
    SearchResult,
    TaskRecord,
    ToolCall,
    WorkingMemory,
)
from foveal.doors.client.memory import RemoteLedger
from foveal.engine.memory import View
from foveal.errors import Invalid
from foveal.model.ledger import Status
from foveal.rules.budget import TIERS
from foveal.wire.calls import call_of
from foveal.wire.verbs import VERBS

# The methods in Rust: the parameters of each, by the names they have here.
OPERATIONAL = {
    "push_event": ("category",),
    "update_metric": ("key", "value"),
    "get_recent": ("count", "category"),
    "get_system_snapshot": (),
}
WORKING = {
    "store_goal": ("description",),
    "update_goal": ("goal_id", "status"),
    "get_active_goals": (),
    "store_task": ("goal_id", "description"),
    "get_tasks_for_goal": ("goal_id",),
    "log_decision": ("context", "chosen"),
    "find_similar_decisions": ("context",),
    "store_pattern": ("trigger", "action"),
    "find_pattern": ("trigger",),
    "update_pattern_stats": ("pattern_id", "success"),
    "migrate_old_entries": ("cutoff",),
    "vacuum": (),
    "find_relevant": ("task_description",),
}

LONG_TERM = '''
class LongTermMemory:
    def __init__(self, db_path: str, chroma_path: str):
        self.db_path = db_path
        self.chroma = chromadb.PersistentClient(path=chroma_path)

        # Create ChromaDB collections
        self.decisions_collection = self.chroma.get_or_create_collection("decisions")
        self.incidents_collection = self.chroma.get_or_create_collection("incidents")
        self.procedures_collection = self.chroma.get_or_create_collection("procedures")
        self.knowledge_collection = self.chroma.get_or_create_collection("knowledge")

    async def semantic_search(
        self,
        query: str,
        collections: list[str] | None = None,
        n_results: int = 5,
    ) -> list[SearchResult]:
        """Search across all memory using semantic similarity."""
        results = []
        target_collections = collections or ["decisions", "incidents", "procedures"]

        for coll_name in target_collections:
            coll = getattr(self, f"{coll_name}_collection")
            hits = coll.query(query_texts=[query], n_results=n_results)
            for doc, meta, dist in zip(hits["documents"][0], hits["metadatas"][0], hits["distances"][0]):
                results.append(SearchResult(
                    content=doc,
                    metadata=meta,
                    relevance=1.0 - dist,  # Convert distance to similarity
                    collection=coll_name,
                ))

        # Sort by relevance across all collections
        results.sort(key=lambda r: r.relevance, reverse=True)
        return results[:n_results]

    async def store_procedure(self, procedure: Procedure):
        """Store a learned procedure (both structured and vector)."""
        # SQLite: structured data
        async with aiosqlite.connect(self.db_path) as db:
            await db.execute(
                "INSERT INTO procedures (id, name, description, steps, ...) VALUES (?, ?, ?, ?, ...)",
                (procedure.id, procedure.name, procedure.description, json.dumps(procedure.steps))
            )
            await db.commit()

        # ChromaDB: vector embedding for semantic search
        self.procedures_collection.add(
            documents=[f"{procedure.name}: {procedure.description}"],
            metadatas=[{"id": procedure.id, "name": procedure.name}],
            ids=[procedure.id],
        )

    async def store_incident(self, incident: Incident):
        """Store an incident report."""
        # Similar dual storage pattern...
'''

ASSEMBLY = '''
async def assemble_context(
    task_description: str,
    max_tokens: int = 4000,
    tiers: list[str] = ["operational", "working", "longterm", "knowledge"],
) -> AssembledContext:
    """Gather relevant context for a task from all memory tiers."""
    chunks = []
    remaining_tokens = max_tokens

    # 1. Operational: current system state (always include, ~500 tokens)
    if "operational" in tiers:
        system_state = await operational_memory.get_system_snapshot()
        chunks.append(ContextChunk(
            source="operational",
            content=format_system_state(system_state),
            relevance=1.0,
        ))
        remaining_tokens -= estimate_tokens(chunks[-1].content)

    # 2. Working: recent relevant tasks and decisions
    if "working" in tiers:
        recent = await working_memory.find_relevant(task_description, limit=5)
        for item in recent:
            chunk = ContextChunk(source="working", content=item.summary, relevance=item.relevance)
            tokens = estimate_tokens(chunk.content)
            if tokens <= remaining_tokens:
                chunks.append(chunk)
                remaining_tokens -= tokens

    # 3. Long-term: historical patterns and similar situations
    if "longterm" in tiers:
        historical = await longterm_memory.semantic_search(task_description, n_results=3)
        for result in historical:
            chunk = ContextChunk(source="longterm", content=result.content, relevance=result.relevance)
            tokens = estimate_tokens(chunk.content)
            if tokens <= remaining_tokens:
                chunks.append(chunk)
                remaining_tokens -= tokens

    # 4. Knowledge base: reference documentation
    if "knowledge" in tiers:
        docs = await knowledge_base.search(task_description, n_results=2)
        for doc in docs:
            chunk = ContextChunk(source="knowledge", content=doc.content, relevance=doc.relevance)
            tokens = estimate_tokens(chunk.content)
            if tokens <= remaining_tokens:
                chunks.append(chunk)
                remaining_tokens -= tokens

    return AssembledContext(
        chunks=chunks,
        total_tokens=max_tokens - remaining_tokens,
    )
'''
# `WorkingMemory::init(path)` creates the tables of a file: opening a memory does.
BEGINNING = {"init": Memory}
TASK = "Renew the certificate of the shop"
_OURS = ("AssembledContext", "ContextChunk", "SearchResult", "estimate_tokens", "format_system_state")
NAMES = {name: getattr(foveal, name) for name in _OURS}
OLD, DONE = datetime(2020, 5, 1, tzinfo=UTC), Status.COMPLETED


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


@pytest.mark.parametrize("name", OPERATIONAL)
def test_the_ring_has_the_method_with_its_parameters_in_order(ada: View, name: str) -> None:
    assert isinstance(ada.operational, OperationalMemory)
    require_order(getattr(OperationalMemory, name), *OPERATIONAL[name])


@pytest.mark.parametrize("name", WORKING)
def test_the_ledger_has_the_method_with_its_parameters_in_order(ada: View, name: str) -> None:
    assert isinstance(ada.ledger, WorkingMemory)
    require_order(getattr(WorkingMemory, name), *WORKING[name])
    assert name in vars(RemoteLedger)


def test_the_ledger_lasts_in_the_file_that_it_is_begun_with(folder: Path) -> None:
    for goals in ([], [TASK]):
        with BEGINNING["init"](folder / "working.db") as memory:
            ledger = memory.view(actor_id="ada").ledger
            assert [goal.description for goal in ledger.get_active_goals()] == goals
            ledger.store_goal(Goal(description=TASK))


def test_the_ring_shows_the_newest_first_and_the_latest_value_of_a_metric(ada: View) -> None:
    for number in range(3):
        ada.operational.push_event(Event(category="deploy", source="ci", data={"number": number}))
    ada.operational.push_event(Event(category="error", data="disk full", critical=True))
    ada.operational.update_metric("cpu", 0.5)
    ada.operational.update_metric("cpu", 0.7)
    assert [event.data for event in ada.operational.get_recent(2, "deploy")] == [{"number": 2}, {"number": 1}]
    [critical] = ada.operational.get_events()
    assert critical.is_critical() and critical.data == "disk full"
    assert ada.operational.get_metric("cpu").value == 0.7


def test_active_tasks_are_states_and_not_a_count(ada: View) -> None:
    ada.ledger.store_goal(Goal(id="g", description=TASK))
    ada.ledger.store_task(TaskRecord(id="t1", goal_id="g", description="Ask the authority", agent="/clerk"))
    ada.ledger.store_task(TaskRecord(id="t2", goal_id="g", description="Install it"))
    assert ada.operational.get_active_tasks() == {}
    ada.ledger.update_task("t1", "in_progress")
    active = ada.operational.get_active_tasks()
    assert list(active) == ["t1"]
    assert (active["t1"].status, active["t1"].agent) == ("in_progress", "/clerk")
    assert active["t1"].started_at is not None
    ada.ledger.update_task("t1", "completed")
    assert ada.operational.get_active_tasks() == {}


def test_a_goal_is_stored_as_the_object_that_it_is(ada: View) -> None:
    goal = Goal(id="g", description=TASK, priority=1, metadata={"shop": "Oslo"})
    stored = ada.ledger.store_goal(goal)
    assert stored == ada.ledger.get_goal("g")
    assert (stored.created_at, stored.priority, stored.metadata) == (goal.created_at, 1, {"shop": "Oslo"})
    assert ada.ledger.update_goal("g", "completed").completed_at is not None
    assert ada.ledger.get_active_goals() == []
    past = Goal(description="Move the shop", status=DONE, created_at=OLD)
    done = ada.ledger.store_goal(past)
    assert (done.id, done.created_at, done.status) == (past.id, OLD, "completed")


def test_every_object_keeps_its_fields(ada: View) -> None:
    ada.ledger.store_goal(Goal(id="g", description=TASK))
    task = TaskRecord(
        id="t", goal_id="g", description="Ask", status=DONE, output="yes", created_at=OLD, started_at=OLD
    )
    assert ada.ledger.store_task(task).output == "yes"
    assert [(one.id, one.started_at) for one in ada.ledger.get_tasks_for_goal("g")] == [("t", OLD)]
    call = ada.ledger.store_tool_call(
        ToolCall(id="c", task_id="t", tool_name="curl", duration_ms=20, timestamp=OLD)
    )
    assert (call.duration_ms, call.timestamp) == (20, OLD)
    decision = Decision(id="d", context="Which authority?", chosen="The free one.", reasoning="It is free.")
    assert ada.ledger.log_decision(decision).timestamp == decision.timestamp
    assert [one.id for one in ada.ledger.find_similar_decisions("which authority do we use?")] == ["d"]
    pattern = Pattern(id="p", trigger=TASK, action="call certbot", success_rate=0.8, uses=10)
    assert ada.ledger.store_pattern(pattern).created_at == pattern.created_at
    assert ada.ledger.update_pattern_stats("p", True).uses == 11
    found = ada.ledger.find_pattern(TASK)
    assert found is not None and found.id == "p"
    state = ada.ledger.store_agent_state(AgentState(agent_name="clerk", state={"step": 1}))
    assert ada.ledger.get_agent_state("clerk") == state


def test_every_record_of_long_term_memory_is_stored_as_an_object(ada: View) -> None:
    procedure = Procedure(id="q", name="Renew", description="Renew a certificate", steps=("ask", "install"))
    assert ada.longterm.store_procedure(procedure).metadata["steps"] == ["ask", "install"]
    incident = Incident(id="i", description="The shop was down", root_cause="expired", timestamp=OLD)
    assert ada.longterm.store_incident(incident).occurred_at == OLD
    change = ConfigChange(id="f", file_path="shop.yaml", content="tls: on", changed_by="ada")
    assert ada.longterm.store_config_change(change).metadata["changed_by"] == "ada"
    piece = Knowledge(id="k", title="Certificates", content="They last ninety days.", tags=("tls",))
    assert ada.longterm.add_knowledge(piece).tags == ("tls",)
    assert {ada.get(one).id for one in ("q", "i", "f", "k")} == {"q", "i", "f", "k"}


def test_an_object_travels_to_a_server_as_the_arguments_of_its_verb() -> None:
    sent = call_of("ledger.store_goal").named((Goal(id="g", description=TASK, created_at=OLD),), {})
    assert sent == {"goal_id": "g", "description": TASK, "created_at": OLD.isoformat()}
    with pytest.raises(Invalid, match="store_task needs description"):
        call_of("ledger.store_task").named(("g",), {})
    required = {field.name for field in call_of("ledger.store_task").fields if field.required}
    assert required == {"goal_id", "description"}


def test_what_is_missing_is_named(ada: View) -> None:
    calls: list[Callable[[], object]] = [
        lambda: ada.ledger.store_task("g"),
        lambda: ada.ledger.log_decision("Which?"),
        lambda: ada.longterm.store_procedure("Renew"),
    ]
    for call in calls:
        with pytest.raises(Invalid, match="needs (description|chosen)"):
            call()


def test_old_entries_are_migrated_before_a_cutoff(ada: View) -> None:
    ada.ledger.store_goal(Goal(id="old", description=TASK, status=DONE, created_at=OLD, completed_at=OLD))
    ada.ledger.store_goal(Goal(id="new", description="Move the shop", status=DONE))
    moved = ada.ledger.migrate_old_entries(OLD + timedelta(days=1))
    assert (moved.goals, moved.count) == (("old",), 1)
    assert ada.ledger.get_goal("old").archived_at is not None
    assert ada.ledger.vacuum() >= 0


def test_find_relevant_gives_a_summary_and_a_relevance(ada: View) -> None:
    ada.ledger.log_decision(Decision(context="Which authority?", chosen="The free one."))
    [item] = ada.ledger.find_relevant("the authority", limit=5)
    assert "free one" in item.summary and 0 < item.relevance <= 1


def test_long_term_memory_is_a_file_and_a_folder_of_chroma(folder: Path) -> None:
    names = {"SearchResult": SearchResult, "Procedure": Procedure, "Incident": Incident}
    theirs = run(LONG_TERM, **names)["LongTermMemory"]
    require_call(LongTermMemory, theirs)
    require_call(LongTermMemory.semantic_search, theirs.semantic_search)
    for method in (LongTermMemory.semantic_search, LongTermMemory.store_procedure, LongTermMemory.store_incident):
        assert inspect.iscoroutinefunction(method)

    async def story() -> None:
        longterm = LongTermMemory("longterm.db", "vectors")
        await longterm.store_procedure(Procedure(id="q", name="Renew", description="Renew a certificate"))
        await longterm.store_incident(Incident(id="i", description="The espresso machine leaks"))
        longterm.knowledge_collection.add(
            documents=["Certificates: they last ninety days."], metadatas=[{"name": "tls"}], ids=["k"]
        )
        longterm.knowledge_collection.add(ids=["k"], documents=["Another text."])
        [found, *_] = await longterm.semantic_search("renewing certificates", n_results=1)
        assert (found.id, found.collection) == ("q", "procedures")
        # The search of the document runs on our collections, and builds our results.
        [same, *_] = await theirs.semantic_search(longterm, "renewing certificates", n_results=1)
        assert isinstance(same, SearchResult)
        assert (same.id, same.collection, same.content) == ("q", "procedures", "Renew: Renew a certificate")
        assert 0 < same.relevance <= 1 and same.record is None
        hits = longterm.knowledge_collection.query(query_texts=["how long do certificates last?"], n_results=1)
        assert hits["documents"] == [["Certificates: they last ninety days."]]
        assert hits["metadatas"][0][0]["name"] == "tls" and 0 <= hits["distances"][0][0] < 1
        counts = [longterm.procedures_collection, longterm.incidents_collection, longterm.decisions_collection]
        assert [collection.count() for collection in counts] == [1, 1, 0]
        await longterm.close()

    asyncio.run(story())
    assert Path(folder, "longterm.db").exists() and any(Path(folder, "vectors").iterdir())
    with Memory("longterm.db") as again:
        assert again.get("q", actor_id="me").kind == "procedure"


def test_the_assembly_of_the_document_runs_on_our_tiers_and_ours_fits_its_call() -> None:
    async def story() -> None:
        async with AsyncMemory("tiers.db") as memory:
            me = memory.view(actor_id="me")
            await me.ledger.log_decision(Decision(context="Who renews certificates?", chosen="The free authority."))
            await me.longterm.store_incident(Incident(description="The certificate of the shop expired"))
            await me.longterm.add_knowledge(Knowledge(title="Certificates", content="Certificates last 90 days."))
            theirs = run(
                ASSEMBLY,
                operational_memory=me.operational,
                working_memory=me.ledger,
                longterm_memory=me.longterm,
                knowledge_base=KnowledgeBase(me),
                **NAMES,
            )["assemble_context"]
            require_call(foveal.assemble_context, theirs)
            assembled = await theirs(TASK, max_tokens=900)
            assert {chunk.source for chunk in assembled.chunks} == set(TIERS)
            assert 0 < assembled.total_tokens <= 900
        ours = await foveal.assemble_context(
            TASK, max_tokens=900, tiers=["working", "knowledge"], memory="tiers.db"
        )
        assert {chunk.source for chunk in ours.chunks} == {"working", "knowledge"}
        assert ours.total_tokens <= 900

    asyncio.run(story())


def test_the_top_level_call_uses_the_memory_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PATH", "mine.db")
    with Memory("mine.db") as memory:
        memory.longterm.add_knowledge("Certificates", "Certificates last 90 days.", actor_id="me")
    names = run(
        f'context = await assemble_context("{TASK}", max_tokens=500, tiers=["knowledge"])',
        assemble_context=foveal.assemble_context,
    )
    assert "90 days" in names["context"].text


def test_memory_tiers_is_another_name_of_tiers(ada: View) -> None:
    ada.longterm.add_knowledge("Certificates", "Certificates last 90 days.")
    assert ada.assemble_context(TASK, memory_tiers=["knowledge"]).tiers == ("knowledge",)
    with pytest.raises(Invalid, match="memory_tiers"):
        ada.assemble_context(TASK, tiers=["working"], memory_tiers=["knowledge"])
    assert "memory_tiers" in {field.name for field in call_of("assemble_context").fields}


PROCEDURES = """
PushEvent GetRecentEvents UpdateMetric GetMetric GetSystemSnapshot
StoreGoal UpdateGoal GetActiveGoals StoreTask GetTasksForGoal
StoreToolCall StoreDecision StorePattern FindPattern UpdatePatternStats StoreAgentState GetAgentState
SemanticSearch StoreProcedure StoreIncident StoreConfigChange
SearchKnowledge AddKnowledge
AssembleContext
"""


@pytest.mark.parametrize("name", PROCEDURES.split())
def test_the_service_has_the_procedure(name: str) -> None:
    assert name in {verb.rpc for verb in VERBS.values()}
