"""A memory file of every release opens, and reads the same."""

import shutil
from pathlib import Path

import apsw
import pytest

from foveal import Memory
from foveal.backends.sqlite.connection import migrations
from foveal.errors import ReadOnly

FILES = sorted((Path(__file__).parents[1] / "data").glob("memory-*.db"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_an_earlier_release_reads_the_same(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    shutil.copyfile(file, path)
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada", session_id="s1")
        assert [one.text for one in ada.history("home")] == ["Ada lives in Oslo.", "Ada lives in Bergen."]
        home = ada.get("home")
        assert (home.version, home.tags, dict(home.metadata), home.vitals.pinned) == (2, ("home",), {"n": 1}, True)
        assert ada.search("Where does Ada live?")[0].id == "home"
        assert ada.search("東京の寿司")[0].id == "sushi"
        assert [(one.record.id, one.link.weight) for one in ada.links.related("home", kind="before")] == [
            ("sushi", 0.5)
        ]
        assert [one.id for one in ada.groups.members(ada.groups.list()[0].id)] == ["home"]
        assert ada.get("plan").node == "/planner"
        assert memory.admin.check() == []
        assert ada.write("and it goes on").addresses[0].time_slice == 4


def test_an_old_file_is_not_opened_read_only_before_it_was_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    shutil.copyfile(FILES[0], path)
    with pytest.raises(ReadOnly, match="open it once for writing"):
        Memory(f"sqlite:///{path}?mode=ro")
    Memory(path).close()
    with Memory(f"sqlite:///{path}?mode=ro") as memory:
        assert memory.search("Where does Ada live?", actor_id="ada")[0].id == "home"


def test_what_was_out_of_sight_in_an_old_file_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    shutil.copyfile(FILES[0], path)
    db = apsw.Connection(str(path))
    db.execute("update vitals set forgotten_at = 1 where id = 'sushi'")
    db.close()
    with Memory(path) as memory:
        found = {hit.record.text for hit in memory.search("sushi in Oslo and Bergen", actor_id="ada")}
    assert "Ada lives in Bergen." in found
    assert "Ada lives in Oslo." not in found
    assert not any("寿司" in text for text in found)


def test_every_migration_leaves_the_schema_that_a_new_file_has(tmp_path: Path) -> None:
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    shutil.copyfile(FILES[0], old)
    assert _schema(old) == _schema(new)


def _schema(path: Path) -> list[str]:
    Memory(path).close()
    db = apsw.Connection(str(path))
    assert db.pragma("user_version") == len(migrations())
    found = list(db.execute("select sql from sqlite_schema where sql is not null order by name"))
    db.close()
    return [str(row[0]) for row in found]
