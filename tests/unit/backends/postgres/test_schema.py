"""The schema is made once, whoever comes first, and says plainly what it cannot work with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from foveal.backends.postgres import PostgresStore
from foveal.backends.postgres import connection as opening
from foveal.backends.postgres.schema import PARTITIONS, Migration, migrations
from foveal.errors import Invalid, NewerSchema, StoreUnavailable, Unsupported
from foveal.model.query import Viewpoint
from foveal.ports.store import Order
from foveal.testing.builders import ADA, ENCODER, by_words, entry, seen_by
from foveal.testing.servers import Cluster

pytestmark = pytest.mark.server

EXPANDS = Migration(
    "0099_wider", "alter table foveal.record add column mood text; create table foveal.mood ()", False
)
CONTRACTS = Migration("0099_narrower", "alter table foveal.record drop column words", True)


def test_several_that_open_an_empty_database_at_once_make_one_schema(cluster: Cluster) -> None:
    url = cluster.create()
    with ThreadPoolExecutor(4) as pool:
        opening_at_once = [pool.submit(PostgresStore, url, partitions=2) for _ in range(4)]
    stores = [one.result() for one in opening_at_once]
    for number, store in enumerate(stores):
        store.records.append([entry(f"note {number}")], ENCODER)
    assert [len(by_words(store, seen_by(), ["note"], 9)) for store in stores] == [4] * 4
    for store in stores:
        store.close()


def test_an_organism_lies_in_one_of_the_partitions(cluster: Cluster) -> None:
    url = cluster.create()
    store = PostgresStore(url)
    for number in range(12):
        store.records.append([entry("a note", viewpoint=Viewpoint(actor_id=f"actor {number}"))] * 1, ENCODER)
    with psycopg.connect(url) as connection:
        connection.execute("set foveal.every_world to 'on'")
        found = connection.execute("select organism, tableoid::regclass::text from foveal.record").fetchall()
        parts = connection.execute("select count(*) from pg_inherits where inhparent = 'foveal.record'::regclass")
        assert parts.fetchall() == [(PARTITIONS,)]
    assert len(found) == 12
    assert len({part for _, part in found}) > 3
    store.close()


def test_a_database_that_spreads_tables_itself_gets_them_whole(cluster: Cluster) -> None:
    url = cluster.create()
    store = PostgresStore(url, partitions=0)
    [(record, _)] = store.records.append([entry("a note")], ENCODER)
    assert list(by_words(store, seen_by(), ["note"], 3)) == [record.id]
    with psycopg.connect(url) as connection:
        kinds = connection.execute("select relkind from pg_class where oid = 'foveal.record'::regclass").fetchall()
    assert kinds == [("r",)]
    store.close()


def test_the_code_of_the_release_before_works_on_a_wider_schema(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = cluster.create()
    old = PostgresStore(url, partitions=2)
    old.records.append([entry("first note")], ENCODER)
    with monkeypatch.context() as newer:
        newer.setattr(opening, "migrations", lambda: [*migrations(), EXPANDS])
        new = PostgresStore(url, partitions=2)
    # While servers are replaced one by one, both releases are at work.
    old.records.append([entry("second note")], ENCODER)
    new.records.append([entry("third note")], ENCODER)
    again = PostgresStore(url, partitions=2)
    again.records.append([entry("fourth note")], ENCODER)
    for store in (old, new, again):
        assert len(list(store.records.scan(seen_by(), order=Order.OLDEST))) == 4
        store.close()


def test_a_schema_that_took_something_away_is_refused_by_older_code(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = cluster.create()
    with monkeypatch.context() as newer:
        newer.setattr(opening, "migrations", lambda: [*migrations(), CONTRACTS])
        PostgresStore(url, partitions=2).close()
    with pytest.raises(NewerSchema, match="upgrade Foveal"):
        PostgresStore(url, partitions=2)


def test_migrations_say_whether_they_only_add() -> None:
    for one in migrations():
        assert one.script.startswith(("-- expands\n", "-- contracts\n")), one.name


def test_a_role_that_may_not_add_the_extension_is_told_who_can(cluster: Cluster) -> None:
    url = cluster.create(vector=False)
    cluster.administer("drop role if exists guest")
    cluster.administer("create role guest login")
    with pytest.raises(Unsupported, match="administrator run `create extension vector`"):
        PostgresStore(url.replace("foveal@", "guest@"))


def test_an_old_extension_is_told_apart(cluster: Cluster) -> None:
    url = cluster.create()
    name = url.partition("@/")[2].partition("?")[0]
    cluster.administer("update pg_extension set extversion = '0.5.1' where extname = 'vector'", name)
    with pytest.raises(Unsupported, match=r"pgvector 0\.5\.1, and Foveal needs 0\.8 or newer"):
        PostgresStore(url)


def test_a_server_without_the_extension_is_told_what_to_install() -> None:
    with Cluster(settings=("extension_control_path=/nowhere",)) as bare:
        with pytest.raises(Unsupported, match="install pgvector 0.8 or newer"):
            PostgresStore(bare.create(vector=False))


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(StoreUnavailable, match="start the server") as caught:
        PostgresStore("postgresql://ada:secret@127.0.0.1:1/memory")
    assert "secret" not in str(caught.value)
    assert caught.value.retry


def test_what_is_no_url_is_invalid() -> None:
    with pytest.raises(Invalid):
        PostgresStore("postgresql://host:port:port/x?y")
    with pytest.raises(Invalid, match="pool_size"):
        PostgresStore("postgresql://localhost/x", pool_size=0)


def test_an_actor_of_another_world_is_another(database: str) -> None:
    store = PostgresStore(database)
    store.records.append(
        [entry("here"), entry("there", viewpoint=Viewpoint(world="other", actor_id="ada"))], ENCODER
    )
    assert [one.text for one in store.records.scan(seen_by(ADA), order=Order.OLDEST)] == ["here"]
    assert store.counts.organisms() == [("default", "ada"), ("other", "ada")]
    store.close()
