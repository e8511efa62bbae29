"""A large actor is searched inside the database: by indexes of its own, with nothing of it kept in RAM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from foveal.backends.postgres import PostgresStore
from foveal.backends.postgres.dialect import Half, text
from foveal.errors import Invalid, NotFound
from foveal.model.query import Viewpoint
from foveal.model.record import Vitals
from foveal.testing.builders import (
    ADA,
    ENCODER,
    START,
    by_vector,
    by_words,
    entry,
    seen_by,
    vector_of,
    version_after,
)
from foveal.testing.servers import Cluster

pytestmark = pytest.mark.server

EVE = Viewpoint(actor_id="eve")
MANY = 1200


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    store = PostgresStore(database, mirror_records=0)
    yield store
    store.close()


def _fill(store: PostgresStore, viewpoint: Viewpoint = ADA, many: int = MANY) -> None:
    said = [entry(f"note {number} of {number % 7} things", viewpoint=viewpoint) for number in range(many)]
    store.records.append(said, ENCODER)


def _rows(url: str, query: str) -> list[Any]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("set foveal.every_world to 'on'; set search_path to foveal, public")
        return connection.execute(query.encode()).fetchall()


def test_every_step_of_a_search_goes_by_an_index_in_one_part(store: PostgresStore, database: str) -> None:
    _fill(store)
    store.search.index(ADA, ENCODER)
    [(encoder,)] = _rows(database, "select number from encoder")
    given = {
        **{"encoder": encoder, "vector": Half(vector_of("note 3")), "limit": 50},
        **{"keys": [1, 2, 3], "filed": 7, "points": [1, 5]},
    }
    parts = {"dimension": str(ENCODER.dimension)}
    uses = {
        "nearest": r"own_near_\d+",
        "standing_around": r"own_chain_\d+",
        "cosines_of": "embedding_._pkey",
        "traces_of": "trace_._pkey|own_chain_",
        "ungathered": "trace_._pkey",
        "keys_at": "trace_._pkey",
        "holders_of": "posting_._pkey",
        "postings_of": "posting_._pkey",
    }
    with store._db.reading(ADA) as db:  # pyright: ignore[reportPrivateUsage]
        # Small tables would be read through and sorted, as large ones are not.
        db.connection.execute("set local enable_seqscan to off; set local enable_sort to off")
        for name, index in uses.items():
            query = f"explain (costs off) {text(name, **parts) if 'halfvec' in text(name) else text(name)}"
            found = db.connection.execute(query.encode(), {**db.organism_or_nobody(ADA), **given}, prepare=False)
            plan = "\n".join(line for (line,) in found)
            assert re.search(rf"using (?:{index})", plan) or re.search(rf"on (?:{index})", plan), plan
            assert "Seq Scan" not in plan, plan
            assert len(set(re.findall(r"\b(?:embedding|trace|posting)_(\d+)\b(?! *\()", plan))) == 1, plan


def test_nothing_of_the_actor_is_kept_in_ram(store: PostgresStore) -> None:
    _fill(store)
    assert by_words(store, seen_by(), ["note"], 5)
    assert by_vector(store, seen_by(), vector_of("note 8 of 1 things"), 1)
    assert store.search._indexes.size(("default", 1)) is None  # pyright: ignore[reportPrivateUsage]
    assert not store.search._indexes._known  # pyright: ignore[reportPrivateUsage]


def test_what_was_gathered_and_what_came_since_are_found_together(store: PostgresStore, database: str) -> None:
    _fill(store, many=300)
    assert store.search.gather(ADA) == 300
    store.records.append([entry("a late note about zebras")], ENCODER)
    assert _rows(database, "select sum(records)::int from segment") == [(300,)]
    found = store.records.get(seen_by(), list(by_words(store, seen_by(), ["note", "zebra"], 3)))
    assert found[0].text == "a late note about zebras"
    assert len(by_words(store, seen_by(), ["note"], 400)) == 301
    assert store.search.gather(ADA) == 1
    assert len(by_words(store, seen_by(), ["note"], 400)) == 301
    assert store.check() == []


def test_nothing_stays_of_what_is_erased(store: PostgresStore, database: str) -> None:
    [(first, _), (second, _)] = store.records.append(
        [entry("the red boat boat", speaker="Ben"), entry("the red kite", speaker="Ada")], ENCODER
    )
    store.search.gather(ADA)
    held = "select key, holders, encode(block, 'hex') from posting order by key, segment"
    before = _rows(database, held)
    [(extra, _)] = store.records.append([entry("a red zebra", START + timedelta(days=900), speaker="Cy")], ENCODER)
    store.search.gather(ADA)
    assert len(_rows(database, held)) > len(before)
    store.records.erase(seen_by(), [extra.id])
    assert _rows(database, held) == before
    assert _rows(database, "select name, records from speaker order by name") == [("Ada", 1), ("Ben", 1)]
    [(records, length, days)] = _rows(database, "select records, length, last_day - first_day from segment")
    assert (records, length, days) == (2, 5, 0)
    assert list(by_words(store, seen_by(), ["red"], 9)) in ([first.id, second.id], [second.id, first.id])
    store.records.erase(seen_by(), [first.id, second.id])
    assert _rows(database, held) == []
    assert by_words(store, seen_by(), ["red"], 9) == {}
    assert store.check() == []


def test_what_others_write_supersede_forget_and_erase_is_seen_at_once(store: PostgresStore, database: str) -> None:
    other = PostgresStore(database, mirror_records=0)
    _fill(store, many=50)
    for number in range(5):
        [(record, _)] = other.records.append([entry(f"zebra {number}")], ENCODER)
        assert list(by_words(store, seen_by(), ["zebra"], 3)) == [record.id]
        later = other.records.supersede(seen_by(), version_after(record, f"giraffe {number}", START), ENCODER)
        assert by_words(store, seen_by(), ["zebra"], 3) == {}
        assert list(by_words(store, seen_by(), ["giraff"], 3)) == [record.id]
        if number % 2:
            hidden = Vitals(forgotten_at=later.recorded_at)
            other.records.revise(seen_by(), [record.id], lambda _, hidden=hidden: hidden)
        else:
            other.records.erase(seen_by(), [record.id])
        assert by_words(store, seen_by(), ["giraff"], 3) == {}
        assert record.id not in by_vector(store, seen_by(), vector_of(f"giraffe {number}"), 60)
        store.search.gather(ADA)
    other.close()


def test_an_actor_that_grows_large_is_made_ready_behind_the_calls(database: str) -> None:
    store = PostgresStore(database, mirror_records=100)
    _fill(store, EVE, many=90)
    _fill(store, many=150)
    assert len(by_words(store, seen_by(), ["note"], 200)) == 150
    builder = store.search.builder
    assert builder.thread is not None
    builder.thread.join()
    assert len(by_words(store, seen_by(), ["note"], 200)) == 150
    assert len(by_words(store, seen_by(EVE), ["note"], 200)) == 90
    # The small one is kept in RAM, the large one is not any more.
    assert [len(one[1]) for one in store.search._indexes._known.values()] == [90]  # pyright: ignore[reportPrivateUsage]
    names = [
        name for (name,) in _rows(database, "select relname from pg_class where relname like 'own!_%' escape '!'")
    ]
    assert len(names) == 2
    store.close()
    again = PostgresStore(database, mirror_records=100)
    assert len(by_words(again, seen_by(), ["note"], 200)) == 150
    assert not again.search._indexes._known  # pyright: ignore[reportPrivateUsage]
    again.close()


def test_an_index_that_was_left_half_built_is_built_anew(
    store: PostgresStore, database: str, cluster: Cluster
) -> None:
    _fill(store, many=40)
    store.search.index(ADA, ENCODER)
    # As one that was killed while it built leaves it.
    name = database.partition("@/")[2].partition("?")[0]
    cluster.administer(
        "update pg_index set indisvalid = false where indexrelid in "
        "(select oid from pg_class where relname ~ '^own_near')",
        name,
    )
    [said] = store.check()
    assert re.search(r"own_near_\d+_\d+ is not valid", said)
    assert len(by_words(store, seen_by(), ["note"], 50)) == 40
    store.search.index(ADA, ENCODER)
    assert store.check() == []


def test_the_indexes_of_actors_and_encoders_that_are_gone_go_too(store: PostgresStore, database: str) -> None:
    _fill(store, many=20)
    _fill(store, EVE, many=20)
    store.search.index(ADA, ENCODER)
    [(organism,)] = _rows(database, "select number from organism where actor = 'ada'")
    _rows(database, f"delete from organism where number = {organism} returning 1")
    store.search.index(EVE, ENCODER)
    names = _rows(database, "select relname from pg_class where relname ~ '^own_' order by 1")
    assert len(names) == 2
    assert not any(str(organism) == name.split("_")[2] for (name,) in names)
    assert _rows(database, f"select 1 from posting where organism = {organism}") == []


def test_what_makes_no_sense_is_refused(store: PostgresStore, database: str) -> None:
    with pytest.raises(Invalid, match="mirror_records"):
        PostgresStore(database, mirror_records=-1)
    with pytest.raises(NotFound):
        store.search.index(EVE, ENCODER)
