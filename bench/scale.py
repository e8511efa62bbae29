"""Measure SQLite and Postgres as one actor grows, beside plain SQL with pgvector, in one run."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import psycopg

from bench.printing import machine
from bench.texts import Texts
from bench.timing import percentile
from foveal import Memory, Settings
from foveal.backends.embedders.static import StaticEmbedder
from foveal.backends.postgres.vectors import Half, adapt
from foveal.testing.cluster import Cluster

ACTOR = "big"
BATCH = 500
QUESTIONS = 60


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each store and size: writes a second, reads, bytes a record, growth per tenfold."""
    parser = argparse.ArgumentParser("python -m bench.scale", description=__doc__)
    parser.add_argument("--sizes", default="10000,100000", help="records of the actor (default 10000,100000)")
    parser.add_argument("--million", action="store_true", help="go on to a million records")
    given = parser.parse_args(arguments)
    sizes = [int(one) for one in given.sizes.split(",")] + [1_000_000] * given.million
    print(f"{machine()}\none actor, batches of {BATCH}, {QUESTIONS} questions, the server on this machine\n")
    print(
        f"{'':<14}{'records':>9}{'writes/s':>10}{'p50 ms':>9}{'p95 ms':>9}{'bytes each':>12}{'p95 per tenfold':>17}"
    )
    with tempfile.TemporaryDirectory(prefix="foveal-scale-") as folder, Cluster(careful=True) as cluster:
        file, quiet = Path(folder, "memory.db"), Settings(metabolism="off", recall_log=False)
        url = cluster.create()
        name = url.partition("@/")[2].partition("?")[0]
        with Memory(file, settings=quiet) as lite, Memory(url, settings=quiet) as post:
            _measure("SQLite", lite, sizes, lambda: file.stat().st_size)
            _measure(
                "Postgres", post, sizes, lambda: cluster.administer(f"select pg_database_size('{name}')")[0][0]
            )
        _measure_plain(cluster.create(), sizes)


def _measure(name: str, memory: Memory, sizes: Sequence[int], size: Callable[[], int]) -> None:
    texts, empty, written, before = Texts(seed=5), size(), 0, 0.0
    for records in sizes:
        made: list[str] = []
        spent = 0.0
        while written < records:
            batch = texts.take(min(BATCH, records - written))
            began = perf_counter()
            memory.write_many(batch, actor_id=ACTOR)
            spent += perf_counter() - began
            made, written = [*made, *batch][-2000:], written + len(batch)
        asked = [texts.question(one) for one in made[:: max(1, len(made) // QUESTIONS)][:QUESTIONS]]
        memory.search(asked[0], actor_id=ACTOR)
        times = [_timed(lambda one=one: memory.search(one, actor_id=ACTOR)) for one in asked]
        share = (size() - empty) / written
        before = _line(name, records, (records - _under(sizes, records)) / spent, times, share, before)


def _measure_plain(url: str, sizes: Sequence[int]) -> None:
    """The bare minimum: a text and a vector a row, the nearest ten by an exact scan, nothing else promised."""
    texts, embedder, written, before = Texts(seed=5), StaticEmbedder(), 0, 0.0
    with psycopg.connect(url) as connection:
        [(oid,)] = connection.execute("select 'halfvec'::regtype::oid::bigint").fetchall()
        adapt(connection, oid)
        connection.execute("create table note (id bigserial primary key, body text, v halfvec)")
        connection.commit()
        for records in sizes:
            spent, made = 0.0, list[str]()
            while written < records:
                batch = texts.take(min(BATCH, records - written))
                began = perf_counter()
                rows = [(one, Half(row)) for one, row in zip(batch, embedder.embed(batch), strict=True)]
                connection.cursor().executemany("insert into note (body, v) values (%s, %s)", rows)
                connection.commit()
                spent += perf_counter() - began
                made, written = [*made, *batch][-2000:], written + len(batch)
            asked = [texts.question(one) for one in made[:: max(1, len(made) // QUESTIONS)][:QUESTIONS]]

            def nearest(question: str) -> None:
                row = Half(np.asarray(embedder.embed([question], asking=True)[0]))
                connection.execute("select id, body from note order by v <=> %s limit 10", (row,)).fetchall()

            times = [_timed(lambda one=one: nearest(one)) for one in asked]
            [(size,)] = connection.execute("select pg_total_relation_size('note')").fetchall()
            before = _line("plain pgvector", records, (records - _under(sizes, records)) / spent, times,
                           size / written, before)  # fmt: skip


def _under(sizes: Sequence[int], records: int) -> int:
    return max((one for one in sizes if one < records), default=0)


def _timed(call: Callable[[], object]) -> float:
    began = perf_counter()
    call()
    return 1000 * (perf_counter() - began)


def _line(name: str, records: int, rate: float, times: list[float], share: float, before: float) -> float:
    high = percentile(times, 95)
    growth = f"{high / before:.1f}x" if before else ""
    print(
        f"{name:<14}{records:>9,}{rate:>10,.0f}{percentile(times, 50):>9.1f}{high:>9.1f}{share:>12,.0f}{growth:>17}"
    )
    return high


if __name__ == "__main__":
    main()
