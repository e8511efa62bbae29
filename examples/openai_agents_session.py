"""An agent of the OpenAI Agents SDK with a session and a memory tool.

Run it with `python examples/openai_agents_session.py [memory.db]`. The model is the SDK's own scripted one, so that
it runs offline; leave `model=` away to use OpenAI's.
"""

from __future__ import annotations

import asyncio
import sys

from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call

from foveal import Memory
from foveal.integrations.openai_agents import FovealSession, search_tool

SCRIPT = [
    [assistant_message("Noted.")],
    [function_call("search_memory", {"query": "Where is my flat?"}, call_id="call-1")],
    [assistant_message("It is in Lisbon.")],
]


async def main() -> None:
    """Tell the agent something on Monday, and ask on Tuesday."""
    path = sys.argv[1] if len(sys.argv) > 1 else "memory.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        agent = Agent(name="Helper", model=ScriptedModel(SCRIPT), tools=[search_tool(ada)])
        for session, said in (("monday", "My flat is in Lisbon."), ("tuesday", "Where is my flat?")):
            print(f"> {said}")
            options = RunConfig(tracing_disabled=True)
            answer = await Runner.run(agent, said, session=FovealSession(session, ada), run_config=options)
            for item in answer.to_input_list():
                if item.get("type") == "function_call_output":
                    print(f"(the tool found) {item.get('output')}")
            print(answer.final_output)


if __name__ == "__main__":
    asyncio.run(main())
