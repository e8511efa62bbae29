"""Worlds are kept apart twice: by the clause of every query, and by the database itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest

from foveal.backends.postgres import PostgresStore
from foveal.backends.postgres.dialect import queries
from foveal.errors import FovealError
from foveal.model.query import Viewpoint
from foveal.testing.builders import ENCODER, entry

pytestmark = pytest.mark.server

HOME, AWAY = Viewpoint(world="home", actor_id="ada"), Viewpoint(world="away", actor_id="ada")

# These go through every world on purpose: they count, they look for work, or they change all vectors at once.
OF_EVERY_WORLD = {
    *("organisms", "ledgers", "rooms", "faded", "forget_moves", "unencoded", "count_unencoded"),
    *("remove_other_vectors", "leave_other_tapes", "orphans", "count_tables", "own_indexes"),
    *("largest_organisms", "count_rows_of", "owners_of_overdue_crystals"),
}
# These are put into queries that carry the key.
PIECES = {"seen_crystal", "seen_row"}
# These touch tables that belong to no world, or no table at all.
OF_NO_WORLD = {
    *(
        "active_encoder",
        "encoder_number",
        "lock_encoders",
        "add_encoder",
        "activate_encoder",
        "vectors_came_late",
        "remove_other_encoders",
    ),
    *("take_lease", "release_lease", "ran", "ran_at", "server_time", "bad_indexes", "size_of_tables"),
    *("add_key", "key_of", "keys_in_order", "revoke_key", "hold_keys", "use_key"),
    *("remove_old_errands", "begin_errand", "errand_at", "prolong_errand", "end_errand", "drop_errand"),
    *("lock_overrides", "overrides_in_order", "remove_overrides", "put_override"),
}
KEYLESS = ("api_key", "encoder", "errand", "job", "lease", "migration", "override")


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    store = PostgresStore(database)
    for place in (HOME, AWAY):
        store.records.append([entry(f"said at {place.world}", viewpoint=place)], ENCODER)
    yield store
    store.close()


def test_a_query_that_forgets_its_clause_sees_one_world(store: PostgresStore) -> None:
    with store._db.reading(HOME) as db:  # pyright: ignore[reportPrivateUsage]
        for table in ("record", "vitals", "trace", "embedding", "standing", "organism"):
            found = db.connection.execute(f"select distinct world from {table}".encode()).fetchall()
            assert found == [("home",)], table


def test_a_write_into_another_world_is_refused(store: PostgresStore) -> None:
    with pytest.raises(FovealError), store._db.writing(HOME) as db:  # pyright: ignore[reportPrivateUsage]
        db.connection.execute("insert into organism (world, actor) values ('away', 'eve')")


def test_who_names_no_world_sees_nothing(store: PostgresStore, database: str) -> None:
    with psycopg.connect(database) as connection:
        tables = connection.execute(
            "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace "
            "where n.nspname = 'foveal' and c.relkind in ('r', 'p') and c.relname != all(%s)",
            (list(KEYLESS),),
        ).fetchall()
        # The partitions are tables of their own: nobody gets round the wall through them.
        assert len(tables) > 40
        for (table,) in tables:
            assert connection.execute(f"select count(*) from foveal.{table}".encode()).fetchall() == [(0,)], table


def test_the_world_leads_every_key(store: PostgresStore, database: str) -> None:
    with psycopg.connect(database) as connection:
        keys = connection.execute(
            "select c.relname, a.attname from pg_index i join pg_class c on c.oid = i.indrelid "
            "join pg_namespace n on n.oid = c.relnamespace "
            "join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0] "
            "where n.nspname = 'foveal' and (i.indisprimary or i.indisunique)"
        ).fetchall()
    assert {column for table, column in keys if table not in KEYLESS} == {"world"}


@pytest.mark.parametrize("name", sorted(queries()))
def test_every_query_carries_the_key_by_which_tables_are_spread(name: str) -> None:
    text = re.sub(r"^--.*$", "", queries()[name], flags=re.MULTILINE)
    if name in OF_NO_WORLD:
        assert not re.search(r"\b(record|vitals|organism|trace|embedding)\b", text)
        return
    for table, alias in re.findall(r"\bjoin (?!\()([\w{}]+) (\w+) on", text):
        condition = text.split(f"join {table} {alias} on", 1)[1].lstrip()
        assert condition.startswith(
            (f"({alias}.world, {alias}.organism", f"({alias}.world, {alias}.number", "n.id")
        )
    if name not in OF_EVERY_WORLD | PIECES:
        assert "%(world)s" in text or "{visible}" in text or "{ways}" in text
