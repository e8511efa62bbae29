"""A store is copied into another: everything in it, once, and nothing is lost when the copy is broken off."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import apsw
import psycopg
import pytest

from foveal import Memory, Settings
from foveal.backends.sqlite.tables import SqliteTables
from foveal.compose import migrate, open_tables
from foveal.doors.cli.demo import seed
from foveal.doors.service import ANYONE, Keys, RequestKey, Service
from foveal.engine.records.transfer import summed
from foveal.errors import Conflict, Corrupt, Invalid, NotAMemoryFile, NotFound, Unsupported
from foveal.ports.tables import ENCODERS, GATHERED, LEFT, OWNED, SHARED, Sum
from foveal.testing.servers import Cluster

pytestmark = pytest.mark.server

ALL = (*ENCODERS, *OWNED, *SHARED)
QUESTIONS = ("What did the user decide about the garden?", "Which city?", "the budget for March")


# Rooms that are empty most of the time.
SELDOM = """
insert into job values ('decay', 5);
insert into override values ('policy.recent_records', '3', 7);
insert into dropped_tape select number, 7 from organism;
insert or ignore into arrival select organism, id from standing limit 3;
insert into event_hour (ledger, id, category, source, hour, count)
select number, 'one', 'error', 'crane', 9, 2 from ledger;
insert into phrase_point select organism, tape, key, x'00ff' from phrase limit 3;
insert into fine_vector select seq, organism, 'fine-1', x'0100000000003f7f' from trace limit 3;
insert into version_point select organism, tape, seq, x'ff00' from place limit 3;
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with something in every room."""
    path = tmp_path_factory.mktemp("original") / "memory.db"
    seed(path, 160)
    with Memory(path) as memory:
        actor, world = _actors(path)[0]
        view = memory.view(actor_id=actor, world=world)
        first, second, third = (
            view.write(
                f"The {word} stands in room {word!r} «ß».", tags=["a, b", 'c"d', "ü"], idempotency_key=word
            ).id
            for word in ("lamp", "table", "chair")
        )
        view.groups.add("furniture", [first, second])
        view.sessions.start(session_id="talk", metadata={"topic": "rooms"})
        view.snapshots.take("before")
        view.forget(third)
        view.snapshots.restore("before")
        view.mute(second)
        view.forget(first, hard=True)
        view.links.add(second, third)
        ledger = view.ledger
        goal = ledger.store_goal("Tidy up")
        task = ledger.store_task(goal.id, "lift the chair", status="in_progress")
        ledger.store_tool_call(task.id, "crane", given={"kg": 4})
        ledger.store_agent_state("crane", {"arm": "up"})
        view.engram("plan", {"step": 3})
        view.operational.push_event("error", {"told": "too heavy"}, source="crane", critical=True)
        view.operational.update_metric("lifts", 2.0)
        Keys(memory.keys).add("ci", actors=["ada"], rights=["read"])
        goal = {"description": "sail", "actor_id": "ada"}
        Service(memory).answer("ledger.store_goal", goal, ANYONE, once=RequestKey(key="k1"))
    with closing(apsw.Connection(str(path))) as db:
        db.execute(SELDOM)
    return path


@pytest.fixture
def source(original: Path, tmp_path: Path) -> str:
    for file in original.parent.glob("memory.db*"):
        shutil.copy(file, tmp_path)
    return f"sqlite:///{tmp_path}/memory.db"


def _actors(path: Path) -> list[tuple[str, str]]:
    with closing(open_tables(str(path), read_only=True)) as tables, tables.reading() as rows:
        return [(one.actor, one.world) for one in rows.organisms()]


def _sums(url: str) -> dict[tuple[int, str], Sum]:
    """The sums of every table of everyone."""
    with closing(open_tables(url, read_only=True)) as tables, tables.reading() as rows:
        mine = {
            (one.number, table.name): summed(rows.rows(table, one)) for one in rows.organisms() for table in OWNED
        }
        return mine | {(0, table.name): summed(rows.rows(table, None)) for table in (*ENCODERS, *SHARED)}


def _answers(url: str, actor: str, world: str) -> Iterator[object]:
    """What someone who asks is told. Reading leaves traces, so that comes last."""
    # Work in the background would change each store at another time: what is due moves, and fine vectors grow.
    with Memory(url, settings=Settings(metabolism="off", second_look="off")) as memory:
        view = memory.view(actor_id=actor, world=world)
        records = list(view.timeline())
        yield records
        yield [view.history(one.id) for one in records]
        yield [view.links.related(one.id) for one in records[:20]]
        yield view.lifecycle.journal(limit=1000)
        yield view.lifecycle.summaries()
        yield view.browse.recalls(limit=1000)
        yield view.snapshots.list()
        yield view.sessions.list()
        yield [(one, view.groups.members(one.id)) for one in view.groups.list()]
        goals = view.ledger.get_goals()
        yield [(one, view.ledger.get_tasks_for_goal(one.id)) for one in goals]
        yield view.ledger.get_decisions()
        yield view.ledger.get_patterns()
        yield view.ledger.get_agent_states()
        with suppress(NotFound):
            kept = view.manifest("plan")
            yield kept.state, kept.at, kept.node
        yield view.operational.get_events()
        crystals = view.crystals.lineages()
        yield crystals
        yield [view.crystals.get(one.crystal_id) for one in crystals if one.reaped_at is None]
        tapes = view.tape.list()
        yield tapes
        if tapes:
            yield view.tape.map()
            yield view.tape.families()
        for question in QUESTIONS:
            yield [(one.id, round(one.relevance, 4)) for one in view.search(question, k=10)]
        for question in QUESTIONS:
            yield view.read(question, token_budget=500).text
        yield Keys(memory.keys).list()
        yield memory.admin.policies()
        yield memory.admin.check()


def test_a_memory_goes_to_postgres_and_back_and_answers_the_same(
    source: str, database: str, tmp_path: Path
) -> None:
    back = str(tmp_path / "back.db")
    told: list[tuple[int, int]] = []
    there = migrate(source, database, progress=lambda done, of: told.append((done, of)))
    again = migrate(database, back)
    assert _sums(source) == _sums(database) == _sums(back)
    assert (there.known, there.rows, there.tables) == (0, again.rows, again.tables)
    assert told[-1] == (there.rows, there.rows)
    for actor, world in _actors(tmp_path / "memory.db"):
        answers = [list(_answers(url, actor, world)) for url in (source, database, back)]
        for x, y, z in zip(*answers, strict=True):
            assert x == y == z


def test_every_room_is_filled_before_it_is_copied(source: str) -> None:
    """Else the other tests would not notice what is left behind."""
    with closing(open_tables(source, read_only=True)) as tables, tables.reading() as rows:
        assert [table.name for table in ALL if not rows.count(table)] == []


def test_what_is_written_after_the_copy_comes_after_what_was_copied(source: str, database: str) -> None:
    actor, world = _actors(Path(source.removeprefix("sqlite:///")))[0]
    with Memory(source) as memory:
        # The last number was given to what is gone: nobody else may get it.
        gone = memory.write("A slip of the tongue.", actor_id=actor, world=world).id
        memory.forget(gone, hard=True, actor_id=actor, world=world)
    migrate(source, database)
    with closing(open_tables(source, read_only=True)) as old, closing(open_tables(database, read_only=True)) as new:
        with old.reading() as file, new.reading() as base:
            marks = base.marks()
            assert all(marks[name] == highest for name, highest in file.marks().items() if name in marks)
    with Memory(database) as memory:
        view = memory.view(actor_id=actor, world=world)
        fresh = view.write("The lighthouse keeper moved to Skagen.").id
        assert view.search("Where is the lighthouse keeper?", k=1)[0].id == fresh
        with pytest.raises(Conflict):
            view.write("Once more.", id=gone)


KILLED = """
import os, signal, sys
from foveal.compose import migrate

