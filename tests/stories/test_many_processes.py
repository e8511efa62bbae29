"""Many processes may open one file: nothing is lost, and each sees the others at its next read."""

import contextlib
import subprocess
import sys
from pathlib import Path

import apsw

from foveal import Memory
from foveal.backends.sqlite.connection import APPLICATION_ID

WRITER = """
import sys
from foveal import Memory
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory(path) as memory:
    mine = memory.view(actor_id="team", session_id=name)
    for number in range(count):
        mine.write(f"{name} writes note {number}")
        if number % 100 == 0:
            said = f"{name} writes note {number}"
            assert said in [one.text for one in mine.search(said, k=5, min_relevance=0)]
"""


def test_ten_processes_write_five_hundred_records_each_and_lose_none(tmp_path: Path) -> None:
    path = tmp_path / "new" / "shared.db"
    # Nobody made the file before: all ten race to make it.
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), f"w{n}", "500"], stderr=subprocess.PIPE)
        for n in range(10)
    ]
    said = [writer.communicate()[1].decode() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 10, said
    with Memory(path) as memory:
        texts = [one.text for one in memory.timeline(actor_id="team", limit=10_000)]
        assert sorted(texts) == sorted(f"w{w} writes note {n}" for w in range(10) for n in range(500))
        slices = [one.time_slice for one in memory.browse.addresses(actor_id="team", limit=10_000)]
        assert sorted(slices) == list(range(5000))
        assert memory.admin.check() == []


def test_a_file_that_another_process_makes_meanwhile_is_not_taken_for_a_stranger_s(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    tried: list[str] = []

    def another_makes_it(_: apsw.Cursor, statement: str, __: object) -> bool:
        if "user_version" in statement and not path.stat().st_size:
            tried.append(statement)
            with contextlib.suppress(apsw.BusyError), contextlib.closing(apsw.Connection(str(path))) as other:
                other.execute(
                    f"begin immediate; create table t (a); pragma application_id = {APPLICATION_ID}; commit"
                )
        return True

    def watch(db: apsw.Connection) -> None:
        db.exec_trace = another_makes_it

    apsw.connection_hooks.append(watch)
    try:
        with Memory(path) as memory:
            memory.write("a note in a file that two wanted to make", actor_id="team")
            found = memory.search("a note", actor_id="team")
    finally:
        apsw.connection_hooks.remove(watch)
    assert tried
    assert [one.text for one in found] == ["a note in a file that two wanted to make"]


def test_a_process_sees_what_another_wrote_at_its_next_read(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with Memory(path) as memory:
        mine = memory.view(actor_id="team")
        mine.write("the first note of this process")
        assert len(mine.search("note", k=50, min_relevance=0)) == 1
        subprocess.run([sys.executable, "-c", WRITER, str(path), "other", "20"], check=True)
        assert len(mine.search("note", k=50, min_relevance=0)) == 21
        assert mine.search("other writes note 7", k=1)[0].text == "other writes note 7"
