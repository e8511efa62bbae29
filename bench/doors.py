"""Measure the HTTP door under load, beside a bare endpoint that returns a constant, in one run on loopback."""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import socket
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from bench.figure import MILLISECONDS, RATE, Figure
from bench.printing import Page, machine
from bench.texts import Texts
from bench.timing import percentile
from foveal import Memory

CONNECTIONS = 32
REQUESTS = 2000
RECORDS = 10_000
QUESTIONS = 50

Asked = tuple[str, dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of reads, of reads and writes mixed, and of the bare endpoint."""
    parser = argparse.ArgumentParser("python -m bench.doors", description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS, help=f"of each kind (default {REQUESTS})")
    parser.add_argument("--records", type=int, default=RECORDS, help=f"in the memory (default {RECORDS})")
    parser.add_argument("--rounds", type=int, default=3, help="how often each kind is measured in turn (default 3)")
    parser.add_argument("--workers", type=int, default=1, help="processes of each server (default 1)")
    given = parser.parse_args(arguments)
    page = Page()
    page.say(
        f"{machine()}\n{CONNECTIONS} connections, {given.requests} requests of each kind, {given.rounds} rounds, "
        f"{given.workers} processes a server"
    )
    with tempfile.TemporaryDirectory(prefix="foveal-bench-") as folder:
        page.figures(figures(Path(folder), given.requests, given.records, given.rounds, given.workers))


def figures(folder: Path, requests: int, records: int, rounds: int, workers: int) -> list[Figure]:
    """The figures, each kind measured in turn so that all see the same machine."""
    texts = Texts(seed=3)
    path = folder / "memory.db"
    with Memory(path) as memory:
        said = texts.take(records)
        for start in range(0, records, 1000):
            memory.write_many(said[start : start + 1000], actor_id="ada")
    questions = said[:QUESTIONS]
    bare, served = _started(workers, _bare), _started(workers, _served, str(path))
    times: dict[str, list[float]] = {"bare": [], "read": [], "mixed": []}
    spent: dict[str, float] = dict.fromkeys(times, 0.0)
    try:
        # Each process meets its first questions.
        asyncio.run(_load(served[1], _reads(questions, workers * QUESTIONS)))
        for number in range(rounds):
            nothing: list[Asked] = [("/bare", {})] * requests
            for kind, port, asked in (
                ("bare", bare[1], nothing),
                ("read", served[1], _reads(questions, requests)),
                ("mixed", served[1], _mixed(questions, requests, number)),
            ):
                began = time.perf_counter()
                times[kind] += asyncio.run(_load(port, asked))
                spent[kind] += time.perf_counter() - began
    finally:
        for process in (*bare[0], *served[0]):
            process.terminate()
            process.join()
    return _told(times, spent)


def _told(times: dict[str, list[float]], spent: dict[str, float]) -> list[Figure]:
    against = "bare endpoint"
    found: list[Figure] = []
    floor = percentile(times["bare"], 95) * 1000
    most = len(times["bare"]) / spent["bare"]
    for kind, all_times in times.items():
        n = len(all_times)
        slow = percentile(all_times, 95) * 1000
        found.append(Figure("doors", f"{kind}, p95", slow, MILLISECONDS, bound=floor, against=against, n=n))
        found.append(Figure("doors", f"{kind}", n / spent[kind], RATE, bound=most, against=against, n=n))
    return found


def _reads(questions: Sequence[str], count: int) -> list[Asked]:
    asked = [{"actor_id": "ada", "query": one, "token_budget": 512} for one in questions]
    return [("/v1/read", asked[number % len(asked)]) for number in range(count)]


def _mixed(questions: Sequence[str], count: int, seed: int) -> list[Asked]:
    texts = Texts(seed=100 + seed).take(count)
    reads = _reads(questions, count)
    return [
        ("/v1/records", {"actor_id": "ada", "text": texts[number]}) if number % 2 else reads[number]
        for number in range(count)
    ]


async def _load(port: int, requests: Sequence[Asked]) -> list[float]:
    times: list[float] = []
    left = iter(requests)
    limits = httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", limits=limits, timeout=60) as client:

        async def one_connection() -> None:
            for path, body in left:
                began = time.perf_counter()
                answer = await client.post(path, json=body)
                times.append(time.perf_counter() - began)
                answer.raise_for_status()

        await asyncio.gather(*(one_connection() for _ in range(CONNECTIONS)))
    return times


def _started(workers: int, target: Any, *words: str) -> tuple[list[Any], int]:
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    spawning = multiprocessing.get_context("spawn")
    processes = [spawning.Process(target=target, args=(listening, *words)) for _ in range(workers)]
    for process in processes:
        process.start()
    return processes, listening.getsockname()[1]


def _bare(listening: socket.socket) -> None:
    from fastapi import FastAPI

    app = FastAPI()

    @app.post("/bare")
    def bare() -> dict[str, str]:  # pyright: ignore[reportUnusedFunction]
        return {"status": "ok"}

    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def _served(listening: socket.socket, path: str) -> None:
    from foveal.config import Settings
    from foveal.doors.server import Server

    Server(Settings(), url=path, sockets=[listening], grpc=False).run()


if __name__ == "__main__":
    main()
