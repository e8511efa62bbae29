"""A server answers at all its doors, and stops without losing anything."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.stories.processes import Process

from foveal import Memory, Settings
from foveal.doors.grpc import GrpcRemote
from foveal.doors.serve import Server
from foveal.model.serving import Serving

ADA = {"actor_id": "ada"}


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


@pytest.fixture
def server(file: str) -> Iterator[Server]:
    with Server(Settings(server=Serving(port=0, grpc_port=0, request_timeout=2.0)), url=file) as running:
        yield running


def test_what_is_written_at_one_door_is_read_at_another(server: Server) -> None:
    wrote = httpx2.post(f"{server.url}/v1/records", json={**ADA, "text": "Ada prefers tea."}).json()
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
    told = httpx2.post(f"{server.url}/mcp?actor_id=ada", json=hello, headers=accepts)
    assert told.json()["result"]["serverInfo"]["name"] == "foveal"


def test_the_head_of_a_request_may_not_take_for_ever(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"POST /v1/records HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        answer = b"".join(iter(lambda: slow.recv(4096), b""))
    assert b"408 Request Timeout" in answer and b'"code":"timed_out"' in answer
    assert httpx2.get(f"{server.url}/livez").status_code == 200


def test_a_body_that_never_ends_is_given_up(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"POST /v1/records HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        answer = slow.recv(65536)
    assert b"504 Gateway Timeout" in answer


def test_a_public_address_needs_keys(file: str) -> None:
    command = [sys.executable, "-m", "foveal.doors.cli", "serve", "--url", file, "--host", "0.0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
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
    with httpx2.Client(base_url=process.url) as client:
        for number in range(20):
            client.post("/v1/records", json={**ADA, "text": f"note {number}"}).raise_for_status()
    assert process.end(signal.SIGTERM) == 0
    assert not Path(file + "-wal").exists(), "the log was not folded into the file"
    with Memory(file) as memory:
        assert memory.stats(actor_id="ada").records == 20


def test_a_server_that_is_killed_loses_nothing_it_acknowledged(file: str) -> None:
    process = Process(file)
    known: list[str] = []
    with httpx2.Client(base_url=process.url) as client:
        for number in range(50):
            known += client.post("/v1/records", json={**ADA, "text": f"note {number}"}).json()["ids"]
            if number == 30:
                process.end(signal.SIGKILL)
                break
    with Memory(file) as memory:
        assert [one.id for one in memory.get_many(known, **ADA)] == known


def test_workers_end_with_the_process_that_started_them(file: str) -> None:
    process = Process(file, "--workers", "2")
    # Its output ends when the last worker has let go of it.
    process.end(signal.SIGKILL)
    with socket.create_server(("127.0.0.1", int(process.url.rpartition(":")[2]))):
        assert not Path(file + "-wal").exists(), "the workers did not close the file"


def test_several_processes_serve_one_file(file: str) -> None:
    process = Process(file, "--workers", "2")
    answers: list[dict[str, Any]] = []
    for number in range(12):
        # A connection of its own each time, so that both processes get some.
        note = {**ADA, "text": f"note {number}"}
        answers.append(httpx2.post(f"{process.url}/v1/records", json=note, timeout=60).json())
        last = answers[-1]["ids"][0]
        assert httpx2.get(f"{process.url}/v1/records/{last}", params=ADA).status_code == 200
    assert httpx2.get(f"{process.url}/v1/stats", params=ADA).json()["records"] == 12
    assert process.end(signal.SIGTERM) == 0
