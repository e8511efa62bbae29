"""The tools of a knowledge graph, beside the reference memory server of MCP: the same calls, the same answers.

Run by `make conformance`, with the folder that npm installed that server into.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

Told = list[tuple[str, Any]]


def _entity(name: str, kind: str, *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def _relation(start: str, end: str, kind: str) -> dict[str, str]:
    return {"from": start, "to": end, "relationType": kind}


_FIRST = [_entity("Ada", "person", "likes tea", "lives in Oslo "), _entity("Acme", "company")]
_MORE = [_entity("Ada", "ship", "x"), _entity("2026-01-01", "date", "a\nb"), _entity("x (y)", "")]
_WORKS, _FOUNDED = _relation("Ada", "Acme", "works at"), _relation("Ada", "Acme", "founded")
_SAILS = [{"entityName": "Ada", "contents": ["likes tea", "sails"]}]
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("create_entities", {"entities": _FIRST}),
    ("create_entities", {"entities": _MORE}),
    ("create_relations", {"relations": [_WORKS, _FOUNDED, _relation("Acme", "Ada", "works at")]}),
    ("create_relations", {"relations": [_WORKS, _relation("Ada", "Ada", "is")]}),
    ("add_observations", {"observations": _SAILS}),
    ("add_observations", {"observations": [*_SAILS, {"entityName": "Zed", "contents": ["x"]}]}),
    ("read_graph", {}),
    ("search_nodes", {"query": "OSL"}),
    ("search_nodes", {"query": ""}),
    ("open_nodes", {"names": ["Acme", "nobody"]}),
    ("delete_observations", {"deletions": [{"entityName": "Ada", "observations": ["sails", "no"]}]}),
    ("delete_observations", {"deletions": [{"entityName": "nobody", "observations": ["sails"]}]}),
    ("add_observations", {"observations": _SAILS}),
    ("delete_relations", {"relations": [_FOUNDED, _relation("nobody", "Acme", "knows")]}),
    ("delete_entities", {"entityNames": ["Acme", "nobody"]}),
    ("read_graph", {}),
    ("create_entities", {"entities": [_entity("Acme", "company", "new")]}),
    ("read_graph", {}),
)


async def _told(started: StdioServerParameters) -> Told:
    async with Client(stdio_client(started)) as client:
        tools = (await client.list_tools()).tools
        told: Told = [(one.name, (one.title, one.annotations)) for one in sorted(tools, key=lambda one: one.name)]
        for name, given in CALLS:
            answer = (await client.call_tool(name, given)).model_dump(by_alias=True, exclude_none=True)
            told.append((f"{name} {given}", {key: value for key, value in answer.items() if key != "_meta"}))
        return told


def main() -> int:
    """Ask both servers the same; the exit code says whether an answer differs."""
    modules = Path(sys.argv[1]) / "node_modules"
    theirs = modules / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    with TemporaryDirectory() as folder:
        variables = {**os.environ, "MEMORY_FILE_PATH": f"{folder}/memory.jsonl"}
        node = str(modules / "node" / "bin" / "node")
        reference = StdioServerParameters(command=node, args=[str(theirs)], env=variables)
        words = ["-m", "foveal.doors.cli", "mcp", "--tools", "graph", "--url", f"{folder}/memory.db"]
        ours = StdioServerParameters(command=sys.executable, args=words, env=variables)
        wanted, got = anyio.run(_told, reference), anyio.run(_told, ours)
    differing = [(one, two) for one, two in zip(wanted, got, strict=True) if one != two]
    for one, two in differing:
        print(f"{one}\nbut here\n{two}", file=sys.stderr)
    print(f"memory server: {len(wanted) - len(differing)} of {len(wanted)} answers are the same")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
