"""Servers are replaced one by one: the code of an earlier schema works on today's, beside the code of today.

The code is that of a commit before the newest migration, kept by `tests/data/freeze.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Self

import psycopg
import pytest

from foveal.backends.postgres import PostgresStore
from foveal.backends.postgres.schema import migrations
from foveal.ports.store import Order
from foveal.testing.builders import ENCODER, START, by_words, entry, seen_by, version_after
from foveal.testing.servers import Cluster

pytestmark = pytest.mark.server

[FROZEN] = Path(__file__).parents[1].joinpath("data").glob("postgres-*.zip")
NUMBER = int(FROZEN.stem.partition("-")[2])
PARTITIONS = 2

# What the server of the earlier release does, in its words.
SERVER = """
import json, sys
import foveal
from foveal.backends.postgres import PostgresStore
from foveal.ports.store import Order
from foveal.testing.building import ENCODER, START, by_words, entry, seen_by, version_after

assert ".zip" in foveal.__file__, foveal.__file__
store = PostgresStore(sys.argv[1], partitions=2)
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    verb, *said = json.loads(line)
    if verb == "append":
        answer = [one.id for one, _ in store.append([entry(text) for text in said], ENCODER)]
    elif verb == "supersede":
        [newest] = store.get(seen_by(), said[:1])
        answer = store.supersede(seen_by(), version_after(newest, said[1], START), ENCODER).version
    elif verb == "forget":
        answer = list(store.fell(seen_by(), said, hard=False).ids)
    elif verb == "words":
        answer = sorted(by_words(store, seen_by(), said, 99))
    else:
        answer = [one.text for one in store.scan(seen_by(), order=Order.OLDEST)]
    print(json.dumps(answer), flush=True)
store.close()
"""

# The suite of the earlier release, on databases that are copies of one that today's code made.
SUITE = """
import os, time
import psycopg, pytest
from psycopg import sql
from foveal.backends.postgres import PostgresStore
from foveal.testing.contract import StoreContract

ADMIN, PLACE, TEMPLATE = (os.environ[name] for name in ("ADMIN", "PLACE", "TEMPLATE"))
FREE = []
EMPTIED = (
    "set foveal.every_world to 'on'; set plan_cache_mode to force_generic_plan;"
    "delete from foveal.organism; delete from foveal.encoder; delete from foveal.lease;"
    "delete from foveal.job; delete from foveal.api_key; delete from foveal.errand; delete from foveal.override;"
)


def created():
    name = f"earlier_{os.getpid()}_{time.monotonic_ns()}"
    with psycopg.connect(ADMIN, autocommit=True) as admin:
        text = "create database {} owner foveal template {} strategy file_copy"
        admin.execute(sql.SQL(text).format(sql.Identifier(name), sql.Identifier(TEMPLATE)))
    return PLACE.replace("postgres?", name + "?")


class TestEarlierStore(StoreContract):
    @pytest.fixture
    def open_at(self):
        made, stores = {}, []

        def open_at(path):
            if path not in made:
                made[path] = FREE.pop() if FREE else created()
            stores.append(PostgresStore(made[path], partitions=2, pool_size=4))
            return stores[-1]

        yield open_at
        for store in stores:
            store.close()
        for url in made.values():
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(EMPTIED)
        FREE.extend(made.values())
"""
# The long tests are about algorithms, not about tables.
SHORT = "not story and not thousand and not filters_as and not script and not moments"


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(FROZEN), "PYTHONDONTWRITEBYTECODE": "1", **more}


class Earlier:
    """A server of the earlier release."""

    def __init__(self, url: str) -> None:
        command = [sys.executable, "-c", SERVER, url]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=_environment())
        assert self._answer() == "ready"

    def __call__(self, verb: str, *said: str) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([verb, *said]) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"it ended with {self._process.wait()}"
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=240)
        assert self._process.returncode == 0


def _schema(url: str) -> int:
    with psycopg.connect(url) as connection:
        [(number,)] = connection.execute("select max(number) from foveal.migration").fetchall()
    return number


def test_what_is_kept_is_the_code_of_an_earlier_schema_that_only_grew() -> None:
    with zipfile.ZipFile(FROZEN) as frozen:
        steps = [one for one in frozen.namelist() if "/migrations/" in one]
        known = [frozen.read(one).decode() for one in sorted(steps)]
    newer = migrations()[len(known) :]
    assert len(known) == NUMBER and newer, "keep the code before the newest migration: see tests/data/freeze.py"
    assert known == [one.script for one in migrations()[:NUMBER]], "a migration was changed after it was made"
    assert not any(one.contracts for one in newer), "keep the code after what takes something away"


def test_old_and_new_servers_are_one_memory_while_they_are_replaced(cluster: Cluster) -> None:
    url = cluster.create()
    with Earlier(url) as old:
        [first, second] = old("append", "an old fig", "an old pear")
        assert _schema(url) == NUMBER
        # The first new server comes up while the old one is at work.
        new = PostgresStore(url, partitions=PARTITIONS)
        inside = PostgresStore(url, partitions=PARTITIONS, mirror_records=0)
        assert _schema(url) == len(migrations())
        [third] = old("append", "a late old plum")
        [(fourth, _)] = new.records.append([entry("a new fig")], ENCODER)
        assert old("supersede", fourth.id, "a newer fig") == 2
        [newest] = new.records.get(seen_by(), [second])
        assert new.records.supersede(seen_by(), version_after(newest, "a newer pear", START), ENCODER).version == 2
        assert old("forget", third) == [third]
        texts = ["an old fig", "a newer fig", "a newer pear"]
        with Earlier(url) as restarted:
            for told in (old("all"), restarted("all"), _texts(new), _texts(inside)):
                assert sorted(told) == sorted(texts)
            figs = sorted([first, fourth.id])
            for store in (new, inside):
                assert sorted(by_words(store, seen_by(), ["fig"], 99)) == figs
            assert old("words", "fig") == restarted("words", "fig") == figs
        assert new.check() == []
        for store in (new, inside):
            store.close()


def _texts(store: PostgresStore) -> list[str]:
    return [one.text for one in store.records.scan(seen_by(), order=Order.OLDEST)]


def test_the_suite_of_the_earlier_release_passes_on_todays_schema(cluster: Cluster, tmp_path: Path) -> None:
    url = cluster.create()
    PostgresStore(url, partitions=PARTITIONS).close()
    template = url.partition("@/")[2].partition("?")[0]
    file = tmp_path / "test_earlier.py"
    file.write_text(SUITE)
    # Its laws have no deadline where `CI` is set.
    told = _environment(CI="true", ADMIN=cluster.url(role="postgres"), PLACE=cluster.url(), TEMPLATE=template)
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "--rootdir", str(tmp_path), "-k", SHORT]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, file], env=told, cwd=tmp_path, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
