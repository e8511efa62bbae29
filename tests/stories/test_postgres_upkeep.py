"""What an administrator of a database relies on: erased text leaves it, and its backups can be restored."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from foveal import Memory, migrate
from foveal.backends.postgres.schema import migrations
from foveal.compose import open_tables
from foveal.engine.records.transfer import summed
from foveal.errors import Conflict
from foveal.ports.tables import ENCODERS, OWNED, SHARED
from foveal.testing.servers import Cluster, program

pytestmark = pytest.mark.server

SECRET = "Quillon opens the vault with 4711"


def fill(memory: Memory) -> str:
    """A few actors of two worlds, with something in most tables. Returns the id of the secret."""
    for world in ("default", "lab"):
        ada = memory.view(actor_id="ada", world=world)
        ids = ada.write_many([f"{world}: note {number} about the harbour." for number in range(30)]).ids
        ada.links.add(ids[0], ids[1], kind="follows")
        ada.groups.add("harbour", ids[:3])
        ada.sessions.start(session_id="call", metadata={"with": "Ben"})
        ada.ledger.store_goal("Build the harbour")
        ada.crystals.crystallize([{"role": "user", "content": "Where is the harbour?"}])
        ada.snapshots.take("before the flood")
        ada.supersede(ids[2], "It was moved.")
        ada.read("Where is the harbour?")
        ada.browse.recalls()
    return memory.write_many([SECRET, *[f"{SECRET} times {n}" for n in range(20)]], actor_id="eve").ids[0]


def contents(url: str) -> dict[object, object]:
    """The rows of every table of every organism, as numbers and checksums."""
    tables = open_tables(url, read_only=True)
    try:
        with tables.reading() as rows:
            found: dict[object, object] = {
                (organism.world, organism.actor, table.name): summed(rows.rows(table, organism))
                for organism in rows.organisms()
                for table in OWNED
            }
            return found | {table.name: summed(rows.rows(table, None)) for table in (*ENCODERS, *SHARED)}
    finally:
        tables.close()


def stored_bytes(cluster: Cluster, database: str) -> bytes:
    """The files of the tables of a database, after everything was written to them."""
    cluster.administer("checkpoint")
    [(number,)] = cluster.administer(f"select oid from pg_database where datname = '{database}'")
    folder = Path(cluster.data, "base", str(number))
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())


def test_no_statistics_hold_what_was_said_and_a_full_vacuum_removes_what_was_erased(cluster: Cluster) -> None:
    url = cluster.create()
    name = str(conninfo_to_dict(url)["dbname"])
    with Memory(url) as memory:
        fill(memory)
        memory.admin.vacuum()
        kept = "select schemaname, tablename, attname, most_common_vals::text, histogram_bounds::text from pg_stats"
        for row in cluster.administer(kept, name):
            assert "vault" not in str(row) and "harbour" not in str(row), row
        assert b"Quillon" in stored_bytes(cluster, name)
        memory.forget({"text": {"contains": "vault"}}, hard=True, actor_id="eve")
        memory.admin.erase_actor(actor_id="eve")
        # What the page on Postgres says.
        for (table,) in cluster.administer("select tablename from pg_tables where schemaname = 'foveal'", name):
            cluster.administer(f"vacuum (full, analyze) foveal.{table}", name)
        assert b"Quillon" not in stored_bytes(cluster, name)
        assert len(memory.timeline(actor_id="ada", limit=100)) >= 30


def test_statistics_of_an_earlier_schema_go(cluster: Cluster) -> None:
    url = cluster.create()
    name = str(conninfo_to_dict(url)["dbname"])
    with Memory(url) as memory:
        fill(memory)
        cluster.administer("alter table foveal.record alter column text set statistics 100", name)
        cluster.administer("analyze foveal.record", name)
    clear = "select count(*) from pg_stats where attname = 'text' and schemaname = 'foveal'"
    assert cluster.administer(clear, name) != [(0,)]
    [step] = [step for step in migrations() if "statistics" in step.name]
    cluster.administer(f"set search_path to foveal, public; {step.script}", name)
    assert cluster.administer(clear, name) == [(0,)]
    with Memory(url) as memory:
        assert memory.timeline(actor_id="ada")


def test_a_backup_of_a_database_is_restored_as_it_was(cluster: Cluster, tmp_path: Path) -> None:
    url, other = cluster.create(), cluster.create()
    with Memory(url) as memory:
        fill(memory)
        memory.view(actor_id="ada").admin.backup(tmp_path / "copy.db")
        with pytest.raises(Conflict):
            memory.admin.backup(tmp_path / "copy.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db"]
    migrate(str(tmp_path / "copy.db"), other)
    assert contents(other) == contents(url)
    with Memory(other) as memory:
        assert memory.search("Where is the harbour?", actor_id="ada", world="lab")


def test_a_dump_with_the_documented_options_holds_every_world(cluster: Cluster, tmp_path: Path) -> None:
    url, other = cluster.create(), cluster.create()
    with Memory(url) as memory:
        fill(memory)
    dump = [program("pg_dump"), "--enable-row-security", "--schema=foveal", "--format=custom", f"--dbname={url}"]
    settings = {**os.environ, "PGOPTIONS": "-c foveal.every_world=on"}
    with (tmp_path / "memory.dump").open("wb") as file:
        subprocess.run(dump, stdout=file, check=True, env=settings)
    restore = [program("pg_restore"), "--enable-row-security", f"--dbname={other}", str(tmp_path / "memory.dump")]
    subprocess.run(restore, check=True, env=settings)
    assert contents(other) == contents(url)
