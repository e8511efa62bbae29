"""A damaged file is told by name, the rest of it stays readable, and a repair saves what it can."""

import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import apsw
import pytest
from tests.support.filled_file import build, opened

from foveal import Record, repair
from foveal.backends.sqlite.connection import translated
from foveal.engine.memory import View
from foveal.errors import Corrupt, NotAMemoryFile, ReadOnly, StoreUnavailable


def notes(records: Iterable[Record]) -> list[Record]:
    """Those of these records that are no entries of the ledger."""
    return [record for record in records if record.kind == "note"]


def damage(path: Path, old: bytes, new: bytes) -> None:
    """Overwrite every place where a file has some bytes."""
    assert len(old) == len(new) and old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))


def test_a_damaged_record_is_named_and_the_others_stay_readable(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ids = build(path)
    damage(path, b"Note 5:", b"Note \xff:")
    with opened(path) as memory, memory.bus.subscribe("0") as listening:
        ada = memory.view(actor_id="ada")
        for call in (lambda: ada.get(ids[5]), lambda: ada.pin(ids[5])):
            with pytest.raises(Corrupt, match=ids[5]) as raised:
                call()
            assert raised.value.data["record_id"] == ids[5]
        others = {record_id for record_id in ids if record_id != ids[5]}
        assert {record.id for record in ada.get_many(ids)} == others
        assert {record.id for record in notes(ada.timeline(limit=100))} == others
        found = ada.search("Note about the spare key behind the boiler", k=30)
        assert found and ids[5] not in {hit.record.id for hit in found}
        assert "behind the boiler" in ada.read("Where is the spare key?").text
        faults = [notice.fault.message for notice in iter(listening.take, None) if notice.fault]
        assert sum(ids[5] in message for message in faults) == 1, "each damaged record is reported once"


def test_a_damaged_index_entry_costs_no_other_record(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ids = build(path)
    file = apsw.Connection(str(path))
    number = file.execute("select seq from record where id = ?", (ids[5],)).get
    file.execute("update trace set terms = substr(terms, 1, length(terms) - 1) where seq = ?", (number,))
    file.execute("update vector set data = substr(data, 1, 7) where seq = ?", (number,))
    file.close()
    with opened(path) as memory:
        ada = memory.view(actor_id="ada")
        assert ids[4] in {hit.record.id for hit in ada.search("spare key behind the boiler", k=30)}
        assert ada.get(ids[5]).text.startswith("Note 5")
    done = repair(path, tmp_path / "repaired.db")
    assert (done.rebuilt, done.encoded, done.lost) == (1, 1, ())
    with opened(tmp_path / "repaired.db") as memory:
        assert ids[5] in {hit.record.id for hit in memory.search("Note 5", k=30, actor_id="ada")}


@pytest.mark.parametrize("metadata", ["-1", "'[]'", "'null'", "'\"text\"'"])
def test_metadata_that_is_no_object_is_damage(tmp_path: Path, metadata: str) -> None:
    path = tmp_path / "memory.db"
    ids = build(path)
    file = apsw.Connection(str(path))
    file.execute(f"update record set metadata = {metadata} where id = ?", (ids[5],))
    file.close()
    with opened(path) as memory:
        ada = memory.view(actor_id="ada")
        with pytest.raises(Corrupt, match=ids[5]):
            ada.get(ids[5])
        assert "Note 4" in ada.read("Note 4").text
        assert ada.nodes.entries() == []


def test_a_vector_that_is_damaged_while_the_index_knows_it_costs_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ids = build(path)
    with opened(path) as memory:
        assert memory.search("Note 4", k=30, actor_id="ada")
    file = apsw.Connection(str(path))
    file.execute("update vector set data = x'ff' where seq = (select seq from record where id = ?)", (ids[5],))
    file.close()
    with opened(path) as memory:
        assert ids[4] in {hit.record.id for hit in memory.search("Note 4", k=30, actor_id="ada")}


def test_a_damaged_entry_and_a_damaged_tier_are_named(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    ids = build(path)
    with opened(path) as memory:
        entry = memory.view(actor_id="ada").nodes.write_entry("plan", {"step": 1}, scope="local")
    file = apsw.Connection(str(path))
    file.execute("update record set text = '{' where id = ?", (entry.record_id,))
    file.execute("update vitals set tier = -1 where id = ?", (ids[5],))
    file.close()
    with opened(path) as memory:
        ada = memory.view(actor_id="ada")
        with pytest.raises(Corrupt, match=str(entry.record_id)):
            ada.nodes.read_entry("plan")
        with pytest.raises(Corrupt, match="the tier of a record is damaged"):
            ada.stats()
        assert ada.get(ids[4]).text.startswith("Note 4")


def test_a_repair_saves_what_can_be_read_and_lists_the_rest(tmp_path: Path) -> None:
    path, saved = tmp_path / "memory.db", tmp_path / "saved.db"
    ids = build(path)
    damage(path, b"Note 5:", b"Note \xff:")
    file = apsw.Connection(str(path))
    file.execute("update record set occurred_at = 1 << 62 where id = ?", (ids[6],))
    file.execute("update record set metadata = '{' where id = ?", (ids[7],))
    file.execute("delete from record where id = ? and version = 2", (ids[0],))
    file.close()
    before = path.read_bytes()
    done = repair(path, saved)
    assert path.read_bytes() == before
    assert any(ids[5] in name and "text" in name for name in done.mended)
    assert any(ids[7] in name and "metadata" in name for name in done.mended)
    assert [name for name in done.lost if "record" in name and ids[6] in name]
    assert not any("hangs" in name for name in (*done.mended, *done.lost)), "a report quotes no text"
    with opened(saved) as memory:
        ada = memory.view(actor_id="ada")
        assert memory.admin.check() == []
        assert {record.id for record in notes(ada.timeline(limit=100))} == set(ids) - {ids[6]}
        assert "the spare key 5 hangs" in ada.get(ids[5]).text
        assert ada.get(ids[7]).metadata == {} and ada.get(ids[8]).metadata == {"number": 8}
        assert ada.get(ids[0]).text.startswith("Note 0"), "the version before the lost one is the newest"
        assert [related.record.id for related in ada.links.related(ids[1])] == [ids[2]]
        assert len(ada.crystals.lineages()) == 1 and len(ada.ledger.get_goals()) == 1
        ada.write("And it can be written to.")


def test_a_repair_goes_around_damaged_pages(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        ids = memory.write_many([f"Letter {number} " + "x" * 900 for number in range(200)], actor_id="ada").ids
    data = bytearray(path.read_bytes())
    page = data.index(b"Letter 100 ") // 4096
    data[page * 4096 : page * 4096 + 200] = bytes(200)
    path.write_bytes(data)
    done = repair(path, tmp_path / "saved.db")
    assert any("record" in name for name in done.lost)
    with opened(tmp_path / "saved.db") as memory:
        assert memory.admin.check() == []
        left = {record.id for record in memory.timeline(limit=1000, actor_id="ada")}
    assert 180 <= len(left) < 200 and ids[0] in left and ids[-1] in left


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path, log = tmp_path / "memory.db", tmp_path / "memory.db-wal"
    build(path)
    whole = path.read_bytes()
    for length in (1, 16, 100, 511):
        path.write_bytes(whole[:length])
        with pytest.raises(Corrupt, match="cut"):
            opened(path)
        assert path.read_bytes() == whole[:length]
    path.write_bytes(b"hello")
    with pytest.raises(NotAMemoryFile):
        opened(path)
    path.write_bytes(b"")
    log.write_bytes(b"what was written last")
    with pytest.raises(Corrupt, match="log"):
        opened(path)
    path.unlink()
    with pytest.raises(Corrupt, match="log"):
        opened(path)
    assert log.read_bytes() == b"what was written last"


def test_a_disk_that_cannot_read_is_no_damaged_file() -> None:
    # Reading address 0 of a process fails with EIO, as a broken disk does.
    with pytest.raises(StoreUnavailable, match="Input/output error"), translated(Path("/proc/self/mem")):
        raise apsw.CorruptError("database disk image is malformed")


@contextmanager
def mounted_read_only(folder: Path) -> Generator[Path, None, None]:
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "--bind", str(folder), place], check=True)
        try:
            subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
            yield Path(place)
        finally:
            subprocess.run(["umount", place], check=True)


def test_a_file_on_a_read_only_mount_opens_for_reading(tmp_path: Path) -> None:
    ids = build(tmp_path / "memory.db")
    with mounted_read_only(tmp_path) as folder:
        for url in (folder / "memory.db", f"sqlite:///{folder}/memory.db?mode=ro"):
            with opened(url) as memory:
                ada = memory.view(actor_id="ada")
                assert ada.get(ids[3]).text.startswith("Note 3")
                assert ada.search("spare key") and "boiler" in ada.read("spare key").text
                with pytest.raises(ReadOnly):
                    ada.write("One more.")
    (tmp_path / "memory.db-wal").write_bytes(b"x" * 64)
    with mounted_read_only(tmp_path) as folder, pytest.raises(ReadOnly, match="copy both"):
        opened(folder / "memory.db")


# Tables beside the records: a column of theirs, whether it holds JSON, and how their rows are listed.
OTHERS: dict[str, tuple[str, bool, Callable[[View], Sequence[object]]]] = {
    "link": ("kind", False, lambda ada: ada.links.related("hub")),
    "context_group": ("description", False, lambda ada: ada.groups.list()),
    "session": ("metadata", True, lambda ada: [one for one in ada.sessions.list() if one.started_at]),
    "goal": ("description", False, lambda ada: ada.ledger.get_goals()),
    "decision": ("options_json", True, lambda ada: ada.ledger.get_decisions()),
    "snapshot": ("label", False, lambda ada: ada.snapshots.list()),
    "crystal": ("reason", False, lambda ada: ada.crystals.lineages()),
    "recollection": ("query", False, lambda ada: ada.browse.recalls()),
    "journal": ("why", False, lambda ada: ada.lifecycle.journal()),
}


def beside(path: Path) -> None:
    """Three rows in each of these tables."""
    with opened(path) as memory:
        ada = memory.view(actor_id="ada")
        ada.write("The hub.", id="hub")
        for number in range(3):
            spoke = ada.write(f"Spoke {number} of the wheel.").id
            ada.links.add("hub", spoke)
            ada.groups.add(f"group {number}", [spoke], description="some")
            ada.sessions.start(session_id=f"call {number}")
            ada.ledger.store_goal(f"Goal {number}")
            ada.ledger.store_decision(f"Decision {number}", "tea")
            ada.snapshots.take(f"label {number}")
            ada.crystals.crystallize([{"role": "user", "content": f"Where is spoke {number}?"}])
            ada.forget(ada.write(f"Rim {number} of the wheel.").id)
            ada.read(f"Where is spoke {number}?")


@pytest.mark.parametrize("table", OTHERS)
def test_a_damaged_row_is_named_by_table_and_key_and_a_repair_lists_it_alone(tmp_path: Path, table: str) -> None:
    path, saved = tmp_path / "memory.db", tmp_path / "saved.db"
    beside(path)
    column, is_json, listed = OTHERS[table]
    with opened(path) as memory:
        before = len(listed(memory.view(actor_id="ada")))
        records = memory.timeline(actor_id="ada")
    file = apsw.Connection(str(path))
    keys = [name for (name,) in file.execute("select name from pragma_table_info(?) where pk", (table,))]
    first = cast(Any, file.execute(f"select {', '.join(keys)} from {table} limit 1").fetchall()[0])
    value = "'{'" if is_json else "cast(x'ff41' as text)"
    matches = " and ".join(f"{key} = ?" for key in keys)
    file.execute(f"update {table} set {column} = {value} where {matches}", first)
    file.close()
    with opened(path) as memory, memory.bus.subscribe("0") as listening:
        ada = memory.view(actor_id="ada")
        assert len(listed(ada)) == len(listed(ada)) == before - 1
        assert ada.timeline() == records
        faults = [notice.fault.message for notice in iter(listening.take, None) if notice.fault]
        [fault] = [message for message in faults if f"of the table {table} is damaged" in message]
        key = fault.partition("the row ")[2].partition(" of the table")[0]
        assert key
    done = repair(path, saved)
    assert len((*done.lost, *done.mended)) == 1
    assert table in (*done.lost, *done.mended)[0]
    with opened(saved) as memory:
        ada = memory.view(actor_id="ada")
        assert memory.admin.check() == []
        assert len(listed(ada)) in (before - 1, before)
        assert ada.timeline() == records
