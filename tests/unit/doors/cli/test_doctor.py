from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from foveal.backends.models.adapters import CallingEmbedder
from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.cli import doctor
from foveal.doors.cli.doctor import LASTING
from foveal.doors.service.health import HealthMonitor
from foveal.testing.servers import Valkey

from .conftest import Run


def _failed(out: str) -> list[str]:
    assert all(line.startswith(("OK ", "FAIL ")) for line in out.splitlines())
    return [line.split()[1] for line in out.splitlines() if line.startswith("FAIL")]


def test_a_healthy_memory_passes(run: Run, tea: str) -> None:
    ended = run("doctor")
    assert (ended.code, _failed(ended.out)) == (0, [])
    for check in ("file", "schema", "integrity", "vectors", "sizes", "permissions", "encoder", "crash"):
        assert f"OK    {check} " in ended.out


def test_the_parts_are_as_a_server_would_say(run: Run, tea: str, path: Path) -> None:
    said = {one["check"]: one["detail"] for one in run("doctor", "--json").json["checks"]}
    with Memory(path) as memory:
        parts = {
            one.name: one
            for one in HealthMonitor(memory, Settings(second_look="off"), url=path).health().components
        }
    for name in LASTING:
        assert said[name].removeprefix("degraded: ").startswith(parts[name].reason)


def test_a_part_that_works_with_less_says_so_and_does_not_fail(
    run: Run, tea: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOVEAL_METABOLISM", "worker")
    ended = run("doctor")
    assert (ended.code, _failed(ended.out)) == (0, [])
    assert "OK    scheduler    degraded: never ran: start foveal worker" in ended.out


def test_examining_makes_no_file(run: Run, path: Path) -> None:
    assert run("doctor").code == 0
    assert not path.exists()
    assert run("doctor", "--url", ":memory:").code == 0


def test_a_file_of_another_application_fails(run: Run, path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("create table mine (x)")
    other.close()
    path.chmod(0o600)
    ended = run("doctor", "--json")
    assert ended.code == 1
    assert ended.json["ok"] is False
    failed = {one["check"]: one["detail"] for one in ended.json["checks"] if not one["ok"]}
    assert "not_a_memory_file" in failed["file"]


def test_damage_fails(run: Run, path: Path) -> None:
    run("write", "--file", "-", said="some text\n" * 500)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(os.urandom(20_000))
    ended = run("doctor")
    assert ended.code == 1
    assert "integrity" in _failed(ended.out)


def test_vectors_of_another_encoder_fail(run: Run, path: Path) -> None:
    with Memory(path, embedder=CallingEmbedder(lambda texts: [[1.0, 0.0] for _ in texts], id="flat")) as memory:
        memory.write("x", actor_id="me")
    ended = run("doctor")
    assert ended.code == 1
    assert "vectors" in _failed(ended.out)


def test_the_writing_process_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[str]] = []

    class Watched(subprocess.Popen[str]):
        def __init__(self, *words: Any, **details: Any) -> None:
            super().__init__(*words, **details)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    assert doctor.survives_a_crash() == "a process killed right after a write lost nothing"
    assert [one.returncode for one in started] == [-signal.SIGKILL]


def test_a_lost_write_is_noticed(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    def nothing(path: Path) -> str:
        return "an id nobody wrote"

    monkeypatch.setattr(doctor, "_killed_after_writing", nothing)
    ended = run("doctor")
    assert (ended.code, _failed(ended.out)) == (1, ["crash"])


@pytest.mark.server
def test_a_redis_server_is_examined(run: Run, valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_REDIS", valkey.url)
    ended = run("doctor", "--url", ":memory:")
    assert ended.code == 0 and "OK    redis        valkey" in ended.out
    with Redis.from_url(valkey.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        ended = run("doctor", "--url", ":memory:")
        client.config_set("maxmemory-policy", "noeviction")
    assert _failed(ended.out) == ["redis"] and "volatile-lru" in ended.out


def test_a_redis_server_that_is_away_fails_and_its_password_is_not_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOVEAL_REDIS", "redis://:hunter2@127.0.0.1:1/0")
    ended = run("doctor", "--url", ":memory:")
    assert _failed(ended.out) == ["redis"] and "does not answer" in ended.out
    shown = run("config", "show")
    assert "redis://:***@127.0.0.1:1/0" in shown.out
    assert "hunter2" not in ended.out + shown.out
    assert run("write", "tea").code == 0, "a memory works without it"
