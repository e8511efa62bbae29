"""A server answers at all its doors, and stops without losing anything."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.stories.processes import Process
from tests.stories.waiting import MOST

from foveal import Memory, Settings
from foveal.doors.grpc import GrpcRemote
from foveal.doors.server import Server
from foveal.model.server import Serving

ADA = {"actor_id": "ada"}


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


@pytest.fixture
def server(file: str) -> Iterator[Server]:
    with Server(Settings(second_look="off", server=Serving(port=0, grpc_port=0)), url=file) as running:
        yield running


@pytest.fixture
def hasty(file: str) -> Iterator[Server]:
    """One that gives up soon."""
    with Server(
        Settings(second_look="off", server=Serving(port=0, grpc_port=0, request_timeout=2.0)), url=file
    ) as running:
        yield running


def test_what_is_written_at_one_door_is_read_at_another(server: Server) -> None:
    wrote = httpx2.post(f"{server.url}/v1/records", json={**ADA, "text": "Ada prefers tea."}, timeout=MOST).json()
    assert server.grpc is not None
    with GrpcRemote(server.grpc.address) as remote:
        assert remote.call("get", {"record_id": wrote["ids"][0], **ADA}).text == "Ada prefers tea."


def test_models_find_their_door_on_the_same_port(server: Server) -> None:
    hello = {
        **{"jsonrpc": "2.0", "id": 1, "method": "initialize"},
        "params": {
            **{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        },
    }
    accepts = {"Accept": "application/json, text/event-stream"}
    told = httpx2.post(f"{server.url}/mcp?actor_id=ada", json=hello, headers=accepts, timeout=MOST)
    assert told.json()["result"]["serverInfo"]["name"] == "foveal"


def test_the_bare_address_of_a_server_leads_to_the_console(server: Server) -> None:
    assert httpx2.get(server.url).headers["location"] == "/memory-console"


def test_the_head_of_a_request_may_not_take_for_ever(hasty: Server) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port)) as slow:
        slow.sendall(b"POST /v1/records HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        answer = b"".join(iter(lambda: slow.recv(4096), b""))
    assert b"408 Request Timeout" in answer and b'"code":"timed_out"' in answer
    assert httpx2.get(f"{hasty.url}/livez", timeout=MOST).status_code == 200


def test_a_body_that_never_ends_is_given_up(hasty: Server) -> None:
    with socket.create_connection(("127.0.0.1", hasty.port)) as slow:
        slow.sendall(b"POST /v1/records HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        answer = slow.recv(65536)
    assert b"504 Gateway Timeout" in answer


def test_a_public_address_needs_keys(file: str) -> None:
    command = [sys.executable, "-m", "foveal.doors.cli", "serve", "--url", file, "--host", "0.0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MOST, check=False)
    assert done.returncode == 2
    assert "foveal key add" in done.stderr


@pytest.mark.parametrize("more", [["--grpc-port", "0"], ["--grpc-port", "0", "--workers", "2"]])
def test_a_port_that_is_taken_is_told_and_nothing_is_announced(file: str, more: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        command = [sys.executable, "-m", "foveal.doors.cli", "serve", "--url", file, "--port", port, *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.startswith(f"Error: cannot listen on 127.0.0.1:{port}: ")
    assert "--port" in done.stderr


@pytest.mark.parametrize(
    "command",
    [["serve", "--grpc-port", "0"], ["serve", "--grpc-port", "0", "--workers", "2"], ["console", "--no-browser"]],
    ids=["one process", "two", "console"],
)
def test_a_port_that_the_system_chose_is_the_one_announced(file: str, command: list[str]) -> None:
    args = [sys.executable, "-m", "foveal.doors.cli", *command, "--url", file, "--port", "0"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            said = next(
                found for line in process.stdout if (found := re.search(r"http://127\.0\.0\.1:(\d+)", line))
            )
            answer = httpx2.get(f"{said[0]}/livez", timeout=MOST)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=MOST)
    assert int(said[1]) != 0
    assert answer.status_code == 200


@pytest.mark.parametrize("command", ["serve", "console"])
def test_without_its_packages_a_server_says_what_to_install(file: str, command: str) -> None:
    # As if they were not installed.
    script = f"""
