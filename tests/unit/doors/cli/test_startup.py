from __future__ import annotations

import os
import subprocess
import sys

HEAVY = ("numpy", "rich", "pydantic", "msgspec", "apsw", "foveal.compose", "foveal.engine", "foveal.rules")


def _seconds(*words: str) -> float:
    """How long a process kept a processor busy."""
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


def test_help_costs_at_most_twice_the_import_of_typer() -> None:
    pairs = [(_seconds("-c", "import typer"), _seconds("-m", "foveal.doors.cli", "--help")) for _ in range(9)]
    assert min(help for _, help in pairs) <= 2 * min(typer for typer, _ in pairs)


def test_help_imports_nothing_heavy() -> None:
    script = f"""
import sys
from foveal.doors.cli.app import app
try:
    app(["--help"])
except SystemExit:
    pass
sys.exit(" ".join(name for name in {HEAVY!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "\n") or done.returncode == 0, done.stderr
