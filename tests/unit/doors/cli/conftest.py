"""A command line with a memory of its own, in this process and in another."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from tests.support.nursery import Nursery
from typer.main import get_command
from typer.testing import CliRunner

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.cli.app import app


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)


Run = Callable[..., Ended]


@pytest.fixture(autouse=True)
def plain_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine that runs the tests: no FOVEAL_ variable, no .env, no data folder."""
    for name in list(os.environ):
        if name.startswith("FOVEAL_") or name in (
            "DATABASE_PATH",
            "MEMORY_API_URL",
            "NO_COLOR",
            "FORCE_COLOR",
            "COLUMNS",
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session", autouse=True)
def built_once() -> Iterator[None]:
    """Let the tree of all commands be built once: that takes longer than most commands do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(get_command))
        yield


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def run(path: Path) -> Run:
    """Run a command in this process, on a memory of this test."""

    def run(*words: str, said: str | None = None) -> Ended:
        result = CliRunner().invoke(app, ["--url", str(path), *words], input=said)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ended(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def process(path: Path, nursery: Nursery) -> Run:
    """Run a command in a process of its own, on a memory of this test."""

    def run(*words: str, said: str | bytes = b"", **variables: str) -> Ended:
        done = subprocess.run(
            [*nursery.command, "--url", str(path), *words],
            input=said.encode() if isinstance(said, str) else said,
            capture_output=True,
            env={**os.environ, **variables},
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def tea(run: Run) -> str:
    """The id of a first record."""
    return run("write", "Ada prefers tea", "--speaker", "Ada", "--tag", "taste", "--json").json["ids"][0]


@pytest.fixture
def ship(run: Run) -> str:
    """The id of a second record."""
    return run("write", "Bob sailed to Bornholm", "--speaker", "Bob", "--json").json["ids"][0]


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that holds two records, a goal and a tape, to be copied."""
    file = tmp_path_factory.mktemp("shelf") / "memory.db"
    with Memory(file, settings=Settings(second_look="off")) as memory:
        memory.sessions.start(actor_id="me", session_id="talk")
        memory.write("Ada prefers tea", actor_id="me", speaker="Ada", tags=["taste"], id="tea")
        memory.write("Bob sailed to Bornholm", actor_id="me", speaker="Bob", id="ship")
        ledger = memory.view(actor_id="me").ledger
        ledger.store_goal("Brew tea", goal_id="brew")
        task = ledger.store_task("brew", "boil water", status="in_progress")
        ledger.store_tool_call(task.id, "kettle", given={"degrees": 100})
        ledger.store_decision("Which tea?", "green", reasoning="it is early", goal_id="brew")
        ledger.store_pattern("brew tea", "kettle", success_rate=1.0)
        memory.tape.build(actor_id="me")
    return file


@pytest.fixture
def two(shelf: Path, path: Path) -> None:
    """Let the memory of this test hold two records, "tea" and "ship"."""
    shutil.copy(shelf, path)
