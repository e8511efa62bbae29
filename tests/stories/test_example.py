"""The example of the orchestrator runs offline, and prints the contexts it assembled."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "orchestrator.py"


def test_the_orchestrator_example_runs_offline_and_shows_its_contexts(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(EXAMPLE)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    _, first, second, third = done.stdout.split("== ")
    assert first.count("-- context") == 3
    assert "cpu.usage" in first
    assert all("12 characters" in one for one in second.split("-- context")[1:])
    assert "no model was asked" in third
