"""The doctor looks at a database, and says what to do."""

from __future__ import annotations

from contextlib import closing

import pytest

from foveal import Memory
from foveal.backends.models.static import StaticEmbedder
from foveal.backends.postgres import PostgresStore
from foveal.model.query import Viewpoint
from foveal.ports.store import Encoder
from foveal.testing.servers import Cluster

from .conftest import Run

pytestmark = pytest.mark.server


def test_a_healthy_database_passes(run: Run, database: str) -> None:
    assert run("write", "The release is on Tuesday.", "--url", database).code == 0
    ended = run("doctor", "--url", database)
    assert ended.code == 0, ended.out
    for check in ("driver", "server", "pgvector", "role", "clock", "schema", "integrity", "vectors", "crash"):
        assert f"OK    {check} " in ended.out
    assert "kept to one world at a time" in ended.out
    assert "Tuesday" in run("search", "When is the release?", "--url", database).out


def test_examining_an_empty_database_makes_nothing_in_it(run: Run, cluster: Cluster) -> None:
    url = cluster.create()
    ended = run("doctor", "--url", url)
    assert (ended.code, "the first write makes it" in ended.out) == (0, True)
    name = url.partition("@/")[2].partition("?")[0]
    assert cluster.administer("select count(*) from pg_namespace where nspname = 'foveal'", name) == [(0,)]


def test_an_actor_that_outgrows_the_ram_is_named_with_what_to_do(
    run: Run, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Encoder(id=StaticEmbedder.id, dimension=StaticEmbedder.dimension)
    with Memory(database) as memory:
        memory.write_many([f"note {number}" for number in range(6)], actor_id="team")
        memory.write_many(["one", "two"], actor_id="ada", world="other")

    def searched(most: int) -> str:
        monkeypatch.setenv("FOVEAL_POSTGRES", f'{{"mirror_records": {most}}}')
        told = run("doctor", "--url", database, "--json").json["checks"]
        return next(one["detail"] for one in told if one["check"] == "search")

    assert searched(100) == "all in RAM, 6.2 KB"
    assert "; near 7 records: team (6): raise postgres.mirror_records" in searched(7)
    large = searched(2)
    assert large.startswith("1 actor inside the database: team (6); the others in RAM, 1.6 KB; not ready: team (6)")
    assert "near 2 records: other/ada (2)" in large
    with closing(PostgresStore(database, mirror_records=2)) as store:
        store.search.index(Viewpoint(actor_id="team"), encoder)
    assert "not ready" not in searched(2)
    assert searched(0) == "all inside the database, as postgres.mirror_records says"


def failed(run: Run, url: str) -> dict[str, str]:
    ended = run("doctor", "--url", url, "--json")
    assert ended.code == 1
    return {one["check"]: one["detail"] for one in ended.json["checks"] if not one["ok"]}


def test_an_extension_that_the_server_does_not_have_is_explained(run: Run) -> None:
    with Cluster(settings=("extension_control_path=/nowhere",)) as bare:
        assert "install pgvector 0.8 or newer" in failed(run, bare.create(vector=False))["pgvector"]


def test_an_extension_that_only_an_administrator_may_add_is_explained(run: Run, cluster: Cluster) -> None:
    url = cluster.create(vector=False)
    assert "let an administrator run `create extension vector`" in failed(run, url)["pgvector"]
    mighty = url.replace("//foveal@", "//postgres@")
    assert "the first write adds it" in run("doctor", "--url", mighty).out


def test_an_old_extension_is_explained(run: Run, cluster: Cluster) -> None:
    url = cluster.create()
    name = url.partition("@/")[2].partition("?")[0]
    cluster.administer("update pg_extension set extversion = '0.5.1' where extname = 'vector'", name)
    assert "alter extension vector update" in failed(run, url)["pgvector"]


def test_a_server_that_does_not_answer_is_explained(run: Run) -> None:
    found = failed(run, "postgresql://127.0.0.1:1/memory")
    assert list(found) == ["server"], "it is said once"
    assert "start the server" in found["server"]


def test_a_role_that_no_wall_stops_is_named(run: Run, cluster: Cluster) -> None:
    url = cluster.url(role="postgres")
    assert "use a role that is not a superuser" in run("doctor", "--url", url).out
