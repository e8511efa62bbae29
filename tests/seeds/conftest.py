"""An empty folder and home for each snippet, a memory, and a server without a port."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.service import ANYONE
from foveal.doors.service.observed import open_observed_service
from foveal.model.server import Serving


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, an empty home, and no settings."""
    for name in list(os.environ):
        if name.startswith(("FOVEAL_", "OPENAI_")) or name in ("DATABASE_PATH", "MEMORY_API_URL"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("FOVEAL_SECOND_LOOK", "off")
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture
def http(memory: Memory) -> Iterator[TestClient]:
    """A client of a server of the memory."""
    station = open_observed_service(memory, Settings(second_look="off"), url=":memory:")
    app = create_app(
        station.service,
        authenticate=lambda _: ANYONE,
        serving=Serving(hosts=("testserver",)),
        station=station,
    )
    with TestClient(app) as client:
        yield client
    station.close()
