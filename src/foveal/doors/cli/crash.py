"""The check that a killed process loses nothing it was told is stored."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.config import Settings

TEXT = "Written just before the process was killed."
ACTOR = "doctor"


def lost_by_a_crash() -> str | None:
    """What a process that is killed right after an acknowledged write has lost; None if nothing.

    The process is another one, in a folder of its own, and it is killed with SIGKILL.
    """
    from foveal.compose import Memory

    with TemporaryDirectory(prefix="foveal-doctor-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "memory.db"
        acknowledged = _killed_after_writing(path)
        if not acknowledged:
            return "the writing process ended before its write was acknowledged"
        with Memory(path, settings=apart()) as memory:
            view = memory.view(actor_id=ACTOR)
            if view.get(acknowledged).text != TEXT:
                return f"{acknowledged} came back with another text"
            if acknowledged not in [hit.id for hit in view.search(TEXT, min_relevance=0)]:
                return f"{acknowledged} is stored, but search does not find it"
            return "; ".join(view.check()) or None


def apart() -> Settings:
    """The settings, for a memory that is made for a moment: it must not touch what belongs to another."""
    import msgspec

    from foveal.config import load_settings

    return msgspec.structs.replace(load_settings(), vector_index=None)


def _killed_after_writing(path: Path) -> str:
    command = [sys.executable, "-m", __name__, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = process.stdout.readline().strip()
        process.kill()
    return acknowledged


def _write_and_wait(path: Path) -> None:
    from foveal.compose import Memory

    memory = Memory(path, settings=apart())
    print(memory.write(TEXT, actor_id=ACTOR).id, flush=True)
    # Wait to be killed, with the file still open; the end of the input means that the parent is gone.
    sys.stdin.read()


if __name__ == "__main__":
    _write_and_wait(Path(sys.argv[1]))
