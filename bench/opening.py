"""How long a fresh process takes until it answers, and until it has merely started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench.figure import SECONDS, Figure
from bench.stores import BIG, SMALL, Built
from bench.timing import Task, interleaved, median
from foveal.backends.models.static import StaticEmbedder

PART = "start"
ROUNDS = 5

_FIRST_SEARCH = """
import sys
from foveal import Memory
with Memory(sys.argv[1]) as memory:
    assert memory.search(sys.argv[3], actor_id=sys.argv[2])
"""
_READ_BYTES = """
import sys
import numpy
with open(sys.argv[1], "rb") as file:
    numpy.frombuffer(file.read(int(sys.argv[2])), "u1").max()
"""


def started(arguments: list[str], folder: Path) -> None:
    """Run Python with compiled modules kept in a folder of ours, whatever the environment says."""
    said = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "FOVEAL_"))}
    environment = said | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    subprocess.run([sys.executable, *arguments], check=True, env=environment, cwd=folder, stdout=subprocess.DEVNULL)


def _starting(arguments: list[str], folder: Path) -> Task:
    return lambda _: started(arguments, folder)


def figures(built: Built, folder: Path) -> list[Figure]:
    """Fresh processes in turns: the first search, the import, the help, and their bounds."""
    path = str(built.path)
    commands = {
        "bare": ["-c", ""],
        "import": ["-c", "import foveal"],
        "typer": ["-c", "import typer"],
        "help": ["-m", "foveal.doors.cli", "--help"],
    }
    for actor in (BIG, SMALL):
        question = built.texts[actor][0]
        stored = len(built.texts[actor]) * StaticEmbedder.dimension * 2
        commands[f"search {actor}"] = ["-c", _FIRST_SEARCH, path, actor, question]
        commands[f"read {actor}"] = ["-c", _READ_BYTES, path, str(stored)]
    tasks = {name: _starting(arguments, folder) for name, arguments in commands.items()}
    cost = {name: median(spent.wall) for name, spent in interleaved(tasks, ROUNDS, warm=1).items()}

    def seconds(name: str, task: str, bound: str, against: str) -> Figure:
        return Figure(PART, name, cost[task], SECONDS, cost[bound], against, ROUNDS)

    read = "numpy imported and the stored vectors' bytes read"
    size = f"{built.size:,} records"
    return [
        seconds(f"{size}: first search, big actor", f"search {BIG}", f"read {BIG}", read),
        seconds(f"{size}: first search, small actor", f"search {SMALL}", f"read {SMALL}", read),
        seconds("import foveal", "import", "bare", "bare python"),
        seconds("foveal --help", "help", "typer", "python -c 'import typer'"),
    ]
