"""Two sessions of a model with a memory over MCP: the first one decides something, the second one knows.

python examples/mcp_walkthrough.py [memory.db]
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


def started(path: Path, session: str) -> StdioServerParameters:
    """How a client starts the server: as the entry that `foveal mcp install` writes."""
    words = ["mcp", "--url", str(path), "--actor-id", "ada", "--session-id", session]
    # A client passes few of its variables on; where our packages are has to be among them here.
    here = {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
    return StdioServerParameters(command=sys.executable, args=["-m", "foveal.doors.cli", *words], env=here)


async def use(client: Client, tool: str, **said: object) -> dict[str, object]:
    """Use a tool, as a model would, and show what it says."""
    result = await client.call_tool(tool, said)
    print(f"> {tool} {said}")
    print("  " + result.content[0].text.replace("\n", "\n  "))
    return result.structured_content or {}


async def monday(path: Path) -> None:
    """The first session: look around, and remember."""
    async with Client(stdio_client(started(path, "monday"))) as client:
        print("tools:", ", ".join(one.name for one in (await client.list_tools()).tools))
        await use(client, "memory_context", query="what database do we use?")
        decided = await use(
            client,
            "memory_add",
            text="We chose Postgres 15 for the billing service, because of row-level security.",
            kind="decision",
            tags=["billing"],
        )
        await use(client, "memory_pin", id=decided["id"])


async def tuesday(path: Path) -> None:
    """The next session, in another process: recall, correct, hand over."""
    async with Client(stdio_client(started(path, "tuesday"))) as client:
        context = await use(client, "memory_context", query="what database do we use?", token_budget=300)
        [known] = context["ids"]
        await use(client, "memory_update", id=known, text="Billing moved to Postgres 18 for its faster upgrades.")
        await use(client, "memory_get", id=known, history=True)
        await use(client, "memory_forget", ids=[known])
        [listed] = (await client.list_resources()).resources
        print("resource:", listed.uri)
        print((await client.read_resource(listed.uri)).contents[0].text)
        handoff = await client.get_prompt("handoff", {"task": "the billing database"})
        print("prompt:", handoff.messages[0].content.text.splitlines()[0])


async def main(path: Path) -> None:
    """Two sessions on one file."""
    await monday(path)
    await tuesday(path)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(Path(sys.argv[1])))
    else:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(main(Path(folder) / "memory.db"))
