"""What a file keeps of crystals: whole ones after a kill, small rows, shared texts, nothing of what was erased."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from foveal import Memory
from foveal.errors import Corrupt

WRITER = """
import sys
from foveal import Memory
crystals = Memory(sys.argv[1]).view(actor_id="ada").crystals
number = 0
while True:
    texts = [{"role": "user", "content": f"keep {number} {n} " * 9} for n in range(20)]
    print(crystals.crystallize(texts, keep=False).crystal_id, flush=True)
    number += 1
"""


def test_a_kill_in_the_middle_of_a_crystal_leaves_only_whole_ones(tmp_path: Path) -> None:  # D10
    path = tmp_path / "memory.db"
    done: list[str] = []
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        while len(done) < 25:
            done.append(writer.stdout.readline().decode().strip())
        os.kill(writer.pid, signal.SIGKILL)
        done += writer.stdout.read().decode().split("\n")[:-1]
    with Memory(path) as memory:
        crystals = memory.view(actor_id="ada").crystals
        assert memory.admin.check() == []
        listed = [one.crystal_id for one in crystals.lineages()]
        assert set(done) <= set(listed)
        assert len(listed) - len(done) in (0, 1)
        for one in listed:
            assert len(crystals.get(one).focus_fragments) == 20


def test_a_row_of_a_crystal_is_small_and_generations_share_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        crystals = memory.view(actor_id="ada").crystals
        said = [{"role": "user", "content": f"turn {n}: " + "five hundred characters " * 21} for n in range(60)]
        window = crystals.window(said)
        for _ in range(5):
            crystal = crystals.crystallize(window, working_memory={"notes": "x " * 25_000}, reason="r" * 900)
            assert len(crystal.focus_fragments) == 60
            window = crystals.resume(crystal.crystal_id).window
    db = apsw.Connection(str(path))
    columns = [row[1] for row in db.execute("pragma table_info(crystal)")]
    length = " + ".join(f"coalesce(length(cast({name} as blob)), 0)" for name in columns)
    assert max(row[0] for row in db.execute(f"select {length} from crystal")) < 10_000
    [(blobs, size)] = db.execute("select count(*), sum(length(data)) from crystal_blob")
    assert blobs <= 60 + 2
    assert size < 20_000
    db.close()


def test_a_text_that_was_damaged_is_reported_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        crystal = memory.view(actor_id="ada").crystals.crystallize([{"role": "user", "content": "the truth"}])
    db = apsw.Connection(str(path))
    for damage in ("zeroblob(9)", "x'789c2b2849552829ca2c2801000e1a0389'"):
        db.execute(f"update crystal_blob set data = {damage}")
        with Memory(path) as memory, pytest.raises(Corrupt):
            memory.view(actor_id="ada").crystals.get(crystal.crystal_id)
    db.close()


def test_an_erased_crystal_is_nowhere_in_the_files(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db") as memory:
        crystals = memory.view(actor_id="ada").crystals
        crystal = crystals.crystallize([{"role": "user", "content": "xq"}], reason="unused", keep=False)
        db = apsw.Connection(str(tmp_path / "memory.db"))
        [(data,)] = db.execute("select data from crystal_blob order by length(data) desc limit 1")
        db.close()
        crystals.compost(crystal.crystal_id, hard=True)
        found = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert bytes(data) not in found
