"""The generic scenarios of the conformance suite of MCP, against our door on this machine.

Run by `make conformance`, with the folder that npm installed the suite into.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from foveal import Memory
from foveal.doors.mcp import mcp_app
from foveal.doors.service import ANYONE, Service

SCENARIOS = {
    "2025-11-25": (
        *("server-initialize", "ping", "server-session-lifecycle", "tools-list", "resources-list", "prompts-list"),
        *("dns-rebinding-protection", "server-sse-multiple-streams"),
    ),
    "2026-07-28": (
        *("tools-list", "resources-list", "prompts-list", "caching", "http-header-validation"),
        *("sep-2164-resource-not-found", "dns-rebinding-protection", "server-stateless"),
    ),
}
# How many checks of a scenario cannot pass, and why.
KNOWN = {("2026-07-28", "server-stateless"): (4, "these need tools that only the suite's own server has")}


@contextmanager
def _served() -> Generator[str]:
    with Memory(":memory:") as memory:
        memory.write("Ada prefers tea", actor_id="me")
        door = mcp_app(Service(memory), lambda authorization: ANYONE)
        app = Starlette(routes=[Route("/mcp", endpoint=door)], lifespan=lambda app: door.lifespan())
        listening = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join()


def _run(folder: Path, url: str, version: str, scenario: str) -> tuple[int, int, str]:
    modules = folder / "node_modules"
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    words = ["server", "--url", url, "--scenario", scenario, "--spec-version", version]
    node = str(modules / "node" / "bin" / "node")
    done = subprocess.run([node, str(suite), *words], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    counted = re.search(r"Passed: (\d+)/(\d+), (\d+) failed", said)
    if counted is None:
        return 0, 1, said
    return int(counted[1]), int(counted[3]), said


def main() -> int:
    """Run every scenario; the exit code says whether any did worse than is known."""
    folder, worse = Path(sys.argv[1]), False
    with _served() as url:
        for version, names in SCENARIOS.items():
            for name in names:
                passed, failed, said = _run(folder, url, version, name)
                allowed, why = KNOWN.get((version, name), (0, ""))
                print(f"{version}  {name:<30} {passed:>3} passed  {failed:>2} failed  {why}", flush=True)
                if failed != allowed:
                    worse = True
                    print(said, file=sys.stderr)
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
