from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import pytest
from tests.stories.waiting import until
from tests.support.nursery import Nursery

from foveal.doors.cli.invocation import Code

from .conftest import Run

FOVEAL = [sys.executable, "-m", "foveal.doors.cli"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


Terminal = Callable[..., tuple[int, str]]


@pytest.fixture
def on_a_terminal(nursery: Nursery) -> Terminal:
    """Run a command on a terminal of 80 columns, and give its exit code and what the terminal got."""
    return partial(_on_a_terminal, nursery.command)


def _on_a_terminal(
    command: list[str], *words: str, typed: str = "", both: bool = True, **variables: str
) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
    process = subprocess.Popen(
        [*command, *words],
        stdin=theirs,
        stdout=theirs if both else subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", **variables},
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    seen = b""
    while select.select([ours], [], [], 240)[0]:
        try:
            part = os.read(ours, 65_536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(ours)
    return process.wait(timeout=240), seen.decode().replace("\r\n", "\n")


@pytest.fixture
def url(path: Path) -> str:
    return str(path)


def test_on_a_terminal_text_is_wrapped_and_coloured(run: Run, url: str, on_a_terminal: Terminal) -> None:
    run("write", "word " * 40, "--speaker", "Ada")
    code, seen = on_a_terminal("ls", "-u", url)
    assert code == 0
    assert COLOUR.search(seen)
    lines = COLOUR.sub("", seen).splitlines()
    assert len(lines) == 4
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    assert all(line.startswith("  word") for line in lines[1:])


def test_no_color_means_no_escape_sequence(run: Run, url: str, on_a_terminal: Terminal) -> None:
    run("write", "x")
    for words in (["search", "x"], ["regions"]):
        _, seen = on_a_terminal(*words, "-u", url, NO_COLOR="1")
        assert "\x1b" not in seen


def test_stored_text_cannot_drive_the_terminal(run: Run, url: str, on_a_terminal: Terminal) -> None:
    run("write", "red \x1b]0;title\x07 [bold]alert[/bold]", "--speaker", "\u202eAda")
    _, seen = on_a_terminal("ls", "-u", url, NO_COLOR="1")
    assert "\x1b" not in seen
    assert "\x07" not in seen
    assert "[bold]alert[/bold]" in seen
    assert "\x1b" not in run("search", "red").out


def test_erasing_asks_on_a_terminal(run: Run, tea: str, url: str, on_a_terminal: Terminal) -> None:
    code, seen = on_a_terminal("forget", tea, "--hard", "-u", url, typed="n\n")
    assert (code, "for good?" in seen) == (Code.FAILED, True)
    assert run("get", tea).code == 0
    assert on_a_terminal("forget", tea, "--hard", "-u", url, typed="y\n")[0] == Code.OK
    assert run("get", tea).code == Code.NOT_FOUND


def test_progress_is_shown_on_a_terminal_only(run: Run, url: str, tmp_path: Path, on_a_terminal: Terminal) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("one\ntwo\n")
    assert run("write", "--file", str(file)).err == ""
    code, seen = on_a_terminal("write", "--file", str(file), "-u", url, both=False)
    assert (code, "2/2" in seen) == (0, True)
    assert on_a_terminal("write", "--file", str(file), "-q", "-u", url, both=False)[1] == ""


@pytest.mark.parametrize(
    "words", [["ls", "--limit", "2000"], ["ls", "--limit", "2000", "--json"], ["ls", "-n", "1"]]
)
def test_a_reader_that_goes_away_ends_it_quietly(run: Run, url: str, words: list[str]) -> None:
    run("write", "--file", "-", said="a line of text that is long enough to fill a pipe\n" * 2000)
    process = subprocess.Popen([*FOVEAL, "-u", url, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), told) == (Code.BROKEN_PIPE, b"")


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _reads_on(pid: int, pipe: int) -> bool:
    """Whether a process has read what is in a pipe, and sleeps until more comes."""
    left = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))
    return left == (0,) and psutil.Process(pid).status() == psutil.STATUS_SLEEPING


def test_an_interrupt_ends_it_quietly(url: str) -> None:
    process = subprocess.Popen(
        [*FOVEAL, "write", "-", "-u", url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A test run in the background ignores interrupts, and its children with it.
        preexec_fn=_heed_interrupts,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(b"the first words")
    process.stdin.flush()
    until(partial(_reads_on, process.pid, process.stdin.fileno()))
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    assert process.wait() == Code.INTERRUPTED
    assert b"Traceback" not in rest


def test_a_poor_encoding_loses_no_answer(run: Run, process: Run) -> None:
    run("write", "東京")
    assert process("ls", PYTHONIOENCODING="latin-1").out.endswith("\\u6771\\u4eac\n")
    assert process("ls", "--json", PYTHONIOENCODING="latin-1").json[0]["text"] == "東京"
