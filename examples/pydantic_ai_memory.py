"""An agent of Pydantic AI that remembers its user.

Run it with `python examples/pydantic_ai_memory.py [memory.db]`. A function stands for the model, so that it runs
offline; put the name of a model in its place.
"""

from __future__ import annotations

import sys
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from foveal import Memory
from foveal.integrations.pydantic_ai import FovealMemory


def answer(messages: list[Any], info: Any) -> ModelResponse:
    """What a model would say to what it is shown."""
    shown = str([part for message in messages for part in message.parts])
    known = "Lisbon" in shown and "Where" in shown
    return ModelResponse(parts=[TextPart("It is in Lisbon." if known else "I will remember that.")])


def main() -> None:
    """Tell the agent something, and ask in another conversation."""
    with Memory(sys.argv[1] if len(sys.argv) > 1 else "memory.db") as memory:
        agent = Agent(FunctionModel(answer), capabilities=[FovealMemory(memory.view(actor_id="ada"))])
        for session, said in (("monday", "My flat is in Lisbon."), ("tuesday", "Where is my flat?")):
            print(f"> {said}")
            print(agent.run_sync(said, conversation_id=session).output)


if __name__ == "__main__":
    main()