import sys
sys.modules["fastapi"] = None
from foveal.doors.cli.app import app
app(["{command}", "--url", sys.argv[1]])
"""
    done = subprocess.run(
        [sys.executable, "-c", script, file], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (8, "")
    assert "pip install 'foveal[server" in done.stderr and "Traceback" not in done.stderr
    assert not Path(file).exists()


def test_a_server_that_is_told_to_stop_ends_what_it_began(file: str) -> None:
    process = Process(file)
    assert any("http://127.0.0.1" in line for line in process.said)
    with process.client() as client:
        for number in range(20):
            client.post("/v1/records", json={**ADA, "text": f"note {number}"}).raise_for_status()
    assert process.end(signal.SIGTERM) == 0
    assert not Path(file + "-wal").exists(), "the log was not folded into the file"
    with Memory(file) as memory:
        assert memory.stats(actor_id="ada").records == 20


def test_a_server_that_is_killed_loses_nothing_it_acknowledged(file: str) -> None:
    process = Process(file)
    known: list[str] = []
    with process.client() as client:
        for number in range(50):
            known += client.post("/v1/records", json={**ADA, "text": f"note {number}"}).json()["ids"]
            if number == 30:
                process.end(signal.SIGKILL)
                break
    with Memory(file) as memory:
        assert [one.id for one in memory.get_many(known, actor_id="ada")] == known


def test_workers_end_with_the_process_that_started_them(file: str) -> None:
    process = Process(file, "--workers", "2")
    with process.client() as client:
        client.post("/v1/records", json={**ADA, "text": "note"}).raise_for_status()
    # Its output ends when the last worker has let go of it.
    process.end(signal.SIGKILL)
    with socket.create_server(("127.0.0.1", process.port)), Memory(file) as memory:
        assert memory.stats(actor_id="ada").records == 1


def test_several_processes_serve_one_file(file: str) -> None:
    with Process(file, "--workers", "2") as process:
        for number in range(12):
            # A connection of its own each time, so that both processes get some.
            with process.client() as one, process.client() as other:
                written = one.post("/v1/records", json={**ADA, "text": f"note {number}"}).json()["ids"][0]
                assert other.get(f"/v1/records/{written}", params=ADA).status_code == 200
        with process.client() as client:
            assert client.get("/v1/stats", params=ADA).json()["records"] == 12
        assert process.end(signal.SIGTERM) == 0


def test_a_server_can_be_told_to_stop_as_soon_as_it_says_where_it_is(file: str) -> None:
    script = """
import os, signal, sys
from foveal import Settings
from foveal.doors.server import serve_one
from foveal.model.server import Serving

serving = Serving(port=0, grpc_port=0)
settings = Settings(second_look="off", server=serving)
serve_one(settings, sys.argv[1], None, tell=lambda _: os.kill(os.getpid(), signal.SIGTERM))
"""
    done = subprocess.run([sys.executable, "-c", script, file], timeout=MOST, check=False)
    assert done.returncode == 0
    assert not Path(file + "-wal").exists(), "the memory was not closed"


STOPPED = """
import os, signal, sys
from multiprocessing.context import SpawnProcess
from foveal import Settings
from foveal.doors.server import serve_many
from foveal.model.server import Serving

begin = SpawnProcess.start

def start(process):
    begin(process)
    os.kill(os.getpid(), signal.SIGTERM)

SpawnProcess.start = start
serving = Serving(port=0, grpc_port=0)
serve_many(Settings(second_look="off", server=serving), sys.argv[1], 2, None, tell=lambda _: None)
"""


def test_a_server_that_is_told_to_stop_while_it_starts_others_ends_them(file: str) -> None:
    done = subprocess.run([sys.executable, "-c", STOPPED, file], timeout=MOST, check=False)
    assert done.returncode == 0
