"""Start-up stays cheap: the benchmark times it, this test says why it is so."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("numpy", "rich", "pydantic", "msgspec", "apsw", "foveal.compose", "foveal.engine", "foveal.rules")


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
