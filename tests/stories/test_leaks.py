"""Every verb is tried as every node against every record, and nobody learns of what does not reach it."""

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foveal import FractalMemory, Memory, Record
from foveal.engine.view import View
from foveal.errors import Forbidden, FovealError, NotFound
from foveal.model.scope import STORED_SCOPES, Scope
from foveal.model.sight import Viewpoint
from foveal.rules.visibility import may_change, parent_node, reaches
from foveal.testing import ManualClock

NODES = ("/", "/a", "/a/b", "/a/c", "/a/b/d", "/ab")
Case = Callable[[View, Record, Path], object]


def _exported(view: View, record: Record, folder: Path) -> str:
    path = folder / f"{len(list(folder.iterdir()))}.jsonl"
    view.export(path)
    return path.read_text()


def _imported(view: View, record: Record, folder: Path) -> object:
    """Someone who knows the id of a record tries to bring a later version of it in."""
    number = len(list(folder.iterdir()))
    eve = view.view(actor_id=f"eve {number}", node="/")
    eve.write("mine now", id=record.id)
    eve.supersede(record.id, "mine now, twice")
    eve.export(folder / f"{number}.jsonl")
    return view.import_(folder / f"{number}.jsonl")


# Several ways to call a verb; what they give, and what they raise, is searched for what must not be there.
CASES: dict[str, list[Case]] = {
    # It binds, and asks nothing.
    "view": [],
    "write": [
        lambda view, record, _: view.write("fresh words", parent_id=record.id),
        lambda view, record, _: view.write(record.id),
    ],
    "write_many": [lambda view, record, _: view.write_many([{"text": "fresh words", "parent_id": record.id}])],
    "supersede": [lambda view, record, _: view.supersede(record.id, "changed")],
    "forget": [
        lambda view, record, _: view.forget(record.id),
        lambda view, record, _: view.forget([record.id], hard=True),
        lambda view, record, _: view.forget({"id": record.id}),
        lambda view, record, _: view.forget(record.id, cascade=True),
        lambda view, record, _: view.forget({"text": {"contains": "secret"}}, cascade=True),
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
    "children": [lambda view, record, _: view.children(record.id)],
    "tree": [lambda view, record, _: view.tree(record.id, depth=9)],
    "related": [lambda view, record, _: view.related(record.id, depth=9)],
    "regions": [lambda view, record, _: view.regions()],
    "addresses": [lambda view, record, _: view.addresses(region=record.region)],
    "stats": [lambda view, record, _: view.stats()],
    "pin": [lambda view, record, _: view.pin(record.id)],
    "unpin": [lambda view, record, _: view.unpin(record.id)],
    "reinforce": [lambda view, record, _: view.reinforce(record.id)],
    "link": [
        lambda view, record, _: view.link(record.id, record.id),
        lambda view, record, _: view.link(view.write("mine").id, record.id),
    ],
    "unlink": [lambda view, record, _: view.unlink(record.id, record.id)],
    "group": [lambda view, record, _: view.group("all", [record.id])],
    "ungroup": [lambda view, record, _: view.ungroup(view.groups()[0].id, [record.id])],
    "groups": [lambda view, record, _: view.groups()],
    "members": [lambda view, record, _: view.members(view.groups()[0].id)],
    "create_session": [lambda view, record, _: view.create_session(metadata={"of": "mine"})],
    "end_session": [lambda view, record, _: view.end_session(str(record.session_id))],
    "get_session": [lambda view, record, _: view.get_session(str(record.session_id))],
    "sessions": [lambda view, record, _: view.sessions()],
    "export": [_exported],
    "import_": [_imported],
    # These are about the store as a whole, and give nothing of what is in it.
    "backup": [],
    "reindex": [lambda view, record, _: view.reindex()],
    "check": [lambda view, record, _: view.check()],
}


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    path = ":memory:" if request.param == "ram" else tmp_path / "m.db"
    with Memory(path, clock=ManualClock()) as memory:
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
            view.link(made.id, parent)
        view.group("all", [made.id])
    return records


def _told(call: Callable[[], object]) -> tuple[str, FovealError | None]:
    try:
        return repr(call()), None
    except FovealError as error:
        return f"{error.message} {error.data}", error


def _visible(records: list[Record], node: str) -> list[Record]:
    return [one for one in records if reaches(one.scope, one.node, node)]


def test_every_verb_has_a_case() -> None:
    verbs = {name for name, _ in inspect.getmembers(View, inspect.isfunction) if not name.startswith("_")}
    assert verbs == set(CASES)


@pytest.mark.parametrize("verb", [verb for verb, cases in CASES.items() if cases])
def test_no_verb_tells_or_changes_what_does_not_reach_the_node(verb: str, memory: Memory, tmp_path: Path) -> None:
    records = _grown(memory)
    folder = tmp_path / "out"
    folder.mkdir()
    # The root owns the memory: it exports and imports all of it.
    nodes = NODES[1:] if verb in ("export", "import_") else NODES
    for case, node, record in product(CASES[verb], nodes, records):
        view, author = memory.view(actor_id="ada", node=node), memory.view(actor_id="ada", node=record.node)
        hidden = [one for one in records if not reaches(one.scope, one.node, node)]
        # Under which record another one was put is what its writer said of it.
        named = {record.id, *(one.parent_id for one in _visible(records, node))}
        before, _ = _told(lambda author=author, record=record: author.get(record.id))
        told, error = _told(lambda case=case, view=view, record=record: case(view, record, folder))
        for one in hidden:
            assert one.text not in told, (verb, node, one)
            assert one.id in named or one.id not in told, (verb, node, one)
            assert one is record or str(one.session_id) not in told, (verb, node, one)
        after, _ = _told(lambda author=author, record=record: author.get(record.id))
        if record in hidden:
            assert after == before, (verb, node, record)
            assert error is None or isinstance(error, NotFound), (verb, node, error)
        elif not may_change(record, Viewpoint(actor_id="ada", node=node)):
            assert after == before, (verb, node, record)
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
    assert sum(one.records for one in view.regions()) == len(view.addresses()) == len(seen)
    assert {one.id for one in view.sessions()} == {one.session_id for one in seen}
    assert {one.id for one in view.members(view.groups()[0].id)} == ids
    assert {one.id for one in view.search("secret", k=99)} <= ids
    assert view.read("secret", token_budget=9999).receipt.considered == len(seen)
    for one in seen:
        below = [two.id for two in seen if two.parent_id == one.id]
        assert [two.id for two in view.children(one.id)] == below
        assert view.tree(one.id)[0].children == len(below)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        assert view.get_many([one.id for one in records]) == view.timeline() == view.sessions() == []
        assert view.groups() == []
        assert view.stats().records == 0
