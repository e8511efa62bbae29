"""How many bytes a record takes, in the file and in RAM, beside its text and vector alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.figure import BYTES, Figure
from bench.stores import BIG, Built
from foveal.backends.models.static import StaticEmbedder

PART = "bytes a record"

# The first search, of somebody without records, loads the encoder; what comes with the second is the index.
_GROWTH = """
import gc
import sys
from foveal import Memory

def resident():
    gc.collect()
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

with Memory(sys.argv[1]) as memory:
    for n in range(20):
        memory.search(f"{sys.argv[3]} {n}", actor_id="nobody")
    before = resident()
    for n in range(20):
        memory.search(f"{sys.argv[3]} {n}", actor_id=sys.argv[2])
    print(resident() - before)
"""


def figures(built: Built) -> list[Figure]:
    """The size of the closed file, and what a search makes of it in RAM."""
    file = sum(path.stat().st_size for path in built.path.parent.glob(f"{built.path.name}*"))
    size = f"{built.size:,} records"
    found = [
        Figure(
            PART,
            f"{size}: in the file",
            file / built.size,
            BYTES,
            built.raw_bytes / built.size,
            "text + half-precision vector",
            built.size,
        )
    ]
    grown = _grown(built)
    if grown is not None:
        records = len(built.texts[BIG])
        name, bound = f"{size}: in RAM, big actor", float(StaticEmbedder.dimension)
        found.append(Figure(PART, name, grown / records, BYTES, bound, "one byte a number", records))
    return found


def _grown(built: Built) -> int | None:
    """By how many bytes a process grows when it first searches the big actor; None where nobody says."""
    if not Path("/proc/self/status").exists():
        return None
    arguments = [sys.executable, "-c", _GROWTH, str(built.path), BIG, built.texts[BIG][0]]
    return int(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
