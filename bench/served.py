"""One memory behind several servers: `foveal serve` in processes of their own, asked over HTTP."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from time import monotonic, perf_counter
from typing import Any

import httpx2
import msgspec

from bench.filling import ACTOR
from bench.texts import Texts
from bench.timing import percentile

CONNECTIONS = 8
SECONDS = 8.0
BATCH = 50
_START_SECONDS = 120

Asked = tuple[str, dict[str, Any]]


class Served(msgspec.Struct, frozen=True):
    """What so many servers did together, asked by eight at once."""

    servers: int
    first: float
    searches: float
    most: float
    writes: float
    writes_most: float


@contextmanager
def servers(url: str, number: int) -> Generator[list[str]]:
    """The addresses of so many servers of one memory."""
    ports = [_free() for _ in range(number)]
    own = {"FOVEAL_METABOLISM": "off", "FOVEAL_RECALL_LOG": "false", "FOVEAL_LOGGING": '{"level": "error"}'}
    command = [sys.executable, "-m", "foveal.doors.cli", "serve", "--url", url, "--grpc-port", "0", "--port"]
    running = [
        subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL, env={**os.environ, **own})
        for port in ports
    ]
    try:
        for port, process in zip(ports, running, strict=True):
            _wait(port, process)
        yield [f"http://127.0.0.1:{port}" for port in ports]
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


def measured(url: str, number: int, seed: int) -> Served:
    """Search the big actor, then write to an actor for each connection, for some seconds each."""
    texts = Texts(seed=seed)
    asked = [texts.question(one) for one in texts.take(100)]
    searches: list[Asked] = [("/v1/search", {"actor_id": ACTOR, "query": one}) for one in asked]

    def writes(connection: int) -> Iterator[Asked]:
        # Names of an actor of this run, so that each connection begins with an empty one.
        actor = f"writer-{seed}-{number}-{connection}"
        while True:
            yield "/v1/records:batch", {"actor_id": actor, "items": texts.take(BATCH)}

    with servers(url, number) as addresses:
        began = perf_counter()
        for one in addresses:
            httpx2.post(one + "/v1/search", json=searches[0][1], timeout=600).raise_for_status()
        first = (perf_counter() - began) / number
        found, spent = asyncio.run(_load(addresses, lambda one: cycle(searches[one:] + searches[:one])))
        added, lasted = asyncio.run(_load(addresses, writes))
    return Served(
        number,
        first,
        len(found) / spent,
        1000 * percentile(found, 95),
        BATCH * len(added) / lasted,
        1000 * percentile(added, 95),
    )


async def _load(addresses: Sequence[str], asked: Callable[[int], Iterator[Asked]]) -> tuple[list[float], float]:
    times: list[float] = []
    began = perf_counter()

    async def one_connection(number: int) -> None:
        async with httpx2.AsyncClient(base_url=addresses[number % len(addresses)], timeout=120) as client:
            for path, body in asked(number):
                if perf_counter() - began > SECONDS:
                    return
                start = perf_counter()
                (await client.post(path, json=body)).raise_for_status()
                times.append(perf_counter() - start)

    await asyncio.gather(*(one_connection(number) for number in range(CONNECTIONS)))
    return times, perf_counter() - began


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    end, waiting = monotonic() + _START_SECONDS, threading.Event()
    while True:
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert monotonic() < end and process.poll() is None, "the server did not start"
        waiting.wait(0.05)
