"""A chat memory of LlamaIndex that knows what was said in earlier sessions.

Run it with `python examples/llama_index_memory.py [memory.db]`. It runs offline; pass the chat memory to your agent
with `agent.run(…, memory=chat)`.
"""

from __future__ import annotations

import sys

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory as ChatMemory

from foveal import Memory
from foveal.integrations.llama_index import FovealMemoryBlock


def main() -> None:
    """Tell the memory something on Monday, and look at what a model is shown on Tuesday."""
    with Memory(sys.argv[1] if len(sys.argv) > 1 else "memory.db") as memory:
        block = FovealMemoryBlock(memory=memory.view(actor_id="ada"))
        for session, said in (("monday", "My flat is in Lisbon."), ("tuesday", "Where is my flat?")):
            print(f"> {said}")
            chat = ChatMemory.from_defaults(session_id=session, memory_blocks=[block])
            chat.put(ChatMessage(said, role="user"))
            for message in chat.get():
                print(f"({message.role.value}) {message.content}")


if __name__ == "__main__":
    main()
