"""A server that is killed in mid-load loses nothing it acknowledged, and the client gets over it by itself."""

import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

from foveal import connect
from foveal.config import Settings
from foveal.doors.client.remote import HttpTransport
from foveal.errors import CircuitOpen, StoreUnavailable, TimedOut
from foveal.model.server import CircuitState
from foveal.testing import ManualClock
from foveal.testing.servers import free_port

SERVER = """
import sys, uvicorn
from foveal import Memory
from foveal.doors.http import create_app
from foveal.doors.service import ANYONE, Service
app = create_app(Service(Memory(sys.argv[1])), authenticate=lambda _: ANYONE)
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets=sockets)
        print("ready", flush=True)
Server(uvicorn.Config(app, port=int(sys.argv[2]), log_level="error", ws="none")).run()
"""


def _started(path: Path, port: int) -> "subprocess.Popen[str]":
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(path), str(port)],
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert server.stdout is not None and server.stdout.readline() == "ready\n"
    return server


def _ended(server: "subprocess.Popen[str]") -> None:
    server.kill()
    server.wait()
    assert server.stdout is not None
    server.stdout.close()


def test_a_server_killed_in_mid_load(tmp_path: Path) -> None:
    port = free_port()
    url, clock = f"http://127.0.0.1:{port}", ManualClock()
    carrier = HttpTransport(url, wait=lambda span: None)
    server = _started(tmp_path / "memory.db", port)
    acknowledged: list[str] = []
    enough = threading.Event()

    # A server that is only slow to start again is waited for.
    settings = Settings(second_look="off", ghost_after=60)
    with connect(url, ghost=tmp_path / "ghost", clock=clock, carrier=carrier, settings=settings) as memory:
        ada = memory.view(actor_id="ada")
        ada.write("Ada drinks tea in the morning.")
        live = ada.read("what does Ada drink?", token_budget=300)

        def load(number: int) -> None:
            for step in range(10_000):
                try:
                    acknowledged.append(ada.write(f"worker {number} at step {step}").id)
                except (StoreUnavailable, TimedOut, CircuitOpen):
                    return
                if len(acknowledged) >= 60:
                    enough.set()

        workers = [threading.Thread(target=load, args=(number,)) for number in range(4)]
        for one in workers:
            one.start()
        assert enough.wait(240)
        os.kill(server.pid, signal.SIGKILL)
        for one in workers:
            one.join()
        _ended(server)
        for _ in range(3):
            ghost = ada.read("what does Ada drink?", token_budget=300)
            assert ghost.items == live.items and ghost.receipt.degraded == ("ghost: 0s old",)
        assert memory.connection.breaker.circuit.state is CircuitState.OPEN
        server = _started(tmp_path / "memory.db", port)
        try:
            clock.turn(timedelta(seconds=60))
            assert ada.read("what does Ada drink?", token_budget=300).receipt.degraded == ()
            assert memory.connection.breaker.circuit.state is CircuitState.CLOSED
            assert {one.id for one in ada.get_many(acknowledged)} == set(acknowledged)
        finally:
            _ended(server)
