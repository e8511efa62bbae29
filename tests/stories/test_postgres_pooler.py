"""Behind a pooler a memory works with sessions of its own, and refuses to share them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.support.pooler import Pooler

from foveal import Memory
from foveal.errors import Unsupported
from foveal.testing.servers import Cluster

pytestmark = pytest.mark.server


def behind(cluster: Cluster, folder: str) -> str:
    name = conninfo_to_dict(cluster.create())["dbname"]
    return f"postgresql://foveal@/{name}?host={folder}"


def test_a_pooler_that_shares_connections_is_refused_by_name(cluster: Cluster) -> None:
    with TemporaryDirectory() as folder, Pooler(Path(folder), cluster.folder, mode="transaction"):
        with pytest.raises(Unsupported, match="pool_mode = session"):
            Memory(behind(cluster, folder))


def test_a_pooler_of_sessions_makes_no_difference(cluster: Cluster) -> None:
    with TemporaryDirectory() as folder, Pooler(Path(folder), cluster.folder, mode="session"):
        with Memory(behind(cluster, folder)) as memory:
            memory.write("The release is on Tuesday.", actor_id="ada")
            assert memory.search("When is the release?", actor_id="ada")[0].text == "The release is on Tuesday."
