"""A chat written for mem0, on a Foveal memory: only the import differs.

Run it with `python examples/mem0_chat.py [memory.db]`. It needs no key and no network; put your model where the
comment says.
"""

from __future__ import annotations

import sys

from foveal.integrations.mem0 import Memory

SAID = ["My flat is in Lisbon", "My flat is in Porto now", "Where is my flat?"]


def main() -> None:
    """Tell the memory two things, and ask."""
    with Memory(sys.argv[1] if len(sys.argv) > 1 else "memory.db") as memory:
        for said in SAID:
            print(f"> {said}")
            known = memory.search(said, filters={"user_id": "ada"}, top_k=3)["results"]
            # Put what is known before the question, and ask a model here.
            if known:
                print(f"(known) {known[0]['memory']}")
            memory.add([{"role": "user", "content": said}], user_id="ada")


if __name__ == "__main__":
    main()
