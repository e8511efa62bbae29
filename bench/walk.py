"""Count what one read and one write pass through: files, functions, and changes of package."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import foveal
from foveal import Memory

SOURCE = Path(foveal.__file__).parent
# A conversation short enough to be read here, and long enough that a read has something to choose from.
TOLD = (
    "Ada prefers tea in the morning.",
    "The certificate of the harbour office expires in March.",
    "Bob moved to Lisbon last week.",
    "Ada asked for a table by the window.",
    "We decided to use Postgres for the archive.",
)


@dataclass
class Walk:
    """The functions of `src/foveal` that a call passes, in the order in which they are entered."""

    steps: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note a function that is entered, as `sys.setprofile` wants it."""
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(str(SOURCE)):
            # What is made by a decorator or on import is of no interest: names alone tell functions apart.
            self.steps.append((str(Path(name).relative_to(SOURCE)), frame.f_code.co_qualname))

    @property
    def files(self) -> set[str]:
        """The files passed."""
        return {file for file, _ in self.steps}

    @property
    def functions(self) -> set[tuple[str, str]]:
        """The functions passed."""
        return set(self.steps)

    @property
    def changes(self) -> int:
        """How often a function is entered from one of another package."""
        packages = [file.rpartition("/")[0] or file for file, _ in self.steps]
        return sum(before != after for before, after in zip(packages, packages[1:], strict=False))


def walked(call: Callable[[], object]) -> Walk:
    """What a call passes through, in this thread and in those it starts."""
    walk = Walk()
    threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # pyright: ignore[reportArgumentType]
    return walk


def walks(folder: Path) -> dict[str, Walk]:
    """One read and one write on a SQLite file that has been read and written before."""
    with Memory(folder / "walk.db") as memory:
        for text in TOLD:
            memory.write(text, actor_id="ada")
        memory.read("what does Ada drink?", actor_id="ada", token_budget=500)
        return {
            "read": walked(lambda: memory.read("where did Bob go?", actor_id="ada", token_budget=500)),
            "write": walked(lambda: memory.write("Ada now prefers coffee.", actor_id="ada")),
        }


def main() -> None:
    """Print the table, and with `--files` the files of each."""
    with tempfile.TemporaryDirectory(prefix="foveal-walk-") as name:
        found = walks(Path(name))
    print(f"{'verb':8}{'files':>8}{'functions':>12}{'changes of package':>22}{'calls':>8}")
    for verb, walk in found.items():
        counts = f"{len(walk.files):>8}{len(walk.functions):>12}{walk.changes:>22}{len(walk.steps):>8}"
        print(f"{verb:8}{counts}")
    if "--files" in sys.argv[1:]:
        for verb, walk in found.items():
            print(f"\n{verb}: {' '.join(sorted(walk.files))}")


if __name__ == "__main__":
    main()
