"""The examples of frameworks run offline and tell what they promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROMISED = {
    "langgraph_agent": "You told me: My sister Mira lives in Porto.",
    "openai_agents_session": "My flat is in Lisbon.",
    "langchain_memory": "You told me: My flat is in Lisbon.",
    "mem0_chat": "(known) My flat is in Porto now",
    "claude_memory_tool": "> search: Ada lives in Porto.\n> before: Ada lives in Lisbon.",
}


@pytest.mark.parametrize("name", PROMISED)
def test_an_example_keeps_its_promise(name: str, tmp_path: Path) -> None:
    script = ROOT / "examples" / f"{name}.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert PROMISED[name] in done.stdout
