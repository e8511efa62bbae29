"""A process that is killed with -9, whatever it does, loses nothing it acknowledged and leaves no half changes."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from tests.attack.conftest import Place
from tests.attack.effort import Effort
from tests.attack.victims import BATCH, WORKS, Said, Victim, copy, upgrade, work_on

from foveal import Memory
from foveal.backends.postgres import schema
from foveal.backends.postgres.schema import migrations
from foveal.compose import migrate, open_tables
from foveal.doors.cli.demo import seed
from foveal.engine.memory import View
from foveal.engine.records.transfer import summed
from foveal.ports.tables import ENCODERS, OWNED, SHARED, Sum
from foveal.testing.servers import Cluster

OLDEST = Path(__file__).parents[1] / "data" / "memory-0.1.0.db"
# How many seconds after the last word that is waited for a process is killed, at most.
SOON = 0.05


@dataclass
class Oracle:
    """What was acknowledged, and therefore must be there."""

    stored: set[str] = field(default_factory=set[str])
    newest: dict[str, str] = field(default_factory=dict[str, str])
    erased: set[str] = field(default_factory=set[str])
    said: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def hear(self, words: Iterable[Said]) -> int:
        """Note what a process said. Returns how much of it was the acknowledgement of a change."""
        changes = 0
        for what, about in words:
            match what:
                case "stored":
                    self.stored.update(about)
                case "superseded":
                    self.newest[about[0]] = about[1]
                case "erased":
                    self.erased.add(about)
                case "crystal" | "goal" | "task" | "event" | "chapter":
                    self.said.setdefault(what, set()).add(about)
                case _:
                    continue
            changes += 1
        return changes

    def examine(self, memory: Memory, folder: Path) -> None:
        """Compare a memory with what was acknowledged, and look for what is broken in it."""
        ada = memory.view(actor_id="ada")
        assert memory.admin.check() == []
        assert {record.id for record in ada.get_many(sorted(self.stored))} == self.stored
        for record_id, text in self.newest.items():
            # The next version may have been stored, and not yet acknowledged.
            assert text in [version.text for version in ada.history(record_id)]
        assert ada.get_many(sorted(self.erased)) == []
        tags = Counter(
            tag for record in ada.timeline(limit=1_000_000, filters={"tags": "batch"}) for tag in record.tags
        )
        assert {count for tag, count in tags.items() if tag != "batch"} <= {BATCH}
        self._examine_rooms(ada)
        for text in self.stored and [ada.get(min(self.stored)).text]:
            assert text in [hit.text for hit in ada.search(text, k=20)]
        assert ada.write(f"And it goes on in {folder.name}.").ids

    def _examine_rooms(self, ada: View) -> None:
        for crystal in self.said.get("crystal", ()):
            assert ada.crystals.get(crystal).focus_fragments
        for goal in self.said.get("goal", ()):
            assert ada.ledger.get_goal(goal).id == goal
        for task in self.said.get("task", ()):
            assert ada.ledger.get_task(task).id == task
        if "event" in self.said:
            assert self.said["event"] <= {event.id for event in ada.operational.get_events(limit=100_000)}
        if "chapter" in self.said:
            known = " ".join(entry.text for entry in ada.longterm.list_knowledge(limit=100_000))
            assert all(chapter in known for chapter in self.said["chapter"])


@pytest.mark.parametrize("work", WORKS)
def test_a_process_killed_while_it_works_loses_nothing(place: Place, work: str, effort: Effort) -> None:
    oracle = Oracle()
    place.opened().close()
    for number in effort.times(2):
        with Victim(work_on, place.url, place.settings, work, f"run{number}", place.folder) as victim:
            said = [victim.next() for _ in range(effort.chance.randrange(1, 8))]
            said += victim.heard(effort.chance.uniform(0, SOON))
            said += victim.kill()
        effort.count("acknowledged changes", oracle.hear(said))
        effort.count(f"kills on {place.store}")
        with place.opened() as memory:
            oracle.examine(memory, place.folder)


def test_a_process_killed_while_it_upgrades_a_file_leaves_it_whole(tmp_path: Path, effort: Effort) -> None:
    for number in effort.times(4):
        path = tmp_path / f"{number}.db"
        shutil.copyfile(OLDEST, path)
        _killed_while_it_opens(str(path), effort)
        with Memory(path) as memory:
            ada = memory.view(actor_id="ada")
            assert [version.text for version in ada.history("home")] == [
                "Ada lives in Oslo.",
                "Ada lives in Bergen.",
            ]
            assert ada.search("Where does Ada live?")[0].id == "home"
            assert memory.admin.check() == []
        effort.count("kills on sqlite")


@pytest.mark.server
def test_a_process_killed_while_it_upgrades_a_database_leaves_it_whole(cluster: Cluster, effort: Effort) -> None:
    for _ in effort.times(2):
        url = cluster.create()
        before = effort.chance.randrange(len(migrations()))
        with psycopg.connect(url, autocommit=True) as connection:
            schema.prepare(connection, "here", steps=migrations()[:before], partitions=2)
        _killed_while_it_opens(url, effort)
        with Memory(url) as memory:
            written = memory.write("Ada lives in Bergen.", actor_id="ada")
            assert memory.search("Where does Ada live?", actor_id="ada")[0].id == written.id
            assert memory.admin.check() == []
        effort.count("kills on postgres")


def _killed_while_it_opens(url: str, effort: Effort) -> None:
    with Victim(upgrade, url, None) as victim:
        assert victim.next() == ("opening", None)
        victim.heard(effort.chance.uniform(0, 0.3))
        victim.kill()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of a few actors."""
    path = tmp_path_factory.mktemp("original") / "memory.db"
    seed(path, 60)
    with Memory(path) as memory:
        for actor in ("eve", "bob", "cat"):
            memory.write_many([f"Note {number} of {actor}" for number in range(30)], actor_id=actor)
    return path


@pytest.mark.server
@pytest.mark.parametrize("there", [True, False], ids=["to a database", "to a file"])
def test_a_copy_that_is_killed_again_and_again_arrives_whole(
    original: Path, database: str, tmp_path: Path, there: bool, effort: Effort
) -> None:
    source, target = str(original), database
    if not there:
        migrate(source, database)
        source, target = database, str(tmp_path / "back.db")
    for _ in effort.times(2):
        with Victim(copy, source, target) as victim:
            victim.heard(effort.chance.uniform(0, 0.4))
            victim.kill()
        effort.count(f"kills on {'postgres' if there else 'sqlite'}")
    migrate(source, target)
    assert _sums(source) == _sums(target)
    with Memory(target) as memory:
        assert memory.admin.check() == []


def _sums(url: str) -> dict[tuple[int, str], Sum]:
    with closing(open_tables(url, read_only=True)) as tables, tables.reading() as rows:
        mine = {
            (organism.number, table.name): summed(rows.rows(table, organism))
            for organism in rows.organisms()
            for table in OWNED
        }
        return mine | {(0, table.name): summed(rows.rows(table, None)) for table in (*ENCODERS, *SHARED)}
