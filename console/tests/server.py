"""Serves a seeded memory to the browser tests, until it is stopped."""

import sys
import tempfile
from pathlib import Path

import msgspec

from foveal.config import load_settings
from foveal.doors.cli.seeding import seed
from foveal.doors.serve import Server

TOKEN = f"fov_testtesttest_{'0' * 64}"

if __name__ == "__main__":
    port, records = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    settings = load_settings()
    serving = msgspec.structs.replace(settings.server, port=port, rate=0.0)
    settings = msgspec.structs.replace(settings, server=serving, metabolism="off")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        seed(path, records)
        Server(settings, url=str(path), token=TOKEN, grpc=False, worker=False).run()
