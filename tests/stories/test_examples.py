"""The examples run and tell what they promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from foveal.testing.servers import free_port

ROOT = Path(__file__).parents[2]


def test_a_memory_is_served_and_asked_over_grpc(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            str(ROOT / "examples" / "grpc_walkthrough.py"),
            str(tmp_path / "memory.db"),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    for line in (
        "health: SERVING",
        "request id: walk-1",
        "streamed: 500 records",
        "came back: 500 from 'Log, day 1: 7 miles.' to 'Log, day 500: 3500 miles.'",
        "refused: NOT_FOUND not_found",
        "without a key: UNAUTHENTICATED",
        "found: Ada sails to Lisbon in May.",
        "raised: NotFound - there is no record 'nobody' here",
        "stopped; the memory holds 501 records",
    ):
        assert line in done.stdout


def test_a_run_that_is_killed_goes_on_from_its_crystal(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "crystals.py"), str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert "killed the agent with SIGKILL; it ended with -9" in done.stdout
    assert "compressed to" in done.stdout
    for decision in ("look at the table `harbour_call` first", "add an index on (port, arrived_at)"):
        assert f"still known: Decision: {decision}" in done.stdout
    merged = done.stdout.partition("merged into")[2]
    assert "a materialised view takes 55 s" in merged
    assert "41 s instead of 19 min" in merged
    assert "still in memory: obs_" in done.stdout


def test_curl_is_enough_to_use_a_memory() -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", str(ROOT / "examples" / "curl_walkthrough.sh"), str(free_port())],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert "Ada prefers coffee now." in done.stdout
    assert '"code":"precondition_failed"' in done.stdout
    assert "event: answer" in done.stdout


def test_what_one_model_decided_the_next_one_knows_over_mcp(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "mcp_walkthrough.py"), str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert "assistant: We chose Postgres 15" in done.stdout
    assert '"version": 2, "pinned": true' in done.stdout
    assert "is pinned: unpin it first" in done.stdout
    assert "resource: memory:///default/agent%3Aada/" in done.stdout
    assert "Write a handoff note" in done.stdout


def test_a_chatbot_follows_what_changes_and_is_corrected(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / "facts_chatbot.py"), str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert "learned: update home = Zwolle" in done.stdout
    corrected = '- We moved to Zwolle-Zuid. (before: "Utrecht", until 3 May 2026) [2026-05-03, corrected, 1.00]'
    assert corrected in done.stdout
