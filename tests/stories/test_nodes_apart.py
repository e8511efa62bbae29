"""The nodes of one actor learn nothing of each other: no names, no counts, not even that a name is in use."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import Conflict, NotFound
from foveal.model.ids import new_id

SECRET = "merger"


@pytest.fixture
def nodes(tmp_path: Path) -> tuple[View, View]:
    """Two nodes beside each other, of which the first has named a group, a session and a snapshot."""
    memory = Memory(tmp_path / "memory.db")
    ours, theirs = memory.view(actor_id="ada", node="/ours"), memory.view(actor_id="ada", node="/theirs")
    note = ours.write("The offer stands at forty.")
    ours.write("Everyone: lunch is at noon.", scope="global")
    ours.groups.add(SECRET, [note.id], description=f"the {SECRET} of the year")
    ours.sessions.start(session_id=SECRET, metadata={"with": SECRET})
    ours.snapshots.take(f"before the {SECRET}")
    theirs.write("The report is late.")
    return ours, theirs


def test_a_node_cannot_see_what_another_has_named(nodes: tuple[View, View], tmp_path: Path) -> None:
    ours, theirs = nodes
    assert (theirs.groups.list(), theirs.sessions.list(), theirs.snapshots.list()) == ([], [], [])
    with pytest.raises(NotFound):
        theirs.sessions.get(SECRET)
    with pytest.raises(NotFound):
        theirs.snapshots.changes(ours.snapshots.list()[0].id)
    theirs.admin.export(tmp_path / "theirs.jsonl")
    assert SECRET not in (tmp_path / "theirs.jsonl").read_text()
    ours.admin.export(tmp_path / "ours.jsonl")
    assert (tmp_path / "ours.jsonl").read_text().count(SECRET) >= 4


def test_a_node_cannot_find_out_by_trying_names(nodes: tuple[View, View]) -> None:
    ours, theirs = nodes
    theirs.sessions.start(session_id=SECRET, metadata={"with": "nobody"})
    assert theirs.groups.add(SECRET).number != ours.groups.list()[0].number
    theirs.snapshots.take(f"before the {SECRET}")
    assert theirs.sessions.get(SECRET).metadata == {"with": "nobody"}
    assert ours.sessions.get(SECRET).metadata == {"with": SECRET}
    ours.sessions.end(SECRET)
    assert theirs.sessions.get(SECRET).ended_at is None
    assert [group.description for group in theirs.groups.list()] == [""]


def test_the_root_oversees_them_all(nodes: tuple[View, View]) -> None:
    ours, theirs = nodes
    theirs.groups.add(SECRET)
    root = ours.view(node="/")
    assert [(group.node, group.name) for group in root.groups.list()] == [("/ours", SECRET), ("/theirs", SECRET)]
    assert [session.node for session in root.sessions.list() if session.started_at] == ["/ours"]
    assert root.groups.add(SECRET).node == "/", "it names its own, and takes over none"
    assert theirs.groups.add(SECRET).node == "/theirs"


def test_what_a_node_imports_tells_it_nothing(nodes: tuple[View, View], tmp_path: Path) -> None:
    ours, theirs = nodes
    ours.admin.export(tmp_path / "ours.jsonl")
    names = [line for line in (tmp_path / "ours.jsonl").read_text().splitlines() if '"record"' not in line]
    (tmp_path / "names.jsonl").write_text("\n".join(line.replace('"members"', '"nobody"') for line in names))
    first = theirs.admin.import_(tmp_path / "names.jsonl")
    assert (first.groups, first.sessions, first.snapshots, first.known) == (1, 1, 1, 0)
    again = theirs.admin.import_(tmp_path / "names.jsonl")
    assert (again.groups, again.sessions, again.snapshots, again.known) == (0, 0, 0, 3)
    assert ours.groups.list()[0].description == f"the {SECRET} of the year"


def _chosen(view: View) -> list[object]:
    """What is answered to somebody who chooses ids: to texts, to batches, and to long-term entries."""
    written = view.write("The harbour is closed.", id="offer")
    many = view.write_many([{"text": "The pier is closed.", "id": "end"}, {"text": "Noon.", "id": "noon"}])
    entry = view.longterm.store_procedure("Reset", "Switch it off and on.", procedure_id="reset", scope="local")
    return [written.ids, many.ids, many.rejected, entry.id]


def test_a_node_cannot_find_out_by_choosing_ids(nodes: tuple[View, View]) -> None:
    ours, theirs = nodes
    root = ours.view(node="/")
    taken = _chosen(ours)
    root.write("The root has it as well.", id="offer", scope="local")
    root.longterm.store_procedure("Reset", "Call me.", procedure_id="reset", scope="local")
    ours.forget("end@/ours", hard=True)
    for node in ("/theirs", "/ours/below"):
        alone = Memory(":memory:").view(actor_id="ada", node=node)
        assert _chosen(ours.view(node=node)) == _chosen(alone), "as if nobody had these ids"
    assert taken[0] == ("offer@/ours",)
    assert ours.get("offer@/ours").text == theirs.get("offer@/theirs").text
    with pytest.raises(Conflict):
        theirs.write("Its own id is taken.", id="offer@/theirs")
    assert root.get("offer").text == "The root has it as well."
    assert root.write("The root has no ids of nodes.", id="offer@/ours", scope="local").id == "offer@/ours@/"


def test_an_id_that_foveal_made_is_kept(nodes: tuple[View, View]) -> None:
    _, theirs = nodes
    made = new_id(datetime(2026, 5, 1, tzinfo=UTC))
    assert theirs.write("Sent later, from an outbox.", id=made).id == made


def test_an_entry_that_all_nodes_see_keeps_its_id(nodes: tuple[View, View]) -> None:
    ours, theirs = nodes
    root = ours.view(node="/")
    root.longterm.store_procedure("Reset", "Switch it off and on.", procedure_id="reset")
    assert theirs.longterm.store_procedure("Reset", "Switch it off and on.", procedure_id="reset").id == "reset"


def test_a_node_cannot_find_out_by_importing_ids(nodes: tuple[View, View], tmp_path: Path) -> None:
    ours, theirs = nodes
    first = ours.write("The offer is secret.", id="offer")
    child = ours.write("It ends on Friday.", id="end", parent_id=first.id)
    ours.links.add(child.id, first.id)
    ours.supersede(first.id, "The offer is very secret.")
    ours.crystals.crystallize([{"role": "user", "content": "The offer is secret."}])
    ours.admin.export(tmp_path / "ours.jsonl")
    # The same ids with texts of their own: a guess at what the other node has.
    own = [line for line in (tmp_path / "ours.jsonl").read_text().splitlines() if "Everyone" not in line]
    guess = "\n".join(own).replace("/ours", "/theirs").replace("secret", "guessed")
    (tmp_path / "guess.jsonl").write_text(guess)
    fresh = Memory(":memory:").view(actor_id="ada", node="/theirs")
    for _ in range(2):
        taken = theirs.admin.import_(tmp_path / "guess.jsonl")
        assert taken == fresh.admin.import_(tmp_path / "guess.jsonl"), "as if nobody had these ids"
        assert not taken.rejected
    assert ours.get(first.id).text == "The offer is very secret."
    [guessed] = [record for record in theirs.timeline() if "guessed" in record.text]
    assert guessed.id == [record for record in fresh.timeline() if "guessed" in record.text][0].id
    assert [version.text for version in theirs.history(guessed.id)] == [
        "The offer is guessed.",
        "The offer is very guessed.",
    ]
    [own_child] = theirs.links.children(guessed.id)
    assert [related.record.id for related in theirs.links.related(own_child.id)] == [guessed.id]


def test_the_counts_of_a_tape_are_those_of_the_node(nodes: tuple[View, View]) -> None:
    ours, theirs = nodes
    for number in range(12):
        ours.write(f"The offer of the harbour company stands at {number} million.")
    root = ours.view(node="/")
    root.tape.build()
    [whole], [part] = root.tape.list(), theirs.tape.list()
    assert part.records == 2 < whole.records
    assert part.phrases < whole.phrases and part.families <= whole.families
    assert part.digest == ""
