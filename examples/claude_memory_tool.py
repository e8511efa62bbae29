"""Claude's memory tool on a memory: what a model would call, called by hand.

Run it with `python examples/claude_memory_tool.py [memory.db]`. With a key, pass the tool to
`Anthropic().beta.messages.tool_runner(model=…, max_tokens=…, messages=…, tools=[tool])` instead.
"""

from __future__ import annotations

import sys

from foveal import Memory
from foveal.integrations.claude_memory import FovealMemoryTool

COMMANDS = [
    {"command": "create", "path": "/memories/ada.md", "file_text": "Ada lives in Lisbon.\nShe has a cat, Pixel.\n"},
    {"command": "str_replace", "path": "/memories/ada.md", "old_str": "Lisbon", "new_str": "Porto"},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/ada.md"},
]


def main() -> None:
    """Keep a note, correct it, and find it by a question."""
    path = sys.argv[1] if len(sys.argv) > 1 else "memory.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        tool = FovealMemoryTool(ada)
        for command in COMMANDS:
            print(f"> {command['command']} {command['path']}")
            print(tool.call(command))
        [hit] = ada.search("Where does Ada live?", k=1)
        print(f"> search: {hit.record.text.splitlines()[0]}")
        print(f"> before: {ada.history(hit.record.id)[0].text.splitlines()[0]}")


if __name__ == "__main__":
    main()
