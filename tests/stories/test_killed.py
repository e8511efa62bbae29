"""A process killed in the middle of its writes loses nothing acknowledged and leaves no half record."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from foveal import Memory

WRITER = """
import sys
from foveal import Memory
memory = Memory(sys.argv[1]).view(actor_id="ada")
batch = int(sys.argv[2])
number = 0
while True:
    texts = [f"note {number + n} of a long day" for n in range(batch)]
    written = memory.write_many(texts) if batch > 1 else memory.write(texts[0])
    number += batch
    print(" ".join(written.ids), flush=True)
"""


@pytest.mark.parametrize("batch", [1, 40])
def test_every_acknowledged_write_survives_a_kill(tmp_path: Path, batch: int) -> None:
    path = tmp_path / "memory.db"
    acknowledged: list[str] = []
    command = [sys.executable, "-c", WRITER, str(path), str(batch)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        while len(acknowledged) < 1000:
            acknowledged += writer.stdout.readline().decode().split()
        os.kill(writer.pid, signal.SIGKILL)
        rest = writer.stdout.read().decode().split("\n")
    acknowledged += [one for line in rest[:-1] for one in line.split()]
    with Memory(path) as memory:
        mine = memory.view(actor_id="ada")
        assert memory.admin.check() == []
        found = {one.id: one for one in mine.get_many(acknowledged)}
        assert set(found) == set(acknowledged)
        everything = mine.timeline(limit=100_000)
        assert len(everything) - len(acknowledged) in (0, batch)  # the one write that was not yet answered
        stats = mine.stats()
        assert (stats.records, stats.pending) == (len(everything), 0)
        hits = mine.search("note 999 of a long day", k=1)
        assert hits[0].text == "note 999 of a long day"
