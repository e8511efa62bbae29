"""Two sessions of a model with a memory over MCP: the second one recalls what the first one decided.

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
    """The command by which a client starts the server: the entry that `foveal mcp install` writes."""
    options = ["mcp", "--url", str(path), "--actor-id", "ada", "--session-id", session]
    # A client passes on few environment variables; the server needs the search path of this process.
    environment = {"PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder)}
    return StdioServerParameters(command=sys.executable, args=["-m", "foveal.doors.cli", *options], env=environment)


async def use(client: Client, tool: str, **arguments: object) -> dict[str, object]:
    """Call a tool, as a model would, and print its answer."""
    result = await client.call_tool(tool, arguments)
    print(f"> {tool} {arguments}")
    print("  " + result.content[0].text.replace("\n", "\n  "))
    return result.structured_content or {}


async def monday(path: Path) -> None:
    """The first session: look around, and remember."""
    async with Client(stdio_client(started(path, "monday"))) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
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
