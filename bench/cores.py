"""Measure what a core carries on Postgres: reads and writes a second of processor time, and their latency."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count

import httpx2
import psutil

from bench.figure import MILLISECONDS, RATE, Figure
from bench.printing import Page, machine
from bench.texts import Texts
from bench.timing import percentile
from foveal import Memory, Settings
from foveal.doors.server import Server
from foveal.model.server import Logging, Serving
from foveal.testing.servers import Cluster

ACTORS, RECORDS, REQUESTS, CONNECTIONS = 8, 1_000, 400, 4
Ask = Callable[[int], None]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of reads and of writes."""
    parser = argparse.ArgumentParser("python -m bench.cores", description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS, help=f"of each kind (default {REQUESTS})")
    parser.add_argument("--records", type=int, default=RECORDS, help=f"of each actor (default {RECORDS})")
    parser.add_argument("--connections", type=int, default=CONNECTIONS, help=f"at once (default {CONNECTIONS})")
    given = parser.parse_args(arguments)
    page = Page()
    page.say(
        f"{machine()}\n{ACTORS} actors with {given.records} records, {given.connections} connections, "
        f"{given.requests} requests of each kind; /s is for each second of processor time"
    )
    with Cluster() as cluster:
        page.figures(figures(cluster, given.requests, given.records, given.connections))


def figures(cluster: Cluster, requests: int, records: int, connections: int) -> list[Figure]:
    """The figures of one server process and its database."""
    url, texts = cluster.create(), Texts(seed=3)
    questions: list[str] = []
    with Memory(url) as memory:
        for number in range(ACTORS):
            said = texts.take(records)
            memory.write_many(said, actor_id=f"actor {number}")
            questions += [texts.question(one) for one in said[:5]]
    new = iter(texts.take(requests + ACTORS))
    settings = Settings(server=Serving(port=0, grpc_port=0), logging=Logging(level="error"))
    with ExitStack() as closing:
        server = closing.enter_context(Server(settings, url=url, grpc=False))
        client = closing.enter_context(httpx2.Client(base_url=server.url, timeout=120))

        def read(number: int) -> None:
            asked = {"actor_id": f"actor {number % ACTORS}", "query": questions[number % len(questions)]}
            client.post("/v1/read", json={**asked, "token_budget": 512}).raise_for_status()

        def write(number: int) -> None:
            body = {"actor_id": f"actor {number % ACTORS}", "text": next(new)}
            client.post("/v1/records", json=body).raise_for_status()

        found: list[Figure] = []
        for name, ask in (("read", read), ("write", write)):
            for number in range(ACTORS):
                ask(number)
            found += _measured(name, ask, cluster, requests, connections)
    return found


def _measured(name: str, ask: Ask, cluster: Cluster, requests: int, connections: int) -> list[Figure]:
    numbers, times = count(), list[float]()

    def one_connection() -> None:
        for number in numbers:
            if number >= requests:
                return
            began = time.perf_counter()
            ask(number)
            times.append(time.perf_counter() - began)

    own, database = time.process_time(), _seconds(cluster)
    began = time.perf_counter()
    with ThreadPoolExecutor(connections) as callers:
        for running in [callers.submit(one_connection) for _ in range(connections)]:
            running.result()
    elapsed = time.perf_counter() - began
    # The client runs in the process of the server, and counts as a part of it.
    own, database = time.process_time() - own, _seconds(cluster) - database
    return [
        Figure("cores", f"{name}, p50", percentile(times, 50) * 1000, MILLISECONDS, n=requests),
        Figure("cores", f"{name}, p95", percentile(times, 95) * 1000, MILLISECONDS, n=requests),
        Figure("cores", f"{name}, elapsed", requests / elapsed, RATE, n=requests),
        Figure("cores", f"{name}, a core of the server", requests / own, RATE, n=requests),
        Figure("cores", f"{name}, a core of the database", requests / max(database, 0.01), RATE, n=requests),
        Figure("cores", f"{name}, a core of both", requests / (own + database), RATE, n=requests),
    ]


def _seconds(cluster: Cluster) -> float:
    """The processor time that the database has taken so far."""
    first = psutil.Process(cluster.pid)
    return sum(sum(process.cpu_times()[:2]) for process in (first, *first.children(recursive=True)))


if __name__ == "__main__":
    main()
