"""The stores that are attacked, and how hard."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.attack.effort import Effort
from tests.attack.victims import prepare_forks

from foveal import Memory, Settings

STORES = ("sqlite", "postgres")


@dataclass(frozen=True)
class Place:
    """A memory to attack: its URL, the settings to open it with, and a folder beside it."""

    store: str
    url: str
    settings: Settings
    folder: Path

    def opened(self) -> Memory:
        """The memory, opened in this process."""
        return Memory(self.url, settings=self.settings)


@pytest.fixture(scope="session", autouse=True)
def forks() -> None:
    """Processes to be killed are forked from one that has imported everything."""
    prepare_forks()


@pytest.fixture
def effort(request: pytest.FixtureRequest) -> Effort:
    """Quick in `make test`, long in `make soak`, which has an option for its minutes."""
    long = request.config.getoption("minutes", None) is not None
    seed = random.SystemRandom().getrandbits(32) if long else zlib.crc32(request.node.name.encode())
    # Shown with a failure, to repeat it.
    print(f"the seed is {seed}")
    return Effort(seed=seed, long=long)


@pytest.fixture(params=[STORES[0], pytest.param(STORES[1], marks=pytest.mark.server)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A memory on each store; the one on Postgres shares a Redis server with other processes."""
    if request.param == "sqlite":
        settings = Settings(metabolism="off", second_look="off")
        return Place("sqlite", str(tmp_path / "memory.db"), settings, tmp_path)
    redis = request.getfixturevalue("valkey").url
    settings = Settings(metabolism="off", second_look="off", redis=redis, redis_prefix=tmp_path.name)
    return Place("postgres", request.getfixturevalue("database"), settings, tmp_path)
