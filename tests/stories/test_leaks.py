"""Every verb is tried as every node against every record, and nobody learns of what does not reach it."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from foveal import FractalMemory, Memory, Record
from foveal.engine.memory import View
from foveal.errors import Conflict, Forbidden, FovealError, NotFound
from foveal.model.query import Viewpoint
from foveal.model.record import STORED_SCOPES, Scope
from foveal.rules.visibility import may_change, parent_node, reaches
from foveal.testing import ManualClock
from foveal.wire.verbs import ALIASES, VERBS

NODES = ("/", "/a", "/a/b", "/a/c", "/a/b/d", "/ab")
Case = Callable[[View, Record, Path], object]


def _exported(view: View, _: Record, folder: Path) -> str:
    path = folder / f"{len(list(folder.iterdir()))}.jsonl"
    view.admin.export(path)
    return path.read_text()


def _imported(view: View, record: Record, folder: Path) -> object:
    """Someone who knows the id of a record tries to bring a later version of it in."""
    number = len(list(folder.iterdir()))
    eve = view.view(actor_id=f"eve {number}", node="/")
    eve.write("mine now", id=record.id)
    eve.supersede(record.id, "mine now, twice")
    eve.admin.export(folder / f"{number}.jsonl")
    return view.admin.import_(folder / f"{number}.jsonl")


def _undone(view: View, record: Record, folder: Path) -> object:
    """Someone who knows the id of a move tries to take it back; in the end its author does."""
    author = view.view(node=record.node)
    author.forget(record.id)
    move = author.lifecycle.journal(record.id)[0].id
    try:
        return view.lifecycle.undo(move)
    finally:
        with suppress(Conflict):
            author.lifecycle.undo(move)


def _past(view: View, *_: object) -> object:
    past = view.snapshots.at("grown")
    return past.read("what is told"), past.timeline(), past.stats(), past.browse.regions()


def _past_record(view: View, record: Record, _: Path) -> object:
    past = view.snapshots.at("grown")
    told = past.search(record.text, k=99), past.get_many([record.id])
    return told, past.get(record.id), past.history(record.id)


def _forked(view: View, *_: object) -> object:
    fork = view.snapshots.fork("grown")
    return fork.read("what is told"), fork.timeline(), fork.stats(), fork.changes()


def _forked_record(view: View, record: Record, _: Path) -> object:
    fork = view.snapshots.fork("grown")
    told = fork.search(record.text, k=99), fork.get(record.id)
    return told, fork.history(record.id), fork.supersede(record.id, "mine")


def _filed(call: Callable[[], object]) -> str:
    """Who writes under an id learns that it is taken, and no more."""
    try:
        return repr(call())
    except Conflict as error:
        return f"{error.message} {error.data}"


def _ingested(view: View, _: Record, folder: Path) -> object:
    path = folder / f"{len(list(folder.iterdir()))}.md"
    path.write_text("# Fresh words")
    return view.longterm.ingest(path)


# Several ways to call a verb; what they give, and what they raise, is searched for what must not be there.
# Those that take no record are called once as each node, the others once for each record.
CASES: dict[str, list[Case]] = {
    # It binds, and asks nothing.
    "view": [],
    "write": [
        lambda view, record, _: view.write("fresh words", parent_id=record.id),
        lambda view, record, _: view.write(record.id),
    ],
    "write_many": [lambda view, record, _: view.write_many([{"text": "fresh words", "parent_id": record.id}])],
    "remember": [
        lambda view, _, __: view.remember("I live in Lisbon. My sister Mira likes tea."),
        lambda view, record, _: view.remember([{"role": "user", "content": "fresh words", "parent_id": record.id}]),
    ],
    "profile": [
        lambda view, _, __: view.profile(token_budget=4000),
        lambda view, record, _: view.profile(about=record.text.split()[0]),
    ],
    "facts": [
        lambda view, _, __: view.facts(status="any"),
        lambda view, record, _: view.facts(about=record.text.split()[0], status="any"),
    ],
    "correct": [
        lambda view, record, _: view.correct(record.id, "wrong", value="fresh words", dry_run=True),
        lambda view, record, _: view.correct(record.id, "merge", into=record.id),
        lambda view, record, _: view.correct(record.id, "outdated"),
    ],
    "supersede": [lambda view, record, _: view.supersede(record.id, "changed")],
    "forget": [
        lambda view, record, _: view.forget(record.id),
        lambda view, record, _: view.forget([record.id], hard=True),
        lambda view, record, _: view.forget({"id": record.id}),
        lambda view, record, _: view.forget(record.id, cascade=True),
        lambda view, _, __: view.forget({"text": {"contains": "secret"}}, cascade=True),
    ],
    "search": [
        lambda view, record, _: view.search(record.text, k=99, explain=True),
        lambda view, record, _: view.search("secret", filters={"id": record.id}),
        lambda view, record, _: view.search("secret", k=99, as_of=record.recorded_at, valid_at=record.valid_from),
    ],
    "read": [
        lambda view, record, _: view.read(record.text.split()[0], token_budget=4000, explain=True),
        lambda view, record, _: view.read("secret", policy="recent", filters={"region": record.region}),
    ],
    "get": [
        lambda view, record, _: view.get(record.id),
        lambda view, record, _: view.get(record.id, as_of=record.recorded_at),
    ],
    "get_many": [lambda view, record, _: view.get_many([record.id])],
    "history": [lambda view, record, _: view.history(record.id)],
    "timeline": [lambda view, record, _: view.timeline(filters={"or": [{"id": record.id}, {"kind": "note"}]})],
    "page": [lambda view, record, _: view.browse.page(filters={"or": [{"id": record.id}, {"kind": "note"}]})],
    "children": [lambda view, record, _: view.links.children(record.id)],
    "tree": [lambda view, record, _: view.links.tree(record.id, depth=9)],
    "related": [lambda view, record, _: view.links.related(record.id, depth=9)],
    "outline": [lambda view, record, _: view.browse.outline(every=1, filters={"id": record.id})],
    "nodes": [lambda view, _, __: view.nodes.list()],
    "regions": [lambda view, _, __: view.browse.regions()],
    "addresses": [lambda view, record, _: view.browse.addresses(region=record.region)],
    "stats": [lambda view, _, __: view.stats(), lambda view, record, _: view.stats(filters={"id": record.id})],
    "pin": [lambda view, record, _: view.pin(record.id)],
    "unpin": [lambda view, record, _: view.unpin(record.id)],
    "reinforce": [lambda view, record, _: view.lifecycle.reinforce(record.id)],
    "link": [
        lambda view, record, _: view.links.add(record.id, record.id),
        lambda view, record, _: view.links.add(view.write("mine").id, record.id),
    ],
    "unlink": [lambda view, record, _: view.links.remove(record.id, record.id)],
    "group": [lambda view, record, _: view.groups.add("all", [record.id])],
    "ungroup": [lambda view, record, _: view.groups.remove(view.groups.list()[0].id, [record.id])],
    "groups": [lambda view, _, __: view.groups.list()],
    "members": [lambda view, _, __: view.groups.members(view.groups.list()[0].id)],
    "create_session": [lambda view, _, __: view.sessions.start(metadata={"of": "mine"})],
    "end_session": [lambda view, record, _: view.sessions.end(str(record.session_id))],
    "get_session": [lambda view, record, _: view.sessions.get(str(record.session_id))],
    "sessions": [lambda view, _, __: view.sessions.list()],
    "export": [_exported],
    "import_": [_imported],
    "mute": [lambda view, record, _: view.mute(record.id)],
    "unmute": [lambda view, record, _: view.unmute(record.id)],
    "recalls": [
        lambda view, _, __: view.browse.recalls(limit=999),
        lambda view, record, _: view.browse.recalls(record.id),
    ],
    "metabolise": [
        lambda view, _, __: view.lifecycle.run(dry_run=True),
        lambda view, _, __: view.lifecycle.run(),
    ],
    "engram": [lambda view, record, _: view.engram(record.id, "of the node")],
    "manifest": [lambda view, record, _: view.manifest(record.id)],
    "read_entry": [
        lambda view, record, _: view.nodes.read_entry(record.id, scopes=["local", "shared", "global"]),
    ],
    "write_entry": [lambda view, _, __: view.nodes.write_entry("mine", "of the node")],
    "entries": [lambda view, _, __: view.nodes.entries()],
    "finish_node": [lambda view, _, __: view.nodes.finish()],
    "reconcile_node": [lambda view, _, __: view.nodes.reconcile()],
    "node_task": [lambda view, _, __: view.nodes.task()],
    "update_node_task": [lambda view, _, __: view.nodes.update_task("the next")],
    "reopen_node_task": [lambda view, _, __: view.nodes.reopen_task()],
    "widen": [lambda view, _, __: view.lifecycle.widen(dry_run=True), lambda view, _, __: view.lifecycle.widen()],
    "errors": [lambda view, _, __: view.admin.errors()],
    "report_error": [lambda view, _, __: view.admin.report_error("timed_out")],
    "forecast": [lambda view, record, _: view.lifecycle.forecast(record.id)],
    "journal": [
        lambda view, _, __: view.lifecycle.journal(limit=999),
        lambda view, record, _: view.lifecycle.journal(record.id),
    ],
    "undo": [_undone],
    "summaries": [
        lambda view, _, __: view.lifecycle.summaries(kind="session"),
        lambda view, _, __: view.lifecycle.summaries(kind="region"),
    ],
    "get_stats": [lambda view, _, __: view.get_stats()],
    # A snapshot is a moment: it has a label, and nothing of what is in the memory.
    "snapshot": [lambda view, _, __: view.snapshots.take("now")],
    "snapshots": [lambda view, _, __: view.snapshots.list()],
    "at": [_past, _past_record],
    "fork": [_forked, _forked_record],
    "changes": [
        lambda view, _, __: view.snapshots.changes("grown"),
        lambda view, record, _: view.snapshots.changes(record.recorded_at, "grown"),
    ],
    "restore": [lambda view, _, __: view.snapshots.restore("grown")],
    "invoke": [
        lambda view, record, _: view.invoke("self.memory.recall", query=record.text.split()[0]),
        lambda view, _, __: view.invoke("self.memory.consolidate"),
        lambda view, record, _: view.invoke("self.memory.forget", target=record.id),
    ],
    "paths": [lambda view, _, __: view.admin.paths()],
    "assemble_context": [lambda view, record, _: view.assemble_context("find what is told of " + record.id[:6])],
    "tape.build": [lambda view, _, __: view.tape.build()],
    "tape.update": [lambda view, _, __: view.tape.update()],
    "tape.list": [lambda view, _, __: view.tape.list()],
    "tape.use": [lambda view, _, __: view.tape.use(1)],
    "tape.drop": [lambda view, _, __: view.tape.drop(2)],
    "tape.density": [lambda view, record, _: view.tape.density([record.id])],
    "tape.cells": [lambda view, _, __: view.tape.cells(levels=9)],
    "tape.families": [lambda view, _, __: view.tape.families(limit=999)],
    "tape.glyphs": [lambda view, _, __: view.tape.glyphs("what is told of a secret")],
    "tape.neighbours": [
        lambda view, record, _: view.tape.neighbours(record.address, limit=99),
        lambda view, record, _: view.tape.neighbours(
            view.view(node=record.node).get(record.id, touch=False).address, limit=99
        ),
    ],
    "tape.inspect": [
        lambda view, record, _: view.tape.inspect(view.view(node=record.node).get(record.id, touch=False).address),
        lambda view, _, __: [view.tape.inspect(one.glyph) for one in view.tape.families(limit=999)],
    ],
    "tape.encode": [lambda view, _, __: view.tape.encode("what is told of a secret", lossy=True)],
    "tape.decode": [
        lambda view, record, _: view.tape.decode(view.view(node=record.node).tape.encode(record.text).stream)
    ],
    "tape.map": [lambda view, _, __: view.tape.map(limit=999)],
    "longterm.semantic_search": [lambda view, record, _: view.longterm.semantic_search(record.text, n_results=99)],
    "longterm.store_procedure": [
        lambda view, _, __: view.longterm.store_procedure("fresh", "words"),
        lambda view, record, _: _filed(lambda: view.longterm.store_procedure("a", "b", procedure_id=record.id)),
    ],
    "longterm.store_incident": [
        lambda view, _, __: view.longterm.store_incident("fresh words"),
        lambda view, record, _: _filed(lambda: view.longterm.store_incident("a", incident_id=record.id)),
    ],
    "longterm.store_config_change": [
        lambda view, _, __: view.longterm.store_config_change("a.conf", "fresh words"),
        lambda view, record, _: _filed(lambda: view.longterm.store_config_change("a", "b", change_id=record.id)),
    ],
    "longterm.get_config_history": [lambda view, _, __: view.longterm.get_config_history("a.conf")],
    "longterm.add_knowledge": [
        lambda view, _, __: view.longterm.add_knowledge("fresh", "words"),
        lambda view, record, _: _filed(lambda: view.longterm.add_knowledge("a", "b", knowledge_id=record.id)),
    ],
    "longterm.search_knowledge": [lambda view, record, _: view.longterm.search_knowledge(record.text)],
    # Another name of `add_knowledge`.
    "longterm.store_knowledge": [],
    "longterm.list_knowledge": [lambda view, _, __: view.longterm.list_knowledge()],
    "longterm.ingest": [_ingested],
    "longterm.ingest_document": [
        lambda view, record, _: view.longterm.ingest_document(f"{record.id}.md", "# Fresh words"),
        lambda view, record, _: view.longterm.ingest_document("a.md", f"# Fresh words\n\nabout {record.id}"),
    ],
    # These are about the store as a whole, and give nothing of what is in it.
    **{"backup": [], "actors": [], "erase_actor": [], "erase_world": []},
    "reindex": [lambda view, _, __: view.admin.reindex()],
    "check": [lambda view, _, __: view.admin.check()],
    "policies": [lambda view, _, __: view.admin.policies()],
    "set_policies": [lambda view, _, __: view.admin.set_policies({"policy.recent_records": 3})],
    "vacuum": [lambda view, _, __: view.admin.vacuum()],
}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    path = ":memory:" if request.param == "ram" else tmp_path / "m.db"
    with Memory(path, clock=clock) as memory:
        yield memory


def _grown(memory: Memory) -> list[Record]:
    """A record for each node and scope, tied to others of its node, each with a session of its own."""
    records: list[Record] = []
    for number, (node, scope) in enumerate(product(NODES, STORED_SCOPES)):
        view = memory.view(actor_id="ada", node=node, session_id=f"session-{number:02}-of-{node[-1]}")
        before = [one for one in records if reaches(one.scope, one.node, node)]
        parent = before[-1].id if before else None
        made = view.write(f"secret{number:02}word is told", scope=scope, parent_id=parent, id=f"record-{number:02}")
        records.append(view.get(made.id))
        if parent:
            view.links.add(made.id, parent)
        view.groups.add("all", [made.id])
        kept = Scope.GLOBAL if scope is Scope.GLOBAL else Scope.LOCAL
        view.engram(made.id, f"the state of secret{number:02}word is told", scope=kept)
    return records


def _told(call: Callable[[], object]) -> tuple[str, FovealError | None]:
    try:
        return repr(call()), None
    except FovealError as error:
        return f"{error.message} {error.data}", error


def _visible(records: list[Record], node: str) -> list[Record]:
    return [one for one in records if reaches(one.scope, one.node, node)]


def _asked(cases: list[Case], nodes: tuple[str, ...], records: list[Record]) -> Iterator[tuple[Case, str, Record]]:
    """Every case as every node, against every record if it takes one, else beside one that is hidden."""
    for case, node in product(cases, nodes):
        hidden = [one for one in records if not reaches(one.scope, one.node, node)]
        takes = "record" in inspect.signature(case).parameters
        for record in records if takes else [*hidden, records[0]][:1]:
            yield case, node, record


def _lives(memory: Memory, records: list[Record], verb: str) -> dict[str, Record | None]:
    """Each record as its author sees it, with the uses that wait."""
    memory.browse.recalls(actor_id="ada")
    found: dict[str, Record | None] = {one.id: None for one in records}
    for node in NODES:
        ids = [one.id for one in records if one.node == node]
        found |= {one.id: one for one in memory.get_many(ids, actor_id="ada", node=node, touch=False)}
    if verb.startswith("tape."):
        # A tape is of the whole memory: where it puts a record is no part of what its author said.
        return {key: one and replace(one, address=records[0].address) for key, one in found.items()}
    return found


def _unused(record: Record | None) -> Record | None:
    """The record without what a use changes: whoever sees a record may use it."""
    used = {"uses": 0, "used_at": None, "importance": 0.0}
    return record and replace(record, vitals=replace(record.vitals, **used))


def _prepared(memory: Memory, clock: ManualClock, verb: str) -> list[Record]:
    """The memory with a past: some of its life behind it, a snapshot, a tape, later versions."""
    records = _grown(memory)
    for node in NODES:
        memory.read("what is told", token_budget=4000, actor_id="ada", node=node)
    clock.turn(timedelta(days=2))
    memory.lifecycle.run(actor_id="ada")
    memory.snapshots.take("grown", actor_id="ada")
    if verb.startswith("tape."):
        memory.tape.build(actor_id="ada")
    if verb in ("changes", "restore", "at", "fork"):
        for one in records:
            memory.supersede(one.id, f"{one.text}, twice", actor_id="ada", node=one.node)
    return records


def test_every_verb_has_a_case() -> None:
    # Those of crystals, events and the ledger are in test_leaks_rooms.
    apart = ("crystals.", "operational.", "ledger.")
    assert {name for name in (*VERBS, *ALIASES) if not name.startswith(apart)} == set(CASES)


@pytest.mark.parametrize("verb", [verb for verb, cases in CASES.items() if cases])
def test_no_verb_tells_or_changes_what_does_not_reach_the_node(
    verb: str, memory: Memory, clock: ManualClock, tmp_path: Path
) -> None:
    records = _prepared(memory, clock, verb)
    folder = tmp_path / "out"
    folder.mkdir()
    # The root owns the memory: it exports, imports, compares and restores all of it. It has no parent.
    below = ("export", "import_", "changes", "restore", "widen", "finish_node", "reconcile_node")
    nodes = NODES[1:] if verb in below else NODES
    after = _lives(memory, records, verb)
    for case, node, record in _asked(CASES[verb], nodes, records):
        view = memory.view(actor_id="ada", node=node)
        hidden = [one for one in records if not reaches(one.scope, one.node, node)]
        # Under which record another one was put is what its writer said of it.
        named = {record.id, *(one.parent_id for one in _visible(records, node))}
        before = after
        told, error = _told(lambda case=case, view=view, record=record: case(view, record, folder))
        for one in hidden:
            # An answer may repeat what was asked: the first word of this record.
            assert (one.text if one is record else one.text.split()[0]) not in told, (verb, node, one)
            assert one.id in named or one.id not in told, (verb, node, one)
            assert one is record or str(one.session_id) not in told, (verb, node, one)
        after = _lives(memory, records, verb)
        for one in records:
            if one in hidden:
                assert after[one.id] == before[one.id], (verb, node, one)
            elif not may_change(one, Viewpoint(actor_id="ada", node=node)):
                assert _unused(after[one.id]) == _unused(before[one.id]), (verb, node, one)
        if record in hidden:
            assert error is None or isinstance(error, NotFound), (verb, node, error)
        elif not may_change(record, Viewpoint(actor_id="ada", node=node)):
            assert error is None or isinstance(error, NotFound | Forbidden), (verb, node, error)


@pytest.mark.parametrize("node", NODES)
def test_counts_are_those_of_what_reaches_the_node(memory: Memory, node: str) -> None:
    records = _grown(memory)
    seen = _visible(records, node)
    view = memory.view(actor_id="ada", node=node)
    stats = view.stats()
    assert (stats.records, stats.versions, stats.sessions) == (len(seen), len(seen), len(seen))
    assert stats.bytes == sum(len(one.text) for one in seen)
    assert sum(stats.scopes.values()) == sum(stats.tiers.values()) == sum(stats.kinds.values()) == len(seen)
    ids = {one.id for one in seen}
    assert stats.links == sum(one.id in ids and one.parent_id in ids for one in records)
    assert sum(one.records for one in view.browse.regions()) == len(view.browse.addresses()) == len(seen)
    assert {one.id for one in view.sessions.list()} == {one.session_id for one in seen}
    assert {one.id for one in view.groups.members(view.groups.list()[0].id)} == ids
    assert {one.id for one in view.search("secret", k=99)} <= ids
    assert view.read("secret", token_budget=9999).receipt.considered == len(seen)
    for one in seen:
        below = [two.id for two in seen if two.parent_id == one.id]
        assert [two.id for two in view.links.children(one.id)] == below
        assert view.links.tree(one.id)[0].children == len(below)


def test_what_a_record_was_before_it_was_shared_stays_its_authors(
    memory: Memory, clock: ManualClock, tmp_path: Path
) -> None:
    above, author = (memory.view(actor_id="ada", node=node) for node in ("/a", "/a/b"))
    made = author.write("secret draft").id
    above.snapshots.take("before")
    clock.turn(timedelta(hours=1))
    author.supersede(made, "fair copy", scope="shared")
    assert [one.text for one in above.history(made)] == ["fair copy"]
    assert [one.text for one in author.history(made)] == ["secret draft", "fair copy"]
    above.admin.export(tmp_path / "a.jsonl")
    assert "secret draft" not in (tmp_path / "a.jsonl").read_text()
    assert above.snapshots.restore("before").superseded == ()
    assert author.get(made).text == "fair copy"


def test_a_move_that_is_half_seen_is_undone_by_whoever_made_it(memory: Memory) -> None:
    above, author = (memory.view(actor_id="ada", node=node) for node in ("/a", "/a/b"))
    ids = [author.write("mine").id, author.write("ours", scope="shared").id]
    author.forget(ids)
    [move] = above.lifecycle.journal()
    assert [one.record_id for one in move.changes] == ids[1:]
    with pytest.raises(Forbidden):
        above.lifecycle.undo(move.id)
    author.lifecycle.undo(move.id)
    assert [one.id for one in author.get_many(ids)] == ids


@settings(max_examples=40)
@given(
    author=st.sampled_from(NODES),
    reader=st.sampled_from(NODES),
    scope=st.sampled_from(STORED_SCOPES),
    asked=st.sets(st.sampled_from(Scope), min_size=1),
    name=st.text("abc /#'%", min_size=1, max_size=6).filter(str.strip),
)
def test_an_entry_is_read_by_exactly_those_it_reaches(
    memory: Memory, author: str, reader: str, scope: Scope, asked: set[Scope], name: str
) -> None:
    actor = f"{author}|{reader}|{scope}|{sorted(asked)}|{name}"
    writer, other = (FractalMemory(memory, node=node, actor_id=actor) for node in (author, reader))
    writer.write(name, {"of": author}, scope=scope)
    inherits = scope is Scope.SHARED and parent_node(reader) == author
    wanted = {*asked, Scope.INHERITED} if Scope.SHARED in asked else asked
    allowed = reaches(scope, author, reader) and (Scope.INHERITED if inherits else scope) in wanted
    if allowed:
        assert other.read(name, list(asked)).content == {"of": author}
    else:
        with pytest.raises(NotFound):
            other.read(name, list(asked))
    assert (name in [one.id for one in other.list()]) == reaches(scope, author, reader)


def test_no_actor_sees_another_whatever_the_scope(memory: Memory) -> None:
    records = _grown(memory)
    for world, actor in (("default", "eve"), ("mars", "ada")):
        view: Any = memory.view(actor_id=actor, world=world)
        assert view.get_many([one.id for one in records]) == view.timeline() == view.sessions.list() == []
        assert view.groups.list() == []
        assert view.stats().records == 0