def progress(done, of):
    if done > of * 0.9:
        os.kill(os.getpid(), signal.SIGKILL)

migrate(sys.argv[1], sys.argv[2], progress=progress)
"""


WAYS = pytest.mark.parametrize("there", [True, False], ids=["to a database", "to a file"])


def _way(source: str, database: str, folder: Path, there: bool) -> tuple[str, str]:
    """From where to where: the file to the database, or the database to another file."""
    if there:
        return source, database
    migrate(source, database)
    return database, str(folder / "back.db")


@WAYS
def test_a_copy_that_was_killed_goes_on_where_it_stopped(
    source: str, database: str, tmp_path: Path, there: bool
) -> None:
    old, new = _way(source, database, tmp_path, there)
    done = subprocess.run([sys.executable, "-c", KILLED, old, new], check=False)
    assert done.returncode == -signal.SIGKILL
    copied = migrate(old, new)
    assert 0 < copied.known < copied.actors
    assert _sums(old) == _sums(new)
    again = migrate(old, new)
    assert (again.known, again.rows) == (again.actors, copied.rows)
    assert _sums(old) == _sums(new)


@WAYS
def test_an_actor_that_changed_while_the_copy_was_broken_off_is_copied_again(
    source: str, database: str, tmp_path: Path, there: bool
) -> None:
    old, new = _way(source, database, tmp_path, there)
    actor, world = _actors(tmp_path / "memory.db")[0]

    def stop(done: int, of: int) -> None:
        if done > of * 0.9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(old, new, progress=stop)
    with Memory(old) as memory:
        memory.forget("fact-0", hard=True, actor_id=actor, world=world)
        memory.write("One thing more.", id="more", actor_id=actor, world=world)
        memory.write("And another actor.", actor_id="late", world=world)
    migrate(old, new)
    assert _sums(old) == _sums(new)
    with Memory(old) as memory:
        memory.write("Too late.", actor_id=actor, world=world)
    with pytest.raises(Conflict, match="has changed in"):
        migrate(old, new)


def test_a_target_that_holds_something_else_is_left_alone(source: str, database: str, tmp_path: Path) -> None:
    with Memory(database) as memory:
        memory.write("This is mine.", actor_id="me")
    other = str(tmp_path / "other.db")
    with Memory(other) as memory:
        memory.write("This is mine.", actor_id="me")
    for target in (database, other):
        before = _sums(target)
        with pytest.raises(Conflict, match="holds a memory already"):
            migrate(source, target)
        assert _sums(target) == before
    copy = str(tmp_path / "copy.db")
    migrate(source, copy)
    with pytest.raises(Conflict, match="holds a copy of"):
        migrate(other, copy)


def test_a_row_that_did_not_arrive_as_it_was_is_noticed(source: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with closing(SqliteTables(target, read_only=False)) as tables, tables.writing():
        pass
    with closing(apsw.Connection(str(target))) as db:
        db.execute(
            "create trigger bad after insert on link begin "
            "update link set weight = 0.123 where organism = new.organism and source_id = new.source_id; end"
        )
    with pytest.raises(Corrupt, match="link"):
        migrate(source, str(target))
    with closing(open_tables(str(target), read_only=True)) as tables, tables.reading() as rows:
        assert rows.organisms() == []


def test_what_cannot_be_copied_is_refused(source: str, cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="the same store"):
        migrate(source, str(tmp_path / "memory.db"))
    with pytest.raises(NotAMemoryFile):
        migrate(str(tmp_path / "nothing.db"), str(tmp_path / "copy.db"))
    with pytest.raises(NotFound, match="there is no memory in"):
        migrate(cluster.create(), str(tmp_path / "copy.db"))
    with pytest.raises(Unsupported):
        migrate(":memory:", str(tmp_path / "copy.db"))


def test_no_table_of_either_store_is_forgotten(source: str, database: str) -> None:
    named = {table.name for table in ALL} | LEFT | {"organism"}
    with closing(apsw.Connection(source.removeprefix("sqlite:///"))) as db:
        file = {
            row[0]
            for row in db.execute(
                "select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!'"
            )
        }
    with psycopg.connect(database) as connection:
        base = {
            row[0]
            for row in connection.execute(
                "select relname from pg_class where relnamespace = 'foveal'::regnamespace "
                "and relkind in ('r', 'p') and not relispartition"
            )
        }
    assert file == named
    assert base - {"migration", "copied"} - GATHERED == named - {"vector"} | {"embedding"}
    with closing(open_tables(source, read_only=True)) as old, closing(open_tables(database, read_only=True)) as new:
        with old.reading() as rows, new.reading() as others:
            for table in ALL:
                assert rows.columns(table) == others.columns(table), table.name
