"""Serves a seeded memory to the browser tests, until it is stopped."""

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from foveal import Memory
from foveal.config import load_settings
from foveal.doors.cli.demo import BEGIN, seed
from foveal.doors.server import Server
from foveal.doors.service.auth import digest_of
from foveal.model.server import Key, Right

TOKEN = f"fov_testtesttest_{'0' * 64}"
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def gauge(path: Path, readings: int) -> None:
    """Let an actor remember very many short things, one for each half hour."""
    with Memory(path) as memory:
        view = memory.view(actor_id="gauge")
        items = [
            {
                "text": f"Reading {n}: {n * 37 % 1000} mm",
                "occurred_at": NEW_YEAR + n * timedelta(minutes=30),
                "id": f"g{n}",
            }
            for n in range(readings)
        ]
        view.write_many(items)


if __name__ == "__main__":
    port, records = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    settings = load_settings()
    serving = msgspec.structs.replace(settings.server, port=port, rate=0.0)
    settings = msgspec.structs.replace(settings, server=serving, metabolism="off")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        seed(path, records)
        gauge(path, 2 * records)
        server = Server(settings, url=str(path), grpc=False, worker=False)
        key = Key(id="testtesttest", name="tester", rights=tuple(Right), created_at=BEGIN)
        server.memory.keys.put_key(key, digest_of(TOKEN))
        server.run()
