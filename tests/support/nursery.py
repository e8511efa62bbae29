"""Processes of `foveal` that start at once: forked from one that has imported everything, not imported anew.

Each is a process like any other, with arguments, variables, streams and an exit code of its own. They are for tests
that need many of them and promise nothing about how one starts.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Self

from foveal import Memory
from foveal.doors.cli import main

LAUNCHER = Path(__file__).with_name("launcher.py")


class Nursery:
    """A process that others are forked from. `command` runs `foveal` in such a one, followed by its arguments."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="fny-"))
        place = self.folder / "socket"
        words = [sys.executable, "-m", "tests.support.nursery", str(place)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=LAUNCHER.parents[2]
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"
        # Neither the site nor the variables of a user: all that takes time is left out.
        self.command = [sys.executable, "-I", "-S", str(LAUNCHER), str(place)]
        self.path = self.folder / "bin"
        self.path.mkdir()
        script = self.path / "foveal"
        script.write_text(f'#!/bin/sh\nexec {" ".join(self.command)} "$@"\n')
        script.chmod(0o755)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()
        for file in (self.path / "foveal", self.folder / "socket"):
            file.unlink()
        self.path.rmdir()
        self.folder.rmdir()


def _imported() -> None:
    """Import, and load, what commands need."""
    for name in ("foveal.doors.cli.app", "foveal.doors.mcp.server", "foveal.doors.server"):
        import_module(name)
    with Memory(":memory:") as memory:
        memory.write("Ada prefers tea.", actor_id="ada")
        memory.read("What does Ada drink?", actor_id="ada")


def _serve(place: str) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        print("ready", flush=True)
        # Standard input ends with the process that started this one.
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            line, _ = listening.accept()
            if os.fork() == 0:
                break
            line.close()
        else:
            return
    _accompany(line)


def _accompany(line: socket.socket) -> None:
    """Start one process, and tell who asked for it how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(line, 8, 3)
    with line.makefile("rb") as said:
        asked = json.loads(said.read(int(size)))
    child = os.fork()
    if child:
        line.sendall(b"%8d" % child)
        for stream in streams:
            os.close(stream)
        line.sendall(b"%8d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os._exit(0)
    line.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    _become(asked["words"], asked["folder"], asked["variables"])


def _become(words: list[str], folder: str, variables: dict[str, str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    encoding = variables.get("PYTHONIOENCODING", "utf-8")
    sys.stdin = open(0, encoding=encoding, closefd=False)
    sys.stdout = open(1, "w", encoding=encoding, closefd=False)
    sys.stderr = open(2, "w", encoding=encoding, buffering=1, closefd=False)
    sys.argv = ["foveal", *words]
    try:
        main()
    except SystemExit as ended:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        # To take all that was imported apart again takes longer than most commands.
        os._exit(int(ended.code or 0))


if __name__ == "__main__":
    # Those that are forked are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _imported()
    gc.freeze()
    _serve(sys.argv[1])
